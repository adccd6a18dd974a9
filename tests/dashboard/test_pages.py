"""What holds for all researchers' pages."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from analysis.execution import finished_run
from analysis.models import AnalysisRun
from judge.models import Judge
from judge.plans import plan_calls
from survey.models import Participant, Response, Study
from survey.tidy import counted_sources
from tests.dashboard.conftest import likes_tuned
from tests.dashboard.judging import answer_calls, describe, fail_call, gold_set
from tests.dashboard.reading import text_of
from tests.factories import add_participant, make_study

NAMES = [
    "", "counts/", "gold/", "gold/progress/", "agreement/", "raters/", "results/",
    "results/groups/", "thresholds/", "thresholds/outcome/", "figures/", "downloads/",
    "texts/", "pages/", "versions/",
]  # fmt: skip
JUDGE = "gold/judges/stand-in@1/"


def queries_of(page: Client, address: str) -> int:
    page.get(address)  # what is kept in memory is read
    with CaptureQueriesContext(connection) as captured:
        assert page.get(address).status_code == 200
    return len(captured)


@pytest.mark.embedded
def test_query_count_does_not_grow_with_people_and_calls(page: Client, judge: Judge) -> None:
    study = judge.study
    addresses = [f"/studies/small/{name}" for name in (*NAMES, JUDGE, f"{JUDGE}progress/")]
    failed, *answered = judge.calls.all()[:6]
    Participant.objects.exclude(pseudonym__in=["ann", "dot"]).delete()
    fail_call(failed, "no")
    answer_calls(answered[:1])
    finished_run(study=study, sources=counted_sources())
    with_one = {address: queries_of(page, address) for address in addresses}
    for pseudonym in ("eve", "fay"):
        add_participant(study, pseudonym=pseudonym, rate=likes_tuned)
    fail_call(answered[-1], "no")
    fail_call(answered[-2], "no")
    answer_calls(answered[1:3])
    finished_run(study=study, sources=counted_sources())
    assert {address: queries_of(page, address) for address in addresses} == with_one


def test_query_count_of_a_call_does_not_grow_with_attempts(page: Client, judge: Judge) -> None:
    call = judge.calls.all()[0]
    fail_call(call, "no")
    address = f"/studies/small/gold/calls/{call.pk}/"
    with_one = queries_of(page, address)
    fail_call(call, "no")
    fail_call(call, "no")
    assert queries_of(page, address) == with_one


@pytest.mark.embedded
@pytest.mark.parametrize("address", ["/studies/small/gold/", "/api/studies/small/judges/"])
def test_query_count_does_not_grow_with_judges_files_and_panels(
    page: Client, study: Study, settings: Settings, address: str
) -> None:
    settings.JUDGE_BASE_URL = "http://127.0.0.1:9/v1"

    def with_judges(*names: str) -> int:
        for judge in describe(study, *({"name": name} for name in names)):
            plan_calls(judge)
            answer_calls(judge.calls.all()[:2])
            fail_call(judge.calls.all()[2], "no")
            gold_set(study, name=f"by {judge.name}")
            add_participant(study, pseudonym=judge.name, source="panel", panel=judge.name)
        return queries_of(page, address)

    with_one = with_judges("one")
    assert with_judges("two", "three", "four") == with_one


def test_query_count_of_the_list_does_not_grow_with_studies(page: Client, study: Study) -> None:
    with_one = queries_of(page, "/")
    make_study(slug="second")
    make_study(slug="third")
    assert queries_of(page, "/") == with_one


@pytest.mark.embedded
@pytest.mark.parametrize("name", NAMES)
def test_page_asks_nothing_of_third_parties_and_holds_no_script(
    page: Client, study: Study, run: AnalysisRun, name: str
) -> None:
    shown = page.get(f"/studies/small/{name}").content.decode()
    for tag, address in re.findall(r'<(script|link|img)[^>]*(?:src|href)="([^"]*)"', shown):
        assert address.startswith("/static/"), tag
    assert re.findall(r"<script(?![^>]*\ssrc=)", shown) == []
    assert re.findall(r"\son[a-z]+=", shown) == []


@pytest.mark.embedded
def test_what_people_wrote_is_never_markup(page: Client, study: Study, run: AnalysisRun) -> None:
    Study.objects.update(title="<b>bold</b>")
    Response.objects.update(text="<script>alert(1)</script>")
    Participant.objects.filter(pseudonym="ann").update(pseudonym="<i>ann")
    for name in NAMES:
        shown = page.get(f"/studies/small/{name}").content.decode()
        assert not re.findall("<b>bold|<script>alert|<i>ann", shown), name


@pytest.mark.embedded
@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("gold/judges/other@1/", "small@1 has no judge other@1."),
        ("gold/calls/99/", "small@1 has no call 99 of a judge."),
        ("gold/changes/99/", "small@1 has no analysis 99."),
        ("packages/99/", "small@1 has no download 99."),
        ("results/99/wins.csv", "small@1 has no table wins of an analysis 99."),
        ("figures/99/forest.json", "small@1 has no figure forest of an analysis 99."),
        ("pages/?participant=x", "participant in the address: Enter a whole number."),
        ("order/?pool=x", "pool in the address: Select a valid choice."),
    ],
)
def test_page_that_is_not_there_says_what_is_missing(
    page: Client, study: Study, address: str, why: str
) -> None:
    answer = page.get(f"/studies/small/{address}")
    assert answer.status_code == 404
    assert why in text_of(answer)
