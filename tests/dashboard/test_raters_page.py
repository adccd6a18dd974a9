"""The raters page: the funnel, who was left out and why, and which run says so."""

import pytest
from django.test import Client

from analysis.execution import finished_run
from analysis.models import AnalysisRun
from analysis.rules import current_rule_set
from judge.models import Judge
from survey.models import Study
from survey.tidy import counted_sources
from tests.dashboard.reading import tables_of, text_of
from tests.factories import add_participant


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
