"""Each kind of task over Django's test client: sent, wrong, and sent again.

A real browser takes the same studies in tests/e2e/test_tasks.py.
"""

import re

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from survey.models import AttentionCheck, FreeAnswer
from tests.survey import task_studies
from tests.survey.visiting_tasks import checked, everything, ranks, visit

pytestmark = pytest.mark.django_db


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
    message = "Response 3 has rank 2, which another one has"
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
    assert "Ranks may be shared" in person.html()
    assert "data-exclusive" not in person.html()


@pytest.mark.usefixtures("db")
def test_several_rankings_and_choices_are_each_their_own(client: Client) -> None:
    person = visit(client, "aspects")
    a, b, c = person.shown()
    sent = {
        **{f"rank-{r}": v for r, v in zip((a, b, c), "123", strict=True)},
        **{f"rank2-{r}": v for r, v in zip((a, b, c), "321", strict=True)},
        **{f"rank3-{r}": v for r, v in zip((a, b, c), "213", strict=True)},
        "best": a,
        "worst": b,
        "best2": b,
        "worst2": c,
    }
    person.send(sent)
    given = {
        **{("ranking", "fluency", r): (v, 0) for r, v in zip((a, b, c), (1, 2, 3), strict=True)},
        **{("ranking", "fluency_2", r): (v, 0) for r, v in zip((a, b, c), (3, 2, 1), strict=True)},
        **{("ranking", "overall", r): (v, 0) for r, v in zip((a, b, c), (2, 1, 3), strict=True)},
        ("best_worst", "fluency", a): (1, 0), ("best_worst", "fluency", b): (-1, 0),
        ("best_worst", "overall", b): (1, 0), ("best_worst", "overall", c): (-1, 0),
    }  # fmt: skip
    assert person.ratings() == given
    assert checked(person.html()) == sent
    person.send(sent)
    assert person.ratings() == given
    person.send(sent | {f"rank3-{a}": "1", f"rank3-{b}": "2", "worst2": a})
    del given["best_worst", "overall", c]
    assert person.ratings() == given | {
        ("ranking", "overall", a): (1, 1),
        ("ranking", "overall", b): (2, 1),
        ("best_worst", "overall", a): (-1, 1),
    }


@pytest.mark.usefixtures("db")
def test_what_is_missing_of_several_rankings_is_named_with_its_question(client: Client) -> None:
    person = visit(client, "aspects")
    a, b, c = person.shown()
    page = BeautifulSoup(person.send({f"rank2-{a}": "1", f"rank2-{b}": "1"}, 422), "html.parser")
    links = {str(link["href"]): link.text for link in page.select(".error-summary a")}
    assert links[f"#rank-{c}-1"] == "Choose a rank for response 3: Rank them by fluency."
    assert links[f"#rank2-{b}-1"] == "Response 2 has rank 1, which another one has"
    assert links[f"#rank2-{c}-1"] == "Choose a rank for response 3: Rank them by fluency_2."
    assert all(page.select(target) for target in links)
    assert person.ratings() == {}
    headings = {page.select_one(f"#{s['aria-labelledby']}") for s in page.select("[data-ranking]")}
    assert {h.text for h in headings if h} == {
        "Rank them by fluency.", "Rank them by fluency_2.", "Rank them by overall."
    }  # fmt: skip
    ids = [tag["id"] for tag in page.select("[id]")]
    assert len(ids) == len(set(ids))
    legends = [tag.get_text() for tag in page.select("[data-ranking] legend")]
    assert legends[3] == "Response 1: rank (Rank them by fluency_2.)"


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


@pytest.mark.usefixtures("db")
def test_closing_answers_are_kept_changed_and_counted_and_empty_ones_are_not_stored(
    client: Client,
) -> None:
    remarks = [{"kind": "text", "name": name, "question": "Remarks?"} for name in ("first", "last")]
    person = visit(client, "likert", closing=remarks)
    person.send({f"r-{response}-warmth": "2" for response in person.shown()})
    for text in ("Good.", "Good.", "Better."):
        client.post("/s/likert/page/3/", {"text-first": text, "text-last": ""})
    stored = FreeAnswer.objects.get()
    assert (stored.name, stored.text, stored.revisions) == ("first", "Better.", 1)
    assert stored.presentation is None


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
