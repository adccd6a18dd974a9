"""What endpoints answer beside a plain completion, by kind, in words of ours."""

import time
from collections.abc import Callable, Iterator
from typing import Any

from tests.servers.saying_endpoint import Answer, Body, completion

EVENTS = "text/event-stream"
THOUGHT = 'First idea: {"score": 2}. No.'

#: Answers that hold a text, however it comes.
WHOLE: dict[str, Callable[[str], Answer]] = {
    "plain": completion,
    "reasoning_content": lambda text: completion(text, reasoning_content=THOUGHT),
    "reasoning": lambda text: completion(text, reasoning=THOUGHT),
    "reasoning details": lambda text: completion(
        text, reasoning_details=[{"type": "reasoning.text", "text": THOUGHT}]
    ),
    "thinking as a field": lambda text: completion(text, thinking=THOUGHT),
    "thinking in tags": lambda text: completion(f"<think>{THOUGHT}</think>\n\n{text}"),
    "thinking without its opening tag": lambda text: completion(f"{THOUGHT}\n</think>\n\n{text}"),
    "channels": lambda text: completion(
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|>"
        f"<|start|>assistant<|channel|>final<|message|>{text}<|return|>"
    ),
    "both": lambda text: completion(
        f"<think>{THOUGHT}</think>{text}", reasoning_content="Something else."
    ),
    "parts": lambda text: completion(
        [{"type": "thinking", "thinking": THOUGHT}, {"type": "text", "text": text}]
    ),
    "parts of parts": lambda text: completion(
        [
            {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
            {"type": "text", "text": text},
        ]
    ),
    "reasoning as a part": lambda text: completion(
        [
            {"type": "reasoning", "summary": [{"text": THOUGHT}]},
            {"type": "output_text", "text": text},
        ]
    ),
    "one part": lambda text: completion([{"type": "text", "text": text}]),
    "several parts": lambda text: completion(
        [{"type": "text", "text": text[:1]}, {"type": "text", "text": text[1:]}]
    ),
    "a part that is an object": lambda text: completion({"type": "text", "text": text}),
    "im_end": lambda text: completion(f"{text}<|im_end|>"),
    "eot_id": lambda text: completion(f"{text}<|eot_id|>"),
    "end_of_turn": lambda text: completion(f"{text}<end_of_turn>\n"),
    "end of sentence": lambda text: completion(f"{text}</s>"),
    "end of text": lambda text: completion(f"{text}<|endoftext|>"),
    "INST": lambda text: completion(f"[INST] Do it. [/INST] {text}"),
    "a turn's start": lambda text: completion(f"<|im_start|>assistant\n{text}<|im_end|>"),
    "another turn": lambda text: completion(f"{text}<|im_end|>\n<|im_start|>user\nThanks 2"),
    "header": lambda text: completion(
        f"<|start_header_id|>assistant<|end_header_id|>\n\n{text}<|eot_id|>"
    ),
    "no finish_reason": lambda text: completion(text, finish_reason=None),  # type: ignore[arg-type]
    "an odd finish_reason": lambda text: completion(text, finish_reason="eos_token"),
    "an empty refusal": lambda text: completion(text, refusal=""),
    "no refusal": lambda text: completion(text, refusal=None),
}

#: Answers without a whole text, and how they count; then what is said of them.
WITHOUT: dict[str, tuple[Callable[[], Answer], str, str]] = {
    "only thinking": (
        lambda: completion("", reasoning_content=THOUGHT),
        "unusable", "there is no answer beside its thinking",
    ),
    "only thinking, no content": (
        lambda: completion(None, reasoning=THOUGHT),
        "unusable", "there is no answer beside its thinking",
    ),
    "only a thinking part": (
        lambda: completion([{"type": "thinking", "thinking": THOUGHT}]),
        "unusable", "there is no answer beside its thinking",
    ),
    "no parts": (lambda: completion([]), "unusable", "the answer is empty"),
    "no content": (lambda: completion(None), "unusable", "the answer is empty"),
    "thinking that does not end": (
        lambda: completion(f"<think>{THOUGHT}"), "unusable", "its thinking does not end",
    ),
    "a tool": (
        lambda: completion(
            None, finish_reason="tool_calls", tool_calls=[{"function": {"name": "look"}}]
        ),
        "unusable", "it asks for a tool",
    ),
    "cut off while it thinks": (
        lambda: completion(f"<think>{THOUGHT}", finish_reason="length"),
        "cut_off", "its thinking took all of the length allowed",
    ),
    "cut off while it thinks, in a field": (
        lambda: completion("", finish_reason="length", reasoning_content=THOUGHT),
        "cut_off", "its thinking took all of the length allowed",
    ),
    "cut off at once": (
        lambda: completion("", finish_reason="max_tokens"), "cut_off", "cut off for its length",
    ),
    "filtered": (
        lambda: completion("", finish_reason="content_filter"), "filtered", "a filter of the endp",
    ),
    "filtered half way": (
        lambda: completion('{"score": 2}', finish_reason="content_filter"),
        "filtered", "a filter of the endpoint kept the answer back",
    ),
    "safety": (lambda: completion(None, finish_reason="SAFETY"), "filtered", "a filter of the en"),
    "a filter's error": (
        lambda: Answer(
            {"error": {"code": "content_filter", "message": "The prompt was filtered."}}, 400
        ),
        "filtered", "The prompt was filtered.",
    ),
    "a filter's inner error": (
        lambda: Answer(
            {
                "error": {
                    "code": "400",
                    "message": "Blocked.",
                    "innererror": {"code": "ResponsibleAIPolicyViolation"},
                }
            },
            400,
        ),
        "filtered", "Blocked.",
    ),
    "moderation": (
        lambda: Answer(
            {
                "error": {
                    "code": 403,
                    "message": "Input was flagged.",
                    "metadata": {"flagged_input": "…"},
                }
            },
            403,
        ),
        "filtered", "Input was flagged.",
    ),
    "refusal": (
        lambda: completion(None, refusal="I can't help with that."),
        "refused", "the model refused, as the endpoint says: I can't help with that.",
    ),
    "refusal beside a text": (
        lambda: completion('{"score": 2}', refusal="I can't help with that."),
        "refused", "the model refused",
    ),
    "refusal by its ending": (
        lambda: completion("No.", finish_reason="refusal"), "refused", "the model refused",
    ),
    "refusal as a part": (
        lambda: completion([{"type": "refusal", "refusal": "I won't."}]),
        "refused", "the model refused, as the endpoint says: I won't.",
    ),
}  # fmt: skip

#: Answers that are no completion, and the words that reach the researcher.
ERRORS: dict[str, tuple[Callable[[], Answer], str]] = {
    "a string": (lambda: Answer({"error": "out of memory"}), "with an error: out of memory"),
    "a string, 400": (lambda: Answer({"error": "no tools"}, 400), "HTTP 400: no tools"),
    "an object": (lambda: Answer({"error": {"message": "gone"}}), "with an error: gone"),
    "a code": (
        lambda: Answer({"error": {"message": "busy", "code": 503}}), "HTTP 503: busy",
    ),
    "a code in words": (lambda: Answer({"error": {"code": "gpu_lost"}}), "gpu_lost"),
    "a number as text": (
        lambda: Answer({"error": {"message": "busy", "code": "503"}}), "HTTP 503: busy",
    ),
    "deep": (lambda: Answer({"error": {"error": {"message": "inside"}}}), "inside"),
    "a list": (lambda: Answer([{"error": {"message": "listed"}}], 400), "HTTP 400: listed"),
    "a list, 200": (lambda: Answer([{"error": {"message": "listed"}}]), "error: listed"),
    "detail": (lambda: Answer({"detail": "not so"}, 422), "HTTP 422: not so"),
    "details": (
        lambda: Answer({"detail": [{"loc": ["body", "n"], "msg": "too many"}]}, 422),
        "HTTP 422: body.n: too many",
    ),
    "message": (lambda: Answer({"message": "no"}, 400), "HTTP 400: no"),
    "message, 200": (lambda: Answer({"object": "error", "message": "no"}), "error: no"),
    "errors": (lambda: Answer({"errors": [{"message": "one"}]}, 400), "HTTP 400: one"),
    "a JSON string": (lambda: Answer('"overloaded"'), "with an error: overloaded"),
    "plain text": (
        lambda: Answer("upstream connect error", 502, "text/plain"), "502: upstream connect error",
    ),
    "plain text, 200": (
        lambda: Answer("all is well", content_type="text/plain"),
        "something that is not a whole completion: all is well",
    ),
    "events": (
        lambda: Answer('data: {"choices": []}\n\ndata: [DONE]\n\n', content_type=EVENTS),
        "answers as server-sent events though none were asked for",
    ),
    "events of another type": (
        lambda: Answer('data: {"choices": [{"delta": {}}]}\n\n'),
        "answers as server-sent events though none were asked for",
    ),
    "an error as an event": (
        lambda: Answer('data: {"error": {"message": "no streams"}}\n\n', content_type=EVENTS),
        "with an error: no streams",
    ),
    "an error as an event, 400": (
        lambda: Answer('data: {"error": {"message": "no streams"}}\n\n', 400, EVENTS),
        "HTTP 400: no streams",
    ),
    "broken off": (
        lambda: Answer(
            {
                "choices": [
                    {
                        "message": {"content": '{"score": 2}'},
                        "finish_reason": "error",
                        "error": {"code": 502, "message": "upstream died"},
                    }
                ]
            }
        ),
        "the endpoint broke off its answer: upstream died",
    ),
    "a web page": (
        lambda: Answer("<html>Sign in</html>", content_type="text/html"), "with a web page",
    ),
    "no choices": (lambda: Answer({"choices": []}), "something that is not a whole completion"),
    "nothing": (lambda: Answer(""), "something that is not a whole completion"),
    "10 MB": (lambda: completion("4" * 10_000_000), "answered with more than 4 MB"),
    "10 MB in parts": (
        lambda: Answer("", parts=lambda: iter([b"4" * 100_000] * 100)),
        "answered with more than 4 MB",
    ),
    "10 MB of an error": (lambda: Answer("4" * 10_000_000, 400), "more than 4 MB"),
}  # fmt: skip


def silent() -> Iterator[bytes]:
    """Nothing, without an end."""
    time.sleep(5)
    yield b" "


def endless() -> Iterator[bytes]:
    """A byte now and then, without an end."""
    while True:
        yield b" "
        time.sleep(0.02)


#: What an endpoint does not accept, with its words; `has` says whether a request has it.
REFUSED_PARTS: dict[str, tuple[Callable[[Body], bool], dict[str, Any]]] = {
    "no_system_role": (
        lambda body: body["messages"][0]["role"] == "system",
        {"message": "System role not supported"},
    ),
    "no_temperature": (
        lambda body: "temperature" in body,
        {"message": "Only the default (1) value is supported", "param": "temperature"},
    ),
    "no_seed": (lambda body: "seed" in body, {"message": "Unknown parameter: 'seed'."}),
    "max_completion_tokens": (
        lambda body: "max_tokens" in body,
        {"message": "max_tokens is not supported; use 'max_completion_tokens' instead."},
    ),
}


def strict(answer: Answer) -> Callable[[Body], Answer]:
    """An endpoint that accepts none of these."""

    def say(body: Body) -> Answer:
        for has, error in REFUSED_PARTS.values():
            if has(body):
                return Answer({"error": error}, 400)
        return answer

    return say
