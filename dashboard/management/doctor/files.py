"""Files beside the database."""

import re
import time
from collections.abc import Iterator

from django.conf import settings

from corpus.models import Corpus
from corpus.problems import CorpusProblem
from dashboard.management.doctor.violation import Violation, row_of
from dashboard.share.models import Package

#: A sweep removes such files within a minute.
SECONDS = 60 * 60


def corpora_are_those_imported() -> Iterator[Violation]:
    """The files of corpora are those that were imported and filtered."""
    from corpus.store import check_files

    for corpus in Corpus.objects.all():
        try:
            check_files(corpus)
        except CorpusProblem as problem:
            yield Violation(
                "",
                f"corpus {corpus} ({row_of(Corpus, corpus.pk)})",
                "its file is missing, or is not what was imported",
                str(problem).partition("; ")[2].capitalize(),
            )


def no_zip_outlives_its_row() -> Iterator[Violation]:
    """A zip for sharing goes with its analysis, and so with a withdrawal."""
    known = {f"{pk}.zip" for pk in Package.objects.values_list("pk", flat=True)}
    folder = settings.PACKAGES_DIR
    for path in sorted(folder.glob("*.zip")) if folder.is_dir() else ():
        old = path.stat().st_mtime < time.time() - SECONDS
        if old and path.name not in known and re.fullmatch(r"\d+\.zip", path.name):
            yield Violation(
                "",
                f"file {path}",
                "its analysis was deleted, perhaps because someone withdrew, and it is still there",
                "Delete the file, and start a worker: it removes such files",
            )
