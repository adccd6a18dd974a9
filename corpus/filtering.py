"""The filters of a corpus, in order, over a file of dialogues. Pure.

Dialogues are read and written one after the other. What stays in memory are hashes: the SHA-256 of
each text, and those of its pairs of words. Near-duplicates are looked for when all dialogues have
gone through the other steps: how frequent a pair of words is must be known before.
"""

import csv
import hashlib
import json
import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, get_args

from corpus.addresses import url_in
from corpus.cleaning import Anonymizer, count_tokens, emoji_in, half_width
from corpus.dialogues import Dialogue
from corpus.filters import ANONYMIZED, CORPUS, REMOVED, STEPS, Filters, Step, TextName
from corpus.near import PairsOfWords, near_duplicates
from survey.batched import batched
from survey.definition.dialogue import texts_of, with_texts
from survey.files.csv_text import to_text

REMOVED_COLUMNS = ("row", "line", "step", "reason", "same_as_row", "prompt")
ANONYMIZED_COLUMNS = ("row", "line", "mails", "phones", "names", "urls")
STEPS_COLUMNS = ("step", "before", "removed", "changed", "left")
#: Characters of a removed prompt that its table quotes.
QUOTED = 200
#: Dialogues after which progress is told.
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
    """The files of a filtered corpus."""

    corpus: IO[bytes]
    removed: "csv.DictWriter[str]"
    anonymized: "csv.DictWriter[str]"

    def keep(self, dialogue: Dialogue) -> None:
        self.corpus.write(as_line(dialogue))

    def remove(self, dialogue: Dialogue, why: Removal) -> None:
        self.removed.writerow(
            {
                "row": dialogue.row,
                "line": dialogue.line,
                "step": why.step,
                "reason": why.reason,
                "same_as_row": "" if why.same_as is None else why.same_as,
                "prompt": to_text(dialogue.prompt[:QUOTED]),
            }
        )


@dataclass
class _Waiting:
    """Dialogues that are still to be compared with others, in a file."""

    file: IO[bytes]
    pairs: PairsOfWords = field(default_factory=PairsOfWords)
    rows: "array[int]" = field(default_factory=lambda: array("Q"))
    #: Of how many dialogues `progress` is not told yet.
    untold: int = 0

    def add(self, dialogue: Dialogue, text: str) -> None:
        self.file.write(as_line(dialogue))
        self.pairs.add(text)
        self.rows.append(dialogue.row)

    def __iter__(self) -> Iterator[Dialogue]:
        self.file.seek(0)
        yield from map(read_line, self.file)


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
    found, in order. `progress` is told how many more dialogues are done; those that are compared
    with others count half when they are read.
    """
    run = _Run(filters, has_responses=has_responses)
    is_compared = "near_duplicate" in filters.steps
    with ExitStack() as stack:
        writer = _writer(folder, stack)
        waiting = _Waiting(stack.enter_context(tempfile.TemporaryFile(dir=folder)))
        for batch in batched(dialogues, AT_ONCE):
            left = [kept for each in batch if (kept := run.first_steps(each, writer)) is not None]
            for dialogue in left:
                if is_compared:
                    waiting.add(dialogue, run.same_text(dialogue))
                else:
                    writer.keep(dialogue)
            half = len(left) // 2 if is_compared else 0
            waiting.untold += half
            progress(len(batch) - half)
        if is_compared:
            run.last_step(waiting, writer, progress)
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

    def last_step(
        self, waiting: _Waiting, writer: _Writer, progress: Callable[[int], None]
    ) -> None:
        """Write the dialogues that are no near-duplicates."""
        count, n, told = self.of_step["near_duplicate"], len(waiting.rows), 0
        count.before = n
        found = near_duplicates(waiting.pairs, self.filters.near)
        for done, (dialogue, alike) in enumerate(zip(waiting, found, strict=True), start=1):
            if alike is None:
                writer.keep(dialogue)
            else:
                count.removed += 1
                reason = f"{alike.likeness:.2f} of the pairs of words are the same"
                same_as = waiting.rows[alike.number]
                writer.remove(dialogue, Removal("near_duplicate", reason, same_as))
            if done % AT_ONCE == 0 or done == n:
                more = waiting.untold * done // n - told
                told += more
                progress(more)

    def _width(self, dialogue: Dialogue) -> Dialogue:
        return replace(
            dialogue,
            prompt=half_width(dialogue.prompt),
            context=with_texts(dialogue.context, map(half_width, texts_of(dialogue.context))),
            response=half_width(dialogue.response),
        )

    def _anonymize(self, dialogue: Dialogue, writer: _Writer) -> Dialogue:
        given = {"prompt": dialogue.prompt, "response": dialogue.response}
        context = {f"context {n}": text for n, text in enumerate(texts_of(dialogue.context))}
        # The next step removes dialogues by these.
        with_urls = self.checked if "url" in self.of_step else ()
        texts, replaced = self.anonymizer.anonymize(context | given, with_urls=with_urls)
        if not replaced:
            return dialogue
        about = {"row": dialogue.row, "line": dialogue.line}
        writer.anonymized.writerow(about | asdict(replaced))
        return replace(
            dialogue,
            prompt=texts["prompt"],
            context=with_texts(dialogue.context, [texts[each] for each in context]),
            response=texts["response"],
        )

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
