"""A worker's processes and their first one; `tests/e2e/test_killed_masters.py` kills real ones."""

import os
import threading

import pytest

from config import celery


def test_master_that_works_itself_waits_for_nobody_s_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """`--pool solo` says in the master that a process has begun to work."""
    monkeypatch.setattr(celery, "_master", os.getpid())
    before = threading.active_count()
    celery._end_with_the_master()
    assert threading.active_count() == before
