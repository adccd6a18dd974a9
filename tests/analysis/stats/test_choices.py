"""Best–worst choices: shares, χ² where it may be used, and labels permuted where it may not."""

from itertools import product

import numpy as np
import pytest
from pandas import DataFrame, concat
from scipy.stats import chisquare

from analysis.stats.choices import (
    ChoiceTest,
    Concord,
    best_worst_scores,
    choice_shares,
    free_marginal_kappa,
    goodness_of_fit,
    permutation_test,
)
from analysis.stats.inestimable import Inestimable
from tests.oracle.closed_form.stored import reference


def block(rater: str, name: str, shown: str, best: str, worst: str = "") -> DataFrame:
    choices = ["best" if each == best else "worst" if each == worst else "" for each in shown]
    return DataFrame({"rater": rater, "block": name, "system": list(shown), "choice": choices})


def one_each(counts: dict[str, int]) -> DataFrame:
    """A rater for each choice of best."""
    systems = "".join(counts)
    picks = [system for system, times in counts.items() for _ in range(times)]
    return concat([block(f"r{at}", "b", systems, pick) for at, pick in enumerate(picks)])


STUDY = concat(
    [
        block("r1", "b1", "xyz", "x", "z"),
        block("r1", "b2", "xyz", "x", "y"),
        block("r2", "b1", "xyz", "y", "z"),
        block("r2", "b2", "xyz", "x", ""),
        block("r3", "b1", "xyw", "", ""),
    ]
)


def test_shares_are_of_the_blocks_in_which_a_choice_was_made() -> None:
    found = choice_shares(STUDY, "best", seed=1).set_index("system")
    assert found["chosen"].to_dict() == {"x": 3, "y": 1, "z": 0, "w": 0}
    assert found["shown"].to_dict() == {"x": 4, "y": 4, "z": 4, "w": 0}
    assert found["share"].dropna().to_dict() == {"x": 0.75, "y": 0.25, "z": 0}
    # Raters chose x in two and in one of two blocks.
    assert found[["ci_low", "ci_high"]].to_numpy()[0].tolist() == [0.5, 1.0]
    assert found.loc["w", "note"] == "not estimable, because no block that showed it has a choice"
    assert (found.loc[["x", "y", "z"], "note"] == "").all()


def test_scores_are_best_less_worst_of_the_blocks_with_both() -> None:
    found = best_worst_scores(STUDY, seed=1).set_index("system")
    assert found["balance"].to_dict() == {"x": 2, "y": 0, "z": -2, "w": 0}
    assert found["shown"].to_dict() == {"x": 3, "y": 3, "z": 3, "w": 0}
    assert found["score"].dropna().to_dict() == pytest.approx({"x": 2 / 3, "y": 0, "z": -2 / 3})


def test_raters_who_are_alike_tell_nothing_of_how_others_vary() -> None:
    pages = [("b1", "x"), ("b2", "y")]
    alike = concat([block(rater, name, "xyz", best) for rater in "abc" for name, best in pages])
    found = choice_shares(alike, "best", seed=1).set_index("system")
    assert found["share"].to_dict() == {"x": 0.5, "y": 0.5, "z": 0}
    assert found.loc[["x", "y"], ["ci_low", "ci_high"]].isna().all(axis=None)
    assert set(found.loc[["x", "y"], "note"]) == {"no interval, because raters do not differ"}
    # Never chosen: Wilson's interval, which does not go by how raters differ.
    assert found["ci_high"].tolist()[2] > 0.4 and found["note"].tolist()[2] == ""


def test_one_rater_has_shares_without_intervals_and_nobody_none() -> None:
    alone = choice_shares(STUDY[STUDY["rater"] == "r1"], "worst", seed=1)
    assert alone["share"].tolist() == [0, 0.5, 0.5]
    assert alone[["ci_low", "ci_high"]].isna().all(axis=None)
    assert set(alone["note"]) == {"no interval, because there is one rater"}
    nobody = choice_shares(STUDY[STUDY["rater"] == "r3"], "best", seed=1)
    assert nobody["shown"].tolist() == [0, 0, 0]
    assert nobody["note"].str.startswith("not estimable").all()
    assert choice_shares(STUDY.iloc[:0], "best", seed=1).empty


def test_two_choices_of_a_kind_in_a_block_are_refused() -> None:
    twice = block("r1", "b1", "xyz", "x").assign(choice="best")
    with pytest.raises(ValueError, match="r1 chose several as best in b1"):
        choice_shares(twice, "best", seed=1)


def test_goodness_of_fit_is_pearsons_chi_squared_and_equals_that_of_r() -> None:
    expected = reference("choices")
    counts = dict(zip("vwxyz", expected["best"], strict=True))
    found = goodness_of_fit(one_each(counts), "best")
    assert isinstance(found, ChoiceTest)
    assert found.statistic == pytest.approx(expected["statistic"], rel=1e-12)
    assert found.p == pytest.approx(expected["p"], rel=1e-12)
    assert (found.systems, found.raters, found.choices, found.df) == (5, 116, 116, 4)


def test_goodness_of_fit_refuses_where_choices_are_not_independent_or_few() -> None:
    again = goodness_of_fit(
        concat([one_each({"x": 9, "y": 9}), block("r0", "c", "xy", "y")]), "best"
    )
    assert isinstance(again, Inestimable)
    assert again.because == "raters chose more than once: permute labels instead"
    other = goodness_of_fit(
        concat([one_each({"x": 9, "y": 9}), block("s", "c", "xz", "x")]), "best"
    )
    assert isinstance(other, Inestimable)
    assert other.kind == "not_independent"
    few = goodness_of_fit(one_each({"x": 3, "y": 3, "z": 3}), "best")
    assert few == Inestimable("too_few", "9 choices of 3 systems are fewer than 5 for each")


def test_labels_permuted_in_every_block_give_the_exact_p() -> None:
    found = permutation_test(one_each({"x": 5, "y": 1, "z": 0}), "best", seed=1)
    assert isinstance(found, ChoiceTest)
    statistics = [chisquare(np.bincount(picks, minlength=3)).statistic
                  for picks in product(range(3), repeat=6)]  # fmt: skip
    exact = np.mean(np.array(statistics) >= found.statistic - 1e-9)
    assert found.statistic == pytest.approx(chisquare([5, 1, 0]).statistic)
    assert found.p == pytest.approx(exact, abs=4 * np.sqrt(exact / 9999))
    assert found == permutation_test(one_each({"x": 5, "y": 1, "z": 0}), "best", seed=1)


def test_expected_choices_follow_what_was_shown() -> None:
    shown = concat(
        [*(block(f"r{at}", "b", "xy", "x") for at in range(6)), block("s", "b", "xz", "z")]
    )
    found = permutation_test(shown, "best", seed=1)
    assert isinstance(found, ChoiceTest)
    # Seven blocks of two: 3.5, 3 and 0.5 were expected, and 6, 0, 1 came.
    assert found.statistic == pytest.approx(2.5**2 / 3.5 + 3**2 / 3 + 0.5**2 / 0.5)


def likings(raters: int, blocks: int) -> DataFrame:
    """Everybody always chooses the same, half of them x and half of them y."""
    return concat(
        [
            block(f"r{at}", f"b{number}", "xyz", "xy"[at % 2])
            for at in range(raters)
            for number in range(blocks)
        ]
    )


def test_labels_permuted_once_per_rater_allow_raters_their_likings() -> None:
    blocks, raters = (
        permutation_test(likings(4, 10), "best", seed=1, within=within)
        for within in ("block", "rater")
    )
    assert isinstance(blocks, ChoiceTest)
    assert isinstance(raters, ChoiceTest)
    assert blocks.statistic == raters.statistic
    assert blocks.p == 1 / 10_000
    # Four raters with a liking each: the counts are (2, 2, 0) at least as unevenly in 45 of 81.
    sums = [np.bincount(each, minlength=3) for each in product(range(3), repeat=4)]
    exact = np.mean([((each - 4 / 3) ** 2).sum() >= 8 / 3 - 1e-9 for each in sums])
    assert raters.p == pytest.approx(exact, abs=0.02)


def test_what_cannot_be_permuted_is_said() -> None:
    mixed = concat([block("r1", "b1", "xy", "x"), block("r1", "b2", "xz", "x")])
    assert permutation_test(mixed, "best", seed=1, within="rater") == Inestimable(
        "not_independent", "blocks of one rater show different systems"
    )
    nothing = Inestimable("no_values", "nothing was chosen as worst")
    assert permutation_test(mixed, "worst", seed=1) == nothing
    assert goodness_of_fit(mixed.iloc[:0], "worst") == nothing
    one = Inestimable("one_group", "one system was shown")
    assert permutation_test(block("r1", "b", "x", "x"), "best", seed=1) == one


def test_kappa_is_agreement_within_blocks_beyond_guessing() -> None:
    counts = DataFrame([[4, 0, 0], [2, 2, 0], [3, 1, np.nan], [1, 0, 0]], columns=list("xyz"))
    found = free_marginal_kappa(counts, seed=1, resamples=200)
    assert isinstance(found, Concord)
    # Of the 12 ordered pairs of four choices 12, 4 and 6 agree; of two systems one half would.
    each = [1, (4 / 12 - 1 / 3) / (2 / 3), (6 / 12 - 1 / 2) / (1 / 2)]
    assert found.kappa == pytest.approx(np.mean(each))
    assert (found.blocks, found.left_out) == (3, 1)
    assert found.interval is not None
    assert found.interval[0] < found.kappa < found.interval[1]


def test_kappa_is_one_where_everybody_always_chooses_the_same() -> None:
    found = free_marginal_kappa(DataFrame([[9, 0], [9, 0]]), seed=1)
    assert isinstance(found, Concord)
    assert (found.kappa, found.interval) == (1, (1, 1))
    alone = free_marginal_kappa(DataFrame([[9, 0]]), seed=1)
    assert isinstance(alone, Concord)
    assert alone.interval is None


def test_kappa_needs_two_choices_in_a_block() -> None:
    found = free_marginal_kappa(DataFrame([[1, 0], [0, 1]]), seed=1)
    because = "in no block two raters chose among several systems"
    assert found == Inestimable("too_few", because)
