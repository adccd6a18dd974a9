"""Importing: ratings, people and gold scores from files."""
