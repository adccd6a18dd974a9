"""The main results under each variant of the rules, beside those in force."""

import itertools
import random

import pandas as pd
import pytest
from pandas import DataFrame
from pandas.testing import assert_frame_equal

from analysis.not_available import NotAvailable
from analysis.quality_rules import QualityRules, SigmaMae
from analysis.recipe import Recipe, shipped_recipes
from analysis.study_data import ITEM, Contrast
from analysis.tables.contrasts import contrasts
from analysis.tables.items import items, rating_counts
from analysis.tables.mixed_models import mixed_models
from analysis.tables.sensitivity import SENSITIVITY, WITHOUT_FLAGGED, sensitivity, variants
from analysis.tables.wins import wins, wins_summary

pytestmark = pytest.mark.slow

PAPER, SOUND = shipped_recipes().values()
CONTRAST = Contrast("plain", "tuned", ("Owl", "reference"))
SYSTEMS = [
    ("1", "Ant", "plain"), ("1", "Ant", "tuned"), ("1", "Owl", "reference"),
    ("2", "Bee", "plain"), ("2", "Bee", "tuned"), ("2", "Owl", "reference"),
]  # fmt: skip
SCENARIOS = ["S1", "S2", "S3", "S4"]
RULES = QualityRules(order=["duration", "attention", "sigma_mae"])


def people(raters: int = 24) -> DataFrame:
    """p00 and p01 were too quick, p01, p02 and p03 missed a check."""
    rows = [
        (f"p{n:02}", "completed", 300.0 if n < 2 else 1500.0, float(n in (1, 2, 3)), False)
        for n in range(raters)
    ]
    return DataFrame(
        rows,
        columns=["participant", "status", "duration_seconds", "attention_checks_failed", "active"],
    )


def ratings(raters: int = 24, *, tuning: int = 0, dimension: str = "warmth") -> DataFrame:
    """Raters and responses differ. p04 to p06 give the same rating everywhere; gold is 3."""
    draw = random.Random(5)
    lenient = [draw.choice([0, 0, 1]) for _ in range(raters)]
    good = {key: draw.choice([0, 0, 1]) for key in itertools.product(SCENARIOS, SYSTEMS)}
    rows = []
    for n, scenario, system in itertools.product(range(raters), SCENARIOS, SYSTEMS):
        better = lenient[n] + good[scenario, system] + tuning * (system[2] == "tuned")
        rating = 5 if n in (4, 5, 6) else draw.randint(1, 3) + better
        rows.append((f"p{n:02}", scenario, *system, dimension, rating, 3.0))
    table = DataFrame(rows, columns=["participant", *ITEM, "rating", "gold"])
    return table.astype(dict.fromkeys(ITEM, "category"))


def table(
    data: DataFrame | None = None,
    *,
    rules: QualityRules = RULES,
    recipe: Recipe = SOUND,
    who: DataFrame | None = None,
    contrast: Contrast = CONTRAST,
    refitted_up_to: int = 1000,
) -> DataFrame:
    data = ratings() if data is None else data
    known = data[[*ITEM, "gold"]].drop_duplicates(ITEM).sort_values(ITEM)
    who = people() if who is None else who
    return sensitivity(data, who, known, contrast, rules, recipe, refitted_up_to=refitted_up_to)


def row(found: DataFrame, variant: str) -> "pd.Series":
    (only,) = (each for _, each in found[found["variant"] == variant].iterrows())
    return only


@pytest.fixture(scope="module")
def usual() -> DataFrame:
    return table()


def test_each_rule_stands_alone_and_is_left_out(usual: DataFrame) -> None:
    assert dict(zip(usual["variant"], usual["n_raters"], strict=True)) == {
        "rules in force": 24 - 7,
        "no rule": 24,
        "duration alone": 22,
        "attention alone": 21,
        "sigma_mae alone": 21,
        "all but duration": 18,  # of the quick ones, p01 missed a check, too
        "all but attention": 19,
        "all but sigma_mae": 20,
        "sigma over ratings, ddof 0": 17,
        "sigma over blocks, ddof 1": 12,  # the means of three ratings vary less
        "sigma over blocks, ddof 0": 12,
    }
    assert list(usual["n_ratings"]) == list(24 * usual["n_raters"])
    in_force = usual["n_raters"].iloc[0]
    assert list(usual["same_raters"]) == list(usual["n_raters"] == in_force)


def test_flagged_raters_are_left_out_of_the_rules_in_force_in_a_row_of_their_own() -> None:
    who = people().assign(flagged=lambda all_: all_["participant"].isin(["p00", "p07", "p08"]))
    found = table(who=who)
    left = row(found, WITHOUT_FLAGGED)
    assert (found["variant"].iloc[-1], left["n_raters"]) == (WITHOUT_FLAGGED, 24 - 7 - 2)
    kept = ratings()[~ratings()["participant"].isin([f"p{n:02}" for n in range(9)])]
    alone = row(table(kept, rules=RULES), "rules in force")
    assert left["by_raters"] == alone["by_raters"]
    assert left["mixed_ratings"] == pytest.approx(alone["mixed_ratings"])
    without_rules = table(who=who, rules=QualityRules(order=[]))
    assert list(without_rules["variant"]) == ["rules in force", WITHOUT_FLAGGED]


def test_sigma_is_varied_where_a_rule_is_about_it() -> None:
    assert [name for name, _ in variants(QualityRules(order=["duration"]))] == [
        "rules in force", "no rule",
    ]  # fmt: skip
    assert [name for name, _ in variants(QualityRules(order=["duration", "attention"]))][2:] == [
        "duration alone", "attention alone", "all but duration", "all but attention",
    ]  # fmt: skip
    over_blocks = RULES.model_copy(update={"sigma_mae": SigmaMae(sigma_over="blocks", ddof=0)})
    assert [name for name, _ in variants(over_blocks)][-3:] == [
        "sigma over ratings, ddof 1", "sigma over ratings, ddof 0", "sigma over blocks, ddof 1",
    ]  # fmt: skip


def test_results_are_those_of_the_tables_of_these_raters(usual: DataFrame) -> None:
    data = ratings()
    few = data[~data["participant"].isin(["p00", "p01"])]
    found = row(usual, "duration alone")
    known = few[[*ITEM, "gold"]].drop_duplicates(ITEM).sort_values(ITEM)
    won = wins_summary(wins(items(rating_counts(few), known), CONTRAST)).iloc[-1]
    names = ["a_wins", "b_wins", "ties", "reference_points", "reference_points_max"]
    assert list(found[names]) == list(won[names])
    tested = contrasts(few, CONTRAST, SOUND, raters="").query("model == 'all'")
    for of in ("raters", "scenarios"):
        (expected,) = tested[tested["generalises_to"] == of].to_dict("records")
        assert (found[f"by_{of}"], found[f"by_{of}_low"], found[f"by_{of}_high"]) == (
            expected["difference"], expected["ci_low"], expected["ci_high"],
        )  # fmt: skip
        assert (found[f"by_{of}_p"], found[f"by_{of}_n"]) == (expected["p"], expected["n"])
    fitted = mixed_models(few, CONTRAST, SOUND, raters="").contrasts.query("model == 'all'")
    for scale in ("latent", "ratings"):
        (expected,) = fitted[fitted["scale"] == scale].to_dict("records")
        # found from the fit of the raters in force, and so the same but for the last digits
        assert found[f"mixed_{scale}"] == pytest.approx(expected["difference"], rel=1e-6)
        assert found[f"mixed_{scale}_p"] == pytest.approx(expected["p"], rel=1e-6)
    assert found["link"] == "probit"


def test_conclusion_is_the_same_where_nothing_moves(usual: DataFrame) -> None:
    in_force = row(usual, "rules in force")
    assert in_force.same_conclusion and in_force.what_moves == ""
    same = usual[usual["n_raters"] == 17]
    assert same["same_conclusion"].all()


def test_conclusion_that_rests_on_a_rule_is_said_to_move() -> None:
    # Without the rule, raters who gave 1 to all that is tuned, and failed a check, decide.
    data, who = ratings(), people()
    who["attention_checks_failed"] = [float(10 <= n < 20) for n in range(24)]
    unfit = data["participant"].isin([f"p{n}" for n in range(10, 20)])
    hated = unfit & (data["condition"] == "tuned")
    found = table(data.assign(rating=data["rating"].mask(hated, 1)), who=who)
    moved = row(found, "all but attention")
    in_force = row(found, "rules in force")
    assert (in_force.by_raters_p > 0.05, in_force.by_scenarios_p > 0.05) == (True, True)
    assert moved.by_scenarios_p < 0.05
    assert not moved.same_conclusion
    assert "by_scenarios (" in moved.what_moves


def test_dimensions_have_rows_of_their_own() -> None:
    both = pd.concat([ratings(), ratings(tuning=1, dimension="depth")], ignore_index=True)
    both = both.astype(dict.fromkeys(ITEM, "category"))
    found = table(both, recipe=PAPER)
    assert list(found["dimension"])[:4] == ["depth", "warmth"] * 2
    assert found.groupby("dimension")["same_conclusion"].first().all()
    deep = found[found["dimension"] == "depth"]
    assert (deep["by_raters"] < -0.5).all()


def test_large_studies_have_no_mixed_model_and_say_so() -> None:
    found = table(refitted_up_to=500)
    small, large = row(found, "rules in force"), row(found, "no rule")
    assert pd.notna(small.mixed_latent) and small.note == ""
    assert pd.isna(large.mixed_latent)
    assert large.note == (
        "no mixed model, because 576 ratings are more than the 500 up to which it is fitted for "
        "each variant"
    )
    assert "mixed_latent (not estimable)" in large.what_moves


def test_variant_that_keeps_nobody_is_a_row_with_its_reason() -> None:
    hasty = people().assign(duration_seconds=60.0)
    found = table(who=hasty)
    alone = row(found, "duration alone")
    assert (alone.n_raters, alone.n_ratings) == (0, 0)
    assert alone.note == "not estimable, because no rater is included"
    assert alone.same_conclusion is None  # in force, nobody is included either
    rest = row(found, "all but duration")
    assert "by_raters (estimable)" in rest.what_moves


def test_one_rater_has_reasons_in_place_of_numbers() -> None:
    data = ratings(1)
    found = row(table(data, who=people(1)), "no rule")
    assert pd.isna(found.by_raters) and pd.isna(found.mixed_latent)
    assert "by raters not estimable, because there is one rater" in found.note
    assert "mixed model not estimable, because all ratings have the same rater" in found.note


def test_constant_raters_have_reasons_in_place_of_numbers() -> None:
    found = row(table(ratings().assign(rating=3)), "no rule")
    assert (found.a_wins, found.b_wins, found.ties) == (0, 0, 8)
    assert "sign test not estimable, because all 8 comparisons are ties" in found.note
    assert "by scenarios not estimable, because the mean difference is the same" in found.note
    assert found.same_conclusion


def test_study_without_gold_or_reference_has_the_rest() -> None:
    data = ratings().assign(gold=float("nan"))
    found = row(table(data, contrast=Contrast("plain", "tuned", None)), "sigma_mae alone")
    assert found.n_raters == 24  # no gold scores, no MAE: the rule matches nobody
    assert pd.isna(found.reference_points)
    assert found.note == "no reference points, because the study names no reference"


def test_recipe_without_mixed_models_has_the_rest() -> None:
    found = row(table(recipe=PAPER), "rules in force")
    assert found.note == "no mixed model, because the recipe asks for none"
    assert pd.notna(found.by_raters_p)


def test_somebody_still_active_is_in_no_variant() -> None:
    who = people()
    who.loc[23, "status"], who.loc[23, "active"] = "in_progress", True
    assert row(table(who=who, recipe=PAPER), "no rule").n_raters == 23


def test_table_is_the_same_whatever_the_order_of_rows() -> None:
    data, only = ratings(), QualityRules(order=["duration"])
    one, other = (table(d, rules=only) for d in (data, data.sample(frac=1, random_state=1)))
    assert_frame_equal(one, other)
    assert list(one) == SENSITIVITY.names


def test_table_is_absent_with_its_reason() -> None:
    data = ratings()
    with pytest.raises(NotAvailable, match="there are no ratings"):
        table(data.head(0))
    with pytest.raises(NotAvailable, match="applies no quality rule"):
        table(data, rules=QualityRules(order=[]))
    with pytest.raises(NotAvailable, match="no two conditions"):
        table(data, contrast=Contrast(None, None, None))
