"""Corpora and samples of this installation: found, deleted, and where their files are.

Loads nothing that filtering needs, so web processes may use it; `corpus.store` makes them.
"""

import shutil
from pathlib import Path
from typing import TypeVar

from django.conf import settings

from corpus.filters import CORPUS, RAW
from corpus.models import Corpus, Generation, Sample
from corpus.problems import CorpusProblem
from survey.files.suggestions import did_you_mean

Named = TypeVar("Named", Corpus, Sample)


def folder_of(corpus: Corpus) -> Path:
    """The files of a corpus."""
    return settings.CORPORA_DIR / corpus.name


def dialogues_file(corpus: Corpus) -> Path:
    """Its dialogues: filtered, if it was."""
    return folder_of(corpus) / (RAW if corpus.filtered is None else CORPUS)


def find_corpus(name: str) -> Corpus:
    """The corpus called `name`. Raises CorpusProblem."""
    return _find(Corpus, name, "corpus")


def find_sample(name: str) -> Sample:
    """The sample called `name`. Raises CorpusProblem."""
    return _find(Sample, name, "sample")


def _find(kind: type[Named], name: str, what: str) -> Named:
    found = kind.objects.filter(name=name).first()
    if found is None:
        names = list(kind.objects.values_list("name", flat=True))
        there = f"there are {', '.join(names)}" if names else f"there is no {what} yet"
        near = did_you_mean(name, names).format()
        raise CorpusProblem(f"there is no {what} {name!r}; {there}{near}")
    return found


def check_new(kind: type[Named], name: str, what: str) -> None:
    """Raise CorpusProblem if there is a corpus or sample called `name`."""
    if kind.objects.filter(name=name).exists():
        raise CorpusProblem(f"there is a {what} {name!r} already; choose another name")


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
            f"sample {sample} has {n} generated texts and the record of their cost; say that they "
            "are to be deleted, too (--texts)"
        )
    sample.delete()
