"""What a page's script says it measured: plausible fields in, anything else left out."""

import json
from typing import Any, NamedTuple

import pytest

from survey.paradata import (
    WRITING,
    WRITING_COUNTS,
    page_text,
    read_device,
    read_page,
    read_writing,
    writing_text,
)


class Shown(NamedTuple):
    id: int
    public_id: str


RESPONSES = [Shown(7, "a1"), Shown(9, "b2")]
SENT = {
    "visible": 61.2504,
    "hidden": 3,
    "unfocused": 4.5,
    "losses": 1,
    "first": 12.5,
    "last": 60.0,
    "changes": 2,
    "responses": {"a1": 20.25, "b2": 0},
}
STORED = {
    "visible_seconds": 61.25,
    "hidden_seconds": 3.0,
    "unfocused_seconds": 4.5,
    "focus_losses": 1,
    "first_answer_seconds": 12.5,
    "last_answer_seconds": 60.0,
    "changes": 2,
    "response_seconds": {"7": 20.25, "9": 0.0},
}


def test_measured_fields_are_those_of_the_presentation() -> None:
    assert read_page(json.dumps(SENT), RESPONSES) == STORED


def test_a_page_carries_what_was_measured_before() -> None:
    text = page_text(STORED, RESPONSES)
    assert read_page(text, RESPONSES) == STORED
    assert json.loads(text)["responses"] == {"a1": 20.25, "b2": 0.0}


def test_a_page_without_measurements_carries_nothing() -> None:
    nothing = dict.fromkeys(STORED)
    assert page_text(nothing, RESPONSES) == ""
    assert read_page("", RESPONSES) == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "7",
        '"x"',
        "{",
        "{}",
        "[" * 3000,
        json.dumps(SENT | {"padding": "x" * 4000}),
        "\x00",
        '{"visible": 1' + "0" * 3000 + "}",
    ],
)
def test_what_is_no_measurement_gives_nothing(text: str) -> None:
    assert read_page(text, RESPONSES) == {}


@pytest.mark.parametrize(
    "value", [-1, "5", None, True, [], {}, float("nan"), float("inf"), 1e300, 10**400]
)
def test_implausible_values_are_left_out_and_the_others_kept(value: Any) -> None:
    for key, field in [
        ("visible", "visible_seconds"),
        ("unfocused", "unfocused_seconds"),
        ("losses", "focus_losses"),
        ("changes", "changes"),
    ]:
        kept = {name: stored for name, stored in STORED.items() if name != field}
        assert read_page(json.dumps(SENT | {key: value}), RESPONSES) == kept
    times = SENT | {"responses": {"a1": value, "b2": 1, "c3": 5}}
    expected = STORED | {"response_seconds": {"9": 1.0}}
    assert read_page(json.dumps(times), RESPONSES) == expected


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"hidden": 31 * 86400}, "hidden_seconds"),
        ({"changes": 2.5}, "changes"),
        ({"losses": 100_001}, "focus_losses"),
    ],
)
def test_time_is_bounded_and_changes_are_counted(sent: dict[str, Any], field: str) -> None:
    assert field not in read_page(json.dumps(SENT | sent), RESPONSES)


def test_device_is_a_class_and_a_viewport() -> None:
    text = '{"device": "phone", "width": 360, "height": 740, "agent": "Mozilla"}'
    assert read_device(text) == {
        "device": "phone",
        "viewport_width": 360,
        "viewport_height": 740,
    }


@pytest.mark.parametrize("text", ["", "{}", '{"device": "toaster"}', '{"device": ["phone"]}'])
def test_unknown_device_is_not_stored(text: str) -> None:
    assert read_device(text) == {}


def test_implausible_viewport_is_left_out() -> None:
    text = '{"device": "desktop", "width": 1e9, "height": "tall"}'
    expected = {"device": "desktop", "viewport_width": None, "viewport_height": None}
    assert read_device(text) == expected


WRITTEN: dict[str, float] = {name: number for number, name in enumerate(WRITING_COUNTS, start=1)}
WRITTEN |= {"focus_seconds": 80.25, "typing_seconds": 40.5, "away_seconds": 12.0}


def test_how_an_answer_was_written_goes_to_the_page_and_back() -> None:
    assert read_writing(json.dumps(WRITTEN)) == WRITTEN
    assert read_writing(writing_text(WRITTEN)) == WRITTEN
    assert writing_text(dict.fromkeys(WRITING)) == ""
    assert read_writing("") == {}


@pytest.mark.parametrize(
    "value", [-1, "5", None, True, [], {}, float("nan"), float("inf"), 1e300, 10**400, 2.5]
)
def test_forged_counts_are_unknown_and_the_others_kept(value: Any) -> None:
    expected = WRITTEN | {"pasted_characters": None}
    assert read_writing(json.dumps(WRITTEN | {"pasted_characters": value})) == expected


@pytest.mark.parametrize("text", ["null", "[]", "{", "{}", '{"text": "secret"}', "[" * 3000])
def test_what_is_no_record_of_writing_gives_nothing(text: str) -> None:
    assert read_writing(text) == {}


def test_a_text_sent_with_the_counts_is_not_read() -> None:
    assert "text" not in read_writing(json.dumps(WRITTEN | {"text": "what was pasted"}))
