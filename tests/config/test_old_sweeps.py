"""A worker skips sweeps that it did not begin before the next ones were due."""

from pathlib import Path

import pytest

from tests.config.real_worker import RealWorker

pytestmark = [pytest.mark.slow, pytest.mark.embedded]

TASKS = """
from celery.signals import task_prerun
from config.celery import app

@task_prerun.connect
def note(task, **_):
    with open("done.txt", "a") as done:
        done.write(task.name + "\\n")

@app.task(name="tests.asked")
def asked():
    pass

def sweep():
    for entry in app.conf.beat_schedule.values():
        app.send_task(entry["task"], **entry.get("options", {}))
"""


def test_old_sweeps_are_skipped(tmp_path: Path) -> None:
    worker = RealWorker(tmp_path, TASKS, SWEEP_SECONDS="0.1")
    for _ in range(3):
        worker.run("from tasks import sweep; sweep()")
    # A process takes longer than 0.1 s to start, so the sweeps are old by now.
    worker.run("from tasks import asked; asked.delay()")
    done = tmp_path / "done.txt"
    worker.work(until=done.exists)
    assert done.read_text().split() == ["tests.asked"]
