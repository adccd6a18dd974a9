"""A row of a corpus, and where a source file has its parts. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from corpus.problems import CorpusProblem
from survey.definition.dialogue import DialogueTurn, in_lines
from survey.files.names import one_name
from survey.files.suggestions import not_among

#: The parts of a dialogue, each from one column of the source; a context from several.
PARTS = ("prompt", "response", "context", "messages")
#: How the name of a source ends.
KINDS = (".csv", ".tsv", ".jsonl", ".parquet")
#: What sources call the two sides of a conversation.
USERS = {"user", "human", "client", "patient", "seeker"}
ASSISTANTS = {"assistant", "gpt", "bot", "counselor", "counsellor", "therapist", "supporter"}


class LayoutWrong(CorpusProblem):
    """A source does not have what a layout asks for; the message says which part."""


@dataclass(frozen=True)
class Dialogue:
    """Someone's words, and what was answered. `row` counts the dialogues of the source from 1;
    `line` is where its record starts there (of a Parquet file: its row).
    """

    row: int
    line: int
    prompt: str
    #: Shown above the prompt, such as a persona; empty without one.
    context: str = ""
    #: Empty if the source has questions alone.
    response: str = ""


@dataclass(frozen=True)
class Layout:
    """Which columns of a source are which part of a dialogue.

    Either `prompt` is a column, or `messages` is one: a list of messages, of which each of a user
    and the answer after it make a dialogue, with the turns before them as its context. `where`
    keeps records with these values alone.
    """

    prompt: str = ""
    response: str = ""
    context: tuple[str, ...] = ()
    messages: str = ""
    where: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        named = [self.messages or self.prompt, self.response, *self.context, *self.where]
        return list(dict.fromkeys(filter(None, named)))

    def check(self, columns: list[str]) -> None:
        """Raise LayoutWrong if a source with these `columns` lacks one."""
        for name in self.columns:
            if name not in columns:
                raise LayoutWrong(f"column {not_among(name, columns)}".format(name))

    def dialogues(self, record: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """The prompts, contexts and responses of one record. Raises LayoutWrong."""
        if any(one_name(text_of(record.get(name))) != value for name, value in self.where.items()):
            return
        context = self._context(record)
        if not self.messages:
            yield text_of(record.get(self.prompt)), context, text_of(record.get(self.response))
            return
        asked, before = "", list[DialogueTurn]()
        for is_user, text in turns(record.get(self.messages), self.messages):
            if is_user:
                # Several messages in a row are one question.
                asked = f"{asked}\n{text}" if asked else text
                continue
            if asked:
                about = [DialogueTurn("system", context)] if context else []
                yield asked, in_lines([*about, *before]) if before else context, text
                before.append(DialogueTurn("user", asked))
            before.append(DialogueTurn("assistant", text))
            asked = ""

    def _context(self, record: Mapping[str, Any]) -> str:
        texts = {name: text_of(record.get(name)) for name in self.context}
        if len(texts) == 1:
            return next(iter(texts.values()))
        return "\n".join(f"{name}: {text}" for name, text in texts.items() if text)


def text_of(value: object) -> str:
    """A cell as text; empty for a missing one."""
    if value is None or value != value:  # noqa: PLR0124  NaN, as Parquet has it
        return ""
    return value if isinstance(value, str) else str(value)


def turns(value: object, column: str) -> Iterator[tuple[bool, str]]:
    """Whether each message is the user's, and its text. Raises LayoutWrong."""
    if not isinstance(value, list | tuple):
        raise LayoutWrong(f"{column!r} is no list of messages")
    for message in value:
        if not isinstance(message, Mapping):
            raise LayoutWrong(f"{column!r} has a message without a role and a text")
        role = text_of(message.get("role", message.get("from"))).casefold()
        text = text_of(message.get("content", message.get("value")))
        if role in USERS | ASSISTANTS:
            yield role in USERS, text
        elif role != "system":
            raise LayoutWrong(f"{column!r} has a message of {role!r}, neither user nor assistant")


@dataclass(frozen=True)
class Preset:
    """The shape of a published corpus, and what its study takes to be the same dialogue twice."""

    about: str
    layout: Layout
    #: `dialogue`: prompt and response; `prompt`: one question is kept once.
    same: str = "dialogue"
    #: Texts that the filters check.
    checked: tuple[str, ...] = ("prompt", "response")


PRESETS = {
    "tide": Preset(
        "two-turn dialogues with personas, as in The Pursuit of Empathy",
        Layout(prompt="user_input", response="reference_response", context=("persona",)),
    ),
    "haleas": Preset(
        "counselling questions with answers by people, as in Exploring the Empathy",
        Layout(prompt="Context", response="Response"),
        same="prompt",
    ),
    "liu": Preset(
        "counselling conversations as lists of messages, as in Bridging the Empathy Gap",
        Layout(messages="messages"),
        checked=("response",),
    ),
}


def layout_of(preset: str, columns: Sequence[tuple[str, str]], where: Mapping[str, str]) -> Layout:
    """The layout of a preset (empty: a column `prompt` alone), with other `columns` for some of
    PARTS; several of a context. An empty column says that there is none. Raises CorpusProblem.
    """
    layout = PRESETS[preset].layout if preset else Layout(prompt="prompt")
    for part, _ in columns:
        if part not in PARTS:
            raise CorpusProblem(not_among(part, PARTS).format(part))
    columns = [(part, one_name(column)) for part, column in columns]
    named = dict(columns)
    if named.get("messages"):
        layout = replace(layout, prompt="", response="")
    elif "prompt" in named:
        layout = replace(layout, messages="")
    context = tuple(column for part, column in columns if part == "context")
    return replace(
        layout,
        prompt=named.get("prompt", layout.prompt),
        response=named.get("response", layout.response),
        messages=named.get("messages", layout.messages),
        context=tuple(filter(None, context)) if context else layout.context,
        where={one_name(column): one_name(value) for column, value in where.items()},
    )
