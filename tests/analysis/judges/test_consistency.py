"""Whether a judge says the same again: by hand, and what has to be flagged."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from pandas import DataFrame
from scipy.stats import spearmanr

from analysis.judges.consistency import (
    judge_consistency,
    judge_item_spread,
    judge_models,
    judge_scores_shares,
)
from analysis.judges.judged import Judged, JudgesData, judged
from analysis.stats.agreement import krippendorff_alpha
from analysis.study_data import check
from tests.analysis.judged_study import Cell, judges, study

CELLS: list[Cell] = [
    ("S1", "", "m", "base"),
    ("S1", "", "m", "tuned"),
    ("S2", "", "m", "base"),
    ("S2", "", "m", "tuned"),
]
THREE = [(1.0, 2.0, 1.0), (2.0, 4.0, 2.0), (3.0, 3.0, 3.0), (4.0, 5.0, 5.0)]


def together(of: JudgesData, ratings: Sequence[int] = (1, 2, 3, 3)) -> Judged:
    data = study({"r": dict(zip(CELLS, ratings, strict=True))})
    return judged(check(data), of, data.participants["participant"])


def scores(*given: Sequence[float | None]) -> Mapping[Cell, Sequence[float | None]]:
    return dict(zip(CELLS, given, strict=False))


def consistency(of: JudgesData) -> dict[str, Any]:
    """The one row of one judge."""
    table = judge_consistency(together(of), judge_models(of.returned_models), seed=1)
    (row,) = table.to_dict("records")
    return {str(name): value for name, value in row.items()}


def test_rho_is_the_mean_over_pairs_of_replicates() -> None:
    row = consistency(judges({"j": scores(*THREE)}))
    # Ranks 1234, 1324, 1234: one pair is equal, two differ by a swap of neighbours.
    assert row["rho"] == pytest.approx((1 + 0.8 + 0.8) / 3)
    pairs = combinations(zip(*THREE, strict=True), 2)
    assert row["rho"] == pytest.approx(np.mean([spearmanr(*pair).statistic for pair in pairs]))
    assert (row["rho_min"], row["rho_max"]) == (pytest.approx(0.8), pytest.approx(1))
    assert (row["n_items"], row["replicates"], row["asked"], row["valid"]) == (4, 3, 12, 12)
    assert row["incomplete"] == 0
    assert row["all_agree"] == 0.25
    # Deviations of (1, 2, 1), (2, 4, 2), (3, 3, 3), (4, 5, 5).
    assert row["mean_sd"] == pytest.approx(((1 / 3) ** 0.5 * 2 + (4 / 3) ** 0.5) / 4)
    assert row["alpha_ordinal"] == krippendorff_alpha(DataFrame(THREE), "ordinal")
    assert row["alpha_interval_low"] < row["alpha_interval"] < row["alpha_interval_high"]
    assert (row["flags"], row["note"]) == ("", "")


def test_scores_that_are_missing_are_counted() -> None:
    row = consistency(judges({"j": scores((1.0, 2.0), (2.0, None), (3.0, 3.0))}))
    # The fourth item was never answered at all.
    assert (row["asked"], row["valid"], row["incomplete"]) == (8, 5, 2)
    assert row["all_agree"] == 0.5
    assert row["note"] == (
        "rho over 0 of 1 pairs of replicates: in the others one never varies, or they share fewer "
        "than three items"
    )


@pytest.mark.parametrize(
    ("given", "about", "flags"),
    [
        (THREE, {"temperature": 0.0}, "near-copies: temperature 0"),
        (
            [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0), (4.0, 4.0)],
            {},
            "near-copies: 100% of items got the same score every time",
        ),
        ([(3.0, 3.0)] * 4, {}, "constant: every score is 3"),
        ([(1.0,), (2.0,), (3.0,), (4.0,)], {}, "one replicate: consistency unknown"),
        (THREE, {"is_stand_in": True}, "stand-in: no language model made these scores"),
        # Experts are no copies of each other, however much they agree.
        ([(1.0, 1.0), (2.0, 2.0), (3.0, 3.0), (4.0, 4.0)], {"kind": "panel"}, ""),
    ],
    ids=["temperature 0", "the same", "constant", "one replicate", "stand-in", "panel"],
)
def test_what_a_reader_has_to_know_is_flagged(
    given: Sequence[Sequence[float]], about: dict[str, Any], flags: str
) -> None:
    assert consistency(judges({"j": scores(*given)}, about={"j": about}))["flags"] == flags


@pytest.mark.parametrize(
    ("alike", "flags"),
    [(9, "near-copies: 90% of items got the same score every time"), (8, "")],
)
def test_near_copies_begin_at_nine_of_ten_items(alike: int, flags: str) -> None:
    cells: list[Cell] = [(f"S{number}", "", "m", "base") for number in range(10)]
    given = [(1.0 + number % 5, 1.0 + number % 5) for number in range(alike)]
    given += [(1.0, 2.0)] * (10 - alike)
    of = judges({"j": dict(zip(cells, given, strict=True))})
    ratings = {cell: 1 + number % 5 for number, cell in enumerate(cells)}
    data = study({"r": ratings})
    known = judged(check(data), of, data.participants["participant"])
    (row,) = judge_consistency(known, judge_models(of.returned_models), seed=1).to_dict("records")
    assert (row["all_agree"], row["flags"]) == (alike / 10, flags)


@pytest.mark.parametrize(("kind", "n_flags"), [("judge", 1), ("panel", 0), ("file", 0)])
def test_replicates_of_other_levels_are_a_doubt_of_judges_alone(kind: str, n_flags: int) -> None:
    """Experts differ in level, and nobody knows how a file was made."""
    cells: list[Cell] = [(f"S{number}", "", "m", "base") for number in range(10)]
    given = {cell: (1.0 + n % 3, 3.0 + n % 3) for n, cell in enumerate(cells)}
    of = judges({"j": given}, about={"j": {"kind": kind}})
    data = study({"r": dict.fromkeys(cells, 3)})
    known = judged(check(data), of, data.participants["participant"])
    (row,) = judge_consistency(known, judge_models(of.returned_models), seed=1).to_dict("records")
    assert row["flags"].count("replicates differ in level") == n_flags


def test_a_judge_that_always_answers_three_is_shown_for_what_it_is() -> None:
    row = consistency(judges({"j": scores(*[(3.0, 3.0, 3.0)] * 4)}))
    assert row["flags"] == "constant: every score is 3"
    assert row["note"] == "rho and alpha not estimable, because every score is the same"
    assert (row["all_agree"], row["mean_sd"]) == (1, 0)
    assert all(row[name] != row[name] for name in ("rho", "alpha_ordinal", "alpha_interval_low"))


@pytest.mark.parametrize(
    ("given", "note"),
    [
        ([(1.0,), (2.0,), (3.0,), (4.0,)], "not estimable, because there is one replicate"),
        ([(1.0, None), (None, 2.0)], "not estimable, because no item has two scores"),
        ([(None, None)] * 4, "no call gave a score"),
        (
            [(3.0, 3.0), (3.0, 3.0), (5.0, None)],
            "rho and alpha not estimable, because every score is the same",
        ),
        ([], "this judge has no scores yet"),
    ],
    ids=["one replicate", "never two", "none valid", "constant where repeated", "not yet run"],
)
def test_what_cannot_be_had_has_its_reason(
    given: Sequence[Sequence[float | None]], note: str
) -> None:
    assert consistency(judges({"j": scores(*given)}))["note"] == note


MODELS = [("j", "llama-4", "fp_1"), ("j", "llama-4", "fp_2"), ("k", "gpt", ""), ("k", "gpt", "f")]


def test_a_change_of_model_or_fingerprint_within_a_version_is_flagged() -> None:
    of = judges({"j": scores(*THREE), "k": scores(*THREE)}, returned=MODELS)
    models = judge_models(of.returned_models)
    # An endpoint that once named no fingerprint has not changed for it.
    assert models["changed"].tolist() == [True, True, False, False]
    table = judge_consistency(together(of), models, seed=1)
    assert table["flags"].tolist() == ["model changed", ""]
    renamed = judges({"j": {}}, returned=[("j", "llama-4", ""), ("j", "llama-4.1", "")])
    assert judge_models(renamed.returned_models)["changed"].tolist() == [True, True]


def test_shares_have_a_row_for_every_point_given_or_not_and_people_beside() -> None:
    table = judge_scores_shares(together(judges({"j": scores(*THREE)})), [1.0, 2, 3, 4, 5])
    assert table["score"].tolist() == [1, 2, 3, 4, 5]
    assert table["n"].tolist() == [2, 3, 3, 2, 2]
    assert table["share"].tolist() == pytest.approx([n / 12 for n in (2, 3, 3, 2, 2)])
    assert table["people_n"].tolist() == [1, 1, 2, 0, 0]
    assert table["people_share"].tolist() == [0.25, 0.25, 0.5, 0, 0]


def test_peoples_ratings_of_a_response_in_several_sets_share_one_vote() -> None:
    places: list[Cell] = [("S1", f"{number}", "big", "reference") for number in range(4)]
    own: Cell = ("S1", "0", "m", "base")
    data = study({"r": dict(zip(places, [5, 5, 5, 4], strict=True)) | {own: 1}})
    of = judges({"j": {place: [4.0] for place in places} | {own: [1.0]}})
    found = judged(check(data), of, data.participants["participant"])
    table = judge_scores_shares(found, [1.0, 2, 3, 4, 5]).set_index("score")
    assert table["people_n"].to_dict() == {1: 1, 2: 0, 3: 0, 4: 1, 5: 3}
    assert table["people_share"].to_dict() == {1: 0.5, 2: 0, 3: 0, 4: 0.125, 5: 0.375}


def test_on_another_scale_only_what_was_given_is_shown_and_no_people() -> None:
    of = judges({"j": scores((1.0,), (3.0,), (3.0,))}, about={"j": {"comparable": False}})
    table = judge_scores_shares(together(of), [1.0, 2, 3, 4, 5])
    assert table["score"].tolist() == [1, 3]
    assert table["people_share"].isna().all()


def test_every_items_spread_is_told() -> None:
    table = judge_item_spread(together(judges({"j": scores((1.0, 2.0), (4.0, None))})))
    first, second, third, _ = table.to_dict("records")
    assert (first["mean"], first["min"], first["max"]) == (1.5, 1, 2)
    assert first["sd"] == pytest.approx(0.5**0.5)
    assert (first["scenario"], first["model"], first["condition"]) == ("S1", "m", "base")
    assert [(row["valid"], row["asked"]) for row in (first, second, third)] == [
        *((2, 2), (1, 2), (0, 2))
    ]
    assert judge_item_spread(together(judges({"j": {}}))).empty
