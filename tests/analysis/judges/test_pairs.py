"""Win rates of a judge of pairs, and whether its answers follow the order of the two responses."""

from itertools import product

import numpy as np
import pandas as pd
from pandas import DataFrame

from analysis.judges.pairs import JUDGE_PAIRS, judge_pair_order, judge_pairs

COLUMNS = [
    *("judge", "scenario", "set", "dimension", "model_a", "condition_a", "model_b", "condition_b"),
    *("response_a", "response_b", "replicate", "first", "better"),
]
NAMES = ("m", "plain", "m", "tuned")


def answers(*better: tuple[str, str], scenario: str = "S1") -> list[tuple[object, ...]]:
    """Pairs of responses of two systems: the answers with a first, and with b first."""
    return [
        ("j", scenario, f"{n}", "warm", *NAMES, f"{n}/a", f"{n}/b", replicate, first, said)
        for n, both in enumerate(better)
        for replicate, first, said in zip((1, 2), "ab", both, strict=True)
    ]


def table(*rows: tuple[object, ...]) -> DataFrame:
    return DataFrame(rows, columns=COLUMNS)


def test_win_rate_counts_ties_half_and_changed_answers_count_by_pair() -> None:
    told = table(*answers(("a", "a"), ("a", "b"), ("tie", "tie"), ("b", "tie")))
    (row,) = judge_pairs(told, seed=1).to_dict("records")
    assert row["win_rate"] == (2 + 1 + 1 + 0.5) / 8
    assert (row["ties"], row["inconsistent"], row["n"]) == (3 / 8, 2 / 4, 8)
    assert row["note"] == "no interval, because there is one scenario"


def test_judge_that_always_takes_the_first_is_shown_to_and_its_win_rate_is_a_half() -> None:
    told = table(*[row for s in range(8) for row in answers(("a", "b"), scenario=f"S{s}")])
    (order,) = judge_pair_order(told, seed=1).to_dict("records")
    assert (order["first_rate"], order["ci_low"], order["inconsistent"]) == (1, 1, 1)
    (pair,) = judge_pairs(told, seed=1).to_dict("records")
    assert pair["win_rate"] == 0.5


def test_judge_without_a_preference_for_a_position_takes_the_first_in_half_of_answers() -> None:
    dice = np.random.default_rng(3)
    told = table(
        *[
            row
            for s in range(40)
            for row in answers((str(dice.choice(["a", "b"])),) * 2, scenario=f"S{s}")
        ]
    )
    (order,) = judge_pair_order(told, seed=1).to_dict("records")
    assert (order["first_rate"], order["inconsistent"]) == (0.5, 0)
    (pair,) = judge_pairs(told, seed=1).to_dict("records")
    assert pair["ci_low"] < 0.5 < pair["ci_high"]


def test_pair_that_was_asked_in_one_order_has_no_consistency() -> None:
    (row,) = judge_pairs(table(answers(("a", "a"))[0]), seed=1).to_dict("records")
    assert row["inconsistent"] is None


def test_judges_dimensions_and_systems_are_kept_apart() -> None:
    one = table(*answers(("a", "a")))
    parts = [
        one.assign(judge=judge, dimension=dimension, model_b=model)
        for judge, dimension, model in product("jk", ["warm", "clear"], ["m", "n"])
    ]
    rows = judge_pairs(pd.concat(parts), seed=1)
    assert len(rows) == 8
    assert rows.columns.tolist() == JUDGE_PAIRS.names


def test_further_replicates_are_further_pairs_of_orders() -> None:
    told = table(*answers(("a", "a")), *answers(("a", "b")))
    told["replicate"] = [1, 2, 3, 4]
    (row,) = judge_pairs(told, seed=1).to_dict("records")
    assert row["inconsistent"] == 0.5
