"""Corpora on pages: imported, filtered, sampled and answered by workers, up to a loaded study."""

import codecs
import json
import resource
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fastparquet
import numpy as np
import pandas as pd
import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django.fixtures import Settings

from config.bodies import LARGEST_UPLOAD
from corpus import generation_runs
from corpus.definition import GenerationDefinition
from corpus.models import Corpus, Generation, Generator, Sample
from dashboard.corpora import asking, making
from dashboard.corpora.models import CorpusJob
from dashboard.corpora.starting import study_file
from dashboard.shared.models import Membership
from dashboard.shared.roles import Role
from jobs.leases import to_wake
from jobs.runner import run_job
from judge import turns
from survey.models import Study, StudyEvent
from tests.corpus import raw_corpora
from tests.dashboard.conftest import Woken
from tests.dashboard.reading import text_of
from tests.jobs.losing import lost_before_it_is_stored
from tests.servers.faulty_judge import faulty_judge
from tests.servers.judge_faults import Plan

# Pages of the corpora; tests/corpus runs the same work on every database.
pytestmark = pytest.mark.embedded
GENERATION = """\
template: "Context: {context}\\nPatient: {prompt}\\nTherapist:"
sampling: {max_tokens: 60}
conditions: {plain: {}, brief: {system: Answer in one sentence.}}
models:
  - {name: Alder, endpoint: one, served_as: alder, price: {input: 1, output: 2}}
  - {name: Birch, endpoint: one, served_as: birch}
reference: {model: People, condition: human}
budget: {requests: 50}
"""


@pytest.fixture
def corpora(settings: Settings, tmp_path: Path) -> Path:
    settings.CORPORA_DIR = tmp_path / "corpora"
    return Path(settings.CORPORA_DIR)


@pytest.fixture
def endpoint(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(turns, "TURN_SECONDS", 600.0)
    settings.JUDGE_STAND_IN, settings.JUDGE_BACKOFF_SECONDS = False, 0.01
    with faulty_judge(Plan()) as server:
        about = {"base_url": server.base_url, "api_key": "", "model": "own", "concurrency": 2}
        settings.JUDGE_ENDPOINTS = {"one": about}
        yield


def upload(path: Path, content: bytes | None = None) -> SimpleUploadedFile:
    return SimpleUploadedFile(path.name, path.read_bytes() if content is None else content)


def work() -> list[CorpusJob]:
    """What a worker does with all that waits."""
    waiting = to_wake(CorpusJob)
    assert all(run_job(CorpusJob, pk) for pk in waiting)
    return [CorpusJob.objects.get(pk=pk) for pk in waiting]


@pytest.fixture
def sent(page: Client, corpora: Path, woken: Woken) -> Callable[..., str]:
    """Sends a form that is taken, has a worker do it, and returns the page that it leads to."""

    def send(address: str, **fields: Any) -> str:
        answer = page.post(address, fields)
        assert answer.status_code == 302, text_of(answer)
        work()
        return text_of(page.get(answer["Location"]))

    return send


@pytest.fixture
def six(sent: Callable[..., str], tmp_path: Path) -> Sample:
    """A sample of a filtered corpus."""
    raw_corpora.tide(tmp_path, 30)
    sent("/corpora/", name="talks", file=upload(tmp_path / "tide.jsonl"), preset="tide")
    filters = {"steps": ["width", "blank", "anonymize", "url", "emoji", "short", "duplicate"]}
    more = {"checked": ["prompt", "response"], "min_tokens": 5, "same": "dialogue", "near": 0.8}
    sent("/corpora/talks/filter/", **filters, **more)
    sent("/corpora/talks/sample/", name="six", random=2, seed=42)
    return Sample.objects.get()


def test_a_corpus_is_imported_filtered_and_downloaded(
    page: Client, six: Sample, sent: Callable[..., str], corpora: Path
) -> None:
    corpus = six.corpus
    shown = text_of(page.get("/corpora/talks/"))
    assert corpus.filtered is not None
    assert f"{corpus.dialogues} dialogues" in shown and "Remove duplicates" in shown
    steps = {row["step"]: row for row in corpus.filtered["steps"]}
    assert "near_duplicate" not in steps and steps["duplicate"]["removed"] > 0
    assert "talks" in text_of(page.get("/corpora/"))
    for file in ("corpus.jsonl", "removed.csv", "anonymized.csv", "steps.csv", "raw.jsonl"):
        got = page.get(f"/corpora/talks/{file}")
        mark = codecs.BOM_UTF8 if file.endswith(".csv") else b""
        content = (corpora / "talks" / file).read_bytes()
        assert b"".join(got) == mark + content
        assert page.get(f"/api/corpora/talks/{file}").getvalue() == content
        assert got["Content-Disposition"] == f'attachment; filename="talks-{file}"'
    assert page.get("/corpora/talks/split.json").status_code == 404
    assert {job.state for job in CorpusJob.objects.all()} == {"done"}
    # Uploads and what was asked for leave nothing beside the corpus.
    assert not any(path.is_file() for path in corpora.rglob(".job-*/upload*"))
    assert "Import of a corpus requested: talks" in text_of(page.get("/account/activity/"))


def test_chats_are_written_and_replaced(
    page: Client, six: Sample, sent: Callable[..., str], corpora: Path
) -> None:
    for seed in (1, 2):
        shown = sent("/corpora/talks/chats/", valid=2, test=0.25, seed=seed)
    job = CorpusJob.objects.get(kind="chats")
    assert "2 dialogues are scenarios of samples" in shown and job.files["valid.jsonl"] == 2
    got = page.get(f"/corpora/jobs/{job.pk}/valid.jsonl")
    chats = [json.loads(line) for line in b"".join(got).splitlines()]
    assert [each["messages"][-1]["role"] for each in chats] == ["assistant", "assistant"]
    assert page.get(f"/corpora/jobs/{job.pk}/raw.jsonl").status_code == 404
    (corpora / ".job-999").mkdir()  # a process that was killed left it
    asking.remove_leftovers()
    assert (corpora / f".job-{job.pk}").is_dir() and not (corpora / ".job-999").exists()


def test_texts_are_planned_generated_stopped_continued_and_become_a_study(
    page: Client, six: Sample, sent: Callable[..., str], endpoint: None, woken: Woken
) -> None:
    start = page.get("/samples/six/").context["generation_form"].initial["text"]
    plan = page.post("/samples/six/generate/", {"action": "plan", "text": start})
    assert "2 texts would be asked for" in text_of(plan), "the file that is filled in can be asked"
    plan = page.post("/samples/six/generate/", {"action": "plan", "text": GENERATION})
    said = text_of(plan)
    assert "8 texts would be asked for, for about 0.0" in said and "Budget: 50 requests" in said
    assert "the unknown cost of models without a price" in said
    assert not Generation.objects.exists() and not Sample.objects.get().generation
    assert page.get("/samples/six/").status_code == 200

    page.post("/samples/six/generate/", {"action": "start", "text": GENERATION})
    assert {task for task, _ in woken[-2:]} == {"corpus.generate"}
    page.post("/samples/six/stop/")
    assert "Stopped: ada stopped it" in text_of(page.get("/samples/six/"))
    assert "0 of 8 texts" in text_of(page.get("/samples/six/state/"))
    page.post("/samples/six/generate/", {"action": "continue"})
    for generator in Generator.objects.all():
        generation_runs.run(generator.pk)
    state = page.get("/samples/six/state/")
    assert "8 of 8 texts generated" in text_of(state) and state["X-Finished"] == "1"

    shown = sent("/samples/six/responses/")
    assert "responses.csv (10 rows), generations.csv (8 rows)" in shown
    job = CorpusJob.objects.get(kind="responses")
    got = page.get(f"/corpora/jobs/{job.pk}/responses.csv")
    assert b"".join(got).count(b",People,human,") == 2

    study = str(page.get("/samples/six/").context["study_form"].initial["text"])
    assert "slug: six" in study and "condition_b: brief" in study
    Membership.objects.create(slug="mine", user=User.objects.get(username="ada"), role="viewer")
    User.objects.filter(username="ada").update(is_superuser=False)
    Membership.objects.filter(slug="mine").update(role=Role.EDITOR)
    shown = sent("/samples/six/study/", text=study)
    loaded = Study.objects.get()
    assert loaded.systems.count() == 5 and loaded.state == "draft"
    assert "six@1 is a draft." in shown and str(loaded) == "six@1"
    assert Membership.objects.get(slug="six").role == Role.OWNER
    assert StudyEvent.objects.filter(study=loaded, action="loaded from sample").exists()
    # The same again changes nothing; of someone else's study it is refused.
    assert "six@1 is unchanged." in sent("/samples/six/study/", text=study)
    Membership.objects.filter(slug="six").delete()
    shown = sent("/samples/six/study/", text=study)
    assert "there is a study 'six' that you may not change" in shown
    shown = sent("/samples/six/study/", text=study.replace("condition_b", "condition_c"))
    assert "study.yaml, line" in shown and "condition_c: unknown key" in shown
    assert "condition_c" in page.get("/samples/six/").context["study_form"].initial["text"]
    failed = CorpusJob.objects.get(kind="study")
    dismissed = page.post(f"/corpora/jobs/{failed.pk}/dismiss/")
    assert dismissed["Location"] == "/samples/six/" and "failed" not in text_of(
        page.get("/samples/six/")
    )

    for content in (b"\xff\xfe", b"a: \x00", b"- 1"):
        file = SimpleUploadedFile("mine.yaml", content)
        assert "mine.yaml" in text_of(page.post("/samples/six/study/", {"file": file}))
    refused = text_of(page.post("/samples/six/delete/", {"confirmed": "on"}, follow=True))
    assert "sample six has 8 generated texts" in refused
    page.post("/samples/six/delete/", {"confirmed": "on", "with_texts": "on"})
    assert not Sample.objects.exists() and not Generation.objects.exists()


def test_texts_that_were_refused_are_asked_for_again_and_left_out_on_request_alone(
    page: Client, six: Sample, sent: Callable[..., str], endpoint: None
) -> None:
    page.post("/samples/six/generate/", {"action": "start", "text": GENERATION})
    for generator in Generator.objects.all():
        generation_runs.run(generator.pk)
    text = Generation.objects.filter(generator__model="birch")[0]
    text.attempts.update(outcome="refused")
    Generation.objects.filter(pk=text.pk).update(state="failed", ended="refused", text="")
    shown = text_of(page.get("/samples/six/"))
    assert "Ask again Texts that only this button asks for again: 1 refused." in shown
    assert "Continue" not in shown

    study = str(page.get("/samples/six/").context["study_form"].initial["text"])
    choice = {"leave_out": "text", "without": ["likely_refusals"], "with_refusals": "on"}
    sent("/samples/six/study/", text=f"{study}\nno_key: 1\n", **choice)
    form = page.get("/samples/six/").context["study_form"]
    assert form["leave_out"].value() == "text"
    assert form["without"].value() == ["likely_refusals"] and form["with_refusals"].value()
    sent("/samples/six/study/", text=study, leave_out="text")
    assert Study.objects.get().systems.count() == 5

    plan = text_of(page.post("/samples/six/generate/", {"action": "plan", "text": GENERATION}))
    assert "0 texts would be asked for, but not those that ended without a text (1 refused)" in plan
    page.post("/samples/six/generate/", {"action": "start", "text": GENERATION})
    assert Generation.objects.get(pk=text.pk).state == "failed"
    page.post("/samples/six/generate/", {"action": "retry"})
    assert Generation.objects.get(pk=text.pk).state == "waiting"


def test_the_study_that_is_filled_in_fits_its_responses(six: Sample) -> None:
    models = [{"name": f"M{n}"} for n in range(4)]
    people = {"model": "People", "condition": "human"}
    for conditions, is_limited in (("a", False), ("ab", True)):
        asked = GenerationDefinition.model_validate(
            {"conditions": {c: {} for c in conditions}, "models": models, "reference": people}
        )
        assert ("systems_per_page: 4" in study_file(six, asked)) is is_limited


BAD = {
    "column": (b"text,response\na b c,d\n", {}, "bad.csv: column 'prompt' is unknown"),
    "parquet": (b"PAR1 no", {"prompt": "p"}, "bad.parquet: its rows after 0 can't be read"),
    "cells": (b"prompt\na\nb,c\n", {}, "bad.csv, line 3: 2 cells where the header has 1"),
    "preset": (b'{"prompt": "a"}\n', {"preset": "liu"}, "bad.jsonl: column 'messages'"),
    "encoding": (b"prompt\n\xff\n", {}, "bad.csv, line 2, column 1: byte 0xff is not UTF-8"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_cannot_be_read_is_refused_in_one_line(
    name: str, page: Client, sent: Callable[..., str], corpora: Path
) -> None:
    content, options, said = BAD[name]
    file = SimpleUploadedFile(said.partition(":")[0].partition(",")[0], content)
    shown = sent("/corpora/", name="bad", file=file, **options)
    assert said in shown and "Nothing was changed." in shown
    job = CorpusJob.objects.get()
    assert "\n" not in job.error and str(corpora) not in job.error
    assert not Corpus.objects.exists() and not job.upload.exists()
    page.post(f"/corpora/jobs/{job.pk}/dismiss/")
    assert "failed" not in text_of(page.get("/corpora/"))


@pytest.mark.skipif(sys.platform != "linux", reason="the system keeps no such limit")
def test_a_small_file_that_unpacks_to_much_takes_no_more_memory_than_is_allowed(
    page: Client, sent: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "IMPORT_MEMORY", 100_000_000)
    path = tmp_path / "bomb.parquet"
    words = pd.Categorical.from_codes(
        np.zeros(40_000_000, dtype=np.int8), pd.Index(["the same words"])
    )
    fastparquet.write(str(path), pd.DataFrame({"prompt": words}), compression="GZIP")
    assert path.stat().st_size < 1_000_000
    shown = sent("/corpora/", name="bomb", file=upload(path))
    assert "reading bomb.parquet takes more than 100 MB of memory; give less at a time" in shown
    assert not Corpus.objects.exists()
    assert resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY


def test_bad_forms_change_nothing(
    page: Client, six: Sample, endpoint: None, woken: Woken, settings: Settings
) -> None:
    def told(address: str, **fields: Any) -> str:
        return text_of(page.post(address, fields))

    woken.clear()
    too_large = page.post("/corpora/", CONTENT_LENGTH=str(LARGEST_UPLOAD + 1))
    assert (too_large.status_code, "50 MB" in text_of(too_large)) == (413, True)
    file = {"file": SimpleUploadedFile("a.txt", b"x")}
    assert "ends with one of .csv, .tsv" in told("/corpora/", name="other", **file)
    file = {"file": SimpleUploadedFile("a.csv", b"x")}
    assert "there is a corpus 'talks' already" in told("/corpora/", name="talks", **file)
    assert "Select a valid choice. tyde" in told("/corpora/", name="x", preset="tyde", **file)
    assert "'topic' is not COLUMN=VALUE" in told("/corpora/", name="x", where="topic", **file)
    assert "Use small letters" in told("/corpora/", name="No Name", **file)
    assert "there is a sample 'six' already" in told(
        "/corpora/talks/sample/", name="six", first=2, seed=1
    )
    assert "Give the first, a number at" in told("/corpora/talks/sample/", name="new", seed=1)
    assert "less than or equal to 1" in told("/corpora/talks/filter/", near=2)
    assert "1.5 is neither a share" in told("/corpora/talks/chats/", valid=1.5, test=0, seed=1)
    for text, said in (
        (GENERATION.replace("{context}", "{persona}"), "field 'persona' is unknown"),
        (GENERATION.replace("one,", "two,"), "generation.yaml: endpoint of model 'Alder': the"),
        (GENERATION + "replicate: 2\n", "replicate: unknown key; did you mean 'replicates'?"),
        ("", "Choose a file or give its text."),
    ):
        for action in ("plan", "start"):
            assert said in told("/samples/six/generate/", action=action, text=text)
    empty = {"text": "", "file": SimpleUploadedFile("mine.yaml", b"")}
    for given in ({"text": ""}, {"text": "a\0b"}, {"text": "x" * 1_000_001}, empty):
        assert page.post("/samples/six/study/", given).status_code == 200
    assert "Tick the box to delete it." in told("/corpora/talks/delete/")
    assert page.get("/corpora/none/").status_code == page.get("/samples/none/").status_code == 404
    assert not Generator.objects.exists() and woken == []
    assert set(Corpus.objects.values_list("name", flat=True)) == {"talks"}
    kept = text_of(page.post("/corpora/talks/delete/", {"confirmed": "on"}, follow=True))
    assert "corpus talks has samples (six)" in kept


def test_one_thing_at_a_time_and_a_lost_worker_is_replaced(
    page: Client, six: Sample, woken: Woken
) -> None:
    chats = {"valid": 0, "test": 0, "seed": 1}
    for _ in range(2):
        answer = page.post("/corpora/talks/chats/", chats, follow=True)
    assert "corpus talks is being worked on" in text_of(answer)
    assert "being worked on" in text_of(
        page.post("/corpora/talks/delete/", {"confirmed": "on"}, follow=True)
    )
    waiting = CorpusJob.objects.get(state="waiting")
    state = page.get(f"/corpora/jobs/{waiting.pk}/state/")
    assert "Writing chats talks: waiting for a worker." in text_of(state)
    work()
    assert page.get(f"/corpora/jobs/{waiting.pk}/state/")["X-Finished"] == "1"
    page.post("/samples/six/delete/", {"confirmed": "on"})
    page.post("/corpora/talks/delete/", {"confirmed": "on"})
    assert not Corpus.objects.exists() and not CorpusJob.objects.exists()


def test_worker_that_was_slower_than_its_lease_makes_nothing(
    page: Client, six: Sample, tmp_path: Path, corpora: Path
) -> None:
    filtered = six.corpus.filtered
    more = {"checked": ["prompt", "response"], "min_tokens": 5, "same": "dialogue", "near": 0.8}
    file = upload(tmp_path / "tide.jsonl")
    for address, fields in (
        ("/corpora/", {"name": "late", "file": file, "preset": "tide"}),
        ("/corpora/talks/filter/", {"steps": ["blank"], **more}),
        ("/corpora/talks/sample/", {"name": "new", "first": 2, "seed": 1}),
    ):
        assert page.post(address, fields).status_code == 302
        job = CorpusJob.objects.get(state="waiting")
        lost_before_it_is_stored(job)
        job.refresh_from_db()
        assert (job.state, job.said) == ("running", [])
        job.delete()
    assert not Sample.objects.filter(name="new").exists()
    assert Corpus.objects.get().filtered == filtered
    assert {path.name for path in corpora.iterdir() if path.name[0] != "."} == {"talks"}


def test_person_stops_an_import_whose_file_is_erased_at_once(
    page: Client, corpora: Path, tmp_path: Path, woken: Woken
) -> None:
    raw_corpora.tide(tmp_path, 3)
    sent = {"name": "talks", "file": upload(tmp_path / "tide.jsonl"), "preset": "tide"}
    page.post("/corpora/", sent)
    job = CorpusJob.objects.get()
    assert job.upload.exists()
    stop = f"/corpora/jobs/{job.pk}/stop/"
    assert f'action="{stop}"' in page.get("/corpora/").content.decode()
    shown = text_of(page.post(stop, follow=True))
    assert "The work on the corpus or sample was stopped." in shown
    assert "Importing talks was stopped" in shown and "Stopped by ada." in shown
    assert not job.upload.exists() and to_wake(CorpusJob) == []
    event = StudyEvent.objects.get(action="corpus stopped")
    assert event.detail == {"name": "talks"}
    again = page.post(f"/api/corpora/jobs/{job.pk}/stop/").json()
    assert (again["state"], again["error"]) == ("stopped", "Stopped by ada.")
    page.post(f"/corpora/jobs/{job.pk}/dismiss/")
    assert not CorpusJob.objects.exists()


def test_person_stops_what_is_done_with_a_sample_and_comes_back_to_it(
    page: Client, six: Sample, woken: Woken
) -> None:
    page.post("/corpora/talks/sample/", {"name": "new", "first": 2, "seed": 1})
    job = CorpusJob.objects.get(state="waiting")
    answer = page.post(f"/corpora/jobs/{job.pk}/stop/")
    assert answer["Location"] == "/corpora/talks/"
    assert "Drawing scenarios new was stopped" in text_of(page.get("/corpora/talks/"))
    assert "Nothing was stopped" in text_of(page.post(f"/corpora/jobs/{job.pk}/stop/", follow=True))
