"""What a model said: its answer, what was taken off it, and how it ended. Pure.

Everything that asks a model reads its completions here: judges, generators of responses, the
rewriter. An answer has none of the model's thinking and none of the tokens that its chat template
puts around turns. Thinking that does not end leaves no answer: what stands in it are drafts.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from judge.chat_tokens import without_end, without_start
from judge.refusing import may_refuse
from judge.thinking import without_thinking
from survey.files.as_written import as_written


class Ended(StrEnum):
    """How an answer ended."""

    COMPLETE = "complete"
    #: At a limit on its length.
    CUT_OFF = "cut_off"
    #: A filter of the endpoint kept it, or the rest of it, back.
    FILTERED = "filtered"
    #: The endpoint says that the model refused. Words alone never say so.
    REFUSED = "refused"

    @property
    def in_words(self) -> str:
        """For people: `cut off`."""
        return self.value.replace("_", " ")


class Oddity(StrEnum):
    """What was odd about a completion."""

    THINKING = "thinking was taken off"
    UNENDED = "its thinking does not end"
    TOKENS = "special tokens were taken off"
    WENT_ON = "text after the end of its turn was taken off"
    UNWRAPPED = "tags around the whole answer were taken off"
    LEFT_OUT = "parts that are no text were left out"
    TOOL = "it asks for a tool"
    ENDING = "how it ended is not known here"
    MAY_REFUSE = "its words may be a refusal"


@dataclass(frozen=True)
class ReadCompletion:
    """A completion, read. An empty `answer` is none."""

    answer: str
    #: What was taken off, and what the endpoint gave beside the answer.
    thinking: str = ""
    ended: Ended = Ended.COMPLETE
    notices: tuple[Oddity, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether it is an answer that ended by itself."""
        return bool(self.answer) and self.ended is Ended.COMPLETE

    @property
    def why_not_whole(self) -> str:
        """Why there is no whole answer, in words; empty if there is one."""
        if self.ended is Ended.CUT_OFF and self.thinking and not self.answer:
            return f"its thinking took all of the length allowed: {_ENDINGS[self.ended]}"
        if self.ended is Ended.REFUSED and self.answer:
            return f"{_ENDINGS[self.ended]}: {self.answer}"
        if self.ended is not Ended.COMPLETE:
            return _ENDINGS[self.ended]
        return "" if self.answer else self._why_empty

    @property
    def _why_empty(self) -> str:
        if Oddity.UNENDED in self.notices:
            return "there is no answer: its thinking does not end"
        if Oddity.TOOL in self.notices:
            return "there is no answer: it asks for a tool"
        return "there is no answer beside its thinking" if self.thinking else "the answer is empty"


_ENDINGS = {
    Ended.CUT_OFF: "the answer was cut off for its length; see max_tokens",
    Ended.FILTERED: "a filter of the endpoint kept the answer back",
    Ended.REFUSED: "the model refused, as the endpoint says",
}


# How endpoints say that an answer ended

_BROKEN_OFF_WORDS = re.compile("timeout|timed_out|cancel|abort|error|overload|fail|insufficient")
_CUT_OFF_WORDS = re.compile("length|limit|max_|context|incomplete")
_CUT_OFF = {"pause_turn", "repetition"}
_REFUSED = {"refusal", "refused"}
_FILTERED_WORDS = re.compile("filter|safety|sensitive|moderat|prohibited|blocklist|guardrail")
_FILTERED = {"recitation", "spii"}
_STOPPED = {
    "",
    "stop",
    "stop_sequence",
    "eos",
    "eos_token",
    "end_turn",
    "end",
    "complete",
    "completed",
}
_STOPPED |= {"finished", "done", "normal", "finish", "success"}
_TOOLS = {"tool_calls", "function_call", "tool_use"}
#: Codes of errors that say the same of a request.
FILTERED_CODES = {"content_filter", "content_policy_violation", "responsibleaipolicyviolation"}
FILTERED_CODES |= {"data_inspection_failed", "moderation_blocked", "content_filtered"}

_WRAPPERS = ("answer", "response", "output", "final", "final_answer", "solution")
_OPENS_WRAPPER = re.compile(rf"\s*<(?P<tag>{'|'.join(_WRAPPERS)})>", re.IGNORECASE)


def read_completion(
    content: Any, *, beside: str = "", refusal: Any = None, finish_reason: Any = None
) -> ReadCompletion:
    """What a choice of a chat completion says.

    `content` is its text or a list of parts, `beside` the thinking that the endpoint gives in
    another field, `refusal` and `finish_reason` are as received.
    """
    parts = _parts_of(content)
    said = read_text(parts.text)
    thinking = [beside.strip(), parts.thinking, said.thinking]
    notices = list(said.notices)
    if beside.strip() or parts.thinking:
        notices.insert(0, Oddity.THINKING)
    if parts.left_out:
        notices.append(Oddity.LEFT_OUT)
    reason = finish_reason.lower() if isinstance(finish_reason, str) else ""
    if reason in _TOOLS:
        notices.append(Oddity.TOOL)
    ended = Ended.REFUSED if reason in _REFUSED else _ended(reason)
    if ended is Ended.COMPLETE and reason not in _STOPPED | _TOOLS:
        notices.append(Oddity.ENDING)
    refused = parts.refusal or (refusal.strip() if isinstance(refusal, str) else "")
    return ReadCompletion(
        answer=said.answer or refused,
        thinking="\n\n".join(dict.fromkeys(each for each in thinking if each)),
        ended=Ended.REFUSED if refused else ended,
        notices=tuple(dict.fromkeys(notices)),
    )


def broke_off(finish_reason: Any) -> bool:
    """Whether an endpoint says that it failed before its answer ended."""
    return isinstance(finish_reason, str) and bool(_BROKEN_OFF_WORDS.search(finish_reason.lower()))


def read_text(text: str) -> ReadCompletion:
    """What a completion's text says, without what its endpoint says of it."""
    start = without_start(text)
    rest = without_thinking(start.text)
    notices = [Oddity.TOKENS] if start.had_tokens else []
    if rest.thoughts:
        notices.append(Oddity.THINKING)
    thinking = "\n\n".join(rest.thoughts)
    if rest.is_unended:
        return ReadCompletion("", thinking, notices=(*notices, Oddity.UNENDED))
    is_rest = start.had_tokens or bool(rest.thoughts)
    answer = _without_tokens(_behind(rest.text) if is_rest else rest.text, notices)
    if rest.thoughts and (inside := _unwrapped(answer)) is not None:
        answer = _without_tokens(inside, notices)
        notices.append(Oddity.UNWRAPPED)
    if may_refuse(answer):
        notices.append(Oddity.MAY_REFUSE)
    return ReadCompletion(answer, thinking, notices=tuple(dict.fromkeys(notices)))


def _without_tokens(text: str, notices: list[Oddity]) -> str:
    begun = without_start(text)
    ended = without_end(_behind(begun.text) if begun.had_tokens else begun.text)
    if begun.had_tokens or ended.had_tokens:
        notices.append(Oddity.TOKENS)
    if ended.went_on:
        notices.append(Oddity.WENT_ON)
    return as_written(ended.text)


def _behind(text: str) -> str:
    """What stands behind something that was taken off: spaces on the same line indent nothing."""
    return text if re.match(r"\s*[\r\n]", text) else text.lstrip()


def _unwrapped(answer: str) -> str | None:
    """An answer without the tags around it, of which thinking may have had the first one, or a
    limit the last one.
    """
    opened = _OPENS_WRAPPER.match(answer)
    names = [opened["tag"].lower()] if opened else _WRAPPERS
    lower = answer.lower()
    for name in names:
        closing = f"</{name}>"
        if lower.count(closing) > 1 or lower.count(f"<{name}>") > (1 if opened else 0):
            continue
        if opened or lower.endswith(closing):
            inside = _behind(answer[opened.end() :]) if opened else answer
            if lower.endswith(closing):
                return as_written(inside[: -len(closing)])
            return as_written(inside) if closing not in lower else None
    return None


def _ended(reason: str) -> Ended:
    if reason in _CUT_OFF or _CUT_OFF_WORDS.search(reason):
        return Ended.CUT_OFF
    return (
        Ended.FILTERED if reason in _FILTERED or _FILTERED_WORDS.search(reason) else Ended.COMPLETE
    )


@dataclass(frozen=True)
class _Parts:
    text: str
    thinking: str = ""
    refusal: str = ""
    left_out: bool = False


def _parts_of(content: Any) -> _Parts:
    """The parts of a message's content, by what they are."""
    if isinstance(content, str):
        return _Parts(content)
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return _Parts("", left_out=content is not None)
    texts: list[str] = []
    thoughts: list[str] = []
    refusals: list[str] = []
    left_out = False
    was_text = False
    for part in content:
        kind = str(part.get("type") or "text") if isinstance(part, dict) else "text"
        kept = "".join(_texts_in(part))
        is_text = kind in ("text", "output_text", "message")
        if kind in _THINKING_PARTS or (
            is_text and isinstance(part, dict) and part.get("thought") is True
        ):
            thoughts.append(kept)
            is_text = False
        elif is_text:
            texts.append(kept if was_text or not texts else f"\n{kept}")
        elif kind == "refusal":
            refusals.append(kept)
        else:
            left_out = True
        was_text = is_text
    joined = (
        "".join(texts),
        "\n\n".join(filter(None, thoughts)).strip(),
        "".join(refusals).strip(),
    )
    return _Parts(*joined, left_out=left_out)


_THINKING_PARTS = {"thinking", "reasoning", "thought", "redacted_thinking", "reasoning_text"}


#: Parts are nested no deeper than this.
_DEEPEST = 20


def _texts_in(part: Any, depth: int = 0) -> Iterator[str]:
    """The text of a part, whatever its form."""
    if isinstance(part, str):
        yield part
    elif depth > _DEEPEST:
        return
    elif isinstance(part, list):
        for each in part:
            yield from _texts_in(each, depth + 1)
    elif isinstance(part, dict):
        for name in ("text", "thinking", "reasoning", "summary", "refusal", "value", "content"):
            if part.get(name):
                yield from _texts_in(part[name], depth + 1)
                return


def texts_of_thinking(*fields: Any) -> str:
    """The thinking in the fields that endpoints have for it, each once."""
    found = ("\n".join(_texts_in(field)).strip() for field in fields)
    return "\n\n".join(dict.fromkeys(each for each in found if each))
