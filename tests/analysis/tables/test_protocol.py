"""How a protocol worked out, by hand on a tiny study."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from pandas import DataFrame, Series, concat, isna

from analysis.study_data import ProtocolData
from analysis.tables.protocol import protocol

Rows = Sequence[tuple[Any, ...]]
CELL = ["scenario", "set", "model", "condition"]


def data(
    people: Rows, ratings: Rows = (), ranks: Rows = (), changes: Rows = (), comments: Rows = ()
) -> ProtocolData:
    """Tables of one block: people (name, status, seconds), then (name, model, value, revisions),
    (name, changes) and (name, text). Everybody who changed something or nothing was shown a page.
    """

    def answered(rows: Rows, value: str) -> DataFrame:
        full = [(who, "S1", "", model, "c", "d", v, r) for who, model, v, r in rows]
        return DataFrame(full, columns=["participant", *CELL, "dimension", value, "revisions"])

    return ProtocolData(
        DataFrame(people, columns=["participant", "status", "duration_seconds"]).assign(
            clock_stepped=[seconds is None for *_, seconds in people]
        ),
        answered(ratings, "rating"),
        answered(ranks, "rank"),
        DataFrame(changes, columns=["participant", "changes"]).assign(
            shown_at="2026-01-01", interface=[1 + n % 2 for n in range(len(changes))]
        ),
        DataFrame(comments, columns=["participant", "text"]),
        DataFrame(columns=["participant", *CELL]),
    )


def measures(table: DataFrame) -> dict[str, tuple[Any, int]]:
    values = [None if isna(value) else value for value in table["value"]]
    return dict(zip(table["measure"], zip(values, table["n"], strict=True), strict=True))


PEOPLE: Rows = [("a", "completed", 600), ("b", "completed", 1200), ("c", "in_progress", 60)]


def test_measures_by_hand() -> None:
    found = measures(
        protocol(
            data(
                PEOPLE,
                # a rates x above y and y like z; b rates z best.
                ratings=[
                    *(("a", "x", 5, 1), ("a", "y", 3, 0), ("a", "z", 3, 0)),
                    *(("b", "x", 1, 0), ("b", "y", 2, 2), ("b", "z", 4, 0)),
                    ("c", "x", 5, 9),
                ],
                # a ranks y above x: one contradiction of two comparable pairs; b none of three.
                ranks=[
                    *(("a", "x", 2, 0), ("a", "y", 1, 0), ("a", "z", 3, 0)),
                    *(("b", "x", 3, 1), ("b", "y", 2, 0), ("b", "z", 1, 0)),
                ],
                changes=[("a", 2), ("b", None), ("c", 7)],
                comments=[("a", "Hard."), ("a", "Long."), ("b", ""), ("c", "Left.")],
            )
        )
    )
    assert found == {
        "completed": (2, 2),
        "minutes_median": (15, 2),
        "minutes_lower_quartile": (12.5, 2),
        "minutes_upper_quartile": (17.5, 2),
        "clock_stepped": (0, 2),
        "changed_answers": ((1 + 2 + 1 + 2) / 2, 2),
        "contradictions": (1 / 5, 5),
        "contradicting_people": (1, 2),
        # Rank sums 4, 3.5, 4.5 of ratings with one tie: 12 · 0.5 / (4 · 24 − 2 · 6).
        "agreement_ratings": (pytest.approx(6 / 84), 1),
        # Rank sums 5, 3, 4 of ranks: 12 · 2 / (4 · 24).
        "agreement_ranks": (pytest.approx(0.25), 1),
        "texts": (2, 2),
        "writing_people": (1, 2),
        "interfaces": (2, 2),
    }


def test_durations_across_a_clock_that_was_set_back_are_unknown_and_counted() -> None:
    found = measures(protocol(data([("a", "completed", None), ("b", "completed", 1200)])))
    assert found["minutes_median"] == (20, 1)
    assert found["clock_stepped"] == (1, 2)


def test_study_that_nobody_completed_has_no_measures() -> None:
    found = measures(protocol(data([("c", "in_progress", 60)], ratings=[("c", "x", 5, 9)])))
    assert found["completed"] == (0, 0)
    assert {found[name] for name in found if name.startswith(("minutes", "agreement"))} == {
        (None, 0)
    }
    assert found["contradictions"] == found["changed_answers"] == (None, 0)


def test_ranks_on_a_rated_dimension_are_held_against_its_ratings_alone() -> None:
    found = data(
        PEOPLE,
        ratings=[("a", "x", 5, 0), ("a", "y", 4, 0)],
        ranks=[("a", "x", 1, 0), ("a", "y", 2, 0)],
    )
    other = found.ratings.assign(dimension="other", rating=[1, 5])
    both = replace(found, ratings=concat([found.ratings, other]))
    assert measures(protocol(both))["contradictions"] == (0, 1)
    unnamed = replace(both, ranks=both.ranks.assign(dimension=""))
    assert measures(protocol(unnamed))["contradictions"] == (1, 1)


def test_what_imported_people_changed_and_wrote_is_not_known() -> None:
    found = data(
        PEOPLE,
        ratings=[("a", "x", 5, 2), ("b", "x", 4, 0)],
        changes=[("a", 1), ("b", None)],
        comments=[("a", "Hard.")],
    )
    nobody = replace(found, presentations=found.presentations.assign(shown_at=None))
    table = protocol(nobody).set_index("measure").loc[["changed_answers", "texts"]]
    assert table["value"].isna().all() and table["n"].tolist() == [0, 0]
    assert set(table["note"]) == {"all answers are imported and have no such record"}
    pages = found.presentations.assign(shown_at=Series(["2026-01-01", None], dtype=object))
    some = replace(found, presentations=pages)
    known = measures(protocol(some))
    assert (known["changed_answers"], known["texts"]) == ((3, 1), (1, 1))


def test_study_without_ranks_has_no_contradictions() -> None:
    found = measures(protocol(data(PEOPLE, ratings=[("a", "x", 5, 0), ("a", "y", 3, 0)])))
    assert found["contradictions"] == (None, 0)
    assert found["agreement_ranks"] == (None, 0)


def test_blocks_without_two_people_who_tell_responses_apart_have_no_agreement() -> None:
    alone = [("a", "x", 5, 0), ("a", "y", 3, 0)]
    tied = [(who, model, 4, 0) for who in "ab" for model in "xy"]
    in_part = [*alone, ("b", "x", 1, 0)]
    for ratings in (alone, tied, in_part):
        assert measures(protocol(data(PEOPLE, ratings)))["agreement_ratings"] == (None, 0)


@pytest.mark.parametrize("people", [PEOPLE, [], [("a", "completed", None)]])
def test_measure_without_a_value_says_why(people: Rows) -> None:
    table = protocol(data(people, ratings=[("a", "x", 5, 0)]))
    assert table["value"].isna().any()
    assert ((table["note"] != "") == table["value"].isna()).all()


@pytest.mark.parametrize(
    ("ratings", "ranks", "notes"),
    [
        (
            (),
            (),
            ["there are no ratings and no ranks", "there are no ratings", "there are no ranks"],
        ),
        (
            [("a", "x", 5, 0)],
            (),
            [
                "there are no ranks",
                "no block has two people who rated all of it and told its responses apart",
                "there are no ranks",
            ],
        ),
    ],
)
def test_what_nobody_answered_is_not_said_to_be_alike(
    ratings: Rows, ranks: Rows, notes: list[str]
) -> None:
    table = protocol(data(PEOPLE, ratings=ratings, ranks=ranks)).set_index("measure")
    names = ["contradictions", "agreement_ratings", "agreement_ranks"]
    assert table["note"].reindex(names).tolist() == notes
