"""Texts that a language model rewrites, however its endpoint answers."""

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from analysis.models import PerturbationRun, PerturbedText
from analysis.perturbation_requests import not_given
from analysis.perturbations import PERTURBATIONS
from analysis.rewriting import rewriter
from judge.exchange import ExchangeFailed
from judge.models import EndpointTrait, Judging
from judge.spending import spent_on
from survey.models import Study
from tests.dashboard.conftest import likes_tuned
from tests.factories import add_judge, add_participant, make_study
from tests.servers.odd_answers import ERRORS, THOUGHT, WHOLE, WITHOUT, strict
from tests.servers.saying_endpoint import Answer, Body, completion, saying_endpoint

pytestmark = pytest.mark.embedded  # what a server says: the database changes nothing of it

ORIGINAL = "I hear how tired you are, and I am glad that you wrote to me tonight."
TEXT = "I hear you're tired; glad you wrote."
SHORTENED = PERTURBATIONS["shortened"]


@pytest.fixture
def study(db: None, settings: Settings) -> Study:
    settings.JUDGE_STAND_IN, settings.JUDGE_MAX_ATTEMPTS = False, 2
    settings.JUDGE_BACKOFF_SECONDS = 0.01
    study = make_study(scenarios=["S1", "S2", "S3"])
    for name in ("ann", "ben"):
        add_participant(study, pseudonym=name, rate=likes_tuned)
    return study


@pytest.fixture
def rewritten(study: Study, settings: Settings) -> Callable[..., tuple[str, dict[str, Any]]]:
    """Has a text rewritten at an endpoint that says something."""

    def run(say: Callable[[Body], Answer]) -> tuple[str, dict[str, Any]]:
        with saying_endpoint(say) as server:
            settings.JUDGE_ENDPOINTS = {"lab": server.settings()}
            with rewriter(
                study,
                "lab",
                "m",
                seed=1,
                before_request=lambda: None,
            ) as model:
                return model.of(SHORTENED, ORIGINAL, "S1")

    return run


@pytest.mark.parametrize("kind", WHOLE)
def test_text_is_read_however_it_comes(kind: str, rewritten: Callable[..., Any]) -> None:
    text, how = rewritten(lambda body: WHOLE[kind](TEXT))
    assert text == TEXT
    assert how["ended"] == "complete" and "why_none" not in how
    assert (THOUGHT in how.get("thinking", "")) == (
        "thinking was taken off" in how.get("notices", [])
    )


@pytest.mark.parametrize("kind", [kind for kind, of in WITHOUT.items() if of[0]().status == 200])
def test_missing_text_has_its_reason(kind: str, rewritten: Callable[..., Any]) -> None:
    answer, outcome, words = WITHOUT[kind]
    text, how = rewritten(lambda body: answer())
    assert text == ""
    assert words in how["why_none"]
    assert how["ended"] == {"unusable": "complete"}.get(outcome, outcome)


@pytest.mark.parametrize("kind", ERRORS)
def test_words_of_an_error_are_the_endpoints_own(kind: str, rewritten: Callable[..., Any]) -> None:
    answer, words = ERRORS[kind]
    with pytest.raises(ExchangeFailed) as failure:
        rewritten(lambda body: answer())
    assert words in str(failure.value) and "\n" not in str(failure.value)


def test_filter_of_one_text_leaves_the_others(study: Study, settings: Settings) -> None:
    settings.JUDGE_MAX_ATTEMPTS = 1
    answers = [
        completion("", finish_reason="content_filter"),
        Answer({"error": {"code": "content_filter", "message": "Blocked."}}, 400),
        completion(None, refusal="I won't."),
        completion(f"Here is a shorter version:\n\n{TEXT}"),
        completion("", finish_reason="length"),
    ]
    given = iter(answers)
    with saying_endpoint(lambda body: next(given)) as server:
        settings.JUDGE_ENDPOINTS = {"lab": server.settings()}
        said = perturb(study, "--perturbation", "shortened", "--responses", "5")
    run = PerturbationRun.objects.get()
    assert {(why.split(":")[0], n) for _, why, n in not_given(run)} == {
        ("a filter of the endpoint kept the answer back", 1),
        ("a filter of the endpoint kept it back", 1),
        ("the model refused, as the endpoint says", 1),
        ("the answer was cut off for its length; see max_tokens", 1),
    }
    assert "shortened: 1 not given: the model refused, as the endpoint says: I won't." in said
    (text,) = PerturbedText.objects.exclude(text="")
    assert (text.text, text.provenance["notices"]) == (TEXT, ["a preface was taken off"])


def test_what_an_endpoint_does_not_accept_is_left_out_and_said(
    rewritten: Callable[..., Any],
) -> None:
    text, how = rewritten(strict(completion(TEXT)))
    assert text == TEXT
    assert (how["temperature"], how["seed"]) == (None, None)
    assert set(EndpointTrait.objects.values_list("trait", flat=True)) == {
        "no_temperature",
        "no_seed",
    }


def test_temperature_is_the_one_that_is_set(
    rewritten: Callable[..., Any], settings: Settings
) -> None:
    _, how = rewritten(lambda body: completion(TEXT))
    assert (how["temperature"], isinstance(how["seed"], int)) == (0.0, True)
    settings.REWRITER_TEMPERATURE = 0.7
    assert rewritten(lambda body: completion(TEXT))[1]["temperature"] == 0.7
    settings.REWRITER_TEMPERATURE = None
    assert rewritten(lambda body: completion(TEXT))[1]["temperature"] is None


def perturb(study: Study, *options: str) -> str:
    """What the command says, with a rewriter that it names itself."""
    out = StringIO()
    named = ("--rewriter-endpoint", "lab", "--rewriter-model", "m")
    more = ("--metric", "words", "--no-scorer")
    call_command("perturb", str(study), *named, *more, *options, stdout=out, stderr=out)
    return out.getvalue()


def test_price_of_a_rewriter_that_is_named_counts_in_the_studys_budget(
    study: Study, settings: Settings
) -> None:
    add_judge(study, name="llama", endpoint="lab", replicates=1)
    judging = Judging.objects.get()
    judging.definition["budget"] = {"money": 0.1}
    judging.save()
    free = completion(TEXT)
    del free.body["usage"]["cost"]
    options = ("--perturbation", "casual", "--responses", "3")
    settings.REWRITER_PRICE_INPUT = settings.REWRITER_PRICE_OUTPUT = 1.0
    with saying_endpoint(lambda body: free) as server:
        settings.JUDGE_ENDPOINTS = {"lab": server.settings()}
        with pytest.raises(CommandError, match=r"give the rewriter a price .*--rewriter-price"):
            perturb(study, *options)
        said = perturb(study, *options, "--rewriter-price", "100", "200")
        assert "3 responses perturbed" in said
        # 10 tokens read and 5 written, each time.
        assert float(spent_on(study).money) == pytest.approx(3 * (10 * 100 + 5 * 200) / 1e6)
        with pytest.raises(CommandError, match="allows no more calls"):
            perturb(study, *options, "--seed", "2", "--rewriter-price", "10000", "10000")
        with pytest.raises(CommandError, match="--rewriter-price: prices are from 0 to 10000"):
            perturb(study, *options, "--rewriter-price", "-1", "2")
