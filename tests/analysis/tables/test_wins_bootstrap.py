"""Raters drawn anew, in whole numbers and at once: the same as the whole pipeline, time by time."""

import random
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from pandas import DataFrame

from analysis.not_available import NotAvailable
from analysis.pipeline import StudyData, analyse
from analysis.quality_rules import QualityRules
from analysis.recipe import Bootstrap, WinRules
from analysis.study_data import ITEM, CheckedData, Contrast, check
from analysis.tables.win_counts import Outcomes
from analysis.tables.wins_bootstrap import Comparisons, comparisons

pytestmark = pytest.mark.slow

CONTRAST = Contrast("base", "tuned", ("Owl", "reference"))
SYSTEMS = [
    ("1", "Ant", "base"), ("1", "Ant", "tuned"), ("1", "Owl", "reference"),
    ("2", "Bee", "base"), ("2", "Bee", "tuned"), ("2", "Owl", "reference"),
]  # fmt: skip
BOOTSTRAP = Bootstrap(resamples=200, seed=7)
RULES = QualityRules(order=["attention", "sigma_mae"])
WINNERS = {"a": 1, "tie": 0, "b": -1}


def study(seed: int = 3) -> StudyData:
    """Nine who took part, a third of whose ratings are missing: one failed a check, one is flat
    and far from the gold scores, and one is still at it.
    """
    draw = random.Random(seed)
    people = DataFrame(
        [(f"p{n}", "completed", 1500.0, int(n == 2), n == 8) for n in range(9)],
        columns=["participant", "status", "duration_seconds", "attention_checks_failed", "active"],
    )
    people.loc[8, "status"] = "in_progress"
    rows = [
        (f"p{n}", scenario, *system, "warmth", 1 if n == 5 else draw.randint(2, 4))
        for n, scenario, system in product(range(9), ("S1", "S2"), SYSTEMS)
        if draw.random() < 2 / 3
    ]
    gold = [(s, *system, "warmth", 3.0) for s, system in product(("S1", "S2"), SYSTEMS)]
    return StudyData(
        people,
        DataFrame(rows, columns=["participant", *ITEM, "rating"]),
        DataFrame(gold, columns=[*ITEM, "gold"]),
        CONTRAST,
        ["S1", "S2"],
        ["Ant", "Bee", "Owl"],
        [(1, "not"), (5, "very")],
    )


def those_who_count(data: StudyData, checked: CheckedData) -> DataFrame:
    raters = analyse(data, RULES).tables["raters"]
    names = raters.loc[raters["included"], "participant"]
    return checked.ratings[checked.ratings["participant"].isin(names)]


def compared(data: StudyData, wins: WinRules | None = None) -> Comparisons:
    checked = check(data)
    people = checked.consented
    names = people.loc[~people["active"], "participant"]
    ratings = those_who_count(data, checked)
    return comparisons(ratings, names, checked.known, data.contrast, wins or WinRules())


def drawn_again(data: StudyData, names: list[str]) -> StudyData:
    """The study as if these raters had taken part, each drawn one somebody else."""
    people, ratings = (
        pd.concat(
            frame[frame["participant"] == name].assign(participant=f"{at} {name}")
            for at, name in enumerate(names)
        )
        for frame in (data.participants, data.ratings)
    )
    return replace(data, participants=people, ratings=ratings)


def column(outcomes: Outcomes, at: int) -> list[tuple[int | None, int | None]]:
    """Who won each comparison of a resample, and the points; None where there is nothing to say."""
    return [
        (
            int(outcomes.higher[row, at]) if outcomes.compared[row, at] else None,
            int(outcomes.points[row, at]) if outcomes.has_points[row, at] else None,
        )
        for row in range(len(outcomes.higher))
    ]


def by_the_pipeline(data: StudyData) -> list[tuple[int | None, int | None]]:
    """The same from the analysis itself: filter, items, wins."""
    table = analyse(data, RULES).tables["wins"]
    points = [None if pd.isna(p) else int(p) for p in table["reference_points"]]
    return [(WINNERS.get(w), p) for w, p in zip(table["winner"], points, strict=True)]


def test_comparisons_of_the_data_are_those_of_the_table_of_wins() -> None:
    found = compared(study())
    assert column(found.observed(), 0) == by_the_pipeline(study())
    assert found.keys.astype("str").to_numpy().tolist() == [
        ["Ant", "S1", "warmth"], ["Ant", "S2", "warmth"],
        ["Bee", "S1", "warmth"], ["Bee", "S2", "warmth"],
    ]  # fmt: skip


def test_each_resample_is_what_the_whole_pipeline_makes_of_the_raters_drawn() -> None:
    data = study()
    found = compared(data).resampled(BOOTSTRAP)
    names = [f"p{n}" for n in range(8)]  # p8 is still at it
    draws = np.random.default_rng(BOOTSTRAP.seed).integers(8, size=(BOOTSTRAP.resamples, 8))
    pipeline = [
        by_the_pipeline(drawn_again(data, [names[n] for n in draw])) for draw in draws[5:14]
    ]
    assert [column(found, at) for at in range(5, 14)] == pipeline
    winners = {winner for resample in pipeline for winner, _ in resample}
    assert winners == {1, 0, -1, None}  # the example has them all


def test_draws_do_not_depend_on_how_many_are_made_at_once() -> None:
    study_ = compared(study())
    whole = study_.resampled(BOOTSTRAP)
    for at_once in (1, 7, 199):
        parts = study_.resampled(BOOTSTRAP, at_once=at_once)
        assert_array_equal(parts.higher, whole.higher)
        assert_array_equal(parts.points, whole.points)
        assert_array_equal(parts.compared, whole.compared)


def test_draws_do_not_depend_on_the_order_of_rows() -> None:
    data = study()
    shuffled = replace(
        data,
        participants=data.participants.sample(frac=1, random_state=1),
        ratings=data.ratings.sample(frac=1, random_state=1),
    )
    assert_array_equal(
        compared(data).resampled(BOOTSTRAP).higher, compared(shuffled).resampled(BOOTSTRAP).higher
    )


def test_other_seed_draws_others() -> None:
    study_ = compared(study())
    one, other = (study_.resampled(Bootstrap(resamples=200, seed=seed)) for seed in (1, 2))
    assert (one.higher != other.higher).any()


def test_number_of_raters_who_count_varies_with_the_draw() -> None:
    # One of two is excluded: a quarter of the draws is twice the other one, and none counts.
    data = study()
    two = replace(
        data,
        participants=data.participants[data.participants["participant"].isin(["p1", "p2"])],
        ratings=data.ratings[data.ratings["participant"].isin(["p1", "p2"])],
    )
    counted = compared(two).resampled(Bootstrap(resamples=4000, seed=1)).compared.any(axis=0)
    assert 1 - counted.mean() == pytest.approx(0.25, abs=0.03)


def by_hand(reference: dict[str, int], wins: WinRules) -> list[tuple[int | None, int | None]]:
    """One rater; a is rated 3 and b 4 in set 1, and the reference as given in each set."""
    rows = [
        ("p", "S1", "1", "Ant", "base", "warmth", 3),
        ("p", "S1", "1", "Ant", "tuned", "warmth", 4),
    ]
    rows += [("p", "S1", name, "Owl", "reference", "warmth", r) for name, r in reference.items()]
    table = DataFrame(rows, columns=["participant", *ITEM, "rating"])
    found = comparisons(table, pd.Series(["p"]), table[ITEM], CONTRAST, wins)
    return column(found.observed(), 0)


def test_reference_is_that_of_the_models_set_or_of_all_as_the_recipe_says() -> None:
    # 5 in its own set is above both; (5 + 2) / 2 = 3.5 over all sets is above a alone.
    assert by_hand({"1": 5, "2": 2}, WinRules(reference="own_set")) == [(-1, 2)]
    assert by_hand({"1": 5, "2": 2}, WinRules(reference="pooled")) == [(-1, 1)]
    # In the own set there is none.
    assert by_hand({"2": 5}, WinRules(reference="own_set")) == [(-1, None)]
    assert by_hand({"2": 5}, WinRules(reference="pooled")) == [(-1, 2)]


def test_equal_means_of_unequal_numbers_are_a_tie() -> None:
    # 148/49 = 296/98, which sums of quotients miss.
    a, b = [4] + [3] * 48, [4, 4] + [3] * 96
    rows = [
        (f"p{n}", "S1", "1", "Ant", condition, "warmth", rating)
        for condition, ratings in (("base", a), ("tuned", b))
        for n, rating in enumerate(ratings)
    ]
    table = DataFrame(rows, columns=["participant", *ITEM, "rating"])
    names = table["participant"].drop_duplicates()
    found = comparisons(table, names, table[ITEM].drop_duplicates(), CONTRAST, WinRules())
    assert column(found.observed(), 0) == [(0, None)]


def test_ratings_of_somebody_who_is_not_drawn_from_are_refused() -> None:
    checked = check(study())
    with pytest.raises(ValueError, match="ratings of 'p0', who is not among those drawn from"):
        comparisons(checked.ratings, pd.Series(["p1"]), checked.known, CONTRAST, WinRules())


def test_study_without_a_contrast_has_no_comparisons() -> None:
    with pytest.raises(NotAvailable, match="no two conditions"):
        compared(replace(study(), contrast=Contrast(None, None, None)))
    with pytest.raises(NotAvailable, match="no response is in either compared condition"):
        compared(replace(study(), contrast=Contrast("x", "y", None)))
