"""Does the place on the page matter to choices and ranks? By hand, and beside scipy."""

import random
from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest
from pandas import DataFrame
from scipy.stats import chisquare, friedmanchisquare

from analysis.not_available import NotAvailable
from analysis.recipe import shipped_recipes
from analysis.stats.multiplicity import adjust
from analysis.study_data import ITEM
from analysis.tables.positions import PositionTables, positions

SOUND = shipped_recipes()["sound"]
#: Whoever answered, the scenario, the systems by their places on the page, and what was chosen as
#: best and as worst, or all of them from the best to the worst.
Page = tuple[str, str, str, str]


def ranks(*pages: Page, given: str = "choice", set_: str = "") -> DataFrame:
    """A row for every response of these pages, on the study's one question."""
    rows = []
    for rater, scenario, shown, answered in pages:
        for place, system in enumerate(shown, start=1):
            rank = answered.index(system) + 1.0 if given == "rank" else float("nan")
            choice = {answered[0]: "best", answered[-1]: "worst"}.get(system, "")
            choice = choice if given == "choice" else ""
            rows.append((rater, scenario, set_, system, "told", "", choice, rank, float(place)))
    columns = ["participant", *ITEM, "choice", "rank", "response_position"]
    return DataFrame(rows, columns=columns).astype(dict.fromkeys(ITEM, "category"))


def found(data: DataFrame) -> PositionTables:
    return positions(data, SOUND, raters="all")


def row(table: DataFrame, **wanted: object) -> Any:
    for column, value in wanted.items():
        table = table[table[column] == value]
    (only,) = (each for _, each in table.iterrows())
    return only


def many(given: str = "choice", *, liking: str = "", n: int = 60) -> DataFrame:
    """Raters who answer ten pages each; the first place is liked by all if that is `liking`."""
    draw = random.Random(7)
    pages: list[Page] = []
    for rater in range(n // 10):
        for scenario in range(10):
            shown = draw.sample("wxyz", 4)
            answered: Sequence[str] = draw.sample("wxyz", 4)
            if liking == "place" and draw.random() < 0.7:
                answered = [shown[0], *(each for each in answered if each != shown[0])]
            if liking == "system":
                answered = ["x", *(each for each in answered if each != "x")]
            pages.append((f"r{rater}", f"Q{scenario}", "".join(shown), "".join(answered)))
    return ranks(*pages, given=given)


STUDY = ranks(
    ("r1", "Q1", "xyz", "xz"),
    ("r1", "Q2", "zxy", "xz"),
    ("r2", "Q1", "yzx", "yx"),
    ("r2", "Q2", "xzy", "xy"),
)


def test_choices_are_counted_by_place() -> None:
    effects = found(STUDY).effects
    best = effects[effects["answer"] == "best"]
    assert list(best["response_position"]) == [1, 2, 3]
    assert list(best["value"]) == [0.75, 0.25, 0]
    assert set(best["evenly"]) == {1 / 3}
    assert set(best["n_raters"]) == {2} and set(best["pages"]) == {4}
    # The raters' own shares of the first place are ½ and 1, which is what two can be drawn to.
    assert (best["ci_low"].iloc[0], best["ci_high"].iloc[0]) == (0.5, 1)


def test_unit_is_the_page_and_that_of_intervals_the_participant() -> None:
    tables = found(STUDY)
    assert set(tables.tests["unit"]) == set(tables.conclusions["unit"]) == {"page"}
    assert set(tables.effects["unit"]) == {"participant"}


def test_test_of_choices_is_pearsons_of_the_places_chosen() -> None:
    data = many()
    places = data.loc[data["choice"] == "best", "response_position"].value_counts()
    tested = row(found(data).tests, answer="best")
    expected = chisquare(places.reindex([1, 2, 3, 4], fill_value=0))
    assert (tested.chi_squared, tested.p) == pytest.approx(tuple(expected))
    assert (tested.positions, tested.df, tested.pages, tested.n_raters) == (4, 3, 60, 6)


def test_test_of_ranks_is_friedmans_over_pages() -> None:
    data = many("rank")
    by_page = data.pivot(
        index=["participant", "scenario"], columns="response_position", values="rank"
    )
    tested = row(found(data).tests, answer="rank")
    expected = friedmanchisquare(*(by_page[place] for place in by_page))
    assert (tested.chi_squared, tested.p) == pytest.approx(tuple(expected))


def test_mean_ranks_are_those_of_raters() -> None:
    pages = [("r1", "Q1", "xy", "xy"), ("r1", "Q2", "yx", "xy"), ("r2", "Q1", "xy", "yx")]
    effects = found(ranks(*pages, given="rank")).effects
    assert list(effects["value"]) == [(1.5 + 2) / 2, (1.5 + 1) / 2]
    assert set(effects["evenly"]) == {1.5}


@pytest.mark.parametrize("given", ["choice", "rank"])
def test_liking_for_a_place_is_found_and_one_for_a_system_is_none_for_places(given: str) -> None:
    liked = found(many(given, liking="place")).tests
    assert liked["p_adjusted"].iloc[0] < 0.001
    same = found(many(given, liking="system")).tests
    assert same["p"].iloc[0] > 0.05


def test_p_is_adjusted_over_answers() -> None:
    tests = found(many()).tests
    assert list(tests["p_adjusted"]) == list(adjust(tests["p"], "holm").p)


def test_system_that_stood_at_the_liked_place_more_often_is_evened() -> None:
    # Everybody takes the first response; x stood there three times in four.
    data = ranks(
        *((f"r{n}", "Q1", "xy", "xy") for n in range(3)),
        ("r3", "Q1", "yx", "yx"),
    )
    conclusions = found(data).conclusions
    x, y = (row(conclusions, answer="best", model=model) for model in "xy")
    assert (x.value, y.value) == (0.75, 0.25)
    assert (x.value_evened, y.value_evened) == (0.5, 0.5)
    # Alone in the first place by the one, together with the other by the other.
    assert (x.moves, y.moves) == (False, True)


def test_best_mean_rank_is_the_lowest() -> None:
    conclusions = found(many("rank", liking="system")).conclusions
    assert row(conclusions, model="x").value == 1
    assert not conclusions["moves"].any()


def test_place_at_which_a_system_never_stood_is_named() -> None:
    data = ranks(("r1", "Q1", "xyz", "xz"), ("r2", "Q1", "xzy", "xz"))
    conclusions = found(data).conclusions
    x, y = (row(conclusions, answer="best", model=model) for model in "xy")
    assert x.note == "not estimable, because it never stood at place 2 or 3"
    assert y.note == "not estimable, because it never stood at place 1"
    assert conclusions[["value_evened", "moves"]].isna().all(axis=None)


def test_system_with_every_place_beside_one_without_has_a_number_and_no_verdict() -> None:
    data = ranks(("r1", "Q1", "xyz", "xz"), ("r2", "Q1", "yxz", "xz"), ("r3", "Q1", "yzx", "xz"))
    x = row(found(data).conclusions, answer="best", model="x")
    assert x.value_evened == 1
    assert x.note == "who would be first is not estimable, because others lack a place"


@pytest.mark.parametrize(
    ("data", "note"),
    [
        (ranks(("r1", "Q1", "xyz", "xz")), "there is one page"),
        (
            ranks(*((f"r{n}", "Q1", "xyz", "xz") for n in range(9))),
            "everybody saw the responses in the same order",
        ),
        (
            ranks(
                *((f"r{n}", "Q1", "xyz", "xz") for n in range(9)),
                *((f"r{n}", "Q2", "zxy", "xz") for n in range(9)),
            ),
            "everybody saw the responses in the same order",
        ),
        (
            many("rank").assign(rank=2.0),
            "on every page all ranks are the same",
        ),
    ],
)
def test_what_cannot_be_tested_is_said(data: DataFrame, note: str) -> None:
    tests = found(data).tests
    assert set(tests["note"]) == {f"not estimable, because {note}"}
    assert tests[["chi_squared", "p", "p_adjusted"]].isna().all(axis=None)


def test_pages_of_which_not_all_is_known_are_left_out_and_counted() -> None:
    data = many()
    hidden = (data["participant"] == "r1") & (data["scenario"] == "Q1")
    data.loc[hidden, "response_position"] = float("nan")
    gone = (data["participant"] == "r2") & (data["scenario"] == "Q2") & (data["choice"] == "")
    tested = row(found(data[~gone]).tests, answer="worst")
    assert (tested.pages, tested.pages_left_out) == (58, 2)


def test_page_with_a_gap_in_its_places_is_left_out() -> None:
    data = many()
    last = (data["participant"] == "r1") & (data["response_position"] == 4)
    tested = row(
        found(data.assign(response_position=data["response_position"] + last)).tests, answer="best"
    )
    assert (tested.positions, tested.pages, tested.pages_left_out) == (4, 50, 10)


def test_pages_that_show_some_systems_of_a_block_are_whole() -> None:
    pairs = ["xy", "yx", "xz", "zx", "yz", "zy"]
    two_of_three: list[Page] = [
        (rater, "Q1", shown, shown) for rater, shown in zip("abcdef", pairs, strict=True)
    ]
    tested = row(found(ranks(*two_of_three, given="rank").assign(on_page=2)).tests)
    assert (tested.positions, tested.pages, tested.pages_left_out) == (2, 6, 0)
    assert tested.p < 0.05  # the upper one is always the better one


def test_sets_of_other_systems_stand_by_themselves() -> None:
    a, b = many(), many()
    b = b.assign(set="B", model=b["model"].astype("str").str.upper())
    both = pd.concat([a.assign(set="A").astype({"model": "str"}), b], ignore_index=True)
    tables, alone = found(both.astype(dict.fromkeys(ITEM, "category"))), found(many())
    for name, x in (("A", "x"), ("B", "X")):
        tested = row(tables.tests, set=name, answer="best")
        assert (tested.pages, tested.p) == (60, row(alone.tests, answer="best").p)
        evened = row(tables.conclusions, set=name, answer="best", model=x).value_evened
        assert evened == row(alone.conclusions, answer="best", model="x").value_evened


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"choice": ""}, "there are neither ranks nor choices"),
        ({"response_position": float("nan")}, "the places on the page are not known"),
        ({"response_position": 1.0}, "of no page all places and answers are known"),
    ],
)
def test_without_places_or_answers_there_is_no_table(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(NotAvailable, match=reason):
        found(STUDY.assign(**changes))
