"""The page of a block over Django's test client: what it shows, measures and refuses, whatever its
tasks.
"""

import json
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from survey.models import AttentionCheck, Participant
from survey.rendering.openings import opening
from survey.rendering.responses import Look
from survey.views.block import shown_context
from tests.prolific import arrival
from tests.survey import small_study, task_studies
from tests.survey.visiting_tasks import everything, visit

pytestmark = pytest.mark.embedded  # what pages ask and say


@pytest.mark.usefixtures("db")
def test_a_check_among_the_responses_looks_like_them_and_is_judged(client: Client) -> None:
    person = visit(client, "everything")
    place = AttentionCheck.objects.get().place
    assert place is not None
    page = BeautifulSoup(person.html(), "html.parser")
    items = page.select("article.item")
    assert len(items) == 9
    item = items[place - 1]
    response = item.select_one(".response")
    assert response is not None
    assert str(response) == (
        '<p class="response">This item checks that you are reading. '
        "Please choose <strong>Somewhat</strong>.</p>"
    )
    assert [radio["value"] for radio in item.select("input[name=check]")] == ["1", "2", "3"]
    form = everything(person)
    times = set()
    for answer, passed, revisions in [("3", False, 0), ("2", True, 1), ("2", True, 1)]:
        person.send({**form, "check": answer})
        check = AttentionCheck.objects.get()
        assert (check.answer, check.passed, check.revisions) == (int(answer), passed, revisions)
        times.add(check.answered_at)
    assert len(times) == 1, "the time of the first answer stays"


@pytest.mark.usefixtures("db")
def test_many_missing_answers_are_marked_and_the_summary_stays_short(client: Client) -> None:
    person = visit(client, "everything")
    told = [f"Choose a rating for response {number}" for number in range(1, 9)]
    told.insert((AttentionCheck.objects.get().place or 0) - 1, "Choose an answer: One more item")
    page = BeautifulSoup(person.send({}, 422), "html.parser")
    assert [item.get_text(strip=True) for item in page.select(".error-summary li")] == [
        *told[:5],
        "And 15 more, marked below",
    ]
    # 8 ratings, a check, 8 ranks, best and worst, and a reason
    assert len(page.select("form .error")) == 20
    assert len(page.select("form .wrong")) == 20


@pytest.mark.usefixtures("db")
@pytest.mark.parametrize(
    ("labels", "first", "third"),
    [
        ("numbers", "Response 1", "response 3 of 5"),
        ("letters", "Response A", "response C, 3 of 5"),
    ],
)
def test_responses_are_named_by_numbers_or_letters(
    client: Client, labels: str, first: str, third: str
) -> None:
    more = {"tasks": [task_studies.LIKERT, task_studies.RANKING], "response_labels": labels}
    page = BeautifulSoup(visit(client, "ranking", **more).html(), "html.parser")
    articles = page.select("article.item")
    assert [h.get_text() for h in articles[0].select("h2")] == [first]
    legend = articles[2].select_one("legend")
    assert legend is not None
    assert legend.get_text() == f"How warm is this response? ({third})"
    rank = page.select_one("section.item legend")
    assert rank is not None
    assert rank.get_text() == f"{first}: rank"


@pytest.mark.usefixtures("db")
@pytest.mark.parametrize("response_format", ["plain", "markdown"])
def test_context_and_responses_keep_their_lines_and_run_nothing(
    client: Client, response_format: str
) -> None:
    csv = task_studies.csv_of("likert").replace(
        "Try again.", '"<script>alert(1)</script>\n\n- one\n- [two](https://example.org/)"'
    )
    yaml = task_studies.yaml_of("likert", response_format=response_format)
    small_study.load(yaml=yaml, csv=csv)
    client.get(f"/s/likert/{arrival('abc')}")
    client.post("/s/likert/consent/", {"agree": "yes"})
    client.post("/s/likert/page/1/", {})
    html = client.get("/s/likert/page/2/").content.decode()
    assert "<script>alert" not in html
    page = BeautifulSoup(html, "html.parser")
    context = page.select_one(".context")
    assert context is not None
    assert context.get_text() == task_studies.CONTEXT
    response = next(r for r in page.select(".response") if "alert" in r.text)
    assert not response.select("a, script, img")
    texts = [item.get_text(strip=True) for item in response.select("li")]
    assert texts == (
        ["one", "[two](https://example.org/)"] if response_format == "markdown" else []
    )
    assert response["dir"] == "auto"


@pytest.mark.usefixtures("db")
def test_measured_times_are_stored_and_add_up_over_visits(client: Client) -> None:
    person = visit(client, "likert")
    a, b = person.shown()
    form = {f"r-{a}-warmth": "1", f"r-{b}-warmth": "2"}

    def measured() -> Any:
        field = BeautifulSoup(person.html(), "html.parser").select_one("[name=paradata]")
        assert field is not None
        return field["value"]

    assert measured() == ""
    first = {"visible": 30.5, "hidden": 2, "unfocused": 1.5, "losses": 3}
    first |= {"first": 4, "last": 9.25, "changes": 1}
    first["responses"] = {a: 12, b: 0}  # type: ignore[assignment]  # of another kind than times
    # An unfinished page is shown again with what was measured until then; nothing is stored.
    html = person.send({f"r-{a}-warmth": "1", "paradata": json.dumps(first)}, 422)
    field = BeautifulSoup(html, "html.parser").select_one("[name=paradata]")
    assert field is not None
    assert json.loads(str(field["value"])) == first
    assert person.presentation.visible_seconds is None

    for _ in range(2):  # sent twice, counted once
        person.send({**form, "paradata": json.dumps(first)})
    shown = person.presentation
    assert (shown.visible_seconds, shown.hidden_seconds, shown.changes) == (30.5, 2, 1)
    assert (shown.unfocused_seconds, shown.focus_losses) == (1.5, 3)
    assert (shown.first_answer_seconds, shown.last_answer_seconds) == (4, 9.25)
    ids = {r.public_id: str(r.pk) for r in shown.block.responses.all()}
    assert shown.response_seconds == {ids[a]: 12, ids[b]: 0}

    assert json.loads(measured()) == first
    person.send(form)  # without a script nothing is measured, and nothing forgotten
    assert person.presentation.visible_seconds == 30.5


@pytest.mark.usefixtures("db")
def test_nonsense_in_place_of_measurements_never_refuses_an_answer(client: Client) -> None:
    person = visit(client, "likert")
    form = {f"r-{response}-warmth": "1" for response in person.shown()}
    for text in ("{", '{"visible": "x"}', "x" * 100_000, '{"responses": [1]}', "\x00"):
        person.send({**form, "paradata": text})
    assert len(person.ratings()) == 2
    assert person.presentation.visible_seconds is None


@pytest.mark.usefixtures("db")
def test_device_comes_with_the_instructions(client: Client) -> None:
    small_study.load(yaml=task_studies.yaml_of("likert"), csv=task_studies.csv_of("likert"))
    client.get(f"/s/likert/{arrival('abc')}")
    client.post("/s/likert/consent/", {"agree": "yes"})
    text = '{"device": "phone", "width": 360, "height": 740}'
    client.post("/s/likert/page/1/", {"device": text})
    person = Participant.objects.get()
    assert (person.device, person.viewport_width, person.viewport_height) == ("phone", 360, 740)


@pytest.mark.usefixtures("db")
def test_a_long_response_is_opened_beside_its_rank(client: Client) -> None:
    page = BeautifulSoup(visit(client, "ranking").html(), "html.parser")
    long = next(one for one in page.select(".again") if "That hurts" in one.text)
    summary, again = long.select_one("summary bdi"), long.select_one(".response")
    assert summary is not None and again is not None
    assert summary.text == "That hurts, and it is hard to carry it alone. What would you want your…"
    assert again.text == task_studies.TEXTS[1]
    short = next(one for one in page.select(".again") if "Try again" in one.text)
    assert (short.name, short.text) == ("p", "Try again.")


@pytest.mark.parametrize("markdown", [False, True])
def test_opening_is_text_as_written(markdown: bool) -> None:
    """A template escapes it once."""
    assert opening("Rest & <sleep>", Look(markdown=markdown)) == {
        "text": "Rest & <sleep>",
        "cut": False,
    }


def test_each_turn_of_a_dialogue_has_its_own_language() -> None:
    shown = shown_context("User: Hello there.\nAssistant: \u4f60\u597d\u3002", ["en"], "en")
    assert [turn["written_in"] for turn in shown["turns"]] == ["", "zh"]
    assert shown_context("\u62a4\u58eb\u3002", ["en"], "en") == {"turns": [], "context_in": "zh"}
