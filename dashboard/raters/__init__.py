"""Raters: who took part, and who is excluded and why."""
