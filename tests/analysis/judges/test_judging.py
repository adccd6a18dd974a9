"""All about judges at once: what there is, why something is not, and how long it takes."""

import json
import random
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from pandas import DataFrame

from analysis.judges.judging import (
    AGREEMENT,
    CONSISTENCY,
    FIGURES,
    GUARD,
    PAIRS,
    POSITIONS,
    JudgesData,
    analyse_judges,
)
from analysis.pipeline import Contrast, StudyData
from analysis.quality_rules import QualityRules
from tests.analysis import published_study
from tests.analysis.judged_study import CONTRAST, Cell, cells, judges, study

pytestmark = pytest.mark.slow  # each analyses a whole study

EVERY = {*CONSISTENCY, *POSITIONS, *PAIRS, *AGREEMENT, *GUARD, *FIGURES}
CELLS = cells("S1", "S2", sets=2)
dice = random.Random(4)
RATERS = {f"r{n}": {cell: dice.randint(1, 5) for cell in CELLS} for n in range(4)}
GOLD = dict.fromkeys(CELLS, 3.0)
SCORES: dict[Cell, list[float | None]] = {
    cell: [float(dice.randint(1, 5)) for _ in range(3)] for cell in CELLS
}
#: Columns that may be empty without a word: they are beside what explains them.
SILENT = {
    "judge_item_spread": ["mean", "sd", "min", "max", "words"],  # `valid` says so
    "judge_scores_shares": ["share", "people_n", "people_share"],
    "judge_agreement": ["ci_low", "ci_high"],
    "guard_systems": ["mean", "difference"],  # `n` is 0
    "guard_raters": ["mae", "mae_consensus"],
    "guard_wins": ["a_percent", "b_percent", "reference_percent"],
}

NO_CALL = "no call of a judge was answered here"
ALONE = dict.fromkeys(POSITIONS, "no judge sees whole blocks") | dict.fromkeys(
    PAIRS, "no judge compares pairs"
)
TOO_FEW = "not estimable, because no rater shares 30 responses with the judge and another rater"


def analysed(
    data: StudyData, of: JudgesData
) -> tuple[dict[str, DataFrame], dict[str, Any], dict[str, str]]:
    """Everything, after what holds for all of it was checked."""
    tables, figures, absent = analyse_judges(data, of, QualityRules())
    assert {*tables, *figures} == EVERY - set(absent)
    json.dumps(figures, allow_nan=False)
    for name, table in tables.items():
        rows = table.drop(columns=SILENT.get(name, []))
        empty = rows.drop(columns="note", errors="ignore").isna().any(axis=1)
        assert not empty.any() or rows["note"][empty].ne("").all(), name
    return tables, figures, absent


def test_a_whole_study_has_all_tables_and_figures() -> None:
    three = {cell: [3.0] * 3 for cell in CELLS}
    answered = [(name, "llama-4", "") for name in ("j", "three")]
    of = judges({"j": SCORES, "three": three}, returned=answered)
    tables, figures, absent = analysed(study(RATERS, gold=GOLD), of)
    assert set(absent) == {"judge_alt_test", *ALONE}  # nobody rated thirty responses
    consistency = tables["judge_consistency"].set_index("judge")
    assert consistency.loc["three", "flags"] == "constant: every score is 3"
    assert set(tables["guard_funnel"]["way"]) == {
        *("judge gold", "leave-one-rater-out consensus", "no sigma_mae filter")
    }
    assert set(figures) == {"judge_bland_altman", "judge_against_people", "judge_shares"}


def test_people_are_those_before_the_distance_to_the_judge_is_asked() -> None:
    flat = {**RATERS, "flat": dict.fromkeys(CELLS, 1), "quick": dict.fromkeys(CELLS, 5)}
    gold = dict.fromkeys(CELLS, 5.0)
    data = study(flat, gold=gold, people={"quick": {"duration_seconds": 1.0}})
    tables, *_ = analysed(data, judges({"j": SCORES}))
    assert tables["guard_raters"]["participant"].tolist() == ["flat"]
    # The one whom `sigma_mae` drops is among people, the one that was too quick is not.
    assert set(tables["judge_agreement"]["n_raters"]) == {5}
    assert "flat" in set(tables["alt_test_raters"]["participant"])


def test_the_same_data_in_another_order_give_the_same() -> None:
    data, of = study(RATERS, gold=GOLD), judges({"j": SCORES})
    first = analysed(data, of)
    mixed = analysed(
        replace(data, ratings=data.ratings[::-1], gold=data.gold[::-1]),
        replace(of, judge_scores=of.judge_scores.sample(frac=1, random_state=1)),
    )
    assert {name: table.to_csv() for name, table in first[0].items()} == {
        name: table.to_csv() for name, table in mixed[0].items()
    }
    assert first[1:] == mixed[1:]


NO_JUDGE = "the study has no gold scores and no judge"


@pytest.mark.parametrize(
    ("data", "of", "absent"),
    [
        (study(RATERS), judges({}), dict.fromkeys(EVERY, NO_JUDGE)),
        (
            study({}, gold=GOLD),
            judges({"j": SCORES}),
            dict.fromkeys([*AGREEMENT, *FIGURES], "there are no ratings yet")
            | dict.fromkeys(
                GUARD, "no rating has a gold score, so nobody is filtered by their distance to one"
            ),
        ),
        (
            study(RATERS, gold=GOLD, people={r: {"duration_seconds": 1.0} for r in RATERS}),
            judges({"j": SCORES}),
            dict.fromkeys([*AGREEMENT, *FIGURES], "no rater is included")
            | {"guard_wins": "there is nothing to compare: see `wins`"},
        ),
        (
            study({**RATERS, "none": {}}, people={r: {"duration_seconds": 1.0} for r in RATERS}),
            judges({"j": SCORES}),
            dict.fromkeys([*AGREEMENT, *FIGURES], "the included raters gave no ratings")
            | dict.fromkeys(
                GUARD, "no rating has a gold score, so nobody is filtered by their distance to one"
            ),
        ),
        (
            study({}),
            judges({"j": {}}),
            dict.fromkeys([*AGREEMENT, *FIGURES], "there are no ratings yet")
            | dict.fromkeys(
                GUARD, "no rating has a gold score, so nobody is filtered by their distance to one"
            ),
        ),
        (
            replace(study({}), scale=[]),
            judges({"j": SCORES}),
            dict.fromkeys([*AGREEMENT, *FIGURES], "the study asks for no ratings")
            | dict.fromkeys(GUARD, "the study filters nobody by their distance to the gold scores"),
        ),
        (
            study(RATERS, gold=GOLD),
            judges({"j": {}}),
            dict.fromkeys([*AGREEMENT, *FIGURES], "no judge has a score yet"),
        ),
        (
            study(RATERS, gold=GOLD),
            judges({"j": SCORES}, about={"j": {"is_gold": False}}),
            dict.fromkeys(GUARD, "no judge, file or panel is chosen as the gold one")
            | {"judge_alt_test": TOO_FEW},
        ),
        (
            study(RATERS, gold=GOLD),
            judges({"j": SCORES}, about={"j": {"comparable": False}}),
            dict.fromkeys(FIGURES, "no judge on the study's scale scored what people rated")
            | {
                "judge_alt_test": "not estimable, because the judge uses another scale than "
                "people: only ranks compare"
            },
        ),
        (
            study(RATERS, gold=GOLD, contrast=Contrast(None, None, None)),
            judges({"j": SCORES}),
            {
                "guard_wins": "there is nothing to compare: see `wins`",
                "judge_alt_test": TOO_FEW,
            },
        ),
    ],
    ids=[
        *(
            "no judge",
            "no ratings",
            "nobody included",
            "nobody included who rated",
            "nothing at all",
            "unrated",
            "no scores",
            "no gold",
            "other scale",
        ),
        "no contrast",
    ],
)
def test_what_is_not_there_has_its_reason(
    data: StudyData, of: JudgesData, absent: dict[str, str]
) -> None:
    assert analysed(data, of)[2] == {"judge_models": NO_CALL} | ALONE | absent


THIN: dict[str, tuple[dict[str, dict[Cell, int]], dict[Cell, list[float | None]]]] = {
    "one rating": ({"r": {CELLS[0]: 3}}, SCORES),
    "one rater": ({"r": RATERS["r0"]}, SCORES),
    "one scenario": ({n: {c: r[c] for c in CELLS[:6]} for n, r in RATERS.items()}, SCORES),
    "constant raters": ({name: dict.fromkeys(CELLS, 3) for name in RATERS}, SCORES),
    "nothing shared": ({"r": {CELLS[0]: 3}}, {CELLS[-1]: [3.0]}),
    "one score": (RATERS, {CELLS[0]: [2.0, None, None]}),
    "only failed calls": (RATERS, {cell: [None, None] for cell in CELLS}),
    "a rater without ratings": ({**RATERS, "none": {}}, SCORES),
}


@pytest.mark.parametrize("thin", THIN)
@pytest.mark.parametrize(
    ("kind", "presentation"), [("judge", "single"), ("judge", "block"), ("panel", "single")]
)
def test_thin_data_give_reasons_and_never_an_error(thin: str, kind: str, presentation: str) -> None:
    raters, scores = THIN[thin]
    of = judges({"j": scores}, about={"j": {"kind": kind, "presentation": presentation}})
    analysed(study(raters, gold=GOLD), of)


def test_a_slider_is_compared_at_its_quarters() -> None:
    data = study({name: {c: 10 * x for c, x in of.items()} for name, of in RATERS.items()})
    data = replace(data, scale=[(0, "none"), (100, "full")], between=True)
    of = judges({"j": {cell: [40.0, 57.5] for cell in CELLS}})
    tables, figures, _ = analysed(data, of)
    baselines = tables["alt_test"]["judge"][tables["alt_test"]["is_baseline"]]
    assert baselines.unique().tolist() == [f"always {n}" for n in (0, 25, 50, 75, 100)]
    alpha = tables["judge_agreement"].set_index("statistic").loc["alpha_raters"]
    assert alpha["note"].startswith("interval; ")
    axis = figures["judge_against_people"]["layout"]["xaxis"]
    assert axis["range"] == [-3.333, 103.3]


def test_two_dimensions_are_kept_apart() -> None:
    warm, clear = (study(RATERS, gold=GOLD, dimension=name) for name in ("warm", "clear"))
    data = replace(
        warm,
        ratings=pd.concat([warm.ratings, clear.ratings]),
        gold=pd.concat([warm.gold, clear.gold]),
    )
    both = judges({"j": SCORES}, dimension="warm")
    more = judges({"j": {cell: [3.0, 3.0, 3.0] for cell in CELLS}}, dimension="clear")
    of = replace(both, judge_scores=pd.concat([both.judge_scores, more.judge_scores]))
    tables, figures, _ = analysed(data, of)
    flags = tables["judge_consistency"].set_index("dimension")["flags"]
    assert flags.to_dict() == {"warm": "", "clear": "constant: every score is 3"}
    (menu,) = figures["judge_bland_altman"]["layout"]["updatemenus"]
    assert {button["label"] for button in menu["buttons"]} == {"j · Warm", "j · Clear"}


def test_contrast_and_order_are_the_studys() -> None:
    tables, *_ = analysed(study(RATERS, gold=GOLD, contrast=CONTRAST), judges({"j": SCORES}))
    systems = tables["guard_systems"]
    first = systems[systems["way"] == "judge gold"]
    assert list(zip(first["model"], first["condition"], strict=True)) == [
        *(("m1", "base"), ("m1", "tuned"), ("m2", "base"), ("m2", "tuned"), ("big", "reference"))
    ]


def published_judges(names: list[str]) -> JudgesData:
    """Judges of the published study's responses: right on average, three calls each."""
    places = [
        (row["scenario"], row["set"], row["model"], row["condition"])
        for row in published_study.responses()
    ]
    found = {}
    for name in names:
        noise = random.Random(name)
        calls = {
            (cell[0], *cell[2:]): [float(noise.choice([2, 3, 4])) for _ in range(3)]
            for cell in places
        }
        found[name] = {cell: calls[cell[0], *cell[2:]] for cell in places}
    return judges(found, returned=[(name, "llama-4", "") for name in names])


def test_three_judges_of_the_published_study_have_every_table() -> None:
    data, of = published_study.study_data(), published_judges(["a@1", "b@1", "c@1"])
    tables, figures, absent = analysed(data, of)
    assert absent == ALONE
    assert set(tables) == EVERY - {*FIGURES, *ALONE}
    # 124 raters are left before `sigma_mae`; 6 × (16 systems + the reference) responses.
    tests = tables["alt_test"]
    assert set(tests["n_raters"]) == {124}
    assert set(tests["n_items"]) == {102}
    assert len(tables["judge_item_spread"]) == 3 * 102
    assert sum(len(json.dumps(figure)) for figure in figures.values()) < 40_000
    summary = tables["guard_wins"]
    everything = summary[(summary["way"] == "judge gold") & (summary["scenario"] == "all")]
    assert everything[["a_wins", "b_wins", "reference_points"]].to_numpy().tolist() == [
        [26, 22, 73]
    ]
