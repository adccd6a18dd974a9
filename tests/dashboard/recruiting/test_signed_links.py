"""Links that Prolific signs: who is let in by them, and who is not."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from examples.local_prolific.people import link_of
from examples.local_prolific.server import LocalProlific
from examples.local_prolific.signing import FORGERIES
from examples.local_prolific.world import Submission
from survey.models import Browser, Identity, Participant, SigningKeys, Study
from tests.dashboard.reading import text_of
from tests.dashboard.recruiting.conftest import ADDRESS, DRAFT, PUBLIC, Post, cost
from tests.survey import small_study

pytestmark = [pytest.mark.e2e, pytest.mark.embedded]
KEYS = "GET /.well-known/study/jwks.json"
Take = Callable[..., Submission]


@pytest.fixture
def study(db: None) -> Study:
    small = small_study.load(translation=small_study.CHINESE)
    small.settings["prolific"]["signed_links"] = True
    small.save()
    return small


@pytest.fixture
def take(post: Post, prolific: LocalProlific, drafted: str) -> Take:
    """Somebody takes a place of the published study."""
    post("publish", cost=cost(prolific))

    def start() -> Submission:
        return prolific.world.start(drafted)

    return start


def come(link: str, browser: Client | None = None, language: str = "en") -> HttpResponse:
    headers = {"accept-language": language}
    answer = (browser or Client()).get(link.removeprefix(PUBLIC), headers=headers)
    assert isinstance(answer, HttpResponse)
    return answer


def stored() -> int:
    return Participant.objects.count() + Identity.objects.count() + Browser.objects.count()


def forget_the_last_question() -> None:
    earlier = timezone.now() - timedelta(minutes=2)
    SigningKeys.objects.exclude(read_at=None).update(read_at=earlier)
    SigningKeys.objects.update(asked_at=earlier)


def test_draft_asks_prolific_to_sign_its_links(
    post: Post, prolific: LocalProlific, drafted: str, page: Client, study: Study
) -> None:
    assert prolific.world.study(drafted)["is_external_study_url_secure"] is True
    study.settings["prolific"]["signed_links"] = False
    study.save()
    assert "save the draft again" in text_of(page.get(ADDRESS))
    post("change", **DRAFT)
    assert prolific.world.study(drafted)["is_external_study_url_secure"] is False


def test_signed_link_lets_in_and_the_browser_is_known_afterwards(
    take: Take, prolific: LocalProlific
) -> None:
    submission, browser = take(), Client()
    assert come(link_of(prolific.world, submission), browser).status_code == 302
    person = Participant.objects.get()
    assert person.identity.key == submission.participant
    too_old = link_of(prolific.world, submission, forge="expired")
    assert come(too_old, browser).status_code == 302
    assert come(link_of(prolific.world, submission, forge="unsigned"), browser).status_code == 302
    assert Participant.objects.get() == person
    assert prolific.log.count(KEYS) == 1


@pytest.mark.parametrize("forge", FORGERIES)
def test_forged_link_gets_a_page_in_plain_words_and_stores_nothing(
    take: Take, prolific: LocalProlific, forge: str, caplog: pytest.LogCaptureFixture
) -> None:
    submission = take()
    answer = come(link_of(prolific.world, submission, forge=forge))
    assert answer.status_code == 400
    said = "This link is too old" if forge == "expired" else "does not come from Prolific"
    assert said in text_of(answer)
    chinese = text_of(come(link_of(prolific.world, submission, forge=forge), language="zh-hans"))
    assert "Prolific" in chinese
    assert ("过期" if forge == "expired" else "签名") in chinese
    assert stored() == 0
    assert submission.participant not in caplog.text


def test_link_whose_ids_were_changed_after_signing_is_refused(
    take: Take, prolific: LocalProlific
) -> None:
    mine, other = take(), take()
    link = link_of(prolific.world, mine)
    for changed in (
        link.replace(f"PID={mine.participant}", f"PID={other.participant}"),
        link.replace(f"SESSION_ID={mine.id}", f"SESSION_ID={other.id}"),
        link.replace(f"&SESSION_ID={mine.id}", ""),
        link.replace(f"&STUDY_ID={mine.study}", ""),
        link[:-4],
    ):
        assert changed != link
        assert come(changed).status_code == 400
    assert stored() == 0


def test_another_device_needs_a_fresh_link_and_is_then_theirs(
    take: Take, prolific: LocalProlific
) -> None:
    submission, phone = take(), Client()
    come(link_of(prolific.world, submission), phone)
    phone.post("/s/small/consent/", {"agree": "yes"})
    computer = Client()
    assert come(link_of(prolific.world, submission, forge="expired"), computer).status_code == 400
    answer = come(link_of(prolific.world, submission), computer)
    assert answer.headers["Location"] == "/s/small/page/1/"
    assert Participant.objects.get().submissions.get().is_theirs
    assert not Browser.objects.exists()


def test_person_of_another_link_in_the_same_browser_needs_their_own_signature(
    take: Take, prolific: LocalProlific
) -> None:
    browser, first, second = Client(), take(), take()
    come(link_of(prolific.world, first), browser)
    assert come(link_of(prolific.world, second, forge="unsigned"), browser).status_code == 400
    assert come(link_of(prolific.world, second), browser).status_code == 302
    assert Participant.objects.count() == 2


# ── Keys ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("fault", ["503", "empty_json"])
def test_without_any_key_people_are_asked_to_try_again(
    take: Take, prolific: LocalProlific, fault: str
) -> None:
    submission = take()
    prolific.faults.add(fault, on=KEYS)
    for _ in range(2):
        answer = come(link_of(prolific.world, submission))
        assert answer.status_code == 503
        assert "We could not check your link" in text_of(answer)
    assert prolific.log.count(KEYS) == 1  # it is not asked again at once
    assert stored() == 0
    forget_the_last_question()
    assert come(link_of(prolific.world, submission)).status_code == 302


def test_known_keys_outlive_an_outage_of_the_key_server(
    take: Take, prolific: LocalProlific
) -> None:
    come(link_of(prolific.world, take()))
    a_week_ago = timezone.now() - timedelta(days=7)
    SigningKeys.objects.update(read_at=a_week_ago, asked_at=a_week_ago)
    prolific.faults.add("503", on=KEYS)
    assert come(link_of(prolific.world, take())).status_code == 302
    assert prolific.log.count(KEYS) == 2


def test_keys_are_read_again_after_a_day_and_for_a_new_key(
    take: Take, prolific: LocalProlific
) -> None:
    come(link_of(prolific.world, take()))
    prolific.world.signer.rotate()
    forget_the_last_question()
    assert come(link_of(prolific.world, take())).status_code == 302
    assert prolific.log.count(KEYS) == 2
    yesterday = timezone.now() - timedelta(hours=25)
    SigningKeys.objects.update(read_at=yesterday, asked_at=yesterday)
    come(link_of(prolific.world, take()))
    assert prolific.log.count(KEYS) == 3


def test_invented_keys_ask_the_server_once_a_minute(take: Take, prolific: LocalProlific) -> None:
    submission = take()
    for _ in range(5):
        forged = come(link_of(prolific.world, submission, forge="unknown_key"))
        assert forged.status_code == 400
    assert prolific.log.count(KEYS) == 1
    assert come(link_of(prolific.world, take())).status_code == 302
