"""The pages of results and figures, and computing them anew."""

import pytest
from django.test import Client

from analysis.execution import finished_run
from analysis.models import AnalysisRun
from survey.models import Study
from survey.tidy import counted_sources
from tests.dashboard.conftest import Woken
from tests.dashboard.reading import tables_of, text_of
from tests.factories import add_participant, make_study
from tests.survey import small_study

# ── Recomputing ───────────────────────────────────────────────────────────────────────────────────


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


# ── Results and figures ───────────────────────────────────────────────────────────────────────────


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


def test_only_pages_with_figures_load_plotly(page: Client, study: Study, run: AnalysisRun) -> None:
    loading = [
        name
        for name in ("", "gold/", "agreement/", "raters/", "results/", "figures/", "downloads/")
        if b"plotly" in page.get(f"/studies/small/{name}").content
    ]
    assert loading == ["agreement/", "figures/"]


@pytest.mark.parametrize("name", ["agreement", "results", "figures", "downloads"])
def test_page_without_analysis_says_so(page: Client, study: Study, name: str) -> None:
    answer = page.get(f"/studies/small/{name}/")
    assert "No analysis yet" in text_of(answer)
    assert b"plotly" not in answer.content


def test_results_without_ratings_lead_to_what_people_answered(page: Client, db: None) -> None:
    small_study.load(yaml=small_study.CHOICES_YAML)
    said = text_of(page.get("/studies/small/results/"))
    assert said.count("asks for no ratings") == 1
    assert "What people answered is in ranks.csv and comments.csv on the page Downloads" in said
    html = page.get("/studies/small/results/?include=simulated").content.decode()
    assert '<a href="/studies/small@1/downloads/?include=simulated">Downloads</a>' in html
    assert "Wins" not in said


def test_results_with_ratings_do_not(page: Client, study: Study, run: AnalysisRun) -> None:
    assert "ranks.csv" not in text_of(page.get("/studies/small/results/"))
