"""Intraclass correlations: a published example, and tables that leave nothing to estimate."""

import numpy as np
import pytest
from pandas import DataFrame

from analysis.stats.inestimable import Inestimable
from analysis.stats.intraclass_correlation import (
    IntraclassCorrelation,
    IntraclassCorrelations,
    intraclass_correlations,
)

_ = np.nan
#: Six targets, four judges: P. E. Shrout & J. L. Fleiss (1979), Intraclass correlations, table 2.
PUBLISHED = DataFrame(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]],
    dtype=float,
)


def of(table: DataFrame) -> IntraclassCorrelations:
    found = intraclass_correlations(table)
    assert isinstance(found, IntraclassCorrelations)
    return found


def values(found: IntraclassCorrelations) -> dict[str, float]:
    return {
        name: form.estimate
        for name, form in found.forms.items()
        if isinstance(form, IntraclassCorrelation)
    }


def test_all_forms_are_those_of_the_published_example() -> None:
    found = of(PUBLISHED)
    assert {name: round(value, 2) for name, value in values(found).items()} == {
        "ICC(A,1)": 0.29, "ICC(A,k)": 0.62, "ICC(C,1)": 0.71, "ICC(C,k)": 0.91
    }  # fmt: skip
    assert (found.items, found.raters, found.df1, found.df2) == (6, 4, 5, 15)


def test_each_form_says_whether_it_is_of_one_rater_or_of_their_mean() -> None:
    forms = of(PUBLISHED).forms
    labels = {name: form.of for name, form in forms.items() if not isinstance(form, Inestimable)}
    assert labels == {
        "ICC(A,1)": "single rater", "ICC(A,k)": "mean of k",
        "ICC(C,1)": "single rater", "ICC(C,k)": "mean of k",
    }  # fmt: skip


def test_items_that_somebody_did_not_rate_are_left_out_and_counted() -> None:
    more = PUBLISHED.copy()
    more.loc[9] = [1, _, 4, 2]
    assert of(more).left_out == 1
    assert values(of(more)) == values(of(PUBLISHED))


def test_a_constant_between_raters_lowers_agreement_and_not_consistency() -> None:
    found = of(DataFrame({"a": [1.0, 2, 3], "b": [2.0, 3, 4]}))
    assert values(found)["ICC(C,1)"] == 1
    assert values(found)["ICC(A,1)"] == pytest.approx(2 / (2 + 2 / 3 * 1.5))
    assert {form.interval for form in found.forms.values()
            if isinstance(form, IntraclassCorrelation)} == {None}  # fmt: skip
    assert found.p == 0


def test_raters_who_contradict_each_other_have_no_reliable_mean() -> None:
    found = of(DataFrame({"a": [1.0, 2, 3, 4], "b": [4.0, 3, 2, 1.1], "c": [2.0, 3, 2, 3]}))
    assert values(found)["ICC(C,1)"] < 0
    assert isinstance(found.forms["ICC(A,k)"], Inestimable)


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        (PUBLISHED[[0]], "too_few"),
        (PUBLISHED.iloc[:1], "incomplete"),
        (DataFrame({"a": [1, _], "b": [_, 2]}), "incomplete"),
        (PUBLISHED.iloc[:0], "incomplete"),
        (PUBLISHED * 0 + 3, "constant"),
        (DataFrame({"a": [1.0, 3], "b": [3.0, 1]}), "no_difference"),
    ],
    ids=["one rater", "one item", "no complete item", "nothing", "constant", "the same means"],
)
def test_what_leaves_nothing_to_estimate_is_said(table: DataFrame, kind: str) -> None:
    found = intraclass_correlations(table)
    assert isinstance(found, Inestimable)
    assert found.kind == kind


def test_two_raters_of_two_items_are_too_few() -> None:
    found = intraclass_correlations(DataFrame({"a": [1, 2], "b": [2, 4]}))
    assert isinstance(found, Inestimable) and found.kind == "too_few"
