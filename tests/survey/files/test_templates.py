"""Templates of researchers name places; nothing else between braces is carried out."""

import re

import pytest

from survey.files.templates import LONGEST, MOST_PLACES, filled, pieces_of


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{prompt}", "Hello"),
        ("Person: {prompt}\n", "Person: Hello\n"),
        ("{{{prompt}}}, {{not}} {prompt}", "{Hello}, {not} Hello"),
        ("no place", "no place"),
        ("", ""),
        ("{问题}", "Ni hao"),
    ],
)
def test_places_are_filled_and_doubled_braces_are_braces(template: str, said: str) -> None:
    assert filled(template, {"prompt": "Hello", "问题": "Ni hao"}) == said


def test_what_a_place_gets_is_not_read_again() -> None:
    assert filled("{a}{b}", {"a": "{b}", "b": "}}"}) == "{b}}}"


@pytest.mark.parametrize(
    "between",
    [
        *("prompt:>100000000", "prompt:d", "prompt!z", "prompt!r", "prompt.__class__", "prompt[0]"),
        *("0", "", " prompt ", "prompt:{width}", "a b", "*", "prompt:"),
    ],
)
def test_only_names_stand_between_braces(between: str) -> None:
    with pytest.raises(ValueError, match=r"only a name can stand in braces|without its partner"):
        pieces_of(f"Say {{{between}}}")


@pytest.mark.parametrize("text", ["{", "}", "{ {prompt}", "{prompt}}", "a } b"])
def test_a_lone_brace_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape("write {{ or }} for a brace itself")):
        pieces_of(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x" * (LONGEST + 1), f"has more than {LONGEST:,} characters"),
        ("{a}" * (MOST_PLACES + 1), f"has more than {MOST_PLACES} places in braces"),
    ],
)
def test_a_template_that_would_make_much_of_little_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}$"):
        pieces_of(text)
