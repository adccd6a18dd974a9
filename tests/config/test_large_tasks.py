"""A process of a worker that needed much memory ends after its task, and no task is lost."""

from collections import Counter
from pathlib import Path

import pytest

from tests.config.real_worker import RealWorker

pytestmark = [pytest.mark.slow, pytest.mark.embedded]

TASKS = """
import os
from config.celery import app

@app.task(name="tests.large")
def large(number, megabytes):
    held = b"x" * (megabytes << 20)
    with open("done.txt", "a") as done:
        done.write(f"{number} {megabytes} {os.getpid()}\\n")
    del held
"""
SEND = """
from tasks import large
for number in range(10):
    large.delay(number, 300 if number % 2 else 0)
"""
LARGE = "300"


def done(folder: Path) -> list[list[str]]:
    """Number, megabytes and process of each task that was done, in order."""
    file = folder / "done.txt"
    return [line.split() for line in file.read_text().splitlines()] if file.exists() else []


def test_process_that_needed_much_ends_after_its_task_and_no_task_is_lost_or_repeated(
    tmp_path: Path,
) -> None:
    worker = RealWorker(tmp_path, TASKS)
    worker.run(SEND)
    worker.work(until=lambda: len(done(tmp_path)) == 10)
    tasks = done(tmp_path)
    assert Counter(number for number, *_ in tasks) == Counter(map(str, range(10)))
    for place, (_, megabytes, process) in enumerate(tasks):
        later = [pid for _, _, pid in tasks[place + 1 :]]
        assert megabytes != LARGE or process not in later
    assert "WARNING" not in (tmp_path / "worker.log").read_text()
