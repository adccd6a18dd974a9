"""Corpora by API: the same work as on pages, up to a loaded study."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.test.client import MULTIPART_CONTENT
from pytest_django.fixtures import Settings

from corpus import generation_runs
from corpus.dialogues import layout_of
from corpus.models import Corpus, Generation, Generator, Sample
from corpus.store import draw_sample, import_corpus
from dashboard.accounts.tokens import create_token
from dashboard.corpora.models import CorpusJob
from jobs.leases import to_wake
from jobs.runner import run_job
from judge import turns
from survey.models import Study
from tests.corpus import raw_corpora
from tests.dashboard.conftest import Woken
from tests.dashboard.test_corpora_pages import GENERATION
from tests.servers.faulty_judge import faulty_judge
from tests.servers.judge_faults import Plan

# What is said and stored; tests/corpus runs the same work on every database.
pytestmark = pytest.mark.embedded


@pytest.fixture
def endpoint(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(turns, "TURN_SECONDS", 600.0)
    settings.CORPORA_DIR = tmp_path / "corpora"
    settings.JUDGE_STAND_IN, settings.JUDGE_BACKOFF_SECONDS = False, 0.01
    with faulty_judge(Plan()) as server:
        about = {"base_url": server.base_url, "api_key": "", "model": "own", "concurrency": 2}
        settings.JUDGE_ENDPOINTS = {"one": about}
        yield


def test_a_corpus_becomes_a_study(
    page: Client, endpoint: None, woken: Woken, tmp_path: Path
) -> None:
    def post(path: str, status: int = 202, **sent: Any) -> Any:
        answer = page.post(f"/api/{path}", sent, content_type="application/json")
        assert answer.status_code == status, answer.content
        return answer.json()

    def done(asked: Any) -> Any:
        assert asked["state"] == "waiting" and woken[-1] == ("dashboard.corpus", asked["id"])
        run_job(CorpusJob, asked["id"])
        now = page.get(f"/api/corpora/jobs/{asked['id']}/").json()
        assert (now["state"], now["error"]) == ("done", "")
        return now

    def get(path: str) -> Any:
        answer = page.get(f"/api/{path}")
        assert answer.status_code == 200
        return answer.json()

    raw_corpora.tide(tmp_path, 30)
    file = SimpleUploadedFile("tide.jsonl", (tmp_path / "tide.jsonl").read_bytes())
    answer = page.post("/api/corpora/", {"name": "talks", "file": file, "preset": "tide"})
    assert answer.status_code == 202, answer.content
    done(answer.json())
    done(post("corpora/talks/filters/", steps=["blank", "duplicate"], names=["Ada"]))
    corpus = get("corpora/talks/")
    assert [step["step"] for step in corpus["steps"]] == ["blank", "duplicate"]
    assert corpus["dialogues"] == corpus["steps"][-1]["left"] < corpus["imported"]
    assert corpus["filters"]["names"] == ["Ada"] and "removed.csv" in corpus["files"]
    assert [row["name"] for row in get("corpora/")["results"]] == ["talks"]
    for name in ("removed.csv", "raw.jsonl"):
        assert page.get(f"/api/corpora/talks/{name}").status_code == 200
    done(post("corpora/talks/samples/", name="six", random=2))
    assert [row["scenarios"] for row in get("corpora/talks/samples/")["results"]] == [2]
    assert [row["name"] for row in get("samples/six/scenarios/")["results"]] == ["S1", "S2"]
    chats = done(post("corpora/talks/chats/", test=3, ask_as=GENERATION, condition="brief"))
    sent = b"".join(page.get(chats["files"][0]["url"]))
    assert b"Answer in one sentence." in sent and sent.count(b"\n") == chats["files"][0]["rows"]

    plan = post("samples/six/generation/", status=200, file=GENERATION, dry_run=True)
    assert not plan["is_queued"] and plan["cost"] > 0 and not Generation.objects.exists()
    assert [each["missing"] for each in plan["systems"]] == [2, 2, 2, 2]
    assert post("samples/six/generation/", file=GENERATION)["is_queued"]
    stopped = post("samples/six/stop/", status=200)["progress"]["stopped"]
    assert stopped == ["ada stopped it"]
    post("samples/six/generation/")
    for generator in Generator.objects.all():
        generation_runs.run(generator.pk)
    now = get("samples/six/generation/")
    assert now["progress"]["answered"] == now["progress"]["total"] == 8
    assert now["progress"]["spent"]["requests"] == 8 and "Alder" in now["file"]
    files = done(post("samples/six/responses/"))["files"]
    assert [file["rows"] for file in files] == [10, 8]
    study = page.get("/samples/six/").context["study_form"].initial["text"]
    assert done(post("samples/six/study/", study=study))["study"] == str(Study.objects.get())

    kept = page.delete("/api/samples/six/")
    assert (kept.status_code, "8 generated texts" in kept.json()["detail"]) == (400, True)
    assert page.delete("/api/corpora/talks/").status_code == 400
    assert page.delete("/api/samples/six/?texts=true").status_code == 204
    assert page.delete("/api/corpora/talks/").status_code == 204
    assert not Corpus.objects.exists() and not Sample.objects.exists()


def test_sample_stays_where_it_is_unclear_whether_its_texts_are_to_go(
    page: Client, endpoint: None, tmp_path: Path
) -> None:
    (tmp_path / "talks.csv").write_text("prompt,response\nI can't sleep.,That is hard.\n")
    layout = layout_of("", [], {})
    draw_sample(
        import_corpus(tmp_path / "talks.csv", "talks", layout),
        "six",
        first=1,
        at_random=None,
        seed=1,
    )
    unclear = page.delete("/api/samples/six/?texts=yes")
    assert (unclear.status_code, unclear.json()) == (
        400,
        {"texts": ["texts takes true, false, not 'yes'."]},
    )
    assert Sample.objects.exists()


def test_bad_input_changes_nothing(
    page: Client, endpoint: None, woken: Woken, tmp_path: Path
) -> None:
    def refused(path: str, **sent: Any) -> Any:
        as_form = path == "corpora/"
        kind = MULTIPART_CONTENT if as_form else "application/json"
        answer = page.post(f"/api/{path}", sent, content_type=kind)
        assert answer.status_code == 400, answer.content
        return answer.json()

    text = SimpleUploadedFile("a.txt", b"x")
    assert "ends with one of" in refused("corpora/", name="t", file=text)["detail"]

    def lines() -> SimpleUploadedFile:
        return SimpleUploadedFile("t.jsonl", b'{"prompt": "a b c d e f g"}\n')

    assert set(refused("corpora/", name="t", file=lines(), preset="x")) == {"preset"}
    assert set(refused("corpora/", name="No", file=lines(), where="a")) == {"name", "where"}
    unknown = refused("corpora/", name="t", file=lines(), responce="a")
    assert unknown["responce"][0].startswith(
        "There is no field 'responce' here; there are file, name, "
    )
    page.post("/api/corpora/", {"name": "t", "file": lines()})
    assert "is being worked on" in refused("corpora/", name="t", file=lines())["detail"]
    run_job(CorpusJob, *to_wake(CorpusJob))
    assert "steps" in refused("corpora/t/filters/", steps=["spam"])
    assert "near" in refused("corpora/t/filters/", near=2)
    assert "detail" in refused("corpora/t/samples/", name="s")
    assert "valid" in refused("corpora/t/chats/", valid=1.5)
    assert "ask_as" in refused("corpora/t/chats/", ask_as="conditions: {}")
    asked = page.post("/api/corpora/t/samples/", {"name": "s", "first": 1}, "application/json")
    run_job(CorpusJob, asked.json()["id"])
    generation = "samples/s/generation/"
    assert "has no generation file yet" in refused(generation)["detail"]
    bad = {"{context}": "{persona}", "endpoint: one": "endpoint: two"}
    said = [refused(generation, file=GENERATION.replace(*pair)) for pair in bad.items()]
    assert "generation.yaml, line 1" in said[0]["file"][0] and "'persona'" in said[0]["file"][0]
    assert "generation.yaml: endpoint of model 'Alder': the endpoint" in said[1]["detail"]
    assert not Generator.objects.exists() and Sample.objects.get().generation == ""
    for path in ("corpora/none/", "samples/none/", "corpora/jobs/99/", "corpora/t/none.csv"):
        assert page.get(f"/api/{path}").status_code == 404


def test_a_token_for_some_studies_does_not_reach_corpora(
    researcher: User, endpoint: None, study: Study
) -> None:
    for studies, status in (([], 200), (["small"], 403)):
        key = create_token(user=researcher, name="x", studies=studies, expires_at=None)
        by_token = Client(headers={"authorization": f"Token {key}"})
        assert by_token.get("/api/corpora/").status_code == status
