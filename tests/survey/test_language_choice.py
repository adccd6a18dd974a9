"""The language of the pages: what the browser asks for, what somebody chooses, what is recorded."""

import re

import pytest
from django.test import Client

from survey.models import Participant, Study
from tests.survey import small_study
from tests.survey.visiting import LINK, begin, reopen, take

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]  # what pages ask and say


@pytest.fixture
def bilingual(db: None) -> Study:
    return small_study.load(translation=small_study.CHINESE)


def lang(html: bytes) -> str:
    return str(re.findall(r'<html lang="([^"]+)"', html.decode())[0])


@pytest.mark.parametrize(
    ("accepted", "language"),
    [("zh-CN,zh;q=0.9,en;q=0.8", "zh-hans"), ("fr,en;q=0.5", "en"), ("fr", "en"), ("", "en")],
)
def test_first_page_is_in_the_language_that_the_browser_asks_for(
    bilingual: Study, client: Client, accepted: str, language: str
) -> None:
    html = client.get(LINK, follow=True, headers={"Accept-Language": accepted}).content
    assert lang(html) == language
    assert ("您将阅读简短的回复。" in html.decode()) == (language == "zh-hans")


def test_chosen_language_stays_on_every_page_and_in_any_browser(
    bilingual: Study, client: Client
) -> None:
    html = client.get(LINK, follow=True).content.decode()
    assert re.findall(r'name="language" value="([^"]+)"', html) == ["en", "zh-hans"]
    reply = client.post("/s/small/consent/", {"language": "zh-hans"}, follow=True)
    assert reply.redirect_chain == [("/s/small/consent/", 302)]
    participant = begin(client)
    assert participant.language == "zh-hans"
    take(client, range(1, 3))
    in_another_browser = reopen(Client(headers={"Accept-Language": "en"})).content
    for page in (client.get(LINK, follow=True).content, in_another_browser):
        html = page.decode()
        assert lang(html.encode()) == "zh-hans"
        assert "这条回复有多温暖？" in html or "Please choose" in html
        assert "How warm is this response?" not in html


def test_agreeing_counts_for_the_language_that_was_read(bilingual: Study, client: Client) -> None:
    html = client.get(LINK, follow=True).content.decode()
    read = html.split('name="text" value="')[1].split('"')[0]
    client.post("/s/small/consent/", {"language": "zh-hans"})  # in another tab
    reply = client.post("/s/small/consent/", {"agree": "yes", "text": read})
    assert reply.status_code == 422
    assert lang(reply.content) == "zh-hans"
    assert Participant.objects.get().status == "arrived"
    shown = reply.content.decode().split('name="text" value="')[1].split('"')[0]
    client.post("/s/small/consent/", {"agree": "yes", "text": shown})
    participant = Participant.objects.get()
    assert (participant.language, participant.consent_hash) == ("zh-hans", shown)


def test_study_in_one_language_offers_none(study: Study, client: Client) -> None:
    html = client.get(LINK, follow=True, headers={"Accept-Language": "zh-CN"}).content
    assert lang(html) == "en"
    assert b'name="language"' not in html
    client.post("/s/small/consent/", {"language": "zh-hans", "agree": "yes"})
    assert Participant.objects.get().language == "en"
