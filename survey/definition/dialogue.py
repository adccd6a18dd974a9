"""The turns of a dialogue that is given as a scenario's context. Pure."""

import json
import re
from dataclasses import dataclass
from typing import Literal

Speaker = Literal["user", "assistant", "system"]
#: What lines begin with, and JSON calls roles.
SPEAKERS: dict[str, Speaker] = {
    **dict.fromkeys(("user", "human", "\u7528\u6237"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "model", "\u52a9\u624b"), "assistant"),
    **dict.fromkeys(("system", "\u7cfb\u7edf"), "system"),
}
_LINE = re.compile(
    rf"[ \t]*\**({'|'.join(SPEAKERS)})\**[ \t]*[:\uff1a]\**[ \t]*(.*)", re.IGNORECASE
)


@dataclass(frozen=True)
class DialogueTurn:
    """What somebody said."""

    speaker: Speaker
    text: str


def turns_of(context: str) -> list[DialogueTurn]:
    """The turns of a context that is a dialogue: a JSON list of objects with `role` and `content`,
    or lines of which the first begins with `User:` or `Assistant:`. Of other texts there are none.
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
        said = message.get("content") if isinstance(message, dict) else None
        speaker = SPEAKERS.get(role.casefold()) if isinstance(role, str) else None
        if speaker is None or not isinstance(said, str):
            return []
        turns.append(DialogueTurn(speaker, said.strip()))
    return turns


def _of_lines(text: str) -> list[DialogueTurn]:
    said: list[tuple[Speaker, list[str]]] = []
    for line in text.split("\n"):
        found = _LINE.fullmatch(line)
        if found:
            said.append((SPEAKERS[found[1].casefold()], [found[2]]))
        elif said:
            said[-1][1].append(line)
        else:
            return []  # something stands before the first turn
    return [DialogueTurn(speaker, "\n".join(lines).strip()) for speaker, lines in said]
