"""The filters of a corpus, in order, over a file of dialogues. Pure.

Dialogues are read and written one after the other. What stays in memory are hashes: the SHA-256 of
each kept text, the index of near-duplicates, and where each kept text is in the file.
"""

import csv
import hashlib
import json
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import IO, get_args

from corpus.cleaning import Anonymizer, count_tokens, emoji_in, half_width, url_in
from corpus.dialogues import Dialogue
from corpus.filters import ANONYMIZED, CORPUS, REMOVED, STEPS, Filters, Step, TextName
from corpus.near import NearDuplicates

REMOVED_COLUMNS = ("row", "line", "step", "reason", "same_as_row", "prompt")
ANONYMIZED_COLUMNS = ("row", "line", "mails", "phones", "names")
STEPS_COLUMNS = ("step", "before", "removed", "changed", "left")
#: Characters of a removed prompt that its table quotes.
QUOTED = 200
#: Dialogues whose near-duplicates are looked for at once.
AT_ONCE = 500


@dataclass
class Count:
    """What a step found and did."""

    step: str
    before: int = 0
    removed: int = 0
    changed: int = 0

    @property
    def left(self) -> int:
        return self.before - self.removed

    def as_row(self) -> dict[str, str | int]:
        """As a row of steps.csv."""
        return {**asdict(self), "left": self.left}


@dataclass(frozen=True)
class Removal:
    """Why a dialogue is removed; `same_as` is the earlier row that it repeats."""

    step: str
    reason: str
    same_as: int | None = None


@dataclass
class _Writer:
    """The files of a filtered corpus, and where each kept dialogue is."""

    corpus: IO[bytes]
    removed: "csv.DictWriter[str]"
    anonymized: "csv.DictWriter[str]"
    reader: IO[bytes]
    offsets: "array[int]" = field(default_factory=lambda: array("Q"))

    def keep(self, dialogue: Dialogue) -> None:
        self.offsets.append(self.corpus.tell())
        self.corpus.write(as_line(dialogue))

    def remove(self, dialogue: Dialogue, why: Removal) -> None:
        self.removed.writerow(
            {
                "row": dialogue.row,
                "line": dialogue.line,
                "step": why.step,
                "reason": why.reason,
                "same_as_row": "" if why.same_as is None else why.same_as,
                "prompt": dialogue.prompt[:QUOTED],
            }
        )

    def kept(self, number: int) -> Dialogue:
        """A dialogue that was kept, by its number from 0."""
        self.corpus.flush()
        self.reader.seek(self.offsets[number])
        return read_line(self.reader.readline())


def as_line(dialogue: Dialogue) -> bytes:
    """A dialogue as one line of JSON."""
    return json.dumps(vars(dialogue), ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def read_line(line: bytes) -> Dialogue:
    """A dialogue from a line of JSON that we wrote."""
    return Dialogue(**json.loads(line))


def read_dialogues(path: Path) -> Iterator[Dialogue]:
    """The dialogues of a file that we wrote."""
    with path.open("rb") as file:
        yield from map(read_line, file)


def write_dialogues(
    dialogues: Iterable[Dialogue], path: Path, progress: Callable[[int], None]
) -> int:
    """Write a file of dialogues; returns their number."""
    n = 0
    with path.open("wb") as file:
        for n, dialogue in enumerate(dialogues, start=1):
            file.write(as_line(dialogue))
            if n % AT_ONCE == 0:
                progress(AT_ONCE)
    progress(n % AT_ONCE)
    return n


def filter_dialogues(
    dialogues: Iterable[Dialogue],
    filters: Filters,
    folder: Path,
    *,
    has_responses: bool,
    progress: Callable[[int], None] = lambda n: None,
) -> list[Count]:
    """Filter `dialogues` into the files of a `folder`, which must exist. Returns what each step
    found, in order. `progress` is told how many more dialogues were read.
    """
    run = _Run(filters, has_responses=has_responses)
    with ExitStack() as stack:
        writer = _writer(folder, stack)
        near = NearDuplicates(filters.near, lambda number: run.same_text(writer.kept(number)))
        source = iter(dialogues)
        while batch := list(islice(source, AT_ONCE)):
            left = [kept for each in batch if (kept := run.first_steps(each, writer)) is not None]
            run.last_step(left, near, writer)
            progress(len(batch))
    counts = run.counts()
    with (folder / STEPS).open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, STEPS_COLUMNS)
        table.writeheader()
        table.writerows(count.as_row() for count in counts)
    return counts


def _writer(folder: Path, stack: ExitStack) -> _Writer:
    def table(name: str, columns: tuple[str, ...]) -> "csv.DictWriter[str]":
        file = stack.enter_context((folder / name).open("w", encoding="utf-8", newline=""))
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        return writer

    corpus = stack.enter_context((folder / CORPUS).open("wb"))
    return _Writer(
        corpus,
        table(REMOVED, REMOVED_COLUMNS),
        table(ANONYMIZED, ANONYMIZED_COLUMNS),
        stack.enter_context((folder / CORPUS).open("rb")),
    )


class _Run:
    """The steps over one corpus, and their counts."""

    def __init__(self, filters: Filters, *, has_responses: bool) -> None:
        self.filters = filters
        self.texts: tuple[TextName, ...] = ("prompt", "response") if has_responses else ("prompt",)
        self.checked = [name for name in self.texts if name in filters.checked] or [*self.texts]
        self.of_step = {step: Count(step) for step in get_args(Step) if step in filters.steps}
        self.anonymizer = Anonymizer(filters.names)
        self.seen: dict[bytes, int] = {}
        self.removals: dict[str, Callable[[Dialogue], Removal | None]] = {
            "blank": self._blank,
            "url": self._url,
            "emoji": self._emoji,
            "short": self._short,
            "duplicate": self._duplicate,
        }

    def counts(self) -> list[Count]:
        return list(self.of_step.values())

    def same_text(self, dialogue: Dialogue) -> str:
        """What duplicates repeat."""
        if self.filters.same == "prompt":
            return dialogue.prompt
        return f"{dialogue.prompt}\n{dialogue.response}"

    def first_steps(self, dialogue: Dialogue, writer: _Writer) -> Dialogue | None:
        """The dialogue after all steps but the last; None if one removed it."""
        for step, count in self.of_step.items():
            if step == "near_duplicate":
                break
            count.before += 1
            if step == "width":
                changed = self._width(dialogue)
            elif step == "anonymize":
                changed = self._anonymize(dialogue, writer)
            elif why := self.removals[step](dialogue):
                count.removed += 1
                writer.remove(dialogue, why)
                return None
            else:
                continue
            count.changed += changed != dialogue
            dialogue = changed
        return dialogue

    def last_step(self, dialogues: list[Dialogue], near: NearDuplicates, writer: _Writer) -> None:
        """Write the dialogues that are no near-duplicates."""
        count = self.of_step.get("near_duplicate")
        if count is None:
            for dialogue in dialogues:
                writer.keep(dialogue)
            return
        count.before += len(dialogues)
        found = near.add([self.same_text(dialogue) for dialogue in dialogues])
        for dialogue, alike in zip(dialogues, found, strict=True):
            if alike is None:
                writer.keep(dialogue)
                continue
            count.removed += 1
            reason = f"{alike.likeness:.2f} of the pairs of words are the same"
            same_as = writer.kept(alike.number).row
            writer.remove(dialogue, Removal("near_duplicate", reason, same_as))

    def _width(self, dialogue: Dialogue) -> Dialogue:
        return replace(
            dialogue,
            prompt=half_width(dialogue.prompt),
            context=half_width(dialogue.context),
            response=half_width(dialogue.response),
        )

    def _anonymize(self, dialogue: Dialogue, writer: _Writer) -> Dialogue:
        given = {name: getattr(dialogue, name) for name in ("context", "prompt", "response")}
        texts, replaced = self.anonymizer.anonymize(given)
        if not replaced:
            return dialogue
        about = {"row": dialogue.row, "line": dialogue.line}
        writer.anonymized.writerow(about | asdict(replaced))
        return dialogue.with_texts(texts)

    def _blank(self, dialogue: Dialogue) -> Removal | None:
        empty = [name for name in self.texts if not getattr(dialogue, name).strip()]
        return Removal("blank", f"the {empty[0]} is empty") if empty else None

    def _url(self, dialogue: Dialogue) -> Removal | None:
        for name in self.checked:
            if found := url_in(getattr(dialogue, name)):
                return Removal("url", f"{found[:40]!r} in the {name}")
        return None

    def _emoji(self, dialogue: Dialogue) -> Removal | None:
        for name in self.checked:
            if found := emoji_in(getattr(dialogue, name)):
                return Removal("emoji", f"{found} in the {name}")
        return None

    def _short(self, dialogue: Dialogue) -> Removal | None:
        for name in self.checked:
            n = count_tokens(getattr(dialogue, name), self.filters.min_tokens)
            if n < self.filters.min_tokens:
                return Removal("short", f"{n} tokens in the {name}")
        return None

    def _duplicate(self, dialogue: Dialogue) -> Removal | None:
        digest = hashlib.sha256(self.same_text(dialogue).encode("utf-8", "replace")).digest()
        first = self.seen.setdefault(digest, dialogue.row)
        if first == dialogue.row:
            return None
        return Removal("duplicate", "the same text", first)
