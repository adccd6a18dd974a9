"""Open answers counted in chunks: those of the data as they are now, whatever was kept before."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client, TestCase
from django.utils import timezone

from analysis import theme_coding
from analysis.execution import finished_run
from analysis.models import AnalysisRun, ThemeCode
from analysis.theme_coding import ThemeOptions, add_code, answers_to_code, code_answers
from dashboard.results.open_answers import OpenAnswers, comments_by_page
from dashboard.shared import chunk_counts
from dashboard.shared.models import ChunkCounts
from survey.models import FreeAnswer, Participant, Study
from survey.tidy import counted_sources
from survey.withdrawal import withdraw
from tests.factories import add_participant, make_study

pytestmark = pytest.mark.django_db
API = "/api/studies/small/themes/codings/"
NAMES = [f"p{n}" for n in range(9)]


@pytest.fixture(autouse=True)
def chunks_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a handful of people fills several."""
    for module in (chunk_counts, theme_coding):
        monkeypatch.setattr(module, "PEOPLE_IN_CHUNK", 2)


@pytest.fixture
def study(db: None) -> Study:
    """Nine people say why at the end; all but the last one about their first page, too."""
    study = make_study()
    for name in NAMES:
        person = add_participant(study, pseudonym=name)
        FreeAnswer.objects.create(participant=person, name="why", text=f"{name} why")
        if name != NAMES[-1]:
            page = person.presentations.earliest("id")
            FreeAnswer.objects.create(
                participant=person, presentation=page, name="page", text=f"{name} page"
            )
    return study


@pytest.fixture
def codes(study: Study) -> list[ThemeCode]:
    return [add_code(study, ThemeOptions(name=name), None) for name in ("a", "b")]


@pytest.fixture
def ada(db: None) -> User:
    return User.objects.create_user("ada")


@pytest.fixture
def bea(db: None) -> User:
    return User.objects.create_user("bea")


@contextmanager
def kept() -> Iterator[None]:
    """What is counted here is kept for later."""
    with TestCase.captureOnCommitCallbacks(execute=True):
        yield


def told(study: Study, *viewers: User) -> dict[str, Any]:
    answers = OpenAnswers.of(study, counted_sources(), store_from=1)
    return {
        "answers": len(answers),
        "coders": [(one.letter, one.coder.username, one.done) for one in answers.coders()],
        **{
            viewer.username: (
                str(next_text(answers, viewer)),
                answers.n_compared(viewer),
                answers.n_differing(viewer),
                [answer.text for answer in answers.first_differing(viewer)],
                answers.last_coded(viewer),
            )
            for viewer in viewers
        },
    }


def next_text(answers: OpenAnswers, coder: User) -> str | None:
    answer = answers.next_for(coder)
    return answer.text if answer else None


def code(study: Study, coder: User, texts: list[str], *codes: ThemeCode) -> None:
    answers = FreeAnswer.objects.filter(text__in=texts)
    code_answers(study=study, coder=coder, decisions={each.pk: list(codes) for each in answers})


def test_every_decision_is_told_at_once_and_as_if_all_were_counted_anew(
    study: Study, codes: list[ThemeCode], ada: User, bea: User
) -> None:
    one, other = codes
    steps = [
        (ada, ["p0 why"], [one]),
        (bea, ["p0 why", "p1 why"], [other]),
        (bea, ["p0 why"], [one]),  # another decision about the same answer
        (ada, [f"{name} why" for name in NAMES], []),
        (bea, [f"{name} page" for name in NAMES], [one]),
        (ada, [f"{name} page" for name in NAMES], [other]),
    ]
    before = told(study, ada, bea)
    for coder, texts, given in steps:
        with kept():
            told(study, ada, bea)
        code(study, coder, texts, *given)
        now = told(study, ada, bea)
        assert now != before
        ChunkCounts.objects.all().delete()
        assert told(study, ada, bea) == now
        before = now
    assert now["coders"] == [("A", "ada", 17), ("B", "bea", 10)]
    next_of_ada, compared, n, texts, _ = now["ada"]
    assert (next_of_ada, compared, n) == ("None", 17, 10)
    assert texts == [*(f"{name} page" for name in NAMES[:-1]), "p0 why", "p1 why"]


def test_a_coder_sees_one_answer_after_the_other_person_by_person(
    study: Study, codes: list[ThemeCode], ada: User
) -> None:
    seen = []
    while answer := OpenAnswers.of(study, counted_sources()).next_for(ada):
        seen.append(answer.text)
        code_answers(study=study, coder=ada, decisions={answer.pk: []})
    assert seen == [answer.text for answer in answers_to_code(study, counted_sources())]
    assert seen[-1] == "p8 why"


def test_who_codes_nothing_sees_disagreements_once_each_answer_has_two_coders(
    study: Study, codes: list[ThemeCode], ada: User, bea: User
) -> None:
    reader, every = User.objects.create_user("cay"), [answer.text for answer in _all(study)]
    code(study, ada, every, codes[0])
    code(study, bea, every[:-1], codes[1])
    assert told(study, reader)["cay"][1:4] == (0, 0, [])
    code(study, bea, every[-1:], codes[1])
    assert told(study, reader)["cay"][1:4] == (17, 17, every)


def _all(study: Study) -> list[FreeAnswer]:
    return list(answers_to_code(study, counted_sources()))


def test_answers_of_people_who_are_still_at_it_count_as_they_come_and_go(study: Study) -> None:
    people = Participant.objects.filter(pseudonym="p3")
    people.update(status="in_progress", finished_at=None)
    with kept():
        assert told(study)["answers"] == 17
    FreeAnswer.objects.filter(text="p3 page").update(text="")
    people.update(last_seen_at=timezone.now() + timedelta(seconds=1))  # as each answer does
    with kept():
        assert told(study)["answers"] == 16
    FreeAnswer.objects.create(participant=people.get(), name="more", text="p3 more")
    people.update(status="completed", finished_at=timezone.now())
    assert told(study)["answers"] == 17


def test_codes_of_those_who_withdraw_count_no_more(
    study: Study, codes: list[ThemeCode], ada: User
) -> None:
    code(study, ada, ["p2 why", "p3 why"], codes[0])
    with kept():
        told(study, ada)
    withdraw(participant=Participant.objects.get(pseudonym="p2"), at=timezone.now())
    assert told(study)["coders"] == [("A", "ada", 1)]
    assert told(study)["answers"] == 15


def test_comments_are_the_first_of_the_included_raters_on_each_page(study: Study) -> None:
    FreeAnswer.objects.filter(text="p1 page").update(text="")
    quick = Participant.objects.get(pseudonym="p0")
    quick.finished_at = quick.started_at
    quick.save()
    run: AnalysisRun = finished_run(study=study, sources=counted_sources())
    assert not run.rater_quality.get(participant=quick).included
    (block,) = set(
        FreeAnswer.objects.filter(name="page").values_list("presentation__block_id", flat=True)
    )
    rest = [("page", f"{name} page") for name in NAMES[2:-1]]
    assert comments_by_page(run, [block], 3) == {block: rest[:3]}
    assert comments_by_page(run, [block], 100) == {block: rest}


def test_the_api_has_all_answers_page_by_page_in_both_directions(
    study: Study, page: Client
) -> None:
    pages, address = [], f"{API}?limit=4"
    while address:
        answer = page.get(address).json()
        pages.append([row["text"] for row in answer["results"]])
        address, back = answer["next"], answer["previous"]
    in_order = FreeAnswer.objects.order_by("participant_id", "id")
    assert [text for each in pages for text in each] == [each.text for each in in_order]
    before = page.get(back).json()
    assert [row["text"] for row in before["results"]] == pages[-2]
    for wrong in ("x", "1", "1.x", "1.2.3", "-1.1"):
        assert page.get(f"{API}?after={wrong}").status_code == 400
        assert page.get(f"{API}?before={wrong}").status_code == 400
