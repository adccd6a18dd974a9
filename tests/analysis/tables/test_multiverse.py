"""The multiverse: each specification once, held against the main result, with fits in common."""

from collections.abc import Mapping

import pytest
from pandas import DataFrame

from analysis.not_available import NotAvailable
from analysis.quality_rules import QualityRules
from analysis.recipe import Recipe, Scale, shipped_recipes
from analysis.study_data import ITEM, Contrast
from analysis.tables.multiverse import MULTIVERSE, MULTIVERSE_SUMMARY, multiverse, summary
from analysis.tables.request import StudyInput
from tests.analysis.tables.test_sensitivity import CONTRAST, RULES, people, ratings

pytestmark = pytest.mark.slow

SCALE = Scale([(n, str(n)) for n in range(1, 7)], between=False)
LINEAR = shipped_recipes()["sound"].model_copy(update={"name": "mine"})
SLIDER = Scale([(0, "low"), (100, "high")], between=True)


def study(
    data: DataFrame | None = None, *, rules: QualityRules = RULES, contrast: Contrast = CONTRAST
) -> StudyInput:
    data = ratings(tuning=2) if data is None else data
    known = data[[*ITEM, "gold"]].drop_duplicates(ITEM).sort_values(ITEM)
    return StudyInput(data, people(), known, contrast, rules)


def table(of: StudyInput, *, scale: Scale = SLIDER, recipe: Recipe = LINEAR) -> DataFrame:
    return multiverse(of, recipe.on(scale), scale)


def only(rows: DataFrame, **wanted: object) -> Mapping[str, object]:
    for column, value in wanted.items():
        rows = rows[rows[column] == value]
    (row,) = rows.to_dict("records")
    return {str(name): value for name, value in row.items()}


@pytest.fixture(scope="module")
def planted() -> DataFrame:
    """Tuned responses are rated two points higher by everybody."""
    return table(study())


def test_rules_with_the_same_raters_are_one_choice(planted: DataFrame) -> None:
    sets = planted[["variant", "same_as", "n_raters"]].drop_duplicates()
    assert sets["variant"].is_unique
    assert "sigma over ratings, ddof 0" not in set(sets["variant"])
    assert only(sets, variant="rules in force")["same_as"] == "sigma over ratings, ddof 0"


def test_each_analysis_is_there_once_for_each_set_of_raters_and_model(planted: DataFrame) -> None:
    keys = ["variant", "analysis", "scale", "model"]
    assert list(planted) == MULTIVERSE.names
    assert not planted[keys].duplicated().any()
    n_sets = planted["variant"].nunique()
    analyses = {"mixed_linear", "by_raters", "by_scenarios", "min_f", "signed_ranks"}
    assert set(planted["analysis"]) == analyses
    assert len(planted) == n_sets * len(analyses) * 3  # models: Ant, Bee and all
    assert list(planted["model"].unique()) == ["all", "Ant", "Bee"]


def test_planted_difference_is_significant_in_nearly_every_specification(
    planted: DataFrame,
) -> None:
    overall = only(summary(planted), model="all")
    assert float(str(overall["significant_share"])) > 0.95
    assert overall["sign_changed"] == 0
    assert float(str(overall["median"])) == pytest.approx(-2, abs=0.3)
    assert overall["smallest"] <= overall["median"] <= overall["largest"]  # type: ignore[operator]


def test_main_result_is_that_of_the_mixed_model_with_the_rules_in_force(
    planted: DataFrame,
) -> None:
    main = planted[planted["is_main"]]
    assert list(main["model"]) == ["all", "Ant", "Bee"]
    assert set(main["analysis"]) == {"mixed_linear"} and set(main["variant"]) == {"rules in force"}
    said = only(summary(planted), model="all")
    assert said["difference"] == main["difference"].iloc[0]


def test_careless_raters_who_turn_a_sign_are_counted() -> None:
    """Whom the rules exclude rate the other way, strongly enough to turn the sign of all."""
    data = ratings(tuning=0)
    tuned, careless = data["condition"] == "tuned", data["participant"].isin(["p00", "p01"])
    data.loc[tuned & careless, "rating"] -= 40
    data.loc[tuned & ~careless, "rating"] += 1
    rules = QualityRules(order=["duration"])
    found = table(study(data, rules=rules))

    turned = found[(found["model"] == "all") & (found["variant"] == "no rule")]
    assert turned["sign_changed"].map(bool).sum() >= 4  # ranks are not impressed by 40 points
    kept = found[(found["model"] == "all") & (found["variant"] == "rules in force")]
    assert not kept["sign_changed"].map(bool).any()
    share = only(summary(found), model="all")["sign_changed_share"]
    assert share == pytest.approx(turned["sign_changed"].map(bool).sum() / 10)


def test_scale_of_few_points_has_ordinal_models_on_both_scales() -> None:
    few = study(rules=QualityRules(order=[]))
    found = table(few, scale=SCALE)

    overall = found[found["model"] == "all"]
    assert {*zip(overall["analysis"], overall["scale"], strict=True)} >= {
        ("mixed_linear", "ratings"), ("mixed_probit", "ratings"), ("mixed_probit", "latent"),
    }  # fmt: skip
    assert only(overall, is_main=True)["analysis"] == "mixed_probit"
    said = summary(found)
    assert list(said) == MULTIVERSE_SUMMARY.names
    assert only(said, model="all", scale="latent")["specifications"] == 1


def test_each_set_of_raters_is_fitted_once_and_progress_is_told() -> None:
    of, steps = study(), list[tuple[int, int]]()
    multiverse(of, LINEAR.on(SLIDER), SLIDER, lambda done, total: steps.append((done, total)))

    n = table(of)["variant"].nunique()
    assert steps == [(done, n) for done in range(1, n + 1)]
    before = of.fits.of(of.ratings, "linear")
    assert of.fits.of(of.ratings, "linear") is before


def test_study_without_two_conditions_says_so() -> None:
    with pytest.raises(NotAvailable, match="names no two conditions"):
        table(study(contrast=Contrast(None, None, None)))


def test_one_scenario_leaves_what_can_be_estimated_and_says_what_cannot() -> None:
    data = ratings(tuning=2)
    found = table(study(data[data["scenario"] == "S1"].reset_index(drop=True)))

    rows = found[(found["model"] == "all") & (found["variant"] == "rules in force")]
    notes = dict(zip(rows["analysis"], rows["note"], strict=True))
    assert "one scenario" in notes["by_scenarios"] and "one scenario" in notes["min_f"]
    assert not notes["by_raters"]
    assert only(summary(found), model="all")["not_estimable"] >= 2  # type: ignore[operator]
