"""Every closed-form statistic equals R's, on four data sets, to a millionth of its value."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
import pytest
from pandas import DataFrame, Series

from analysis.stats.anova import OneWay, games_howell, one_way_anova, welch_anova
from analysis.stats.careless import (
    consensus_deviation,
    even_odd,
    intra_individual_variability,
    longstring,
    person_total,
    retest_sd,
)
from analysis.stats.comparisons import TwoSampleT, mann_whitney, student_t, welch_t
from analysis.stats.effect_sizes import StandardizedDifference, cohens_d, hedges_g
from analysis.stats.equivalence import equivalence, lower_bound
from analysis.stats.inestimable import Inestimable
from analysis.stats.intraclass_correlation import intraclass_correlations
from analysis.stats.mean_difference import MeanDifference
from analysis.stats.min_f_prime import min_f_prime
from analysis.stats.multiplicity import Method, adjust
from analysis.stats.paired import PairedT, paired_t, sign_test, wilcoxon_signed_rank
from analysis.stats.rankings import friedman
from tests.oracle.closed_form.stored import DATA_SETS, WITH_TABLES, inputs, reference

MARGIN = 0.3
Result = TypeVar("Result")


def there(found: Result | Inestimable) -> Result:
    assert not isinstance(found, Inestimable), found
    return found


def of_t(found: MeanDifference) -> dict[str, Any]:
    return {
        "difference": found.difference,
        "interval": found.interval,
        "t": found.t,
        "df": found.df,
        "p": found.p,
    }


def of_effect(found: StandardizedDifference) -> dict[str, Any]:
    return {"estimate": found.estimate, "interval": found.interval}


def of_anova(found: OneWay) -> dict[str, Any]:
    return {"F": found.F, "df1": found.df1, "df2": found.df2, "p": found.p}


def of_tost(found: TwoSampleT | PairedT) -> dict[str, Any]:
    """`found` at 90 %, whose interval lies within the margins where TOST's p is below 5 %."""
    result = equivalence(found, MARGIN)
    return {
        "lower": {"t": result.t_lower, "p": result.p_lower},
        "upper": {"t": result.t_upper, "p": result.p_upper},
        "interval": found.interval,
    }


def two_groups(given: dict[str, Any]) -> dict[str, Any]:
    a, b = given["a"], given["b"]
    ranked = there(mann_whitney(a, b))
    of_ranks = {
        "u": ranked.u,
        "effect": ranked.effect,
        "interval": ranked.interval,
        "p": ranked.p,
    }
    if ranked.n_a + ranked.n_b < 200:
        of_ranks["p_exact"] = there(mann_whitney(a, b, method="exact")).p
    return {
        "student": of_t(there(student_t(a, b))),
        "welch": of_t(there(welch_t(a, b))),
        "mann_whitney": of_ranks,
        "tost": of_tost(there(welch_t(a, b, confidence=0.9))),
        "d": of_effect(there(cohens_d(a, b))),
        "g": of_effect(there(hedges_g(a, b))),
    }


def groups(given: dict[str, Any]) -> dict[str, Any]:
    classic, welch = there(one_way_anova(given)), there(welch_anova(given))
    assert welch.eta_squared == pytest.approx(classic.eta_squared, rel=1e-12)
    return {
        "anova": of_anova(classic),
        "welch": of_anova(welch),
        "eta_squared": classic.eta_squared,
        "omega_squared": classic.omega_squared,
        "games_howell": [
            {
                "difference": pair.difference,
                "t": pair.t,
                "df": pair.df,
                "p": pair.p,
                "interval": pair.interval,
            }
            for pair in there(games_howell(given))
        ],
    }


def pairs(given: dict[str, Any]) -> dict[str, Any]:
    a, b = (np.array(given[side], dtype=float) for side in "ab")
    t, higher, lower = there(paired_t(a, b)), (a > b).sum(), (a < b).sum()
    sign = there(sign_test(int(higher), int(lower)))
    ranked = there(wilcoxon_signed_rank(a, b))
    not_worse = equivalence(t, MARGIN)
    signed_rank = {
        "statistic": ranked.statistic,
        "rank_biserial": ranked.rank_biserial,
        "interval": ranked.interval,
        "p": ranked.p,
    }
    if ranked.n < 300:
        signed_rank["p_exact"] = there(wilcoxon_signed_rank(a, b, method="exact")).p
    return {
        "t": of_t(t),
        "signed_rank": signed_rank,
        "sign": {"share": sign.share, "interval": sign.interval, "p": sign.p},
        "tost": of_tost(there(paired_t(a, b, confidence=0.9))),
        "non_inferiority": {
            "lower": lower_bound(t),
            "test": {"t": not_worse.t_lower, "df": not_worse.df, "p": not_worse.p_lower},
        },
    }


def systems(given: list[list[float]]) -> dict[str, Any]:
    table = DataFrame(given, dtype=float)
    found = there(friedman(table))
    tests = [
        there(wilcoxon_signed_rank(table[a], table[b])) for a, b in combinations(table.columns, 2)
    ]
    p = Series([test.p for test in tests])
    return {
        "chi_squared": found.chi_squared,
        "df": found.df,
        "p": found.p,
        "w": found.w,
        "pairs": [
            {"statistic": test.statistic, "rank_biserial": test.rank_biserial, "p": test.p}
            for test in tests
        ],
        "p_adjusted": adjust(p, "holm").p.tolist(),
        "p_by_bh": adjust(p, "benjamini-hochberg").p.tolist(),
    }


def differences(given: list[list[float]]) -> dict[str, Any]:
    found = min_f_prime(DataFrame(given, dtype=float))
    least = there(found.min_f)
    return {
        "by_raters": of_t(there(found.by_raters)),
        "by_items": of_t(there(found.by_items)),
        "min_f": {"F": least.F, "df2": least.df2, "p": least.p},
    }


def texts(given: list[list[float]]) -> dict[str, Any]:
    found = there(intraclass_correlations(DataFrame(given, dtype=float)))
    forms = {
        name: {"estimate": there(form).estimate, "interval": there(form).interval}
        for name, form in found.forms.items()
    }
    return {"forms": forms, "F": found.F, "p": found.p}


def leaves(found: Any, expected: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Each number of ours with R's; nothing of ours may be without one."""
    if isinstance(found, Mapping):
        for key, value in found.items():
            yield from leaves(value, expected[key], f"{path}.{key}")
    elif isinstance(found, Sequence):
        assert len(found) == len(expected), path
        for at, value in enumerate(found):
            yield from leaves(value, expected[at], f"{path}[{at}]")
    else:
        yield path, found, expected


PARTS = {"two_groups": two_groups, "groups": groups, "pairs": pairs}
TABLES = {"systems": systems, "differences": differences, "texts": texts}
CASES = [
    *((name, part) for name in DATA_SETS for part in PARTS),
    *((name, part) for name in WITH_TABLES for part in TABLES),
]


@pytest.mark.parametrize(("name", "part"), CASES)
def test_statistic_equals_that_of_r(name: str, part: str) -> None:
    found = (PARTS | TABLES)[part](inputs(name)[part])
    compared = list(leaves(found, reference(name)[part]))
    assert {path: ours for path, ours, _ in compared} == {
        path: pytest.approx(theirs, rel=1e-6, abs=0) for path, _, theirs in compared
    }


@pytest.mark.parametrize("name", WITH_TABLES)
def test_indices_of_careless_responding_equal_those_of_r(name: str) -> None:
    given, expected = inputs(name), reference(name)["indices"]
    table = DataFrame(given["answers"], dtype=float)
    places = Series(range(table.shape[1]))
    about = {
        "block": Series(given["blocks"], dtype=object),
        "half": places.groupby(given["blocks"]).cumcount() % 2,
        "shown": Series(given["shown"], dtype=object),
    }
    columns = table.set_axis(places, axis=1).reset_index(names="rater")
    answers = columns.melt(id_vars="rater", var_name="place", value_name="value")
    answers = answers.assign(
        item=answers["place"], **{name: answers["place"].map(of) for name, of in about.items()}
    )
    of = (answers, table.index)
    found = {
        "longstring": longstring(*of),
        "irv": intra_individual_variability(*of),
        "person_total": person_total(*of),
        "consensus_deviation": consensus_deviation(*of),
        "even_odd": even_odd(*of),
        "retest_sd": retest_sd(answers.assign(item=answers["shown"]), table.index),
    }
    for index, ours in found.items():
        theirs = np.array(expected[index], dtype=float)
        assert ours.values.to_numpy() == pytest.approx(theirs, rel=1e-6, nan_ok=True), index
        assert ((ours.notes == "") == ~np.isnan(theirs)).all(), index


@pytest.mark.parametrize("method", ["holm", "benjamini-hochberg", "benjamini-yekutieli"])
def test_adjusted_p_values_equal_those_of_r(method: Method) -> None:
    expected = reference("adjusted")
    found = adjust(Series(expected["p"], dtype=float), method)
    assert found.p.tolist() == pytest.approx(expected[method], rel=1e-12)


@pytest.mark.parametrize("name", DATA_SETS)
def test_what_r_was_asked_by_its_definition_is_what_its_packages_give_more_roughly(
    name: str,
) -> None:
    """effectsize searches d's interval, stops ω² at 0, and ptukey is rough where df are few."""
    given, expected = inputs(name), reference(name)
    d = there(cohens_d(given["two_groups"]["a"], given["two_groups"]["b"]))
    assert d.interval == pytest.approx(expected["two_groups"]["d"]["interval_by_effectsize"], 1e-3)
    omega = there(one_way_anova(given["groups"])).omega_squared
    assert max(omega, 0) == pytest.approx(expected["groups"]["omega_squared_by_effectsize"])
    pairs = there(games_howell(given["groups"]))
    assert [pair.p for pair in pairs] == pytest.approx(
        [pair["p_by_ptukey"] for pair in expected["groups"]["games_howell"]], abs=1e-3
    )
