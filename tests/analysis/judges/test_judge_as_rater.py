"""The alternative annotator test as tables, with judges that know nothing beside the real ones."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.judges.agreement_with_people import OTHER_SCALE
from analysis.judges.judge_as_rater import alt_tests
from analysis.judges.judged import Judged, JudgesData, judged
from analysis.pipeline import StudyData
from analysis.stats.alt_test import alt_test
from analysis.study_data import check
from tests.analysis.judged_study import Cell, judges, study

POINTS = [1.0, 2.0, 3.0, 4.0, 5.0]
CELLS: list[Cell] = [(f"S{n}", "", "m", "base") for n in range(60)]


def crowd(noise: float, raters: int = 5, cells: list[Cell] = CELLS) -> StudyData:
    """Raters who see the same truth, each through noise of their own."""
    draw = np.random.default_rng(2)
    truth = draw.integers(1, 6, len(cells))
    seen = np.clip(np.rint(truth + draw.normal(0, noise, (raters, len(cells)))), 1, 5)
    return study(
        {f"r{n}": {c: int(x) for c, x in zip(cells, seen[n], strict=True)} for n in range(raters)}
    )


def always(score: float, cells: list[Cell] = CELLS) -> JudgesData:
    return judges({"j": {cell: [score] for cell in cells}})


def together(data: StudyData, of: JudgesData) -> Judged:
    return judged(check(data), of, data.participants["participant"])


def test_every_epsilon_and_every_constant_has_its_row() -> None:
    table, _ = alt_tests(together(crowd(0.5), always(3.0)), POINTS, epsilon=0.12)
    assert table["judge"].drop_duplicates().tolist() == [
        *("j", "always 1", "always 2", "always 3", "always 4", "always 5")
    ]
    assert table["epsilon"].tolist() == [0.1, 0.12, 0.15, 0.2] * 6
    assert table["epsilon"][table["is_studys"]].unique().tolist() == [0.12]
    assert table["is_baseline"].tolist() == [False] * 4 + [True] * 20
    assert set(table["n_raters"]) == {5}
    assert set(table["n_items"]) == {60}


def test_a_row_is_what_the_test_finds() -> None:
    data = crowd(1.0)
    together_ = together(data, always(4.0))
    table, raters = alt_tests(together_, POINTS, epsilon=0.2)
    people = together_.people["empathy"]
    found = alt_test(people, people.mean(axis=1) * 0 + 4, epsilon=0.2)
    row = table[(table["judge"] == "j") & table["is_studys"]].iloc[0]
    assert (row["winning_rate"], row["advantage"]) == (found.winning_rate, found.advantage)
    assert row["passes"] == found.passes
    assert raters["participant"].tolist() == ["r0", "r1", "r2", "r3", "r4"]
    assert raters["p"].tolist() == found.raters["p"].tolist()
    assert set(raters["epsilon"]) == {0.2}


def test_where_a_constant_passes_passing_says_little_of_a_judge_that_always_answers_three() -> None:
    table, _ = alt_tests(together(crowd(2.0), always(3.0)), POINTS, epsilon=0.1)
    mine, constant = (
        table[(table["judge"] == name) & table["is_studys"]].iloc[0] for name in ("j", "always 3")
    )
    assert mine["passes"]
    assert (mine["winning_rate"], mine["advantage"]) == (
        constant["winning_rate"],
        constant["advantage"],
    )
    assert mine["note"] == "passing says little: constant judges pass, too (always 3)"
    careful, _ = alt_tests(together(crowd(0.4), always(3.0)), POINTS, epsilon=0.1)
    assert not careful["passes"].any()


@pytest.mark.parametrize(
    ("raters", "items", "note"),
    [
        (1, 60, "not estimable, because there is one rater and nobody to compare with"),
        (
            3,
            29,
            "not estimable, because no rater shares 30 responses with the judge and another rater",
        ),
    ],
)
def test_too_little_is_said_to_be(raters: int, items: int, note: str) -> None:
    data = crowd(1.0, raters, CELLS[:items])
    table, of_raters = alt_tests(together(data, always(3.0)), POINTS, epsilon=0.1)
    assert set(table["note"]) == {note}
    assert table["winning_rate"].isna().all()
    assert table["passes"].isna().all()
    assert set(of_raters["note"]) == {"fewer than 30 items"}


def test_items_of_one_rater_alone_do_not_count() -> None:
    table, _ = alt_tests(together(crowd(1.0, 1), always(3.0)), POINTS, epsilon=0.1)
    assert set(table["n_items"]) == {0}


def test_raters_of_other_items_than_the_judges_cannot_be_tested() -> None:
    data = crowd(1.0, 3, CELLS[:30])
    table, _ = alt_tests(together(data, always(3.0, CELLS[30:])), POINTS, epsilon=0.1)
    row = table[table["judge"] == "j"].iloc[0]
    assert row["n_items"] == 0
    assert row["note"] == (
        "not estimable, because no two raters rated the same response that the judge scored"
    )


def test_a_rater_with_too_few_items_is_left_out_and_counted() -> None:
    data = crowd(1.0)
    few = (data.ratings["participant"] == "r0") & (data.ratings.index >= 20)
    table, of_raters = alt_tests(
        together(study_without(data, few.to_numpy()), always(5.0)), POINTS, epsilon=0.1
    )
    row = table[table["judge"] == "j"].iloc[0]
    assert (row["n_raters"], row["note"]) == (4, "raters left out for fewer than 30 items: 1")
    assert of_raters["note"].tolist() == ["fewer than 30 items", "", "", "", ""]


def study_without(data: StudyData, rows: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> StudyData:
    return replace(data, ratings=data.ratings[~rows])


def test_a_judge_on_another_scale_is_not_tested() -> None:
    of = judges({"j": {cell: [50.0] for cell in CELLS}}, about={"j": {"comparable": False}})
    table, of_raters = alt_tests(together(crowd(1.0), of), POINTS, epsilon=0.1)
    own = table[table["judge"] == "j"]
    assert own[["epsilon", "is_studys", "note"]].to_numpy().tolist() == [[0.1, True, OTHER_SCALE]]
    assert len(table) == 1 + 15
    assert of_raters.empty
