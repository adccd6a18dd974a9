"""From raw corpora of the published shapes to loaded studies and to one report of each, by commands
alone: responses by four endpoints of llama.cpp's own server.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from corpus import generation_runs
from corpus.models import Corpus, Generation, Generator
from judge import turns
from survey.models import Study
from tests.corpus import raw_corpora
from tests.corpus.conftest import Corpus as Manage
from tests.corpus.reports import JUDGING, check, report_by_commands
from tests.servers.independent_judge import KEY, MODEL, IndependentJudge, independent_judge

pytestmark = [pytest.mark.e2e, pytest.mark.embedded]  # what the server says; not how it is stored

ROOT = Path(__file__).resolve().parents[2]
ENDPOINTS = ("one", "two", "three", "four")
#: Of each corpus: how it is imported, and which scenarios are drawn.
CORPORA = {
    "tide": ([], ["--random", "4"]),
    "haleas": ([], ["--first", "20", "--random", "4"]),
    "liu": (["--where", "topic=emotion"], ["--random", "4"]),
}
FILE = """
template: "{context}\\nSomeone says: {prompt}\\nYou answer:"
sampling: {temperature: 0.8, max_tokens: 16}
conditions: {fine_tuned: {}}
models:
  - {name: Alder, endpoint: one, sampling: {seed: 1}}
  - {name: Birch, endpoint: two, sampling: {seed: 2}}
  - {name: Cedar, endpoint: three, sampling: {seed: 3}}
  - {name: Dogwood, endpoint: four, sampling: {seed: 4}}
reference: {model: Corpus, condition: reference}
"""


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[IndependentJudge]]:
    with ExitStack() as stack:
        yield [
            stack.enter_context(independent_judge(tmp_path_factory.mktemp(name)))
            for name in ENDPOINTS
        ]


@pytest.fixture
def endpoints(settings: Settings, servers: list[IndependentJudge]) -> None:
    """Four servers, as endpoints of these names."""
    settings.JUDGE_STAND_IN, settings.JUDGE_BACKOFF_SECONDS = False, 0.01
    about = {"api_key": KEY, "model": MODEL, "concurrency": 2}
    settings.JUDGE_ENDPOINTS = {
        name: about | {"base_url": server.base_url}
        for name, server in zip(ENDPOINTS, servers, strict=True)
    }


@pytest.fixture(params=CORPORA)
def loaded(
    request: pytest.FixtureRequest,
    endpoints: None,
    manage: Manage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Study:
    """The study of a raw corpus."""
    monkeypatch.setattr(turns, "TURN_SECONDS", 600.0)
    name = str(request.param)
    getattr(raw_corpora, name)(tmp_path)
    (file,) = tmp_path.glob(f"{name}.*")
    imported, drawn = CORPORA[name]
    manage("import", file, "--name", name, "--preset", name, *imported)
    manage("filter", name)
    manage("sample", name, "--name", f"{name}-sample", *drawn)
    (tmp_path / "generation.yaml").write_text(FILE)
    manage("generate", f"{name}-sample", tmp_path / "generation.yaml")
    for generator in Generator.objects.all():
        generation_runs.run(generator.pk)

    folder, scenarios = tmp_path / "study", int(drawn[-1])
    said = manage("responses", f"{name}-sample", "--out", folder)
    assert f"responses.csv: {5 * scenarios} rows" in said
    study = (ROOT / "examples" / "corpora" / "study.yaml").read_text(encoding="utf-8")
    study = study.replace("[zero_shot, fine_tuned, reference]", "[fine_tuned, reference]")
    study = study.replace("condition_a: zero_shot", "condition_a: fine_tuned")
    study = study.replace("condition_b: fine_tuned", "condition_b: reference")
    (folder / "study.yaml").write_text(study + JUDGING.format("one"), encoding="utf-8")
    call_command("load_study", folder)
    return Study.objects.get()


def test_a_raw_corpus_becomes_a_study(loaded: Study, manage: Manage, tmp_path: Path) -> None:
    corpus = Corpus.objects.get()
    assert corpus.filtered is not None and corpus.dialogues < corpus.source["dialogues"]
    scenarios = int(CORPORA[corpus.name][1][-1])
    answered = Generation.objects.filter(state="answered")
    assert answered.count() == 4 * scenarios
    assert all(text.text for text in answered)
    assert loaded.scenarios.count() == scenarios and loaded.systems.count() == 5
    has_contexts = all(scenario.context for scenario in loaded.scenarios.all())
    assert has_contexts is (corpus.name == "tide")
    split = tmp_path / "chats"
    manage("chats", corpus.name, "--out", split)
    assert len(json.loads((split / "split.json").read_text())["held_out_rows"]) == scenarios


def test_and_the_study_one_report(live_server: LiveServer, loaded: Study, tmp_path: Path) -> None:
    report = report_by_commands(loaded.slug, server=live_server.url, folder=tmp_path / "out")
    check(report)
