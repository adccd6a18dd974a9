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
    sure = {"share_first": 1 / place, "place_ci_low": 1, "place_ci_high": 1 + place}
    observed = {"observed_mean": mean + 0.004, "se": 0.1}
    return {**row, "estimate": mean, "letters": letters, **interval, **sure, **observed, "note": ""}


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


@pytest.mark.parametrize("letters", ["a", "aa", "ab", "aab"])
def test_what_another_model_says_is_told(letters: str, approved: Approval) -> None:
    first = study(*"abc"[: len(letters)])
    other = study(*letters, names=["Bee", "Ant", "Cat"][: len(letters)])
    rows = {
        name: [*first[name], *({**row, "link": "linear"} for row in other[name])] for name in first
    }
    approved(sentences(**rows)[-1])


@pytest.mark.parametrize("letters", [("a", "a", "b"), ("a", "a", "ab")], ids=",".join)
def test_systems_that_share_the_highest_mean(letters: Sequence[str], approved: Approval) -> None:
    approved(*sentences(**study(*letters, means=[4.0, 4.0, 3.0])))


def test_three_systems_that_share_the_first_place(approved: Approval) -> None:
    approved(*sentences(**study("a", "a", "a", means=[4.0, 4.0, 4.0])))


def test_fourteen_systems_are_counted_where_they_are_many(approved: Approval) -> None:
    names = [f"m{number}" for number in range(14)]
    approved(*sentences(**study(*["a"] * 2, *["ab"] * 6, *["b"] * 6, names=names)))


def test_fifty_systems_that_are_all_told_apart(approved: Approval) -> None:
    names = [f"m{number}" for number in range(50)]
    letters = [chr(200 + number) for number in range(50)]
    means = [100.0 - number for number in range(50)]
    approved(*sentences(**study(*letters, names=names, means=means)))


def test_single_system_has_its_level(approved: Approval) -> None:
    scale: dict[str, Any] = {"raters": "included", "dimension": "warmth", "answers": "ratings"}
    scale |= {"scale_from": 1.0, "scale_to": 5.0}
    approved(*sentences(system_groups=[group(1, "Ant", 3.9, "")], design=[scale]))


def test_highest_observed_mean_is_said_where_it_is_of_another_system(approved: Approval) -> None:
    made = study("a", "a", "b")
    made["system_groups"][1]["observed_mean"] = 4.1
    approved(*sentences(**made))


def test_observed_means_that_are_far_from_the_estimated_have_a_reason(approved: Approval) -> None:
    """Though the same system has the highest: as where it was rated by milder raters."""
    made = study("a", "a", "b")
    for row, observed in zip(made["system_groups"], (4.25, 3.9, 3.8), strict=True):
        row["observed_mean"] = observed
    approved(sentences(**made)[-1])


def test_model_that_cannot_be_had_says_why_and_what_was_observed(approved: Approval) -> None:
    row = {**FRONT, "link": "probit", "model": "", "place": None}
    row["note"] = "not estimable, because there is one rater"
    means = [
        {**FRONT, "unit": "scenario", "model": name, "condition": "tuned", "mean": mean}
        for name, mean in (("Ant", 3.2), ("Bee", 3.4))
    ]
    approved(*sentences(system_groups=[row], systems=means))
    approved(*sentences(system_groups=[row], systems=means[:1]))


def test_models_that_cannot_be_had_for_one_reason_say_it_once() -> None:
    row = {
        **FRONT,
        "link": "probit",
        "model": "",
        "place": None,
        "note": "not estimable, because X",
    }
    assert len(sentences(system_groups=[row, row | {"link": "linear"}])) == 1


def test_order_is_of_the_model_that_can_be_had() -> None:
    """The table has why the other cannot."""
    made = study("a", "b", "b")
    why = {**FRONT, "link": "logit", "model": "", "place": None, "note": "not estimable, because X"}
    assert sentences(**made | {"system_groups": [why, *made["system_groups"]]}) == sentences(**made)


def test_verdict_by_the_reference_alone_is_reconciled_with_that_of_all_pairs(
    approved: Approval,
) -> None:
    made = study("a", "ab", "b")
    of = {**FRONT, "link": "probit", "condition": "tuned", "difference": -0.1}
    of |= {"reference_model": "Ant", "reference_condition": "tuned"}
    of |= {"ci_low": -0.2, "ci_high": -0.01}
    beside = [of | {"model": model, "p": 0.02, "p_adjusted": 0.04} for model in ("Bee", "Cat")]
    approved(sentences(**made, reference_contrasts=beside)[1])
    as_pairs = [row | {"p_adjusted": p} for row, p in zip(beside, (0.2, 0.04), strict=True)]
    assert sentences(**made, reference_contrasts=as_pairs) == sentences(**made)


def test_two_conditions_of_one_model_are_left_to_their_contrast() -> None:
    contrast = {**FRONT, "model": "Ant", "scale": "ratings", "link": "probit", "difference": 1.0}
    contrast |= {"condition_a": "plain", "condition_b": "tuned", "limited_by": "ratings"}
    contrast |= {"ci_low": -1.0, "ci_high": 3.0, "p": 0.2}
    made = tables(items=ITEMS, mixed_contrasts=[contrast], **study("a", "b"))
    assert all(finding.title != "The systems" for finding in findings(made, SHIPPED))


def test_order_is_that_of_one_model_where_there_are_several() -> None:
    probit, linear = study("a", "a", "a"), study("a", "b", "c")
    for rows in linear.values():
        for row in rows:
            row["link"] = "linear"
    both = {name: [*probit[name], *linear[name]] for name in probit}
    assert sentences(**both)[:-1] == sentences(**probit), "the other model says the last one"


def test_every_text_of_the_template_is_said(unsaid: Unsaid) -> None:
    assert unsaid("findings/systems.j2") == []
