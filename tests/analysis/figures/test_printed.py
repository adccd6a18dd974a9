"""Images for print: which there are, under which names, and how they differ from pages."""

from copy import deepcopy
from typing import Any

import plotly.graph_objects as go
import pytest

from analysis.figures.printed import images_of
from analysis.figures.style import LINE, TEMPLATE, Notes, note, show_views, wrapped

FIGURE: dict[str, Any] = {"data": [{"type": "bar", "y": [1]}], "layout": {"height": 300}}


def with_views(*titles: str) -> dict[str, Any]:
    views = {title: {"y": [[n]]} for n, title in enumerate(titles)}
    made: dict[str, Any] = show_views(go.Figure(FIGURE), views).to_plotly_json()
    return made


def test_every_view_is_an_image_and_the_first_ones_come_first() -> None:
    figures = {"shares": with_views("All scenarios", "S1"), "funnel": FIGURE}
    images = images_of(figures)
    assert [image.name for image in images] == ["shares", "funnel", "shares-S1"]
    titles = [image.figure.layout.title.text for image in images]
    assert titles == ["All scenarios", None, "S1"]
    assert [image.figure.data[0].y for image in images] == [(0,), (1,), (1,)]


def test_an_image_is_on_white_and_has_no_menu() -> None:
    image, _ = images_of({"shares": with_views("S1", "S2")})
    layout = image.figure.layout
    assert not layout.updatemenus
    assert (layout.paper_bgcolor, layout.plot_bgcolor) == ("#ffffff", "#ffffff")
    assert (layout.width, layout.height) == (1000, 300)


def test_a_figure_that_was_stored_without_a_template_gets_none_of_plotlys_looks() -> None:
    (image,) = images_of({"f": FIGURE})
    assert image.figure.layout.template == TEMPLATE


def test_in_print_the_legend_and_the_note_have_longer_lines_than_on_a_phone() -> None:
    traces = [{"type": "bar", "name": name} for name in ("low", "middle", "high")]
    other = {"text": "a<br>b"}
    of_phone = {"annotations": [other, note("So many<br>raters.")], "height": 300}
    of_phone |= {"margin": {"t": 100, "b": 60, "l": 5}, "meta": {"legend_lines": 3}}
    before = deepcopy(of_phone)
    (image,) = images_of({"f": {"data": traces, "layout": of_phone}})
    layout = image.figure.layout.to_plotly_json()
    assert layout["annotations"] == [other, note("So many raters.")]
    assert layout["margin"] == {"t": 100 - 2 * LINE, "b": 60 - LINE, "l": 5}
    assert layout["height"] == 300 - 3 * LINE
    assert of_phone == before


def test_in_print_each_view_has_its_own_note_and_all_have_room_for_the_longest() -> None:
    notes = Notes.of({"S1": "Few words.", "S2": "So many words. " * 12})
    figure = go.Figure(layout={"annotations": [notes.first()], "height": 500})
    figure.update_layout(margin={"t": 9, "b": 300})
    show_views(figure, {title: {} for title in notes.lines}, notes)
    first, second = (image.figure.layout for image in images_of({"f": figure.to_plotly_json()}))
    assert first.annotations[0].text == "Few words."
    assert [len(line) for line in second.annotations[0].text.split("<br>")] == [137, 41]
    assert first.margin.b == second.margin.b == 300 - 3 * LINE


def test_in_print_no_hyphen_and_no_word_is_torn() -> None:
    lines = wrapped("an empathy-driven answer " * 9)
    assert len(lines) > 4
    layout = {"annotations": [note("<br>".join(lines))], "height": 500}
    layout |= {"margin": {"t": 100, "b": 200}}
    (image,) = images_of({"f": {"data": [], "layout": layout}})
    printed = image.figure.layout.annotations[0].text.replace("<br>", " ")
    assert printed == ("an empathy-driven answer " * 9).strip()


def test_in_print_long_texts_still_take_several_lines() -> None:
    traces = [{"type": "bar", "name": name * 40} for name in "abcd"]
    layout = {"annotations": [note("word<br>" * 59 + "word")], "height": 2000}
    layout |= {"margin": {"t": 100, "b": 1500}, "meta": {"legend_lines": 4}}
    (image,) = images_of({"f": {"data": traces, "layout": layout}})
    lines = image.figure.layout.annotations[0].text.split("<br>")
    assert [len(line) for line in lines] == [139, 139, 19]
    # Two names of 40 letters stand beside each other.
    margin = image.figure.layout.margin
    assert (margin.t, margin.b) == (100 - 2 * LINE, 1500 - 57 * LINE)


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
