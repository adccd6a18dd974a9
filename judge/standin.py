"""A small local judge without a language model: `python -m judge.standin --port N`.

With it, an installation without a key can show gold scores, over real HTTP and with the same
client. It counts a few features of supportive replies. Its scores are labelled as a stand-in's
everywhere. The same question with the same seed gets the same score.
"""

import argparse
import hashlib
import json
import re
import sys
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "fivefold-stand-in"

VALIDATION = re.compile(
    r"\b(?:sorry|understand\w*|valid|normal|natural|makes sense|not your fault|not alone"
    r"|must (?:be|feel|have)|sounds?|overwhelming|painful|hard|difficult|hurts?|tough|scary"
    r"|frightening|heavy|exhausting)\b"
    r"|难受|难过|心里|感受|委屈|孤单|扎心|疼|害怕|牵挂|累",
    re.IGNORECASE,
)
CARE = re.compile(
    r"\b(?:here for you|with you|listen\w*|thank you|brave|courage|strength|strong|gentle|kind"
    r"|proud|care\w*|support\w*|together|matters?)\b"
    r"|我们|陪|一起|愿意|保护",
    re.IGNORECASE,
)
OPEN_QUESTION = re.compile(
    r"\b(?:what|how|would you|do you want|could you)\b[^.?!]*\?|[吗么谁呢]？|什么[^。？！]*？",
    re.IGNORECASE,
)
ADVICE = re.compile(
    r"\b(?:have you (?:considered|tried|thought)|you should|you could|you need to|try to|just)\b"
    r"|应该|必须|建议|不要",
    re.IGNORECASE,
)
#: A word, or two Chinese characters, which often are one.
WORD = re.compile(r"[a-z']{2,}|[\u4e00-\u9fff]{2}")
#: A single reply has no letter.
REPLY = re.compile(
    r'<(reply|response)(?: name="(?P<letter>[A-Z]{1,2})")?>\n(?P<text>.*?)\n</\1>', re.DOTALL
)
#: Replies whose qualities differ by less are equally good.
CLOSE = 0.05
#: How several dimensions are introduced, if a call asks about them together.
DIMENSION = re.compile(r"^(?:Dimension|\u7ef4\u5ea6) (.+)$", re.MULTILINE)
#: A scale that only labels its ends.
ANY_INTEGER = r"(?:any integer from |<)(-?[0-9]+) (?:to|\u5230) (-?[0-9]+)"
COMMON_WORDS = set(
    WORD.findall(
        "the and that this with have you your for are was were but not can could would about been "
        "they them what when how it's i'm his her him she all any some there"
    )
)


@dataclass(frozen=True)
class Features:
    """The counted features of a reply; a heuristic, not a judgement."""

    validation: int
    care: int
    asks: bool
    shared: int
    advice: int
    words: int
    is_unfinished: bool

    def quality(self) -> float:
        """How supportive the reply looks, from 0 to 1."""
        value = 0.42
        value += 0.16 * min(3, self.validation)
        value += 0.09 * min(2, self.care)
        value += 0.12 * self.asks
        value += 0.07 * min(2, self.shared)
        value -= 0.12 * min(2, self.advice)
        value += 0.20 * (min(self.words, 50) / 50 - 0.5)
        value -= 0.20 * self.is_unfinished
        return min(1.0, max(0.0, value))

    def reason(self) -> str:
        """The features in a sentence."""
        remarks = [
            (self.validation, "names what is felt"),
            (self.care, "offers company"),
            (self.asks, "asks an open question"),
            (self.shared, "takes up the message's own words"),
            (self.advice, "gives advice"),
        ]
        said = [text for there, text in remarks if there] or ["does none of what is counted"]
        return f"No language model wrote this; counted: the reply {', '.join(said)}."


def features(message: str, reply: str) -> Features:
    """The features of a reply to a message."""
    words = WORD.findall(reply.lower())
    content = set(words) - COMMON_WORDS
    return Features(
        validation=len(VALIDATION.findall(reply)),
        care=len(CARE.findall(reply)),
        asks=bool(OPEN_QUESTION.search(reply)),
        shared=len(content & set(WORD.findall(message.lower()))),
        advice=len(ADVICE.findall(reply)),
        words=len(words),
        is_unfinished=reply[:1].islower() or reply.rstrip()[-1:] not in tuple(".?!\"'”。？！"),
    )


@dataclass(frozen=True)
class StandInQuestion:
    """What is asked for, and about which texts."""

    message: str
    #: By letter; a single reply has none.
    replies: dict[str, str]
    #: Every possible score, in increasing order.
    values: list[int]
    #: Several, or one without its name.
    dimensions: list[str]
    is_pair: bool
    has_reasons: bool
    #: `json`, `number`, or a text in which * is the score.
    form: str = "json"


def answer(
    asked: str, *, seed: str, schema: object, told: dict[str, Any] | None = None
) -> str | None:
    """The stand-in's answer, or None if the question states no scale. What is asked by a template
    of a study can't be read from its words: that is `told`, the fields of a StandInQuestion.
    """
    question = StandInQuestion(**told) if told else _question_in(asked)
    if question is None:
        # A probe, which tests whether the schema is enforced.
        return json.dumps({"score": 3}) if schema else None
    rated: dict[str, Any] = {}
    for dimension in question.dimensions:
        found = {
            letter: _quality(seed, dimension, question.message, reply)
            for letter, reply in question.replies.items()
        }
        if question.is_pair:
            reason = _reason(question, question.replies)
            rated[dimension] = reason | {"better": _better(found)}
            continue
        for letter, quality in found.items():
            score = question.values[round(quality * (len(question.values) - 1))]
            of_one = _reason(question, {letter: question.replies[letter]}) | {"score": score}
            rated[letter] = rated.get(letter, {}) | {dimension: of_one} if dimension else of_one
    if question.form != "json":
        return _in_form(question.form, rated[""])
    return json.dumps(rated.get("", rated), ensure_ascii=False)


def _question_in(asked: str) -> StandInQuestion | None:
    """What our own words ask for; None if they state no scale."""
    values = [int(value) for value in re.findall(r"^(-?[0-9]+) = ", asked, re.MULTILINE)]
    is_pair = '"better"' in asked
    if not values and not is_pair:
        return None
    if ends := re.search(ANY_INTEGER, asked):
        values = list(range(int(ends[1]), int(ends[2]) + 1))
    return StandInQuestion(
        message=_between(asked, "message") or _between(asked, "prompt"),
        replies={found["letter"] or "": found["text"] for found in REPLY.finditer(asked)},
        values=values,
        dimensions=DIMENSION.findall(asked) or [""],
        is_pair=is_pair,
        has_reasons='"reason"' in asked,
    )


def _in_form(form: str, rated: dict[str, Any]) -> str:
    """A score, or the better letter with C for a tie, in a form that is no JSON."""
    said = str(rated["score"] if "score" in rated else rated["better"]).replace("tie", "C")
    return said if form == "number" else form.replace("*", said)


def _quality(seed: str, dimension: str, message: str, reply: str) -> float:
    """How supportive a reply looks, from 0 to 1, with some noise."""
    drawn = "\n".join([seed, *filter(None, [dimension]), message, reply])
    digest = hashlib.sha256(drawn.encode()).digest()
    noise = (digest[0] + digest[1] - 255) / 255 * 0.15  # triangular
    return min(1.0, max(0.0, features(message, reply).quality() + noise))


def _better(qualities: dict[str, float]) -> str:
    """The letter of the better of two replies, or a tie where they are close."""
    (first, a), (second, b) = qualities.items()
    if abs(a - b) < CLOSE:
        return "tie"
    return first if a > b else second


def _reason(question: StandInQuestion, replies: dict[str, str]) -> dict[str, str]:
    if not question.has_reasons:
        return {}
    said = (features(question.message, each).reason() for each in replies.values())
    return {"reason": " ".join(said)}


def _between(text: str, tag: str) -> str:
    match = re.search(rf"<{tag}>\n(.*)\n</{tag}>", text, re.DOTALL)
    return match[1] if match else ""


class Handler(BaseHTTPRequestHandler):
    """The two addresses of an OpenAI-compatible server that a judge needs."""

    protocol_version = "HTTP/1.1"
    # Head and body are sent separately: the body would wait 40 ms for the head's acknowledgement.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        if self.path.rstrip("/") != "/v1/models":
            self._send(404, {"error": {"message": f"there is nothing at {self.path}"}})
            return
        model = {"id": MODEL, "object": "model", "owned_by": "fivefold"}
        self._send(200, {"object": "list", "data": [model]})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.rstrip("/") != "/v1/chat/completions":
            self._send(404, {"error": {"message": f"there is nothing at {self.path}"}})
            return
        try:
            request = json.loads(body)
            asked = "\n\n".join(str(message["content"]) for message in request["messages"])
        except (ValueError, TypeError, KeyError):
            self._send(400, {"error": {"message": "expected a JSON object with messages"}})
            return
        seed = request.get("seed")
        if seed is None:
            seed = self.headers.get("X-Client-Request-Id", "")
        said = answer(
            asked,
            seed=str(seed),
            schema=request.get("response_format"),
            told=request.get("stand_in"),
        )
        if said is None:
            self._send(400, {"error": {"message": "the question states no scale"}})
            return
        self._send(200, completion(asked, said))

    def _send(self, status: int, content: dict[str, Any]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name in the base
        """Log no requests."""


def completion(asked: str, said: str) -> dict[str, Any]:
    """A chat completion in the form of the OpenAI API; tokens are words here."""
    prompt_tokens = len(asked.split())
    return {
        "id": "standin-" + hashlib.sha256(f"{time.time_ns()}{asked}".encode()).hexdigest()[:16],
        "object": "chat.completion",
        "created": int(time.time()),
        "model": MODEL,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": said},
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": len(said.split()),
            "total_tokens": prompt_tokens + len(said.split()),
            "cost": 0,
        },
    }


def main() -> None:
    """Serve until stopped. Port 0 takes a free one; the address is printed."""
    parser = argparse.ArgumentParser(prog="judge.standin", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    arguments = parser.parse_args()
    with ThreadingHTTPServer((arguments.host, arguments.port), Handler) as server:
        sys.stdout.write(f"http://{arguments.host}:{server.server_port}/v1\n")
        sys.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
