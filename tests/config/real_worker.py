"""A real worker of two processes, with tasks of a test's own."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from config.processes import ROOT


class RealWorker:
    """A Celery worker in `folder`. `tasks` is Python code that the worker and `run` import as the
    module `tasks`.
    """

    def __init__(self, folder: Path, tasks: str, **settings: str) -> None:
        self.folder = folder
        (folder / "tasks.py").write_text(tasks)
        self.environment = os.environ | {
            "DATA_DIR": str(folder / "data"),
            "SECRET_KEY": "for tests only",
            "DATABASE_URL": f"sqlite:///{folder / 'data' / 'fivefold.sqlite3'}",
            "CELERY_BROKER_URL": "filesystem://localhost",
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "PYTHONPATH": f"{folder}:{ROOT}",
            "WORKER_PROCESSES": "2",
            **settings,
        }

    def run(self, code: str) -> None:
        command = [sys.executable, "-c", code]
        subprocess.run(command, cwd=self.folder, env=self.environment, check=True)

    def work(self, until: Callable[[], bool]) -> None:
        """Start the worker, and end it once `until` is true or after two minutes."""
        command = [sys.executable, "-m", "celery", "--app", "tasks", "worker"]
        with (
            (self.folder / "worker.log").open("w") as log,
            subprocess.Popen(
                command, cwd=self.folder, env=self.environment, stdout=log, stderr=log
            ) as worker,
        ):
            try:
                deadline = time.monotonic() + 120
                while not until() and time.monotonic() < deadline:
                    time.sleep(0.1)
            finally:
                worker.send_signal(signal.SIGTERM)  # what runs is finished first
