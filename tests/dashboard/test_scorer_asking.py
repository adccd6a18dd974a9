"""A scorer asked for by page, API and command is stored alike."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from analysis.models import Scorer
from survey.models import Study, StudyEvent
from survey.tidy import counted_sources
from tests.dashboard.conftest import Woken, likes_tuned
from tests.dashboard.reading import text_of
from tests.factories import add_participant, make_study

PAGE, API = "/studies/small/results/scorer/train/", "/api/studies/small/scorer/"
RATED = "text,rating,scenario,mood\n" + "".join(
    f"words {n},{n % 5 + 1},T{n % 4},glad\n" for n in range(20)
)
IGNORED = "line 1: column 'mood' is ignored"


@pytest.fixture
def study(db: None) -> Study:
    study = make_study(scenarios=["S1", "S2", "S3", "S4"])
    for name in ("ann", "ben"):
        add_participant(study, pseudonym=name, rate=likes_tuned)
    return study


def sent(content: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("rated.csv", content.encode())


def scorer(*arguments: object) -> str:
    out = StringIO()
    call_command("scorer", "train", "small", *map(str, arguments), stdout=out, stderr=out)
    return out.getvalue()


def asked() -> tuple[dict[str, Any], list[str], Any, str | None]:
    """What is stored of a request; it is deleted."""
    stored = Scorer.objects.get()
    author = stored.author.username if stored.author else None
    kept = (stored.options, stored.sources, stored.given, author)
    stored.delete()
    return kept


def test_same_options_are_stored_by_page_api_and_command(
    page: Client, study: Study, woken: Woken
) -> None:
    options = {"head": "linear", "confidence": 0.9, "seed": 7}
    page.post(PAGE, options)
    by_page = asked()
    assert page.post(API, options, content_type="application/json").status_code == 202
    by_api = asked()
    scorer("--head", "linear", "--confidence", 0.9, "--seed", 7)
    by_command = asked()
    assert by_page == by_api
    assert by_page[0] == options | {"folder": "", "endpoint": "", "model": "", "file": ""}
    assert by_command == (*by_page[:3], None) and by_page[3] == "ada"
    assert by_page[1] == counted_sources() and by_page[2] is None
    assert [name for name, _ in woken] == ["analysis.scorer"] * 2, "a command computes itself"
    authors = StudyEvent.objects.filter(action="scorer requested").values_list("author__username")
    assert list(authors) == [("ada",), ("ada",), (None,)]


def test_another_scorer_waits_until_the_one_under_way_is_trained(
    page: Client, study: Study, woken: Woken
) -> None:
    for _ in range(2):
        page.post(PAGE, {"head": "linear"})
    assert "is under way, with other options" in text_of(
        page.post(PAGE, {"head": "ridge"}, follow=True)
    )
    answer = page.post(API, {"head": "linear", "ratings": sent(RATED)})
    assert answer.status_code == 400 and "with other options" in answer.content.decode()
    with pytest.raises(CommandError, match="with other options"):
        scorer("--head", "ridge")
    assert asked()[0]["head"] == "linear"


def test_file_is_read_alike_and_all_say_what_it_has_beside(
    page: Client, study: Study, woken: Woken, tmp_path: Path
) -> None:
    said = text_of(page.post(PAGE, {"ratings": sent(RATED)}, follow=True))
    assert f"Note: rated.csv, {IGNORED}" in said
    by_page = asked()
    answer = page.post(API, {"ratings": sent(RATED)}, format="multipart")
    assert answer.json()["notices"] == [f"rated.csv, {IGNORED}"]
    assert asked() == by_page
    path = tmp_path / "rated.csv"
    path.write_text(RATED)
    assert f"Note: {path}, {IGNORED}" in scorer("--ratings", path)
    stored = Scorer.objects.get()
    assert (stored.options, stored.sources) == by_page[:2]
    assert by_page[0]["file"] == "rated.csv" and len(by_page[2]) == 20
    assert "the file rated.csv" in stored.card


@pytest.mark.parametrize(
    ("option", "value"), [("confidence", 1), ("confidence", 0.4), ("seed", -1), ("head", "best")]
)
def test_what_cannot_be_is_refused_by_all_and_nothing_is_stored(
    page: Client, study: Study, woken: Woken, option: str, value: object
) -> None:
    said = text_of(page.post(PAGE, {option: value}, follow=True))
    assert f"{option.capitalize()}: " in said and "Nothing was changed." in said
    answer = page.post(API, {option: value}, content_type="application/json")
    assert answer.status_code == 400 and list(answer.json()) == [option]
    with pytest.raises(CommandError, match=f"--{option}"):
        scorer(f"--{option}", value)
    assert not Scorer.objects.exists() and woken == []
    assert not StudyEvent.objects.filter(action="scorer requested").exists()


def test_file_that_teaches_nothing_is_refused_by_all(
    page: Client, study: Study, woken: Woken, tmp_path: Path
) -> None:
    bad = "text,rating\na,high\n"
    why = "rated.csv, line 2: column 'rating': 'high' is not a number"
    assert why in text_of(page.post(PAGE, {"ratings": sent(bad)}, follow=True))
    answer = page.post(API, {"ratings": sent(bad)})
    assert (answer.status_code, why in answer.content.decode()) == (400, True)
    path = tmp_path / "rated.csv"
    path.write_text(bad)
    with pytest.raises(CommandError, match="'high' is not a number"):
        scorer("--ratings", path)
    assert not Scorer.objects.exists() and woken == []


def test_page_offers_all_options(page: Client, study: Study, woken: Woken) -> None:
    shown = page.get("/studies/small/results/scorer/").content.decode()
    assert User.objects.filter(username="ada").exists()
    for label in ("Head", "Confidence", "Seed", "Rated texts (optional file)"):
        assert label in shown


def test_text_is_scored_only_by_a_trained_scorer(page: Client, study: Study, woken: Woken) -> None:
    why = "small@1 has no trained scorer"
    assert why in text_of(
        page.post("/studies/small/results/scorer/text/", {"text": "a"}, follow=True)
    )
    answer = page.post(f"{API}texts/", {"text": "a"})
    assert answer.status_code == 400 and why in answer.json()["detail"]
    with pytest.raises(CommandError, match=why):
        call_command("scorer", "score", "small", "--text", "a", stdout=StringIO())
    assert woken == []
