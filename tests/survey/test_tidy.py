"""Reading several tables as of one moment; what they hold is in tests/dashboard/test_exports.py."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from survey.definition.reserved_names import RESERVED_NAMES
from survey.models import Participant, Study
from survey.tidy import reading
from survey.tidy.participants import (
    DEMOGRAPHIC_COLUMNS,
    PARTICIPANT_COLUMNS,
    TAKING_PART_COLUMNS,
)

pytestmark = pytest.mark.django_db(transaction=True)


def test_no_question_takes_the_name_of_a_column() -> None:
    columns = {*PARTICIPANT_COLUMNS, *TAKING_PART_COLUMNS} - {*DEMOGRAPHIC_COLUMNS} | {"region"}
    assert columns <= {*RESERVED_NAMES}


def test_reading_sees_one_moment_and_holds_nobody_up_even_on_a_new_connection(
    study: Study,
) -> None:
    def somebody_arrives() -> None:
        Participant.objects.create(study=study, source="link")
        connection.close()

    connection.close()
    with reading(), ThreadPoolExecutor(1) as pool:
        counts = [Participant.objects.count()]
        pool.submit(somebody_arrives).result()
        counts.append(Participant.objects.count())
    counts.append(Participant.objects.count())
    assert counts == [0, 0, 1]


@pytest.mark.embedded
def test_transactions_after_reading_lock_from_their_start_even_on_a_first_connection() -> None:
    def read_and_begin() -> str:
        with reading():
            assert not Study.objects.exists()
        with CaptureQueriesContext(connection) as queries, transaction.atomic():
            pass
        connection.close()
        return str(queries[0]["sql"])

    with ThreadPoolExecutor(1) as pool:  # a thread has never been connected
        assert pool.submit(read_and_begin).result() == "BEGIN IMMEDIATE"
