"""People's ratings of some responses and a judge's scores of all, as a table."""

from collections.abc import Iterable, Mapping

import numpy as np
import pytest
from pandas import DataFrame

from analysis.judges.agreement_with_people import BEFORE, OTHER_SCALE
from analysis.judges.judged import Judged, JudgesData, judged
from analysis.judges.judging import analyse_judges
from analysis.judges.prediction_powered import prediction_powered_means
from analysis.pipeline import StudyData
from analysis.quality_rules import QualityRules
from analysis.stats.prediction_powered import PredictionPowered, RatedAndJudged, prediction_powered
from analysis.study_data import Contrast, check
from tests.analysis.judged_study import CONTRAST, Cell, cells, judges, study

SCENARIOS = [f"S{number}" for number in range(1, 11)]
CELLS = cells(*SCENARIOS, sets=2)
RATED = [cell for cell in CELLS if int(cell[0][1:]) <= 6]
KEYS = ["estimand", "model", "condition"]


def crowd(of: Iterable[Cell] = RATED, raters: int = 4) -> dict[str, dict[Cell, int]]:
    draw = np.random.default_rng(2)
    return {f"r{n}": {cell: int(draw.integers(1, 6)) for cell in of} for n in range(raters)}


def scores(of: Iterable[Cell] = CELLS) -> dict[Cell, list[float | None]]:
    """One score of each system's response to a scenario, the same in all sets."""
    draw = np.random.default_rng(3)
    texts: dict[tuple[str, ...], list[float | None]] = {}
    for scenario, _, *system in CELLS:
        texts.setdefault((scenario, *system), [float(draw.integers(1, 6)) for _ in range(3)])
    return {cell: texts[cell[0], *cell[2:]] for cell in of}


def together(raters: Mapping[str, Mapping[Cell, int]], of: JudgesData) -> Judged:
    """What people and judges say, of all cells."""
    data = study(raters, gold=dict.fromkeys(CELLS, 3.0))
    return judged(check(data), of, data.participants["participant"])


def table(
    raters: Mapping[str, Mapping[Cell, int]], of: JudgesData, contrast: Contrast = CONTRAST
) -> DataFrame:
    return prediction_powered_means(together(raters, of), contrast)


def analysed(data: StudyData) -> DataFrame:
    """The same as an analysis makes it."""
    tables, *_ = analyse_judges(data, judges({"j": scores()}), QualityRules())
    return tables["prediction_powered"]


def test_each_system_each_condition_of_several_and_the_difference_have_a_row() -> None:
    rows = table(crowd(), judges({"j": scores()}))
    assert rows[KEYS].to_numpy().tolist() == [
        ["system", "m1", "base"],
        ["system", "m1", "tuned"],
        ["system", "big", "reference"],
        ["system", "m2", "base"],
        ["system", "m2", "tuned"],
        ["condition", "all", "base"],
        ["condition", "all", "tuned"],
        ["difference", "all", ""],
    ]
    assert rows["estimate"].notna().all()
    assert set(rows["note"]) <= {
        "",
        "the same as people's, because the judge's scores do not follow theirs",
    }
    assert set(rows["raters"]) == {BEFORE}


def test_responses_that_the_judge_alone_scored_are_counted_and_used() -> None:
    rows = table(crowd(), judges({"j": scores()})).set_index(KEYS)
    one = rows.xs(("system", "m1", "base"))
    assert (one["n_rated"], one["n_judged"]) == (6, 10)
    assert (one["scenarios_rated"], one["scenarios_judged"], one["n_raters"]) == (6, 10, 4)
    difference = rows.xs(("difference", "all", ""))
    assert (difference["n_rated"], difference["n_judged"]) == (24, 40)
    higher = {cell: given if cell in RATED else [4.0, 5.0, 5.0] for cell, given in scores().items()}
    raised = table(crowd(), judges({"j": higher})).set_index(KEYS)
    used = (rows["power"] > 0) & (raised["power"] > 0)
    assert used.any()
    is_higher = raised["estimate"] > rows["estimate"]
    assert is_higher[used & (rows.index.get_level_values("estimand") != "difference")].all()
    assert raised["people"].equals(rows["people"])


def test_a_reference_in_several_sets_is_one_response() -> None:
    rows = table(crowd(), judges({"j": scores()})).set_index(KEYS)
    assert rows.loc[("system", "big", "reference"), "n_judged"] == 10


def test_a_row_is_what_the_statistic_says_of_the_responses() -> None:
    both = together(crowd(), judges({"j": scores()}))
    people, responses = both.people["empathy"], both.responses["empathy"]
    own = responses[responses["condition"] != "reference"]
    system = own["model"] + own["condition"]
    expected = prediction_powered(
        RatedAndJudged(
            np.array([int(name[1:]) - 1 for name in own["scenario"]]),
            np.array([["m1base", "m1tuned", "m2base", "m2tuned"].index(name) for name in system]),
            np.array(both.means(both.judges[0], "empathy").reindex(own.index), float),
            np.array(people.reindex(own.index), float),
        ),
        np.array([0.5, -0.5, 0.5, -0.5]),
    )
    assert isinstance(expected, PredictionPowered)
    row = prediction_powered_means(both, CONTRAST).iloc[-1]
    assert row["estimate"] == pytest.approx(expected.powered.value)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(expected.powered.interval)
    assert (row["people_ci_low"], row["people_ci_high"]) == pytest.approx(expected.people.interval)
    assert (row["power"], row["gain"]) == pytest.approx((expected.power, expected.gain))


@pytest.mark.slow
def test_an_analysis_has_it_with_the_responses_that_nobody_rated() -> None:
    ours = table(crowd(), judges({"j": scores()}))
    assert analysed(study(crowd())).equals(ours)
    assert (ours["n_judged"] > ours["n_rated"]).all()


@pytest.mark.slow
def test_people_are_those_before_the_distance_to_the_judge_is_asked() -> None:
    flat = {**crowd(), "flat": dict.fromkeys(RATED, 1)}
    far = study(flat, gold=dict.fromkeys(CELLS, 5.0))
    assert analysed(far).equals(table(flat, judges({"j": scores()})))


def test_everything_rated_gives_what_people_say() -> None:
    rows = table(crowd(CELLS), judges({"j": scores()}))
    assert rows["estimate"].equals(rows["people"])
    assert rows["ci_low"].equals(rows["people_ci_low"])
    assert (rows["power"] == 0).all() and (rows["gain"] == 1).all()
    reason = "the same as people's, because the judge scored no unrated response"
    assert set(rows["note"]) == {reason}


def test_a_judge_on_another_scale_leaves_what_people_say() -> None:
    ours = table(crowd(), judges({"j": scores()}))
    other = judges({"j": scores()}, about={"j": {"comparable": False}})
    rows = table(crowd(), other)
    assert set(rows["note"]) == {OTHER_SCALE}
    assert rows["people"].equals(ours["people"])
    assert rows[["estimate", "ci_low", "power", "gain"]].isna().all(axis=None)
    assert rows["n_judged"].equals(ours["n_judged"])


def test_a_constant_judge_says_so() -> None:
    rows = table(crowd(), judges({"j": {cell: [3.0] for cell in CELLS}}))
    assert set(rows["note"]) == {"the same as people's, because the judge's scores do not vary"}


@pytest.mark.parametrize("scenarios", [1, 2])
def test_fewer_than_three_rated_scenarios_say_so(scenarios: int) -> None:
    few = [cell for cell in CELLS if int(cell[0][1:]) <= scenarios]
    rows = table(crowd(few), judges({"j": scores()}))
    assert set(rows["note"]) == {
        "not estimable, because a system has ratings in fewer than three scenarios"
    }
    assert set(rows["scenarios_rated"]) == {scenarios}


def test_one_rater_speaks_for_nobody_else() -> None:
    rows = table(crowd(raters=1), judges({"j": scores()}))
    assert rows["note"].str.endswith("the interval is for this rater alone").all()


@pytest.mark.parametrize("contrast", [Contrast(None, None, None), Contrast("base", "x", None)])
def test_without_a_contrast_there_is_no_difference(contrast: Contrast) -> None:
    rows = table(crowd(), judges({"j": scores()}), contrast=contrast)
    assert "difference" not in set(rows["estimand"])
    assert rows["estimate"].notna().sum() == 7


def test_groups_of_systems_differ_by_their_means_where_no_model_has_both_conditions() -> None:
    rows = table(crowd(), judges({"j": scores()}), contrast=Contrast("base", "reference", None))
    (difference,) = rows[rows["estimand"] == "difference"]["people"]
    means = rows[rows["estimand"] == "system"].groupby("condition")["people"].mean()
    assert difference == pytest.approx(means["base"] - means["reference"])


def test_two_judges_are_kept_apart_and_people_say_the_same() -> None:
    other = {cell: [float(len(cell[2]))] for cell in CELLS}
    rows = table(crowd(), judges({"j": scores(), "other": other}))
    one, two = (rows[rows["judge"] == name].reset_index(drop=True) for name in ("j", "other"))
    assert one["people"].equals(two["people"])
    assert one["power"].tolist() != two["power"].tolist()
