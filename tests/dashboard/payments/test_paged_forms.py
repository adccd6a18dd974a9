"""Groups and orders of several pages: what is chosen on other pages counts, and stays."""

import re

import pytest
from django.test import Client

from dashboard.payments import shown_groups, views
from dashboard.payments.models import PaymentOrder, SubmissionDecision
from dashboard.prolific.pay_terms import change_terms
from dashboard.prolific.terms import Terms
from survey.models import Study
from tests.dashboard.paying import came, listed, read
from tests.dashboard.payments.test_pages import ADDRESS
from tests.dashboard.reading import text_of

NAMES = ["ann", "ben", "cat", "dot", "eve"]


@pytest.fixture(autouse=True)
def two_lines_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown_groups, "LINES_SHOWN", 2)
    monkeypatch.setattr(views, "DECISIONS_SHOWN", 2)


@pytest.fixture
def five(study: Study) -> Study:
    """Five people to approve."""
    change_terms(study=study, terms=Terms(reward=300), author=None)
    for name in NAMES:
        came(study, name)
    read(study, *(listed(name) for name in NAMES))
    return study


class SentForm:
    """The form of a page as a browser has it, and what is sent of it."""

    def __init__(self, content: bytes) -> None:
        self.fields: list[tuple[str, str]] = []
        self.boxes: dict[str, bool] = {}
        form = content.decode().split("<form")[-1]
        for tag in re.findall(r"<input [^>]*>", form):
            attributes = dict(re.findall(r'([\w-]+)="([^"]*)"', tag))
            if attributes["type"] == "hidden":
                self.fields.append((attributes["name"], attributes["value"]))
            elif attributes["type"] == "checkbox" and "disabled" not in tag:
                box = f"{attributes['name']}={attributes.get('value', 'on')}"
                self.boxes[box] = " checked" in tag

    def lines(self, name: str) -> list[str]:
        return [box.partition("=")[2] for box in self.boxes if box.startswith(f"{name}=")]

    def tick(self, box: str, is_ticked: bool) -> None:
        assert box in self.boxes
        self.boxes[box] = is_ticked

    def sent(self, **more: str) -> dict[str, list[str]]:
        sent: dict[str, list[str]] = {name: [value] for name, value in more.items()}
        for name, value in self.fields:
            sent.setdefault(name, []).append(value)
        for box, is_ticked in self.boxes.items():
            if is_ticked:
                name, _, value = box.partition("=")
                sent.setdefault(name, []).append(value)
        return sent


def opened(page: Client) -> SentForm:
    return SentForm(page.get(ADDRESS).content)


def turned(page: Client, form: SentForm, number: int) -> SentForm:
    return SentForm(page.post(ADDRESS, form.sent(turn=f"completed:{number}")).content)


def test_group_of_several_pages_is_confirmed_with_its_rest(page: Client, five: Study) -> None:
    shown = text_of(page.get(ADDRESS))
    assert "5 of 5" in shown and "1–2 of 5" in shown and "The 3 people on other pages" in shown
    page.post(ADDRESS, opened(page).sent())
    assert SubmissionDecision.objects.count() == 5


def test_what_is_unticked_on_a_page_stays_so_on_the_others(page: Client, five: Study) -> None:
    form = opened(page)
    first = form.lines("chosen")[0]
    form.tick(f"chosen={first}", False)
    form = turned(page, form, 2)
    assert first not in form.lines("chosen")
    form.tick(f"chosen={form.lines('chosen')[1]}", False)
    form = turned(page, form, 3)
    assert not SubmissionDecision.objects.exists(), "a turned page confirms nothing"
    answer = page.post(ADDRESS, form.sent(), follow=True)
    assert "Confirmed and stored." in text_of(answer)
    taken = SubmissionDecision.objects.values_list("submission__prolific_id", flat=True)
    assert len(taken) == 3


def test_few_of_many_are_chosen_on_any_page(page: Client, five: Study) -> None:
    form = opened(page)
    form.tick("other_pages=completed", False)
    for box in form.lines("chosen"):
        form.tick(f"chosen={box}", False)
    form = turned(page, form, 2)
    wanted = form.lines("chosen")[0]
    form.tick(f"chosen={wanted}", True)
    form = turned(page, form, 1)
    page.post(ADDRESS, form.sent())
    [one] = SubmissionDecision.objects.all()
    assert f"{one.submission_id}:completed" == wanted


def test_rest_that_has_changed_meanwhile_is_shown_again(page: Client, five: Study) -> None:
    form = opened(page)
    came(five, "fay")
    read(five, listed("ann", "RETURNED"), listed("fay"))
    shown = text_of(page.post(ADDRESS, form.sent()))
    assert "Nothing was confirmed yet." in shown
    assert not SubmissionDecision.objects.exists()


# ── An order ─────────────────────────────────────────────────────────────────────────────────────


def test_open_lines_of_other_pages_are_settled_together(page: Client, five: Study) -> None:
    page.post(ADDRESS, opened(page).sent())
    order = PaymentOrder.objects.get()
    there = f"{ADDRESS}{order.pk}/"
    answer = page.get(there)
    assert "1–2 of 5" in text_of(answer) and "The 3 open lines on other pages" in text_of(answer)
    form = SentForm(answer.content)
    kept = form.lines("decision")[0]
    form.tick(f"decision={kept}", False)
    said = text_of(page.post(f"{there}settle/", form.sent(what="done"), follow=True))
    assert "Stored: 4 done." in said and "4 of 5 done, 1 waiting" in said
    form = SentForm(page.get(there).content)
    assert form.lines("decision") == [kept] and "other_pages=on" not in form.boxes
    page.post(f"{there}settle/", form.sent(what="done"))
    assert not order.decisions.exclude(state="done").exists()


def test_lines_of_a_page_are_settled_alone(page: Client, five: Study) -> None:
    page.post(ADDRESS, opened(page).sent())
    order = PaymentOrder.objects.get()
    there = f"{ADDRESS}{order.pk}/"
    form = SentForm(page.get(f"{there}?page=2").content)
    form.tick("other_pages=on", False)
    said = text_of(page.post(f"{there}settle/", form.sent(what="done"), follow=True))
    assert "Stored: 2 done." in said


@pytest.mark.parametrize(
    "sent",
    [
        {"decision": "x"},
        {"decision": "9" * 30},
        {"other_pages": "on", "on_this_page": "1 x"},
        {"other_pages": "on", "on_this_page": "9" * 5000},
        {},
    ],
)
def test_line_that_there_is_not_changes_nothing(
    page: Client, five: Study, sent: dict[str, str]
) -> None:
    page.post(ADDRESS, opened(page).sent())
    there = f"{ADDRESS}{PaymentOrder.objects.get().pk}/"
    said = text_of(page.post(f"{there}settle/", {"what": "done", **sent}, follow=True))
    assert "Choose at least one line. Nothing was changed." in said
    assert not SubmissionDecision.objects.exclude(state="waiting").exists()
