"""Payments: submissions beside people, what to do about each, and doing it once."""
