"""What `faulty_judge` is asked, what it thinks of it, and the faults that it has."""

import hashlib
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

ANSWER = "answer"
#: US dollars per token; a token is four characters.
PROMPT_PRICE, COMPLETION_PRICE = 2e-7, 8e-7
GREETING = "Hello, it is nice to meet you."
REASON = "It was weighed."


#: Completions that give a score, each in words of its own.
USABLE = (ANSWER, "plain", "prose", "fenced", "in_prose")
#: Completions whose text is not the JSON that is asked for. {score} and {beyond} are filled in.
TEXTS = {
    "plain": "{score}",
    "prose": "My rating is {score}, because the reply stays close to what was said.",
    "fenced": '```json\n{{"score": {score}}}\n```',
    "in_prose": 'I weighed it well: {{"score": {score}}} is my answer.',
    "chatter": "What a moving exchange. There were {score} things I liked about it.",
    "refusal": "I'm sorry, but I can't rate what people say to each other.",
    "words": '{{"score": "four"}}',
    "several": "Between {score} and {beyond}, I would say.",
    "out_of_range": '{{"score": {beyond}}}',
    "decimal": '{{"score": {score}.5}}',
    "garbage": "\u0000\ufffd{{]] \u202e\u0007 ???",
    "empty": "",
}
#: Answers with status 200 that are no completion.
RAW = {
    "html": ("text/html", "<!doctype html><html><title>Sign in</title></html>"),
    "error_in_200": ("application/json", '{"error": {"code": 502, "message": "upstream died"}}'),
}
STATUSES = {
    "bad_request": 400,
    "unauthorized": 401,
    "no_credit": 402,
    "forbidden": 403,
    "not_found": 404,
    "request_timeout": 408,
    "conflict": 409,
    "rate_limit": 429,
    "server_error": 500,
    "bad_gateway": 502,
    "overloaded": 503,
}
#: Generated and charged for, and no answer at all.
SILENT = ("hang", "reset")
#: A right answer, byte by byte: all of it, or what follows its headers.
DRIPS = ("drip", "drip_body")
#: Half of a right answer: the JSON ends too soon, or the connection does.
CUTS = ("truncated", "cut_off_midway")


@dataclass(frozen=True)
class Plan:
    """What the server does: `sequence` for the first requests, then faults by their shares."""

    sequence: list[str] = field(default_factory=list)
    shares: dict[str, float] = field(default_factory=dict)
    #: The same for questions that are about no response, which are not counted among the others.
    probes: list[str] = field(default_factory=list)
    #: What a `response_format` is worth: `enforce`, `ignore` or `refuse` (HTTP 400).
    schema: str = "enforce"
    #: Whether completions say what they cost; they are charged for all the same.
    states_cost: bool = True
    seed: int = 1
    latency_seconds: float = 0.0
    hang_seconds: float = 30.0
    drip_seconds: float = 0.05
    retry_after: str = "0.05"
    api_key: str = ""
    content_type: str = "application/json"
    #: Laid over every completion, as its fields.
    completion: dict[str, Any] = field(default_factory=dict)
    #: Sent with every completion.
    headers: dict[str, str] = field(default_factory=dict)
    #: What an error says.
    error: str = "this is a {what}"
    #: An error's whole body, in place of the usual one.
    error_body: Any = None

    def __post_init__(self) -> None:
        known = {ANSWER, *TEXTS, *RAW, *STATUSES, *SILENT, *DRIPS, *CUTS}
        unknown = {*self.sequence, *self.shares, *self.probes} - known
        if unknown:
            raise ValueError(f"no such fault: {', '.join(sorted(unknown))}")

    def what(self, number: int, *, is_probe: bool = False) -> str:
        """What happens to question `number`, the first being 0."""
        if is_probe:
            return self.probes[number] if number < len(self.probes) else ANSWER
        if number < len(self.sequence):
            return self.sequence[number]
        drawn = random.Random(f"{self.seed}:{number}").random()
        for fault, share in self.shares.items():
            drawn -= share
            if drawn < 0:
                return fault
        return ANSWER


@dataclass(frozen=True)
class Question:
    """A request's body, read as far as an answer needs it."""

    body: dict[str, Any]

    @cached_property
    def texts(self) -> list[str]:
        return [str(message["content"]) for message in self.body["messages"]]

    @cached_property
    def scale(self) -> list[int]:
        return [int(value) for value in re.findall(r"^(-?[0-9]+) = ", self.texts[0], re.MULTILINE)]

    @property
    def is_probe(self) -> bool:
        return not self.scale and self.schema is not None

    @property
    def is_for_a_text(self) -> bool:
        """Whether it asks for a text, instead of scores."""
        return not self.scale and self.schema is None

    @property
    def is_repair(self) -> bool:
        return len(self.texts) > 2

    @property
    def schema(self) -> dict[str, Any] | None:
        stated = self.body.get("response_format")
        return stated["json_schema"]["schema"] if stated else None

    @cached_property
    def replies(self) -> list[tuple[str, str]]:
        """The responses that are to be scored, each with its letter; one alone has none."""
        return [(found["letter"] or "", found["text"]) for found in REPLY.finditer(self.texts[1])]

    def scores(self) -> dict[str, int]:
        """By letter."""
        seed = self.body.get("seed")
        return {letter: opinion(text, seed, self.scale) for letter, text in self.replies}

    def answer(self, scores: dict[str, int]) -> str:
        """The JSON that is asked for."""
        reason = {"reason": REASON} if '"reason"' in self.texts[0] else {}
        rated = {letter: {**reason, "score": score} for letter, score in scores.items()}
        return json.dumps(rated.get("", rated))

    def written(self) -> str:
        """The text that is asked for: another one for another question or seed."""
        return written(self.texts, self.body.get("seed"))

    def cost(self, text: str) -> float:
        """What an answer is charged for, in US dollars."""
        asked = sum(len(each) for each in self.texts)
        return round(asked // 4 * PROMPT_PRICE + len(text) // 4 * COMPLETION_PRICE, 10)


REPLY = re.compile(
    r'<(reply|response)(?: name="(?P<letter>[A-Z])")?>\n(?P<text>.*?)\n</\1>', re.DOTALL
)


def written(messages: Sequence[str], seed: int | None) -> str:
    """What the server writes about these messages."""
    digest = hashlib.sha256(f"{seed}:{'|'.join(messages)}".encode()).hexdigest()
    return f"I hear you, and I think of {digest[:12]} as you say it."


def opinion(response: str, seed: int | None, scale: Sequence[int]) -> int:
    """What the server thinks of a response: a point of the scale."""
    digest = hashlib.sha256(f"{seed}:{response}".encode()).digest()
    return scale[digest[0] % len(scale)]
