"""Wiring only: settings, URLs, Celery."""
