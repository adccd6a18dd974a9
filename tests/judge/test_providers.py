"""The real client against a real server: replies, and every way of failing."""

import json
import socket
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from email.utils import format_datetime
from typing import Any

import pytest

from judge import providers
from judge.exchange import ExchangeFailed, JudgeRequest, Reply, Scope, Tokens
from judge.providers import Provider, retry_after_seconds
from tests.servers.faulty_judge import FaultyJudge, faulty_judge
from tests.servers.judge_faults import Plan

pytestmark = pytest.mark.slow  # starts servers, some of which never answer

REQUEST = JudgeRequest(
    id="request-1",
    model="m",
    messages=[
        {"role": "system", "content": "Scale:\n1 = Low\n2 = High\n"},
        {"role": "user", "content": "<message>\nI failed.\n</message>\n\n<reply>\nOh.\n</reply>"},
    ],
    temperature=None,
    max_tokens=None,
    seed=None,
)


def client(server: FaultyJudge, *, api_key: str = "", seconds: float = 60) -> Provider:
    return Provider(
        base_url=server.base_url,
        api_key=api_key,
        timeout_seconds=seconds,
        address_setting="JUDGE_BASE_URL",
        model_source="the judge's model in study.yaml, or JUDGE_MODEL",
    )


def fail(plan: Plan, *, api_key: str = "") -> ExchangeFailed:
    """How one request fails."""
    with faulty_judge(plan) as server:
        provider = client(server, api_key=api_key)
        with pytest.raises(ExchangeFailed) as failure:
            provider.ask(REQUEST).result()
        provider.close()
        assert len(server.log) == 1, "the client does not try again by itself"
    return failure.value


def answer(plan: Plan, *, api_key: str = "") -> Reply:
    """What one request is answered."""
    with faulty_judge(plan) as server:
        provider = client(server, api_key=api_key)
        reply = provider.ask(REQUEST).result()
        provider.close()
    return reply


def test_reply_holds_text_and_provenance_and_the_server_our_request_id() -> None:
    with faulty_judge() as server:
        provider = client(server)
        reply = provider.ask(REQUEST).result()
        provider.close()
        (entry,) = server.log
    assert entry.request_id == "request-1"
    assert (reply.text, reply.model) == (f'{{"score": {entry.score}}}', "m-served")
    assert (reply.said.is_whole, reply.cost) == (True, Decimal(str(entry.cost)))
    assert reply.tokens == Tokens(19, 3)
    assert reply.provenance.pop("latency_seconds") > 0
    assert set(reply.provenance.pop("versions")) == {"python", "openai", "httpx2", "pydantic"}
    assert reply.provenance == {
        "response_id": "faulty-0",
        "finish_reason": "stop",
        "provider": "faults-inc",
        "system_fingerprint": "fp_faulty",
        "usage": {
            "prompt_tokens": 19,
            "completion_tokens": 3,
            "total_tokens": 22,
            "cost": entry.cost,
        },
        "notices": [],
    }


def test_body_is_sent_as_it_is_recorded() -> None:
    request = replace(
        REQUEST,
        temperature=0.5,
        max_tokens=20,
        seed=3,
        schema={"type": "object"},
        options={"provider": {"order": ["groq"], "allow_fallbacks": False}, "top_k": 1},
    )
    with faulty_judge() as server:
        provider = client(server)
        provider.ask(request).result()
        provider.ask(REQUEST).result()
        provider.close()
        full, bare = server.log
    assert full.body == request.body()
    assert bare.body == REQUEST.body()
    assert set(bare.body) == {"model", "messages"}


def test_cost_that_an_endpoint_does_not_state_is_unknown() -> None:
    with faulty_judge(Plan(states_cost=False)) as server:
        provider = client(server)
        reply = provider.ask(REQUEST).result()
        provider.close()
    assert (reply.cost, reply.tokens) == (None, Tokens(19, 3))


def test_cost_counts_from_a_header_where_usage_has_none() -> None:
    header = {"x-litellm-response-cost": "0.00025"}
    assert answer(Plan(states_cost=False, headers=header)).cost == Decimal("0.00025")
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "cost": 0.5}
    assert answer(Plan(completion={"usage": usage}, headers=header)).cost == Decimal("0.5")


@pytest.mark.parametrize("cost", [-1e-9, 1e4, 1e6, 1e19, 1e300, True, "0.1", None])
def test_cost_that_no_answer_has_is_unknown(cost: object) -> None:
    assert answer(Plan(completion={"usage": {"cost": cost}})).cost is None


@pytest.mark.parametrize("cost", ["-1", "10000", "1e300", "inf", "nan", "free", ""])
def test_header_of_a_cost_that_no_answer_has_is_ignored(cost: str) -> None:
    header = {"x-litellm-response-cost": cost}
    assert answer(Plan(states_cost=False, headers=header)).cost is None


@pytest.mark.parametrize(
    ("stated", "cost"), [(0, "0"), (1e-12, "1E-12"), (9999.99, "9999.99"), (3, "3")]
)
def test_cost_of_any_size_that_an_answer_may_have_is_taken(stated: float, cost: str) -> None:
    assert answer(Plan(completion={"usage": {"cost": stated}})).cost == Decimal(cost)


def usage(prompt: float) -> dict[str, float]:
    return {"prompt_tokens": prompt, "completion_tokens": 10**7 - 1}


@pytest.mark.parametrize("tokens", [-1, 10**7, 1e300, 10**100])
def test_number_of_tokens_that_no_answer_has_is_unknown(tokens: float) -> None:
    assert answer(Plan(completion={"usage": usage(tokens)})).tokens is None
    assert answer(Plan(completion={"usage": usage(5)})).tokens == Tokens(5, 10**7 - 1)


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("id", "response_id"),
        ("provider", "provider"),
        ("system_fingerprint", "system_fingerprint"),
    ],
)
@pytest.mark.parametrize("value", [5, 1.5, {"name": "x"}, [], True, None])
def test_what_is_not_needed_may_be_of_any_kind(field: str, name: str, value: Any) -> None:
    reply = answer(Plan(completion={field: value}))
    assert "score" in json.loads(reply.text)
    assert reply.provenance[name] is None


def test_answer_of_a_model_without_a_name_and_with_an_odd_end_is_an_answer() -> None:
    message = {"role": "assistant", "content": '{"score": 2}', "refusal": False}
    choices = [{"message": message, "finish_reason": 1}]
    reply = answer(Plan(completion={"model": 7, "choices": choices}))
    assert (reply.text, reply.model, reply.said.is_whole) == ('{"score": 2}', "", True)
    assert reply.provenance["finish_reason"] is None


@pytest.mark.parametrize("reason", ["error", "abort", "insufficient_system_resource"])
def test_answer_that_the_endpoint_broke_off_may_be_asked_for_again(reason: str) -> None:
    message = {"role": "assistant", "content": '{"score": 2}'}
    failure = fail(Plan(completion={"choices": [{"message": message, "finish_reason": reason}]}))
    assert failure.outcome == "garbled" and failure.scope is Scope.TEMPORARY
    assert str(failure) == "the endpoint broke off its answer"


def test_cached_and_reasoning_tokens_are_recorded_and_billed_once() -> None:
    usage = {
        "prompt_tokens": 90,
        "completion_tokens": 10,
        "total_tokens": 130,
        "prompt_tokens_details": {"cached_tokens": 64},
        "completion_tokens_details": {"reasoning_tokens": 30},
    }
    reply = answer(Plan(completion={"usage": usage}))
    assert reply.tokens == Tokens(prompt=90, completion=40, cached=64)
    assert reply.provenance["usage"]["cached_tokens"] == 64
    assert reply.provenance["usage"]["reasoning_tokens"] == 30
    # Most endpoints count reasoning among what they wrote.
    reply = answer(Plan(completion={"usage": usage | {"completion_tokens": 40}}))
    assert reply.tokens == Tokens(prompt=90, completion=40, cached=64)


def test_refusal_is_the_text_of_an_answer() -> None:
    with faulty_judge(Plan(sequence=["refusal"])) as server:
        provider = client(server)
        assert provider.ask(REQUEST).result().text.startswith("I'm sorry, but I can't rate")
        provider.close()


@pytest.mark.parametrize(
    ("fault", "status", "scope"),
    [
        ("bad_request", 400, Scope.REQUEST),
        ("unauthorized", 401, Scope.JUDGE),
        ("no_credit", 402, Scope.JUDGE),
        ("forbidden", 403, Scope.REQUEST),
        ("not_found", 404, Scope.JUDGE),
        ("request_timeout", 408, Scope.TEMPORARY),
        ("conflict", 409, Scope.TEMPORARY),
        ("rate_limit", 429, Scope.TEMPORARY),
        ("server_error", 500, Scope.TEMPORARY),
        ("bad_gateway", 502, Scope.TEMPORARY),
        ("overloaded", 503, Scope.TEMPORARY),
    ],
)
def test_status_says_how_far_a_failure_reaches(fault: str, status: int, scope: Scope) -> None:
    failure = fail(Plan(sequence=[fault]))
    assert (failure.outcome, failure.status, failure.scope) == ("http_error", status, scope)
    assert str(failure) == f"the endpoint answered HTTP {status}: this is a {fault}"
    assert f"this is a {fault}" in failure.body


@pytest.mark.parametrize(
    "said",
    [
        "gpt-9 is not a valid model ID",
        "Invalid model: gpt-9",
        "Model Not Exist",
        "The model `gpt-9` does not exist or you do not have access to it.",
    ],
)
def test_endpoint_that_does_not_know_the_model_is_said_so(said: str) -> None:
    failure = fail(Plan(sequence=["bad_request"], error_body={"error": {"message": said}}))
    assert (failure.status, failure.scope) == (400, Scope.JUDGE)
    assert str(failure).endswith(
        "it does not know the model 'm': correct the judge's model in study.yaml, or JUDGE_MODEL)"
    )


@pytest.mark.parametrize(
    "said", ["This model's maximum context length is 8192 tokens", "json_schema is not supported"]
)
def test_request_that_a_known_model_refuses_is_no_unknown_model(said: str) -> None:
    failure = fail(Plan(sequence=["bad_request"], error_body={"error": {"message": said}}))
    assert (failure.scope, "does not know" in str(failure)) == (Scope.REQUEST, False)


def test_error_in_an_answer_of_status_200_counts_as_its_own_status() -> None:
    failure = fail(Plan(sequence=["error_in_200"]))
    assert (failure.status, failure.scope) == (502, Scope.TEMPORARY)
    assert str(failure) == "the endpoint answered HTTP 502: upstream died"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": {"message": "no such key"}}, "no such key"),
        ({"error": "no such key"}, "no such key"),
        ({"message": "no such key"}, "no such key"),
        ({"detail": "no such key"}, "no such key"),
        ({"detail": [{"msg": "field required"}]}, "field required"),
        ({"detail": [{"loc": ["body", "x"], "msg": "not allowed"}]}, "body.x: not allowed"),
        ([{"error": {"message": "no such key"}}], "no such key"),
        ({"error": {"error": {"message": "no such key"}}}, "no such key"),
        ({"error": {"code": "no_such_key"}}, "no_such_key"),
        ("no such key", "no such key"),
        ({"error": None}, "Not Found"),
        (["no such key"], "no such key"),
    ],
)
def test_sentence_of_an_error_is_found_in_every_form(body: object, message: str) -> None:
    failure = fail(Plan(sequence=["not_found"], error_body=body))
    assert str(failure) == f"the endpoint answered HTTP 404: {message}"


def test_charset_that_a_server_names_does_not_matter() -> None:
    odd = Plan(sequence=["bad_request"], content_type="application/json; charset=base64")
    assert str(fail(odd)) == "the endpoint answered HTTP 400: this is a bad_request"
    with faulty_judge(Plan(content_type="application/json; charset=base64")) as server:
        provider = client(server)
        assert provider.ask(REQUEST).result().text == f'{{"score": {server.log[0].score}}}'
        provider.close()


def test_wrong_key_is_said() -> None:
    assert fail(Plan(api_key="right"), api_key="wrong").status == 401


KEY = "sk-secret-123456"


def test_key_that_an_error_repeats_is_not_passed_on() -> None:
    failure = fail(Plan(sequence=["server_error"], error="sent: {authorization}"), api_key=KEY)
    assert str(failure) == "the endpoint answered HTTP 500: sent: Bearer [key]"
    assert failure.body == '{"error": {"message": "sent: Bearer [key]"}}'


def test_no_part_of_a_key_is_left_where_a_long_message_is_cut() -> None:
    failure = fail(
        Plan(sequence=["server_error"], error="." * 290 + "{authorization}"), api_key=KEY
    )
    assert str(failure).endswith(".Bearer [ke")


def test_key_that_an_answer_repeats_is_not_passed_on() -> None:
    choices = [{"message": {"content": f"Bearer {KEY}"}}]
    reply = answer(Plan(completion={"choices": choices, "provider": KEY}), api_key=KEY)
    assert (reply.text, reply.provenance["provider"]) == ("Bearer [key]", "[key]")
    failure = fail(Plan(completion={"choices": [], "debug": KEY}), api_key=KEY)
    assert failure.outcome == "garbled"
    assert KEY not in failure.body and '"debug": "[key]"' in failure.body


def test_word_in_place_of_a_key_may_stand_in_an_answer() -> None:
    choices = [{"message": {"content": "A key is not-needed."}}]
    reply = answer(Plan(completion={"choices": choices}), api_key="not-needed")
    assert reply.text == "A key is not-needed."


def test_wait_that_the_endpoint_asks_for_is_passed_on() -> None:
    assert fail(Plan(sequence=["rate_limit"], retry_after="7")).retry_after == 7.0
    assert fail(Plan(sequence=["server_error"])).retry_after is None


@pytest.mark.parametrize("fault", ["hang", "drip", "drip_body"])
def test_silence_or_an_answer_without_end_is_a_timeout(fault: str) -> None:
    """A byte now and then does not put the deadline off: the last would come in a minute."""
    with faulty_judge(Plan(sequence=[fault], hang_seconds=60, drip_seconds=0.2)) as server:
        provider = client(server, seconds=1)
        with pytest.raises(ExchangeFailed) as failure:
            provider.ask(REQUEST).result()
        provider.close()
    assert (failure.value.outcome, failure.value.scope) == ("timeout", Scope.TEMPORARY)
    assert str(failure.value).endswith("/v1 did not answer within 1 s")


def test_broken_connection_is_said() -> None:
    failure = fail(Plan(sequence=["reset"]))
    assert (failure.outcome, failure.scope) == ("broken_off", Scope.TEMPORARY)
    assert "could not exchange data with http://127.0.0.1:" in str(failure)
    assert str(failure).endswith("/v1: [Errno 104] Connection reset by peer")


def test_web_page_is_told_from_a_completion() -> None:
    failure = fail(Plan(sequence=["html"]))
    assert (failure.outcome, failure.status) == ("garbled", 200)
    assert str(failure).endswith(
        "/v1 answered with a web page instead of a completion; is JUDGE_BASE_URL the address of "
        "an OpenAI-compatible API (often …/v1)?"
    )
    assert failure.body.startswith("<!doctype html>")


def test_truncated_json_is_said() -> None:
    failure = fail(Plan(sequence=["truncated"]))
    assert failure.outcome == "garbled"
    assert str(failure).endswith("answered with something that is not a whole completion")


def test_connection_that_ends_midway_is_said() -> None:
    failure = fail(Plan(sequence=["cut_off_midway"]))
    assert (failure.outcome, failure.scope) == ("broken_off", Scope.TEMPORARY)
    assert "could not exchange data with http://127.0.0.1:" in str(failure)


@pytest.mark.parametrize(
    ("base_url", "reason"),
    [
        ("http://judge.invalid/v1", r"http://judge\.invalid/v1: \[Errno -\d+\]"),
        ("http://127.0.0.1:9/v1", r"http://127\.0\.0\.1:9/v1: \[Errno 111\]"),
    ],
)
def test_host_that_is_not_there_is_said_and_costs_nothing(base_url: str, reason: str) -> None:
    provider = Provider(
        base_url=base_url,
        api_key="",
        timeout_seconds=60,
        address_setting="JUDGE_BASE_URL",
        model_source="the judge's model in study.yaml, or JUDGE_MODEL",
    )
    with pytest.raises(ExchangeFailed, match=reason) as failure:
        provider.ask(REQUEST).result()
    provider.close()
    assert failure.value.outcome == "not_connected"


def test_host_that_takes_no_connection_is_said_and_costs_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(providers, "CONNECT_SECONDS", 0.5)
    with ExitStack() as sockets:
        full = sockets.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        address = full.getsockname()
        sockets.enter_context(socket.create_connection(address))  # its queue holds one
        provider = Provider(
            base_url=f"http://127.0.0.1:{address[1]}/v1",
            api_key="",
            timeout_seconds=60,
            address_setting="JUDGE_BASE_URL",
            model_source="the judge's model in study.yaml, or JUDGE_MODEL",
        )
        with pytest.raises(ExchangeFailed, match=r"did not answer within 0\.5 s$") as failure:
            provider.ask(REQUEST).result()
        provider.close()
    assert failure.value.outcome == "not_connected"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Sun, 06 Nov 1994 08:49:37 GMT"}, 0.0),
        ({"retry-after": "Sun, 06 Nov 99999999999 08:49:37 GMT"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_seconds(headers) == seconds


def test_retry_after_may_be_a_date() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    assert retry_after_seconds({"Retry-After": date}) == pytest.approx(3600, abs=60)
