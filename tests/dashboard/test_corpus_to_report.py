"""From a raw corpus to one report with metrics, a judge, the trained scorer and perturbations: by
commands alone, and by what pages and the API ask workers for.
"""

from collections.abc import Callable, Iterator
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.test.client import MULTIPART_CONTENT
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from corpus import generation_runs
from corpus.models import Generator, Sample
from dashboard.corpora.starting import study_file
from dashboard.share.models import Package
from dashboard.share.package_making import pack
from jobs.runner import kinds, run_job
from judge import runs, turns
from tests.corpus import raw_corpora
from tests.corpus.reports import JUDGING, RATERS, check, judge_all, report_by_commands
from tests.dashboard.conftest import Woken
from tests.servers.chat_endpoint import chat_endpoint

# Each step has tests of its own; this one is that they fit together.
pytestmark = pytest.mark.embedded
GENERATION = """\
template: "{context}\\nSomeone says: {prompt}\\nYou answer:"
conditions: {plain: {}, brief: {system: Answer in one sentence.}}
models:
  - {name: Alder, endpoint: lab, served_as: alder}
  - {name: Birch, endpoint: lab, served_as: birch}
reference: {model: People, condition: human}
"""


@pytest.fixture(autouse=True)
def lab(settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """The endpoint of all models, judge included, and a folder of corpora."""
    settings.CORPORA_DIR = tmp_path / "corpora"
    monkeypatch.setattr(turns, "TURN_SECONDS", 600.0)
    settings.JUDGE_STAND_IN = False
    with chat_endpoint() as server:
        settings.JUDGE_ENDPOINTS = {"lab": server.settings()}
        yield


def generate_all() -> None:
    for generator in Generator.objects.all():
        generation_runs.run(generator.pk)


@pytest.mark.slow
def test_by_commands(live_server: LiveServer, db: None, tmp_path: Path) -> None:
    def run(*command: object) -> None:
        call_command(*map(str, command), stdout=StringIO(), stderr=StringIO())

    raw_corpora.tide(tmp_path, 30)
    run("corpus", "import", tmp_path / "tide.jsonl", "--name", "talks", "--preset", "tide")
    run("corpus", "filter", "talks")
    run("corpus", "sample", "talks", "--name", "few", "--random", 4)
    (tmp_path / "generation.yaml").write_text(GENERATION)
    run("corpus", "generate", "few", tmp_path / "generation.yaml")
    generate_all()
    folder = tmp_path / "study"
    run("corpus", "responses", "few", "--out", folder)
    sample = Sample.objects.get()
    definition = sample.read_generation()
    assert definition is not None
    (folder / "study.yaml").write_text(study_file(sample, definition) + JUDGING.format("lab"))
    run("load_study", folder)
    check(report_by_commands("few", server=live_server.url, folder=tmp_path / "out"))


def test_by_pages_and_api(
    live_server: LiveServer,
    page: Client,
    woken: Woken,
    settings: Settings,
    tmp_path: Path,
) -> None:
    settings.SITE_URL, settings.PACKAGES_DIR = live_server.url, tmp_path / "packages"
    settings.PACKAGES_DIR.mkdir()
    workers: dict[str, Callable[[int], Any]] = {
        **{kind.TASK: partial(run_job, kind) for kind in kinds()},
        Package.TASK: partial(
            run_job, Package, work=partial(pack, draw=lambda figures, folder: "")
        ),
        "corpus.generate": generation_runs.run,
        "judge.run": runs.run,
    }

    def post(path: str, **sent: Any) -> Any:
        """Ask for something, and have workers do it."""
        woken.clear()
        kind = MULTIPART_CONTENT if "file" in sent and "name" in sent else "application/json"
        answer = page.post(f"/api/{path}", sent, content_type=kind)
        assert answer.status_code == 202, (path, answer.content)
        for task, row in list(woken):
            workers[task](row)
        return answer.json()

    raw_corpora.tide(tmp_path, 30)
    file = SimpleUploadedFile("tide.jsonl", (tmp_path / "tide.jsonl").read_bytes())
    post("corpora/", name="talks", preset="tide", file=file)
    post("corpora/talks/filters/")
    post("corpora/talks/samples/", name="few", random=4)
    post("samples/few/generation/", file=GENERATION)
    start = page.get("/samples/few/").context["study_form"].initial["text"]
    job = post("samples/few/study/", study=start + JUDGING.format("lab"))
    assert page.get(f"/api/corpora/jobs/{job['id']}/").json()["study"] == "few@1"
    post("studies/few/rehearsal/", participants=RATERS, seed=1)
    post("studies/few/judges/")
    judge_all()
    page.post("/studies/few/results/metrics/compute/")
    post("studies/few/metrics/")
    post("studies/few/scorer/?include=simulated")
    post("studies/few/perturbations/", responses=3, judges=["llama@1"])
    post("studies/few/analysis/?include=simulated")
    zip_id = post("studies/few/packages/?include=simulated")["id"]
    report = page.get(f"/api/studies/few/packages/{zip_id}/files/report.html")
    check(b"".join(report).decode())
