"""Wiring only: settings, URLs, Celery."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
