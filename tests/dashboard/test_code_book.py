"""Codes added and renamed by page, API and command are stored alike."""

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from analysis.models import ThemeCode
from survey.models import Study, StudyEvent
from tests.dashboard.reading import text_of
from tests.factories import make_study

PAGE, API = "/studies/small/results/themes/codes/", "/api/studies/small/themes/"


@pytest.fixture
def study(db: None) -> Study:
    return make_study()


def themes(action: str, *arguments: str) -> str:
    out = StringIO()
    call_command("themes", action, "small", *arguments, stdout=out)
    return out.getvalue()


def kept() -> tuple[list[Any], list[Any]]:
    """The code book and the log about it; both are emptied."""
    codes, events = ThemeCode.objects.all(), StudyEvent.objects.filter(action__startswith="theme")
    found = (
        list(codes.values_list("name", "definition")),
        list(events.values_list("action", "detail")),
    )
    codes.delete()
    events.delete()
    return found


def test_same_code_is_added_by_page_api_and_command(page: Client, study: Study) -> None:
    given = {"name": " Warm  words ", "definition": " kind "}
    page.post(PAGE, given)
    by_page = kept()
    assert page.post(API, given, content_type="application/json").status_code == 201
    assert kept() == by_page
    themes("add", "--name", given["name"], "--definition", given["definition"])
    assert kept() == by_page
    logged = ("theme added", {"name": "Warm words"})
    assert by_page == ([("Warm words", "kind")], [logged])


def test_same_code_is_renamed_by_page_api_and_command(page: Client, study: Study) -> None:
    new = {"name": "Warmth", "definition": ""}
    surfaces: list[Callable[[ThemeCode], object]] = [
        lambda code: page.post(f"{PAGE}{code.pk}/", new),
        lambda code: page.put(f"{API}codes/{code.pk}/", new, content_type="application/json"),
        lambda code: themes("rename", "--name", "warm", "--to", "Warmth", "--definition", ""),
    ]
    for rename in surfaces:
        rename(ThemeCode.objects.create(study=study, name="Warm", definition="kind"))
        logged = ("theme changed", {"name": "Warmth"})
        assert kept() == ([("Warmth", "")], [logged])


@pytest.mark.parametrize(
    ("given", "about", "why"),
    [
        ({"name": "x" * 61}, "name", "60 characters"),
        ({"name": "warm", "definition": "x" * 1001}, "definition", "1000 characters"),
        ({"name": "a;b"}, "name", "A code can't be called 'a;b'"),
        ({"name": "None"}, "name", "A code can't be called 'None'"),
    ],
)
def test_code_that_cannot_be_is_refused_by_all(
    page: Client, study: Study, given: dict[str, str], about: str, why: str
) -> None:
    said = text_of(page.post(PAGE, given, follow=True))
    assert f"{about.capitalize()}: " in said and why in said and "Nothing was changed." in said
    answer = page.post(API, given, content_type="application/json")
    assert (answer.status_code, list(answer.json())) == (400, [about])
    with pytest.raises(CommandError, match=f"--{about} .*{why}"):
        themes("add", *(part for name, text in given.items() for part in (f"--{name}", text)))
    with pytest.raises(CommandError, match="Give the code a name"):
        themes("add", "--name", " ")
    assert kept() == ([], [])


def test_code_that_is_there_is_refused_by_all(page: Client, study: Study) -> None:
    ThemeCode.objects.create(study=study, name="Warm", definition="")
    why = "The code book already has a code 'Warm'."
    assert why in text_of(page.post(PAGE, {"name": "Warm"}, follow=True))
    answer = page.post(API, {"name": "Warm"}, content_type="application/json")
    assert answer.status_code == 400 and why in answer.json()["detail"]
    with pytest.raises(CommandError, match=why):
        themes("add", "--name", "Warm")
    assert kept() == ([("Warm", "")], [])
