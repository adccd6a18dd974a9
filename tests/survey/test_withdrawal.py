"""Withdrawing: everything about a person goes, wherever it has gone; a count stays, and for a time
the key by which they are paid and known to have taken part.
"""

import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone

from analysis.execution import finished_run
from survey.models import Identity, Invitation, Participant, Rating, Slot, Study, Withdrawal
from survey.tasks import sweep
from survey.tidy import counted_sources
from survey.withdrawal import erase_old_keys, token_of, withdraw
from tests.factories import add_participant
from tests.prolific import arrival, prolific_id
from tests.survey import small_study, withdrawing
from tests.survey.visiting import reopen
from tests.survey.withdrawing import (
    LINK,
    PROLIFIC_ID,
    SESSION_ID,
    YAML,
    all_files,
    delete_everything,
    elsewhere,
    found,
    private_link,
    take_survey,
    traces,
    whole_database,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(db: None) -> Study:
    return withdrawing.load()


# ── The private link ─────────────────────────────────────────────────────────────────────────


def test_end_gives_a_private_link_that_works_in_any_browser(study: Study, client: Client) -> None:
    take_survey(client)
    html = client.get("/s/small/end/").content.decode()
    [address] = set(re.findall(r'href="http://testserver(/s/small/withdraw/[^"]+)"', html))
    html = Client().get(address).content.decode()
    assert "Delete everything about you?" in html
    assert "your code" in html  # to be used first


def test_link_asks_and_deletes_nothing_before_the_answer(study: Study, client: Client) -> None:
    participant = take_survey(client)
    for sent in ({}, {"delete": "no"}):
        assert client.post(private_link(participant), sent).status_code == 200
    client.get(private_link(participant))
    assert Participant.objects.count() == 1
    assert not Withdrawal.objects.exists()


@pytest.mark.parametrize("token", ["x", "WzEsMV0:1abc:def", "%00", "a" * 3000])
def test_link_that_we_did_not_give_deletes_nothing(
    study: Study, client: Client, token: str
) -> None:
    take_survey(client)
    reply = client.post(f"/s/small/withdraw/{token}/", {"delete": "yes"})
    assert reply.status_code == 404
    assert b"This link is not valid" in reply.content
    assert Participant.objects.count() == 1


def test_link_without_a_cookie_is_not_written_to_the_log(
    study: Study, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    person = take_survey(client)
    stranger = Client(enforce_csrf_checks=True)
    reply = stranger.post(private_link(person), {"delete": "yes"})
    assert reply.status_code == 403
    assert token_of(person) not in caplog.text
    assert Participant.objects.filter(pk=person.pk).exists()


def test_link_belongs_to_its_own_study(study: Study, client: Client) -> None:
    participant = take_survey(client)
    small_study.load(yaml=small_study.YAML.replace("slug: small", "slug: other"))
    reply = client.post(f"/s/other/withdraw/{token_of(participant)}/", {"delete": "yes"})
    assert reply.status_code == 404
    assert Participant.objects.count() == 1


def test_afterwards_the_ending_of_those_who_withdrew_is_shown_with_its_code(
    study: Study, client: Client
) -> None:
    participant = take_survey(client)
    address = private_link(participant)
    reply = client.post(address, {"delete": "yes"})
    assert (reply.status_code, reply.headers["Location"]) == (302, address)
    for _ in range(2):  # also when the page is loaded again
        html = client.get(address).content.decode()
        assert "Your data are deleted" in html
        assert ">GONE1</output>" in html
        assert "DONE1" not in html
    assert "fivefold-small" not in client.cookies or not client.cookies["fivefold-small"].value


def test_deleting_twice_counts_once(study: Study, client: Client) -> None:
    participant = take_survey(client)
    for _ in range(2):
        assert b"Your data are deleted" in delete_everything(participant)
    assert Withdrawal.objects.count() == 1


def test_somebody_who_stops_midway_can_delete_as_well(study: Study, client: Client) -> None:
    client.get(LINK)
    client.post("/s/small/consent/", {"agree": "yes"})
    client.post("/s/small/page/1/", {})
    html = client.get("/s/small/stop/").content.decode()
    [address] = re.findall(r'href="(/s/small/withdraw/[^"]+)"', html)
    html = client.get(address).content.decode()
    assert "Keep my answers" in html and "your code" not in html
    assert b"Your data are deleted" in client.post(address, {"delete": "yes"}, follow=True).content
    assert not Participant.objects.exists()


def test_other_open_pages_of_the_person_say_that_nobody_is_known(
    study: Study, client: Client
) -> None:
    participant = take_survey(client)
    second_device = Client()
    second_device.get(LINK)
    delete_everything(participant)
    for send in (second_device.get, second_device.post):
        reply = send("/s/small/page/2/")
        assert reply.status_code == 403
        assert b"Please open your study link again" in reply.content


# ── Nothing is left ──────────────────────────────────────────────────────────────────────────


def test_search_of_every_table_and_file_finds_nothing_but_count_and_key(
    study: Study, client: Client, tmp_path: Path
) -> None:
    add_participant(study, pseudonym="somebody-else")
    participant = take_survey(client)
    before = whole_database() + all_files(study, tmp_path / "before")
    assert found(traces(participant), before) == traces(participant)

    delete_everything(participant)

    key = [PROLIFIC_ID, SESSION_ID]
    [line] = [line for line in whole_database().splitlines() if found(key, line)]
    assert line.startswith("survey_withdrawal: ")
    assert found(traces(participant), whole_database()) == key
    files = all_files(study, tmp_path / "after")
    assert found(traces(participant), files) == []
    assert "somebody-else" in files
    assert found(traces(participant), whole_database()) == key  # with the new results in it
    assert study.withdrawals.filter(source="prolific").count() == 1


def test_no_row_points_to_the_person_any_more(study: Study, client: Client) -> None:
    participant = take_survey(client)
    finished_run(study=study, sources=counted_sources())
    number = participant.pk
    delete_everything(participant)
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            columns = connection.introspection.get_table_description(cursor, table)
            if "participant_id" in [column.name for column in columns]:
                query = f'SELECT COUNT(*) FROM "{table}" WHERE participant_id = %s'
                cursor.execute(query, [number])
                assert (table, cursor.fetchone()) == (table, (0,))
    assert not Rating.objects.exists()


def test_after_the_retention_date_the_key_is_gone_too(
    study: Study, client: Client, tmp_path: Path
) -> None:
    study.settings["withdrawal_key_days"] = 30
    study.save()
    participant = take_survey(client)
    delete_everything(participant)
    withdrawn_at = Withdrawal.objects.get().withdrawn_at
    assert erase_old_keys(at=withdrawn_at + timedelta(days=29)) == 0
    assert found([PROLIFIC_ID], whole_database()) == [PROLIFIC_ID]
    assert erase_old_keys(at=withdrawn_at + timedelta(days=31)) == 1
    assert erase_old_keys(at=withdrawn_at + timedelta(days=32)) == 0
    left = whole_database() + all_files(study, tmp_path)
    assert found([*traces(participant), prolific_id("study")], left) == []
    assert study.withdrawals.count() == 1


def test_invitation_loses_its_label_at_once_and_its_token_in_the_end(
    study: Study, client: Client
) -> None:
    researcher = User.objects.create_superuser("ada", password="x")
    office = Client()
    office.force_login(researcher)
    office.post(
        "/admin/survey/invitation/add/", {"study": study.pk, "label": "Grace Hopper, by mail"}
    )
    assert LogEntry.objects.count() == 1
    token = Invitation.objects.get().token
    participant = take_survey(client, f"/s/small/?invite={token}")
    delete_everything(participant)
    assert "Grace Hopper" not in whole_database()
    reply = client.get(f"/s/small/?invite={token}")
    assert b"Your data are deleted" in reply.content
    erase_old_keys(at=timezone.now() + timedelta(days=91))
    assert token not in whole_database()
    assert client.get(f"/s/small/?invite={token}").status_code == 400


def test_place_is_free_again(study: Study, client: Client) -> None:
    participant = take_survey(client)
    assert Slot.objects.get().participant == participant
    delete_everything(participant)
    assert Slot.objects.get().participant is None


@pytest.mark.embedded
@pytest.mark.django_db(transaction=True)
def test_deleted_words_are_not_in_the_free_pages_of_the_file(study: Study, client: Client) -> None:
    participant = take_survey(client)
    finished_run(study=study, sources=counted_sources())
    file = Path(settings.DATABASES["default"]["NAME"])
    assert found(traces(participant), bytes_of(file)) == traces(participant)
    delete_everything(participant)
    sweep()
    assert found(traces(participant), bytes_of(file)) == [PROLIFIC_ID, SESSION_ID]
    Withdrawal.objects.update(key_kept_until=timezone.now())
    sweep()
    assert found(traces(participant), bytes_of(file)) == []
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def bytes_of(file: Path) -> str:
    """The database's file with its log of writes, byte by byte."""
    log = file.with_name(f"{file.name}-wal")
    return b"".join(part.read_bytes() for part in (file, log) if part.exists()).decode("latin-1")


def test_sessions_hold_nothing_about_participants(study: Study, client: Client) -> None:
    take_survey(client)
    assert "sessionid" not in client.cookies
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM django_session")
        assert cursor.fetchone() == (0,)


# ── Coming back ──────────────────────────────────────────────────────────────────────────────


def test_prolific_link_shows_the_ending_and_never_begins_again(
    study: Study, client: Client
) -> None:
    delete_everything(take_survey(client))
    for browser in (client, Client()):
        reply = reopen(browser, LINK)
        assert b"Your data are deleted" in reply.content
        assert b">GONE1</output>" in reply.content
    assert not Participant.objects.exists()
    assert not Identity.objects.exists()


def test_prolific_link_never_begins_again_in_a_newer_version(study: Study, client: Client) -> None:
    delete_everything(take_survey(client))
    small_study.load(yaml=YAML.replace("A small study", "Anew"))
    assert b"Your data are deleted" in reopen(client, LINK).content
    assert not Participant.objects.exists()


def test_somebody_else_begins_as_ever(study: Study, client: Client) -> None:
    delete_everything(take_survey(client))
    take_survey(Client(), f"/s/small/{arrival('another')}")
    assert Participant.objects.get().status == "completed"


@pytest.mark.embedded  # PostgreSQL chooses by statistics, which SQLite here never has
def test_withdrawals_of_a_source_are_counted_without_reading_them(study: Study) -> None:
    rows = study.withdrawals.filter(source="prolific").order_by().values("source")
    assert "COVERING INDEX withdrawal_sources" in rows.explain()


# ── At the same moment ───────────────────────────────────────────────────────────────────────


@pytest.mark.django_db(transaction=True)
def test_two_withdrawals_at_once_count_once(study: Study, client: Client) -> None:
    participant = take_survey(client)
    with ThreadPoolExecutor(4) as pool:
        acts = [lambda: withdraw(participant=participant, at=timezone.now())] * 4
        list(pool.map(elsewhere, acts))
    assert (Withdrawal.objects.count(), Participant.objects.count()) == (1, 0)
