"""Texts of models that think, refuse, or are cut off: through an endpoint to a loaded study."""

import csv
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from corpus import generation_runs
from corpus.models import Generation, GenerationAttempt, Generator, Sample
from corpus.planning import not_asked_again, plan, plan_only, progress, queue
from judge import turns
from judge.models import EndpointTrait
from tests.corpus import raw_corpora
from tests.corpus.conftest import Corpus as Manage
from tests.servers.odd_answers import REFUSED_PARTS, THOUGHT, WHOLE, WITHOUT, strict
from tests.servers.saying_endpoint import Answer, Body, completion, saying_endpoint

TEXT = "I hear you. That was a long day."
FILE = """
template: "{prompt}"
system: You are kind.
sampling: {seed: 1, temperature: 0.5, max_tokens: 90}
conditions: {zero_shot: {}}
models: [{name: Alder, endpoint: one}, {name: Birch, endpoint: one, served_as: birch}]
"""


@pytest.fixture(autouse=True)
def one_turn_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "TURN_SECONDS", 600.0)


@pytest.fixture
def sample(tmp_path: Path, manage: Manage) -> Sample:
    """Twenty scenarios."""
    raw_corpora.tide(tmp_path, 60)
    manage("import", tmp_path / "tide.jsonl", "--name", "t", "--preset", "tide")
    manage("filter", "t")
    manage("sample", "t", "--name", "s", "--random", "20")
    return Sample.objects.get()


@pytest.fixture
def generated(
    tmp_path: Path, manage: Manage, sample: Sample, settings: Settings
) -> Callable[..., Any]:
    """Has the texts of a file made by an endpoint that says something."""
    settings.JUDGE_STAND_IN, settings.JUDGE_MAX_ATTEMPTS = False, 3
    settings.JUDGE_BACKOFF_SECONDS = 0.01

    @contextmanager
    def run(say: Callable[[Body], Answer], file: str = FILE) -> Iterator[Any]:
        path = tmp_path / "generation.yaml"
        path.write_text(file)
        with saying_endpoint(say) as server:
            settings.JUDGE_ENDPOINTS = {"one": server.settings()}
            manage("generate", "s", path)
            for generator in Generator.objects.all():
                generation_runs.run(generator.pk)
            yield server

    return run


def prompts(sample: Sample) -> list[str]:
    return [each.prompt for each in sample.scenarios.all()]


def counts() -> Counter[str]:
    return Counter(Generation.objects.values_list("state", flat=True))


def in_turn(sample: Sample, answers: list[Answer]) -> Callable[[Body], Answer]:
    """Answers the first scenario with the first of these, and so on."""
    asked = prompts(sample)
    return lambda body: answers[asked.index(body["messages"][-1]["content"]) % len(answers)]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_text_of_a_model_that_thinks_has_nothing_of_its_thinking(
    generated: Callable[..., Any], sample: Sample, manage: Manage, tmp_path: Path
) -> None:
    kinds = list(WHOLE)
    kept: list[str] = []
    noticed: set[str] = set()
    for part in (kinds[:20], kinds[20:]):
        GenerationAttempt.objects.all().delete()
        Generation.objects.all().delete()
        answers = [WHOLE[kind](TEXT) for kind in part]
        with generated(in_turn(sample, answers)):
            assert set(Generation.objects.values_list("text", "state")) == {(TEXT, "answered")}
            manage("responses", "s", "--out", tmp_path / "study")
        kept += GenerationAttempt.objects.values_list("thinking", flat=True)
        noticed |= set(progress(sample).notices)
    written = (tmp_path / "study" / "responses.csv").read_text()
    written += (tmp_path / "study" / "generations.csv").read_text()
    assert "First idea" not in written and "<|" not in written
    assert any(THOUGHT in each for each in kept), "it is kept with the request"
    assert {"thinking was taken off", "special tokens were taken off"} <= noticed


def test_every_text_that_is_missing_is_accounted_for(
    generated: Callable[..., Any],
    sample: Sample,
    manage: Manage,
    refused: Manage,
    tmp_path: Path,
) -> None:
    kinds = list(WITHOUT)
    assert len(kinds) == 20, "one for each scenario"
    answers = [WITHOUT[kind][0]() for kind in kinds]
    bad = in_turn(sample, answers)

    def say(body: Body) -> Answer:
        """One of the two models answers."""
        return bad(body) if body["model"] == "birch" else completion(TEXT)

    with generated(say) as server:
        now = progress(sample)
    assert (now.total, now.answered, now.failed) == (40, 20, 20)
    assert not now.stopped, "the sample goes on"
    failed = Generation.objects.filter(state="failed").select_related("scenario")
    for text in failed:
        kind = kinds[prompts(sample).index(text.scenario.prompt)]
        _, outcome, words = WITHOUT[kind]
        sent = list(text.attempts.all())
        assert [each.outcome for each in sent] == [outcome] * (2 if outcome == "unusable" else 1)
        assert words in text.error
    assert now.endings == {"filtered": 6, "refused": 4, "cut_off": 3}
    assert now.incomplete == now.endings, "they are not asked for again by themselves"
    sample.refresh_from_db()
    definition = sample.read_generation()
    assert definition is not None
    planned = plan_only(sample, definition)
    assert sum(each.missing for each in planned) == 7 and not_asked_again(planned) == now.endings
    assert sum(each.missing for each in plan_only(sample, definition, retry=True)) == 20
    assert len(server.asked) == 20 + 13 + 2 * 7
    queue(plan(sample, definition))
    assert counts() == {"answered": 20, "failed": 13, "waiting": 7}
    Generation.objects.filter(state="waiting").update(state="failed")

    said = refused("responses", "s", "--out", tmp_path / "study")
    assert (
        "20 texts of sample s are missing (7 failed, 6 filtered, 4 refused, 3 cut off, such as S1 "
        "by Birch (zero_shot)); generate again"
    ) in said
    assert not (tmp_path / "study").exists()
    said = manage("responses", "s", "--out", tmp_path / "study", "--leave-out", "model")
    assert "left out: model Birch" in said
    assert len(rows(tmp_path / "study" / "responses.csv")) == 20
    assert len(rows(tmp_path / "study" / "generations.csv")) == 40
    options = ("--leave-out", "scenario", "--with-refusals")
    said = manage("responses", "s", "--out", tmp_path / "study", *options)
    assert said.count("left out: scenario") == 16
    refusals = rows(tmp_path / "study" / "responses.csv")
    assert {row["response"] for row in refusals if row["model"] == "Birch"} == {
        "I can't help with that.",
        "No.",
        "I won't.",
        '{"score": 2}',
    }
    assert "no text of sample s is left" in refused(
        "responses", "s", "--out", tmp_path / "study", "--leave-out", "scenario"
    )


def test_one_filtered_text_leaves_out_what_the_researcher_says(
    generated: Callable[..., Any], sample: Sample, manage: Manage, tmp_path: Path
) -> None:
    first = prompts(sample)[0]

    def say(body: Body) -> Answer:
        is_first = body["messages"][-1]["content"] == first and body["model"] == "birch"
        return completion("", finish_reason="content_filter") if is_first else completion(TEXT)

    with generated(say):
        pass
    for what, n in (("text", 39), ("scenario", 38), ("model", 20)):
        manage("responses", "s", "--out", tmp_path / what, "--leave-out", what)
        assert len(rows(tmp_path / what / "responses.csv")) == n
    (record,) = [
        row for row in rows(tmp_path / "model" / "generations.csv") if row["ended"] == "filtered"
    ]
    assert (record["model"], record["text"]) == ("Birch", "")
    assert record["error"] == "a filter of the endpoint kept the answer back"


def test_scenario_without_any_text_is_left_out_and_named(
    generated: Callable[..., Any], sample: Sample, manage: Manage, tmp_path: Path
) -> None:
    first = prompts(sample)[0]

    def say(body: Body) -> Answer:
        is_first = body["messages"][-1]["content"] == first
        return completion("", finish_reason="content_filter") if is_first else completion(TEXT)

    with generated(say):
        pass
    said = manage("responses", "s", "--out", tmp_path / "study", "--leave-out", "text")
    assert "left out: 2 texts\n" in said
    assert "left out: scenario S1, which has no text left" in said
    assert len(rows(tmp_path / "study" / "responses.csv")) == 38


def test_text_that_is_cut_off_or_may_be_a_refusal_stays_or_goes(
    generated: Callable[..., Any], sample: Sample, manage: Manage, tmp_path: Path
) -> None:
    answers = [
        completion("I hear", finish_reason="length"),
        completion("I'm sorry, but I can't help with that."),
        *[completion(TEXT)] * 18,
    ]
    scenario = ("--leave-out", "scenario")
    with generated(in_turn(sample, answers)):
        assert progress(sample).endings == {"cut_off": 2}
        assert progress(sample).notices == {"its words may be a refusal": 2}
        for options, n in (
            ((), 40),
            (("--without", "cut_off", "--leave-out", "scenario"), 38),
            (("--without", "likely_refusals", "--leave-out", "scenario"), 38),
            (("--without", "likely_refusals", "--without", "cut_off", *scenario), 36),
        ):
            manage("responses", "s", "--out", tmp_path / "study", *options)
            assert len(rows(tmp_path / "study" / "responses.csv")) == n


def test_what_an_endpoint_does_not_accept_is_left_out(
    generated: Callable[..., Any], sample: Sample
) -> None:
    with generated(strict(completion(TEXT))) as server:
        assert progress(sample).answered == 40
    found = set(EndpointTrait.objects.values_list("trait", flat=True))
    assert found == set(REFUSED_PARTS)
    last = server.asked[-1]
    assert [each["role"] for each in last["messages"]] == ["user"]
    assert last["messages"][0]["content"].startswith("You are kind.\n\n")
    assert last["max_completion_tokens"] == 90
