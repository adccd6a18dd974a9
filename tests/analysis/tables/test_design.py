"""Who saw what: counts of raters, scenarios, systems and texts, crossed or between."""

import pandas as pd
import pytest
from pandas import DataFrame

from analysis.not_available import NotAvailable
from analysis.study_data import ITEM, Contrast
from analysis.tables.design import design

CONTRAST = Contrast("plain", "tuned", None)


def answers(*rows: tuple[str, str, str, str]) -> DataFrame:
    """Participant, scenario, condition and dimension."""
    table = DataFrame(rows, columns=["participant", "scenario", "condition", "dimension"])
    table = table.assign(set="", model="Ant", rank=None, choice="")
    table["response"] = table.groupby(["scenario", "condition"]).ngroup()
    return table.astype(dict.fromkeys(ITEM, "category"))


NOBODY = answers().astype({"response": int})


def row(ratings: DataFrame, ranks: DataFrame = NOBODY, contrast: Contrast = CONTRAST) -> pd.Series:
    (only,) = (each for _, each in design(ratings, ranks, contrast, ends=(1, 5)).iterrows())
    return only


def test_raters_of_both_conditions_are_counted() -> None:
    both = [("p1", "S1", "plain", "warm"), ("p1", "S1", "tuned", "warm")]
    found = row(answers(*both, ("p2", "S2", "plain", "warm")))
    assert (found.answers, found.n, found.n_raters, found.n_scenarios) == ("ratings", 3, 2, 2)
    assert (found.n_systems, found.n_texts, found.raters_of_one_system) == (2, 3, 1)
    assert (found.raters_of_both, found.raters_of_one) == (1, 1)
    assert (found.raters_per_text, found.texts_per_rater) == (1, 1.5)
    assert (found.scale_from, found.scale_to) == (1, 5)


def test_raters_of_one_condition_each_saw_one_system() -> None:
    found = row(answers(("p1", "S1", "plain", "warm"), ("p2", "S1", "tuned", "warm")))
    assert (found.raters_of_both, found.raters_of_one, found.raters_of_one_system) == (0, 2, 2)


def test_study_without_two_conditions_has_no_raters_of_both() -> None:
    found = row(answers(("p1", "S1", "plain", "warm")), contrast=Contrast(None, None, None))
    assert pd.isna(found.raters_of_both) and pd.isna(found.raters_of_one)


def test_text_that_a_rater_saw_in_two_sets_is_one() -> None:
    twice = answers(("p1", "S1", "plain", "warm"), ("p1", "S1", "plain", "warm"))
    found = row(twice.assign(set=["a", "b"]))
    assert (found.n, found.n_texts, found.texts_per_rater) == (2, 1, 1)


def test_each_dimension_and_kind_of_answers_has_a_row() -> None:
    ratings = answers(("p1", "S1", "plain", "warm"), ("p1", "S1", "plain", "clear"))
    ranks = answers(("p2", "S1", "plain", ""), ("p3", "S2", "plain", ""))
    ranks["rank"], ranks["choice"] = [1.0, None], ["", "best"]
    table = design(ratings, ranks, CONTRAST, ends=(1, 5))
    assert table[["dimension", "answers"]].to_numpy().tolist() == [
        ["clear", "ratings"], ["warm", "ratings"], ["", "ranks"], ["", "choices"],
    ]  # fmt: skip
    assert table["scale_to"].isna().tolist() == [False, False, True, True]


def test_who_chose_a_response_saw_the_others_of_its_page() -> None:
    page = answers(*(("p1", "S1", condition, "") for condition in ("plain", "tuned", "other")))
    page["choice"] = ["best", "", "worst"]
    found = row(NOBODY, page)
    assert (found.answers, found.n, found.n_texts, found.n_systems) == ("choices", 2, 3, 3)
    assert (found.raters_of_both, found.raters_of_one_system, found.texts_per_rater) == (1, 0, 3)


def test_nothing_answered_is_no_table() -> None:
    with pytest.raises(NotAvailable, match="nobody answered anything"):
        design(NOBODY, NOBODY, CONTRAST)
