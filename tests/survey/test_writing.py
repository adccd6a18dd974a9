"""How free answers are written is recorded with the answer where the study says so and participants
are told. It never loses an answer. And the policy on AI, which is shown where people write.
"""

import json
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from survey.consent import consent_hash
from survey.content import content_of
from survey.models import FreeAnswer
from survey.paradata import WRITING
from tests.prolific import arrival
from tests.survey import small_study, task_studies
from tests.survey.visiting_tasks import Visitor, visit

pytestmark = pytest.mark.django_db

TEXTS = {"information": "# About", "instructions": "Read.", "thanks": "# Thank you"}
RECORDED: dict[str, Any] = {"comment": "Anything to add?", "record_writing": True}
COUNTED = {"typed_characters": 12, "pastes": 1, "pasted_characters": 80, "focus_seconds": 31.5}


def answers(person: Visitor, **more: str) -> dict[str, str]:
    return {f"r-{response}-warmth": "1" for response in person.shown()} | more


def stored() -> dict[str, Any]:
    answer = FreeAnswer.objects.get()
    return {name: getattr(answer, name) for name in ("text", *WRITING)}


@pytest.mark.usefixtures("db")
def test_counts_are_stored_with_the_answer_and_replaced_by_later_totals(client: Client) -> None:
    person = visit(client, "likert", **RECORDED)
    unknown = dict.fromkeys(WRITING)
    form = answers(person, **{"text-comment": "It listens."})
    person.send({**form, "writing-comment": json.dumps(COUNTED)})
    assert stored() == {"text": "It listens.", **unknown, **COUNTED}
    field = BeautifulSoup(person.html(), "html.parser").select_one("[name=writing-comment]")
    assert field is not None
    assert json.loads(str(field["value"])) == COUNTED
    later = COUNTED | {"typed_characters": 20}
    for _ in range(2):  # sent twice, counted once
        person.send({**form, "writing-comment": json.dumps(later)})
    assert stored() == {"text": "It listens.", **unknown, **later}
    person.send(form)  # without a script nothing is measured, and nothing forgotten
    assert stored()["typed_characters"] == 20


@pytest.mark.usefixtures("db")
def test_nonsense_in_place_of_counts_never_refuses_an_answer(client: Client) -> None:
    person = visit(client, "likert", **RECORDED)
    form = answers(person, **{"text-comment": "It listens."})
    for text in ("{", '{"pastes": "x"}', "x" * 100_000, "[1]", "\x00", '{"pastes": -1}'):
        person.send({**form, "writing-comment": text})
        assert stored() == {"text": "It listens.", **dict.fromkeys(WRITING)}
    person.send({**form, "writing-comment": '{"pastes": 2, "keystrokes": 1e9}'})
    assert (stored()["pastes"], stored()["keystrokes"]) == (2, None)


@pytest.mark.usefixtures("db")
def test_nothing_is_stored_where_participants_are_not_told(client: Client) -> None:
    person = visit(client, "likert", comment="Anything to add?")
    assert "writing" not in person.html()
    form = answers(person, **{"text-comment": "It listens."})
    person.send({**form, "writing-comment": json.dumps(COUNTED)})
    assert stored() == {"text": "It listens.", **dict.fromkeys(WRITING)}


@pytest.mark.usefixtures("db")
@pytest.mark.embedded  # what pages say
@pytest.mark.parametrize(
    ("language", "notice", "policy"),
    [
        ("en", "It does not record which keys you press", "without AI tools"),
        ("zh-hans", "页面不会记录您按了哪些键", "请您自己作答"),
    ],
)
def test_information_page_tells_what_is_recorded_and_the_policy(
    client: Client, language: str, notice: str, policy: str
) -> None:
    policy = policy.replace("without AI tools", "Do not use AI tools")
    texts = TEXTS | {"ai_policy": True}
    yaml = task_studies.yaml_of("likert", language=language, texts=texts, **RECORDED)
    small_study.load(yaml=yaml, csv=task_studies.csv_of("likert"))
    information = client.get(f"/s/likert/{arrival('abc')}", follow=True).content.decode()
    assert notice in information and policy in information
    client.post("/s/likert/consent/", {"agree": "yes"})
    instructions = client.get("/s/likert/page/1/").content.decode()
    assert policy in instructions and notice not in instructions
    client.post("/s/likert/page/1/", {})
    assert policy in client.get("/s/likert/page/2/").content.decode()


@pytest.mark.usefixtures("db")
@pytest.mark.embedded  # what pages say
def test_study_may_word_its_own_policy(client: Client) -> None:
    own = visit(client, "likert", texts=TEXTS | {"ai_policy": "Ask **nobody**."}, comment="Why?")
    policy = BeautifulSoup(own.html(), "html.parser").select_one(".policy")
    assert policy is not None and policy.get_text().strip() == "Ask nobody."
    assert policy.select_one("strong") is not None


@pytest.mark.usefixtures("db")
@pytest.mark.embedded  # what pages say
def test_without_a_policy_pages_say_nothing_of_ai(client: Client) -> None:
    assert "policy" not in visit(client, "likert", comment="Why?").html()


@pytest.mark.usefixtures("db")
def test_consent_covers_the_policy_and_the_recording() -> None:
    hashes = set()
    for more in (
        {},
        {"texts": TEXTS | {"ai_policy": True}},
        {"texts": TEXTS | {"ai_policy": "Ask nobody."}},
        {"record_writing": True},
    ):
        yaml = task_studies.yaml_of("likert", comment="Why?", **more)
        study = small_study.load(yaml=yaml, csv=task_studies.csv_of("likert"))
        hashes.add(consent_hash(content_of(study).definition))
    assert len(hashes) == 4
