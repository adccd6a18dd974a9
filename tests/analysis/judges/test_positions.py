"""A judge of whole blocks that prefers a position is shown to do so; one that does not is not."""

from dataclasses import replace

import pytest

from analysis.judges import judging
from analysis.judges.judged import JudgesData
from analysis.quality_rules import QualityRules
from tests.analysis import judged_study
from tests.analysis.judged_study import cells

SCENARIOS = [f"s{n}" for n in range(6)]
CELLS = cells(*SCENARIOS)
#: Of three responses, at each position in turn.
ORDERS = [(1, 2, 3), (2, 3, 1), (3, 1, 2)]


def judge(first: float, *, presentation: str = "block") -> JudgesData:
    """A judge that gives the response at the first position so many points more."""
    scores = {
        cell: [3.0 + (n % 2) + first * (order[n % 3] == 1) for order in ORDERS]
        for n, cell in enumerate(CELLS)
    }
    made = judged_study.judges({"llm": scores}, about={"llm": {"presentation": presentation}})
    table = made.judge_scores
    positions = [order[n % 3] for n in range(len(CELLS)) for order in ORDERS]
    return replace(made, judge_scores=table.assign(position=positions))


def analysed(judges: JudgesData) -> tuple[judging.Tables, judging.Figures, dict[str, str]]:
    people = {"r1": dict.fromkeys(CELLS, 3), "r2": dict.fromkeys(CELLS, 4)}
    return judging.analyse_judges(judged_study.study(people), judges, QualityRules())


def test_preference_for_a_position_has_its_table_and_figure() -> None:
    tables, figures, _ = analysed(judge(1.0))
    table = tables["judge_positions"]
    assert table["position"].tolist() == [1, 2, 3]
    assert table["effect"].tolist() == pytest.approx([2 / 3, -1 / 3, -1 / 3])
    assert (table["p"] < 0.01).all()
    assert table["n"].tolist() == [18, 18, 18]
    (trace,) = figures["judge_position_effects"]["data"]
    assert trace["y"] == pytest.approx([0.667, -0.333, -0.333], abs=1e-3)


def test_judge_without_a_preference_has_none() -> None:
    tables, _, _ = analysed(judge(0.0))
    assert tables["judge_positions"]["effect"].tolist() == pytest.approx([0, 0, 0])
    assert (tables["judge_positions"]["p"] == 1).all()


def test_judge_of_single_responses_has_no_positions() -> None:
    tables, figures, absent = analysed(judge(0.0, presentation="single"))
    assert not {"judge_positions", "judge_position_effects"} & {*tables, *figures}
    assert absent["judge_positions"] == "no judge sees whole blocks"


def test_positions_that_do_not_vary_say_so() -> None:
    only_first = judge(0.0)
    table = only_first.judge_scores.assign(position=1)
    tables, _, absent = analysed(replace(only_first, judge_scores=table))
    (row,) = tables["judge_positions"].to_dict("records")
    assert row["note"] == "not estimable, because no block was scored in several positions"
    assert absent["judge_position_effects"] == "no effect of a position is estimable"
