"""The Celery app: `celery -A config worker`.

The database is the queue and the broker only wakes workers. Views and commands call `wake`
with a task's name, so that a web process never imports what only a worker needs.
"""

import os
from functools import partial

from celery import Celery
from django.db import transaction
from kombu.transport import TRANSPORT_ALIASES

TRANSPORT_ALIASES["filesystem"] = "config.broker:Transport"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
app = Celery("fivefold")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def wake(task_name: str, *ids: int) -> None:
    """Tell a worker, after the current transaction commits, that rows `ids` wait for it."""
    transaction.on_commit(partial(app.send_task, task_name, args=ids))
