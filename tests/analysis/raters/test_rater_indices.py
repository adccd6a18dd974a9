"""Indices of careful answering, each worked out by hand; and why there is none."""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
import pytest
from pandas import NA, DataFrame

from analysis.raters.rater_indices import INDICES, rater_indices
from analysis.study_data import Contrast, StudyData, check

CELL = ["scenario", "set", "model", "condition"]
ANSWER = ["participant", *CELL, "dimension"]
#: Two systems and a reference, in study order.
SYSTEMS = [("m", "base"), ("m", "tuned"), ("big", "reference")]
Answer = dict[str, Any]


def block(
    who: str, scenario: str, values: Sequence[float | None], *, group: str = "1", **shown: Any
) -> list[Answer]:
    """One rater's values for the systems of a block; `shown` holds of all, or gives each its own.

    Nothing stands where a value is None.
    """
    answers = []
    for at, (value, system) in enumerate(zip(values, SYSTEMS, strict=False)):
        about = {key: of[at] if isinstance(of, list) else of for key, of in shown.items()}
        cell = dict(zip(CELL, (scenario, group, *system), strict=True))
        if value is not None:
            answers.append(
                {"participant": who, "dimension": "empathy", **cell, **about, "is": value}
            )
    return answers


def indices(
    ratings: Sequence[Answer] = (),
    ranks: Sequence[Answer] = (),
    *,
    people: dict[str, dict[str, Any]] | None = None,
    same_text: Sequence[Answer] = (),
) -> DataFrame:
    """By rater: who answered, and who is among `people`. `same_text` names cells of one text."""
    usual = {"status": "completed", "duration_seconds": 900.0, "attention_checks_failed": 0}
    names = [str(answer["participant"]) for answer in [*ratings, *ranks]]
    everybody = dict.fromkeys([*names, *(people or {})])
    rated = DataFrame([*ratings], columns=[*ANSWER, "is", *_further(ratings)])
    placed = DataFrame([*ranks], columns=[*ANSWER, "is", *_further(ranks)])
    data = StudyData(
        participants=DataFrame(
            [usual | {"participant": who} | (people or {}).get(who, {}) for who in everybody],
            columns=["participant", *usual],
        ),
        ratings=rated.rename(columns={"is": "rating"}),
        gold=DataFrame(columns=[*CELL, "dimension", "gold"]),
        contrast=Contrast("base", "tuned", ("big", "reference")),
        scenarios=[],
        models=["m", "big"],
        scale=[(1, "Not at all"), (5, "Fully")],
        orders={"dimension": ["warm", "clear"]},
        ranks=placed.rename(columns={"is": "rank"}).assign(choice=placed.get("choice", "")),
        responses=DataFrame(list(same_text), columns=[*CELL, "response"]),
    )
    checked = check(data)
    # the order of the rows means nothing
    table = rater_indices(checked.ratings[::-1], checked.ranks[::-1], checked.consented)
    assert list(table) == ["participant", *INDICES]
    assert table["participant"].tolist() == checked.consented["participant"].tolist()
    return table.set_index("participant")


def _further(answers: Sequence[Answer]) -> list[str]:
    names = dict.fromkeys(name for answer in answers for name in answer)
    return [name for name in names if name not in {*ANSWER, "is"}]


def reason(table: DataFrame, who: str, index: str) -> str:
    """Why a rater has no such index, as the note says it; "" where it is said to be there."""
    for part in str(table.loc[who, "indices_note"]).split("; "):
        names, _, why = part.removeprefix("no ").partition(": ")
        if index in names.split(", "):
            return why
    return ""


def test_longstring_follows_the_pages_as_they_were_shown() -> None:
    answers = [
        *block("r", "S1", [5, 4, 4], block_position=2, response_position=[3, 1, 2]),
        *block("r", "S2", [1, 4, 2], block_position=1, response_position=[1, 3, 2]),
    ]
    # S2 came first: 1, 2, 4; then S1: 4, 4, 5
    assert indices(answers).loc["r", "longstring"] == 3


def test_the_dimensions_of_a_response_stood_one_below_the_other() -> None:
    shown: Answer = {"block_position": 1, "response_position": [1, 2]}
    answers = [
        *block("r", "S1", [2, 3], dimension="clear", **shown),
        *block("r", "S1", [1, 2], dimension="warm", **shown),
    ]
    # warm 1, clear 2; warm 2, clear 3
    assert indices(answers).loc["r", "longstring"] == 2


def test_without_the_order_there_is_no_longstring() -> None:
    answers = [
        *block("known", "S1", [3, 3, 3], block_position=1, response_position=[1, 2, 3]),
        *block("partly", "S1", [3, 3, 3], block_position=1, response_position=[1, None, 3]),
        *block("unknown", "S1", [3, 3, 3]),
    ]
    table = indices(answers)
    assert table["longstring"].tolist() == [3, NA, NA]
    for who in ("partly", "unknown"):
        assert reason(table, who, "longstring") == "the order is unknown"


def test_variability_is_the_mean_of_that_within_each_dimension() -> None:
    answers = [
        *block("r", "S1", [1, 3], dimension="warm"),
        *block("r", "S1", [4, 4], dimension="clear"),
        *block("s", "S1", [1, 3], dimension="warm"),
        *block("t", "S1", [1, None], dimension="clear"),
    ]
    table = indices(answers)
    assert table["irv"].tolist() == pytest.approx([sqrt(2) / 2, sqrt(2), np.nan], nan_ok=True)
    assert reason(table, "t", "irv") == "one answer has no spread"


def test_person_total_and_consensus_leave_the_rater_out() -> None:
    answers = [
        *block("r", "S1", [1, 2, 3]),
        *block("s", "S1", [1, 3, 5]),
        *block("t", "S1", [3, 2, 1]),
    ]
    table = indices(answers)
    # the others of r: 2, 2.5, 3; of s: 2, 2, 2; of t: 1, 2.5, 4
    assert table["person_total"].tolist() == pytest.approx([1, np.nan, -1], nan_ok=True)
    assert table["consensus_deviation"].tolist() == pytest.approx([0.5, 5 / 3, 5.5 / 3])
    assert reason(table, "s", "person_total") == "the others' means are all the same"


def test_the_same_text_in_two_sets_is_one_thing_rated_twice() -> None:
    cells = [("S1", "1"), ("S1", "2"), ("S2", "1")]
    reference = [
        dict(zip(CELL, (*cell, *SYSTEMS[2]), strict=True)) | {"response": f"reference {cell[0]}"}
        for cell in cells
    ]
    answers = [
        *block("r", "S1", [1, 2, 5], group="1"),
        *block("r", "S1", [1, 2, 3], group="2"),
        *block("r", "S2", [1, 2, 1]),
        *block("s", "S1", [1, 2, 3], group="1"),
    ]
    table = indices(answers, same_text=reference)
    # 5 and 3 are √2 apart as standard deviations are; S2's reference is another text
    assert table["retest_sd"].tolist() == pytest.approx([sqrt(2), np.nan], nan_ok=True)
    assert reason(table, "s", "retest_sd") == "nothing was rated twice"
    # the mean of 5 and 3 is one point from s's 3, set 2's others were rated by r alone
    assert table.loc["r", "consensus_deviation"] == pytest.approx((0 + 0 + 1) / 3)


def test_halves_of_blocks_are_those_of_the_studys_order_for_everybody() -> None:
    values = {"S1": [1, 3, 1], "S2": [4, 4, 4], "S3": [2, 5, 2]}
    answers = [each for scenario, of in values.items() for each in block("r", scenario, of)]
    # first and third against second: (1, 3), (4, 4), (2, 5)
    r = np.corrcoef([1, 4, 2], [3, 4, 5])[0, 1]
    assert indices(answers).loc["r", "even_odd"] == pytest.approx(2 * r / (1 + r))
    # who skips the first has nothing of an odd place there but the third
    skipped = [*answers, *block("s", "S1", [None, 3, 1])]
    table = indices(skipped)
    assert table.loc["r", "even_odd"] == pytest.approx(2 * r / (1 + r))
    assert reason(table, "s", "even_odd") == "fewer than three blocks with both halves"


def test_ranks_contradict_ratings_that_order_two_responses_the_other_way() -> None:
    table = indices(
        [*block("r", "S1", [5, 3, 3]), *block("s", "S1", [2, 2, 2]), *block("t", "S1", [1])],
        [*block("r", "S1", [2, 1, 3]), *block("s", "S1", [1, 2, 3])],
    )
    # 5 against 3 is ranked the wrong way once, and the right way once
    assert table["contradictions"].tolist() == [1, NA, NA]
    assert table.loc["r", "contradictions_share"] == 0.5
    assert reason(table, "s", "contradictions") == "no two responses differ in rating and in rank"
    assert reason(table, "t", "contradictions") == "nothing was both rated and ranked"


def test_choices_contradict_ratings_too() -> None:
    chosen = block("r", "S1", [np.nan] * 3, choice=["worst", "", "best"])
    table = indices(block("r", "S1", [4, 2, 3]), chosen)
    # the best (3) above the middle (2); the worst (4) is rated above both
    assert table.loc["r", "contradictions"] == 2
    assert table.loc["r", "contradictions_share"] == pytest.approx(2 / 3)


def test_ranks_and_choices_of_one_block_are_compared_each_among_themselves() -> None:
    placed = block("r", "S1", [1, 2, 3], choice=["worst", "", "best"])
    table = indices(block("r", "S1", [5, 4, 3]), placed)
    # three pairs of ranks agree with the ratings, three pairs of choices do not
    assert table.loc["r", "contradictions"] == 3
    assert table.loc["r", "contradictions_share"] == 0.5


def test_a_ranking_about_no_dimension_is_beside_the_mean_of_all() -> None:
    ratings = [
        *block("r", "S1", [1, 4], dimension="warm"),
        *block("r", "S1", [3, 1], dimension="clear"),
    ]
    by_mean = indices(ratings, block("r", "S1", [1, 2], dimension=""))
    assert by_mean.loc["r", "contradictions_share"] == 1  # 2 is ranked above 2.5
    in_one = indices(ratings, block("r", "S1", [1, 2], dimension="clear"))
    assert in_one.loc["r", "contradictions_share"] == 0


def test_a_page_is_fast_below_two_seconds_for_each_response() -> None:
    table = indices(
        [
            *block("r", "S1", [1, 2, 3], block_seconds=5.9),
            *block("r", "S2", [1, 2, 3], block_seconds=6.0),
            *block("r", "S3", [1, 2, 3], block_seconds=None),
            *block("s", "S1", [1, 2, 3]),
            *block("t", "S1", [1, 2], dimension="warm", block_seconds=4.5),
            *block("t", "S1", [1, 2], dimension="clear", block_seconds=4.5),
        ],
        block("r", "S2", [1, 2, 3]),  # of a page that was rated, and therefore no page more
    )
    assert table["fast_pages"].tolist() == pytest.approx([0.5, np.nan, 0], nan_ok=True)
    assert reason(table, "s", "fast_pages") == "no page has a time"


def test_pages_of_one_block_have_a_time_each() -> None:
    shown: dict[str, Any] = {"block_position": [1, 2, 3], "block_seconds": [1.9, 2.0, 5.0]}
    one_by_one = block("r", "S1", [1, 2, 3], **shown)
    assert indices(one_by_one).loc["r", "fast_pages"] == pytest.approx(1 / 3)


def test_durations_are_compared_among_who_completed() -> None:
    people: dict[str, dict[str, Any]] = {
        f"r{at:02}": {"duration_seconds": 600.0 + at} for at in range(20)
    }
    people["slow"] = {"duration_seconds": 9000.0}
    people["left"] = {"duration_seconds": 1e6, "status": "in_progress"}
    people["unknown"] = {"duration_seconds": np.nan}
    table = indices(people=people)
    seconds = [*range(600, 620), 9000]
    z = (9000 - np.mean(seconds)) / np.std(seconds, ddof=1)
    assert table.loc["slow", "duration_z"] == pytest.approx(z)
    assert table.index[table["duration_outside"].fillna(False)].tolist() == ["slow"]
    assert table.loc[["left", "unknown"], "duration_z"].isna().all()
    assert table.loc[["left", "unknown"], "duration_outside"].isna().all()
    assert reason(table, "left", "duration_z") == "the survey is not completed"
    assert reason(table, "unknown", "duration_z") == "no duration is known"


def test_duration_within_three_standard_deviations_is_not_outside() -> None:
    seconds = [600.0, 700.0] * 10 + [800.0]
    people: dict[str, dict[str, Any]] = {
        f"r{at:02}": {"duration_seconds": each} for at, each in enumerate(seconds)
    }
    table = indices(people=people)
    assert 2 < table["duration_z"].max() < 3
    assert table["duration_outside"].tolist() == [False] * 21


def test_constant_raters_have_what_can_be_said_of_them() -> None:
    order: Answer = {"response_position": [1, 2, 3]}
    blocks = [
        each
        for who in ("r", "s")
        for at in (1, 2, 3)
        for each in block(who, f"S{at}", [3, 3, 3], block_position=at, **order)
    ]
    table = indices(blocks)
    assert table["longstring"].tolist() == [9, 9]
    assert table["irv"].tolist() == [0, 0]
    assert table["consensus_deviation"].tolist() == [0, 0]
    assert table.loc["r", "indices_note"] == (
        "no person_total: the rater's ratings are all the same; "
        "no even_odd: one half is the same in every block; "
        "no retest_sd: nothing was rated twice; "
        "no contradictions: nothing was both rated and ranked; "
        "no fast_pages: no page has a time; "
        "no duration_z: among 2 raters nobody can be further than 0.71 SDs from the mean"
    )


def test_a_rater_alone_has_nobody_to_agree_with() -> None:
    table = indices(block("r", "S1", [1, 2, 3]))
    assert reason(table, "r", "consensus_deviation") == "nobody else rated the same items"
    assert reason(table, "r", "person_total") == "fewer than three items with other raters"


def test_who_gave_no_ratings_and_ranked_only_has_a_reason_for_each_index() -> None:
    table = indices([], block("r", "S1", [1, 2, 3], block_seconds=3.0))
    assert table.loc["r", "fast_pages"] == 1  # a page of ranks is a page
    assert table.loc["r", "indices_note"] == (
        "no longstring, irv, person_total, even_odd, retest_sd, consensus_deviation: no ratings; "
        "no contradictions: nothing was both rated and ranked; "
        "no duration_z: one duration has no spread"
    )


def test_what_is_empty_has_a_reason_and_what_has_a_reason_is_empty() -> None:
    answers = [
        *block("r", "S1", [1, 2, 3], block_position=1, response_position=[1, 2, 3]),
        *block("s", "S1", [1, 5, None]),
    ]
    table = indices(answers, people={"silent": {}})
    for name in set(INDICES) - {"indices_note", "contradictions_share", "duration_outside"}:
        said = [reason(table, who, name) != "" for who in table.index]
        assert table[name].isna().tolist() == said, name


def test_nobody_has_no_row() -> None:
    assert indices().empty
    # answers of who did not consent count for nobody
    left = {"r": {"status": "withdrawn"}}
    assert indices(block("r", "S1", [1, 2, 3]), people=left).empty
