"""PostgreSQL counts the people of a study from indexes, and reads no rows."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from analysis.recipe_sets import current_recipe_set
from analysis.rule_sets import current_rule_set
from analysis.runs import fingerprint
from dashboard.overview.counts import live_counts, with_counts
from dashboard.overview.durations import timing
from dashboard.shared.chunk_counts import states_in_chunks
from survey.models import Participant, Study
from survey.tidy import counted_sources
from tests.factories import make_study

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]

NOW = timezone.now()
PEOPLE = 1000
#: Only VACUUM, which no transaction can undo, finds out that indexes speak for all rows.
AS_VACUUMED = "UPDATE pg_class SET relallvisible = relpages WHERE relname = 'survey_participant'"
ENDED = [Participant.Status.COMPLETED, Participant.Status.DECLINED]


@pytest.fixture
def study() -> Study:
    study = make_study()
    Participant.objects.bulk_create(
        Participant(
            study=study,
            source=Participant.Source.LINK,
            status=ENDED[number % 10 == 0],
            started_at=NOW - timedelta(minutes=number),
            finished_at=NOW,
        )
        for number in range(PEOPLE)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE survey_participant")
        cursor.execute(AS_VACUUMED)
    return study


def counted_by_source(study: Study) -> None:
    live_counts(study)


def counted_for_lists(study: Study) -> None:
    with_counts([study])


def digested(study: Study) -> None:
    rules, recipes = current_rule_set(study), current_recipe_set(study)
    fingerprint(study, counted_sources(), rules, recipes, at=NOW)


def compared_in_chunks(study: Study) -> None:
    people = study.participants.filter(source="link", status=Participant.Status.COMPLETED)
    states_in_chunks(people, F("id"))


def timed(study: Study) -> None:
    assert timing(study.participants.filter(source="link"), PEOPLE).everybody


@pytest.mark.parametrize(
    "counted",
    [
        counted_by_source,
        counted_for_lists,
        digested,
        compared_in_chunks,
        timed,
    ],
)
def test_people_are_counted_without_their_rows(
    study: Study, counted: Callable[[Study], None]
) -> None:
    with CaptureQueriesContext(connection) as captured:
        counted(study)
    queries = [one["sql"] for one in captured if one["sql"].startswith("SELECT")]
    scans = [scan for query in queries for scan in scans_of_many(query)]
    assert scans
    assert [scan for scan in scans if "Index Only Scan" not in scan] == []


def scans_of_many(query: str) -> list[str]:
    """How PostgreSQL reads people for a query, where it expects many and their rows are slow."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL seq_page_cost = 1000")
        cursor.execute(f"EXPLAIN {query}")
        lines = [line for (line,) in cursor.fetchall() if " on survey_participant" in line]
    rows = {line: re.search("rows=([0-9]+)", line) for line in lines}
    return [line for line, found in rows.items() if found and int(found[1]) > PEOPLE / 2]
