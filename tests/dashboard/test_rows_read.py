"""No page, list of the API or sweep reads a row for each person: a study may have any number."""

import re
from datetime import timedelta
from http.client import OK
from pathlib import Path
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client, TestCase
from pytest_django import DjangoDbBlocker

from benchmarks.crowded import building
from benchmarks.crowded.asked import pages_of, sweeps, why_absent, why_exempt
from benchmarks.crowded.belongings import add_belongings
from config import sessions
from config.celery import app
from dashboard.api.counting_ahead import count_ahead
from dashboard.payments import shown_groups
from survey.models import Participant, Study
from tests.rows_read import Reads, counted_reads

# What is read is the same on every database.
pytestmark = [pytest.mark.embedded, pytest.mark.django_db]

FEW, MANY = 1000, 3000
#: Of so many more people, one more row is no row for each of them: there are counts of chunks.
PER_ROW = 10
#: Nor are so many characters: ids of people are compared as one text, or kept as one.
CHARACTERS = 20
#: What reads more for each person, by its name, with the most that it may read, and why.
COUNTS_OF_CHUNKS = "adds up what was shown, which is kept for each thousand people"
MORE_CHARACTERS = {
    "order": (40, COUNTS_OF_CHUNKS),
    "api:order": (40, COUNTS_OF_CHUNKS),
    "dashboard.count": (100, f"{COUNTS_OF_CHUNKS}, for all pools and people"),
    "results /studies/empathy/results/raters/": (
        40,
        "a part of the table of raters, which a thousand do not fill",
    ),
}
EMPATHY = Path(__file__).parents[2] / "examples" / "empathy"

#: Nor does SQLite work this much: an entry of an index takes about ten of its instructions.
INSTRUCTIONS = 150

Measured = dict[str, Reads]


def measured(people: int) -> Measured:
    """What each address and each sweep reads of a study with so many people."""
    with patch.object(building, "MODELS", 10):
        study = building.crowded_study(EMPATHY, people)
    researcher = User.objects.create_superuser("crowd")
    add_belongings(study, researcher)
    with TestCase.captureOnCommitCallbacks(execute=True):
        count_ahead(study.pk)
    client = Client()
    client.force_login(researcher)
    with (
        patch.object(shown_groups, "LINES_SHOWN", 5),  # so that a thousand people fill them
        patch.object(sessions, "NOTED_EVERY", timedelta(days=1)),  # however long this takes
    ):
        return _pages(client, study) | _sweeps(study)


def _pages(client: Client, study: Study) -> Measured:
    reads = {}
    for address in pages_of(study):
        if why_exempt(address):
            continue
        with TestCase.captureOnCommitCallbacks(execute=True):
            answer = client.get(address.path)  # what is kept is kept from now on
        if answer.status_code != OK:
            assert why_absent(address, answer.status_code), address
            continue
        named = re.sub(r"[0-9]+", "N", address.path.partition("?")[0])  # ids differ
        with counted_reads() as reads[f"{address.name} {named}"]:
            b"".join([client.get(address.path).getvalue()])
    return reads


def _sweeps(study: Study) -> Measured:
    reads = {}
    for name, sweep in sweeps(study).items():
        # SQLite clears its log outside of transactions alone.
        quiet = patch.object(app, "send_task"), patch("survey.tasks.clear_log")
        with quiet[0], quiet[1], TestCase.captureOnCommitCallbacks(execute=True):
            sweep()
            with counted_reads() as reads[name]:
                sweep()
    return reads


@pytest.fixture(scope="module")
def of_few_and_many(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> tuple[Measured, Measured]:
    found = []
    with django_db_blocker.unblock():
        for people in (FEW, MANY):
            with transaction.atomic():
                found.append(measured(people))
                assert Participant.objects.count() == people
                transaction.set_rollback(True)
    return found[0], found[1]


def test_no_page_list_or_sweep_asks_more_of_many_people(
    of_few_and_many: tuple[Measured, Measured],
) -> None:
    few, many = of_few_and_many
    asked = {name: (few[name].queries, many[name].queries) for name in few}
    assert {name: n for name, n in asked.items() if n[1] > n[0]} == {}


def test_no_page_list_or_sweep_reads_a_row_for_each_person(
    of_few_and_many: tuple[Measured, Measured],
) -> None:
    few, many = of_few_and_many
    rows = {name: (few[name].rows, many[name].rows) for name in few}
    most = (MANY - FEW) / PER_ROW
    assert {name: n for name, n in rows.items() if n[1] - n[0] > most} == {}


def test_no_page_list_or_sweep_reads_a_text_for_each_person(
    of_few_and_many: tuple[Measured, Measured],
) -> None:
    few, many = of_few_and_many
    each = {name: (many[name].characters - few[name].characters) / (MANY - FEW) for name in few}
    assert {name: n for name, n in each.items() if n > _most_characters(name)} == {}


def _most_characters(name: str) -> int:
    more = MORE_CHARACTERS.get(name) or MORE_CHARACTERS.get(name.partition(" ")[0])
    return more[0] if more else CHARACTERS


def test_databases_work_little_for_each_person(of_few_and_many: tuple[Measured, Measured]) -> None:
    few, many = of_few_and_many
    each = {name: (many[name].instructions - few[name].instructions) / (MANY - FEW) for name in few}
    assert {name: n for name, n in each.items() if n > INSTRUCTIONS} == {}


def test_pages_lists_and_sweeps_are_all_asked(of_few_and_many: tuple[Measured, Measured]) -> None:
    few, many = of_few_and_many
    assert few.keys() == many.keys()
    names = {name.partition(" ")[0] for name in few}
    assert {"study", "counts", "raters", "results", "api:live", "api:studies"} < names
    assert {"analysis.sweep", "dashboard.sweep", "survey.sweep", "dashboard.notices"} < names
    assert len(few) > 100
