"""The radio buttons of a question."""

from bs4 import BeautifulSoup, Tag

from survey.templatetags.points import points

WARMTH = ((1, "Not at all"), (2, "<Somewhat>"), (3, "Very"))


def scale(html: str) -> Tag:
    found = BeautifulSoup(html, "html.parser").div
    assert found is not None
    return found


def test_every_point_has_its_label_and_none_is_chosen() -> None:
    drawn = scale(points("r-a1-warmth", WARMTH, None))
    assert drawn["class"] == ["scale", "points-3"]
    assert [label.get_text() for label in drawn.select("label")] == [
        "Not at all",
        "<Somewhat>",
        "Very",
    ]
    assert [(i["id"], i["name"], i["value"]) for i in drawn.select("input[type=radio]")] == [
        (f"r-a1-warmth-{value}", "r-a1-warmth", str(value)) for value in (1, 2, 3)
    ]
    assert drawn.select("[checked], [aria-describedby]") == []


def test_what_was_chosen_is_on_whoever_asked_before() -> None:
    for chosen in (None, 3, 1, None):
        drawn = scale(points("r-a1-warmth", WARMTH, chosen))
        on = [radio["value"] for radio in drawn.select("[checked]")]
        assert on == ([] if chosen is None else [str(chosen)])


def test_radio_buttons_of_a_wrong_answer_name_its_error() -> None:
    drawn = scale(points("check", WARMTH, None, wrong=True))
    described = [radio["aria-describedby"] for radio in drawn.select("input")]
    assert described == ["check-error"] * 3


def test_short_labels_stand_beside_one_another_however_many() -> None:
    eleven = tuple((value, str(value)) for value in range(11))
    assert scale(points("r-a1-warmth", eleven, None))["class"] == ["scale", "short"]
