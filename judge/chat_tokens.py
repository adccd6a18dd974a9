"""The tokens that chat templates put around turns, and a text without them. Pure."""

import re
from dataclasses import dataclass

from judge.quoted import marked, quoted_in
from judge.thinking import opens_thinking

_BAR = "[|\uff5c]"
_ANY = rf"<{_BAR}[A-Za-z_\u2581]{{2,40}}{_BAR}>"
_STARTS = (
    r"begin_of_text|startoftext|endoftext|im_start|im_assistant|im_middle|im_sep|start_header_id"
    r"|end_header_id|header_start|header_end|start_of_role|end_of_role|begin_of_solution"
    r"|START_OF_TURN_TOKEN|CHATBOT_TOKEN|START_RESPONSE|START_TEXT|[Aa]ssistant"
    r"|begin\u2581of\u2581sentence"
)
#: Around an answer, or a part of one.
_BOX = re.compile(rf"<{_BAR}(?:begin|end)_of_box{_BAR}>")
#: A sentence about a token goes on behind it.
_NOT_ABOUT = r"(?![ \t]+[a-z|]|['\"\u201d\u2019)\],.;:])"
_AT_THE_START = re.compile(
    rf"\s*(?:[\ufeff\u200b\u2060]|(?P<sentence><s>)|<bos>{_NOT_ABOUT}"
    rf"|\[INST\]{_NOT_ABOUT}(?:(?!\[/?INST\]).)*\[/INST\]|\[/INST\]{_NOT_ABOUT}"
    rf"|<{_BAR}(?:{_STARTS}){_BAR}>(?:\s*(?:assistant|model)\b)?{_NOT_ABOUT}"
    r"|<start_of_turn>\s*model\b|\[\|assistant\|\]|\[gMASK\]|<sop>|<seed:bos>(?:assistant\b)?|assistant(?=\n))",
    re.DOTALL,
)
_AT_THE_END = re.compile(
    rf"(?:{_ANY}|\[\|\w{{2,20}}\|\]|<end_of_turn>|<start_of_turn>|<turn\|>|<eos>|<eoa>|<pad>|\[EOS\]"
    rf"|<seed:eos>|<end_of_utterance>|\[/?INST\]|<</?SYS>>){_NOT_ABOUT}"
)
_PARTLY_AT_THE_END = re.compile(rf"<{_BAR}(?:im_|eot|eom|end)[a-z_\u2581]*{_BAR}?\Z")
#: `<s>` is struck text in HTML, too.
_END_OF_SENTENCE = re.compile(r"</s>\s*(?=\Z|</s>|<s>|<\||\[INST\])")
_STRIKES = re.compile("<s>")
_STRUCK = re.compile(r"</s>[ \t]*\S")


@dataclass(frozen=True)
class WithoutTokens:
    """A text without the tokens of a chat template."""

    text: str
    had_tokens: bool = False
    #: Text behind the end of its turn was taken off, too.
    went_on: bool = False


def without_start(text: str) -> WithoutTokens:
    """A text without the tokens at its start."""
    text, boxes = _BOX.subn("", text)
    at = 0
    is_struck = _STRUCK.search(text) is not None
    while (found := _AT_THE_START.match(text, at)) and not _opens_thinking(text, at):
        if found["sentence"] and is_struck:
            break
        at = found.end()
    return WithoutTokens(
        text[at:], had_tokens=boxes > 0 or bool(text[:at].strip("\ufeff\u200b\u2060 \n"))
    )


def without_end(text: str) -> WithoutTokens:
    """A text up to the first token that ends its turn."""
    if not any(mark in text for mark in "<["):
        return WithoutTokens(text)
    hidden = marked(text, quoted_in(text))
    ends = [_first(_AT_THE_END, text, hidden), _first(_END_OF_SENTENCE, text, hidden)]
    struck = _first(_STRIKES, text, hidden)
    if struck is not None and ends[1] is not None and struck < ends[1]:
        ends[1] = None
    known = [end for end in ends if end is not None]
    if known:
        end = min(known)
        after = _END_OF_SENTENCE.sub("", _AT_THE_END.sub("", text[end:]))
        return WithoutTokens(text[:end], True, went_on=bool(after.strip()))
    if found := _PARTLY_AT_THE_END.search(text):
        return WithoutTokens(text[: found.start()], True)
    return WithoutTokens(text)


def _opens_thinking(text: str, at: int) -> bool:
    rest = re.compile(r"\s*").match(text, at)
    return opens_thinking(text, rest.end() if rest else at)


def _first(pattern: re.Pattern[str], text: str, hidden: bytearray) -> int | None:
    """Where a pattern first occurs outside what is hidden."""
    places = (found.start() for found in pattern.finditer(text))
    return next((place for place in places if not hidden[place]), None)
