"""Corpora of this installation: their files under DATA_DIR, and the rows that describe them.

A corpus is a folder with `raw.jsonl` (as imported) and what the filters wrote. New files are made
in a folder beside it and moved into place whole, so a command that fails changes nothing.
"""

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from corpus.dialogues import Dialogue, Layout
from corpus.filtering import filter_dialogues, read_dialogues, write_dialogues
from corpus.filters import ANONYMIZED, CORPUS, RAW, REMOVED, STEPS, Filters
from corpus.folders import check_new, dialogues_file, folder_of
from corpus.models import Corpus, Sample, SampledScenario
from corpus.problems import CorpusProblem
from corpus.reading import dialogues_of
from corpus.sampling import SampleTooLarge, drawn
from judge.traces import Noticed
from survey.storable import whole

Progress = Callable[[int], None]


def silent(_: int) -> None:
    """No progress is shown."""


def check_files(corpus: Corpus) -> None:
    """Raise CorpusProblem if the dialogues of a corpus are not those that its row describes."""
    path = dialogues_file(corpus)
    known = (
        corpus.source["dialogues_sha256"] if corpus.filtered is None else corpus.filtered["sha256"]
    )
    if not path.is_file() or sha256_of(path) != known:
        raise CorpusProblem(
            f"{path} is not what was imported and filtered; filter corpus {corpus} again, or "
            "import it again under another name"
        )


def import_corpus(path: Path, name: str, layout: Layout, **more: Any) -> Corpus:
    """Read the dialogues of a file into a new corpus. Takes and raises what `imported` does."""
    with imported(path, name, layout, **more) as store, transaction.atomic():
        return store()


@contextmanager
def imported(
    path: Path,
    name: str,
    layout: Layout,
    *,
    preset: str = "",
    file_name: str = "",
    progress: Progress = silent,
) -> Iterator[Callable[[], Corpus]]:
    """What stores the dialogues of a file as a new corpus, in a transaction. `file_name` is what
    people call the file, if it is not at its own path.

    Raises CorpusProblem and DefinitionError.
    """
    check_new(Corpus, name, "corpus")
    with _new_folder() as folder:
        file, noticed = file_name or path.name, Noticed()
        dialogues = _noticed_in(dialogues_of(path, layout), noticed, file)
        n = write_dialogues(dialogues, folder / RAW, progress)
        source = {
            "file": file,
            "sha256": sha256_of(path),
            "preset": preset,
            "columns": {
                "prompt": layout.prompt,
                "response": layout.response,
                "context": list(layout.context),
                "messages": layout.messages,
            },
            "where": dict(layout.where),
            "has_responses": bool(layout.response or layout.messages),
            "dialogues": n,
            "dialogues_sha256": sha256_of(folder / RAW),
            "noticed": noticed.lines("dialogues"),
        }

        def store() -> Corpus:
            corpus = Corpus.objects.create(name=name, source=source)
            # What is there without a row is of an import that was killed before its commit.
            shutil.rmtree(folder_of(corpus), ignore_errors=True)
            folder.rename(folder_of(corpus))
            return corpus

        yield store


def filter_corpus(corpus: Corpus, filters: Filters, *, progress: Progress = silent) -> Corpus:
    """Apply filters to the dialogues of a corpus as they were imported; replaces what earlier
    filters left. Samples keep their scenarios.
    """
    with filtered(corpus, filters, progress=progress) as store, transaction.atomic():
        store()
    return corpus


@contextmanager
def filtered(
    corpus: Corpus, filters: Filters, *, progress: Progress = silent
) -> Iterator[Callable[[], None]]:
    """What stores, in a transaction, the dialogues that filters leave of a corpus."""
    with _new_folder() as folder:
        raw = read_dialogues(folder_of(corpus) / RAW)
        has_responses = corpus.source["has_responses"]
        counts = filter_dialogues(
            raw, filters, folder, has_responses=has_responses, progress=progress
        )
        corpus.filtered = {
            "filters": filters.model_dump(mode="json"),
            "steps": [count.as_row() for count in counts],
            "sha256": sha256_of(folder / CORPUS),
            "dialogues": counts[-1].left if counts else corpus.source["dialogues"],
        }

        def store() -> None:
            corpus.save(update_fields=["filtered"])
            for name in (CORPUS, REMOVED, ANONYMIZED, STEPS):
                (folder / name).replace(folder_of(corpus) / name)

        yield store


def draw_sample(
    corpus: Corpus, name: str, *, first: int | None, at_random: int | None, seed: int
) -> Sample:
    """Make a sample of a corpus's dialogues: S1, S2, … in the order drawn. Raises CorpusProblem."""
    store = drawn_sample(corpus, name, first=first, at_random=at_random, seed=seed)
    with transaction.atomic():
        return store()


def drawn_sample(
    corpus: Corpus, name: str, *, first: int | None, at_random: int | None, seed: int
) -> Callable[[], Sample]:
    """What stores a sample of a corpus's dialogues, in a transaction. Raises CorpusProblem."""
    check_new(Sample, name, "sample")
    path = dialogues_file(corpus)
    check_files(corpus)
    n = corpus.dialogues
    try:
        positions = drawn(n, first=first, at_random=at_random, seed=seed)
    except SampleTooLarge as problem:
        raise CorpusProblem(f"corpus {corpus}: {problem}") from None
    found = dict(_at(path, set(positions)))
    how = {
        "first": first,
        "random": at_random,
        "seed": None if at_random is None else seed,
        "dialogues": n,
        "sha256": sha256_of(path),
    }

    def store() -> Sample:
        sample = Sample.objects.create(name=name, corpus=corpus, drawn=how)
        SampledScenario.objects.bulk_create(
            SampledScenario(
                sample=sample,
                position=number,
                name=f"S{number}",
                row=found[each].row,
                prompt=whole(found[each].prompt),
                context=whole(found[each].context),
                reference=whole(found[each].response),
            )
            for number, each in enumerate(positions, start=1)
        )
        return sample

    return store


def sha256_of(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _noticed_in(dialogues: Iterator[Dialogue], noticed: Noticed, file: str) -> Iterator[Dialogue]:
    """The dialogues, of which `noticed` looks at each as it passes."""
    for each in dialogues:
        noticed.add(f"{file}:{each.line}", f"{each.prompt}\n{each.response}")
        yield each


def _at(path: Path, positions: set[int]) -> Iterator[tuple[int, Dialogue]]:
    last = max(positions, default=-1)
    for position, dialogue in enumerate(islice(read_dialogues(path), last + 1)):
        if position in positions:
            yield position, dialogue


@contextmanager
def _new_folder() -> Iterator[Path]:
    """A folder beside those of corpora, which is removed unless it was moved."""
    settings.CORPORA_DIR.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=".new-", dir=settings.CORPORA_DIR))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
