"""What is said of the order of the systems: two, several and many; ties; all or none told apart."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest

from analysis.text.findings import findings
from tests.analysis.text.conftest import Unsaid
from tests.analysis.written import FRONT, ITEMS, SHIPPED, about, said, tables
from tests.approved import Approval

System = tuple[str, str]


def group(place: int, name: str, mean: float, letters: str) -> dict[str, Any]:
    interval = {"ci_low": mean - 0.2, "ci_high": mean + 0.2}
    row = {**FRONT, "link": "probit", "model": name, "condition": "tuned", "place": place}
    return {**row, "estimate": mean, "letters": letters, **interval, "note": ""}


def study(*letters: str, means: Sequence[float] = (), names: Sequence[str] = ()) -> dict[str, Any]:
    """Systems with these letters, the highest mean first, and their pairs."""
    means = means or [4 - 0.1 * at for at in range(len(letters))]
    names = names or ["Ant", "Bee", "Cat", "Dog"][: len(letters)]
    places = [1 + sum(other > mean for other in means) for mean in means]
    groups = [group(*each) for each in zip(places, names, means, letters, strict=True)]
    pairs = [
        {**FRONT, "link": "probit", "model_a": a["model"], "condition_a": "tuned"}
        | {
            "model_b": b["model"],
            "condition_b": "tuned",
            "difference": a["estimate"] - b["estimate"],
        }
        | {"ci_low": -0.1, "ci_high": 0.3, "p": 0.2, "p_adjusted": 0.3}
        | {"told_apart": not set(a["letters"]) & set(b["letters"])}
        for a, b in combinations(groups, 2)
    ]
    return {"system_groups": groups, "system_pairs": pairs}


def first(*places: tuple[str, int, float, int, int], unit: str = "both") -> list[dict[str, Any]]:
    return [
        {**FRONT, "unit": unit, "model": name, "condition": "tuned", "place": place}
        | {"share_first": share, "place_ci_low": low, "place_ci_high": high}
        for name, place, share, low, high in places
    ]


def sentences(**rows: list[dict[str, Any]]) -> list[str]:
    found = findings(tables(items=ITEMS, **rows), SHIPPED)
    return said(about(found, "The systems").sound)


@pytest.mark.parametrize("letters", [("a", "b"), ("a", "a")])
def test_two_systems(letters: tuple[str, str], approved: Approval) -> None:
    approved(*sentences(**study(*letters)))


@pytest.mark.parametrize(
    "letters",
    [("a", "a", "a", "a"), ("a", "b", "c", "d"), ("a", "ab", "b", "c"), ("a", "b", "bc", "c")],
    ids=",".join,
)
def test_several_systems(letters: Sequence[str], approved: Approval) -> None:
    approved(*sentences(**study(*letters)))


@pytest.mark.parametrize("letters", [("a", "a", "b"), ("a", "a", "ab")], ids=",".join)
def test_systems_that_share_the_highest_mean(letters: Sequence[str], approved: Approval) -> None:
    approved(*sentences(**study(*letters, means=[4.0, 4.0, 3.0])))


def test_fourteen_systems_are_counted_where_they_are_many(approved: Approval) -> None:
    names = [f"m{number}" for number in range(14)]
    approved(*sentences(**study(*["a"] * 2, *["ab"] * 6, *["b"] * 6, names=names)))


def test_fifty_systems_that_are_all_told_apart(approved: Approval) -> None:
    names = [f"m{number}" for number in range(50)]
    letters = [chr(200 + number) for number in range(50)]
    means = [100.0 - number for number in range(50)]
    approved(*sentences(**study(*letters, names=names, means=means)))


def test_first_place_comes_with_how_sure_it_is(approved: Approval) -> None:
    for unit in ("both", "participant", "scenario"):
        rows = first(("Ant", 1, 0.62, 1, 3), ("Bee", 2, 0.38, 1, 3), unit=unit)
        approved(*sentences(system_order=rows))
    approved(*sentences(system_order=first(("Ant", 1, 1.0, 1, 1), ("Bee", 2, 0.0, 2, 2))))
    tied = first(("Ant", 1, 0.5, 1, 2), ("Bee", 1, 0.5, 1, 2))
    approved(*sentences(system_order=tied))
    three = first(*((name, 1, 1 / 3, 1, 3) for name in ("Ant", "Bee", "Cat")))
    approved(*sentences(system_order=three))


def test_model_that_cannot_be_had_says_why_and_the_order_remains(approved: Approval) -> None:
    row = {**FRONT, "link": "probit", "model": "", "place": None}
    row["note"] = "not estimable, because there is one rater"
    order = first(("Ant", 1, 0.9, 1, 2), unit="scenario")
    approved(*sentences(system_groups=[row], system_order=order))


def test_two_conditions_of_one_model_are_left_to_their_contrast() -> None:
    contrast = {**FRONT, "model": "Ant", "scale": "ratings", "difference": 1.0, "p": 0.2}
    made = tables(items=ITEMS, mixed_contrasts=[contrast], **study("a", "b"))
    assert all(finding.title != "The systems" for finding in findings(made, SHIPPED))


def test_order_is_that_of_one_model_where_there_are_several() -> None:
    probit, linear = study("a", "a", "a"), study("a", "b", "c")
    for rows in linear.values():
        for row in rows:
            row["link"] = "linear"
    both = {name: [*probit[name], *linear[name]] for name in probit}
    assert sentences(**both) == sentences(**probit)


def test_every_text_of_the_template_is_said(unsaid: Unsaid) -> None:
    assert unsaid("findings/systems.j2") == []
