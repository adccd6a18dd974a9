"""Texts by models at endpoints over HTTP: what is asked, once; money; resume; responses.csv."""

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from corpus import generation_runs, generations
from corpus.models import Generation, GenerationAttempt, Generator, Sample
from judge import turns
from judge.exchange import ExchangeFailed, Reply
from judge.prompts import prompt_hash
from tests.corpus import raw_corpora
from tests.corpus.conftest import Corpus as Manage
from tests.servers.faulty_judge import FaultyJudge, faulty_judge
from tests.servers.judge_faults import Plan, written

pytestmark = pytest.mark.slow

Servers = Callable[..., list[FaultyJudge]]
PLAIN = """
template: "Context: {context}\\nPatient: {prompt}\\nTherapist:"
system: You are an empathetic therapist.
sampling: {temperature: 0.7, max_tokens: 640, seed: 1, options: {top_p: 0.92}}
conditions: {zero_shot: {}, brief: {system: Answer in one sentence., sampling: {max_tokens: 80}}}
models:
  - {name: Alder 1B, endpoint: one, served_as: alder}
  - {name: Birch 3B, endpoint: two, conditions: [zero_shot]}
reference: {model: People, condition: human}
"""


@pytest.fixture(autouse=True)
def one_turn_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "TURN_SECONDS", 600.0)


@pytest.fixture
def servers(settings: Settings) -> Iterator[Servers]:
    """Starts servers with a plan and makes them endpoints `one`, `two`, …"""
    settings.JUDGE_STAND_IN, settings.JUDGE_ENDPOINTS = False, {}
    settings.JUDGE_BACKOFF_SECONDS, settings.JUDGE_TIMEOUT_SECONDS = 0.01, 60
    with ExitStack() as stack:

        def start(*names: str, **plan: Any) -> list[FaultyJudge]:
            started = [stack.enter_context(faulty_judge(Plan(**plan))) for _ in names]
            for name, server in zip(names, started, strict=True):
                about = {"base_url": server.base_url, "api_key": "", "model": f"{name}-own"}
                settings.JUDGE_ENDPOINTS = settings.JUDGE_ENDPOINTS | {
                    name: about | {"concurrency": 3}
                }
            return started

        yield start


@pytest.fixture
def sample(tmp_path: Path, manage: Manage) -> Sample:
    """Three scenarios with personas."""
    raw_corpora.tide(tmp_path, 30)
    manage("import", tmp_path / "tide.jsonl", "--name", "t", "--preset", "tide")
    manage("filter", "t")
    manage("sample", "t", "--name", "s", "--random", "3")
    return Sample.objects.get()


@pytest.fixture
def generate(tmp_path: Path, manage: Manage, sample: Sample) -> Callable[..., str]:
    """Writes a generation file and has its texts made by this process."""

    def run(file: str = PLAIN, *options: str) -> str:
        path = tmp_path / "generation.yaml"
        path.write_text(file)
        said = manage("generate", "s", path, *options)
        for generator in Generator.objects.all():
            generation_runs.run(generator.pk)
        return said

    return run


def states() -> Counter[str]:
    return Counter(Generation.objects.filter(is_wanted=True).values_list("state", flat=True))


def asked(*servers: FaultyJudge) -> int:
    return sum(len(server.log) for server in servers)


def test_models_times_conditions_are_asked_once_with_what_the_file_says(
    servers: Servers,
    generate: Callable[..., str],
    sample: Sample,
    manage: Manage,
    refused: Manage,
) -> None:
    one, two = servers("one", "two")
    said = generate()
    assert "3 scenarios, 3 systems" in said and "3 of 3 texts missing" in said
    assert states() == {"answered": 9}
    assert (len(one.log), len(two.log)) == (6, 3)
    scenario = sample.scenarios.get(position=1)
    text = f"Context: {scenario.context}\nPatient: {scenario.prompt}\nTherapist:"
    messages = [
        {"role": "system", "content": "You are an empathetic therapist."},
        {"role": "user", "content": text},
    ]
    (body,) = (e.body for e in two.log if e.body["messages"] == messages)
    assert body == {
        "model": "two-own",
        "messages": messages,
        "temperature": 0.7,
        "max_tokens": 640,
        "seed": body["seed"],
        "top_p": 0.92,
    }
    assert len({entry.body["seed"] for entry in one.log}) == 6, "each text has a seed of its own"
    assert {e.body["model"] for e in one.log} == {"alder"}
    assert Counter(e.body["max_tokens"] for e in one.log) == {640: 3, 80: 3}
    text_of = Generation.objects.get(scenario=scenario, generator__model="two-own")
    assert text_of.prompt_hash == prompt_hash(messages)  # type: ignore[arg-type]
    assert text_of.text == written([m["content"] for m in messages], body["seed"])

    generate()
    assert asked(one, two) == 9, "what is answered is not asked again"
    assert "has 9 generated texts" in refused("delete", "s", "--sample")
    manage("delete", "s", "--sample", "--texts")
    assert not Sample.objects.exists()


def test_a_changed_file_asks_for_what_is_new_alone(
    servers: Servers, generate: Callable[..., str]
) -> None:
    (one, two) = servers("one", "two")
    generate()
    first = dict(Generation.objects.values_list("id", "text"))
    generate(PLAIN + "replicates: 2\n")
    assert asked(one, two) == 18
    generate(PLAIN.replace("Therapist:", "You:"))
    assert asked(one, two) == 27
    generate(PLAIN.replace("temperature: 0.7", "temperature: 0.2"))
    assert asked(one, two) == 36
    generate(PLAIN)
    assert asked(one, two) == 36
    assert first.items() <= dict(Generation.objects.values_list("id", "text")).items()
    assert states() == {"answered": 9}


def test_responses_are_those_of_a_study_and_each_text_has_a_record(
    servers: Servers, generate: Callable[..., str], manage: Manage, tmp_path: Path
) -> None:
    servers("one", "two")
    generate(PLAIN + "replicates: 2\n")
    said = manage("responses", "s", "--out", tmp_path / "study")
    assert "responses.csv: 12 rows" in said and "generations.csv: 18 rows" in said
    with (tmp_path / "study" / "responses.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert Counter((r["model"], r["condition"]) for r in rows) == {
        ("Alder 1B", "zero_shot"): 3,
        ("Alder 1B", "brief"): 3,
        ("Birch 3B", "zero_shot"): 3,
        ("People", "human"): 3,
    }
    ordered = [(r["model"], r["condition"]) for r in rows if r["scenario"] == "S1"]
    assert ordered == [
        ("Alder 1B", "zero_shot"),
        ("Alder 1B", "brief"),
        ("Birch 3B", "zero_shot"),
        ("People", "human"),
    ], "systems are in the file's order"
    by_people = next(r for r in rows if r["model"] == "People")
    assert by_people["response"] and by_people["generated_by"] == "corpus"
    brief = next(r for r in rows if r["condition"] == "brief")
    assert json.loads(brief["parameters"]) == {"max_tokens": 80, "temperature": 0.7, "top_p": 0.92}
    assert brief["generated_by"] == "alder-served" and brief["generated_at"].endswith("Z")
    with (tmp_path / "study" / "generations.csv").open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    assert Counter(r["replicate"] for r in records) == {"1": 9, "2": 9}
    assert all(Decimal(r["cost"]) > 0 and r["cost_is_estimate"] == "false" for r in records)


def test_waiting_ends_with_how_many_texts_there_are_and_what_they_took(
    servers: Servers, generate: Callable[..., str], manage: Manage
) -> None:
    servers("one", "two")
    generate()
    said = manage("generate", "s", "--wait")
    assert re.search(r"s: 9 of 9 texts, 9 requests, 0\.\d{4} US dollars", said)


def test_faults_are_waited_out_and_an_empty_answer_is_asked_once_more(
    servers: Servers, generate: Callable[..., str]
) -> None:
    faults = ["rate_limit", "server_error", "empty", "html", "truncated", "bad_gateway"]
    (one, _) = servers("one", "two", sequence=faults)
    generate()
    assert states() == {"answered": 9}
    assert len(one.log) == 12
    outcomes = Counter(GenerationAttempt.objects.values_list("outcome", flat=True))
    assert outcomes["answered"] == 9 and outcomes["unusable"] >= 1
    charged = sum(Decimal(str(entry.cost)) for entry in one.log)
    stated = GenerationAttempt.objects.filter(
        call__generator__model="alder", cost_is_estimate=False
    )
    possibly = GenerationAttempt.objects.filter(
        call__generator__model="alder", cost_is_estimate=True
    )
    assert {a.outcome for a in possibly} <= set(GenerationAttempt.POSSIBLY_PAID)
    assert sum(a.cost or 0 for a in stated) <= charged


def test_a_budget_stops_and_a_higher_one_goes_on(
    servers: Servers, generate: Callable[..., str], manage: Manage, tmp_path: Path
) -> None:
    one, two = servers("one", "two")
    generate(PLAIN + "budget: {requests: 4}\n")
    assert asked(one, two) == 4
    stopped = set(Generator.objects.values_list("stopped", flat=True)) - {""}
    assert any(
        "the sample's budget of 4 requests is used up; raise budget.requests in the generation "
        "file, and generate again" in reason
        for reason in stopped
    )
    generate(PLAIN + "budget: {requests: 100}\n")
    assert states() == {"answered": 9}
    assert asked(one, two) == 9


def test_a_text_of_a_lost_worker_is_taken_over_and_its_money_counted(
    servers: Servers, generate: Callable[..., str], manage: Manage, tmp_path: Path
) -> None:
    servers("one", "two")
    generate()
    changed = tmp_path / "more.yaml"
    changed.write_text(PLAIN + "replicates: 2\n")
    manage("generate", "s", changed)
    generator = Generator.objects.get(model="two-own")
    claimed = generations.claim(generator.pk)
    assert claimed is not None
    assert generations.is_worked_on(generator.pk)
    assert generations.recover(generator.pk) == 0
    Generation.objects.filter(pk=claimed.call.pk).update(lease_until=timezone.now())
    assert generations.with_lost_texts() == [generator.pk]
    spent = generations.spent_on(generator.sample)
    generation_runs.run(generator.pk)
    lost = GenerationAttempt.objects.get(pk=claimed.attempt.pk)
    assert lost.outcome == "unknown" and lost.cost is not None and lost.cost > 0
    assert lost.call.state == "answered" and lost.call.attempts.count() == 2
    assert generations.spent_on(generator.sample).money > spent.money


def test_failure_at_an_endpoint_that_was_removed_is_recorded(
    servers: Servers, sample: Sample, manage: Manage, tmp_path: Path, settings: Settings
) -> None:
    servers("one", "two")
    path = tmp_path / "g.yaml"
    path.write_text(PLAIN)
    manage("generate", "s", path)
    claimed = generations.claim(Generator.objects.get(model="two-own").pk)
    assert claimed is not None
    settings.JUDGE_ENDPOINTS = {"one": settings.JUDGE_ENDPOINTS["one"]}
    outcome: Future[Reply] = Future()
    outcome.set_exception(ExchangeFailed("it broke", outcome="broken_off"))
    assert generations.record(claimed, outcome) is None
    claimed.attempt.refresh_from_db()
    assert (claimed.attempt.outcome, claimed.attempt.error) == ("broken_off", "it broke")
    assert claimed.attempt.call.state == "waiting"


def test_dry_run_tells_the_cost_and_changes_nothing(
    servers: Servers, sample: Sample, manage: Manage, tmp_path: Path
) -> None:
    one, two = servers("one", "two")
    path = tmp_path / "g.yaml"
    priced = PLAIN.replace("served_as: alder", "served_as: alder, price: {input: 1, output: 2}")
    path.write_text(priced)
    said = manage("generate", "s", path, "--dry-run")
    assert "about 0.0" in said and "cost unknown" in said and "Nothing was queued" in said
    assert not Generation.objects.exists() and Sample.objects.get().generation == ""
    assert asked(one, two) == 0


BAD = {
    "unknown field": (PLAIN.replace("{context}", "{persona}"), "field 'persona' is unknown"),
    "no prompt": (PLAIN.replace("{prompt}", "it"), "has no {prompt}"),
    **{
        f"{{prompt{more}}}": (
            PLAIN.replace("{prompt}", f"{{prompt{more}}}"),
            f"has {{prompt{more}}};",
        )
        for more in (":>100000000", ":d", "!z", ".__class__", "[0]")
    },
    "brace": (PLAIN.replace("Patient: {prompt}", "{ {prompt}"), "template: "),
    "endpoint": (PLAIN.replace("endpoint: two", "endpoint: too"), "the endpoint 'too' is not set"),
    "condition": (PLAIN.replace("[zero_shot]", "[zeroshot]"), "did you mean 'zero_shot'?"),
    "key": (PLAIN + "replicate: 2\n", "replicate: unknown key; did you mean 'replicates'?"),
    "option": (PLAIN.replace("top_p", "n"), "'n' is not an option"),
    "the same": (
        PLAIN.replace("endpoint: two", "endpoint: one, served_as: alder"),
        "models 'Alder 1B' and 'Birch 3B' are both 'alder' at http",
    ),
    "twice": (PLAIN.replace("Birch 3B", "Alder 1B"), "model 'Alder 1B' is repeated"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_generation_file_that_cannot_be(
    name: str, servers: Servers, sample: Sample, refused: Manage, tmp_path: Path
) -> None:
    servers("one", "two")
    file, said = BAD[name]
    path = tmp_path / "bad.yaml"
    path.write_text(file)
    message = refused("generate", "s", path)
    assert "bad.yaml" in message and said in message
    assert not Generation.objects.exists() and not Generator.objects.exists()


def test_responses_wait_for_all_texts(
    servers: Servers, sample: Sample, manage: Manage, refused: Manage, tmp_path: Path
) -> None:
    assert "has no texts yet" in refused("responses", "s", "--out", tmp_path / "study")
    assert "no generation file yet" in refused("generate", "s")
    servers("one", "two")
    path = tmp_path / "g.yaml"
    path.write_text(PLAIN)
    manage("generate", "s", path)
    assert "9 of 9 texts of sample s are still to come" in refused(
        "responses", "s", "--out", tmp_path
    )
