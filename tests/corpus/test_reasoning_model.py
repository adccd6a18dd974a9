"""A model that thinks, refuses and is cut off: from its endpoint to raters, metrics and a judge."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django.fixtures import Settings

from analysis.models import ComputedMetric
from corpus import generation_runs
from corpus.models import Generation, Generator
from judge import runs, turns
from judge.models import Attempt, Judge, Score
from survey.models import Response, Study
from tests.corpus import raw_corpora
from tests.corpus.conftest import Corpus as Manage
from tests.servers.odd_answers import THOUGHT, WHOLE
from tests.servers.saying_endpoint import (
    Answer,
    Body,
    SayingEndpoint,
    completion,
    saying_endpoint,
)

pytestmark = [pytest.mark.slow, pytest.mark.embedded]  # what a server says; not how it is stored

GENERATION = """
template: "{prompt}"
sampling: {seed: 1}
conditions: {thinking: {}, plain: {}}
models: [{name: Alder, endpoint: lab}]
reference: {model: Corpus, condition: reference}
"""
STUDY = """
slug: thinking
title: Which answers are clear?
estimated_minutes: 12
texts: {information: Please read., instructions: Please rate., thanks: Thank you.}
consent: {statement: I agree.}
tasks:
  - kind: likert
    scale: [{value: 1, label: Unclear}, {value: 2, label: Fair}, {value: 3, label: Clear}]
    dimensions: [{name: clarity, question: How clear is this response?}]
conditions: [thinking, plain, reference]
reference: {model: Corpus, condition: reference}
ways_in: [link]
judging: {judges: [{name: j, endpoint: lab, replicates: 1, seed: 1}]}
"""
#: What nobody may see of how the texts came.
TRACES = ("First idea", "think>", "THINK", "<|", "[INST]", "</s>", "channel", "refus")


def run(*arguments: object) -> str:
    out = StringIO()
    call_command(*map(str, arguments), stdout=out, stderr=out)
    return out.getvalue()


def test_no_thinking_reaches_anybody_and_every_text_is_accounted_for(
    manage: Manage,
    tmp_path: Path,
    settings: Settings,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turns, "TURN_SECONDS", 600.0)
    settings.JUDGE_STAND_IN, settings.JUDGE_BACKOFF_SECONDS = False, 0.01
    raw_corpora.tide(tmp_path, 60)
    manage("import", tmp_path / "tide.jsonl", "--name", "t", "--preset", "tide")
    manage("filter", "t")
    manage("sample", "t", "--name", "s", "--random", "15")
    kinds, given = list(WHOLE), 0
    lost = {
        3: completion("", finish_reason="length", reasoning_content=THOUGHT),
        7: completion("", finish_reason="content_filter"),
        11: completion(None, refusal="I refuse to answer that."),
    }

    def say(body: Body) -> Answer:
        """Texts of every form, of which three are lost; then scores, after some thinking."""
        nonlocal given
        asked = body["messages"][-1]["content"]
        if "<response>" in asked:
            return completion(f"<think>{THOUGHT}</think>\n" + json.dumps({"score": 3}))
        number, given = given, given + 1
        return lost.get(number) or WHOLE[kinds[number % len(kinds)]](f"I hear you, {number} times.")

    with saying_endpoint(say) as server:
        settings.JUDGE_ENDPOINTS = {"lab": server.settings(concurrency=1)}
        (tmp_path / "generation.yaml").write_text(GENERATION)
        manage("generate", "s", tmp_path / "generation.yaml")
        for generator in Generator.objects.all():
            generation_runs.run(generator.pk)
        folder = tmp_path / "study"
        manage("responses", "s", "--out", folder, "--leave-out", "text")
        with (folder / "generations.csv").open(encoding="utf-8", newline="") as file:
            texts = list(csv.DictReader(file))
        assert len(texts) == Generation.objects.filter(is_wanted=True).count() == 30
        ended = [row["ended"] for row in texts if row["ended"] != "complete"]
        assert sorted(ended) == ["cut_off", "filtered", "refused"]

        (folder / "study.yaml").write_text(STUDY)
        said = run("load_study", folder)
        assert said.count("has no response of") == 3
        assert "token of a chat template" not in said and "thinking, such as" not in said
        study = Study.objects.get()
        shown = Response.objects.filter(scenario__study=study)
        assert shown.count() == 30 - 3 + 15
        Study.objects.update(state="open")
        client.get("/s/thinking/")
        client.post("/s/thinking/consent/", {"agree": "yes"})
        client.post("/s/thinking/page/1/", {})
        page = client.get("/s/thinking/page/2/").content.decode()
        assert "I hear you" in page
        run("metrics", "thinking", "--metric", "words")
        run("judge", "thinking")
        for judge in Judge.objects.all():
            runs.run(judge.pk)

    check_texts(study, folder, page)
    check_scores(study, server)


def check_texts(study: Study, folder: Path, page: str) -> None:
    """What raters and metrics read."""
    shown = Response.objects.filter(scenario__study=study)
    for text in shown.exclude(system__condition="reference").values_list("text", flat=True):
        assert text.startswith("I hear you, ") and text.endswith(" times.")
    written = (folder / "responses.csv").read_text()
    assert not [trace for trace in TRACES if trace in written or trace in page]
    assert ComputedMetric.objects.filter(study=study).exists()


def check_scores(study: Study, server: SayingEndpoint) -> None:
    """What the judge read and said."""
    assert Score.objects.count() == Response.objects.filter(scenario__study=study).count()
    assert set(Score.objects.values_list("value", flat=True)) == {3}
    answered = Attempt.objects.filter(outcome="answered").exclude(call__response=None)
    assert all(THOUGHT in each for each in answered.values_list("thinking", flat=True))
    asked = json.dumps([body["messages"] for body in server.asked if "<response>" in str(body)])
    assert not [trace for trace in TRACES if trace in asked]
