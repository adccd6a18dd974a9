"""Gold scores by page, API and command: files, the choice of a source and draws do the same."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from analysis.models import AnalysisRun
from judge.models import GoldDecision, GoldSet
from survey.models import Study, StudyEvent
from survey.tidy import counted_sources
from tests.dashboard.conftest import Woken
from tests.dashboard.judging import gold_set
from tests.dashboard.reading import text_of

pytestmark = pytest.mark.embedded

PAGE, API = "/studies/small/gold/", "/api/studies/small/gold/"
#: With a name that a mapping file says.
SCORES = b"scenario,set,model,condition,score\nS1,1,Ant,plain,2.5\nS1,1,Ant,tuned,4\n"
MAP = b"gold: {columns: {gold: score}}\n"


@pytest.fixture
def woken(woken: Woken, monkeypatch: pytest.MonkeyPatch) -> Woken:
    """With what a command wakes."""
    monkeypatch.setattr(
        "dashboard.management.gold.wake", lambda task, row: woken.append((task, row))
    )
    return woken


def manage(command: str, *arguments: object) -> str:
    out = StringIO()
    call_command(command, "small", *map(str, arguments), stdout=out, stderr=out)
    return out.getvalue()


def sent(name: str, content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def imported() -> list[Any]:
    """What is stored of the set `mine` and of its import, which are deleted."""
    kept = GoldSet.objects.get(name="mine")
    scores = list(kept.scores.order_by("id").values_list("response", "dimension", "value", "calls"))
    event = StudyEvent.objects.get(action="gold imported")
    kept.delete()
    detail = event.detail
    event.delete()
    return [scores, detail]


def test_same_file_is_taken_by_page_api_and_command(
    page: Client, study: Study, tmp_path: Path
) -> None:
    def files() -> dict[str, Any]:
        return {"name": "mine", "file": sent("s.csv", SCORES), "map": sent("m.yaml", MAP)}

    shown = text_of(page.post(f"{PAGE}upload/", files(), follow=True))
    assert "Imported 2 gold scores as mine." in shown
    by_page = imported()
    answer = page.post(f"{API}files/", files())
    assert (answer.status_code, answer.json()["source"]) == (201, "file mine")
    assert imported() == by_page
    scores, mapping = tmp_path / "s.csv", tmp_path / "m.yaml"
    scores.write_bytes(SCORES)
    mapping.write_bytes(MAP)
    manage("import_gold", "--gold", scores, "--map", mapping, "--name", "mine")
    assert imported() == by_page
    assert [value for *_, value, _ in by_page[0]] == [2.5, 4]


@pytest.mark.parametrize("name", ["_mine", "x" * 61])
def test_name_that_cannot_be_is_refused_by_all(
    page: Client, study: Study, tmp_path: Path, name: str
) -> None:
    def files() -> dict[str, Any]:
        return {"name": name, "file": sent("s.csv", SCORES)}

    said = text_of(page.post(f"{PAGE}upload/", files(), follow=True))
    assert "Name: " in said and "Nothing was changed." in said
    answer = page.post(f"{API}files/", files())
    assert (answer.status_code, list(answer.json())) == (400, ["name"])
    scores = tmp_path / "s.csv"
    scores.write_bytes(SCORES)
    with pytest.raises(CommandError, match="--name"):
        manage("import_gold", "--gold", scores, "--name", name)
    assert not GoldSet.objects.filter(name=name).exists()
    assert not StudyEvent.objects.filter(action="gold imported").exists()


def test_mapping_file_that_is_wrong_is_refused_by_all(
    page: Client, study: Study, tmp_path: Path
) -> None:
    def files() -> dict[str, Any]:
        return {"name": "mine", "file": sent("s.csv", SCORES), "map": sent("m.yaml", b"gold: 3\n")}

    assert "m.yaml, line 1" in text_of(page.post(f"{PAGE}upload/", files(), follow=True))
    answer = page.post(f"{API}files/", files())
    assert (answer.status_code, list(answer.json())) == (400, ["file"])
    scores, mapping = tmp_path / "s.csv", tmp_path / "m.yaml"
    scores.write_bytes(SCORES)
    mapping.write_bytes(b"gold: 3\n")
    with pytest.raises(CommandError, match=r"m\.yaml, line 1"):
        manage("import_gold", "--gold", scores, "--map", mapping, "--name", "mine")
    assert not GoldSet.objects.filter(name="mine").exists()


def test_same_choice_is_stored_by_page_api_and_command(
    page: Client, study: Study, woken: Woken
) -> None:
    gold_set(study, 2, name="low", calls=(2,))
    gold_set(study, 4, name="high", calls=(4,))  # which is gold
    before = set(GoldDecision.objects.values_list("pk", flat=True))
    by: dict[str, Callable[[], object]] = {
        "on the page of judges": lambda: page.post(
            f"{PAGE}choose/?include=simulated", {"source": "low"}
        ),
        "by the API": lambda: page.post(f"{API}?include=simulated", {"source": "low"}),
        "by a command": lambda: manage("gold", "low", "--include", "simulated"),
    }
    for where, choose in by.items():
        choose()
        made = GoldDecision.objects.exclude(pk__in=before).get()
        author = None if where == "by a command" else "ada"
        assert made.why == f"chosen {where}"
        assert (made.author.username if made.author else None) == author
        assert str(made.gold_set) == "low (imported)"
        run = AnalysisRun.objects.get(state="waiting")
        assert run.sources == counted_sources(["simulated"])
        event = StudyEvent.objects.get(action="gold")
        assert event.detail == {"name": "file low"}
        for row in (made, run, event):
            row.delete()
    assert [task for task, _ in woken] == ["analysis.run"] * 3


def test_source_that_is_none_is_refused_by_all(page: Client, study: Study, woken: Woken) -> None:
    n, why = GoldDecision.objects.count(), "is no source of gold scores of small@1"
    assert why in text_of(page.post(f"{PAGE}choose/", {"source": "lwo"}, follow=True))
    answer = page.post(API, {"source": "lwo"})
    assert answer.status_code == 400 and why in answer.content.decode()
    with pytest.raises(CommandError, match=why):
        manage("gold", "lwo")
    assert GoldDecision.objects.count() == n and woken == []


@pytest.mark.parametrize("option", [{"n": 0}, {"n": 10**6 + 1}, {"seed": -1}, {"seed": 2**63}])
def test_draw_that_cannot_be_is_refused_by_all(
    page: Client, study: Study, tmp_path: Path, option: dict[str, int]
) -> None:
    ((name, value),) = option.items()
    out = tmp_path / "drawn.csv"
    shown = text_of(page.get(f"{PAGE}drawn.csv", option, follow=True))
    assert f"{name.capitalize()}: " in shown
    answer = page.get(f"{API}drawn.csv", option)
    assert (answer.status_code, list(answer.json())) == (400, [name])
    with pytest.raises(CommandError, match=f"--{name}"):
        manage("draw_responses", f"--{name}", value, "--out", out)
    assert not out.exists()


def test_draw_has_its_defaults_where_nothing_is_said(
    page: Client, study: Study, tmp_path: Path
) -> None:
    out = tmp_path / "drawn.csv"
    manage("draw_responses", "--out", out)
    for address in (f"{PAGE}drawn.csv?n=&seed=", f"{API}drawn.csv", f"{API}drawn.csv?n=&seed=42"):
        content = b"".join(page.get(address).streaming_content)  # type: ignore[attr-defined]
        assert content.decode("utf-8-sig") == out.read_text(), address
