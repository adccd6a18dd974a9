"""Raters who are flagged for their writing: counted, and excluded by nothing."""

import pytest
from pandas import DataFrame

from analysis.not_available import NotAvailable
from analysis.raters.writing import flagged_among, flagged_writing, with_flagged, with_flags
from analysis.study_data import records
from analysis.writing_rules import WritingRules

RULES = WritingRules()
COLUMNS = ["participant", "characters", "typed_characters", "pasted_characters"]
WRITING = DataFrame(
    [
        ("p1", 100, 100, 0),
        ("p1", 100, 0, 100),
        ("p2", 100, 100, 0),
        ("p3", 60, 0, 60),
        ("p3", 60, 0, 60),
        ("gone", 100, 0, 100),  # declined, so no rater
    ],
    columns=[*COLUMNS],
).assign(largest_insertion=[1, 100, 1, 10, 10, 100], typing_seconds=30.0)
RATERS = DataFrame({"participant": ["p1", "p2", "p3", "p4"], "included": [True, True, False, True]})


def test_each_rater_has_the_flags_of_all_their_answers() -> None:
    found = with_flags(RATERS, WRITING, RULES)
    assert list(found["participant"]) == ["p1", "p2", "p3", "p4"]
    assert list(found["flags"]) == ["pasted, at_once", "", "pasted", ""]
    assert found["answers_recorded"].tolist()[:3] == [2, 1, 2]
    assert found["answers_flagged"].tolist()[:3] == [1, 0, 2]
    assert found.loc[3, ["answers_recorded", "answers_flagged"]].isna().all(), "not zero"


def test_rules_count_answers_and_raters() -> None:
    raters = with_flags(RATERS, WRITING, RULES)
    rows = {row["rule"]: row for row in records(flagged_writing(WRITING, raters, RULES))}
    assert list(rows) == ["pasted", "returned", "at_once", "too_fast", "any"]
    everything = {"answers": 5, "raters": 3, "included": 2}
    counted = {
        "pasted": (3, 2, 1), "returned": (0, 0, 0), "at_once": (1, 1, 1), "too_fast": (0, 0, 0),
        "any": (3, 2, 1),
    }  # fmt: skip
    columns = ("flagged_answers", "flagged_raters", "flagged_included")
    for rule, flagged in counted.items():
        expected = {"rule": rule, **everything, **dict(zip(columns, flagged, strict=True))}
        assert rows[rule] == expected


def test_flagged_raters_are_known_only_where_something_was_recorded() -> None:
    people = RATERS[["participant"]]
    raters = with_flags(RATERS, WRITING, RULES)
    assert flagged_among(with_flagged(people, raters, recorded=True)) == frozenset(["p1", "p3"])
    assert flagged_among(with_flagged(people, raters, recorded=False)) is None
    unknown = with_flags(RATERS, WRITING[:0], RULES)
    assert flagged_among(with_flagged(people, unknown, recorded=True)) is None
    assert list(with_flags(RATERS, None, RULES)["flags"]) == ["", "", "", ""]


def test_without_a_record_there_is_nothing_to_count() -> None:
    with pytest.raises(NotAvailable, match="no script recorded how an answer was written"):
        flagged_writing(WRITING[:0], RATERS, RULES)
