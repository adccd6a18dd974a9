"""What is drawn, under which names, and what is said where it can't be. With a real browser:
tests/e2e/test_figures.py.
"""

import time
from pathlib import Path
from typing import Any

import pytest

from analysis.figures import browser
from analysis.figures.static import NO_BROWSER, image_writer, plotly_script

FIGURE: dict[str, Any] = {"data": [{"type": "bar", "y": [1]}], "layout": {"height": 300}}


def written(folder: Path, figures: dict[str, Any], **settings: Any) -> str:
    with image_writer(**settings) as write_images:
        return write_images(figures, folder)


def program(folder: Path, script: str) -> str:
    path = folder / "browser"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_without_figures_there_is_nothing_to_say(tmp_path: Path) -> None:
    assert written(tmp_path, {}, program=program(tmp_path, "sleep 60")) == ""


def test_without_a_browser_the_note_says_where_figures_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert written(tmp_path, {"f": FIGURE}) == NO_BROWSER
    assert list(tmp_path.iterdir()) == []


def test_a_browser_that_crashes_is_said_to(tmp_path: Path) -> None:
    note = written(tmp_path, {"f": FIGURE}, program=program(tmp_path, "exit 7"))
    assert note == (
        f"0 of 1 images could be drawn ({tmp_path}/browser ended with code 7); all figures are in "
        "report.html and as JSON"
    )


def test_a_browser_that_cannot_be_started_is_said_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    assert "/nowhere/chromium could not be started" in written(tmp_path, {"f": FIGURE})


def test_a_machine_that_starts_nothing_more_is_said_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "LISTENS", ["/nowhere/sh"])
    found = program(tmp_path, "sleep 60")
    note = written(tmp_path, {"f": FIGURE}, program=found)
    assert f"{found} could not be started: No such file" in note


def beating(beats: Path) -> str:
    """A browser that hangs, and whose child writes until it is stopped."""
    return program(beats.parent, f"(while true; do echo >> {beats}; sleep 0.02; done) & sleep 60")


def is_over(beats: Path) -> bool:
    size = beats.stat().st_size
    time.sleep(0.1)  # what still ran would write on
    return beats.stat().st_size == size


def test_a_browser_that_hangs_is_stopped_with_all_it_started(tmp_path: Path) -> None:
    beats = tmp_path / "beats"
    started = time.monotonic()
    note = written(tmp_path, {"f": FIGURE}, program=beating(beats), seconds=0.3)
    assert time.monotonic() - started < 10
    assert "the browser was stopped after 0.3 s" in note
    assert is_over(beats)


def test_where_nothing_came_to_be_drawn_the_browser_is_stopped(tmp_path: Path) -> None:
    beats = tmp_path / "beats"
    with pytest.raises(LookupError), image_writer(program=beating(beats)):
        while not beats.exists():
            time.sleep(0.01)
        raise LookupError("the analysis failed")
    assert is_over(beats)


def test_plotlys_script_is_found() -> None:
    assert plotly_script().is_file()
