"""A study in two languages: people choose theirs, and what is stored is the same."""

import re
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from dashboard.design.study_folder import load_folder, read_folder
from survey.consent import consent_hash
from survey.content import content_of
from survey.models import AttentionCheck, DemographicAnswer, FreeAnswer, Participant, Rating, Study
from tests.prolific import arrival
from tests.survey import bilingual_study, small_study

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]  # what pages ask and say

CHINESE = re.compile("[一-鿿]")
LINK = f"/s/small/{arrival('abc123', study='st1', session='se1')}"
LAST = 9  # screening, instructions, four blocks, a check, free answers, demographics


@pytest.fixture
def study(db: None, tmp_path: Path) -> Study:
    return bilingual_study.load(tmp_path)


def html_of(reply: Any) -> str:
    """The page in an answer of the test client."""
    return str(reply.content.decode())


def words(html: str) -> str:
    """What is read on a page, without what stays as it is: answers of systems, own names."""
    soup = BeautifulSoup(html, "html.parser")
    for part in soup.select("[data-response], blockquote, .languages, .personal, output"):
        part.decompose()
    return soup.get_text(" ")


def choose(client: Client, language: str) -> None:
    reply = client.post("/s/small/consent/", {"language": language})
    assert reply.status_code == 302


def agree(client: Client) -> Participant:
    """Agree to the text of the consent page as it was shown."""
    page = BeautifulSoup(html_of(client.get("/s/small/consent/")), "html.parser")
    form = page.find_all("form")[-1]
    sent = {str(field["name"]): str(field["value"]) for field in form.find_all("input")}
    assert client.post("/s/small/consent/", sent).status_code == 302
    return Participant.objects.get()


def answers_to(html: str) -> dict[str, str]:
    """The last option of every question that a page asks, and words where it wants some."""
    form = BeautifulSoup(html, "html.parser").find_all("form")[-1]
    sent = {str(r["name"]): str(r["value"]) for r in form.select("input[type=radio]")}
    sent |= {str(r["name"]): str(r["value"]) for r in form.select("input[type=checkbox]")}
    return sent | {str(t["name"]): "因为" for t in form.find_all("textarea")}


def take(client: Client, *numbers: int) -> None:
    for number in numbers:
        address = f"/s/small/page/{number}/"
        sent = {"home": "Here"} if number == 1 else answers_to(html_of(client.get(address)))
        assert client.post(address, sent).status_code == 302


def test_consent_offers_each_language_by_its_own_name(client: Client, study: Study) -> None:
    page = BeautifulSoup(html_of(client.get(LINK, follow=True)), "html.parser")
    offered = [(b["value"], b["lang"], b.text) for b in page.select("button[name=language]")]
    assert offered == [("en", "en", "English"), ("zh-hans", "zh-hans", "简体中文")]
    [current] = page.select("button[aria-current=true]")
    assert current["value"] == "en"


@pytest.mark.parametrize(
    ("asked", "language"),
    [("zh-CN,en;q=0.5", "zh-hans"), ("de, zh;q=0.9", "zh-hans"), ("fr", "en")],
)
def test_somebody_new_meets_the_language_of_their_browser(
    client: Client, study: Study, asked: str, language: str
) -> None:
    html = html_of(client.get(LINK, follow=True, headers={"accept-language": asked}))
    assert f'<html lang="{language}">' in html
    assert ("您将读到一些简短的回复。" in html) == (language == "zh-hans")


def test_study_that_is_closed_says_so_in_the_language_of_the_browser(
    client: Client, study: Study
) -> None:
    Study.objects.update(state="closed")
    html = html_of(client.get(LINK, headers={"accept-language": "zh-CN"}))
    assert '<html lang="zh-hans">' in html and "本研究已结束" in html


def test_every_page_is_in_the_chosen_language(client: Client, study: Study) -> None:
    client.get(LINK)
    choose(client, "zh-hans")
    agree(client)
    pages = []
    for number in range(1, LAST + 1):
        address = f"/s/small/page/{number}/"
        pages.append(html_of(client.get(address)))
        pages.append(html_of(client.post(address, {"q": "?", "age": "7"})))  # often an error
        take(client, number)
    pages += [html_of(client.get("/s/small/end/")), html_of(client.get("/s/small/page/1/"))]
    pages = [page for page in pages if page]
    assert len(pages) > 15
    assert [page for page in pages if '<html lang="zh-hans">' not in page] == []
    left = {word for page in pages for word in re.findall("[A-Za-z]{2,}", words(page))}
    assert left == {"Prolific", "lifeline", "org"}


@pytest.mark.parametrize(("language", "marked"), [("en", None), ("zh-hans", "en")])
def test_what_systems_wrote_is_marked_as_in_the_main_language_where_the_page_is_not(
    client: Client, study: Study, language: str, marked: str | None
) -> None:
    client.get(LINK)
    choose(client, language)
    agree(client)
    take(client, 1, 2)
    page = BeautifulSoup(html_of(client.get("/s/small/page/3/")), "html.parser")
    written = page.select("blockquote, [data-response]")
    assert [part.get("lang") for part in written] == [marked] * 4
    assert page.html and page.html["lang"] == language


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_each_text_is_marked_where_it_is_in_another_language_than_the_page(
    client: Client, db: None, tmp_path: Path, language: str
) -> None:
    folder = bilingual_study.write(tmp_path)
    csv = small_study.CSV.replace("Try again.", "推开门的那一下，一定很扎心。")
    (folder / "responses.csv").write_text(csv.replace("I miss her.", "أشتاق إليها كثيرًا."))
    study = load_folder(read_folder(folder)).study
    Study.objects.update(state=Study.State.OPEN)
    client.get(LINK)
    choose(client, language)
    agree(client)
    take(client, 1, 2)
    marked: dict[str, Any] = {}
    for number in range(3, 3 + study.blocks.count() + 1):
        page = BeautifulSoup(html_of(client.get(f"/s/small/page/{number}/")), "html.parser")
        for part in page.select("blockquote, [data-response]"):
            marked[part.get_text()[:5]] = part.get("lang")
        take(client, number)
    assert len(marked) == 12
    assert marked["推开门的那"] == (None if language == "zh-hans" else "zh-hans")
    assert marked["أشتاق"] == "ar"
    english = None if language == "en" else "en"
    assert {name: lang for name, lang in marked.items() if lang != english}.keys() <= {
        "推开门的那", "أشتاق",
    }  # fmt: skip


def test_what_is_stored_is_in_the_main_language_whatever_the_page_was_in(
    client: Client, study: Study
) -> None:
    client.get(LINK)
    choose(client, "zh-hans")
    agree(client)
    take(client, *range(1, LAST + 1))
    stored = dict(DemographicAnswer.objects.values_list("name", "value"))
    assert stored == {"home": "Here", "race": ["White"]}
    assert FreeAnswer.objects.get().text == "因为"
    check = AttentionCheck.objects.get()
    assert (check.answer, check.passed) == (2, True)
    assert set(Rating.objects.values_list("value", flat=True)) == {2}
    assert Participant.objects.get().status == "completed"


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_consent_is_stored_as_the_text_that_was_agreed_to(
    client: Client, study: Study, language: str
) -> None:
    client.get(LINK)
    choose(client, language)
    person = agree(client)
    hashes = {c: consent_hash(content_of(study).in_language(c)) for c in ("en", "zh-hans")}
    assert hashes["en"] != hashes["zh-hans"]
    assert (person.language, person.consent_hash) == (language, hashes[language])


def test_language_that_the_study_lacks_cannot_be_chosen(client: Client, study: Study) -> None:
    client.get(LINK)
    for language in ("de", "", "zh", "../en", "EN"):
        client.post("/s/small/consent/", {"language": language})
        assert Participant.objects.get().language == "en"


def test_choice_is_kept_when_somebody_comes_back_from_elsewhere(
    client: Client, study: Study
) -> None:
    client.get(LINK)
    choose(client, "zh-hans")
    agree(client)
    take(client, 1)
    other = Client(headers={"accept-language": "en"})
    other.get(LINK)
    html = html_of(other.post("/s/small/consent/", {"agree": "yes"}, follow=True))
    assert '<html lang="zh-hans">' in html and "请分别评价每条回复。" in html
    assert Participant.objects.count() == 1


def test_error_is_said_in_the_language_of_the_page(client: Client, study: Study) -> None:
    client.get(LINK)
    choose(client, "zh-hans")
    html = html_of(client.post("/s/small/consent/", {}))
    assert "如果您同意参加，请勾选方框" in html
    agree(client)
    assert "请选择一个选项：您住在哪里？" in html_of(client.post("/s/small/page/1/", {}))


def test_language_of_one_visitor_is_not_left_to_the_next(client: Client, study: Study) -> None:
    client.get(LINK, headers={"accept-language": "zh-CN"})
    page = html_of(Client().get("/s/small/page/2/"))
    assert '<html lang="en">' in page and not CHINESE.search(page)


def test_researchers_see_the_main_language(
    client: Client, study: Study, admin_user: object
) -> None:
    client.force_login(admin_user)  # type: ignore[arg-type]  # pytest-django's superuser
    client.get(LINK, headers={"accept-language": "zh-CN"})
    page = html_of(client.get("/studies/small/", headers={"accept-language": "zh-CN"}))
    assert "A small study" in page and not CHINESE.search(page)
