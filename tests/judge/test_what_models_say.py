"""What models say reaches the database as it is meant: through a real endpoint, in every form in
which judges ask.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from threading import Lock
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from judge.configure import move_judges_here
from judge.endpoints import JudgeNotReady
from judge.models import Attempt, EndpointTrait, Judge, Score
from judge.parsing import parse_scores
from judge.plans import queue_missing
from judge.queries import progress, scoring_calls
from survey.definition.points import Point
from survey.models import Study
from tests.judge.batching import finish
from tests.judge.judging import counts, describe, outcomes, queue
from tests.judge.said import KINDS, REASONS
from tests.judge.test_together import YAML
from tests.servers.odd_answers import (
    ERRORS,
    REFUSED_PARTS,
    THOUGHT,
    WHOLE,
    WITHOUT,
    endless,
    silent,
    strict,
)
from tests.servers.saying_endpoint import Answer, Body, SayingEndpoint, completion, saying_endpoint
from tests.survey import small_study

SCALE = [Point(value=value, label=f"point {value}") for value in (1, 2, 3)]
#: Of each form: how it is asked for, the first idea, the answer, and its scores.
FORMS: dict[str, tuple[dict[str, Any], Any, Any, list[int]]] = {
    "single": ({}, {"score": 2}, {"score": 3}, [3]),
    "block": (
        {"presentation": "block"},
        {letter: {"score": 2} for letter in "ABC"},
        {"A": {"score": 3}, "B": {"score": 1}, "C": {"score": 2}},
        [3, 1, 2],
    ),
    "pair": ({"presentation": "pair"}, {"better": "A"}, {"better": "B"}, [0, 2]),
    "together": (
        {"together": True},
        {"clarity": {"score": 2}, "warmth": {"score": 2}},
        {"clarity": {"score": 3}, "warmth": {"score": 1}},
        [3, 1],
    ),
    "batch": ({"batch": True, "price": {"input": 1, "output": 1}}, {"score": 2}, {"score": 3}, [3]),
}


class Numbers:
    """Gives each question the number of a case, the same when it is asked to repair its answer."""

    def __init__(self, cases: int) -> None:
        self.cases = cases
        self.given: dict[str, int] = {}
        self.lock = Lock()

    def of(self, body: Body) -> int:
        asked = json.dumps([body["messages"][:2], body["seed"]])
        with self.lock:
            return self.given.setdefault(asked, len(self.given) % self.cases)

    def replicates(self, form: str) -> int:
        """So many that every case has its call; even, as pairs need."""
        replicates = -(-self.cases // {"block": 4, "pair": 12}.get(form, 10))
        return replicates + replicates % 2


@pytest.fixture
def says(settings: Settings) -> Callable[..., Any]:
    """Starts an endpoint that says something, and makes it the default one."""
    settings.JUDGE_STAND_IN, settings.JUDGE_ENDPOINTS = False, {}
    settings.JUDGE_MODEL, settings.JUDGE_API_KEY = "m", ""
    settings.JUDGE_BACKOFF_SECONDS, settings.JUDGE_MAX_ATTEMPTS = 0.01, 3

    @contextmanager
    def start(say: Callable[[Body], Answer]) -> Iterator[SayingEndpoint]:
        with saying_endpoint(say) as server:
            settings.JUDGE_BASE_URL = server.base_url
            yield server

    return start


@pytest.fixture
def study(db: None) -> Study:
    """Two dimensions."""
    return small_study.load(yaml=YAML)


def judged(study: Study, **definition: Any) -> Judge:
    """A judge with its calls queued, when all that can be done is done."""
    definition = {"dimensions": ["clarity"]} | definition
    if definition.get("together"):
        definition["dimensions"] = ["clarity", "warmth"]
    judge = queue(describe(study, **{"replicates": 2} | definition))
    finish(judge)
    return judge


@pytest.mark.parametrize("form", FORMS)
def test_no_score_comes_from_anything_but_the_answer(
    form: str, says: Callable[..., Any], study: Study
) -> None:
    definition, draft, answer, scores = FORMS[form]
    cases = [
        case for cases in KINDS.values() for case in cases if form == "single" or not case.alone
    ]
    texts = [
        case.text.replace("DRAFT", json.dumps(draft)).replace("ANSWER", json.dumps(answer))
        for case in cases
    ]
    numbers = Numbers(len(cases))
    with says(lambda body: completion(texts[numbers.of(body)])):
        judge = judged(study, seed=1, replicates=numbers.replicates(form), **definition)
    seen = set()
    for call in scoring_calls(judge).prefetch_related("attempts"):
        sent = list(call.attempts.all())
        number = numbers.of(sent[-1].request)
        case = cases[number]
        seen.add(number)
        got = list(call.scores.order_by("id").values_list("value", flat=True))
        if case.right == "answer":
            assert (call.state, got, len(sent)) == ("answered", scores, 1), texts[number]
        else:
            assert (call.state, got) == ("failed", []), texts[number]
            assert [each.outcome for each in sent] == ["unusable"] * 2, texts[number]
    assert len(seen) == len(cases)


@pytest.mark.parametrize("text", REASONS)
def test_reason_is_kept_as_it_is_written(text: str) -> None:
    (scored,) = parse_scores(text, SCALE)
    assert (scored.score, scored.reason) == (3, REASONS[text])


@pytest.mark.parametrize("form", FORMS)
def test_answer_is_read_however_it_comes(form: str, says: Callable[..., Any], study: Study) -> None:
    definition, _, answer, scores = FORMS[form]
    text, kinds = json.dumps(answer), list(WHOLE)
    numbers = Numbers(len(kinds))
    with says(lambda body: WHOLE[kinds[numbers.of(body)]](text)):
        judge = judged(study, seed=1, replicates=numbers.replicates(form), **definition)
    assert set(counts(judge)) == {"answered"}
    seen = set()
    for attempt in Attempt.objects.filter(call__judge=judge):
        kind = kinds[numbers.of(attempt.request)]
        seen.add(kind)
        assert attempt.outcome == "answered"
        assert list(attempt.call.scores.order_by("id").values_list("value", flat=True)) == scores
        thinks = any(word in kind for word in ("thinking", "reasoning", "channels", "both"))
        thinks |= kind in ("parts", "parts of parts")
        assert (THOUGHT in attempt.thinking) == thinks
        assert bool(attempt.provenance["notices"]) == (attempt.raw_text != text or thinks)
    assert seen == set(kinds)


@pytest.mark.parametrize("form", FORMS)
def test_missing_answer_has_the_name_of_what_became_of_it(
    form: str, says: Callable[..., Any], study: Study
) -> None:
    kinds = list(WITHOUT)
    numbers = Numbers(len(kinds))
    with says(lambda body: WITHOUT[kinds[numbers.of(body)]][0]()):
        judge = judged(study, seed=1, replicates=numbers.replicates(form), **FORMS[form][0])
    assert not Score.objects.exists()
    assert set(counts(judge)) == {"failed"} and not progress(judge).stopped
    assert set(outcomes(judge)) == {"unusable", "cut_off", "filtered", "refused"}
    seen = set()
    for call in scoring_calls(judge).prefetch_related("attempts"):
        sent = list(call.attempts.all())
        kind = kinds[numbers.of(sent[0].request)]
        _, outcome, words = WITHOUT[kind]
        seen.add(kind)
        assert [each.outcome for each in sent] == [outcome] * (2 if outcome == "unusable" else 1)
        assert words in call.error and "no number" not in call.error
        for attempt in sent:
            assert "thinking" not in kind or THOUGHT in attempt.thinking
    assert seen == set(kinds)


@pytest.mark.parametrize("kind", ERRORS)
def test_own_words_of_a_server_reach_the_researcher(
    kind: str, says: Callable[..., Any], study: Study
) -> None:
    answer, words = ERRORS[kind]
    with says(lambda body: answer()):
        judge = judged(study, replicates=1)
    said = {attempt.error for attempt in Attempt.objects.filter(call__judge=judge)}
    assert len(said) == 1 and words in said.pop()
    assert not Score.objects.exists()
    assert "\n" not in progress(judge).last_error


@pytest.mark.parametrize("sends", ["nothing", "blanks"])
def test_endpoint_that_never_ends_is_left_in_time(
    sends: str, says: Callable[..., Any], study: Study, settings: Settings
) -> None:
    settings.JUDGE_TIMEOUT_SECONDS, settings.JUDGE_MAX_ATTEMPTS = 0.3, 1
    settings.JUDGE_CONCURRENCY = 10
    parts = endless if sends == "blanks" else silent
    with says(lambda body: Answer("", parts=parts)) as server:
        judge = judged(study, replicates=1)
        assert f"{server.base_url} did not answer within 0.3 s" in progress(judge).last_error
    assert set(outcomes(judge)) == {"timeout"}


@pytest.mark.parametrize("form", FORMS)
def test_what_an_endpoint_does_not_accept_is_found_out_and_left_out(
    form: str, says: Callable[..., Any], study: Study
) -> None:
    definition, _, answer, _ = FORMS[form]
    with says(strict(completion(json.dumps(answer)))) as server:
        judge = judged(study, seed=3, max_tokens=50, temperature=0.5, **definition)
        assert set(counts(judge)) == {"answered"}, (progress(judge), outcomes(judge))
        found = EndpointTrait.objects.values_list("trait", flat=True)
        assert set(found) == set(REFUSED_PARTS)
        last = server.asked[-1]
        assert [each["role"] for each in last["messages"]] == ["user"]
        assert last["max_completion_tokens"] == 50
        assert not last.keys() & {"seed", "temperature", "max_tokens"}
        stored = Attempt.objects.filter(call__judge=judge).latest("id")
        assert stored.request == last, "what is stored is what was sent"
        # Another judge of that model knows it from the start.
        refused = Attempt.objects.filter(outcome="http_error").count()
        other = judged(study, seed=4, temperature=0.5, max_tokens=60, **definition)
        assert set(counts(other)) == {"answered"}
        assert Attempt.objects.filter(outcome="http_error").count() == refused


def test_traits_that_are_set_are_kept_to_from_the_first_request(
    says: Callable[..., Any], study: Study, settings: Settings
) -> None:
    settings.JUDGE_TRAITS = "no_system_role no_seed"
    with says(lambda body: completion('{"score": 3}')) as server:
        judge = judged(study, seed=3, replicates=1)
    assert set(counts(judge)) == {"answered"}
    assert {each["role"] for body in server.asked for each in body["messages"]} == {"user"}
    assert not any("seed" in body for body in server.asked)
    assert all("temperature" in body for body in server.asked)
    assert not EndpointTrait.objects.exists()


def test_trait_that_is_set_not_to_be_is_not_found_out(
    says: Callable[..., Any], study: Study, settings: Settings
) -> None:
    settings.JUDGE_TRAITS = "none"
    with says(strict(completion('{"score": 3}'))):
        judge = judged(study, replicates=1)
    assert "System role not supported" in progress(judge).stopped
    assert not EndpointTrait.objects.exists()


def test_unknown_trait_is_refused_with_its_variable(
    says: Callable[..., Any], study: Study, settings: Settings
) -> None:
    settings.JUDGE_TRAITS = "no_sede"
    with pytest.raises(JudgeNotReady, match="JUDGE_TRAITS: 'no_sede' is unknown; did you mean"):
        move_judges_here(describe(study).study)


def test_repair_shows_a_judge_its_answer_without_its_thinking(
    says: Callable[..., Any], study: Study
) -> None:
    with says(lambda body: completion("<think>A 2?</think>Rather warm.<|im_end|>")) as server:
        judged(study, replicates=1)
    repairs = [body["messages"] for body in server.asked if len(body["messages"]) > 2]
    assert len(repairs) == 10
    assert {messages[2]["content"] for messages in repairs} == {"Rather warm."}


# What was read before


def reread(*arguments: str) -> list[str]:
    out = StringIO()
    call_command("judge", *arguments, "--reread", stdout=out, stderr=out)
    return out.getvalue().splitlines()


@pytest.mark.parametrize("form", FORMS)
def test_answers_that_would_be_read_otherwise_are_listed_and_stay(
    form: str, says: Callable[..., Any], study: Study
) -> None:
    definition, draft, answer, _ = FORMS[form]
    with says(lambda body: completion(json.dumps(answer))):
        judge = judged(study, **definition)
    assert reread("small") == ["judge@1: 0 answers would be read otherwise"]
    # As an earlier release stored them: the draft as the score, or no score for "3".
    thinking = f"Maybe {json.dumps(draft)}?\n</think>\n\n{json.dumps(answer)}"
    attempts = Attempt.objects.filter(call__judge=judge).order_by("id")
    first, second = list(attempts[:2])
    Attempt.objects.filter(pk=first.pk).update(raw_text=thinking)
    Score.objects.filter(call=first.call).update(value=1)
    Attempt.objects.filter(pk=second.pk).update(outcome="unusable", error="there is no number")
    Score.objects.filter(call=second.call).delete()
    stored = list(Score.objects.order_by("id").values_list("id", "value"))
    lines = reread("small", "--judge", "judge")
    assert len(lines) == 4
    assert lines[0].startswith(f"{first.call}, attempt 1: 1") and "→" in lines[0]
    assert lines[1].startswith(f"{second.call}, attempt 1: no score: there is no number → ")
    assert lines[2:] == [
        "judge@1: 2 answers would be read otherwise",
        "Nothing was changed: scores stand as they were read.",
    ]
    assert list(Score.objects.order_by("id").values_list("id", "value")) == stored


def test_score_from_a_draft_that_is_no_answer_now_is_listed(
    says: Callable[..., Any], study: Study
) -> None:
    with says(lambda body: completion('{"score": 3}')):
        judge = judged(study, replicates=1)
    attempt = Attempt.objects.filter(call__judge=judge).earliest("id")
    Attempt.objects.filter(pk=attempt.pk).update(raw_text='<think>First: {"score": 3}. But')
    assert reread("small")[0].endswith(
        "3 → no score: there is no answer: its thinking does not end"
    )
    with pytest.raises(CommandError, match="has no judge 'juge'"):
        reread("small", "--judge", "juge")


def test_first_prompt_is_printed_as_it_would_be_sent(
    says: Callable[..., Any], study: Study, settings: Settings
) -> None:
    describe(study, dimensions=["clarity"])
    out = StringIO()
    call_command("judge", "small", "--dry-run", stdout=out, stderr=out)
    said = out.getvalue()
    assert "  The first prompt:\n    [system]\n" in said and "\n    [user]\n" in said
    assert "    Question: How clear is this response?" in said
    settings.JUDGE_TRAITS = "no_system_role"
    call_command("judge", "small", "--dry-run", stdout=(out := StringIO()), stderr=out)
    assert "[system]" not in out.getvalue()
    assert not Attempt.objects.exists()


# Templates of the study


TEMPLATES: dict[str, tuple[dict[str, Any], str, list[int]]] = {
    "form": (
        {"template": "{prompt}\n{response}\n{scale}\n- {dimension}:", "answer": "- {dimension}: *"},
        "- Clarity: 3",
        [3],
    ),
    "brackets": (
        {"template": "{prompt}\n{response}", "system": "Be fair.", "answer": "[[*]]"},
        "Not [[1]], I think.\n\nRating: [[3]]",
        [3],
    ),
    "number": ({"template": "{response}: from 1 to 3?", "answer": "number"}, "3", [3]),
    "pair": (
        {
            "template": "{prompt}\n{response_a}\n{response_b}",
            "presentation": "pair",
            "answer": "[[*]]",
        },
        "Both are equally good: [[C]]",
        [1, 1],
    ),
    "batch": (
        {
            "template": "{response}",
            "answer": "[[*]]",
            "batch": True,
            "price": {"input": 1, "output": 1},
        },
        "[[3]]",
        [3],
    ),
}


@pytest.mark.parametrize("kind", TEMPLATES)
def test_template_is_sent_as_it_is_and_its_answer_read(
    kind: str, says: Callable[..., Any], study: Study
) -> None:
    definition, text, scores = TEMPLATES[kind]
    with says(lambda body: completion(f"<think>[[2]] - Clarity: 2</think>{text}")) as server:
        judge = describe(study, dimensions=["clarity"], replicates=2, **definition)
        queue_missing(judge)
        finish(judge)
    assert set(counts(judge)) == {"answered"}
    assert not judge.calls.filter(response=None, block=None).exists(), "it needs no schema"
    for call in scoring_calls(judge).prefetch_related("scores"):
        assert [score.value for score in call.scores.all()] == scores
    assert not any("response_format" in body for body in server.asked)
    roles = ["system", "user"] if "system" in definition else ["user"]
    assert {tuple(m["role"] for m in body["messages"]) for body in server.asked} == {tuple(roles)}
    assert not any("{" in body["messages"][-1]["content"] for body in server.asked)


def test_answer_in_another_form_is_sent_back_in_its_own_words(
    says: Callable[..., Any], study: Study
) -> None:
    definition, _, _ = TEMPLATES["brackets"]
    with says(lambda body: completion("I'd say three.")) as server:
        judge = describe(study, dimensions=["clarity"], replicates=1, **definition)
        queue_missing(judge)
        finish(judge)
    assert set(counts(judge)) == {"failed"}
    repair = next(body for body in server.asked if len(body["messages"]) == 4)
    assert repair["messages"][-1]["content"] == (
        "That can't be used: [[*]] is not in the answer. "
        "End your answer with [[*]], with a point's number in place of *."
    )
