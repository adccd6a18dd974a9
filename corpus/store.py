"""Corpora of this installation: their files under DATA_DIR, and the rows that describe them.

A corpus is a folder with `raw.jsonl` (as imported) and what the filters wrote. New files are made
in a folder beside it and moved into place whole, so a command that fails changes nothing.
"""

import hashlib
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TypeVar

from django.conf import settings
from django.db import transaction

from corpus.dialogues import Dialogue, Layout
from corpus.filtering import (
    ANONYMIZED,
    CORPUS,
    RAW,
    REMOVED,
    STEPS,
    Filters,
    filter_dialogues,
    read_dialogues,
    write_dialogues,
)
from corpus.models import Corpus, Generation, Sample, SampledScenario
from corpus.models.corpora import NAME
from corpus.problems import CorpusProblem
from corpus.reading import dialogues_of
from corpus.sampling import SampleTooLarge, drawn
from survey.files.suggestions import did_you_mean

Progress = Callable[[int], None]


Named = TypeVar("Named", Corpus, Sample)


def silent(_: int) -> None:
    """No progress is shown."""


def folder_of(corpus: Corpus) -> Path:
    """The files of a corpus."""
    return settings.CORPORA_DIR / corpus.name


def dialogues_file(corpus: Corpus) -> Path:
    """Its dialogues: filtered, if it was."""
    return folder_of(corpus) / (RAW if corpus.filtered is None else CORPUS)


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


def find_corpus(name: str) -> Corpus:
    """The corpus called `name`. Raises CorpusProblem."""
    return _find(Corpus, name, "corpus")


def find_sample(name: str) -> Sample:
    """The sample called `name`. Raises CorpusProblem."""
    return _find(Sample, name, "sample")


def import_corpus(
    path: Path,
    name: str,
    layout: Layout,
    *,
    preset: str = "",
    file_name: str = "",
    progress: Progress = silent,
) -> Corpus:
    """Read the dialogues of a file into a new corpus. `file_name` is what people call the file, if
    it is not at its own path.

    Raises CorpusProblem and DefinitionError.
    """
    _check_new(Corpus, name, "corpus")
    with _new_folder() as folder:
        n = write_dialogues(dialogues_of(path, layout), folder / RAW, progress)
        source = {
            "file": file_name or path.name,
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
        }
        with transaction.atomic():
            corpus = Corpus.objects.create(name=name, source=source)
            # What is there without a row is of an import that was killed before its commit.
            shutil.rmtree(folder_of(corpus), ignore_errors=True)
            folder.rename(folder_of(corpus))
    return corpus


def filter_corpus(corpus: Corpus, filters: Filters, *, progress: Progress = silent) -> Corpus:
    """Apply filters to the dialogues of a corpus as they were imported; replaces what earlier
    filters left. Samples keep their scenarios.
    """
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
        with transaction.atomic():
            corpus.save(update_fields=["filtered"])
            for name in (CORPUS, REMOVED, ANONYMIZED, STEPS):
                (folder / name).replace(folder_of(corpus) / name)
    return corpus


def draw_sample(
    corpus: Corpus, name: str, *, first: int | None, at_random: int | None, seed: int
) -> Sample:
    """Make a sample of a corpus's dialogues: S1, S2, … in the order drawn. Raises CorpusProblem."""
    _check_new(Sample, name, "sample")
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
    with transaction.atomic():
        sample = Sample.objects.create(name=name, corpus=corpus, drawn=how)
        SampledScenario.objects.bulk_create(
            SampledScenario(
                sample=sample,
                position=number,
                name=f"S{number}",
                row=found[each].row,
                prompt=found[each].prompt,
                context=found[each].context,
                reference=found[each].response,
            )
            for number, each in enumerate(positions, start=1)
        )
    return sample


def delete_corpus(corpus: Corpus) -> None:
    """Delete a corpus and its files. Raises CorpusProblem if it has samples."""
    if names := ", ".join(corpus.samples.values_list("name", flat=True)):
        raise CorpusProblem(f"corpus {corpus} has samples ({names}); delete them first")
    folder = folder_of(corpus)
    corpus.delete()
    shutil.rmtree(folder, ignore_errors=True)


def delete_sample(sample: Sample, *, with_texts: bool) -> None:
    """Delete a sample and its scenarios. Raises CorpusProblem if it has generated texts, unless
    these are to go, too.
    """
    texts = Generation.objects.filter(generator__sample=sample, state=Generation.State.ANSWERED)
    if (n := texts.count()) and not with_texts:
        raise CorpusProblem(
            f"sample {sample} has {n} generated texts and the record of their cost; give --texts "
            "to delete them, too"
        )
    sample.delete()


def sha256_of(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _at(path: Path, positions: set[int]) -> Iterator[tuple[int, Dialogue]]:
    last = max(positions, default=-1)
    for position, dialogue in enumerate(islice(read_dialogues(path), last + 1)):
        if position in positions:
            yield position, dialogue


def _find(kind: type[Named], name: str, what: str) -> Named:
    found = kind.objects.filter(name=name).first()
    if found is None:
        names = list(kind.objects.values_list("name", flat=True))
        there = f"there are {', '.join(names)}" if names else f"there is no {what} yet"
        near = did_you_mean(name, names).format()
        raise CorpusProblem(f"there is no {what} {name!r}; {there}{near}")
    return found


def _check_new(kind: type[Named], name: str, what: str) -> None:
    if not re.fullmatch(NAME, name):
        raise CorpusProblem(
            f"{name!r} is no name of a {what}: use small letters, digits, - and _, at most 60"
        )
    if kind.objects.filter(name=name).exists():
        raise CorpusProblem(f"there is a {what} {name!r} already; choose another name")


@contextmanager
def _new_folder() -> Iterator[Path]:
    """A folder beside those of corpora, which is removed unless it was moved."""
    settings.CORPORA_DIR.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=".new-", dir=settings.CORPORA_DIR))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
