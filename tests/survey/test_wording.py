"""What pages call prompts and responses: the study's own words, or neutral ones."""

import json
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from pydantic import ValidationError

from survey import content
from survey.definition.wording import Wording
from survey.interface import INTERFACE
from survey.models import Participant, Presentation, Scenario, Study
from survey.page_wording import capitalized
from survey.queries import studies_with_changed_pages
from tests.survey import task_studies
from tests.survey.visiting_tasks import Visitor, visit

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]  # what pages say

LIKERT, RANKING, BEST = task_studies.LIKERT, task_studies.RANKING, task_studies.BEST_WORST
OWN = {
    "heading": "Article",
    "prompt": "article",
    "response": "summary",
    "responses": "summaries",
}


def page_of(person: Visitor) -> BeautifulSoup:
    return BeautifulSoup(person.html(), "html.parser")


def texts(page: BeautifulSoup, selector: str) -> list[str]:
    return [found.get_text(" ", strip=True) for found in page.select(selector)]


def test_pages_are_neutral_unless_the_study_names_its_texts(client: Client) -> None:
    page = page_of(visit(client, "ranking"))
    assert texts(page, "#prompt-title") == ["Prompt"]
    assert texts(page, "section.item legend")[0].startswith("Response 1")
    main = page.select_one("main")
    assert main is not None and "omeone" not in main.get_text()


def test_pages_have_the_words_of_the_study(client: Client) -> None:
    tasks = [LIKERT, RANKING, BEST]
    person = visit(client, "ranking", tasks=tasks, wording=OWN)
    page = page_of(person)
    assert texts(page, "#prompt-title") == ["Article"]
    assert texts(page, "article.item h2")[:2] == ["Summary 1", "Summary 2"]
    assert "(summary 1 of 5)" in texts(page, "article.item legend")[0]
    errors = BeautifulSoup(person.send({}, 422), "html.parser")
    told = " ".join(texts(errors, "form .error"))
    for said in (
        "Choose a rating for summary 1",
        "Choose a rank for summary 5",
        "Choose one of the summaries: Which response is the warmest?",
    ):
        assert said in told
    shown = person.shown()
    same = {f"rank-{one}": "1" for one in shown} | {"best": shown[0], "worst": shown[0]}
    told = person.send(same, 422)
    assert "Summary 2 has rank 1, which another one has" in told
    assert "Choose two different summaries" in told
    seen = {"Response", "response "} & set(" ".join(texts(page, "h2, legend .hidden")).split())
    assert not seen


def test_letters_stand_behind_the_noun(client: Client) -> None:
    more: dict[str, Any] = {"tasks": [LIKERT], "response_labels": "letters", "wording": OWN}
    page = page_of(visit(client, "ranking", **more))
    assert texts(page, "article.item h2")[:2] == ["Summary A", "Summary B"]
    assert "(summary C, 3 of 5)" in texts(page, "article.item legend")[2]


def test_a_lone_response_has_no_number(client: Client) -> None:
    person = visit(client, "ranking", tasks=[LIKERT], systems_per_page=1)
    page = page_of(person)
    assert texts(page, "article.item h2") == ["Response"]
    assert "(response)" in texts(page, "article.item legend")[0]
    errors = BeautifulSoup(person.send({}, 422), "html.parser")
    assert texts(errors, ".error-summary li") == ["Choose a rating for the response"]


def test_instructions_are_folded_on_every_page(client: Client) -> None:
    page = page_of(visit(client, "likert"))
    (folded,) = page.select("details.instructions")
    assert "open" not in folded.attrs
    assert folded.select_one("summary").get_text() == "Instructions"  # type: ignore[union-attr]
    definition = Study.objects.get().definition
    assert definition["texts"]["instructions"].split()[0] in folded.get_text()


def give(context: str) -> None:
    """Another context, as if the study had been loaded with it."""
    Scenario.objects.update(context=context)
    content._read.cache_clear()


DIALOGUE = "User: I failed.\nAssistant: Oh no.\n\nWhat happened?"


@pytest.mark.parametrize(
    "context",
    [
        DIALOGUE,
        json.dumps(
            [
                {"role": "user", "content": "I failed."},
                {"role": "assistant", "content": "Oh no.\n\nWhat happened?"},
            ]
        ),
    ],
)
def test_dialogue_is_shown_as_turns(client: Client, context: str) -> None:
    person = visit(client, "likert")
    give(context)
    page = page_of(person)
    assert texts(page, ".turns li") == ["User I failed.", "Assistant Oh no.\n\nWhat happened?"]
    assert not page.select("p.context")


def test_other_context_is_text_and_hostile_text_is_shown(client: Client) -> None:
    person = visit(client, "likert")
    give("A <b>student</b>.")
    page = page_of(person)
    assert texts(page, "p.context") == ["A <b>student</b>."]
    give("User: <script>alert(1)</script>")
    page = page_of(person)
    assert texts(page, ".turns li") == ["User <script>alert(1)</script>"]


def test_facts_about_a_machine_are_no_dialogue(client: Client) -> None:
    person = visit(client, "likert")
    for facts in ("System: Windows 11", "Model: Ford Fiesta 2014\nMileage: 40,000"):
        give(facts)
        page = page_of(person)
        assert texts(page, "p.context") == [facts]
        assert not page.select(".turns")


def test_text_of_the_study_has_a_direction_of_its_own(client: Client) -> None:
    scale = [{"value": n, "label": label} for n, label in ((1, "ضعيف"), (2, "جيد (2)"))]
    dimension = {"name": "warmth", "question": "ما مدى جودة هذا الملخص؟"}
    likert = {"kind": "likert", "scale": scale, "dimensions": [dimension]}
    nouns = {"heading": "المقال", "response": "ملخص", "responses": "ملخصات"}
    person = visit(client, "ranking", tasks=[likert, RANKING, BEST], wording=nouns)
    give("User: مرحبا.\nAssistant: أهلا.")
    page = page_of(person)
    alone = "#prompt-title, article h2, legend, .point span, details.instructions > div"
    for element in page.select(alone):
        own = element if element.get("dir") else element.select_one("[dir]")
        assert own is not None and own["dir"] == "auto", element
    # The page's word for the speaker does not set the direction of what is said.
    assert texts(page, ".turns [dir=auto]") == ["مرحبا.", "أهلا."]
    assert not page.select("li[dir]")


@pytest.mark.parametrize(
    ("noun", "title"),
    [
        ("news summary", "News summary"),
        ("eBay listing", "eBay listing"),
        ("mRNA", "mRNA"),
        ("URL", "URL"),
        ("回复", "回复"),
        ("", ""),
    ],
)
def test_first_word_gets_a_capital_unless_it_has_its_own(noun: str, title: str) -> None:
    assert capitalized(noun) == title


def seen_by(person: Visitor) -> int | None:
    """The version of the interface that a visitor's page was shown in."""
    return person.presentation.interface


def test_page_shown_has_the_version_of_the_interface(client: Client) -> None:
    person = visit(client, "likert")
    assert seen_by(person) is None, "it is not shown yet"
    person.html()
    assert seen_by(person) == INTERFACE
    # It was shown before an update, and not answered yet: the person sees the new one.
    Presentation.objects.update(interface=1)
    person.html()
    assert seen_by(person) == INTERFACE


def test_page_answered_before_an_update_keeps_its_version(client: Client) -> None:
    person = visit(client, "likert")
    shown = person.shown()
    person.send({f"r-{one}-{name}": "2" for one in shown for name in dimensions()})
    Presentation.objects.update(interface=1)
    person.html()
    assert person.presentation.interface == 1


def dimensions() -> list[str]:
    (task,) = Study.objects.get().definition["tasks"]
    return [one["name"] for one in task["dimensions"]]


def test_open_studies_whose_pages_changed_are_named(client: Client) -> None:
    person = visit(client, "likert")
    person.html()
    assert studies_with_changed_pages() == []
    Presentation.objects.update(interface=1)
    study = Study.objects.get()
    assert studies_with_changed_pages() == [(study, 1, 1)]
    Study.objects.update(state="closed")
    assert studies_with_changed_pages() == []
    Study.objects.update(state="open")
    Participant.objects.update(source="simulated")
    assert studies_with_changed_pages() == []


def test_nouns_are_given_in_both_numbers() -> None:
    with pytest.raises(ValueError, match="give response and responses together"):
        Wording.model_validate({"response": "summary"})
    assert Wording.model_validate({"heading": "Source"}).response is None


@pytest.mark.parametrize("character", ["\n", "\t", "\x07", "\u2028", "\u202e", "\u2066"])
def test_wording_is_one_line_without_control_characters(character: str) -> None:
    given = {"prompt": "a", "heading": f"A{character}b"}
    with pytest.raises(ValidationError, match="one line of text, without control") as refused:
        Wording.model_validate(given)
    assert refused.value.errors()[0]["loc"] == ("heading",)
    assert Wording.model_validate({"heading": " المقال\u200f \n"}).heading == "المقال\u200f"
