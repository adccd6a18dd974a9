"""Judges at servers that nobody here wrote, with their own ways of answering and of failing."""

from collections import Counter
from collections.abc import Iterator
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.e2e.installation import Installation, running_installation
from tests.servers.independent_judge import KEY, MODEL, IndependentJudge, independent_judge
from tests.servers.rate_limited_judge import REQUESTS, RateLimitedJudge, rate_limited_judge
from tests.survey import small_study

# What the servers say; calls are stored on every database.
pytestmark = pytest.mark.embedded

#: Of the small study; a response that is shown in two sets is one.
RESPONSES = 10
CONCURRENCY = 2
JUDGING = """
ways_in: [link]
judging:
  judges:
    - name: local
      model: {model}
      endpoint: {endpoint}
      reasons: true
      seed: 1
      replicates: {replicates}
      options: {{provider: {{order: [nobody], allow_fallbacks: false}}}}
"""
#: A judge of pairs, and two that are asked about both dimensions in one call and make a jury.
OTHER_WAYS = f"""
ways_in: [link]
judging:
  gold: both
  judges:
    - {{name: pairs, model: {MODEL}, presentation: pair, replicates: 2}}
    - {{name: first, model: {MODEL}, together: true, replicates: 1}}
    - {{name: second, model: {MODEL}, together: true, replicates: 1, seed: 2}}
  juries: [{{name: both, judges: [first, second]}}]
"""
TWO_DIMENSIONS = """\
    dimensions:
      - {name: clarity, question: How clear is this response?}
"""
#: Two dimensions of three pairs of each of four blocks, in both orders.
OF_PAIRS = 2 * 3 * 4 * 2
OTHER_CALLS = OF_PAIRS + 2 * RESPONSES


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndependentJudge]:
    with independent_judge(tmp_path_factory.mktemp("judge")) as running:
        yield running


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RateLimitedJudge]:
    with rate_limited_judge(tmp_path_factory.mktemp("limited")) as running:
        yield running


@pytest.fixture(scope="module")
def installation(
    server: IndependentJudge,
    limited: RateLimitedJudge,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Installation]:
    with running_installation(
        tmp_path_factory.mktemp("site"),
        JUDGE_BASE_URL=server.base_url,
        JUDGE_API_KEY=KEY,
        JUDGE_CONCURRENCY=str(CONCURRENCY),
        JUDGE_ENDPOINTS="misspelt,limited",
        JUDGE_LIMITED_BASE_URL=limited.base_url,
        JUDGE_LIMITED_API_KEY=KEY,
        JUDGE_MISSPELT_BASE_URL=server.base_url.replace("/v1", "/v2"),
        JUDGE_MISSPELT_API_KEY=KEY,
        JUDGE_MAX_ATTEMPTS="3",
        JUDGE_BACKOFF_SECONDS="0.05",
        SWEEP_SECONDS="1",
    ) as running:
        yield running


@pytest.fixture
def judge(server: IndependentJudge) -> IndependentJudge:
    """The server, as if it had never been asked."""
    server.restart()
    return server


def test_every_call_is_scored_and_the_model_that_answered_is_recorded(
    installation: Installation, judge: IndependentJudge
) -> None:
    """llama.cpp knows one model and answers with it, whatever model is asked for."""
    load(installation, "scored", model="meta-llama/llama-4-maverick")
    assert "30 of 30 calls answered" in ask(installation, "scored").stdout
    values = [value for _, value, _ in scores(installation, "scored")]
    assert len(values) == 30
    assert set(values) <= {1, 2, 3}
    assert support(installation, "meta-llama/llama-4-maverick") == "enforced"
    # The first request found that out.
    assert attempts(installation, "scored") == [("answered", MODEL)] * 31
    assert judge.requests() == 31


def test_rate_limit_is_waited_for_as_long_as_the_server_says(
    installation: Installation, limited: RateLimitedJudge
) -> None:
    load(installation, "limited", model="mocklimit", endpoint="limited", replicates=1)
    assert "10 of 10 calls answered" in ask(installation, "limited").stdout
    assert {value for _, value, _ in scores(installation, "limited")} == {2}
    assert support(installation, "mocklimit") == "ignored"
    refused = len(attempts(installation, "limited")) - 11
    assert limited.counts() == {"total_requests": 11 + refused, "total_429s": refused}
    # At the end of a window each request in flight is refused once, and no other one is sent.
    assert 1 <= refused <= 11 // REQUESTS * CONCURRENCY


def test_key_that_is_refused_is_said_and_the_run_goes_on_once_it_is_accepted(
    installation: Installation, judge: IndependentJudge
) -> None:
    load(installation, "refused")
    judge.restart(key="another-key")
    refused = ask(installation, "refused")
    assert refused.returncode != 0
    assert "HTTP 401: Invalid API Key" in refused.stderr
    assert judge.requests() == 0

    judge.restart()
    assert "30 of 30 calls answered" in ask(installation, "refused").stdout


def test_address_with_nothing_behind_it_is_said_and_the_run_goes_on_at_the_right_one(
    installation: Installation, judge: IndependentJudge
) -> None:
    load(installation, "misspelt", endpoint="misspelt")
    lost = ask(installation, "misspelt")
    assert lost.returncode != 0
    assert "HTTP 404: File Not Found" in lost.stderr
    assert judge.requests() == 0

    load(installation, "misspelt")
    assert "30 of 30 calls answered" in ask(installation, "misspelt").stdout


def test_response_too_long_for_the_model_fails_alone_and_is_asked_again_with_more_context(
    installation: Installation, judge: IndependentJudge
) -> None:
    load(installation, "long", last="Find a hobby. " * 1000)
    asked = ask(installation, "long")
    assert asked.returncode != 0
    assert "27 of 30 calls answered" in asked.stdout
    assert "exceeds the available context size (8192 tokens)" in asked.stderr

    judge.restart(context=32768)
    assert "30 of 30 calls answered" in ask(installation, "long").stdout
    assert judge.requests() == 3


def test_server_that_dies_midway_is_named_and_what_it_answered_is_not_asked_again(
    installation: Installation, judge: IndependentJudge
) -> None:
    load(installation, "midway", replicates=8)
    installation.manage("judge", "midway")
    judge.wait_for(20)
    judge.kill()
    broken = ask(installation, "midway")
    assert broken.returncode != 0
    assert f"could not exchange data with {judge.base_url}" in broken.stderr
    before = scores(installation, "midway")
    assert 0 < len(before) < RESPONSES * 8

    judge.start()
    assert "80 of 80 calls answered" in ask(installation, "midway").stdout
    assert judge.requests() == RESPONSES * 8 - len(before)
    assert scores(installation, "midway")[: len(before)] == before


def test_pairs_and_calls_about_all_dimensions_survive_the_server_s_death(
    installation: Installation, judge: IndependentJudge
) -> None:
    slug = "other-ways"
    two = small_study.YAML.replace("    dimensions:\n", TWO_DIMENSIONS)
    load_text(installation, slug, two + OTHER_WAYS)
    installation.manage("judge", slug)
    judge.wait_for(20)
    judge.kill()
    assert ask(installation, slug).returncode != 0
    answered = len({call for call, *_ in scores(installation, slug)})
    assert 0 < answered < OTHER_CALLS

    judge.start()
    said = ask(installation, slug).stdout
    assert f"pairs@1: {OF_PAIRS} of {OF_PAIRS} calls answered" in said
    assert f"second@1: {RESPONSES} of {RESPONSES} calls answered" in said
    assert judge.requests() == OTHER_CALLS - answered
    of_call = Counter(call for call, *_ in scores(installation, slug))
    # Two responses, or two dimensions.
    assert list(of_call.values()) == [2] * OTHER_CALLS
    gold = installation.manage("gold", slug).stdout
    assert "* jury both@1: 20 scores of first@1, second@1" in gold


def load(
    installation: Installation,
    slug: str,
    *,
    model: str = MODEL,
    endpoint: str = "default",
    replicates: int = 3,
    last: str = "Find a hobby.",
) -> None:
    """Load the small study with a judge; `last` is one of its last responses."""
    judging = JUDGING.format(model=model, endpoint=endpoint, replicates=replicates)
    load_text(installation, slug, small_study.YAML + judging, last=last)


def load_text(
    installation: Installation, slug: str, text: str, *, last: str = "Find a hobby."
) -> None:
    folder = installation.folder / slug
    folder.mkdir(exist_ok=True)
    text = text.replace("slug: small", f"slug: {slug}")
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    responses = small_study.CSV.replace("Find a hobby.", last)
    (folder / "responses.csv").write_text(responses, encoding="utf-8")
    installation.manage("load_study", folder)


def ask(installation: Installation, slug: str) -> CompletedProcess[str]:
    """Have what is missing asked for, and wait how that ends."""
    return installation.manage("judge", slug, "--wait", check=False)


def scores(installation: Installation, slug: str) -> list[tuple[Any, ...]]:
    """The call, the value and the reason of each score, in the order they came."""
    return installation.query(SCORES, [slug])


def attempts(installation: Installation, slug: str) -> list[tuple[Any, ...]]:
    """The outcome of each request, and the model that the server says it has."""
    return installation.query(ATTEMPTS, [slug])


def support(installation: Installation, model: str) -> str:
    """Whether a model keeps to a JSON schema, as its first request showed."""
    ((found,),) = installation.query(SUPPORT, [model])
    return str(found)


SUPPORT = "SELECT support FROM judge_structuredoutput WHERE model = %s"
OF_STUDY = """
    JOIN judge_call c ON c.id = x.call_id JOIN judge_judge j ON j.id = c.judge_id
    JOIN survey_study s ON s.id = j.study_id WHERE s.slug = %s ORDER BY x.id
"""
SCORES = f"SELECT c.id, x.value, x.reason FROM judge_score x {OF_STUDY}"
ATTEMPTS = f"SELECT x.outcome, x.returned_model FROM judge_attempt x {OF_STUDY}"
