"""The page of a block over Django's test client: each kind of task, sent, wrong, and sent again.

A real browser takes the same studies in tests/e2e/test_tasks.py.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from survey.models import AttentionCheck, FreeAnswer, Participant, Presentation, Rating
from tests.survey import small_study, task_studies


@dataclass
class Visitor:
    """Somebody at the only block of a study of `task_studies`."""

    client: Client
    slug: str
    participant: Participant

    @property
    def address(self) -> str:
        return f"/s/{self.slug}/page/2/"

    def html(self) -> str:
        return self.client.get(self.address).content.decode()

    def send(self, form: dict[str, str], status: int = 302) -> str:
        reply = self.client.post(self.address, form)
        html = reply.content.decode()
        assert reply.status_code == status, html
        return html

    @property
    def presentation(self) -> Presentation:
        return Presentation.objects.get(participant=self.participant)

    def shown(self) -> list[str]:
        """The responses by the names that the browser knows, from top to bottom."""
        return re.findall(r'data-response="(\w+)"', self.html())

    def ratings(self) -> dict[tuple[str, str, str], tuple[int, int]]:
        """Value and number of changes by task, dimension and response."""
        rows = Rating.objects.filter(presentation=self.presentation)
        names = ("task", "dimension", "response__public_id", "value", "revisions")
        return {
            (task, dimension, response): (value, revisions)
            for task, dimension, response, value, revisions in rows.values_list(*names)
        }


def visit(client: Client, name: str, **more: Any) -> Visitor:
    """Load a study, and walk to its block."""
    yaml, csv = task_studies.yaml_of(name, **more), task_studies.csv_of(name)
    small_study.load(yaml=yaml, csv=csv)
    client.get(f"/s/{name}/?PROLIFIC_PID=abc")
    client.post(f"/s/{name}/consent/", {"agree": "yes"})
    client.post(f"/s/{name}/page/1/", {})
    return Visitor(client, name, Participant.objects.get())


def checked(html: str) -> dict[str, str]:
    """The radio buttons that are on."""
    page = BeautifulSoup(html, "html.parser")
    return {str(i["name"]): str(i["value"]) for i in page.select("input[type=radio][checked]")}


def ranks(responses: list[str], *values: int) -> dict[str, str]:
    return {f"rank-{r}": str(v) for r, v in zip(responses, values, strict=True)}


@pytest.mark.usefixtures("db")
def test_sliders_start_unset_and_come_back_as_they_were_left(client: Client) -> None:
    person = visit(client, "slider")
    a, b, c = person.shown()
    fields = re.findall(r'<input type="text"[^>]* name="(.*?)" value="(.*?)"', person.html())
    assert fields == [(f"r-{r}-warmth", "") for r in (a, b, c)]
    person.send({f"r-{a}-warmth": "0", f"r-{b}-warmth": "100", f"r-{c}-warmth": "37"})
    assert person.ratings() == {
        ("slider", "warmth", a): (0, 0),
        ("slider", "warmth", b): (100, 0),
        ("slider", "warmth", c): (37, 0),
    }
    fields = re.findall(r'<input type="text"[^>]* name="(.*?)" value="(.*?)"', person.html())
    assert fields == list(
        zip([f"r-{r}-warmth" for r in (a, b, c)], ["0", "100", "37"], strict=True)
    )


@pytest.mark.usefixtures("db")
def test_a_wrong_number_is_shown_again_beside_its_error(client: Client) -> None:
    person = visit(client, "slider")
    a, b, c = person.shown()
    sent = {f"r-{a}-warmth": "120", f"r-{b}-warmth": "", f"r-{c}-warmth": "5"}
    page = BeautifulSoup(person.send(sent, 422), "html.parser")
    field = page.select_one(f"#r-{a}-warmth")
    assert field is not None
    assert (field["value"], field["aria-invalid"]) == ("120", "true")
    described = [page.select_one(f"#{one}") for one in str(field["aria-describedby"]).split()]
    assert [one.get_text(" ", strip=True) for one in described if one] == [
        "A whole number from 0 (Not at all) to 100 (Completely)",
        "Error: Response 1: enter a whole number from 0 to 100",
    ]
    links = {link["href"]: link.text for link in page.select(".error-summary a")}
    assert links == {
        f"#r-{a}-warmth": "Response 1: enter a whole number from 0 to 100",
        f"#r-{b}-warmth": "Choose a rating for response 2",
    }
    assert person.ratings() == {}


@pytest.mark.usefixtures("db")
@pytest.mark.parametrize(("minimum", "maximum"), [(0, 100), (-50, 50)])
def test_a_slider_shows_its_range_before_it_is_set(
    client: Client, minimum: int, maximum: int
) -> None:
    line = {**task_studies.SLIDER, "minimum": minimum, "maximum": maximum}
    page = BeautifulSoup(visit(client, "slider", tasks=[line]).html(), "html.parser")
    shown = page.select_one(".slider")
    assert shown is not None
    ends = [end.get_text(" ", strip=True) for end in shown.select(".line span")]
    assert ends == [f"{minimum} Not at all", f"Completely {maximum}"]
    [number] = shown.select("input[type=text]")
    assert (number["placeholder"], number["value"]) == (f"{minimum}…{maximum}", "")
    [how] = shown.select(".how")
    assert how.get_text() == "Tap the line, or enter the number."


@pytest.mark.usefixtures("db")
def test_a_check_among_sliders_is_a_slider_with_a_name_and_comes_back_as_it_was_left(
    client: Client,
) -> None:
    person = visit(client, "slider-check")
    place = AttentionCheck.objects.get().place
    assert place is not None
    form = {f"r-{response}-warmth": "1" for response in person.shown()}
    for typed, status, shown in [("", 422, ""), ("120", 422, "120"), ("20", 302, "20")]:
        html = person.send({**form, "check": typed}, status) or person.html()
        page = BeautifulSoup(html, "html.parser")
        item = page.select("article.item")[place - 1]
        [number] = item.select("input[name=check]")
        [line] = item.select("input[type=range]")
        [label] = item.select("label[for=check]")
        assert label.get_text() == "Your answer (One more item)"
        assert (number["value"], line["aria-labelledby"]) == (shown, label["id"])
        assert [error.get("href") for error in page.select(".error-summary a")] == (
            ["#check"] if status == 422 else []
        )
    check = AttentionCheck.objects.get()
    assert (check.answer, check.passed) == (20, True)


@pytest.mark.usefixtures("db")
def test_ranks_are_stored_and_shown_again(client: Client) -> None:
    person = visit(client, "ranking")
    shown = person.shown()
    assert checked(person.html()) == {}
    sent = ranks(shown, 3, 1, 5, 2, 4)
    person.send(sent)
    assert person.ratings() == {
        ("ranking", "", response): (int(sent[f"rank-{response}"]), 0) for response in shown
    }
    assert checked(person.html()) == sent


@pytest.mark.usefixtures("db")
def test_exchanged_ranks_are_two_changes(client: Client) -> None:
    person = visit(client, "ranking")
    shown = person.shown()
    person.send(ranks(shown, 1, 2, 3, 4, 5))
    person.send(ranks(shown, 1, 3, 2, 4, 5))
    assert [person.ratings()["ranking", "", response] for response in shown] == [
        (1, 0),
        (3, 1),
        (2, 1),
        (4, 0),
        (5, 0),
    ]
    person.send(ranks(shown, 1, 3, 2, 4, 5))
    person.send(ranks(shown, 1, 2, 3, 4, 5))
    assert [person.ratings()["ranking", "", response][1] for response in shown] == [0, 2, 2, 0, 0]


@pytest.mark.usefixtures("db")
def test_a_tie_is_named_in_place_and_nothing_is_stored(client: Client) -> None:
    person = visit(client, "ranking")
    shown = person.shown()
    sent = ranks(shown, 1, 2, 2, 4, 5)
    html = person.send(sent, 422)
    message = "Response 3 has rank 2, which another response has"
    assert f'<a href="#rank-{shown[2]}-2">{message}</a>' in html
    assert f'id="rank-{shown[2]}-error"><span class="hidden">Error:</span> {message}' in html
    assert checked(html) == sent
    assert person.ratings() == {}


@pytest.mark.usefixtures("db")
def test_ties_are_stored_where_the_study_allows_them(client: Client) -> None:
    person = visit(client, "ties")
    shown = person.shown()
    person.send(ranks(shown, 1, 1, 3, 3))
    assert [person.ratings()["ranking", "", response] for response in shown] == [
        (1, 0),
        (1, 0),
        (3, 0),
        (3, 0),
    ]
    assert "Responses may share a rank" in person.html()
    assert "data-exclusive" not in person.html()


@pytest.mark.usefixtures("db")
def test_swapped_best_and_worst_are_one_change_each(client: Client) -> None:
    person = visit(client, "best-worst")
    a, b, *_ = person.shown()
    person.send({"best": a, "worst": b, "text-why": "It listens."})
    assert person.ratings() == {
        ("best_worst", "warmth", a): (1, 0),
        ("best_worst", "warmth", b): (-1, 0),
    }
    assert checked(person.html()) == {"best": a, "worst": b}
    person.send({"best": b, "worst": a, "text-why": "It listens."})
    assert person.ratings() == {
        ("best_worst", "warmth", b): (1, 1),
        ("best_worst", "warmth", a): (-1, 1),
    }


@pytest.mark.usefixtures("db")
def test_another_best_keeps_the_count_of_its_changes(client: Client) -> None:
    person = visit(client, "best-worst")
    a, b, c, *_ = person.shown()
    for best in (a, c, a):
        person.send({"best": best, "worst": b, "text-why": "It listens."})
    assert person.ratings() == {
        ("best_worst", "warmth", a): (1, 2),
        ("best_worst", "warmth", b): (-1, 0),
    }


@pytest.mark.usefixtures("db")
def test_the_same_best_and_worst_are_refused(client: Client) -> None:
    person = visit(client, "best-worst")
    a = person.shown()[0]
    html = person.send({"best": a, "worst": a, "text-why": "It listens."}, 422)
    assert f'<a href="#worst-{a}">Choose two different responses</a>' in html
    assert person.ratings() == {}


@pytest.mark.usefixtures("db")
def test_free_answer_is_kept_changed_and_counted(client: Client) -> None:
    person = visit(client, "best-worst")
    a, b, *_ = person.shown()
    choices = {"best": a, "worst": b}
    written = "<b>It</b> listens.\r\n\r\nAnd: 很好"
    for text in (written, written, "It listens."):
        person.send({**choices, "text-why": text})
    answer = FreeAnswer.objects.get(participant=person.participant)
    assert (answer.name, answer.text, answer.revisions) == ("why", "It listens.", 1)
    person.send({**choices, "text-why": written})
    page = BeautifulSoup(person.html(), "html.parser")
    area = page.select_one("textarea#text-why")
    assert area is not None
    assert area.text.strip() == "<b>It</b> listens.\n\nAnd: 很好"


def everything(person: Visitor) -> dict[str, str]:
    shown = person.shown()
    return {
        **{f"r-{response}-warmth": str(1 + i % 3) for i, response in enumerate(shown)},
        **ranks(shown, 8, 7, 6, 5, 4, 3, 2, 1),
        "best": shown[7],
        "worst": shown[0],
        "text-why": "It listens.",
        "text-comment": "",
        "check": "2",
    }


@pytest.mark.usefixtures("db")
def test_all_kinds_of_tasks_on_one_page(client: Client) -> None:
    person = visit(client, "everything")
    shown, form = person.shown(), everything(person)
    person.send(form)
    expected = {("likert", "warmth", r): (1 + i % 3, 0) for i, r in enumerate(shown)}
    expected |= {("ranking", "", r): (8 - i, 0) for i, r in enumerate(shown)}
    expected |= {("best_worst", "warmth", r): (v, 0) for r, v in ((shown[7], 1), (shown[0], -1))}
    assert person.ratings() == expected
    answers = FreeAnswer.objects.values_list("name", "text")
    assert list(answers) == [("why", "It listens.")]
    check = AttentionCheck.objects.get()
    assert (check.answer, check.passed, check.revisions) == (2, True, 0)
    assert checked(person.html()) == {k: v for k, v in form.items() if not k.startswith("text-")}


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
    for answer, passed, revisions in [("3", False, 0), ("2", True, 1), ("2", True, 1)]:
        person.send({**form, "check": answer})
        check = AttentionCheck.objects.get()
        assert (check.answer, check.passed, check.revisions) == (int(answer), passed, revisions)


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
    client.get("/s/likert/?PROLIFIC_PID=abc")
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
    texts = [item.get_text() for item in response.select("li")]
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
    first = {"visible": 30.5, "hidden": 2, "first": 4, "last": 9.25, "changes": 1}
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
    client.get("/s/likert/?PROLIFIC_PID=abc")
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
