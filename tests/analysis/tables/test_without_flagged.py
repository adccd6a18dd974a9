"""Results of all included raters, beside those without the flagged ones."""

import itertools

import pytest
from pandas import DataFrame

from analysis.not_available import NotAvailable
from analysis.recipe import shipped_recipes
from analysis.study_data import ITEM, Contrast, records
from analysis.tables.contrasts import contrasts
from analysis.tables.without_flagged import without_flagged

SOUND = shipped_recipes()["sound"]
CONTRAST = Contrast("plain", "tuned", None)
#: Each rater's ratings of the plain and of the tuned response, in both scenarios.
GIVEN = {"p1": (1, 3), "p2": (2, 3), "p3": (1, 4), "p4": (5, 1), "p5": (4, 1)}
FLAGGED = frozenset(["p4", "p5", "somebody without ratings"])


def ratings(models: int = 1, dimension: str = "warmth") -> DataFrame:
    rows = [
        (rater, scenario, "1", f"m{model}", condition, dimension, rating + (scenario == "S2"))
        for rater, both in GIVEN.items()
        for scenario, model in itertools.product(("S1", "S2"), range(models))
        for condition, rating in zip(("plain", "tuned"), both, strict=True)
    ]
    table = DataFrame(rows, columns=["participant", *ITEM, "rating"])
    return table.astype(dict.fromkeys(ITEM, "category"))


def compared(
    data: DataFrame, contrast: Contrast = CONTRAST, flagged: frozenset[str] = FLAGGED
) -> list[dict[str, object]]:
    known = data[ITEM].drop_duplicates()
    return records(without_flagged(data, known, contrast, SOUND, flagged))


def test_difference_and_means_stand_beside_those_without_the_flagged() -> None:
    difference, plain, tuned = compared(ratings())
    assert (difference["result"], difference["n"], difference["n_unflagged"]) == (
        "difference", 5, 3,
    )  # fmt: skip
    assert difference["value"] == pytest.approx((-2 - 1 - 3 + 4 + 3) / 5)
    assert difference["unflagged"] == pytest.approx(-2)
    assert difference["change"] == pytest.approx(-2 - 0.2)
    assert (plain["result"], plain["condition"]) == ("mean", "plain")
    assert plain["value"] == pytest.approx(13 / 5 + 0.5)
    assert plain["unflagged"] == pytest.approx(4 / 3 + 0.5)
    assert tuned["unflagged"] == pytest.approx(10 / 3 + 0.5)


def test_numbers_are_those_of_the_usual_tables_of_these_raters() -> None:
    data = ratings(models=2)
    kept = data[~data["participant"].isin(FLAGGED)]
    table = contrasts(kept, CONTRAST, SOUND, raters="included")
    of_all = table[(table["model"] == "all") & (table["generalises_to"] == "raters")].iloc[0]
    difference, *means = compared(data)
    assert difference["model"] == "all"
    assert [difference[f"unflagged{end}"] for end in ("", "_low", "_high")] == [
        of_all[name] for name in ("difference", "ci_low", "ci_high")
    ]
    assert len(means) == 4


def test_study_without_two_conditions_has_means_alone() -> None:
    rows = compared(ratings(), Contrast(None, None, None))
    assert [row["result"] for row in rows] == ["mean", "mean"]


def test_nobody_flagged_changes_nothing_and_everybody_flagged_leaves_nothing() -> None:
    assert {row["change"] for row in compared(ratings(), flagged=frozenset())} == {0.0}
    with pytest.raises(NotAvailable, match="the writing of every included rater is flagged"):
        compared(ratings(), flagged=frozenset(GIVEN))


def test_system_that_only_flagged_raters_saw_says_so() -> None:
    data = ratings(models=2)
    data = data[(data["model"] == "m0") | data["participant"].isin(FLAGGED)]
    lost = [row for row in compared(data) if row["model"] == "m1" and row["result"] == "mean"]
    assert [row["n_unflagged"] for row in lost] == [0, 0]
    assert all("not estimable, because there are no ratings" in str(row["note"]) for row in lost)
