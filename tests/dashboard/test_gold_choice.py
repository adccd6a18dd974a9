"""Making another source the gold one: the filter runs again, and a page says what changed."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from analysis.execution import finished_run
from analysis.models import AnalysisRun
from analysis.quality_rules import QualityRules
from analysis.rule_sets import set_rules
from analysis.runs import request_run
from jobs.runner import run_job
from judge.models import GoldDecision, Judge
from judge.queries import gold_source
from survey.models import Study
from survey.tidy import counted_sources
from tests.dashboard.conftest import Woken
from tests.dashboard.judging import answer_calls, describe, gold_set, planned
from tests.dashboard.reading import tables_of, text_of
from tests.factories import add_participant, make_study

# What pages show of runs; tests/judge/test_gold.py and tests/analysis/test_runs.py store them on
# every database.
pytestmark = pytest.mark.embedded

GOLD = "/studies/small/gold/"
Files = Callable[..., dict[str, Path]]


@pytest.fixture
def flat(study: Study) -> Study:
    """The study with a rater who gave everything a 4, close to the gold scores, and another set
    of gold scores far from that.
    """
    add_participant(study, pseudonym="flo", rate=lambda key: 4)
    add_participant(study, pseudonym="gus", rate=lambda key: 2)
    gold_set(study, 2, name="low", calls=(2,))
    gold_set(study, 4, name="high", calls=(4,))
    return study


def choose(page: Client, source: str, query: str = "") -> str:
    """The address that choosing leads to."""
    address: str = page.post(f"{GOLD}choose/{query}", {"source": source})["Location"]
    return address


def chosen(study: Study) -> str:
    source = gold_source(study)
    return source.key if source else ""


# ── Choosing ─────────────────────────────────────────────────────────────────────────────────


def test_choice_is_recorded_and_the_filter_asked_to_run_again(
    page: Client, flat: Study, woken: Woken
) -> None:
    before = finished_run(study=flat, sources=counted_sources())
    address = choose(page, "file low")
    after = AnalysisRun.objects.get(state="waiting")
    assert address == f"/studies/small@1/gold/changes/{after.pk}/?before={before.pk}"
    assert woken == [("analysis.run", after.pk)]
    decision = GoldDecision.objects.latest("id")
    assert (str(decision.gold_set), str(decision.author), decision.why) == (
        "low (imported)", "ada", "chosen on the page of judges",
    )  # fmt: skip


def test_analysis_from_before_is_kept_beside_the_new_one(
    page: Client, flat: Study, woken: Woken
) -> None:
    run = request_run(study=flat, sources=counted_sources(), automatic=True)
    run_job(AnalysisRun, run.pk)
    choose(page, "file low")
    after = AnalysisRun.objects.get(state="waiting")
    run_job(AnalysisRun, after.pk)
    assert AnalysisRun.objects.filter(pk=run.pk, is_automatic=False).exists()


def test_choice_for_people_asked_for_by_name_compares_their_analyses(
    page: Client, flat: Study, woken: Woken
) -> None:
    choose(page, "file low", "?include=simulated")
    after = AnalysisRun.objects.get()
    assert after.sources == counted_sources(["simulated"])
    shown = text_of(page.get(f"{GOLD}changes/{after.pk}/"))
    assert "These numbers include simulated participants," in shown


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("file high", "file high is already gold."),
        ("judge@1", "judge@1 has no scores yet: press “Score”."),
        (
            "wide@1",
            "wide@1 scores from 1 to 3 and raters from 1 to 5, so distances",
        ),
        ("panel clinicians", "panel clinicians has no ratings yet: no expert has completed"),
        ("file nobody", "'file nobody' is no source of gold scores of small@1; there are: judge@1"),
        ("", "'' is no source of gold scores"),
        ("file hihg", "did you mean 'file high'?"),
    ],
)
def test_source_that_can_not_be_gold_is_refused_with_the_reason(
    page: Client, flat: Study, woken: Woken, settings: Settings, source: str, reason: str
) -> None:
    settings.JUDGE_BASE_URL = "http://127.0.0.1:9/v1"
    points = [{"value": value, "label": str(value)} for value in (1, 2, 3)]
    describe(flat, {"name": "judge"}, {"name": "wide", "scale": points})
    add_participant(flat, pseudonym="edda", source="panel", panel="clinicians", status="declined")
    answer = page.post(f"{GOLD}choose/", {"source": source}, follow=True)
    assert reason in text_of(answer)
    assert chosen(flat) == "file high"
    assert (woken, AnalysisRun.objects.count()) == ([], 0)


def test_page_says_who_can_not_be_gold(page: Client, study: Study, settings: Settings) -> None:
    settings.JUDGE_BASE_URL = "http://127.0.0.1:9/v1"
    points = [{"value": value, "label": str(value)} for value in (1, 2, 3)]
    describe(study, {"name": "judge"}, {"name": "wide", "scale": points})
    actions = [row[-1] for row in tables_of(page.get(GOLD))[0][1:]]
    assert actions == [
        "Score judge@1 can't be gold: no scores yet",
        "Score wide@1 can't be gold: different scale",
        "current gold",
    ]


def test_judge_and_panel_can_be_gold(
    page: Client, study: Study, woken: Woken, settings: Settings
) -> None:
    settings.JUDGE_BASE_URL = "http://127.0.0.1:9/v1"
    answer_calls(planned(study, name="judge").calls.all())
    add_participant(study, pseudonym="edda", source="panel", panel="clinicians")
    choose(page, "judge@1")
    assert chosen(study) == "judge@1"
    choose(page, "panel clinicians")
    assert chosen(study) == "panel clinicians"


# ── What changed ─────────────────────────────────────────────────────────────────────────────


def test_changes_are_shown_as_soon_as_the_analysis_is_there(
    page: Client, flat: Study, woken: Woken
) -> None:
    finished_run(study=flat, sources=counted_sources())
    address = choose(page, "file low")
    after = AnalysisRun.objects.get(state="waiting")
    waiting = page.get(address)
    state = f"/studies/small@1/gold/changes/{after.pk}/state/"
    assert f'data-live="{state}" data-every="2"' in waiting.content.decode()
    assert "waits for a worker" in text_of(waiting)
    assert "X-Finished" not in page.get(state)
    run_job(AnalysisRun, after.pk)
    assert page.get(state)["X-Finished"] == "1"
    assert "data-live" not in page.get(address).content.decode()


def test_changes_say_who_is_excluded_now_and_who_is_included_again(
    page: Client, flat: Study, woken: Woken
) -> None:
    finished_run(study=flat, sources=counted_sources())
    address = choose(page, "file low")
    run_job(AnalysisRun, AnalysisRun.objects.get(state="waiting").pk)
    answer = page.get(address)
    shown = text_of(answer)
    people, funnel, wins = tables_of(answer)
    assert people[1:] == [
        ["flo", "newly excluded", "Low variance and far from gold", "0.000", "2.000", "0.000"],
        ["gus", "included again", "was Low variance and far from gold", "2.000", "0.000", "0.000"],
    ]
    assert "newly excluded 1 included again 1" in shown
    assert "raters included, before → now 4 → 4" in shown
    assert "mean change of a gold score 2.00" in shown
    assert "over 12 responses" in shown
    assert funnel[-1] == ["Low variance and far from gold", "1", "1", "4", "4"]
    assert wins[1][:2] == ["Warmth", "before"] and wins[2][0] == "now"
    assert "The gold scores are not the only difference" not in shown


def test_changes_say_when_answers_came_in_between(page: Client, flat: Study, woken: Woken) -> None:
    finished_run(study=flat, sources=counted_sources())
    add_participant(flat, pseudonym="new")
    address = choose(page, "file low")
    run_job(AnalysisRun, AnalysisRun.objects.get(state="waiting").pk)
    shown = text_of(page.get(address))
    assert "not the only difference: people came or answered in between. To see" in shown


def test_changes_say_when_the_rules_changed_in_between(
    page: Client, flat: Study, woken: Woken
) -> None:
    finished_run(study=flat, sources=counted_sources())
    set_rules(study=flat, rules=QualityRules(order=["sigma_mae"]))
    address = choose(page, "file low")
    run_job(AnalysisRun, AnalysisRun.objects.get(state="waiting").pk)
    answer = page.get(address)
    assert "not the only difference: the quality rules changed. To see" in text_of(answer)
    funnel = {row[0]: row[1:] for row in tables_of(answer)[1]}
    assert funnel["Too fast or too slow"] == ["1", "–", "5", "–"]


def test_changes_without_an_analysis_before_lead_to_the_results(
    page: Client, flat: Study, woken: Woken
) -> None:
    address = choose(page, "file low")
    after = AnalysisRun.objects.get()
    assert address == f"/studies/small@1/gold/changes/{after.pk}/"
    run_job(AnalysisRun, after.pk)
    shown = text_of(page.get(address))
    assert "No earlier analysis to compare with." in shown
    assert "newly excluded" not in shown


def test_changes_of_an_analysis_that_failed_say_so(page: Client, flat: Study, woken: Woken) -> None:
    choose(page, "file low")
    after = AnalysisRun.objects.get()
    AnalysisRun.objects.update(state="failed", error="MemoryError: <too big>")
    answer = page.get(f"{GOLD}changes/{after.pk}/")
    assert (
        "The analysis failed. The new gold scores stay chosen. MemoryError: <too big>"
        in text_of(answer)
    )
    assert page.get(f"{GOLD}changes/{after.pk}/state/")["X-Finished"] == "1"


def test_changes_of_another_studys_analysis_are_not_found(
    page: Client, flat: Study, woken: Woken
) -> None:
    make_study(slug="other")
    choose(page, "file low")
    run = AnalysisRun.objects.get().pk
    for address in (f"changes/{run}/", f"changes/{run}/state/"):
        assert page.get(f"/studies/other/gold/{address}").status_code == 404
    assert page.get(f"{GOLD}changes/{run}/?before={'9' * 30}").status_code == 200
    assert page.get(f"{GOLD}changes/{run}/?before=%00").status_code == 200


def test_gold_chosen_a_second_time_shows_its_own_results_again(
    page: Client, flat: Study, woken: Woken
) -> None:
    def kept() -> list[str]:
        finished_run(study=flat, sources=counted_sources())
        rows = tables_of(page.get("/studies/small/raters/"))[1][1:]
        return [row[0] for row in rows if row[1] == "included"]

    first = kept()
    choose(page, "file low")
    assert kept() != first
    choose(page, "file high")
    assert kept() == first
    assert "data changed since" not in text_of(page.get("/studies/small/raters/"))


# ── Commands ─────────────────────────────────────────────────────────────────────────────────


def manage(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=out, **options)
    return out.getvalue()


def test_command_lists_sources_and_marks_the_gold_one(
    flat: Study, settings: Settings, woken: Woken
) -> None:
    settings.JUDGE_BASE_URL = "http://127.0.0.1:9/v1"
    judge = planned(flat, name="owl", replicates=1)
    answer_calls(judge.calls.all()[:9])
    describe(flat, {"name": "owl", "replicates": 1}, {"name": "kite"})
    add_participant(flat, pseudonym="edda", source="panel", panel="clinicians")
    assert manage("gold", "small").splitlines() == [
        "  kite@1: 0 of 0 valid calls, not asked yet (kite@1 has no scores yet: press “Score”)",
        "  owl@1: 9 of 10 valid calls, working",
        "* file high: 10 scores",
        "  file imported: 10 scores",
        "  file low: 10 scores",
        "  panel clinicians: 1 completed",
    ]


@pytest.mark.parametrize("name", ["file low", "low"])
def test_command_chooses_and_says_where_to_see_what_that_changes(
    flat: Study, name: str, commands_wake: Woken
) -> None:
    said = manage("gold", "small", name)
    run = AnalysisRun.objects.get()
    assert said.splitlines() == [
        "small@1: file low is now gold",
        f"Changes: http://localhost:8000/studies/small@1/gold/changes/{run.pk}/",
    ]
    assert commands_wake == [("analysis.run", run.pk)]
    assert GoldDecision.objects.latest("id").why == "chosen by a command"


def test_command_refuses_what_can_not_be_gold(flat: Study) -> None:
    with pytest.raises(CommandError, match="'nobody' is no source of gold scores of small@1"):
        manage("gold", "small", "nobody")
    with pytest.raises(CommandError, match="file high is already gold"):
        manage("gold", "small", "high")
    with pytest.raises(CommandError, match="'absent'"):
        manage("gold", "absent")


def test_judges_name_alone_is_its_current_version(
    study: Study, settings: Settings, commands_wake: Woken
) -> None:
    settings.JUDGE_BASE_URL = "http://127.0.0.1:9/v1"
    answer_calls(planned(study, name="owl").calls.all())
    answer_calls(planned(study, name="owl", rubric="Weigh warmth.").calls.all())
    manage("gold", "small", "owl")
    assert chosen(study) == "owl@2"
    assert Judge.objects.filter(name="owl").count() == 2


FILE = "scenario,set,model,condition,gold,gold_by\nS1,1,Ant,plain,2.5,us\nS1,1,Ant,tuned,4,us\n"


def test_import_gold_adds_a_source_and_chooses_it_where_asked_to(
    study: Study, files: Files, commands_wake: Woken
) -> None:
    path = files(scores=FILE)["scores"]
    said = manage("import_gold", "small", gold=path, name="experts")
    assert said == "small@1: imported 2 gold scores as 'file experts'\n"
    assert chosen(study) == "file imported"
    said = manage("import_gold", "small", gold=path, name="again", use=True)
    assert "small@1: file again is now gold" in said
    assert chosen(study) == "file again"
    assert study.gold_sets.get(name="again").made_by == "us"


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        (FILE.replace("2.5", "two"), "experts", r"scores.csv, line 2: column 'gold': 'two' is not"),
        (FILE.replace("Ant,tuned", "Ant,tunes"), "experts", "line 3: column 'condition': 'tunes'"),
        (FILE, "imported", "already has gold scores called 'imported'"),
        (FILE, "", "'' can't be the name of gold scores"),
    ],
)
def test_import_gold_changes_nothing_where_something_is_wrong(
    study: Study, files: Files, text: str, name: str, reason: str
) -> None:
    with pytest.raises(CommandError, match=f"(Nothing was changed.\n|--name:? ).*{reason}"):
        manage("import_gold", "small", gold=files(scores=text)["scores"], name=name, use=True)
    assert [each.name for each in study.gold_sets.all()] == ["imported"]


def test_import_gold_of_a_file_that_is_not_there_says_so(study: Study, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        manage("import_gold", "small", gold=tmp_path / "none.csv", name="experts")
