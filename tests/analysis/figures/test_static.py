"""What is drawn, under which names, and what is said where it can't be. With a real browser:
tests/e2e/test_figures.py.
"""

import time
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from analysis.figures.static import NO_BROWSER, image_writer, images_of, plotly_script
from analysis.figures.style import LINE, menu, note, wrapped

FIGURE: dict[str, Any] = {"data": [{"type": "bar", "y": [1]}], "layout": {"height": 300}}


def with_views(*titles: str) -> dict[str, Any]:
    views = {title: [{"y": [[n]]}, {}] for n, title in enumerate(titles)}
    return {"data": FIGURE["data"], "layout": {"height": 300} | menu(views)}


def written(folder: Path, figures: dict[str, Any], **settings: Any) -> str:
    with image_writer(**settings) as write_images:
        return write_images(figures, folder)


def program(folder: Path, script: str) -> str:
    path = folder / "browser"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_every_view_is_an_image_and_the_first_ones_come_first() -> None:
    figures = {"shares": with_views("All scenarios", "S1"), "funnel": FIGURE}
    assert [image.name for image in images_of(figures)] == ["shares", "funnel", "shares-S1"]
    first, only, other = images_of(figures)
    assert first.changes is only.changes is None  # a figure shows its first view by itself
    assert other.changes == [{"y": [[1]]}, {"title.text": "S1"}]


def test_an_image_is_on_white_and_has_no_menu() -> None:
    image, _ = images_of({"shares": with_views("S1", "S2")})
    assert "updatemenus" not in image.layout
    assert (image.layout["paper_bgcolor"], image.layout["plot_bgcolor"]) == ("#ffffff", "#ffffff")
    assert (image.layout["width"], image.layout["height"]) == (1000, 300)


def test_in_print_the_legend_and_the_note_have_longer_lines_than_on_a_phone() -> None:
    traces = [{"type": "bar", "name": name} for name in ("low", "middle", "high")]
    other = {"text": "a<br>b"}
    of_phone = {"annotations": [other, note("So many<br>raters.")], "height": 300}
    of_phone |= {"margin": {"t": 100, "b": 60, "l": 5}, "meta": {"legend_lines": 3}}
    before = deepcopy(of_phone)
    (image,) = images_of({"f": {"data": traces, "layout": of_phone}})
    assert image.layout["annotations"] == [other, note("So many raters.")]
    assert image.layout["margin"] == {"t": 100 - 2 * LINE, "b": 60 - LINE, "l": 5}
    assert image.layout["height"] == 300 - 3 * LINE
    assert of_phone == before


def test_in_print_no_hyphen_and_no_word_is_torn() -> None:
    lines = wrapped("an empathy-driven answer " * 9)
    assert len(lines) > 4
    layout = {"annotations": [note("<br>".join(lines))], "height": 500}
    layout |= {"margin": {"t": 100, "b": 200}}
    (image,) = images_of({"f": {"data": [], "layout": layout}})
    printed = image.layout["annotations"][0]["text"].replace("<br>", " ")
    assert printed == ("an empathy-driven answer " * 9).strip()


def test_in_print_long_texts_still_take_several_lines() -> None:
    traces = [{"type": "bar", "name": name * 40} for name in "abcd"]
    layout = {"annotations": [note("word<br>" * 59 + "word")], "height": 2000}
    layout |= {"margin": {"t": 100, "b": 1500}, "meta": {"legend_lines": 4}}
    (image,) = images_of({"f": {"data": traces, "layout": layout}})
    assert [len(line) for line in image.layout["annotations"][0]["text"].split("<br>")] == [
        139,
        139,
        19,
    ]
    assert (
        image.layout["margin"]["t"] == 100 - 2 * LINE
    )  # two names of 40 letters beside each other
    assert image.layout["margin"]["b"] == 1500 - 57 * LINE


@pytest.mark.parametrize(
    ("titles", "names"),
    [
        (("x", "a b/../c"), ["f", "f-a_b_.._c"]),
        (("x", "warm &lt;3"), ["f", "f-warm_3"]),
        (("x", "悲しみ · é"), ["f", "f-悲しみ_é"]),
        (("x", "S1", "s1", "S1!"), ["f", "f-S1", "f-s1_2", "f-S1_3"]),
        (("x", "/"), ["f", "f-view"]),
    ],
)
def test_a_views_name_is_one_of_a_file(titles: tuple[str, ...], names: list[str]) -> None:
    assert [image.name for image in images_of({"f": with_views(*titles)})] == names


def test_a_view_never_takes_the_name_of_another_figure() -> None:
    images = images_of({"f": with_views("x", "S1"), "f-S1": FIGURE})
    assert [image.name for image in images] == ["f", "f-S1", "f-S1_2"]


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
