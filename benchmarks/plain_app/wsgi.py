"""WSGI entry point: `gunicorn benchmarks.plain_app.wsgi`."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchmarks.plain_app.settings")
application = get_wsgi_application()
