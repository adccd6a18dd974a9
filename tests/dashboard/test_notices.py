"""Researchers are told by e-mail what has happened in a study: once, and only who asked for it."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from email.message import Message

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from analysis.models import AnalysisRun
from analysis.runs import request_run
from dashboard.accounts.models import ApiToken
from dashboard.accounts.tokens import create_token
from dashboard.notices.models import Follower, Occasion
from dashboard.notices.sending import follow, slugs_to_look_at, tell_followers
from dashboard.shared.models import Membership
from dashboard.shared.roles import Role
from judge.models import Judge
from survey.arrival_counts import count_refusal
from survey.models import Participant, Slot, Study
from tests.dashboard.judging import add_attempt, planned
from tests.factories import add_participant, make_study
from tests.servers.mail_server import Kept, mail_server

NOW = timezone.now()
SLUG = "small"


@pytest.fixture
def mails(settings: Settings) -> Iterator[Kept]:
    with mail_server() as (kept, port):
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
        settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
        yield kept


@pytest.fixture
def study(db: None) -> Study:
    """An open study with two slots."""
    study = make_study(slug=SLUG)
    study.settings["places"]["maximum"] = 2
    study.save()
    return study


@pytest.fixture
def in_the_field(study: Study) -> Study:
    """The study, to which somebody came just now."""
    come(study, "ann", NOW)
    return study


def following(*occasions: Occasion, name: str = "ada") -> User:
    user = User.objects.create_user(name, f"{name}@example.org", "pw", is_staff=True)
    Membership.objects.create(slug=SLUG, user=user, role=Role.VIEWER)
    follow(user_id=user.pk, slug=SLUG, occasions=occasions, at=NOW)
    return user


def come(study: Study, name: str, at: datetime) -> Participant:
    return Participant.objects.create(
        study=study, pseudonym=name, source="link", status="in_progress", arrived_at=at
    )


def complete(study: Study, number: int) -> None:
    """The slot of this number is completed."""
    person = add_participant(study, pseudonym=f"person-{number}")
    Slot.objects.create(study=study, pool="real", number=number, participant=person)
    Participant.objects.filter(pk=person.pk).update(held_pool="real")


def minutes(n: float) -> timedelta:
    return timedelta(minutes=n)


def tell(*after: float) -> None:
    """A worker's turns, so many minutes from now."""
    for each in after:
        tell_followers(SLUG, at=NOW + minutes(each))


def subjects(mails: Kept) -> list[str]:
    return [subject for _, subject in mails.sent()]


def text_of(message: Message) -> str:
    text = message.get_payload(decode=True)
    assert isinstance(text, bytes)
    return text.decode()


def test_full_study_is_told_once_to_those_who_asked(study: Study, mails: Kept) -> None:
    following(Occasion.FULL)
    following(Occasion.JUDGE, name="ben")
    complete(study, 0)
    tell(1)
    assert mails.sent() == []
    complete(study, 1)
    tell(7, 13, 19)
    assert mails.sent() == [
        ("ada@example.org", f"Fivefold: {study.title}: all 2 slots are completed")
    ]
    text = text_of(mails.messages[0])
    assert f"http://localhost:8000/studies/{study}/" in text
    assert "person-" not in text


def test_each_silence_of_an_open_study_is_told_once(in_the_field: Study, mails: Kept) -> None:
    following(Occasion.STALLED)
    tell(30)
    assert mails.sent() == []
    tell(61, 120, 180)
    assert subjects(mails) == [f"Fivefold: {in_the_field.title}: nobody has arrived for 61 minutes"]
    come(in_the_field, "ben", NOW + minutes(181))
    tell(200)
    assert len(mails.messages) == 1
    tell(250)
    assert len(mails.messages) == 2


def refuse(study: Study, reason: str, n: int, after: float) -> None:
    for _ in range(n):
        count_refusal(study, reason, at=NOW + minutes(after))


def test_people_who_are_turned_away_are_told_within_minutes_and_once(
    in_the_field: Study, mails: Kept
) -> None:
    following(Occasion.REFUSED)
    refuse(in_the_field, "no_id", 4, after=1)
    tell(6)
    assert mails.sent() == []
    refuse(in_the_field, "no_id", 1, after=8)
    tell(12, 18, 24)
    said = "5 arrivals were refused in the last hour"
    assert subjects(mails) == [f"Fivefold: {in_the_field.title}: {said}"]
    text = text_of(mails.messages[0])
    assert "The link had no participant ID." in text and "Compare the link on Prolific" in text
    for after in range(30, 100, 10):  # it goes on
        refuse(in_the_field, "no_id", 2, after=after)
        tell(after + 1)
    assert len(mails.messages) == 1
    refuse(in_the_field, "no_id", 5, after=200)  # and begins again
    tell(201)
    assert len(mails.messages) == 2


@pytest.mark.parametrize("reason", ["took_part", "withdrawn"])
def test_people_who_come_back_are_no_news(in_the_field: Study, mails: Kept, reason: str) -> None:
    following(Occasion.REFUSED)
    refuse(in_the_field, reason, 20, after=1)
    tell(6)
    assert mails.sent() == []


def test_rehearsal_may_be_silent(in_the_field: Study, mails: Kept) -> None:
    Study.objects.update(is_rehearsal=True)
    following(Occasion.STALLED)
    tell(300)
    assert mails.sent() == []


def test_judge_that_stops_again_after_more_requests_is_told_again(
    study: Study, mails: Kept
) -> None:
    judge = planned(study)
    following(Occasion.JUDGE)
    for attempt in range(2):
        add_attempt(judge.calls.all()[attempt], "refused")
        Judge.objects.update(stopped="the key was refused")
        tell(10 * attempt + 1, 10 * attempt + 7)
    assert subjects(mails) == [f"Fivefold: {study.title}: judge {judge} has stopped"] * 2
    assert "the key was refused" in text_of(mails.messages[0])


def test_analysis_is_told_where_somebody_asked_for_it(study: Study, mails: Kept) -> None:
    following(Occasion.ANALYSIS)
    run = request_run(study=study, sources=["link"], automatic=True)
    done = {"state": AnalysisRun.State.DONE, "finished_at": NOW}
    AnalysisRun.objects.filter(pk=run.pk).update(**done)
    tell(1)
    assert mails.sent() == []
    run = request_run(study=study, sources=["prolific", "link"])
    failed = {"state": AnalysisRun.State.FAILED, "error": "out of memory"}
    AnalysisRun.objects.filter(pk=run.pk).update(**done | failed)
    tell(7, 13)
    assert subjects(mails) == [f"Fivefold: {study.title}: the analysis failed"]
    assert "out of memory" in text_of(mails.messages[0])


def test_what_was_so_before_is_not_told(study: Study, mails: Kept) -> None:
    complete(study, 0)
    complete(study, 1)
    following(Occasion.FULL)
    tell(1, 7)
    assert mails.sent() == []


def test_what_the_mail_server_does_not_take_is_tried_again_for_a_day(
    study: Study, mails: Kept, settings: Settings
) -> None:
    following(Occasion.FULL)
    complete(study, 0)
    complete(study, 1)
    there, settings.EMAIL_PORT = settings.EMAIL_PORT, 9  # nobody listens
    tell(1, 7)
    settings.EMAIL_PORT = there
    assert mails.sent() == []
    tell(9)
    assert mails.sent() == [], "it was tried lately"
    tell(20, 30)
    assert len(mails.messages) == 1

    complete(study, 2)
    study.settings["places"]["maximum"] = 3
    study.save()
    settings.EMAIL_PORT = 9
    tell(40, 40 + 25 * 60)
    settings.EMAIL_PORT = there
    tell(41 + 26 * 60)
    assert len(mails.messages) == 1, "after a day it is no news"


def test_only_active_accounts_with_an_address_are_told(study: Study, mails: Kept) -> None:
    for name, change in (("ada", {"is_active": False}), ("ben", {"email": ""})):
        following(Occasion.FULL, name=name)
        User.objects.filter(username=name).update(**change)
    complete(study, 0)
    complete(study, 1)
    tell(1)
    assert mails.sent() == []


def test_who_lost_the_role_is_not_told(study: Study, mails: Kept) -> None:
    following(Occasion.FULL)
    following(Occasion.FULL, name="ben")
    Membership.objects.filter(user__username="ada").delete()
    complete(study, 0)
    complete(study, 1)
    tell(1)
    assert [address for address, _ in mails.sent()] == ["ben@example.org"]


def test_worker_looks_every_five_minutes_and_only_with_a_mail_server(
    study: Study, mails: Kept, settings: Settings
) -> None:
    following(Occasion.FULL)
    assert slugs_to_look_at(at=NOW) == [SLUG]
    tell(0)
    assert slugs_to_look_at(at=NOW + minutes(4)) == []
    assert slugs_to_look_at(at=NOW + minutes(6)) == [SLUG]
    settings.EMAIL_HOST = ""
    assert slugs_to_look_at(at=NOW + minutes(6)) == []


def test_researcher_asks_for_e_mail_and_ends_it(
    study: Study, page: Client, researcher: User
) -> None:
    address = f"/studies/{study}/notices/"
    given = {"email": "ada@example.org", "occasions": ["full", "judge"]}
    answer = page.post(address, given, follow=True)
    assert "You get e-mail about small at ada@example.org." in answer.content.decode()
    assert Follower.objects.get().occasions == ["full", "judge"]
    researcher.refresh_from_db()
    assert researcher.email == "ada@example.org"
    page.post(address, given | {"occasions": []})
    assert not Follower.objects.exists()


def test_token_for_one_study_leaves_the_address_of_the_account(
    study: Study, researcher: User
) -> None:
    key = create_token(
        user=researcher,
        name="x",
        scope=ApiToken.Scope.CHANGE,
        studies=[study.slug],
        expires_at=None,
    )
    caller, address = Client(headers={"authorization": f"Token {key}"}), f"/api/studies/{study}"
    for email, occasions, status in (
        ("ada@example.org", ["full"], 400),
        (None, ["full"], 400),  # the account has none
        (None, [], 200),
    ):
        sent = {"occasions": occasions} | ({"email": email} if email else {})
        answer = caller.put(f"{address}/notices/", sent, content_type="application/json")
        assert (answer.status_code, Follower.objects.exists()) == (status, False), answer.json()
    researcher.refresh_from_db()
    assert researcher.email == ""
    User.objects.update(email="ada@example.org")
    sent = {"email": "ada@example.org", "occasions": ["full"]}
    answer = caller.put(f"{address}/notices/", sent, content_type="application/json")
    assert answer.json()["occasions"] == Follower.objects.get().occasions == ["full"]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"email": "", "occasions": ["full"]}, "Enter the address to which the e-mail goes."),
        ({"email": "nowhere", "occasions": ["full"]}, "Enter a valid email address."),
        (
            {"email": "a@example.org\nBcc: b@example.org", "occasions": ["full"]},
            "Enter a valid email address.",
        ),
        ({"email": "a@example.org", "occasions": ["eclipse"]}, "eclipse is not one of the"),
    ],
)
def test_what_cannot_be_is_said_and_changes_nothing(
    study: Study, page: Client, researcher: User, given: dict[str, object], problem: str
) -> None:
    answer = page.post(f"/studies/{study}/notices/", given)
    assert problem in answer.content.decode()
    researcher.refresh_from_db()
    assert researcher.email == "" and not Follower.objects.exists()
