"""Whose numbers a page shows: those chosen in its address, else of people who count, and of test
people only while nobody else has finished.
"""

import re

import pytest
from django.test import Client

from analysis.execution import finished_run
from analysis.models import AnalysisRun
from survey.models import Study
from survey.tidy import counted_sources
from tests.dashboard.reading import tables_of, text_of
from tests.factories import add_participant

# What pages show and say; test_pages.py opens them on every database.
pytestmark = pytest.mark.embedded

PAGES = ["results", "raters", "thresholds", "figures", "agreement", "downloads", "gold"]
SIMULATED = "include simulated participants, who never count as raters"
BY_DEFAULT = "You see them because no rater has finished yet"
LABEL = "with simulated participants"


@pytest.fixture
def tried(study: Study, run_with_simulated: AnalysisRun) -> Study:
    """A study that only simulated raters have taken, with their analysis."""
    study.participants.exclude(source="simulated").delete()
    return study


def tiles(page: Client, query: str = "") -> dict[str, str]:
    """The first numbers of the overview."""
    shown = page.get(f"/studies/small/{query}").content.decode()
    return dict(re.findall(r"<dt>(.*?)</dt><dd>(\d+)</dd>", shown))


@pytest.mark.parametrize("name", PAGES)
def test_a_study_that_was_only_tried_shows_what_was_tried_and_says_so(
    page: Client, tried: Study, name: str
) -> None:
    answer = page.get(f"/studies/small/{name}/")
    shown, source = text_of(answer), answer.content.decode()
    assert SIMULATED in shown and BY_DEFAULT in shown
    assert '<a href="?include=none">' in source, "the other view is one click away"
    if name not in ("figures", "gold"):
        assert "No analysis yet" not in shown
        captions = re.findall(r"<caption(?! class)[^>]*>(.*?)</caption>", source, re.DOTALL)
        assert any(LABEL in caption for caption in captions)
    assert tables_of(page.get("/studies/small/raters/"))[1][1][:2] == ["robot", "included"]


@pytest.mark.parametrize("name", PAGES)
def test_raters_alone_can_be_asked_for_and_have_no_zeros(
    page: Client, tried: Study, name: str
) -> None:
    answer = page.get(f"/studies/small/{name}/?include=none")
    shown = text_of(answer)
    assert "No ratings yet." in shown
    assert SIMULATED not in shown and LABEL not in shown
    assert "/studies/small@1/raters/?include=none" in answer.content.decode(), "the choice stays"


def test_the_overview_says_why_it_has_no_results_of_raters(page: Client, tried: Study) -> None:
    source = page.get("/studies/small/?include=none").content.decode()
    assert "Only simulated participants have taken part." in source
    assert '<a href="?include=simulated">look at their numbers</a>' in source
    assert "No ratings yet." not in text_of(page.get("/studies/small/")), "results are shown"


def test_an_analysis_of_nobody_is_no_table_of_zeros(page: Client, tried: Study) -> None:
    finished_run(study=tried, sources=counted_sources())
    for name in ("raters", "results", "thresholds"):
        shown = text_of(page.get(f"/studies/small/{name}/?include=none"))
        assert "No ratings yet" in shown, name
        assert " 0 left" not in shown and "0 of 0" not in shown, name


def test_as_soon_as_somebody_who_counts_has_finished_they_are_shown(
    page: Client, tried: Study
) -> None:
    add_participant(tried, pseudonym="eva", status="in_progress")
    assert BY_DEFAULT in text_of(page.get("/studies/small/results/")), "not before"
    add_participant(tried, pseudonym="fay")
    for name in PAGES:
        shown = text_of(page.get(f"/studies/small/{name}/"))
        assert SIMULATED not in shown and LABEL not in shown, name
    assert SIMULATED in text_of(page.get("/studies/small/results/?include=simulated"))


def test_a_choice_goes_along_to_every_page_of_results(page: Client, tried: Study) -> None:
    for query in ("?include=simulated", "?include=none"):
        shown = page.get(f"/studies/small/results/{query}").content.decode()
        for name in ("texts", "gold", "raters", "figures", "downloads"):
            assert f'href="/studies/small@1/{name}/{query}"' in shown, name
    shown = page.get("/studies/small/results/").content.decode()
    assert 'href="/studies/small@1/raters/"' in shown, "where nothing is chosen, nothing is"


def test_files_and_the_api_have_test_people_by_name_alone(page: Client, tried: Study) -> None:
    assert page.get("/studies/small/downloads/ratings_all.csv").status_code == 404
    assert page.get("/api/studies/small/raters/").json()["results"] == []
    shown = page.get("/studies/small/downloads/").content.decode()
    assert "/studies/small@1/downloads/ratings_all.csv?include=simulated" in shown


def test_first_numbers_of_the_overview_are_of_test_people_while_there_is_nobody_else(
    page: Client, tried: Study
) -> None:
    assert tiles(page)["completed"] == "1"
    shown = text_of(page.get("/studies/small/"))
    assert "These numbers include simulated participants" in shown
    assert "because no rater has arrived yet" in shown
    assert tiles(page, "?include=none")["completed"] == "0"
    assert "These numbers include" not in text_of(page.get("/studies/small/?include=none"))
    add_participant(tried, pseudonym="eva", status="in_progress")
    assert (tiles(page)["arrived"], tiles(page)["completed"]) == ("1", "0")


def test_an_analysis_of_experts_is_never_shown_unasked(page: Client, study: Study) -> None:
    study.participants.all().delete()
    add_participant(study, pseudonym="edda", source="panel", panel="clinicians")
    finished_run(study=study, sources=counted_sources(["panel"]))
    shown = text_of(page.get("/studies/small/raters/"))
    assert "Only panel participants have taken part." in shown
    assert "edda" not in shown
