"""The list of studies, a study's overview, and moving it between states."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from analysis.models import AnalysisRun
from survey.models import Participant, Study
from tests.dashboard.reading import table_headed, tables_of, text_of
from tests.factories import add_participant, make_study

# What pages show and say; test_pages.py opens them on every database.
pytestmark = pytest.mark.embedded

# ── List of studies ───────────────────────────────────────────────────────────────────────────────


def test_studies_counts_test_people_apart(page: Client, study: Study) -> None:
    add_participant(study, pseudonym="eve", status="in_progress")
    assert tables_of(page.get("/")) == [
        [
            ["Study", "State", "Arrived", "In progress", "Completed", "Experts and test people"],
            ["The small study small@1", "open", "5", "1", "4", "1"],
        ]
    ]


def test_list_leads_to_a_study_by_its_title_and_by_its_name(page: Client, study: Study) -> None:
    cell = page.get("/").content.decode().partition('<th scope="row">')[2].partition("</th>")[0]
    assert cell.startswith("<a ") and cell.endswith("</a>") and "small@1" in cell


def test_imported_study_shows_no_slots_endings_and_draft(page: Client, db: None) -> None:
    study = make_study()
    study.state = Study.State.DRAFT
    study.save()
    add_participant(study, pseudonym="eva", source="import")
    assert tables_of(page.get("/"))[0][1][1] == "imported"
    shown = page.get("/studies/small/")
    headings = [table[0][0] for table in tables_of(shown)]
    assert "Source" in headings and "Pool" not in headings and "Ending" not in headings
    assert "Slots" not in text_of(shown)
    assert ">imported</span>" in shown.content.decode().partition("<nav class")[0]
    assert "Pool" not in text_of(page.get("/studies/small/counts/"))


def test_prolific_page_is_in_the_navigation_of_studies_on_prolific(
    page: Client, study: Study
) -> None:
    link = 'href="/studies/small@1/submissions/"'
    assert link not in page.get("/studies/small/raters/").content.decode()
    assert link in page.get("/studies/small/submissions/").content.decode()
    add_participant(study, pseudonym="eva", source="prolific")
    assert link in page.get("/studies/small/raters/").content.decode()
    study.participants.get(pseudonym="eva").delete()
    study.settings["ways_in"] = ["prolific"]
    study.save()
    assert link in page.get("/studies/small/raters/").content.decode()


# ── Overview ──────────────────────────────────────────────────────────────────────────────────────


def test_overview_counts_people_by_source_with_test_people_apart(
    page: Client, study: Study, run_with_simulated: AnalysisRun
) -> None:
    add_participant(study, pseudonym="now", status="in_progress", started_at=timezone.now())
    add_participant(study, pseudonym="gone", status="in_progress", source="prolific")
    Participant.objects.create(study=study, source="prolific")
    Participant.objects.create(study=study, source="prolific", status="declined")
    assert table_headed(page.get("/studies/small/"), "Source")[1:] == [
        ["link", "5", "0", "1", "0", "4", "0", "0", "0", "Too fast or too slow 1"],
        ["prolific", "3", "1", "0", "1", "0", "1", "0", "0", "none"],
        ["Not counted among raters"],
        ["simulated", "1", "0", "0", "0", "1", "0", "0", "0", "none"],
    ]


def test_overview_adds_up_real_people_only(page: Client, study: Study, run: AnalysisRun) -> None:
    tiles = re.findall(
        r"<dt>(.*?)(?:<br>analysis of .*?)?</dt><dd>(?:<a [^>]*>)?(\d+)(?:</a>)?</dd>",
        page.get("/studies/small/").content.decode(),
    )
    assert tiles[:6] == [
        ("completed", "4"),
        ("active now", "0"),
        ("inactive", "0"),
        ("arrived", "4"),
        ("declined", "0"),
        ("excluded by a rule", "1"),
    ]


def test_counts_alone_are_what_the_overview_shows(page: Client, study: Study) -> None:
    alone = page.get("/studies/small/counts/")
    live = ["From (UTC)", "Page", "Source", "Pool"]
    assert [table[0][0] for table in tables_of(alone)] == live
    assert tables_of(alone) == tables_of(page.get("/studies/small/"))[: len(live)]
    assert b"<html" not in alone.content


def test_overview_takes_imported_people_in_progress_for_gone(page: Client, study: Study) -> None:
    add_participant(
        study, pseudonym="old", source="import", status="in_progress", started_at=timezone.now()
    )
    row = table_headed(page.get("/studies/small/"), "Source")[1]
    assert row[:5] == ["import", "1", "0", "0", "1"]


def test_overview_without_people_says_so(page: Client, db: None) -> None:
    make_study(slug="empty")
    shown = text_of(page.get("/studies/empty/"))
    assert "Nobody has arrived yet." in shown
    assert "No exclusions yet: no analysis has finished." in shown


def test_overview_gives_the_link_of_each_way_in(page: Client, study: Study) -> None:
    study.settings["ways_in"] = ["prolific", "link", "invitation"]
    study.save()
    shown = page.get("/studies/small/").content.decode()
    assert re.findall(r'value="(http://.*?)"', shown) == [
        "http://localhost:8000/s/small/?PROLIFIC_PID={{%PROLIFIC_PID%}}"
        "&amp;STUDY_ID={{%STUDY_ID%}}&amp;SESSION_ID={{%SESSION_ID%}}",
        "http://localhost:8000/s/small/",
        "http://localhost:8000/s/small/?preview&amp;version=1",
    ]
    assert f"/admin/survey/invitation/add/?study={study.pk}" in shown


# ── State ─────────────────────────────────────────────────────────────────────────────────────────


def test_state_button_moves_the_study_and_is_remembered(
    page: Client, researcher: User, study: Study
) -> None:
    answer = page.post("/studies/small/state/", {"state": "paused"}, follow=True)
    study.refresh_from_db()
    assert study.state == "paused"
    assert "small@1 is now paused." in text_of(answer)
    assert tables_of(answer)[-1][1][1:] == ["Open → paused", "ada"]


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
