"""The page of agreement: what an analysis found about judges, with what each number means."""

import re

import pytest
from django.test import Client
from django.utils.text import capfirst

from analysis import catalogue
from analysis.execution import finished_run
from analysis.judges.agreement_with_people import OTHER_SCALE
from analysis.judges.shared_chance import WHAT_TO_DO
from analysis.labels import labels_of
from analysis.models import AnalysisRun
from dashboard.judges.agreement import GUARD as GUARD_TABLES
from dashboard.judges.agreement import (
    TABLES,
    in_short,
    most_uneven,
    shares,
    three_ways,
)
from dashboard.shared.gold_warnings import IN_WORDS, NO_WARNING
from dashboard.shared.stored_tables import StoredTable
from judge.gold import choose_gold
from judge.models import Call, Judge
from judge.plans import plan_calls
from judge.queries import GoldSource
from judge.questions import responses_of
from survey.models import Response, Study
from survey.tidy import counted_sources
from tests.dashboard.conftest import likes_tuned
from tests.dashboard.judging import answer_calls, describe, planned
from tests.dashboard.reading import tables_of, text_of
from tests.factories import Key, add_participant, make_study

# What pages show and say; test_pages.py opens them on every database.
pytestmark = pytest.mark.embedded

AGREEMENT = "/studies/small/agreement/"
GUARD = "/studies/small/guard/"

FIGURES = [figure.name for figure in catalogue.figures().values() if figure.section == "Judges"]


def hash_of(names: tuple[str, ...]) -> int:
    """A number that depends on all the letters, the same everywhere."""
    return sum(place * ord(letter) for place, letter in enumerate("/".join(names), start=1))


def by_text(response: Response, _: object) -> int:
    return 1 + hash_of((response.scenario.name, response.system.model, response.text)) % 5


def like_people(response: Response, _: object) -> int:
    return {"plain": 2, "tuned": 4, "reference": 5}[response.system.condition]


@pytest.mark.slow
def test_page_shows_everything_that_an_analysis_found(page: Client, judge: Judge) -> None:
    answer_calls(judge.calls.all(), like_people)
    add_participant(judge.study, pseudonym="flo", rate=lambda key: 1)
    run = finished_run(study=judge.study, sources=counted_sources())
    answer = page.get(AGREEMENT)
    shown = text_of(answer)
    guard = page.get(GUARD)
    stored = set(run.results.filter(kind="table").values_list("name", flat=True))
    of_blocks = {"judge_positions", "judge_pairs", "judge_pair_order"}
    assert {*TABLES, *GUARD_TABLES} - of_blocks <= stored
    kinds = re.findall(r"(\d+) warnings? about gold scores", shown)
    listed = re.search(r'id="guard_warnings".*?</section>', guard.content.decode(), re.DOTALL)
    assert listed and kinds == [
        str(listed[0].count("<summary>") - listed[0].count("<summary>No warning: "))
    ]
    warnings = StoredTable.from_content(run.results.get(name="guard_warnings").content)
    assert warnings.rows
    for row in warnings.labelled(labels_of(run.study), "guard_warnings").rows:
        kind, text = row["kind"], row["text"]
        assert IN_WORDS[kind] in shown and text in shown
        assert IN_WORDS[kind] in text_of(guard) and text in text_of(guard)
    headings = [re.findall(r"<h2[^>]*>(.*?)</h2>", one.content.decode()) for one in (answer, guard)]
    assert headings == [
        [
            "Warnings about the gold scores",
            "Does a judge agree with itself?",
            "Do people agree with a judge?",
            "Can a judge replace a rater?",
        ],
        ["Warnings about the gold scores", "Do the results depend on the gold scores?"],
    ]
    consistency, given, *_ = tables_of(answer)
    name = "stand-in@1 (stand-in, no language model)"
    assert consistency[1][:4] == [name, "Warmth", "20 of 20", "1.00 (1.00 to 1.00)"]
    assert [row[0] for row in given] == ["Who", "people", name]
    assert given[2][1:] == ["20", "0%", "40%", "0%", "40%", "20%"]
    assert "Correlation of means, r" in shown and "Worry if the interval includes 0." in shown
    assert "always 3 baseline" in shown
    assert "leave-one-rater-out consensus" in text_of(guard)
    assert "Raters whom the rule excludes" in text_of(guard)
    assert "Wins: Plain : Tuned" in text_of(guard)


@pytest.mark.slow
def test_judge_that_prefers_the_first_response_of_a_block_is_shown_to(page: Client) -> None:
    judge = planned(make_study(), presentation="block", replicates=3)

    def prefers_first(response: Response, call: Call) -> int:
        return 3 + (responses_of(call)[0] == response)

    answer_calls(judge.calls.all(), prefers_first)
    finished_run(study=judge.study, sources=counted_sources())
    answer = page.get(AGREEMENT)
    assert "Does a judge score by position?" in text_of(answer)
    (table,) = [rows for rows in tables_of(answer) if rows[0][0] == "Position"]
    assert [(row[0], row[1].split()[0]) for row in table[1:]] == [
        ("1", "0.67"),
        ("2", "−0.33"),
        ("3", "−0.33"),
    ]
    assert 'data-name="judge_position_effects"' in answer.content.decode()


@pytest.mark.slow
def test_page_says_how_many_examples_were_left_out(page: Client, judge: Judge) -> None:
    answer_calls(judge.calls.all(), like_people)
    texts = ("Ant plain answers S1", "Ant plain answers S2")
    drawn = [
        {"scenario": text[-2:], "prompt": "p", "context": "", "response": text, "scores": {}}
        for text in texts
    ]
    Judge.objects.filter(pk=judge.pk).update(configuration=judge.configuration | {"drawn": drawn})
    finished_run(study=judge.study, sources=counted_sources())
    said = "2 rated responses left out: the judge had them as examples"
    assert said in text_of(page.get(AGREEMENT))


@pytest.mark.slow
def test_pages_of_results_point_to_what_is_to_know(page: Client, judge: Judge) -> None:
    answer_calls(judge.calls.all(), like_people)
    run = finished_run(study=judge.study, sources=counted_sources())
    warnings = StoredTable.from_content(run.results.get(name="guard_warnings").content)
    kinds = {row["kind"] for row in warnings.rows} - {*NO_WARNING}
    for name in ("raters", "results", "figures"):
        answer = page.get(f"/studies/small/{name}/")
        assert re.search(r"\d warnings? about gold scores", text_of(answer))
        for kind in kinds:
            assert IN_WORDS[kind] in text_of(answer)
        assert 'href="/studies/small@1/guard/"' in answer.content.decode()


@pytest.mark.slow
def test_figures_are_those_stored_and_not_on_the_page_of_figures(
    page: Client, judge: Judge
) -> None:
    answer_calls(judge.calls.all(), like_people)
    run = finished_run(study=judge.study, sources=counted_sources())
    figures = set(run.results.filter(kind="figure").values_list("name", flat=True))
    drawn = re.findall(r'data-name="(\w+)"', page.get(AGREEMENT).content.decode())
    assert set(drawn) == figures & set(FIGURES) != set()
    others = re.findall(r'data-name="(\w+)"', page.get("/studies/small/figures/").content.decode())
    assert set(others) == figures - set(FIGURES)


def test_page_gives_the_reasons_where_there_is_nothing(page: Client, study: Study) -> None:
    study.gold_decisions.all().delete()
    study.gold_sets.all().delete()
    run = finished_run(study=study, sources=counted_sources())
    shown = text_of(page.get(AGREEMENT))
    for name in ("judge_consistency", "judge_agreement", "alt_test"):
        assert capfirst(run.manifest["absent"][name]) in shown
    assert capfirst(run.manifest["absent"]["guard_funnel"]) in text_of(page.get(GUARD))


def test_analysis_from_before_judges_were_analysed_shows_a_page(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    run.results.filter(name__in=[*TABLES, *GUARD_TABLES, *FIGURES]).delete()
    for address in (AGREEMENT, GUARD):
        assert "This analysis has no such result." in text_of(page.get(address))


@pytest.mark.slow
def test_page_names_test_people_who_were_asked_for(
    page: Client, run_with_simulated: AnalysisRun
) -> None:
    shown = text_of(page.get(f"{AGREEMENT}?include=simulated"))
    assert "These numbers include simulated participants," in shown


def test_computing_anew_comes_back_to_the_page(page: Client, study: Study, woken: object) -> None:
    for name in ("agreement", "guard"):
        answer = page.post("/studies/small/analysis/recompute/", {"page": name})
        assert answer["Location"] == f"/studies/small@1/{name}/"


@pytest.mark.slow
def test_study_of_two_dimensions_has_a_line_for_each(page: Client, db: None) -> None:
    study = make_study(dimensions=("warmth", "insight"))
    answer_calls(planned(study, name="owl", replicates=2).calls.all(), like_people)
    for name in ("ann", "ben"):
        add_participant(study, pseudonym=name, rate=likes_tuned)
    finished_run(study=study, sources=counted_sources())
    consistency, warmth, insight, *_ = tables_of(page.get(AGREEMENT))
    assert [row[1] for row in consistency[1:]] == ["Warmth", "Insight"]
    assert warmth[2][0] == insight[2][0] == "owl@1"


@pytest.mark.slow
def test_judge_on_another_scale_stands_in_the_test_with_its_reason(page: Client, db: None) -> None:
    study = make_study(slug="scales")
    points = [{"value": value, "label": str(value)} for value in (1, 2, 3)]
    own, wide = describe(study, {"name": "own"}, {"name": "wide", "scale": points})
    for judge in (own, wide):
        plan_calls(judge)
        answer_calls(judge.calls.all(), lambda response, _: response.pk % 3 + 1)
    for name in ("ann", "ben"):
        add_participant(study, pseudonym=name, rate=likes_tuned)
    finished_run(study=study, sources=counted_sources())
    tables = tables_of(page.get(AGREEMENT.replace("small", "scales")))
    (tested,) = (table for table in tables if table[0][:2] == ["Who", "Winning rate"])
    (row,) = (each for each in tested if each[0] == "wide@1")
    assert row[1:4] == ["–", "–", "–"]
    assert row[6] == OTHER_SCALE


@pytest.mark.slow
def test_scores_of_what_nobody_rated_are_shown_with_what_they_add(page: Client, db: None) -> None:
    study = make_study(slug="wide", scenarios=[f"S{number}" for number in range(1, 9)])
    answer_calls(planned(study, name="owl", replicates=1).calls.all(), by_text)

    def first_half(key: Key) -> int | None:
        return 1 + hash_of(key[:4]) % 5 if key[0] <= "S4" else None

    for name in ("ann", "ben"):
        add_participant(study, pseudonym=name, rate=first_half)
    run = finished_run(study=study, sources=counted_sources())
    rows = StoredTable.from_content(run.results.get(name="prediction_powered").content).rows
    *_, shown = tables_of(page.get(AGREEMENT.replace("small", "wide")))
    assert shown[0][:5] == ["Estimate of", "Model", "Condition", "People alone", "People and judge"]
    assert [row[0] for row in shown[2:]] == [row["estimand"].capitalize() for row in rows]
    assert shown[-1][1:3] == ["all", "Plain minus Tuned"]
    assert {tuple(row[7:9]) for row in shown[2:-3]} == {("4", "8")}


def test_scores_of_rated_responses_alone_have_no_section(page: Client, run: AnalysisRun) -> None:
    assert "What do people and a judge say together?" not in text_of(page.get(AGREEMENT))


# ── Reshaping ────────────────────────────────────────────────────────────────────────────────


def table(columns: str, *rows: tuple[object, ...]) -> StoredTable:
    names = columns.split()
    return StoredTable(names, [dict(zip(names, row, strict=True)) for row in rows])


def test_in_short_is_r_or_else_that_of_ranks() -> None:
    consistency = table("judge flags", ("a", "model changed; stand-in: none"), ("b", ""))
    agreement = table(
        "judge dimension statistic value",
        ("a", "warmth", "pearson_within", 0.5),
        ("a", "warmth", "spearman_within", 0.4),
        ("a", "insight", "pearson_within", None),
        ("a", "insight", "spearman_within", 0.3),
        ("b", "warmth", "pearson_within", 0.9),
    )
    short = in_short(consistency, agreement, "a")
    assert [row["flag_list"] for row in short.consistency] == [["model changed"]]
    assert {row["dimension"]: row["value"] for row in short.agreement} == (
        {"warmth": 0.5, "insight": 0.3}
    )


def test_shares_have_a_line_for_people_and_one_for_each_source() -> None:
    columns = "judge dimension score n share people_n people_share"
    (found,) = shares(
        table(
            columns,
            ("a", "warmth", 1.0, 3, 0.75, 4, 0.5),
            ("a", "warmth", 2.0, 1, 0.25, 4, 0.5),
            ("b", "warmth", 7.0, 2, 1.0, None, None),
        )
    )
    assert found.scores == [1.0, 2.0, 7.0]
    assert found.rows == [
        ("people", 8, [50.0, 50.0, None]),
        ("a", 4, [75.0, 25.0, None]),
        ("b", 2, [None, None, 100.0]),
    ]


def test_shares_without_people_have_no_line_for_them() -> None:
    columns = "judge dimension score n share people_n people_share"
    (found,) = shares(table(columns, ("a", "warmth", 1.0, 3, 1.0, None, None)))
    assert found.rows == [("a", 3, [100.0])]


def test_most_uneven_are_the_first_few_of_each_source() -> None:
    rows = [("a", "warmth", sd) for sd in (0.0, 0.5, None, 1.5, 0.1, 0.2, 0.3, 0.4)]
    found = most_uneven(table("judge dimension sd", *rows, ("b", "warmth", 0.7)))
    assert [(row["judge"], row["sd"]) for row in found] == (
        [("a", 1.5), ("a", 0.5), ("a", 0.4), ("a", 0.3), ("a", 0.2), ("b", 0.7)]
    )


def test_three_ways_stand_beside_one_another_and_may_lack_a_row() -> None:
    found = three_ways(
        table("way step n", ("gold", "start", 9), ("gold", "mae", 2), ("none", "start", 9)), "step"
    )
    assert found.ways == ["gold", "none"]
    cells = [(key, [row and row["n"] for row in rows]) for key, rows in found.rows]
    assert cells == [(("start",), [9, 9]), (("mae",), [2, None])]


@pytest.mark.slow
def test_replicates_that_share_their_chance_are_told_wherever_one_looks(
    page: Client, study: Study
) -> None:
    """As a local server scored that drew the same random numbers for every text."""
    judge = planned(study, replicates=3)
    answer_calls(
        judge.calls.all(),
        lambda response, call: {1: 5, 2: 4}.get(call.replicate) or like_people(response, call),
    )
    choose_gold(study, judge=judge)
    run = finished_run(study=study, sources=counted_sources())
    said = "replicate 2 hardly varies, 100% of its scores are 4 and 20% of the other replicates'"
    for address in ("agreement/", "gold/", "gold/judges/judge@1/"):
        assert said in text_of(page.get(f"/studies/small/{address}")), address
    (first, *_) = run.results.get(name="guard_warnings").content["rows"]
    assert first == [
        "shared_chance",
        f"The gold judge {GoldSource(judge=judge).name} on warmth: replicate 1 hardly varies, "
        f"100% of its scores are 5 and 10% of the other replicates': {WHAT_TO_DO}.",
    ]
    shown = text_of(page.get("/studies/small/results/"))
    assert "1 warning about gold scores" in shown or "warnings about gold scores" in shown
