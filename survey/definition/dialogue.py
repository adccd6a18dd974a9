"""The turns of a dialogue that is given as a scenario's context. Pure."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from survey.files.as_written import as_written

Speaker = Literal["user", "assistant", "system", "tool"]
#: What the lines of a dialogue begin with. Other words would also find lists of facts: "Model: ".
LINES: dict[str, Speaker] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "\u7528\u6237": "user",
    "\u52a9\u624b": "assistant",
    "\u7cfb\u7edf": "system",
}
#: What JSON calls roles.
ROLES: dict[str, Speaker] = {
    **LINES,
    "human": "user",
    **dict.fromkeys(("ai", "bot", "model"), "assistant"),
    "developer": "system",
    **dict.fromkeys(("tool", "function"), "tool"),
}
_LINE = re.compile(
    rf"[ \t]{{0,3}}\**({'|'.join(LINES)})\**[ \t]*[:\uff1a]\**[ \t]*(.*)", re.IGNORECASE
)


@dataclass(frozen=True)
class DialogueTurn:
    """What one side of a dialogue says."""

    speaker: Speaker
    text: str


def turns_of(context: str) -> list[DialogueTurn]:
    """The turns of a context that is a dialogue: a JSON list of objects with `role` and `content`,
    or lines. The first line then begins with `User:`, `Assistant:` or `System:`, and at least one
    with `User:` or `Assistant:`. Other texts have no turns.
    """
    text = context.strip()
    return _of_json(text) if text[:1] == "[" else _of_lines(text)


def _of_json(text: str) -> list[DialogueTurn]:
    try:
        messages = json.loads(text)
    except (ValueError, RecursionError):
        return []
    turns = []
    for message in messages if isinstance(messages, list) else []:
        role = message.get("role") if isinstance(message, dict) else None
        said = _said(message.get("content")) if isinstance(message, dict) else None
        speaker = ROLES.get(role.casefold()) if isinstance(role, str) else None
        if speaker is None or not (said := as_written(said or "")):
            return []
        turns.append(DialogueTurn(speaker, said))
    return turns


def _said(content: Any) -> str | None:
    """The text of a message, or of its parts if all of them are texts."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else None
    texts: list[str] = []
    for part in content:
        text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
        if not isinstance(text, str):
            return None
        texts.append(text)
    return "\n".join(texts) if texts else None


def _of_lines(text: str) -> list[DialogueTurn]:
    said: list[tuple[Speaker, list[str]]] = []
    for line in text.split("\n"):
        found = _LINE.fullmatch(line)
        if found:
            said.append((LINES[found[1].casefold()], [found[2]]))
        elif said:
            said[-1][1].append(line)
        else:
            return []  # something stands before the first turn
    if all(speaker == "system" for speaker, _ in said):
        return []  # "System: Windows 11"
    turns = [DialogueTurn(speaker, as_written("\n".join(lines))) for speaker, lines in said]
    return [turn for turn in turns if turn.text]


def texts_of(context: str) -> list[str]:
    """The texts of a context: of the messages of a dialogue in JSON, else the context itself."""
    messages = _messages(context)
    return [text for message in messages for text in _parts(message)] or [context]


def with_texts(context: str, texts: Iterable[str]) -> str:
    """The same context with other texts, in the order in which `texts_of` gives them."""
    messages, more = _messages(context), iter(texts)
    if not messages:
        return next(more)
    for message in messages:
        if isinstance(message["content"], str):
            message["content"] = next(more)
        else:
            for part in message["content"]:
                part["text"] = next(more)
    return json.dumps(messages, ensure_ascii=False)


def _messages(context: str) -> list[dict[str, Any]]:
    """The messages of a dialogue in JSON; none of other texts."""
    text = context.strip()
    messages: list[dict[str, Any]] = json.loads(text) if text[:1] == "[" and turns_of(text) else []
    return messages


def _parts(message: dict[str, Any]) -> list[str]:
    content = message["content"]
    return [content] if isinstance(content, str) else [part["text"] for part in content]


def in_lines(turns: Iterable[DialogueTurn]) -> str:
    """Turns as `turns_of` reads them. Lines of a turn that look like the beginning of another one
    are indented.
    """
    return "\n".join(
        f"{turn.speaker.capitalize()}: "
        + "\n".join(
            f"    {line}" if _LINE.fullmatch(line) else line for line in turn.text.split("\n")
        )
        for turn in turns
    )
