"""A model's thinking within a text, and the text without it. Pure.

Models put it between tags, of which the prompt may have the opening one; into channels (the
"harmony" format); or under a heading. Tags in code or JSON, and those that a sentence is about,
are left alone.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from judge.quoted import BEGINS_OBJECT, Quoted, marked, quoted_in
from survey.files.as_written import as_written

_NAME = (
    r"(?:[a-z]{1,12}[:_-]){0,2}(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|scratchpad|monologue"
    r"|cot|analysis|rationale|antthinking)(?:[_-][a-z]{1,12})?"
)
#: The same as tokens of a template: `<|think_start|>` and `<|think_end|>`.
_WORDS = r"(?:[a-z]{1,12}_){0,2}(?:think(?:ing)?|thoughts?|reason(?:ing)?|scratchpad|analysis|plan)"
_LESS, _GREATER = r"(?:<|&lt;|\uff1c)", r"(?:>|&gt;|\uff1e)"
_OPENING = (
    rf"{_LESS}{_NAME}(?:\s[^<>\n]{{0,200}})?{_GREATER}|(?-i:\[THINK\](?![ \t]+[a-z]))"
    rf"|\[thinking\]|\u25c1think\u25b7|<\|(?!end){_WORDS}(?:_start|_begin)?\|>"
    r"|<\|inner_prefix\|>|<unused94>|<\|channel>thought\b|<start_working_out>"
    r"|<\|im_start\|>think\n"
)
_CLOSING = (
    rf"{_LESS}\\?/{_NAME}\s*{_GREATER}|\[/THINK(?:ING)?\]|\u25c1/think\u25b7"
    rf"|<\|(?:end_(?:of_)?|/){_WORDS}\|>|<\|{_WORDS}_end\|>|<\|(?:final|answer|inner_suffix)\|>"
    r"|<unused95>|<channel\|>|<end_working_out>|<\|im_start\|>answer\n"
    r"|<\|end\|><\|begin\|>assistant<\|content\|>"
)
_TAG = re.compile(rf"(?P<opening>{_OPENING})|(?P<closing>{_CLOSING})", re.IGNORECASE)
#: Thinking between parts of an answer has one of these; `<thinking>` at the start of a line.
_OPENS_LATER = re.compile(
    rf"{_LESS}think{_GREATER}|(?-i:\[THINK\])|\u25c1think\u25b7|<\|channel>thought", re.IGNORECASE
)
_OPENS_A_LINE = re.compile(rf"{_LESS}(?:thinking|thought){_GREATER}", re.IGNORECASE)
#: A sentence about a tag goes on behind it.
_ABOUT_OPENING = re.compile(r"[ \t]+(?:is|are|and|or|was|means|marks|opens|begins|tags?|tokens?)\b")
_ENDS_QUOTE = re.compile(r"['\"\u201d\u2019)\],.;:]")
_ABOUT_CLOSING = re.compile(r"[ \t]+[a-z]|['\"\u201d\u2019)\],.;:`]")
_BEFORE_THINKING = re.compile(
    r"[\s\ufeff\u200b\u2060]*(?:assistant:\s*)?(?:<(?:answer|response|output)>\s*)?", re.IGNORECASE
)
#: Headings over thinking and over the answer; those that must be closed.
_HEADED = [
    (re.compile(opening, re.IGNORECASE), re.compile(closing, re.IGNORECASE | re.MULTILINE))
    for opening, closing in (
        (
            r"\A\s*here(?:'s| is) my thought process:[ \t]*(?=\n)",
            r"^[ \t]*here(?:'s| is) my response:",
        ),
        (r"\A\s*thinking\.\.\.[ \t]*(?=\n)", r"^\.\.\.done thinking\.[ \t]*$"),
        (r"\A\s*<details type=\"reasoning\"[^<>\n]*>", r"</details>"),
    )
]
#: Of several messages, those to the user are the answer.
_MESSAGE = re.compile(
    r"(?:<\|start\|>[^<]{0,40})?<\|channel\|>\s*(\w{1,20})[^<]{0,200}(?:<\|constrain\|>[^<]{0,40})?"
    r"<\|message\|>|<\|start\|>assistant<\|message\|>|\A<\|message\|>"
)
_END_OF_MESSAGE = re.compile(r"<\|(?:end|return|call|start)\|>")
#: A message without a channel is to the user, too.
_TO_THE_USER = ("final", None)
#: The same where a server took the tokens away and left the channels' names.
_LAST_CHANNEL = re.compile(
    r"(?<=\S)assistantfinal\s*(?:json(?=\s*\{))?(?=\S)|^assistantfinal[ \t]*$", re.MULTILINE
)
_CHANNEL_NAMES = re.compile(r"\A\s*(?:assistant)?(?:analysis|commentary)\s*")
_OPENS_CHANNEL = re.compile(
    r"\A\s*(?:assistant)?(?:analysis|commentary)(?=[A-Z][a-z']*\s|\{|[^\x00-\x7f])"
)


@dataclass(frozen=True)
class WithoutThinking:
    """A text without its thinking. Where thinking does not end, there is no text."""

    text: str
    thoughts: tuple[str, ...] = ()
    is_unended: bool = False


def without_thinking(text: str) -> WithoutThinking:
    """A text, and the thinking that was taken off it."""
    for opening, closing in _HEADED:
        begun = opening.match(text)
        if begun and (ended := closing.search(text, begun.end())):
            inside = _without_channels(text[ended.end() :])
            return _with(inside, [text[begun.end() : ended.start()]])
    return _without_channels(text)


def opens_thinking(text: str, at: int) -> bool:
    """Whether thinking, or a channel, begins at a place of a text."""
    tag = _TAG.match(text, at)
    return bool(tag and tag["opening"]) or _MESSAGE.match(text, at) is not None


def _without_channels(text: str) -> WithoutThinking:
    quoted = quoted_in(text)
    hidden = marked(text, quoted)
    messages = [each for each in _MESSAGE.finditer(text) if not hidden[each.start()]]
    if messages:
        return _of_channels(text, messages)
    finals = list(_LAST_CHANNEL.finditer(text))
    if finals:
        thought = _CHANNEL_NAMES.sub("", text[: finals[-1].start()])
        final = text[finals[-1].end() :]
        return _with(_of_tags(final, quoted_in(final)), [thought])
    if opened := _OPENS_CHANNEL.match(text):
        return WithoutThinking("", (text[opened.end() :].strip(),), is_unended=True)
    return _of_tags(text, quoted)


def _with(inside: WithoutThinking, thoughts: Sequence[str]) -> WithoutThinking:
    said = tuple(each.strip() for each in thoughts if each.strip())
    return WithoutThinking(inside.text, said + inside.thoughts, inside.is_unended)


def _of_channels(text: str, messages: Sequence[re.Match[str]]) -> WithoutThinking:
    answers: list[str] = []
    thoughts = [_END_OF_MESSAGE.sub("", text[: messages[0].start()])]
    ends = [each.start() for each in messages[1:]] + [len(text)]
    for message, end in zip(messages, ends, strict=True):
        body, *behind = _END_OF_MESSAGE.split(text[message.end() : end], maxsplit=1)
        (answers if message[1] in _TO_THE_USER else thoughts).append(as_written(body))
        thoughts += (_END_OF_MESSAGE.sub("", rest) for rest in behind)
    answer = "\n\n".join(answers)
    if not answers:
        return _with(WithoutThinking("", is_unended=True), thoughts)
    return _with(_of_tags(answer, quoted_in(answer)), thoughts)


@dataclass(frozen=True)
class _Tag:
    start: int
    end: int
    opens: bool
    #: On its line.
    is_first: bool
    #: Within a sentence.
    is_inside: bool


def _of_tags(text: str, quoted: Sequence[Quoted]) -> WithoutThinking:
    tags = list(_tags_of(text, quoted))
    thoughts: list[str] = []
    at = first = 0  # where the rest of the text, and of its tags, begins
    while first < len(tags):
        begin = _BEFORE_THINKING.match(text, at)
        start = begin.end() if begin else at
        if tags[first].opens and tags[first].start == start:
            last = _closing(tags, first)
            if last is None:
                return _with(
                    WithoutThinking("", is_unended=True), [*thoughts, text[tags[first].end :]]
                )
            thoughts.append(text[tags[first].end : tags[last].start])
        else:
            last = _last_unopened(text, tags, first)
            if last is None or _is_cut_object(text, start, quoted):
                break
            thoughts.append(text[at : tags[last].start])
        at, first = tags[last].end, last + 1
    answer: list[str] = []
    is_markup = not thoughts and text[at:].lstrip()[:1] == "<"
    while first < len(tags):
        tag = tags[first]
        if not tag.opens or not _opens_later(text, tag, is_markup=is_markup):
            first += 1
            continue
        last = _closing(tags, first)
        if last is None:
            return _with(WithoutThinking("", is_unended=True), [*thoughts, *answer, text[at:]])
        answer.append(text[at : tag.start])
        thoughts.append(text[tag.end : tags[last].start])
        at, first = tags[last].end, last + 1
    return _with(WithoutThinking("".join([*answer, text[at:]])), thoughts)


def _tags_of(text: str, quoted: Sequence[Quoted]) -> Iterator[_Tag]:
    """The tags that are not quoted, nor what a sentence is about."""
    found = list(_found_in(text))
    hidden = marked(text, _without_unopened(quoted, found)) if found else bytearray()
    for tag in found:
        if hidden[tag.start] or (tag.opens and _is_about(text, tag)):
            continue
        yield tag


def _is_about(text: str, tag: _Tag) -> bool:
    """Whether a sentence is about an opening tag. One that begins a text is not quoted."""
    if _ABOUT_OPENING.match(text, tag.end):
        return True
    return bool(text[: tag.start].strip()) and _ENDS_QUOTE.match(text, tag.end) is not None


#: Behind one of these a tag is a part of a sentence, a cell or a string.
_WITHIN = ",|/'\"(`["


def _found_in(text: str) -> Iterator[_Tag]:
    before = 0  # the end of the line or tag before
    for tag in _TAG.finditer(text):
        line = text.rfind("\n", before, tag.start()) + 1
        leading = text[max(line, before) : tag.start()].rstrip()
        is_first = not leading and (line > 0 or before == 0)
        is_inside = bool(leading) and (leading[-1].isalnum() or leading[-1] in _WITHIN)
        yield _Tag(tag.start(), tag.end(), tag["opening"] is not None, is_first, is_inside)
        before = tag.end()


def _without_unopened(quoted: Sequence[Quoted], tags: Sequence[_Tag]) -> Iterator[Quoted]:
    """Those that close no thinking that began before them."""
    starts = [tag.start for tag in tags]
    depths = [0, *accumulate(1 if tag.opens else -1 for tag in tags)]
    for each in quoted:
        first, last = (bisect_left(starts, place) for place in (each.start, each.end))
        if not each.is_block or depths[first] <= depths[last]:
            yield each


def _opens_later(text: str, tag: _Tag, *, is_markup: bool) -> bool:
    if _OPENS_LATER.match(text, tag.start):
        return not tag.is_inside
    return not is_markup and tag.is_first and _OPENS_A_LINE.match(text, tag.start) is not None


def _is_cut_object(text: str, start: int, quoted: Sequence[Quoted]) -> bool:
    """Whether a text is JSON that does not end, whose strings may have a tag."""
    return BEGINS_OBJECT.match(text, start) is not None and all(
        each.start != start for each in quoted
    )


def _closing(tags: Sequence[_Tag], opening: int) -> int | None:
    """Which tag ends the thinking that `opening` begins."""
    depth = 0
    for number in range(opening, len(tags)):
        depth += 1 if tags[number].opens else -1
        if depth == 0:
            return number
    # One that the thoughts only mention must not hide their end.
    closings = (number for number in range(len(tags) - 1, opening, -1) if not tags[number].opens)
    return next(closings, None)


def _last_unopened(text: str, tags: Sequence[_Tag], first: int) -> int | None:
    """The last closing tag without its opening one, which the prompt had."""
    depth, found = 0, None
    for number in range(first, len(tags)):
        tag = tags[number]
        if tag.opens:
            depth += 1
        elif depth:
            depth -= 1
        elif tag.is_first or not _ABOUT_CLOSING.match(text, tag.end):
            found = number
    return found
