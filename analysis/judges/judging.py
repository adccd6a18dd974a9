"""Everything about the judges of one study: the one entry point of their analysis."""

from dataclasses import replace
from typing import Any

import pandas as pd
from pandas import DataFrame, Series

from analysis.figures import judges as draw
from analysis.figures.judge_positions import position_effects
from analysis.figures.labelled import labelled
from analysis.judges.agreement_with_people import (
    judge_agreement,
    judge_bias,
    pair,
    reversed_scales,
)
from analysis.judges.circularity import GUARD_WARNINGS, circularity, raters_before
from analysis.judges.consistency import (
    gold_warnings,
    judge_consistency,
    judge_item_spread,
    judge_models,
    judge_scores_shares,
)
from analysis.judges.judge_as_rater import alt_tests
from analysis.judges.judged import Judged, JudgesData, judged
from analysis.judges.pairs import judge_pair_order, judge_pairs
from analysis.judges.positions import judge_positions
from analysis.judges.prediction_powered import prediction_powered_means
from analysis.not_available import NotAvailable
from analysis.quality_rules import USUAL_LABELS, QualityRules
from analysis.stats.agreement import Level
from analysis.study_data import ITEM, CheckedData, StudyData, check, text
from analysis.tables.items import points_of
from survey.definition.labels import Labels

__all__ = ["JudgesData", "analyse_judges"]

CONSISTENCY = ["judge_consistency", "judge_item_spread", "judge_scores_shares", "judge_models"]
AGREEMENT = [
    "judge_agreement", "judge_bias", "alt_test", "alt_test_raters", "prediction_powered",
]  # fmt: skip
WARNED = "guard_warnings"
GUARD = ["guard_funnel", "guard_wins", "guard_systems", "guard_raters", WARNED]
PAIRS = ["judge_pairs", "judge_pair_order"]
POSITIONS = ["judge_positions", "judge_position_effects"]
#: Of judges and people.
FIGURES = ["judge_bland_altman", "judge_against_people", "judge_shares", "judge_alt_test"]

Tables = dict[str, DataFrame]
Figures = dict[str, dict[str, Any]]


def analyse_judges(
    data: StudyData, judges: JudgesData, rules: QualityRules, labels: Labels = USUAL_LABELS
) -> tuple[Tables, Figures, dict[str, str]]:
    """Tables and figures by name, and why something is not there. Figures have `labels` for names.

    Everything random comes from `judges.seed`. Raises ValueError when `data` contradict
    themselves, as `study_data.check` does.
    """
    if judges.judges.empty:
        every = [*CONSISTENCY, *POSITIONS, *PAIRS, *AGREEMENT, *GUARD, *FIGURES]
        return {}, {}, dict.fromkeys(every, "the study has no gold scores and no judge")
    rules = rules.applied(rated=bool(data.scale))
    checked = check(data)
    raters = raters_before(checked, rules)
    everything = judged(_with_cells(data, checked, judges), judges, raters)
    points = points_of(data.scale, between=data.between)
    tables, figures, absent = _of_judges(everything, points, judges, labels)
    try:
        if everything.ratings.empty:
            raise NotAvailable(_why_unrated(data, checked, raters))
        agreement = _agreement(data, everything, points, judges)
        shares = tables["judge_scores_shares"]
        drawn = _figures(everything, points, agreement["alt_test"], shares, labels)
        tables |= agreement
        figures |= drawn
        unscored = "no judge on the study's scale scored what people rated"
        absent |= dict.fromkeys((name for name in FIGURES if name not in drawn), unscored)
        if "judge_alt_test" in absent:
            notes = [str(note) for note in agreement["alt_test"]["note"] if note]
            absent["judge_alt_test"] = notes[0] if notes else unscored
    except NotAvailable as reason:
        absent |= dict.fromkeys([*AGREEMENT, *FIGURES], str(reason))
    told = gold_warnings(everything)
    if "judge_agreement" in tables:
        told += reversed_scales(tables["judge_agreement"])
    warnings = DataFrame(told, columns=GUARD_WARNINGS.names)
    try:
        guard = _guard(checked, data, everything, judges, rules)
        warnings = pd.concat([warnings, guard.pop(WARNED)], ignore_index=True)
        tables |= guard | {WARNED: warnings}
        if "guard_wins" not in guard:
            absent["guard_wins"] = "there is nothing to compare: see `wins`"
    except NotAvailable as reason:
        absent |= dict.fromkeys(GUARD, str(reason))
        if len(warnings):
            tables[WARNED] = warnings
            del absent[WARNED]
    return tables, figures, absent


def _of_judges(
    everything: Judged, points: list[float], judges: JudgesData, labels: Labels
) -> tuple[Tables, Figures, dict[str, str]]:
    """What needs no ratings of people."""
    models = judge_models(judges.returned_models)
    positions = judge_positions(everything, seed=judges.seed)
    tables = {
        "judge_consistency": judge_consistency(everything, models, seed=judges.seed),
        "judge_item_spread": judge_item_spread(everything),
        "judge_scores_shares": judge_scores_shares(everything, points),
        "judge_models": models,
        "judge_positions": positions,
    }
    absent: dict[str, str] = {}
    if judges.comparisons.empty:
        absent |= dict.fromkeys(PAIRS, "no judge compares pairs")
    else:
        tables["judge_pairs"] = judge_pairs(judges.comparisons, seed=judges.seed)
        tables["judge_pair_order"] = judge_pair_order(judges.comparisons, seed=judges.seed)
    if models.empty:
        absent["judge_models"] = "no call of a judge was answered here"
    figures: Figures = {}
    if positions.empty:
        absent |= dict.fromkeys(POSITIONS, "no judge sees whole blocks")
    else:
        try:
            drawn = position_effects(labelled(positions, labels))
            figures["judge_position_effects"] = drawn.to_plotly_json()
        except NotAvailable as reason:
            absent["judge_position_effects"] = str(reason)
    return {name: each for name, each in tables.items() if name not in absent}, figures, absent


def _with_cells(data: StudyData, checked: CheckedData, judges: JudgesData) -> CheckedData:
    """The data with the judged items that were neither rated nor given a gold score, too."""
    scores = judges.judge_scores
    scored = DataFrame({name: text(scores[name]) for name in ITEM}).drop_duplicates()
    known = checked.known[ITEM].astype("str")
    new = scored.merge(known, on=ITEM, how="left", indicator=True)
    new = new[new["_merge"] == "left_only"][ITEM]
    if new.empty:
        return checked
    return check(replace(data, gold=pd.concat([data.gold, new], ignore_index=True)))


def _why_unrated(data: StudyData, checked: CheckedData, raters: "Series[str]") -> str:
    """Why there are no ratings of the raters whom the judges are held against."""
    if not data.scale:
        return "the study asks for no ratings"
    if checked.ratings.empty:
        return "there are no ratings yet"
    return "no rater is included" if raters.empty else "the included raters gave no ratings"


def _agreement(
    data: StudyData, everything: Judged, points: list[float], judges: JudgesData
) -> Tables:
    if everything.scores.empty:
        raise NotAvailable("no judge has a score yet")
    level: Level = "interval" if data.between else "ordinal"
    tests, raters = alt_tests(everything, points, epsilon=judges.epsilon)
    return {
        "judge_agreement": judge_agreement(everything, level=level, seed=judges.seed),
        "judge_bias": judge_bias(everything, seed=judges.seed),
        "alt_test": tests,
        "alt_test_raters": raters,
        "prediction_powered": prediction_powered_means(everything, data.contrast),
    }


def _figures(
    everything: Judged, points: list[float], tests: DataFrame, shares: DataFrame, labels: Labels
) -> Figures:
    things = {
        draw.JudgeView(judge.name, labels.text("dimensions", dimension)): labelled(
            both.things, labels
        )
        for judge in everything.judges
        if judge.comparable
        for dimension in everything.dimensions_of(judge)
        if len((both := pair(everything, judge, dimension)).things)
    }
    figures = {}
    if things:
        figures["judge_bland_altman"] = draw.bland_altman(things, points, labels)
        figures["judge_against_people"] = draw.against_people(things, points, labels)
    if shares["people_share"].notna().any():
        figures["judge_shares"] = draw.shares(labelled(shares, labels), labels)
    estimated = tests[tests["is_studys"] & tests["winning_rate"].notna()]
    if len(estimated):
        figures["judge_alt_test"] = draw.alt_test(labelled(estimated, labels))
    return {name: figure.to_plotly_json() for name, figure in figures.items()}


def _guard(
    checked: CheckedData,
    data: StudyData,
    everything: Judged,
    judges: JudgesData,
    rules: QualityRules,
) -> Tables:
    gold = next((judge for judge in everything.judges if judge.is_gold), None)
    if gold is None:
        raise NotAvailable("no judge, file or panel is chosen as the gold one")
    return circularity(checked, data.contrast, rules, gold=gold, families=judges.families)
