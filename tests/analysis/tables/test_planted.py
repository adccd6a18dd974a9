"""What was planted in simulated raters beside what an analysis says of it."""

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import pytest
from pandas import DataFrame

from analysis.not_available import NotAvailable
from analysis.recipe import Recipe, shipped_recipes
from analysis.rehearsal import Rehearsal, expected_rating
from analysis.tables.planted import planted
from survey.simulated.answers import rating_at
from survey.simulated.content import BlockTexts, Content, Text
from survey.simulated.plan import SimulatedRater
from survey.simulated.profile import Behaviour, SimulationProfile
from tests.factories import study_definition

SOUND: Recipe = shipped_recipes()["sound"]
CONTRAST = ("plain", "tuned")
CAREFUL, SPEEDER = Behaviour.CAREFUL, Behaviour.SPEEDER
NO_SPREAD = {"rater_sd": 0.0, "item_sd": 0.0, "residual_sd": 0.0}
ALL_INCLUDED = DataFrame({"participant": ["ann", "ben", "cat"], "exclusion": ["", "", ""]})
PEOPLE = DataFrame({"participant": ["ann", "ben", "cat"], "age": ["70", "65", "30"]})


def content(*models: str) -> Content:
    texts = [Text(model, side, f"{model} {side}") for model in models for side in CONTRAST]
    definition = study_definition(sets={"1": models}, reference=None, conditions=CONTRAST)
    return Content(definition, 1, (BlockTexts("S1", "1", "Prompt", tuple(texts)),))


def rehearsal(
    *behaviours: Behaviour,
    models: Sequence[str] = ("Ant",),
    ages: Sequence[str] = (),
    **effects: Any,
) -> Rehearsal:
    profile = SimulationProfile.model_validate({"effects": NO_SPREAD | effects})
    given = [*ages, *[""] * len(behaviours)]
    raters = {
        name: SimulatedRater(behaviour, {"age": [age]} if age else {}, profile)
        for name, behaviour, age in zip(["ann", "ben", "cat"], behaviours, given, strict=False)
    }
    return Rehearsal(content(*models), raters)


def contrasts(*rows: tuple[str, float, float]) -> DataFrame:
    """Models with their estimates and p."""
    cells = [
        (
            "sound",
            "included",
            model,
            "warmth",
            "ratings",
            estimate,
            p,
            p,
            estimate - 1,
            estimate + 1,
        )
        for model, estimate, p in rows
    ]
    columns = ["recipe", "raters", "model", "dimension", "scale", "difference", "p", "p_adjusted"]
    return DataFrame(cells, columns=[*columns, "ci_low", "ci_high"])


def rows_of(of: Rehearsal, people: DataFrame = PEOPLE, **tables: DataFrame) -> list[dict[str, Any]]:
    made = planted(of, {"raters": ALL_INCLUDED} | tables, people, CONTRAST, SOUND)
    return [{str(k): v for k, v in row.items()} for row in made.to_dict("records")]


def found(of: Rehearsal, effect: str, **tables: DataFrame) -> list[tuple[str, float, str]]:
    return [
        (row["model"] or row["of"], round(row["planted"], 3), row["found"])
        for row in rows_of(of, **tables)
        if row["effect"] == effect
    ]


# ── What is expected ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("place", [-0.5, 0.0, 0.1, 0.5, 0.55, 0.99, 1.4])
def test_expected_rating_without_spread_is_the_rating(place: float) -> None:
    assert expected_rating(place, 0.0, [1, 2, 3, 4, 5]) == rating_at(place, [1, 2, 3, 4, 5])


def test_expected_rating_is_the_mean_of_many_ratings() -> None:
    values, n = [1, 2, 3, 5], 20_000
    quantiles = [(i + 0.5) / n for i in range(n)]
    draws = [NormalDist(0.6, 0.3).inv_cdf(q) for q in quantiles]
    mean = sum(rating_at(draw, values) for draw in draws) / n
    assert expected_rating(0.6, 0.3, values) == pytest.approx(mean, abs=1e-3)


def test_expected_rating_of_a_study_without_ratings_is_the_position() -> None:
    assert expected_rating(0.7, 0.2, []) == 0.7


# ── What is found ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("tuned", "estimate", "p", "says"),
    [
        (0.2, -0.9, 0.01, "found"),
        (0.2, -0.9, 0.2, "missed"),
        (0.2, 0.9, 0.01, "reversed"),
        (0.0, 0.9, 0.01, "false alarm"),
        (0.0, 0.1, 0.6, "nothing there"),
        (0.2, -0.9, float("nan"), "not tested"),
    ],
)
def test_difference_of_the_conditions_is_held_against_its_test(
    tuned: float, estimate: float, p: float, says: str
) -> None:
    of = rehearsal(CAREFUL, conditions={"tuned": tuned})
    tables = {"mixed_contrasts": contrasts(("Ant", estimate, p))}
    difference = -1.0 if tuned else 0.0
    assert found(of, "contrast", **tables) == [("Ant", difference, says)]


def test_difference_over_all_models_is_the_mean_of_theirs() -> None:
    shift = [{"model": "Ant", "condition": "tuned", "shift": 0.2}]
    of = rehearsal(CAREFUL, models=["Ant", "Bee"], systems=shift)
    tables = {"mixed_contrasts": contrasts(("Ant", -1, 0.01), ("Bee", 0, 0.9), ("all", -0.5, 0.3))}
    assert found(of, "contrast", **tables) == [
        ("all", -0.5, "missed"), ("Ant", -1.0, "found"), ("Bee", 0.0, "nothing there")
    ]  # fmt: skip


def test_difference_without_a_mixed_model_is_that_of_raters_and_scenarios() -> None:
    table = contrasts(("Ant", -1, 0.01)).assign(generalises_to="both")
    [row] = [
        row
        for row in rows_of(rehearsal(CAREFUL, conditions={"tuned": 0.2}), contrasts=table)
        if row["effect"] == "contrast"
    ]
    assert (row["source"], row["found"], row["ci_low"]) == ("contrasts", "found", -2)


def test_difference_of_groups_is_by_the_answers_of_the_raters() -> None:
    group = {"question": "age", "at_least": 60.0, "shift": 0.2}
    of = rehearsal(CAREFUL, CAREFUL, CAREFUL, ages=["70", "65", "30"], groups=[group])
    of_row = {"recipe": "sound", "raters": "included", "factor": "age", "test": "welch"}
    of_row |= {"model": "Ant", "dimension": "warmth", "condition": "all", "scenario": "all"}
    test = DataFrame([of_row | {"mean_a": 4.1, "mean_b": 3.2, "p": 0.02, "p_adjusted": 0.04}])
    [row] = [row for row in rows_of(of, group_tests=test) if row["effect"] == "group"]
    assert (row["of"], row["planted"], row["found"]) == ("age", pytest.approx(1.0), "found")
    assert row["estimate"] == pytest.approx(0.9) and row["p"] == 0.04


def test_order_of_the_systems_is_counted_by_pairs() -> None:
    of = rehearsal(CAREFUL, models=["Ant", "Bee"], conditions={"tuned": 0.2})
    columns = ["recipe", "raters", "unit", "dimension", "model", "condition", "mean"]
    systems = [("Ant", "plain"), ("Ant", "tuned"), ("Bee", "plain"), ("Bee", "tuned")]
    rows = [
        ("sound", "included", "participant", "warmth", *system, mean)
        for system, mean in zip(systems, [3.0, 3.5, 3.2, 3.1], strict=True)
    ]
    [row] = [
        row
        for row in rows_of(of, systems=DataFrame(rows, columns=columns))
        if row["effect"] == "order"
    ]
    assert (row["planted"], row["estimate"], row["found"]) == (4, 3, "in part")


def test_careless_raters_are_found_if_the_rules_exclude_them() -> None:
    raters = ALL_INCLUDED.assign(exclusion=["duration", "", "attention"])
    of = rehearsal(SPEEDER, SPEEDER, CAREFUL)
    assert found(of, "careless", raters=raters) == [
        ("speeder", 2, "in part"), ("careful", 0, "false alarm")
    ]  # fmt: skip


def test_raters_of_whom_nothing_is_recorded_are_told() -> None:
    with pytest.raises(NotAvailable, match="no profile is recorded for the simulated raters"):
        rows_of(rehearsal())


def test_raters_of_different_profiles_are_told() -> None:
    one, other = (rehearsal(CAREFUL, CAREFUL, centre=centre) for centre in (0.4, 0.6))
    raters = {"ann": one.raters["ann"], "ben": other.raters["ben"]}
    with pytest.raises(NotAvailable, match="come from 2 profiles with different effects"):
        rows_of(Rehearsal(one.content, raters))
