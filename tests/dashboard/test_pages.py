"""What researchers see and do."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from kombu.exceptions import OperationalError
from pytest_django import Settings
from rest_framework.authtoken.models import Token

from analysis.execution import finished_run
from analysis.models import AnalysisRun
from analysis.rules import current_rule_set
from judge.calls import plan_calls
from judge.configure import configure_judge, current_judge
from judge.definition import JudgeDefinition
from judge.models import Attempt, Call, GoldScore, Judge
from survey.models import Participant, Response, Study
from survey.tidy import counted_sources
from tests.dashboard.conftest import likes_tuned
from tests.dashboard.reading import tables_of, text_of
from tests.factories import add_participant, make_study

Woken = list[tuple[str, int]]


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> Woken:
    """What workers were woken for."""
    calls: Woken = []
    monkeypatch.setattr("dashboard.views.wake", lambda task, row: calls.append((task, row)))
    return calls


@pytest.fixture
def judge(settings: Settings, study: Study) -> Judge:
    """The study's judge, a stand-in, whose calls are planned."""
    settings.JUDGE_STAND_IN = True
    settings.JUDGE_BASE_URL = "http://127.0.0.1:9/v1"
    GoldScore.objects.all().delete()
    configure_judge(study, JudgeDefinition(name="stand-in", replicates=2))
    judge = current_judge(study)
    plan_calls(judge)
    return judge


# ── List of studies ──────────────────────────────────────────────────────────────────────────


def test_studies_without_any_says_how_to_load_one(page: Client) -> None:
    assert "No study yet" in text_of(page.get("/"))


def test_studies_counts_test_people_apart(page: Client, study: Study) -> None:
    add_participant(study, pseudonym="eve", status="in_progress")
    assert tables_of(page.get("/")) == [
        [
            ["Study", "State", "Arrived", "In progress", "Completed", "Test people"],
            ["The small study small@1", "open", "5", "1", "4", "1"],
        ]
    ]


# ── Overview ─────────────────────────────────────────────────────────────────────────────────


def test_overview_counts_people_by_source_with_test_people_apart(
    page: Client, study: Study, run_with_simulated: AnalysisRun
) -> None:
    add_participant(study, pseudonym="now", status="in_progress", started_at=timezone.now())
    add_participant(study, pseudonym="gone", status="in_progress", source="prolific")
    Participant.objects.create(study=study, source="prolific")
    Participant.objects.create(study=study, source="prolific", status="declined")
    assert tables_of(page.get("/studies/small/"))[0][1:] == [
        ["link", "5", "0", "1", "0", "4", "0", "0", "duration 1"],
        ["prolific", "3", "1", "0", "1", "0", "1", "0", "none"],
        ["Test people, never counted"],
        ["simulated", "1", "0", "0", "0", "1", "0", "0", "none"],
    ]


def test_overview_adds_up_real_people_only(page: Client, study: Study, run: AnalysisRun) -> None:
    tiles = re.findall(
        r"<dt>(.*?)</dt><dd>(\d+)</dd>", page.get("/studies/small/").content.decode()
    )
    assert tiles == [
        ("arrived", "4"),
        ("in progress, active now", "0"),
        ("in progress, silent", "0"),
        ("completed", "4"),
        ("declined", "0"),
        ("excluded by a rule", "1"),
    ]


def test_counts_alone_are_what_the_overview_shows(page: Client, study: Study) -> None:
    alone = page.get("/studies/small/counts/")
    assert tables_of(alone) == tables_of(page.get("/studies/small/"))[:1]
    assert b"<html" not in alone.content


def test_overview_takes_imported_people_in_progress_for_gone(page: Client, study: Study) -> None:
    add_participant(
        study, pseudonym="old", source="import", status="in_progress", started_at=timezone.now()
    )
    row = tables_of(page.get("/studies/small/"))[0][1]
    assert row[:5] == ["import", "1", "0", "0", "1"]


def test_overview_without_people_says_so(page: Client, db: None) -> None:
    make_study()
    shown = text_of(page.get("/studies/small/"))
    assert "Nobody has arrived yet." in shown
    assert "Nobody is excluded yet, as no analysis has finished." in shown


def test_overview_gives_the_link_of_each_way_in(page: Client, study: Study) -> None:
    study.settings["ways_in"] = ["prolific", "link", "invitation"]
    study.save()
    shown = page.get("/studies/small/").content.decode()
    assert re.findall(r'value="(http://.*?)"', shown) == [
        "http://localhost:8000/s/small/?PROLIFIC_PID={{%PROLIFIC_PID%}}"
        "&amp;STUDY_ID={{%STUDY_ID%}}&amp;SESSION_ID={{%SESSION_ID%}}",
        "http://localhost:8000/s/small/",
        "http://localhost:8000/s/small/?preview",
    ]
    assert f"/admin/survey/invitation/add/?study={study.pk}" in shown


# ── State ────────────────────────────────────────────────────────────────────────────────────


def test_state_button_moves_the_study_and_is_remembered(
    page: Client, researcher: User, study: Study
) -> None:
    answer = page.post("/studies/small/state/", {"state": "paused"}, follow=True)
    study.refresh_from_db()
    assert study.state == "paused"
    assert "small@1 is now paused." in text_of(answer)
    assert tables_of(answer)[1][1][1:] == ["ada", "open → paused"]


def test_closing_is_asked_first(page: Client, study: Study) -> None:
    add_participant(study, pseudonym="now", status="in_progress", started_at=timezone.now())
    answer = page.post("/studies/small/state/", {"state": "closed"})
    study.refresh_from_db()
    assert study.state == "open"
    assert "Close this study?" in text_of(answer)
    assert "1 person is taking it right now" in text_of(answer)


def test_closing_when_confirmed(page: Client, study: Study) -> None:
    page.post("/studies/small/state/", {"state": "closed", "confirmed": "yes"})
    study.refresh_from_db()
    assert study.state == "closed"


def test_study_with_real_people_does_not_go_back_to_draft(page: Client, study: Study) -> None:
    Study.objects.update(frozen_at=timezone.now())
    answer = page.post("/studies/small/state/", {"state": "draft"}, follow=True)
    study.refresh_from_db()
    assert study.state == "open"
    assert "can't go back to draft" in text_of(answer)


def test_state_that_does_not_exist_changes_nothing(page: Client, study: Study) -> None:
    answer = page.post("/studies/small/state/", {"state": "<b>"}, follow=True)
    study.refresh_from_db()
    assert study.state == "open"
    assert "&lt;b&gt; is not one of the available choices." in answer.content.decode()


# ── Gold scores ──────────────────────────────────────────────────────────────────────────────


def test_gold_without_judge_says_what_to_do(page: Client, study: Study) -> None:
    shown = text_of(page.get("/studies/small/gold/"))
    assert "The study names no judge." in shown
    assert "The gold scores used are imported ones" in shown


def test_gold_shows_single_scores_and_their_mean(page: Client, study: Study) -> None:
    row = tables_of(page.get("/studies/small/gold/"))[0][1]
    assert row == [
        "S1", "Ant", "plain", "warmth", "Ant plain answers S1 Ant plain answers S1", "3, 4", "3.50",
    ]  # fmt: skip


def test_gold_shows_progress_failures_and_the_stand_in(page: Client, judge: Judge) -> None:
    first, second, third = judge.calls.all()[:3]
    Call.objects.filter(pk=first.pk).update(state="answered", score=4)
    Call.objects.filter(pk=second.pk).update(state="failed", error="no number in it")
    for number, (call, outcome, text) in enumerate(
        [(first, "answered", "4"), (second, "unusable", "well"), (second, "unusable", "<i>ill</i>")]
    ):
        Attempt.objects.create(
            call=call, number=number, request_id=str(number), outcome=outcome, raw_text=text
        )
    Attempt.objects.create(call=third, number=1, request_id="lost", outcome="unknown")
    answer = page.get("/studies/small/gold/")
    shown = text_of(answer)
    assert "This judge is a stand-in, not a language model." in shown
    assert "1 of 20 calls answered, 0 running, 18 waiting, 1 failed." in shown
    assert "4 requests sent, of which 1 unknown" in shown
    assert "1 × no number in it" in shown
    failures = tables_of(answer)[0]
    assert failures[1][-1] == "no number in it <i>ill</i>"
    assert b"<i>ill" not in answer.content


def test_gold_of_an_unscored_response_is_empty(page: Client, judge: Judge) -> None:
    assert {row[-1] for row in tables_of(page.get("/studies/small/gold/"))[0][1:]} == {"–"}


def test_gold_progress_alone_says_when_it_is_over(page: Client, judge: Judge) -> None:
    assert "X-Finished" not in page.get("/studies/small/gold/progress/")
    judge.calls.update(state="answered", score=3)
    assert page.get("/studies/small/gold/progress/")["X-Finished"] == "1"


def test_score_queues_what_is_missing_and_wakes_a_worker(
    page: Client, judge: Judge, woken: Woken
) -> None:
    judge.calls.filter(replicate=1).update(state="answered", score=3)
    judge.calls.filter(replicate=2).update(state="failed", error="too bad")
    answer = page.post("/studies/small/gold/score/", follow=True)
    assert woken == [("judge.run", judge.pk)]
    assert judge.calls.filter(state="waiting").count() == 10
    assert "10 calls are queued." in text_of(answer)


def test_score_with_nothing_missing_wakes_nobody(page: Client, judge: Judge, woken: Woken) -> None:
    judge.calls.update(state="answered", score=3)
    answer = page.post("/studies/small/gold/score/", follow=True)
    assert woken == []
    assert "there is nothing to ask" in text_of(answer)


def test_score_without_a_key_says_so_and_queues_nothing(
    page: Client, study: Study, settings: Settings, woken: Woken
) -> None:
    settings.JUDGE_STAND_IN = False
    settings.JUDGE_BASE_URL = "https://judge.example/v1"
    configure_judge(study, JudgeDefinition(name="real"))
    answer = page.post("/studies/small/gold/score/", follow=True)
    assert "JUDGE_API_KEY is missing" in text_of(answer)
    assert (woken, Call.objects.count()) == ([], 0)


def test_score_with_a_silent_broker_says_that_the_work_is_kept(
    page: Client, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(task: str, row: int) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr("dashboard.views.wake", refuse)
    answer = page.post("/studies/small/gold/score/", follow=True)
    assert "The broker does not answer (connection refused)." in text_of(answer)


# ── Raters ───────────────────────────────────────────────────────────────────────────────────


def test_raters_shows_the_funnel_and_who_was_left_out(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    funnel, raters = tables_of(page.get("/studies/small/raters/"))
    assert funnel == [
        ["Step", "Excluded", "Remaining", "Alone"],
        ["start", "0", "4", "0"],
        ["duration", "1", "3", "1"],
        ["attention", "0", "3", "0"],
        ["early_exit", "0", "3", "0"],
        ["sigma_mae", "0", "3", "0"],
    ]
    assert raters[1][:4] == ["ann", "link", "12", "20.0"]
    assert [(row[0], row[6], row[7]) for row in raters[1:]] == [
        ("ann", "kept", ""),
        ("ben", "kept", ""),
        ("cat", "kept", ""),
        ("dot", "excluded", "duration minutes 2 (rule: minimum 10, maximum 75)"),
    ]


def test_raters_with_simulated_names_them(
    page: Client, study: Study, run_with_simulated: AnalysisRun
) -> None:
    answer = page.get("/studies/small/raters/?include=simulated")
    assert "These numbers include simulated participants" in text_of(answer)
    assert [row[:2] for row in tables_of(answer)[1][1:]][-1] == ["robot", "simulated"]


def test_raters_without_analysis_says_what_to_do(page: Client, study: Study) -> None:
    shown = text_of(page.get("/studies/small/raters/"))
    assert "No analysis yet" in shown and "Press “Compute”" in shown


def test_raters_of_a_simulated_run_are_not_shown_unasked(
    page: Client, study: Study, run_with_simulated: AnalysisRun
) -> None:
    assert "No analysis yet" in text_of(page.get("/studies/small/raters/"))


@pytest.mark.parametrize("source", ["prolific", "nobody", "<script>"])
def test_include_takes_test_people_only(page: Client, study: Study, source: str) -> None:
    assert page.get("/studies/small/raters/", {"include": source}).status_code == 404


def test_run_is_traced_and_called_old_when_data_change(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    fresh = text_of(page.get("/studies/small/raters/"))
    assert f"Computed from 4 raters at {run.finished_at:%Y-%m-%d %H:%M:%S} UTC" in fresh
    assert f"snapshot {run.snapshot_hash[:12]}" in fresh
    assert "data changed since" not in fresh
    add_participant(study, pseudonym="new")
    assert "data changed since" in text_of(page.get("/studies/small/raters/"))


def test_failed_run_shows_its_error_and_the_one_before(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    AnalysisRun.objects.create(
        study=study,
        rule_set=current_rule_set(study),
        sources=counted_sources(),
        state="failed",
        error="MemoryError: <too big>",
    )
    answer = page.get("/studies/small/raters/")
    assert "The newest analysis failed" in text_of(answer)
    assert "MemoryError: &lt;too big&gt;" in answer.content.decode()
    assert len(tables_of(answer)) == 2


def test_stand_in_is_named_where_its_scores_count(page: Client, judge: Judge, study: Study) -> None:
    judge.calls.update(state="answered", score=3)
    finished_run(study=study, sources=counted_sources())
    for name in ("raters", "results", "figures", "downloads"):
        shown = text_of(page.get(f"/studies/small/{name}/"))
        assert "The gold scores are made up by a stand-in" in shown, name


def test_study_with_test_people_alone_leads_to_their_numbers(page: Client, study: Study) -> None:
    assert "Nobody real has taken part yet" not in text_of(page.get("/studies/small/results/"))
    study.participants.exclude(source="simulated").delete()
    answer = page.get("/studies/small/results/")
    assert "Nobody real has taken part yet, only simulated participants." in text_of(answer)
    assert '<a href="?include=simulated">look at their numbers</a>' in answer.content.decode()


# ── Recomputing ──────────────────────────────────────────────────────────────────────────────


def test_recompute_asks_for_a_run_and_comes_back(page: Client, study: Study, woken: Woken) -> None:
    answer = page.post("/studies/small/analysis/recompute/?include=simulated", {"page": "results"})
    run = AnalysisRun.objects.get()
    assert (run.state, run.sources) == ("waiting", counted_sources(["simulated"]))
    assert woken == [("analysis.run", run.pk)]
    assert answer["Location"] == "/studies/small@1/results/?include=simulated"
    assert "waits for a worker" in text_of(page.get(answer["Location"]))


def test_recompute_of_unchanged_data_makes_no_second_run(
    page: Client, study: Study, run: AnalysisRun, woken: Woken
) -> None:
    answer = page.post("/studies/small/analysis/recompute/", {"page": "raters"}, follow=True)
    assert AnalysisRun.objects.count() == 1
    assert woken == []
    assert "Nothing has changed since" in text_of(answer)


@pytest.mark.parametrize("where", ["", "https://elsewhere.example", "login"])
def test_recompute_comes_back_to_pages_of_the_study_only(
    page: Client, study: Study, woken: Woken, where: str
) -> None:
    answer = page.post("/studies/small/analysis/recompute/", {"page": where})
    assert answer["Location"] == "/studies/small@1/raters/"


def test_analysis_state_says_when_the_run_is_done(page: Client, study: Study, woken: Woken) -> None:
    page.post("/studies/small/analysis/recompute/", {"page": "raters"})
    assert "X-Finished" not in page.get("/studies/small/analysis/")
    AnalysisRun.objects.update(state="done")
    assert page.get("/studies/small/analysis/")["X-Finished"] == "1"


# ── Results and figures ──────────────────────────────────────────────────────────────────────


def test_results_lays_wins_out_like_the_papers_table_4(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    wins = tables_of(page.get("/studies/small/results/"))[0]
    assert wins == [
        ["Model", "S1", "S2", "All"],
        ["P", "T", "P", "T", "P", "T"],
        ["Ant", "2.00", "✓ 4.00", "2.00", "✓ 4.00", "0", "2"],
        ["Bee", "2.00", "✓ 4.00", "✓ 4.00", "2.00", "1", "1"],
        ["Wins", "0", "2", "1", "1", "1", "3"],
        ["Ties", "0", "0", "0"],
        ["Share of wins", "0.0%", "100.0%", "50.0%", "50.0%", "25.0%", "75.0%"],
        ["Reference", "4 of 4 100.0%", "4 of 4 100.0%", "8 of 8 100.0%"],
    ]


def test_results_shows_ties_as_ties(page: Client, db: None) -> None:
    study = make_study(reference=None, conditions=["plain", "tuned"])
    add_participant(study, pseudonym="ann")
    finished_run(study=study, sources=counted_sources())
    wins = tables_of(page.get("/studies/small/results/"))[0]
    assert wins[2] == ["Ant", "= 3.00", "= 3.00", "= 3.00", "= 3.00", "0", "0"]
    assert [row[0] for row in wins[2:]] == ["Ant", "Bee", "Wins", "Ties", "Share of wins"]


def test_results_without_contrast_says_why_there_are_no_wins(page: Client, db: None) -> None:
    study = make_study(contrast=None)
    add_participant(study, pseudonym="ann")
    finished_run(study=study, sources=counted_sources())
    assert "the study names no two conditions to compare" in text_of(
        page.get("/studies/small/results/")
    )


def test_results_leaves_a_cell_without_ratings_empty(page: Client, db: None) -> None:
    study = make_study(scenarios=["S1"])
    add_participant(
        study, pseudonym="ann", rate=lambda key: None if key[2:4] == ("Ant", "tuned") else 3
    )
    finished_run(study=study, sources=counted_sources())
    wins = tables_of(page.get("/studies/small/results/"))[0]
    assert wins[2] == ["Ant", "3.00", "–", "0", "0"]


def test_results_shows_items_and_demographics(page: Client, study: Study, run: AnalysisRun) -> None:
    _, items, demographics = tables_of(page.get("/studies/small/results/"))
    assert items[1] == ["S1", "1", "Ant", "plain", "warmth", "3", "2.00", "0.00", "3.50"]
    assert demographics[1:3] == [
        ["Age", "Mean (SD), range 30–50", "3", "40.0 (10.0)"],
        ["Sex", "Female", "3", "100.0%"],
    ]


def test_figures_loads_plotly_from_here_and_gives_the_means_as_text(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    answer = page.get("/studies/small/figures/")
    shown = answer.content.decode()
    assert '<script src="/static/plotly/plotly.min.js" defer></script>' in shown
    assert f'data-figure="/studies/small@1/figures/{run.pk}/ratings_kde.json"' in shown
    means = tables_of(answer)[0]
    assert means[:2] == [
        ["Model", "Condition", "Set", "S1", "S2"],
        ["Ant", "plain", "1", "2.00 (3)", "2.00 (3)"],
    ]


def test_figure_is_the_stored_one(page: Client, study: Study, run: AnalysisRun) -> None:
    stored = run.results.get(kind="figure", name="ratings_kde").content
    answer = page.get(f"/studies/small/figures/{run.pk}/ratings_kde.json")
    assert answer.json() == stored
    assert page.get(f"/studies/small/figures/{run.pk}/other.json").status_code == 404


def test_figure_of_another_study_is_not_found(page: Client, run: AnalysisRun) -> None:
    make_study(slug="other")
    assert page.get(f"/studies/other/figures/{run.pk}/ratings_kde.json").status_code == 404


def test_only_the_figures_page_loads_plotly(page: Client, study: Study, run: AnalysisRun) -> None:
    loading = [
        name
        for name in ("", "gold/", "raters/", "results/", "figures/", "downloads/")
        if b"plotly" in page.get(f"/studies/small/{name}").content
    ]
    assert loading == ["figures/"]


@pytest.mark.parametrize("name", ["results", "figures", "downloads"])
def test_page_without_analysis_says_so(page: Client, study: Study, name: str) -> None:
    answer = page.get(f"/studies/small/{name}/")
    assert "No analysis yet" in text_of(answer)
    assert b"plotly" not in answer.content


# ── Downloads ────────────────────────────────────────────────────────────────────────────────


def body(answer: object) -> list[str]:
    return b"".join(answer.streaming_content).decode().splitlines()  # type: ignore[attr-defined]  # a test client's answer


def test_downloads_offers_each_file_or_says_why_not(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    files = {row[0]: row[1] for row in tables_of(page.get("/studies/small/downloads/"))[0][1:]}
    assert set(files) == {
        "participants.csv", "ratings.csv", "ratings_all.csv", "gold.csv", "ranks.csv",
        "codebook.csv",
    }  # fmt: skip
    assert files["ranks.csv"].endswith("(not here: nobody ranked or chose responses)")


def test_download_of_ratings_holds_the_raters_who_are_kept(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    answer = page.get("/studies/small/downloads/ratings.csv")
    assert answer["Content-Disposition"] == 'attachment; filename="small-1-ratings.csv"'
    lines = body(answer)
    assert lines[0].startswith("participant,scenario,set,model,condition,dimension,rating,gold")
    assert {line.split(",")[0] for line in lines[1:]} == {"ann", "ben", "cat"}


def test_download_with_simulated_names_them(
    page: Client, study: Study, run_with_simulated: AnalysisRun
) -> None:
    lines = body(page.get("/studies/small/downloads/ratings_all.csv?include=simulated"))
    source = lines[0].split(",").index("source")
    assert {line.split(",")[source] for line in lines[1:]} == {"link", "simulated"}


@pytest.mark.parametrize("file", ["ranks.csv", "manage.py", "codebook"])
def test_download_of_a_file_that_is_not_there(
    page: Client, study: Study, run: AnalysisRun, file: str
) -> None:
    assert page.get(f"/studies/small/downloads/{file}").status_code == 404


# ── Tokens ───────────────────────────────────────────────────────────────────────────────────


def test_token_is_made_replaced_and_deleted(page: Client, researcher: User) -> None:
    assert "You have none yet." in text_of(page.get("/account/token/"))
    page.post("/account/token/", {"action": "renew"})
    first = Token.objects.get(user=researcher).key
    assert first in page.get("/account/token/").content.decode()
    page.post("/account/token/", {"action": "renew"})
    assert Token.objects.get(user=researcher).key != first
    page.post("/account/token/", {"action": "delete"})
    assert not Token.objects.exists()


def test_token_of_somebody_else_is_left_alone(page: Client, db: None) -> None:
    other = Token.objects.create(user=User.objects.create_user("bob", is_staff=True))
    page.post("/account/token/", {"action": "renew"})
    assert other.key not in page.get("/account/token/").content.decode()
    assert Token.objects.filter(pk=other.pk).exists()


# ── All pages ────────────────────────────────────────────────────────────────────────────────

NAMES = ["", "counts/", "gold/", "gold/progress/", "raters/", "results/", "figures/", "downloads/"]


def queries_of(page: Client, address: str) -> int:
    page.get(address)  # what is kept in memory is read
    with CaptureQueriesContext(connection) as captured:
        assert page.get(address).status_code == 200
    return len(captured)


@pytest.mark.parametrize("name", NAMES)
def test_query_count_does_not_grow_with_people_and_calls(
    page: Client, judge: Judge, name: str
) -> None:
    study = judge.study
    calls = list(judge.calls.all())
    Participant.objects.exclude(pseudonym__in=["ann", "dot"]).delete()
    for call in calls[:1]:
        Call.objects.filter(pk=call.pk).update(state="failed", error="no")
    finished_run(study=study, sources=counted_sources())
    with_one = queries_of(page, f"/studies/small/{name}")
    for pseudonym in ("eve", "fay"):
        add_participant(study, pseudonym=pseudonym, rate=likes_tuned)
    for call in calls[1:3]:
        Call.objects.filter(pk=call.pk).update(state="failed", error="no")
    finished_run(study=study, sources=counted_sources())
    assert queries_of(page, f"/studies/small/{name}") == with_one


def test_query_count_of_the_list_does_not_grow_with_studies(page: Client, study: Study) -> None:
    with_one = queries_of(page, "/")
    make_study(slug="second")
    make_study(slug="third")
    assert queries_of(page, "/") == with_one


@pytest.mark.parametrize("name", NAMES)
def test_page_asks_nothing_of_third_parties_and_holds_no_script(
    page: Client, study: Study, run: AnalysisRun, name: str
) -> None:
    shown = page.get(f"/studies/small/{name}").content.decode()
    for tag, address in re.findall(r'<(script|link|img)[^>]*(?:src|href)="([^"]*)"', shown):
        assert address.startswith("/static/"), tag
    assert re.findall(r"<script(?![^>]*\ssrc=)", shown) == []
    assert re.findall(r"\son[a-z]+=", shown) == []


def test_what_people_wrote_is_never_markup(page: Client, study: Study, run: AnalysisRun) -> None:
    Study.objects.update(title="<b>bold</b>")
    Response.objects.update(text="<script>alert(1)</script>")
    Participant.objects.filter(pseudonym="ann").update(pseudonym="<i>ann")
    for name in NAMES:
        shown = page.get(f"/studies/small/{name}").content.decode()
        assert not re.findall("<b>bold|<script>alert|<i>ann", shown), name
