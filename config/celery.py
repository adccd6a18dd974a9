"""The Celery app: `celery -A config worker`.

The database is the queue and the broker only wakes workers. Views and commands call `wake` with a
task's name, so a web process never imports modules that only workers need.
"""

import logging
import os
import signal
import time
from functools import partial
from multiprocessing.sharedctypes import RawValue
from threading import Thread
from typing import Any

from celery import Celery
from celery.signals import (
    beat_embedded_init,
    task_prerun,
    worker_init,
    worker_process_init,
    worker_ready,
    worker_shutting_down,
)
from celery.worker.components import Beat
from django.db import transaction
from kombu.transport import TRANSPORT_ALIASES

from config.memory import share_what_is_loaded
from survey.origin import WORKER, is_started_from

TRANSPORT_ALIASES["filesystem"] = "config.broker:Transport"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
app = Celery("fivefold")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

logger = logging.getLogger(__name__)

#: Not zero when the worker is asked to end; its processes inherit it and see it at once. It has no
#: lock, because a killed process would never release it.
_ending: Any = None
#: The worker's first process, which started the others. They inherit its id.
_master: int | None = None


@worker_init.connect
def _watch_for_the_end(**_: Any) -> None:
    global _ending, _master  # one worker per process
    _ending, _master = RawValue("b", 0), os.getpid()


@worker_init.connect
def _share_memory(**_: Any) -> None:
    share_what_is_loaded()  # all tasks are loaded by now


@worker_process_init.connect
@beat_embedded_init.connect
def _end_with_the_master(**_: Any) -> None:
    """End this process once the master is gone, even by SIGKILL.

    Celery does so for pool processes on Linux alone, and nowhere for the clock (`--beat`).
    """
    if _master not in (None, os.getpid()):  # `--pool solo` works in the master itself
        Thread(target=_kill_when_orphaned, args=[_master], daemon=True).start()


def _kill_when_orphaned(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os.kill(os.getpid(), signal.SIGKILL)  # as Celery does; leases make it harmless


@worker_ready.connect
def _watch_the_clock(sender: Any, **_: Any) -> None:
    """Celery replaces killed processes of its pool, but not the clock: nothing that waits for a
    sweep would go on then, such as a payment that is tried again later.
    """
    worker = sender.controller
    for step in worker.steps:
        if isinstance(step, Beat):
            Thread(target=_replace_the_clock, args=[step, worker], daemon=True).start()


def _replace_the_clock(step: Beat, worker: Any) -> None:
    while True:
        step.obj.join()
        if is_ending():
            return
        logger.error("the worker's clock ended, and another one starts")
        time.sleep(1)
        clock = step.create(worker)
        clock.daemon = True  # the worker does not wait for it when it ends itself
        step.obj = clock
        clock.start()


@worker_shutting_down.connect
def _tell_of_the_end(**_: Any) -> None:
    _ending.value = 1


@task_prerun.connect
def _tell_origin(**_: Any) -> None:
    is_started_from(WORKER)


def is_ending() -> bool:
    """Whether this worker is shutting down; long tasks then leave the rest to the next one."""
    return _ending is not None and bool(_ending.value)


def wake(task_name: str, *ids: int | str) -> None:
    """Tell a worker, after the current transaction commits, that rows `ids` wait for it."""
    transaction.on_commit(partial(app.send_task, task_name, args=ids))
