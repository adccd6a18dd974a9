"""Lists by the API: pages that go on after a row, in one order, whatever comes or goes."""

from typing import Any

import pytest
from django.test import Client
from django.urls import resolve
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from corpus.models import Corpus, Sample
from dashboard.api.pagination import Computed, Keyset, RowsInOrder, Stored
from dashboard.api.throttling import RequestsOfToken
from dashboard.payments.models import PaymentOrder
from survey.models import Participant, Rating, Study, StudyEvent
from tests.dashboard.addresses import ADDRESSES
from tests.factories import make_study

API = [each for each in ADDRESSES if each.name.startswith("api:")]
LISTS = [
    each
    for each in API
    if getattr(resolve(each.path).func.view_class, "pagination_class", None)  # type: ignore[attr-defined]  # of DRF
]


def pages_along(rows: RowsInOrder[Any], url: str, link: str) -> list[list[Any]]:
    """The pages that follow each other by this link."""
    pages = []
    at: str | None = url
    while at is not None:
        page = Keyset()
        pages.append(page.page_of(rows, Request(APIRequestFactory().get(at))))
        at = page.following if link == "next" else page.preceding
    return pages


def check_links(rows: RowsInOrder[Any], expected: list[Any], limit: int) -> None:
    """The links lead through every row once, in order, and back through the same pages."""
    there = pages_along(rows, f"/?limit={limit}&state=x", "next")
    assert [row for page in there for row in page] == expected
    if there[-1]:
        last = f"/?limit={limit}&after={rows.place_of(there[-1][0])}"
        before = pages_along(rows, last.replace("after", "before"), "previous")
        assert before[::-1] == [page for page in there[:-1] if page] or len(there) == 1


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8, 100])
def test_links_lead_through_every_stored_row_once_and_back(study: Study, limit: int) -> None:
    for number in range(7):
        StudyEvent.objects.create(study=study, action="state", detail={"from": 1, "to": number})
    events = StudyEvent.objects.filter(study=study)
    check_links(Stored(events, ["-id"]), list(events.order_by("-id")), limit)
    check_links(Stored(events, ["study_id", "id"]), list(events.order_by("id")), limit)
    ratings = Rating.objects.filter(presentation__participant__study=study).select_related(
        "presentation"
    )
    order = ["-presentation__position", "value", "-id"]
    check_links(Stored(ratings, order), list(ratings.order_by(*order)), 10 * limit)
    people = Participant.objects.values("id", "pseudonym")
    check_links(Stored(people, ["id"]), list(people.order_by("id")), limit)


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_studies_are_in_order_by_name_and_newest_version(study: Study, limit: int) -> None:
    for slug in ("a-study", "small", "z"):
        make_study(slug=slug, dimensions=["warmth", "tact"])
    rows = Stored(Study.objects.all(), ["slug", "-version"])
    named = ["a-study@1", "small@2", "small@1", "z@1"]
    check_links(rows, [Study.objects.get(slug=n[:-2], version=n[-1]) for n in named], limit)


@given(numbers=st.lists(st.integers(0, 50), max_size=30, unique=True), limit=st.integers(1, 8))
def test_links_lead_through_every_computed_row_once_and_back(
    numbers: list[int], limit: int
) -> None:
    rows = sorted((n % 3, n) for n in numbers)
    check_links(Computed(rows), rows, limit)


def test_rows_that_come_or_go_shift_no_page(page: Client, study: Study) -> None:
    StudyEvent.objects.all().delete()
    for number in range(4):
        StudyEvent.objects.create(study=study, action="gold", detail={"name": str(number)})
    first = page.get("/api/studies/small/events/?limit=2").json()
    StudyEvent.objects.create(study=study, action="gold", detail={"name": "new"})
    StudyEvent.objects.filter(pk=first["results"][1]["id"]).delete()
    second = page.get(first["next"]).json()
    assert [row["what"][-1] for row in second["results"]] == ["1", "0"]


@pytest.mark.embedded
@pytest.mark.parametrize("address", LISTS, ids=lambda each: each.name)
@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("limit=0", {"limit": ["limit takes a whole number from 1 to 10000, not '0'."]}),
        ("limit=x", {"limit": ["limit takes a whole number from 1 to 10000, not 'x'."]}),
        ("limit=10001", {"limit": ["limit takes a whole number from 1 to 10000, not '10001'."]}),
        ("after=1.2.3.4&before=1", {"before": ["Give after or before, not both."]}),
        ("after=1.2.3.4", {"after": ["'1.2.3.4' is no place in the list: take it from the links "
                                     "next and previous."]}),
        ("before=%00", {"before": ["'\\x00' is no place in the list: take it from the links next "
                                   "and previous."]}),
    ],
)  # fmt: skip
def test_every_list_refuses_what_is_no_place_or_limit(
    page: Client, study: Study, run: object, judge: object, address: Any, query: str, said: Any
) -> None:
    computed = ("api:submissions", "api:proposals")
    if address.name in computed and query.startswith("after=1.2.3.4"):
        return  # they have no rows here, so every place is beyond them
    if "talks" in address.path or "six" in address.path:
        corpus = Corpus.objects.create(name="talks", source={"dialogues": 1})
        Sample.objects.create(name="six", corpus=corpus, drawn={})
    path = address.path.replace("judge@1", "stand-in@1")
    if address.name == "api:payment-decisions":
        PaymentOrder.objects.create(pk=1, study=study)
    answer = page.get(f"{path}?{query}")
    assert (answer.status_code, answer.json()) == (400, said)


def test_every_list_that_can_grow_comes_in_pages() -> None:
    names = {each.name.removeprefix("api:") for each in LISTS}
    assert {
        *("studies", "versions", "changes", "raters", "ratings", "decisions", "rules", "calls"),
        *("gold-scores", "gold-decisions", "analyses", "packages", "submissions", "events"),
        *("corpora", "samples", "scenarios"),
        *("payment-orders", "payment-decisions", "proposals"),
    } <= names


@pytest.mark.embedded
def test_every_route_refuses_parameters_that_it_does_not_have(page: Client, study: Study) -> None:
    answer = page.get("/api/studies/small/versions/?ofset=20")
    assert (answer.status_code, answer.json()) == (
        400,
        {"ofset": ["This route has no parameter 'ofset'; there are after, before, limit."]},
    )
    statuses = {each: page.get(f"{each.path}?x=1").status_code for each in API}
    # A corpus or sample that is not there is not found, whatever is asked about it.
    there = ("/api/corpora/", "/api/samples/")
    admitting = {
        each.name
        for each, status in statuses.items()
        if status not in (400, 405) and not (status == 404 and each.path.startswith(there))
    }
    assert admitting == {"api:schema", "api:table-csv"}  # a table has columns of its own


@pytest.mark.embedded
def test_json_of_too_many_levels_is_refused_in_one_line(page: Client, study: Study) -> None:
    deep = "[" * 100_000
    answer = page.post("/api/studies/small/state/", deep, content_type="application/json")
    assert (answer.status_code, answer.json()) == (
        400,
        {"detail": "The JSON is nested too deeply."},
    )


@pytest.mark.embedded
@pytest.mark.parametrize(
    "body", [r'{"state": "\ud800"}', r'{"\ud800": 1}', r'{"state": [{"a": "x\udfff"}]}']
)
def test_half_of_a_character_is_refused_wherever_it_stands(
    page: Client, study: Study, body: str
) -> None:
    answer = page.post("/api/studies/small/state/", body, content_type="application/json")
    assert (answer.status_code, answer.json()) == (
        400,
        {"detail": "The JSON has a lone surrogate, which is half a character."},
    )


def test_every_route_is_throttled() -> None:
    for each in API:
        view: Any = resolve(each.path).func
        assert view.view_class.throttle_classes == [RequestsOfToken], each.name
