"""The same options by page, API and command make the same of a corpus; wrong ones make nothing."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.test.client import MULTIPART_CONTENT

from corpus import generation_runs
from corpus.definition import MissingTexts
from corpus.filters import Filters
from corpus.management import generating
from corpus.models import Corpus, Generation, Generator, Sample
from corpus.options import ChatsOptions, ImportOptions, SampleOptions
from dashboard.corpora.forms import FilterForm
from dashboard.corpora.models import CorpusJob
from jobs.leases import to_wake
from jobs.runner import run_job
from survey.models import StudyEvent
from tests.corpus import raw_corpora
from tests.dashboard.conftest import Woken
from tests.dashboard.reading import text_of
from tests.dashboard.test_corpora_pages import GENERATION, corpora, endpoint

# What is said and stored; tests/corpus runs the same work on every database.
pytestmark = pytest.mark.embedded
__all__ = ["corpora", "endpoint"]
WAYS = ("page", "api", "command")
Ask = Callable[..., Any]


def kind_of(route: str) -> str:
    """Files go to the list of corpora, JSON to all others."""
    return MULTIPART_CONTENT if route.endswith("corpora/") else "application/json"


def work() -> None:
    for pk in to_wake(CorpusJob):
        assert run_job(CorpusJob, pk)
        job = CorpusJob.objects.get(pk=pk)
        assert (job.state, job.error) == ("done", "")


@pytest.fixture
def by_page(page: Client, woken: Woken) -> Ask:
    """Sends a form that is taken, and has a worker do it."""

    def ask(address: str, **fields: Any) -> None:
        answer = page.post(address, fields)
        assert answer.status_code == 302, text_of(answer)
        work()

    return ask


@pytest.fixture
def by_api(page: Client, woken: Woken) -> Ask:
    """Sends what is taken, and has a worker do it."""

    def ask(address: str, **sent: Any) -> None:
        answer = page.post(f"/api/{address}", sent, kind_of(address))
        assert answer.status_code in (200, 202), answer.content
        work()

    return ask


def manage(*arguments: object) -> None:
    call_command("corpus", *map(str, arguments), stdout=StringIO(), stderr=StringIO())


@pytest.fixture
def talks(db: None, corpora: Path, tmp_path: Path) -> list[Corpus]:
    """Three of the same corpus, called as the ways to ask."""
    raw_corpora.tide(tmp_path, 30)
    for way in WAYS:
        manage("import", tmp_path / "tide.jsonl", "--name", way, "--preset", "tide")
    return list(Corpus.objects.order_by("id"))


def values_of(found: Any, field: str) -> list[Any]:
    """What the rows called as the ways have in a field."""
    rows = dict(found.objects.filter(name__in=WAYS).values_list("name", field))
    return [rows[way] for way in WAYS]


def test_imports(corpora: Path, tmp_path: Path, by_page: Ask, by_api: Ask) -> None:
    raw_corpora.tide(tmp_path, 30)
    path = tmp_path / "tide.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    value = records[0]["persona"].replace("\n", " ")
    assert value

    def file() -> SimpleUploadedFile:
        return SimpleUploadedFile(path.name, path.read_bytes())

    said = {"preset": "tide", "no_response": "on", "context": "persona\nreference_response"}
    for ask, address, way in ((by_page, "/corpora/", "page"), (by_api, "corpora/", "api")):
        ask(address, name=way, file=file(), where=f"persona={value}", **said)
    columns = ("response=", "context=persona", "context=reference_response")
    manage(
        "import", path, "--name", "command", "--preset", "tide", f"--where=persona={value}",
        *(f"--column={column}" for column in columns),
    )  # fmt: skip
    page, api, command = values_of(Corpus, "source")
    assert page == api == command
    assert command["where"] == {"persona": value} and not command["has_responses"]
    assert command["columns"]["context"] == ["persona", "reference_response"]


def test_filters(talks: list[Corpus], tmp_path: Path, by_page: Ask, by_api: Ask) -> None:
    chosen = {"min_tokens": 3, "same": "prompt", "near": 0.7}
    steps, names = ["width", "blank", "anonymize", "duplicate", "near_duplicate"], "Ada\nBert Ode"
    by_page("/corpora/page/filter/", steps=steps, checked="prompt", names=names, **chosen)
    sent = {"steps": steps[::-1], "checked": ["prompt"], "names": names.split("\n"), **chosen}
    by_api("corpora/api/filters/", **sent)
    (tmp_path / "names.txt").write_text(names)
    manage(
        "filter", "command", "--skip=url", "--skip=emoji", "--skip=short", "--checked=prompt",
        "--min-tokens=3", "--same=prompt", "--near=.7", "--names", tmp_path / "names.txt",
    )  # fmt: skip
    page, api, command = values_of(Corpus, "filtered")
    assert page == api == command
    assert command["filters"]["steps"] == steps and command["filters"]["near"] == 0.7


def test_filters_that_are_not_named_stay_by_api_and_none_may_be_ticked(
    talks: list[Corpus], by_page: Ask, by_api: Ask
) -> None:
    usual = Filters().model_dump(mode="json")
    by_api("corpora/api/filters/", near=0.6, names=["Ada"])
    by_api("corpora/api/filters/", min_tokens=2)
    changed = {"near": 0.6, "names": ["Ada"], "min_tokens": 2}
    filtered = Corpus.objects.get(name="api").filtered
    assert filtered is not None and filtered["filters"] == usual | changed
    corpus = Corpus.objects.get(name="page")
    shown = FilterForm(corpus=corpus).initial
    assert shown["steps"] == Filters().steps and shown["names"] == ""
    by_page("/corpora/page/filter/", checked="prompt", min_tokens=5, same="dialogue", near=0.8)
    corpus.refresh_from_db()
    assert corpus.filtered is not None and corpus.filtered["filters"]["steps"] == []


def test_samples(talks: list[Corpus], by_page: Ask, by_api: Ask) -> None:
    by_page("/corpora/page/sample/", name="page", first=12, random=3)
    by_api("corpora/api/samples/", name="api", first=12, random=3)
    manage("sample", "command", "--name=command", "--first=12", "--random=3")
    page, api, command = values_of(Sample, "drawn")
    assert page == api == command and command["seed"] == 42
    rows = [list(s.scenarios.values_list("row", flat=True)) for s in Sample.objects.all()]
    assert rows[0] == rows[1] == rows[2] and len(rows[0]) == 3


def test_chats(talks: list[Corpus], tmp_path: Path, by_page: Ask, by_api: Ask) -> None:
    said = {"valid": 2, "test": 0.25, "seed": 7, "condition": "brief"}
    file = SimpleUploadedFile("generation.yaml", GENERATION.encode())
    by_page("/corpora/page/chats/", ask_as=file, together="on", **said)
    by_api("corpora/api/chats/", ask_as=GENERATION, together=True, **said)
    (tmp_path / "g.yaml").write_text(GENERATION)
    out, options = tmp_path / "chats", (f"--{name}={value}" for name, value in said.items())
    manage(
        "chats", "command", "--out", out, "--together", "--ask-as", tmp_path / "g.yaml", *options
    )
    page, api = CorpusJob.objects.order_by("id")
    assert page.options == api.options and page.options["together"] is True
    for name in ("train.jsonl", "valid.jsonl", "test.jsonl"):
        written = [job.folder / "files" / name for job in (page, api)]
        assert {path.read_bytes() for path in written} == {(out / name).read_bytes()}


def test_texts(
    talks: list[Corpus], tmp_path: Path, page: Client, endpoint: None, woken: Woken, by_api: Ask
) -> None:
    for way in WAYS:
        manage("sample", way, "--name", way, "--first", 2)
    (tmp_path / "g.yaml").write_text(GENERATION)
    page.post("/samples/page/generate/", {"action": "start", "text": GENERATION})
    by_api("samples/api/generation/", file=GENERATION)
    manage("generate", "command", tmp_path / "g.yaml")
    of_page, of_api, of_command = values_of(Sample, "generation")
    assert of_page == of_api == of_command
    hashes = [
        set(Generator.objects.filter(sample__name=way).values_list("configuration_hash", flat=True))
        for way in WAYS
    ]
    assert hashes[0] == hashes[1] == hashes[2] and len(hashes[0]) == 2
    requested = StudyEvent.objects.filter(action="texts requested")
    assert [event.detail["name"] for event in requested] == ["page", "api"]


def test_api_asks_again_for_texts_that_were_refused(
    talks: list[Corpus], page: Client, endpoint: None, woken: Woken
) -> None:
    manage("sample", "api", "--name", "s", "--first", 2)

    def post(**sent: Any) -> Any:
        answer = page.post("/api/samples/s/generation/", sent, "application/json")
        return sum(system["missing"] for system in answer.json()["systems"])

    assert post(file=GENERATION) == 8
    for generator in Generator.objects.all():
        generation_runs.run(generator.pk)
    text = Generation.objects.all()[0]
    text.attempts.update(outcome="refused")
    Generation.objects.filter(pk=text.pk).update(state="failed", ended="refused", text="")
    assert (post(dry_run=True), post(dry_run=True, retry=True)) == (0, 1)
    assert post() == 0 and Generation.objects.get(pk=text.pk).state == "failed"
    assert post(retry=True) == 1 and Generation.objects.get(pk=text.pk).state == "waiting"


def test_missing_texts(
    talks: list[Corpus], page: Client, woken: Woken, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = {"leave_out": "scenario", "without": ["cut_off", "likely_refusals"]}
    expected = MissingTexts(with_refusals=True, **chosen)  # type: ignore[arg-type]  # literals
    choice = {"choice": expected.model_dump()}
    for way in WAYS:
        manage("sample", way, "--name", way, "--first", 2)
    for path, study, stored in (("responses", "", {}), ("study", "slug: a", {"study": "slug: a"})):
        page.post(f"/samples/page/{path}/", {**chosen, "with_refusals": "on", "text": study})
        sent = {**chosen, "with_refusals": True} | stored
        page.post(f"/api/samples/api/{path}/", sent, "application/json")
        asked = CorpusJob.objects.filter(kind=path)
        assert [job.options for job in asked] == [{**choice, **stored}] * 2
        asked.delete()
    given: list[MissingTexts] = []

    def written(sample: Sample, folder: Path, missing: MissingTexts) -> tuple[Any, Any]:
        given.append(missing)
        return {}, []

    monkeypatch.setattr(generating, "write_responses", written)
    manage(
        "responses", "command", "--out=x", "--leave-out=scenario", "--without=cut_off",
        "--without=likely_refusals", "--with-refusals",
    )  # fmt: skip
    assert given == [expected]


#: By action: its address on pages and in the API, and its command.
ACTIONS = {
    "import": ("/corpora/", "/api/corpora/", ["import", "t.jsonl"]),
    "filter": ("/corpora/page/filter/", "/api/corpora/page/filters/", ["filter", "page"]),
    "sample": ("/corpora/page/sample/", "/api/corpora/page/samples/", ["sample", "page"]),
    "chats": ("/corpora/page/chats/", "/api/corpora/page/chats/", ["chats", "page", "--out=x"]),
}
#: Fields that pages fill in.
FILLED = {"checked": "prompt", "min_tokens": 5, "same": "dialogue", "near": 0.8, "seed": 1}
#: What is said, of which the last option is wrong.
WRONG: list[tuple[str, dict[str, Any]]] = [
    ("import", {"name": "No"}),
    ("import", {"name": "n", "preset": "x"}),
    ("filter", {"min_tokens": 0}),
    ("filter", {"near": 0.2}),
    ("filter", {"same": "x"}),
    ("sample", {"first": 1, "name": "A b"}),
    ("sample", {"name": "s", "first": 0}),
    ("sample", {"name": "s", "first": 1, "seed": -1}),
    ("chats", {"valid": 1.5}),
    ("chats", {"test": -1}),
    ("chats", {"seed": 2**32}),
]


def refused_by_all(page: Client, action: str, said: dict[str, Any]) -> tuple[str, Any, str]:
    """What page, API and command say."""
    address, route, command = ACTIONS[action]

    def file() -> dict[str, SimpleUploadedFile]:
        return {"file": SimpleUploadedFile("t.jsonl", b"{}\n")} if action == "import" else {}

    shown = page.post(address, FILLED | said | file())
    assert shown.status_code == 200
    answer = page.post(route, said | file(), kind_of(route))
    assert answer.status_code == 400
    with pytest.raises(CommandError) as refused:
        manage(*command, *(f"--{key.replace('_', '-')}={value}" for key, value in said.items()))
    return text_of(shown), answer.json(), str(refused.value)


@pytest.mark.parametrize(("action", "said"), WRONG)
def test_what_is_wrong_is_refused_by_all_and_nothing_is_stored(
    action: str, said: dict[str, Any], talks: list[Corpus], page: Client, woken: Woken
) -> None:
    option = list(said)[-1]
    by_page, by_api, by_command = refused_by_all(page, action, said)
    assert "Nothing was changed: see the fields below." in by_page and list(by_api) == [option]
    assert f"--{option.replace('_', '-')}" in by_command
    assert woken == [] and not CorpusJob.objects.exists() and not Sample.objects.exists()
    assert [corpus.filtered for corpus in Corpus.objects.all()] == [None] * 3


def test_draw_of_nothing_is_refused_by_all(talks: list[Corpus], page: Client, woken: Woken) -> None:
    said = "Give the first, a number at random, or both."
    by_page, by_api, by_command = refused_by_all(page, "sample", {"name": "s"})
    assert said in by_page and by_api == {"detail": [said]}
    assert by_command == f"Nothing was changed: {said}"
    assert not CorpusJob.objects.exists() and not Sample.objects.exists()


def test_condition_that_the_file_does_not_have_is_refused_by_all(
    talks: list[Corpus], page: Client, woken: Woken, tmp_path: Path
) -> None:
    said = "condition 'breif' is unknown; did you mean 'brief'?"
    file = SimpleUploadedFile("g.yaml", GENERATION.encode())
    form = {"valid": 0, "test": 0, "seed": 1, "condition": "breif", "ask_as": file}
    assert said in text_of(page.post("/corpora/page/chats/", form))
    sent = {"condition": "breif", "ask_as": GENERATION}
    answer = page.post("/api/corpora/page/chats/", sent, "application/json")
    assert answer.status_code == 400 and answer.json()["condition"][0] == said
    (tmp_path / "g.yaml").write_text(GENERATION)
    with pytest.raises(CommandError, match="condition 'breif' is unknown"):
        manage("chats", "page", "--out=x", "--ask-as", tmp_path / "g.yaml", "--condition=breif")
    assert not CorpusJob.objects.exists()


def test_defaults_are_said_once() -> None:
    assert SampleOptions(name="s", first=1).seed == ChatsOptions().seed == 42
    assert ImportOptions(name="s").columns == []
