"""The response, not its place, is what judges and people judged."""

import pytest

from analysis.judges.judged import Judged, JudgesData, judged
from analysis.study_data import StudyData, check
from tests.analysis.judged_study import Cell, cells, judges, study

REFERENCE: list[Cell] = [("S1", f"{number}", "big", "reference") for number in (1, 2, 3, 4)]
BASE: Cell = ("S1", "1", "m1", "base")


def together(data: StudyData, of: JudgesData) -> Judged:
    return judged(check(data), of, data.participants["participant"])


def test_a_reference_in_four_sets_counts_once() -> None:
    ratings = dict(zip(REFERENCE, [5, 4, 4, 4], strict=True)) | {BASE: 2}
    second = dict.fromkeys(REFERENCE[:1], 3)
    scores = {cell: [4.0, 5.0, 5.0] for cell in REFERENCE} | {BASE: [1.0, 1.0, 2.0]}
    found = together(study({"r": ratings, "s": second}), judges({"j": scores}))
    (judge,) = found.judges
    people = found.people["empathy"]
    # The first rater's mean of four, and the other one's single rating.
    assert people.loc[["S1/big/reference"]].to_numpy().tolist() == [[4.25, 3.0]]
    assert found.replicates(judge, "empathy").to_numpy().tolist() == [[1, 1, 2], [4, 5, 5]]
    assert found.means(judge, "empathy").to_dict() == pytest.approx(
        {"S1/m1/base": 4 / 3, "S1/big/reference": 14 / 3}
    )
    responses = found.responses["empathy"]
    assert responses["sets"].to_dict() == {"S1/m1/base": "1", "S1/big/reference": "1, 2, 3, 4"}


def test_a_judge_that_sees_blocks_judges_places_and_its_mean_is_over_all_of_them() -> None:
    scores: dict[Cell, list[float | None]] = {
        REFERENCE[0]: [4.0, 5.0],
        REFERENCE[1]: [3.0, None],
    }
    found = together(
        study({"r": dict.fromkeys(REFERENCE[:2], 3)}),
        judges({"j": scores}, about={"j": {"presentation": "block"}}),
    )
    (judge,) = found.judges
    table = found.replicates(judge, "empathy")
    assert table.fillna(0).to_numpy().tolist() == [[4, 5], [3, 0]]
    assert found.items(judge, "empathy")["sets"].tolist() == ["1", "2"]
    assert found.means(judge, "empathy").to_dict() == {"S1/big/reference": 4.0}


def test_a_language_model_is_asked_about_everything_and_a_file_about_what_it_holds() -> None:
    data = study({"r": dict.fromkeys(cells("S1"), 3)})
    of = judges({"j": {BASE: [2.0]}, "f": {BASE: [2.0]}}, about={"f": {"kind": "file"}})
    found = together(data, of)
    model, file = found.judges
    assert len(found.replicates(model, "empathy")) == 3
    assert len(found.replicates(file, "empathy")) == 1
    assert found.means(model, "empathy").to_dict() == {"S1/m1/base": 2.0}


def test_nothing_judged_is_nothing() -> None:
    found = together(study({"r": dict.fromkeys(cells("S1"), 3)}), judges({"j": {}}))
    assert found.dimensions_of(found.judges[0]) == []
    assert found.people["empathy"].shape == (3, 1)


def test_a_response_that_was_scored_in_one_set_is_known_in_the_others() -> None:
    data = study({"r": dict(zip(REFERENCE, [1, 2, 3, 4], strict=True))})
    scores: dict[Cell, list[float | None]] = {REFERENCE[1]: [5.0]}
    blocks = {"j": {"presentation": "block"}}
    found = together(data, judges({"j": scores}, about=blocks, unscored=REFERENCE))
    assert found.people["empathy"].to_numpy().tolist() == [[2.5]]
    assert len(found.replicates(found.judges[0], "empathy")) == 4
    unscored = together(data, judges({"j": {}}, unscored=REFERENCE))
    assert len(unscored.responses["empathy"]) == 1


def test_another_text_of_the_same_system_is_a_response_of_its_own_also_without_a_score() -> None:
    other: Cell = ("S1", "2", "m1", "base")
    found = together(study({"r": {BASE: 1, other: 5}}), judges({"j": {BASE: [2.0]}}))
    scored, unscored = found.responses["empathy"]["sets"].items()
    assert (scored, unscored[1]) == (("S1/m1/base", "1"), "2")
    assert found.people["empathy"]["r"].to_dict() == {"S1/m1/base": 1, unscored[0]: 5}
    assert found.means(found.judges[0], "empathy").to_dict() == {"S1/m1/base": 2.0}
