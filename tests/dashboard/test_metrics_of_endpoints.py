"""`manage.py metrics` with embeddings and perplexity: by an endpoint over HTTP, or from a file."""

import hashlib
import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from analysis.models import ComputedMetric, MetricValue
from survey.models import Study
from tests.servers.text_endpoint import TextEndpoint, TextPlan, counts, text_endpoint
from tests.survey import small_study

# What is asked of endpoints, and computed: the database changes nothing of it.
pytestmark = [pytest.mark.slow, pytest.mark.embedded]

Server = Callable[..., TextEndpoint]
EMBEDDINGS = ("--embeddings-endpoint", "lab", "--embeddings-model", "letters")
PERPLEXITY = ("--perplexity-endpoint", "lab", "--perplexity-model", "letters")
COSINE = ("--metric", "embedding_cosine")
OF_PERPLEXITY = ("--metric", "perplexity")


@pytest.fixture
def study(db: None) -> Study:
    return small_study.load()


@pytest.fixture
def lab(settings: Settings) -> Iterator[Server]:
    """Starts a server with a plan and makes it the endpoint `lab`."""
    settings.JUDGE_BACKOFF_SECONDS, settings.JUDGE_MAX_ATTEMPTS = 0.01, 3
    settings.JUDGE_STAND_IN, settings.JUDGE_ENDPOINTS = False, {}
    with ExitStack() as stack:

        def start(**plan: object) -> TextEndpoint:
            server = stack.enter_context(text_endpoint(TextPlan(**plan)))  # type: ignore[arg-type]
            settings.JUDGE_ENDPOINTS = {"lab": server.settings()}
            return server

        yield start


def compute(study: Study, *options: str) -> str:
    out = StringIO()
    call_command("metrics", str(study), *options, stdout=out, stderr=out)
    return out.getvalue()


def refused(study: Study, *options: str) -> str:
    """What is said in one line; nothing is stored."""
    with pytest.raises(CommandError) as problem:
        compute(study, *options)
    assert "\n" not in str(problem.value)
    assert not ComputedMetric.objects.exists()
    return str(problem.value)


def value_of(text: str) -> float | None:
    """The value of the response with this text."""
    return MetricValue.objects.get(response__text=text).value


def recorded() -> dict[str, object]:
    """The settings of the only metric."""
    return dict(ComputedMetric.objects.get().recorded["settings"])


def test_cosine_is_of_the_endpoint_s_vectors_and_says_where_they_are_from(
    study: Study, lab: Server
) -> None:
    server = lab()
    assert "8 of 10 responses have a value" in compute(study, *COSINE, *EMBEDDINGS)
    text, reference = "Time heals.", "Missing her shows how close you were."
    a, b = counts(text), counts(reference)
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    assert value_of(text) == pytest.approx(dot / math.hypot(*a) / math.hypot(*b))
    assert recorded() == {
        "endpoint": server.base_url,
        "model": "letters",
        "answered_by": "letters",
        "dimensions": 26,
    }
    assert "key-of-the-lab" not in str(recorded())


def test_each_text_is_sent_once_in_batches(db: None, lab: Server) -> None:
    server = lab()
    study = small_study.load(csv=many_scenarios())
    compute(study, *COSINE, *EMBEDDINGS)
    sent = [text for _, body in server.asked[1:] for text in body["input"]]
    assert len(sent) == len(set(sent)) > 64
    assert max(len(body["input"]) for _, body in server.asked) <= 32


def many_scenarios() -> str:
    """The small study's first scenario, twenty times in other words."""
    head, *lines = small_study.CSV.splitlines(keepends=True)
    changed = [
        line.replace("S1", f"T{n}").replace("I failed.", f"I failed {n}.").replace("s", f"s {n} ")
        for n in range(20)
        for line in lines[:6]
    ]
    return "".join([head, *changed])


def test_rate_limit_and_server_errors_are_waited_out(study: Study, lab: Server) -> None:
    server = lab(statuses=[429, 503])
    compute(study, *COSINE, *EMBEDDINGS)
    assert [body["input"] for _, body in server.asked[:3]] == [["How was your day?"]] * 3
    assert MetricValue.objects.count() == 10


@pytest.mark.parametrize(
    ("plan", "problem"),
    [
        ({"statuses": [429] * 3}, "the endpoint answered HTTP 429: not now"),
        ({"statuses": [500] * 3}, "the endpoint answered HTTP 500: not now"),
        ({"wrong": "none"}, "not a whole JSON object"),
        ({"wrong": "html"}, "a web page instead of a JSON object; is JUDGE_LAB_BASE_URL the addr"),
        ({"wrong": "fewer"}, "0 vectors for 1 texts"),
        ({"wrong": "fewer", "wrong_from": 1}, "9 vectors for 10 texts"),
        ({"wrong": "ragged", "wrong_from": 1}, "a vector of 25 dimensions after one of 26"),
        ({"wrong": "zeros", "wrong_from": 1}, "a vector of zeros"),
        ({"wrong": "words"}, "without embeddings (data.0.embedding.0: Input should be a valid num"),
        ({"wrong": "other_model", "wrong_from": 1}, "by 'another' after 'letters': two models"),
    ],
)
def test_answer_that_is_no_embedding_of_each_text_is_said_and_changes_nothing(
    study: Study, lab: Server, plan: dict[str, object], problem: str
) -> None:
    lab(**plan)
    assert problem in refused(study, *COSINE, *EMBEDDINGS)


def test_model_endpoint_and_key_that_are_wrong_are_named(
    study: Study, lab: Server, settings: Settings
) -> None:
    lab()
    said = refused(study, *COSINE, *EMBEDDINGS[:3], "words")
    assert "does not know the model 'words': correct the model of embeddings" in said
    said = refused(study, *COSINE, *EMBEDDINGS[:2])
    assert said == "embeddings needs an endpoint and a model: name the model, too"
    said = refused(study, *COSINE, "--embeddings-endpoint", "far", "--embeddings-model", "x")
    assert said.startswith("the endpoint 'far' is not set up here: add it to JUDGE_ENDPOINTS")
    settings.JUDGE_STAND_IN = True
    said = refused(study, *COSINE, "--embeddings-endpoint", "far", "--embeddings-model", "x")
    assert said.startswith("the endpoint 'far' is not set up here")
    settings.JUDGE_ENDPOINTS["lab"]["api_key"] = "a-key-of-another"
    assert "HTTP 401: wrong key" in refused(study, *COSINE, *EMBEDDINGS)


@pytest.mark.parametrize(
    ("begins", "given_prompt", "mean"),
    [
        (False, False, 10 / 10),  # "Try" has no probability, " again." follows it
        (True, False, (6 + 10) / 20),  # "<s>" has none
        (False, True, (13 + 12) / 20),  # "\n\nTry" follows " failed."
        (True, True, (13 + 12) / 20),
    ],
)
def test_perplexity_is_that_of_the_response_s_tokens(
    study: Study, lab: Server, begins: bool, given_prompt: bool, mean: float
) -> None:
    server = lab(begins=begins)
    chosen = ["--given-prompt"] if given_prompt else []
    compute(study, *OF_PERPLEXITY, *PERPLEXITY, *chosen)
    assert value_of("Try again.") == pytest.approx(math.exp(mean))
    assert recorded() == {
        "endpoint": server.base_url,
        "model": "letters",
        "answered_by": "letters",
        "given_prompt": given_prompt,
    }
    bodies = [body for _, body in server.asked]
    assert {(body["max_tokens"], body["echo"], body["logprobs"]) for body in bodies} == {
        (0, True, 1)
    }
    assert max(len(body["prompt"]) for body in bodies) == 8


@pytest.mark.parametrize(
    ("plan", "problem"),
    [
        ({"wrong": "no_echo"}, "for 'letters': it ignores `echo`, as llama.cpp does"),
        ({"wrong": "hole", "wrong_from": 1}, "no log-probability for the token"),
    ],
)
def test_endpoint_without_the_prompt_s_probabilities_is_found_out_and_changes_nothing(
    study: Study, lab: Server, plan: dict[str, object], problem: str
) -> None:
    server = lab(**plan)
    assert problem in refused(study, *OF_PERPLEXITY, *PERPLEXITY)
    assert len(server.asked) == 1 + int(bool(plan.get("wrong_from")))


def perplexities(folder: Path, *rows: str) -> Path:
    """A file with these rows."""
    path = folder / "perplexity.csv"
    path.write_text("\n".join(["scenario,set,model,condition,perplexity", *rows]), encoding="utf-8")
    return path


def test_perplexities_of_a_file_are_the_responses_values(study: Study, tmp_path: Path) -> None:
    path = perplexities(
        tmp_path,
        "S1,1,Ant,plain,12.5",
        "S1,1,Oracle,reference,8",
        "S1,2,Oracle,reference,8",
        "S2,1,Ant,plain,",
    )
    said = compute(study, "--perplexity", str(path), *OF_PERPLEXITY)
    assert "perplexity: 2 of 10 responses have a value" in said
    assert value_of("Try again.") == 12.5
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert recorded() == {"file": "perplexity.csv", "sha256": digest}


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (["S1,1,Ant,plain,0.5"], "line 2: column 'perplexity': 0.5 is less than 1"),
        (["S1,1,Ant,plain,low"], "line 2: column 'perplexity': 'low' is not a number"),
        (["S1,1,Cat,plain,2"], "line 2: column 'model': 'Cat' is unknown"),
        (["S1,1,Ant,plain,2", "S1,1,Ant,plain,2"], "line 3: this response has a row in this set"),
        (
            ["S1,1,Oracle,reference,2", "S1,2,Oracle,reference,3"],
            "line 3: column 'perplexity': 3 differs from line 2, where the same response has 2",
        ),
        ([], "the file has no perplexities"),
    ],
)
def test_file_that_is_wrong_is_refused_with_its_line(
    study: Study, tmp_path: Path, rows: list[str], problem: str
) -> None:
    path = perplexities(tmp_path, *rows)
    with pytest.raises(CommandError) as refusal:
        compute(study, "--perplexity", str(path))
    assert problem in str(refusal.value)
    assert not ComputedMetric.objects.exists()


def test_perplexity_has_one_source(study: Study, lab: Server, tmp_path: Path) -> None:
    lab()
    path = perplexities(tmp_path, "S1,1,Ant,plain,12.5")
    said = refused(study, "--perplexity", str(path), *PERPLEXITY)
    assert said == "perplexities come from --perplexity or from an endpoint, not both"
    said = refused(study, "--given-prompt")
    assert said == "perplexity given the prompt needs an endpoint for perplexity"


def test_environment_names_what_the_command_does_not(
    study: Study, lab: Server, settings: Settings, tmp_path: Path
) -> None:
    server = lab()
    settings.METRICS_EMBEDDINGS_ENDPOINT, settings.METRICS_EMBEDDINGS_MODEL = "lab", "letters"
    settings.METRICS_PERPLEXITY_ENDPOINT, settings.METRICS_PERPLEXITY_MODEL = "lab", "letters"
    settings.METRICS_PERPLEXITY_GIVEN_PROMPT = True
    compute(study, "--metric", "words")
    assert server.asked == [], "words need no endpoint"
    compute(study, *COSINE)
    assert {path for path, _ in server.asked} == {"/v1/embeddings"}
    compute(study, *OF_PERPLEXITY)
    stored = ComputedMetric.objects.get(name="perplexity")
    assert stored.recorded["settings"]["given_prompt"] is True
    path = perplexities(tmp_path, "S1,1,Ant,plain,12.5")
    compute(study, *OF_PERPLEXITY, "--perplexity", str(path))
    assert value_of_metric("perplexity", "Try again.") == 12.5


def value_of_metric(name: str, text: str) -> float | None:
    """The value of one of several metrics."""
    return MetricValue.objects.get(metric__name=name, response__text=text).value
