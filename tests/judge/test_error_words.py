"""An endpoint's own words about an error, in the shapes that endpoints use."""

import json
import time
from typing import Any

import pytest

from judge.error_words import LONGEST, ErrorWords, error_in, first_line, words_of

REFUSED = "Unsupported parameter: 'temperature' is not supported with this model."
FORBIDDEN = {"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs"}


def openrouter(raw: object) -> dict[str, Any]:
    metadata = {"raw": raw, "provider_name": "OpenAI"}
    return {"error": {"message": "Provider returned error", "code": 400, "metadata": metadata}}


@pytest.mark.parametrize(
    ("error", "text"),
    [
        # OpenAI, Azure, vLLM, Together, Groq, llama.cpp
        ({"error": {"message": "gone", "type": "t", "param": None, "code": None}}, "gone"),
        ({"error": {"code": "content_filter", "message": "The prompt was filtered", "innererror":
          {"code": "ResponsibleAIPolicyViolation"}}}, "The prompt was filtered"),
        ({"error": {"code": "Invalid input", "message": "invalid input error", "details":
          [FORBIDDEN]}}, "body.seed: Extra inputs"),
        ({"statusCode": 401, "message": "Access denied due to invalid key"},
         "Access denied due to invalid key"),
        # Anthropic
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
         "Overloaded"),
        ({"error": {"type": "overloaded_error"}}, "overloaded_error"),
        ({"type": "error", "error": {"type": "overloaded_error"}}, "overloaded_error"),
        # Gemini
        ([{"error": {"code": 400, "message": "API key not valid", "status": "INVALID_ARGUMENT",
           "details": [{"@type": "t", "reason": "API_KEY_INVALID"}]}}], "API key not valid"),
        # Mistral, FastAPI, Pydantic
        ({"object": "error", "message": "no such model", "type": "t"}, "no such model"),
        ({"object": "error", "message": {"detail": [FORBIDDEN]}}, "body.seed: Extra inputs"),
        ({"detail": [FORBIDDEN, FORBIDDEN]}, "body.seed: Extra inputs"),
        ({"detail": "d"}, "d"),
        ({"detail": {"error": "not so"}}, "not so"),
        # OpenRouter
        (openrouter(json.dumps({"error": {"message": REFUSED}})), REFUSED),
        (openrouter({"error": {"message": REFUSED}}), REFUSED),
        (openrouter(json.dumps({"detail": [FORBIDDEN]})), "body.seed: Extra inputs"),
        (openrouter("It is rate-limited upstream"), "It is rate-limited upstream"),
        (openrouter("ERROR"), "Provider returned error"),
        (openrouter("<html><body>Bad gateway</body></html>"), "Provider returned error"),
        (openrouter(None), "Provider returned error"),
        # TGI, Ollama, Hugging Face, Cohere, NVIDIA, xAI, Databricks
        ({"error": "Input validation error", "error_type": "validation"}, "Input validation error"),
        ({"error": "model 'm' not found"}, "model 'm' not found"),
        ({"error": ["`temperature` is wrong"]}, "`temperature` is wrong"),
        ({"id": "i", "message": "invalid request"}, "invalid request"),
        ({"type": "urn", "title": "Not Found", "status": 404, "detail": "no function"},
         "no function"),
        ({"code": "The client is wrong", "error": "Argument not supported: seed"},
         "Argument not supported: seed"),
        ({"error_code": "BAD_REQUEST", "message": '{"error": {"message": "no seed"}}'}, "no seed"),
        # AWS, Apigee, Cloudflare, watsonx, Writer
        ({"__type": "ValidationException", "message": "m"}, "m"),
        ({"Message": "gone"}, "gone"),
        ({"error": {"Message": "gone"}}, "gone"),
        ({"fault": {"faultstring": "Invalid ApiKey", "detail": {"errorcode": "c"}}},
         "Invalid ApiKey"),
        ({"success": False, "errors": [{"code": 7, "message": "m"}], "messages": []}, "m"),
        ({"errors": [{"description": "no such model", "key": "fail"}]}, "no such model"),
        # DashScope, Zhipu, MiniMax, Baidu, SiliconFlow
        ({"code": "InvalidParameter", "message": "seed is wrong", "request_id": "r"},
         "seed is wrong"),
        ({"error": {"code": "1211", "message": "模型不存在"}}, "模型不存在"),
        ({"code": 500, "msg": "404 NOT_FOUND", "success": False}, "404 NOT_FOUND"),
        ({"base_resp": {"status_code": 1004, "status_msg": "login fail"}}, "login fail"),
        ({"error_code": 336003, "error_msg": "the body is wrong"}, "the body is wrong"),
        ("Invalid token", "Invalid token"),
        # Frameworks
        ({"statusCode": 400, "error": "Bad Request", "message": "no temperature"},
         "no temperature"),
        ({"statusCode": 404, "error": "Not Found", "message": "gone"}, "gone"),
        ({"statusCode": 400, "error": "Bad Request", "message": ["no seed", "x"]}, "no seed"),
        ({"message": "Bad Request", "error": "seed is unknown"}, "seed is unknown"),
        ({"error": "invalid_request_error", "message": "System role not supported"},
         "System role not supported"),
        ({"error": "bad_request", "error_description": "seed unknown"}, "seed unknown"),
        ({"errors": {"temperature": ["not allowed"]}}, "temperature: not allowed"),
        ({"errors": {"temperature": "not allowed"}}, "temperature: not allowed"),
        ({"title": "One or more validation errors occurred.", "errors": {"seed": ["is wrong"]}},
         "seed: is wrong"),
        # JSON in a text, and texts that only look like it
        ({"error": {"message": '{"error": {"message": "seed is not supported"}}'}},
         "seed is not supported"),
        ('{"error": "gone"}', "gone"),
        ({"message": '"seed" is not supported'}, '"seed" is not supported'),
        ({"message": "[seed] is not supported"}, "[seed] is not supported"),
        ({"message": '{"seed": 5}'}, '{"seed": 5}'),
        ({"message": "{'error': 'gone'}"}, "{'error': 'gone'}"),
        # Little or nothing
        ({"error": {"message": ""}, "detail": "d"}, "d"),
        ({"error": True, "message": "x"}, "x"),
        ({"message": " a\n b "}, "a b"),
        ({"code": "no_such_key"}, "no_such_key"),
        ({"code": "4" * 5000}, ""),
        ({"error": {"code": "4" * 5000, "message": "m"}}, "m"),
        ({"error": {"code": 400}}, ""),
        ({"error": []}, ""),
        ([], ""),
        ({}, ""),
        (None, ""),
        (5, ""),
    ],
)  # fmt: skip
def test_words_are_those_that_explain_most(error: object, text: str) -> None:
    assert words_of(error).text == text


@pytest.mark.parametrize(
    ("error", "parameter"),
    [
        ({"error": {"message": "m", "param": "seed"}}, "seed"),
        ({"error": {"message": "m", "param": None}}, None),
        ({"error": {"message": "m", "param": "None"}}, None),
        ({"error": {"message": "m", "param": "p" * 5000}}, None),
        (openrouter(json.dumps({"error": {"message": REFUSED, "param": "temperature"}})),
         "temperature"),
        ({"detail": [FORBIDDEN]}, "body.seed"),
        ({"error": {"code": "c", "message": "m", "details": [FORBIDDEN]}}, "body.seed"),
    ],
)  # fmt: skip
def test_parameter_is_the_one_that_the_innermost_error_names(
    error: object, parameter: str | None
) -> None:
    assert words_of(error).parameter == parameter


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ({"error": {"message": "busy", "code": 503}}, 503),
        ({"error": {"message": "busy", "code": "503"}}, 503),
        ({"error": {"message": "busy", "code": "rate_limit", "status": 429}}, 429),
        ({"message": "busy", "statusCode": 429}, 429),
        ({"code": 200, "message": "m"}, None),
        ({"code": True, "message": "m"}, None),
        ({"base_resp": {"status_code": 1004, "status_msg": "login fail"}}, None),
        (openrouter("plain"), 400),
    ],
)
def test_code_is_the_status_of_an_http_error(error: object, code: int | None) -> None:
    assert words_of(error).code == code


@pytest.mark.parametrize(
    ("error", "is_filtered"),
    [
        ({"error": {"message": "m", "code": "content_filter"}}, True),
        ({"error": {"innererror": {"code": "ResponsibleAIPolicyViolation"}}}, True),
        ({"error": {"message": "m", "metadata": {"reasons": [], "flagged_input": "x"}}}, True),
        ({"code": "data_inspection_failed", "message": "m"}, True),
        ({"error": {"message": "content_filter is unknown"}}, False),
    ],
)
def test_filter_is_known_by_its_code(error: object, is_filtered: bool) -> None:
    assert words_of(error).is_filtered is is_filtered


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ('{"error": "gone"}', "gone"),
        ('event: error\ndata: {"error": {"message": "no streams"}}\n\n', "no streams"),
        ('{"choices": [{}], "error": {"message": "gone"}}', "gone"),
        ('{"choices": [{}], "message": "fine"}', ""),
        ('data: {"choices": [{"delta": {}}]}\n\ndata: [DONE]\n\n', ""),
        ('{"type": "message", "content": [{"type": "text", "text": "4"}]}', ""),
        ('{"choices": null, "base_resp": {"status_msg": "login fail"}}', "login fail"),
        ("plain text", ""),
        ("<html>Sign in</html>", ""),
        ('{"error": "go', ""),
        ("4" * 5000, ""),
        ("", ""),
    ],
)
def test_body_of_an_error_is_told_from_an_answer(body: str, text: str) -> None:
    assert error_in(body) == ErrorWords(text)


@pytest.mark.parametrize(
    ("body", "line"),
    [("\n upstream  error\nmore", "upstream error"), ("<html>", ""), ('{"a', ""), ("", "")],
)
def test_plain_text_has_a_first_line(body: str, line: str) -> None:
    assert first_line(body) == line


def nested(error: object, name: str) -> object:
    for _ in range(50):
        error = {name: error}
    return error


def texts_in_texts(times: int) -> str:
    text = "gone"
    for _ in range(times):
        text = json.dumps({"error": text})
    return text


@pytest.mark.parametrize(
    "body",
    [
        "[" * 4_000_000,
        json.dumps([{"x": "y"}] * 400_000),
        json.dumps({"errors": ["{" * 9] * 300_000}),
        json.dumps({"error": "a " * 2_000_000}),
        json.dumps({"error": {"message": "[" * 4_000_000}}),
        json.dumps({"errors": dict.fromkeys(map(str, range(300_000)), "")}),
        json.dumps(nested("gone", "error")),
        texts_in_texts(14),
    ],
    ids=["brackets", "list", "texts", "text", "message", "fields", "objects", "texts in texts"],
)
def test_largest_and_deepest_errors_are_read_in_time(body: str) -> None:
    began = time.process_time()
    words = error_in(body)
    assert time.process_time() - began < 5
    assert len(words.text) <= LONGEST
