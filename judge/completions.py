"""What a model said: its answer, what was taken off it, and how it ended. Pure.

Everything that asks a model reads its completions here: judges, generators of responses, the
rewriter. An answer has none of the model's thinking and none of the tokens that its chat template
puts around turns. Thinking that does not end leaves no answer: what stands in it are drafts.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Ended(StrEnum):
    """How an answer ended."""

    COMPLETE = "complete"
    #: At a limit on its length.
    CUT_OFF = "cut_off"
    #: A filter of the endpoint kept it, or the rest of it, back.
    FILTERED = "filtered"
    #: The endpoint says that the model refused. Words alone never say so.
    REFUSED = "refused"


class Oddity(StrEnum):
    """What was odd about a completion."""

    THINKING = "thinking was taken off"
    UNENDED = "its thinking does not end"
    TOKENS = "special tokens were taken off"
    WENT_ON = "text after the end of its turn was taken off"
    UNWRAPPED = "tags around the whole answer were taken off"
    LEFT_OUT = "parts that are no text were left out"
    TOOL = "it asks for a tool"
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

_CUT_OFF = {"length", "max_tokens", "max_output_tokens", "model_length"}
_CUT_OFF |= {"model_context_window_exceeded", "context_length_exceeded", "max_length"}
_CUT_OFF |= {"max_new_tokens", "max_completion_tokens", "token_limit", "incomplete", "abort"}
_CUT_OFF |= {"insufficient_system_resource", "network_error", "engine_overloaded", "timeout"}
_CUT_OFF |= {"cancelled", "pause_turn", "repetition"}
_REFUSED = {"refusal", "refused"}
_FILTERED = {"content_filter", "content_filtered", "filtered", "safety", "sensitive", "moderation"}
_FILTERED |= {"recitation", "blocklist", "prohibited_content", "spii", "guardrail_intervened"}
_TOOLS = {"tool_calls", "function_call", "tool_use"}
#: Codes of errors that say the same of a request.
FILTERED_CODES = {"content_filter", "content_policy_violation", "responsibleaipolicyviolation"}
FILTERED_CODES |= {"data_inspection_failed", "moderation_blocked", "content_filtered"}

# Thinking

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|seed:think|antthinking"
_OPENING = (
    rf"<(?:{_NAMES})(?:\s[^<>\n]*)?>|\[THINK\]|\u25c1think\u25b7|<\|begin_of_thought\|>"
    r"|<\|START_THINKING\|>|<\|thinking\|>|<unused94>|<\|channel>thought\b"
)
_CLOSING = (
    rf"</(?:{_NAMES})\s*>|\[/THINK\]|\u25c1/think\u25b7|<\|end_of_thought\|>"
    r"|<\|END_THINKING\|>|<\|/thinking\|>|<unused95>|<channel\|>"
)
_TAG = re.compile(rf"(?P<opening>{_OPENING})|(?P<closing>{_CLOSING})", re.IGNORECASE)
#: Thinking between parts of an answer has one of these, at the start of a line.
_OPENS_LATER = re.compile(r"<think(?:ing)?>|\[THINK\]", re.IGNORECASE)
_NO_SPACE = re.compile(r"\S")
_FENCED = re.compile(r"\A```\w*\s*|\s*```\Z")
_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
#: Channels (the "harmony" format): of several messages, those to the user are the answer.
_MESSAGE = re.compile(
    r"(?:<\|start\|>[^<]{0,40})?<\|channel\|>\s*(\w{1,20})[^<]{0,200}(?:<\|constrain\|>[^<]{0,40})?"
    r"<\|message\|>"
)
_END_OF_MESSAGE = re.compile(r"<\|(?:end|return|call|start)\|>")
_TO_THE_USER = "final"
#: The same where a server took the tokens away and left the channels' names.
_NAMES_OF_CHANNELS = re.compile(r"\A(?:analysis|commentary)(?=[A-Z\"'(])")
_LAST_CHANNEL = "assistantfinal"
_WRAPPED = re.compile(
    r"\A(?:<(?P<tag>answer|response|output|final|solution)>(?P<tagged>.*)</(?P=tag)>"
    r"|<\|begin_of_solution\|>(?P<solved>.*?)(?:<\|end_of_solution\|>)?)\Z",
    re.DOTALL | re.IGNORECASE,
)

# Tokens of chat templates

_BAR = "[|\uff5c]"
_AT_THE_START = re.compile(
    r"\A(?:\s*(?:<s>|<bos>|\[INST\](?:(?!\[/?INST\]).)*\[/INST\]|\[/INST\]"
    rf"|<{_BAR}(?:begin_of_text|begin\u2581of\u2581sentence|Assistant|assistant|endoftext){_BAR}>"
    r"|<\|im_start\|>\s*assistant\b|<\|start_header_id\|>\s*assistant\s*<\|end_header_id\|>"
    r"|<start_of_turn>\s*model\b|<\|START_OF_TURN_TOKEN\|>|<\|CHATBOT_TOKEN\|>"
    r"|<\|START_RESPONSE\|>))+",
    re.DOTALL,
)
_AT_THE_END = re.compile(
    rf"<{_BAR}(?:im_end|eot_id|eom_id|end|endoftext|end_of_text|end_of_turn|eos|return|call|EOT"
    rf"|end\u2581of\u2581sentence|END_OF_TURN_TOKEN|END_RESPONSE"
    rf"|im_start|start_header_id|start|user|User|system){_BAR}>"
    r"|<end_of_turn>|<start_of_turn>|<turn\|>|<eos>|\[/?INST\]|<<SYS>>"
)
_PARTLY_AT_THE_END = re.compile(r"<\|(?:im_|eot|eom|end)[a-z_]*\|?\Z")
_STRUCK = "<s>"
_END_OF_SENTENCE = "</s>"

# Refusals in words

_REGRET = r"(?:(?:unfortunately|sorry|i'm (?:really |very |so )?sorry|i apologi[sz]e),? (?:but )?)*"
_CANNOT = (
    r"i(?: can't| cannot| can not| won't| will not|(?:'m| am) (?:not able|unable) to"
    r"| must(?= (?:decline|refuse)))"
)
_DO = (
    "rate|score|judge|assess|evaluate|help|assist|provide|answer|comply|respond|fulfill?|continue"
    "|create|write|engage|do that|do this|decline|refuse"
)
_MAY_REFUSE = re.compile(
    rf"\W*(?:{_REGRET}{_CANNOT}(?: \w+){{0,2}} (?:{_DO})\b|as an? (?:ai|artificial|large)\b"
    r"|(?:\u5f88|\u975e\u5e38)?(?:\u62b1\u6b49|\u5bf9\u4e0d\u8d77)\W*\u6211(?:\u4e0d\u80fd|\u65e0\u6cd5)"
    r"|\u4f5c\u4e3a(?:\u4e00\u4e2a|\u4e00\u540d)?(?:ai|\u4eba\u5de5\u667a\u80fd))"
)
#: Refusals open an answer.
_OPENING_CHARACTERS = 300


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
    refused = parts.refusal or (refusal.strip() if isinstance(refusal, str) else "")
    return ReadCompletion(
        answer=said.answer or refused,
        thinking="\n\n".join(dict.fromkeys(each for each in thinking if each)),
        ended=Ended.REFUSED if refused or reason in _REFUSED else _ended(reason),
        notices=tuple(dict.fromkeys(notices)),
    )


def read_text(text: str) -> ReadCompletion:
    """What a completion's text says, without what its endpoint says of it."""
    notices: list[Oddity] = []
    if _is_object(text):
        return ReadCompletion(text.strip())
    rest = _without_start(text, notices)
    rest, thoughts, unended = _without_thinking(rest)
    if thoughts:
        notices.append(Oddity.THINKING)
    if unended:
        return ReadCompletion("", "\n\n".join(thoughts), notices=(*notices, Oddity.UNENDED))
    if not _is_object(rest):
        rest = _without_end(_without_start(rest, notices), notices)
    rest = rest.strip()
    if thoughts and (wrapped := _WRAPPED.match(rest)):
        rest = (wrapped["tagged"] or wrapped["solved"] or "").strip()
        notices.append(Oddity.UNWRAPPED)
    if may_refuse(rest):
        notices.append(Oddity.MAY_REFUSE)
    return ReadCompletion(rest, "\n\n".join(thoughts), notices=tuple(dict.fromkeys(notices)))


def _is_object(text: str) -> bool:
    """Whether a text is one JSON object, whose strings may have tags and tokens."""
    inside = _FENCED.sub("", text.strip())
    if not (inside.startswith("{") and inside.rstrip().endswith("}")):
        return False
    try:
        return isinstance(json.loads(inside, strict=False), dict)
    except (ValueError, RecursionError):
        return False


def may_refuse(text: str) -> bool:
    """Whether an answer opens as refusals do. "I can't imagine how that feels" is none."""
    opening = text[:_OPENING_CHARACTERS].replace("\u2019", "'").casefold()
    return _MAY_REFUSE.match(opening) is not None


def has_thinking(text: str) -> re.Match[str] | None:
    """The first tag of a model's thinking in a text, or of a channel."""
    return _TAG.search(text) or _MESSAGE.search(text)


def has_tokens(text: str) -> re.Match[str] | None:
    """The first token of a chat template in a text."""
    start = _AT_THE_START.match(text)
    return _AT_THE_END.search(text) or (start if start and start[0].strip() else None)


def _ended(reason: str) -> Ended:
    if reason in _CUT_OFF:
        return Ended.CUT_OFF
    return Ended.FILTERED if reason in _FILTERED else Ended.COMPLETE


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
    for part in content:
        kind = part.get("type", "text") if isinstance(part, dict) else "text"
        kept = "".join(_texts_in(part))
        if kind in ("text", "output_text"):
            texts.append(kept)
        elif kind in ("thinking", "reasoning", "thought", "redacted_thinking"):
            thoughts.append(kept)
        elif kind == "refusal":
            refusals.append(kept)
        else:
            left_out = True
    joined = (
        "".join(texts),
        "\n\n".join(filter(None, thoughts)).strip(),
        "".join(refusals).strip(),
    )
    return _Parts(*joined, left_out=left_out)


def _texts_in(part: Any) -> Iterator[str]:
    """The text of a part, whatever its form."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, list):
        for each in part:
            yield from _texts_in(each)
    elif isinstance(part, dict):
        for name in ("text", "thinking", "reasoning", "summary", "refusal", "value"):
            if name in part:
                yield from _texts_in(part[name])
                return


def texts_of_thinking(*fields: Any) -> str:
    """The thinking in the fields that endpoints have for it, each once."""
    found = ("\n".join(_texts_in(field)).strip() for field in fields)
    return "\n\n".join(dict.fromkeys(each for each in found if each))


def _without_thinking(text: str) -> tuple[str, list[str], bool]:
    """The text without thinking, what was taken off, and whether it does not end."""
    if "<|channel|>" in text:
        return _of_channels(text)
    if opened := _NAMES_OF_CHANNELS.match(text):
        thought, found, final = text[opened.end() :].rpartition(_LAST_CHANNEL)
        return (final, [thought.strip()], False) if found else ("", [text.strip()], True)
    tags = list(_TAG.finditer(text))
    if not tags:
        return text, [], False
    code = _in_code(text)
    thoughts: list[str] = []
    at = first = 0  # where the rest of the text, and of its tags, begins
    while not _is_object(text[at:]):
        begin = _NO_SPACE.search(text, at)
        if first < len(tags) and begin and tags[first]["opening"] and _is_at(tags[first], begin):
            last = _closing(tags, first)
            if last is None:
                return "", [*thoughts, text[tags[first].end() :].strip()], True
            thoughts.append(text[tags[first].end() : tags[last].start()].strip())
        else:
            last = _last_unopened(tags, first, code)
            if last is None:
                break
            thoughts.append(text[at : tags[last].start()].strip())
        at, first = tags[last].end(), last + 1
    answer: list[str] = []
    while first < len(tags) and not _is_object(text[at:]):
        tag = tags[first]
        if (
            not _OPENS_LATER.match(text, tag.start())
            or code[tag.start()]
            or not _is_first(text, tag)
        ):
            first += 1
            continue
        last = _closing(tags, first)
        if last is None:
            return "", [*thoughts, text[at:].strip()], True
        answer.append(text[at : tag.start()])
        thoughts.append(text[tag.end() : tags[last].start()].strip())
        at, first = tags[last].end(), last + 1
    return "".join([*answer, text[at:]]), [each for each in thoughts if each], False


def _is_at(tag: re.Match[str], place: re.Match[str]) -> bool:
    return tag.start() == place.start()


def _is_first(text: str, tag: re.Match[str]) -> bool:
    """Whether a tag is the first on its line."""
    return not text[text.rfind("\n", 0, tag.start()) + 1 : tag.start()].strip()


def _closing(tags: list[re.Match[str]], opening: int) -> int | None:
    """Which tag ends the thinking that `opening` begins."""
    depth = 0
    for number in range(opening, len(tags)):
        depth += 1 if tags[number]["opening"] else -1
        if depth == 0:
            return number
    # One that the thoughts only mention must not hide their end.
    closings = (number for number in range(len(tags) - 1, opening, -1) if tags[number]["closing"])
    return next(closings, None)


def _last_unopened(tags: list[re.Match[str]], first: int, code: bytearray) -> int | None:
    """The last closing tag without its opening one, which the prompt had."""
    depth, found = 0, None
    for number in range(first, len(tags)):
        if code[tags[number].start()]:
            continue
        if tags[number]["opening"]:
            depth += 1
        elif depth:
            depth -= 1
        else:
            found = number
    return found


def _in_code(text: str) -> bytearray:
    """For each character of a text whether it stands in code."""
    marked = bytearray(len(text))
    for code in _CODE.finditer(text):
        marked[code.start() : code.end()] = b"\1" * (code.end() - code.start())
    return marked


def _of_channels(text: str) -> tuple[str, list[str], bool]:
    before, *pieces = _MESSAGE.split(text)
    answers: list[str] = []
    thoughts = [_END_OF_MESSAGE.sub("", before).strip()]
    for channel, message in zip(pieces[::2], pieces[1::2], strict=True):
        body = _END_OF_MESSAGE.split(message, maxsplit=1)[0].strip()
        (answers if channel == _TO_THE_USER else thoughts).append(body)
    thoughts = [each for each in thoughts if each]
    return "\n\n".join(answers), thoughts, not answers


def _without_start(text: str, notices: list[Oddity]) -> str:
    if found := _AT_THE_START.match(text):
        notices.append(Oddity.TOKENS)
        return text[found.end() :]
    return text


def _without_end(text: str, notices: list[Oddity]) -> str:
    code = _in_code(text)
    ends = (each for each in _AT_THE_END.finditer(text) if not code[each.start()])
    if found := next(ends, None):
        notices.append(Oddity.TOKENS)
        after = _AT_THE_END.sub("", text[found.start() :]).strip()
        if after:
            notices.append(Oddity.WENT_ON)
        text = text[: found.start()]
    if found := _PARTLY_AT_THE_END.search(text):
        notices.append(Oddity.TOKENS)
        text = text[: found.start()]
    ended = text.rstrip()
    if ended.endswith(_END_OF_SENTENCE) and _STRUCK not in ended:
        notices.append(Oddity.TOKENS)
        text = ended.removesuffix(_END_OF_SENTENCE)
    return text
