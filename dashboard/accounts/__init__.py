"""Researchers' accounts."""
