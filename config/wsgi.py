"""WSGI entry point: `gunicorn config.wsgi`.

Modules that the first page needs are loaded here, before the first participant comes. With
`--preload`, gunicorn does so once for all its processes, which share the memory.
"""

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.template.loader import get_template
from django.urls import get_resolver

from config.charset import utf_8_only
from config.memory import share_what_is_loaded


def load_pages() -> None:
    """Import all views through their addresses, and compile our templates."""
    get_resolver().reverse_dict  # noqa: B018  loads all of them once
    folder = settings.BASE_DIR / "templates"
    for path in folder.rglob("*.html"):
        get_template(str(path.relative_to(folder)))


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = utf_8_only(get_wsgi_application())
load_pages()
share_what_is_loaded()
