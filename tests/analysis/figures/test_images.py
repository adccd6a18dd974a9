"""What is said where no image can be drawn. With a real browser: tests/e2e/test_figures.py."""

import time
from pathlib import Path
from typing import Any

import pytest

from analysis.figures.images import NO_BROWSER, write_images

pytestmark = pytest.mark.slow  # starts browsers

FIGURE: dict[str, Any] = {"data": [{"type": "bar", "y": [1]}], "layout": {"height": 300}}


def program(folder: Path, script: str) -> str:
    path = folder / "browser"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_without_figures_there_is_nothing_to_say(tmp_path: Path) -> None:
    assert write_images({}, tmp_path, program="/nowhere/chromium") == ""


def test_without_a_browser_the_note_says_where_figures_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("CHROMIUM", "BROWSER_PATH"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    # Kaleido also looks at fixed places such as /usr/bin/chromium.
    monkeypatch.setattr("choreographer.browsers.chromium.chromium_based_browsers", {})
    assert write_images({"f": FIGURE}, tmp_path) == NO_BROWSER
    assert list(tmp_path.iterdir()) == []


def test_a_browser_that_is_not_there_is_said_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    assert write_images({"f": FIGURE}, tmp_path) == (
        "0 of 1 images could be drawn (/nowhere/chromium could not be started: it is not there); "
        "all figures are in report.html and as JSON"
    )


def test_a_browser_that_crashes_is_said_to(tmp_path: Path) -> None:
    found = program(tmp_path, "exit 7")
    note = write_images({"f": FIGURE}, tmp_path, program=found)
    assert note.startswith(f"0 of 1 images could be drawn ({found} ended); ")


def test_a_machine_that_starts_nothing_more_is_said_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = program(tmp_path, "sleep 60")
    monkeypatch.setattr("sys.executable", "/nowhere/python")  # Kaleido starts browsers by it
    note = write_images({"f": FIGURE}, tmp_path, program=found)
    assert f"{found} could not be started: [Errno 2] No such file or directory" in note


def test_a_browser_that_hangs_is_stopped_with_all_it_started(tmp_path: Path) -> None:
    beats = tmp_path / "beats"
    hanging = program(tmp_path, f"(while true; do echo >> {beats}; sleep 0.02; done) & sleep 60")
    started = time.monotonic()
    note = write_images({"f": FIGURE}, tmp_path, program=hanging, seconds=0.5)
    assert time.monotonic() - started < 10
    assert f"{hanging} was stopped after 0.5 s" in note
    size = beats.stat().st_size
    time.sleep(0.1)  # what still ran would write on
    assert beats.stat().st_size == size
