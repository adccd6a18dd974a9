"""WSGI entry point: `gunicorn config.wsgi`."""

import os

from django.core.wsgi import get_wsgi_application

from config.charset import utf_8_only

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = utf_8_only(get_wsgi_application())
