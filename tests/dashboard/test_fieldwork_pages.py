"""Pages about a study that runs: its places and endings, order, policy, and pilot."""

import csv
import io
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from analysis.execution import finished_run
from survey.consent import decline, give_consent
from survey.models import FreeAnswer, Participant, Rating, Study
from survey.participants import Arrival
from survey.tidy import counted_sources
from survey.withdrawal import withdraw
from tests.dashboard.reading import table_headed, tables_of, text_of
from tests.factories import add_participant, newcomer
from tests.survey import small_study

# What pages show and say; test_pages.py opens them on every database.
pytestmark = pytest.mark.embedded

NOW = timezone.now()
BALANCED = "order: {responses: balanced, blocks: balanced}\n"
RANKING = """\
tasks:
  - kind: ranking
    question: Rank the responses.
"""


@pytest.fixture
def study(db: None) -> Study:
    return small_study.load(yaml=small_study.YAML + BALANCED)


def start(study: Study, number: int = 1, *, source: str = "prolific", done: bool = True) -> None:
    for _ in range(number):
        person = newcomer(Arrival(study=study, source=source, at=NOW))
        give_consent(participant=person, at=NOW)
        if done:
            Participant.objects.filter(pk=person.pk).update(
                status="completed", ending="completed", finished_at=NOW
            )


# ── Places and endings, on the overview ──────────────────────────────────────────────────────


def test_overview_shows_places_with_test_people_apart(page: Client, study: Study) -> None:
    study.settings["places"]["maximum"] = 5
    study.save()
    start(study, 2)
    start(study, done=False)
    start(study, source="simulated")
    answer = page.get("/studies/small/")
    assert table_headed(answer, "Pool")[1:] == [
        ["raters", "5", "3", "2", "1", "0", "2", "0", "0", "0", "0"],
        ["simulated", "5", "1", "1", "0", "0", "4", "0", "0", "0", "0"],
    ]
    assert "Slots: 2 of 5 completed, 1 active, 0 inactive, 2 free." in text_of(answer)


def test_overview_counts_endings_with_codes_and_actions(page: Client, study: Study) -> None:
    start(study, 2)
    start(study, source="simulated")
    decline(participant=newcomer(Arrival(study=study, source="prolific", at=NOW)), at=NOW)
    start(study, done=False)
    withdraw(participant=study.participants.get(status="in_progress"), at=NOW)
    endings = table_headed(page.get("/studies/small/"), "Ending")
    assert [row[:4] for row in endings[1:]] == [
        ["Completed", "2", "DONE1", "COMPLETED"],
        ["Declined", "1", "NOPE1", "NO_CONSENT"],
        ["Withdrawn", "1", "none", "OTHER"],
    ]
    assert endings[1][4].startswith("AUTOMATICALLY_APPROVE")


def test_overview_without_prolific_has_neither_codes_nor_upload(page: Client, study: Study) -> None:
    study.settings["prolific"] = None
    study.settings["ways_in"] = ["link"]
    study.save()
    answer = page.get("/studies/small/")
    assert table_headed(answer, "Ending")[0] == ["Ending", "People"]
    assert "list of submissions" not in text_of(answer)
    upload = page.get("/studies/small/submissions/")
    assert "does not recruit on Prolific" in text_of(upload)
    assert b'type="file"' not in upload.content


# ── Order ────────────────────────────────────────────────────────────────────────────────────


def test_order_page_shows_counts_tests_and_what_is_missing(page: Client, study: Study) -> None:
    start(study, 5)
    answer = page.get("/studies/small/order/")
    shown = text_of(answer)
    assert "Counted from what 5 people were shown" in shown
    assert "5 of 8 slots are completed; 3 are missing until the design is complete" in shown
    assert "Missing slots: 5, 6, 7" in shown
    positions = tables_of(answer)[0]
    assert positions[0] == ["What", "1", "2", "3"]
    assert sum(int(cell.split()[0]) for row in positions[1:] for cell in row[1:]) == 5 * 4 * 3
    assert "χ²(8) =" in shown


def test_order_page_of_nobody_says_so(page: Client, study: Study) -> None:
    assert "No one is counted yet" in text_of(page.get("/studies/small/order/"))


def test_order_page_counts_test_people_only_when_asked(page: Client, study: Study) -> None:
    start(study, 2)
    start(study, 3, source="simulated")
    assert "what 2 people were shown" in text_of(page.get("/studies/small/order/"))
    test = text_of(page.get("/studies/small/order/?pool=simulated"))
    assert "what 3 people were shown" in test
    assert "These are simulated people." in test


def test_order_page_counts_holders_of_places_when_asked(page: Client, study: Study) -> None:
    start(study, 2)
    start(study, 1, done=False)
    shown = text_of(page.get("/studies/small/order/?people=places"))
    assert "what 3 people were shown" in shown


def test_order_page_says_that_random_orders_have_no_design(page: Client, db: None) -> None:
    small_study.load()
    assert "there is no design to complete" in text_of(page.get("/studies/small/order/"))


def test_order_page_warns_of_a_maximum_that_leaves_squares_open(page: Client, study: Study) -> None:
    study.settings["places"]["maximum"] = 10
    study.save()
    shown = text_of(page.get("/studies/small/order/"))
    assert "takes 10 people. This is not a multiple of 4" in shown


@pytest.mark.parametrize("query", ["pool=everybody", "people=some"])
def test_order_page_of_unknown_people_is_not_found(page: Client, study: Study, query: str) -> None:
    assert page.get(f"/studies/small/order/?{query}").status_code == 404


@pytest.mark.parametrize("people", [1, 3])
def test_order_page_asks_the_same_of_the_database_whatever_the_number(
    page: Client, study: Study, django_assert_num_queries: object, people: int
) -> None:
    start(study, people)
    with django_assert_num_queries(17):  # type: ignore[operator]  # pytest-django's fixture
        page.get("/studies/small/order/")


def test_certificate_is_a_csv_of_all_pools(page: Client, study: Study) -> None:
    start(study, 1)
    start(study, 1, source="simulated")
    answer = page.get("/studies/small/order/certificate.csv")
    assert answer["Content-Disposition"] == 'attachment; filename="small-1-certificate.csv"'
    text = b"".join(answer).decode("utf-8-sig")
    found = list(csv.DictReader(io.StringIO(text)))
    assert {(row["pool"], row["people"]) for row in found} == {
        (pool, people) for pool in ("real", "simulated") for people in ("completed", "places")
    }
    first = found[0]
    assert (first["table"], first["row"], first["column"]) == (
        "system_position",
        "Ant (plain)",
        "1",
    )
    assert {row["table"] for row in found} == {
        *("system_position", "system_follows", "block_slot", "system_slot"),
        *("response_position", "response_follows"),
    }


# ── Policy ───────────────────────────────────────────────────────────────────────────────────


def test_policy_page_says_what_to_change(page: Client, study: Study) -> None:
    answer = page.get("/studies/small/policy/")
    rules = {row[0]: row[1:] for row in tables_of(answer)[0]}
    assert rules["Enough attention checks"][0] == "to change"
    assert rules["Attention check “check_1”"][0] == "fine"
    assert rules["Pay"][0] == "remember"
    changes = sum(row[1] == "to change" for row in tables_of(answer)[0])
    assert f"Change {changes} points before you recruit" in text_of(answer)


def test_policy_page_says_nothing_about_prolific_where_nobody_comes_from_there(
    page: Client, study: Study
) -> None:
    Study.objects.update(settings={**study.settings, "ways_in": ["link"]})
    said = text_of(page.get("/studies/small/policy/"))
    assert "Use of AI is ruled out in words" in said
    assert "Prolific" not in said.replace(
        "API tokens Security Prolific Records", ""
    )  # the account's links


# ── Pilot ────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def versions(db: None) -> tuple[Study, Study]:
    """A pilot that ranks, taken by two people, and a main study that rates, taken by two."""
    tasks = re.compile(r"tasks:\n.*?(?=conditions:)", re.DOTALL)
    yaml = re.sub(r"attention_checks:\n.*?(?=demographics:)", "", small_study.YAML, flags=re.DOTALL)
    first = small_study.load(yaml=tasks.sub(RANKING, yaml) + "pilot: true\n")
    for name, minutes in (("p1", 26), ("p2", 28)):
        person = add_participant_without_ratings(first, name, minutes)
        for shown in person.presentations.all():
            for rank, response in enumerate(sorted(shown.response_order or ()), start=1):
                Rating.objects.create(
                    presentation=shown, response_id=response, task="ranking", value=rank
                )
    FreeAnswer.objects.create(participant=person, name="comment", text="Ranking was hard.")
    second = small_study.load(yaml=yaml)
    for name in ("m1", "m2"):
        add_participant(
            second,
            pseudonym=name,
            minutes=23,
            checks_passed=None,
            rate=lambda key: {"plain": 1, "tuned": 2, "reference": 3}[key[3]],
        )
    return first, second


def add_participant_without_ratings(study: Study, name: str, minutes: int) -> Participant:
    person = newcomer(Arrival(study=study, source="link", at=NOW))
    give_consent(participant=person, at=NOW)
    end = NOW + timedelta(minutes=minutes)
    person.presentations.update(shown_at=NOW, answered_at=end)
    Participant.objects.filter(pk=person.pk).update(
        pseudonym=name, status="completed", finished_at=end
    )
    return Participant.objects.get(pk=person.pk)


@pytest.mark.slow
def test_pilot_page_compares_with_the_main_study(
    page: Client, versions: tuple[Study, Study]
) -> None:
    for version in versions:
        finished_run(study=version, sources=counted_sources())
    answer = page.get("/studies/small/pilot/")
    assert tables_of(answer)[0] == [
        ["Measure", "small@2", "small@1 (pilot)"],
        ["Tasks per block", "ratings", "ranks"],
        ["Completed", "2", "2"],
        ["Minutes, median", "23.0", "27.0"],
        ["Minutes, lower quartile", "23.0", "26.5"],
        ["Minutes, upper quartile", "23.0", "27.5"],
        ["Changed answers per person", "0.0", "0.0"],
        ["Agreement of ratings, Kendall's W", "1.00 over 4 blocks", "–"],
        ["Agreement of ranks, Kendall's W", "–", "1.00 over 4 blocks"],
        ["Free answers and remarks", "0", "1"],
        ["People who wrote any", "0", "1"],
    ]
    assert "Ranking was hard." in text_of(answer)


def test_pilot_page_says_where_there_is_no_analysis(
    page: Client, versions: tuple[Study, Study]
) -> None:
    shown = text_of(page.get("/studies/small@1/pilot/"))
    assert "This version is a pilot" in shown
    assert "small@1: no analysis with these measures yet." in shown


def test_pilot_page_of_a_single_version_says_how_to_make_another(
    page: Client, study: Study
) -> None:
    assert "has no other version to compare with" in text_of(page.get("/studies/small/pilot/"))


@pytest.mark.parametrize("version", ["9", "2", "0", "x", "9" * 30])
def test_pilot_page_with_a_version_that_is_not_there_is_not_found(
    page: Client, versions: tuple[Study, Study], version: str
) -> None:
    assert page.get(f"/studies/small/pilot/?version={version}").status_code == 404
