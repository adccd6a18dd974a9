"""A judge's own page: its configuration, its progress, its failures, and each of its scores."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from judge import calls
from judge.models import Attempt, Batch, Call, Judge, StructuredOutput
from judge.plans import plan_calls
from judge.seeds import KEPT
from survey.models import Study
from tests.dashboard.conftest import Woken
from tests.dashboard.judging import add_attempt, answer_calls, describe, fail_call, planned
from tests.dashboard.reading import tables_of, text_of
from tests.factories import make_study

# What pages show and say; test_pages.py opens them on every database.
pytestmark = pytest.mark.embedded

JUDGE = "/studies/small/gold/judges/stand-in@1/"


@pytest.fixture
def asked_elsewhere(settings: Settings, study: Study) -> Judge:
    """A judge at an address that needs a key, which is there; its calls are planned."""
    settings.JUDGE_STAND_IN = False
    settings.JUDGE_BASE_URL, settings.JUDGE_API_KEY = "https://judges.example/v1", "key"
    settings.JUDGE_MODEL = "owl"
    return planned(study, name="stand-in", replicates=2)


# ── Configuration ────────────────────────────────────────────────────────────────────────────


def test_page_shows_the_whole_configuration(page: Client, study: Study, settings: Settings) -> None:
    settings.JUDGE_BASE_URL, settings.JUDGE_API_KEY = "https://judges.example/v1", "key"
    (judge,) = describe(
        study,
        {
            "name": "owl",
            "model": "owl-70b",
            "family": "Owl",
            "rubric": "Weigh warmth.",
            "reasons": True,
            "replicates": 4,
            "temperature": 0.5,
            "seed": 7,
            "max_tokens": 100,
            "options": {"provider": {"order": ["groq"]}},
            "price": {"input": 0.25, "output": 0.5},
        },
    )
    shown = text_of(page.get("/studies/small/gold/judges/owl@1/"))
    for said in (
        "Model owl-70b",
        "Endpoint default: https://judges.example/v1",
        "Family Owl",
        "Structured output not tested yet: the first request tests it",
        "Shown one response at a time",
        "Asked 4 times each, with a reason for each score",
        "Temperature 0.5",
        "Seed 7; each call derives its own from it",
        "Longest answer 100 tokens",
        "Price 0.25 USD in and 0.5 USD out per million tokens",
        "Scale 1 = label 1; 2 = label 2",
        "Warmth warmth? Weigh warmth.",
        '"groq"',
        "The first request, as it is sent system Below are the prompt and one response.",
        "<response> Ant plain answers S1 </response>",
        '"seed": 1783159705',
    ):
        assert said in shown, said
    StructuredOutput.objects.create(
        endpoint=judge.endpoint, model="owl-70b", support=StructuredOutput.Support.ENFORCED
    )
    shown = text_of(page.get("/studies/small/gold/judges/owl@1/"))
    assert "Structured output answers keep to a JSON schema (tested" in shown
    assert '"response_format"' in shown


def test_judge_of_an_earlier_release_says_that_it_keeps_its_seeds(
    page: Client, study: Study
) -> None:
    judge = planned(study, name="stand-in", seed=7)
    assert KEPT not in text_of(page.get(JUDGE))
    judge.configuration |= {"prompt_format": 2}
    judge.save()
    shown = text_of(page.get(JUDGE))
    assert f"{judge} {KEPT}" in shown
    assert "Seed 7, plus the number of the replicate, the same for every text" in shown


def test_judge_of_blocks_shows_what_it_is_sent(page: Client, judge: Judge) -> None:
    describe(judge.study, {"name": "blocks", "presentation": "block"})
    shown = text_of(page.get("/studies/small/gold/judges/blocks@1/"))
    assert "3 responses" in shown and '<response name="A">' in shown


@pytest.mark.parametrize("name", ["nobody@1", "stand-in@2", "stand-in@0", "stand-in"])
def test_judge_that_is_not_there_is_not_found(page: Client, judge: Judge, name: str) -> None:
    assert page.get(f"/studies/small/gold/judges/{name}/").status_code == 404


def test_earlier_version_says_why_it_is_asked_no_more(page: Client, judge: Judge) -> None:
    answer_calls(judge.calls.all())
    describe(judge.study, {"name": "stand-in", "replicates": 2, "rubric": "Weigh warmth."})
    shown = text_of(page.get(JUDGE))
    assert "Judge stand-in@1" in shown and "earlier version" in shown
    assert "This version no longer scores: replaced by stand-in@2" in shown
    assert "Score missing responses" not in shown
    assert "stand-in@1" in text_of(page.get("/studies/small/gold/"))


# ── Progress and what holds it up ────────────────────────────────────────────────────────────


def test_progress_says_what_the_scores_rest_on_and_what_was_sent(
    page: Client, judge: Judge
) -> None:
    first, second, third = judge.calls.all()[:3]
    answer_calls([first])
    fail_call(second, "no number in it")
    add_attempt(third, "unknown")
    shown = text_of(page.get(JUDGE))
    assert "This judge is a stand-in, not a language model." in shown
    assert "1 of 20 calls valid: 0 running, 18 waiting, 1 failed." in shown
    assert "Requests sent 3, 1 of them possibly billed without an answer" in shown
    assert "1 × answered" in shown
    assert "1 × worker or batch lost: possibly answered and paid" in shown


def test_page_says_which_models_answered(page: Client, judge: Judge) -> None:
    for call in judge.calls.all()[:3]:
        add_attempt(call, "answered", returned_model="owl-0613")
    shown = text_of(page.get(JUDGE))
    assert "Answered by owl-0613 (3)" in shown and "several models" not in shown
    add_attempt(judge.calls.all()[3], "answered", returned_model="owl-0801")
    shown = text_of(page.get(JUDGE))
    assert "Answered by owl-0613 (3) , owl-0801 (1) several models" in shown


def test_progress_alone_says_when_it_is_over(page: Client, judge: Judge) -> None:
    assert f'data-live="{JUDGE.replace("small", "small@1")}progress/"' in (
        page.get(JUDGE).content.decode()
    )
    assert "X-Finished" not in page.get(f"{JUDGE}progress/")
    answer_calls(judge.calls.all())
    assert page.get(f"{JUDGE}progress/")["X-Finished"] == "1"
    assert "data-live" not in page.get(JUDGE).content.decode()


@pytest.mark.parametrize(
    ("outcome", "status", "error", "advice"),
    [
        ("http_error", 401, "the endpoint answered HTTP 401: no such key", "correct JUDGE_API_KEY"),
        ("http_error", 402, "the endpoint answered HTTP 402: no credit", "top it up"),
        (
            "http_error",
            404,
            "the endpoint answered HTTP 404: no such model",
            "correct the judge's model in study.yaml and load it, or JUDGE_MODEL",
        ),
        ("http_error", 400, "the endpoint answered HTTP 400: bad option", "the judge's options"),
        ("http_error", 503, "the endpoint answered HTTP 503: busy", "trouble of its own"),
        ("http_error", 429, "the endpoint answered HTTP 429: slower", "lower JUDGE_CONCURRENCY"),
        ("not_connected", None, "could not exchange data: refused", "Nothing answers at that"),
        ("garbled", 200, "answered with a web page instead", "correct JUDGE_BASE_URL"),
        ("timeout", None, "did not answer within 60 s", "raise JUDGE_TIMEOUT_SECONDS"),
    ],
)
def test_what_stopped_a_judge_stands_with_what_to_do_on_both_pages(
    page: Client,
    asked_elsewhere: Judge,
    outcome: str,
    status: int | None,
    error: str,
    advice: str,
) -> None:
    call = asked_elsewhere.calls.all()[0]
    add_attempt(call, outcome, http_status=status, error=error, ended_at=timezone.now())
    calls.stop(asked_elsewhere.pk, f"8 failures in a row; the last: {error}")
    for address in ("/studies/small/gold/", JUDGE):
        shown = text_of(page.get(address))
        assert f"stand-in@1 was stopped. 8 failures in a row; the last: {error}." in shown
        assert advice in shown
        assert "Resume" in shown


def test_used_up_budget_says_what_to_raise(page: Client, asked_elsewhere: Judge) -> None:
    calls.stop(asked_elsewhere.pk, "the study's budget of 5 requests is used up; raise it")
    shown = text_of(page.get(JUDGE))
    assert "was stopped. The study's budget of 5 requests is used up; raise it." in shown


def test_judge_that_tries_again_by_itself_says_until_when_it_waits(
    page: Client, asked_elsewhere: Judge
) -> None:
    call = asked_elsewhere.calls.all()[0]
    add_attempt(call, "not_connected", error="nobody there", ended_at=timezone.now())
    until = timezone.now() + timedelta(minutes=5)
    Judge.objects.update(failures_in_a_row=3, not_before=until)
    shown = text_of(page.get(JUDGE))
    assert f"has trouble and will try again, not before {until:%H:%M:%S} UTC" in shown
    assert "Nobody there. Nothing answers at that address" in shown


def test_error_that_is_long_past_worries_nobody(page: Client, asked_elsewhere: Judge) -> None:
    first, second = asked_elsewhere.calls.all()[:2]
    add_attempt(first, "timeout", error="too slow", ended_at=timezone.now())
    answer_calls([second])
    assert "too slow" not in text_of(page.get(JUDGE)).lower()


def test_calls_in_a_batch_are_counted_with_the_time_since_when(
    page: Client, asked_elsewhere: Judge
) -> None:
    batch = Batch.objects.create(
        judge=asked_elsewhere,
        state="running",
        key="k",
        sent_at="2026-03-01T14:05Z",
        said="in_progress, 1 of 3 done",
    )
    for call in asked_elsewhere.calls.all()[:3]:
        Call.objects.filter(pk=call.pk).update(state="running")
        add_attempt(call, "in_flight", batch=batch)
    shown = text_of(page.get(JUDGE))
    assert "3 calls are in a batch since 2026-03-01 14:05 UTC." in shown
    assert "Last heard: in_progress, 1 of 3 done." in shown
    Batch.objects.update(state="ended")
    Attempt.objects.update(outcome="answered")
    assert "in a batch" not in text_of(page.get(JUDGE))


def test_page_says_which_examples_the_judge_has(page: Client, study: Study) -> None:
    examples = {"source": "panel experts", "number": 2, "seed": 3}
    (judge,) = describe(study, {"name": "owl", "examples": examples})
    shown = text_of(page.get("/studies/small/gold/judges/owl@1/"))
    assert "Examples none yet: panel experts has too few ratings" in shown
    drawn = [
        {"scenario": name, "prompt": "p", "context": "", "response": "r", "scores": {"warmth": 2}}
        for name in ("S1", "S2")
    ]
    Judge.objects.update(configuration=judge.configuration | {"drawn": drawn})
    shown = text_of(page.get("/studies/small/gold/judges/owl@1/"))
    assert "Examples 2 responses with the ratings of panel experts (scenarios" in shown
    assert "S1, S2; seed 3)" in shown
    assert "They are left out where this judge is compared with people." in shown


def test_page_says_what_is_not_accepted_and_not_used(
    page: Client, asked_elsewhere: Judge, settings: Settings
) -> None:
    settings.JUDGE_TRAITS = "no_system_role no_temperature"
    template = {"name": "brackets", "template": "Rate {response}", "answer": "[[*]]", "seed": 1}
    describe(asked_elsewhere.study, template)
    shown = text_of(page.get("/studies/small/gold/judges/brackets@1/"))
    assert "Structured output not used: the answer is no JSON" in shown
    assert "system role (instructions go into the user's message)" in shown
    assert "temperature (no temperature is sent)" in shown
    assert "Temperature 1.0 (not sent: not accepted) Seed 1; each call" in shown


# ── Failures ─────────────────────────────────────────────────────────────────────────────────


def test_failures_come_with_their_raw_text_as_text(page: Client, judge: Judge) -> None:
    fail_call(judge.calls.all()[0], "no number in it", "<i>ill</i>")
    answer = page.get(JUDGE)
    assert "1 × no number in it" in text_of(answer)
    assert tables_of(answer)[0][1][:5] == [
        "S1", "Ant (Plain)", "Warmth", "1", "no number in it <i>ill</i>",
    ]  # fmt: skip
    assert b"<i>ill" not in answer.content


def test_failed_call_about_a_block_names_it(page: Client, judge: Judge) -> None:
    (blocks,) = describe(judge.study, {"name": "blocks", "presentation": "block"})
    plan_calls(blocks)
    fail_call(blocks.calls.all()[0], "no JSON")
    row = tables_of(page.get("/studies/small/gold/judges/blocks@1/"))[0][1]
    assert row[:2] == ["S1", "block 1"]


def test_one_failed_call_is_asked_again(page: Client, judge: Judge, woken: Woken) -> None:
    first, second = judge.calls.all()[:2]
    fail_call(first, "no number in it")
    fail_call(second, "no number in it")
    calls.stop(judge.pk, "enough")
    answer = page.post(f"{JUDGE}retry/", {"call": first.pk}, follow=True)
    assert "The call is queued." in text_of(answer)
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.state, second.state) == ("waiting", "failed")
    assert Judge.objects.get().stopped == ""
    assert woken == [("judge.run", judge.pk)]


def test_all_failed_calls_are_asked_again(page: Client, judge: Judge, woken: Woken) -> None:
    for call in judge.calls.all()[:3]:
        fail_call(call, "no number in it")
    answer_calls(judge.calls.filter(state="waiting"))
    answer = page.post(f"{JUDGE}retry/", follow=True)
    assert "3 calls are queued." in text_of(answer)
    assert judge.calls.filter(state="waiting").count() == 3
    assert woken == [("judge.run", judge.pk)]


def test_refused_and_cut_off_calls_are_asked_again_by_retry_alone(
    page: Client, judge: Judge, woken: Woken
) -> None:
    for call, outcome in zip(judge.calls.all()[:3], ("refused", "cut_off", "cut_off"), strict=True):
        fail_call(call, outcome)
        call.attempts.update(outcome=outcome)
    answer_calls(judge.calls.filter(state="waiting"))
    said = text_of(page.post("/studies/small/gold/score/", {"judge": judge.name}, follow=True))
    assert "3 calls ended without a score (1 refused, 2 cut off) and are not asked again." in said
    assert "no scores are missing" not in said
    assert not judge.calls.filter(state="waiting").exists()
    assert woken == []
    assert "3 calls are queued." in text_of(page.post(f"{JUDGE}retry/", follow=True))
    assert judge.calls.filter(state="waiting").count() == 3


def test_call_of_another_judge_or_none_is_not_found(
    page: Client, judge: Judge, woken: Woken
) -> None:
    other, _ = describe(judge.study, {"name": "other"}, {"name": "stand-in", "replicates": 2})
    plan_calls(other)
    for call in (other.calls.all()[0].pk, "9" * 18, "9" * 30, "x", "²"):
        assert page.post(f"{JUDGE}retry/", {"call": call}).status_code == 404
    assert woken == []


def test_earlier_version_is_not_asked_again(page: Client, judge: Judge, woken: Woken) -> None:
    call = judge.calls.all()[0]
    fail_call(call, "no number in it")
    answer_calls(judge.calls.filter(state="waiting"))
    describe(judge.study, {"name": "stand-in", "rubric": "Weigh warmth."})
    answer = page.post(f"{JUDGE}retry/", {"call": call.pk}, follow=True)
    assert "nothing was queued, because it is an earlier version" in text_of(answer)
    assert Call.objects.get(pk=call.pk).state == "failed"
    assert woken == []


def test_retry_without_a_key_says_so(
    page: Client, asked_elsewhere: Judge, settings: Settings, woken: Woken
) -> None:
    call = asked_elsewhere.calls.all()[0]
    fail_call(call, "no number in it")
    settings.JUDGE_API_KEY = ""
    answer = page.post(f"{JUDGE}retry/", {"call": call.pk}, follow=True)
    assert "nothing was queued, because JUDGE_API_KEY is missing" in text_of(answer)
    assert Call.objects.get(pk=call.pk).state == "failed"


# ── Scores ───────────────────────────────────────────────────────────────────────────────────


def test_single_scores_stand_side_by_side_with_reasons_and_mean(page: Client, judge: Judge) -> None:
    one = judge.calls.filter(response__text="Ant plain answers S1")
    answer_calls(one, lambda _, call: 3 + call.replicate)
    fail_call(judge.calls.get(response__text="Ant tuned answers S1", replicate=2), "no number")
    answer = page.get(JUDGE)
    scored, failed = tables_of(answer)[1][1:3]
    assert scored[:3] == ["S1", "Ant Plain", "Warmth"]
    assert scored[4].startswith(
        "4 : replicate 1 of Ant (plain), S1, warmth It is 4 5 : replicate 2"
    )
    assert scored[5:] == ["2 of 2", "4.50"]
    assert "failed : replicate 2" in failed[4] and "no number" in failed[4]
    assert failed[5:] == ["0 of 2", "–"]
    for call in one:
        assert f'href="/studies/small@1/gold/calls/{call.pk}/"' in answer.content.decode()


def test_response_in_several_blocks_has_its_scores_in_each(page: Client, judge: Judge) -> None:
    (blocks,) = describe(judge.study, {"name": "blocks", "presentation": "block", "replicates": 1})
    plan_calls(blocks)
    answer_calls(blocks.calls.filter(block__set_name="1"), lambda *_: 2)
    answer_calls(blocks.calls.filter(block__set_name="2"), lambda *_: 4)
    rows = tables_of(page.get("/studies/small/gold/judges/blocks@1/"))[0][1:]
    oracle = next(row for row in rows if row[1] == "Oracle Reference")
    assert "in 1" in oracle[4] and "in 2" in oracle[4]
    assert oracle[5:] == ["2 of 2", "3.00"]


def test_responses_come_in_pages(
    page: Client, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.judges.judge_views.RESPONSES_SHOWN", 4)
    first, last = page.get(JUDGE), page.get(f"{JUDGE}?page=3")
    assert "Responses 1–4 of 10" in text_of(first)
    assert len(tables_of(first)[-1]) == 5 and len(tables_of(last)[-1]) == 3
    assert 'href="?page=2#scores-heading"' in first.content.decode()


# ── One call ─────────────────────────────────────────────────────────────────────────────────


def test_call_shows_every_attempt_with_its_provenance(page: Client, judge: Judge) -> None:
    call = judge.calls.all()[0]
    add_attempt(call, "unusable", raw_text="well <b>", error="no JSON object", cost="0.25")
    answer_calls([call], lambda *_: 4)
    Attempt.objects.filter(call=call, number=2).update(
        is_repair=True,
        returned_model="owl-70b-0613",
        prompt_hash="f" * 64,
        cost_is_estimate=True,
        provenance={
            "response_id": "chat-1",
            "provider": "groq",
            "system_fingerprint": "fp_1",
            "usage": {"prompt_tokens": 120},
            "latency_seconds": 0.75,
            "versions": {"openai": "3.52"},
        },
    )
    answer = page.get(f"/studies/small/gold/calls/{call.pk}/")
    shown = text_of(answer)
    assert tables_of(answer)[0][1] == [
        "Ant (Plain)", "Ant plain answers S1 Ant plain answers S1", "4", "It is 4",
    ]  # fmt: skip
    for said in (
        "Attempt 1: answered, but with no usable score",
        "Error no JSON object",
        "Cost 0.250000 USD Versions",
        "well <b>",
        "Attempt 2: answered",
        "to repair the previous answer",
        "m requested, owl-70b-0613 answered",
        "Provider groq",
        "Fingerprint fp_1",
        "Their response id chat-1",
        "prompt_tokens 120",
        "after 0.75 s",
        "Cost 0.005000 USD (estimated)",
        "Versions openai 3.52",
        "f" * 64,
        "user How warm is it?",
    ):
        assert said in shown, said
    assert b"well <b>" not in answer.content


def test_call_about_a_block_shows_its_responses_as_the_judge_saw_them(
    page: Client, judge: Judge
) -> None:
    (blocks,) = describe(judge.study, {"name": "blocks", "presentation": "block"})
    plan_calls(blocks)
    call = blocks.calls.all()[0]
    rows = tables_of(page.get(f"/studies/small/gold/calls/{call.pk}/"))[0][1:]
    assert [row[0] for row in rows] == ["A", "B", "C"]
    assert {row[1] for row in rows} == {"Ant (Plain)", "Ant (Tuned)", "Oracle (Reference)"}


def test_probe_is_shown_as_what_it_is(page: Client, judge: Judge) -> None:
    probe = judge.calls.create(replicate=0)
    shown = text_of(page.get(f"/studies/small/gold/calls/{probe.pk}/"))
    assert "Does the endpoint enforce a JSON schema?" in shown
    assert "No request was sent yet." in shown


def test_call_of_another_study_is_not_found(page: Client, judge: Judge) -> None:
    make_study(slug="other")
    call = judge.calls.all()[0]
    assert page.get(f"/studies/other/gold/calls/{call.pk}/").status_code == 404
