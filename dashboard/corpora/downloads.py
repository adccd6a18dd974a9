"""Files of corpora and jobs over HTTP, for pages and API alike."""

from io import TextIOWrapper
from pathlib import Path

from django.http import FileResponse, Http404
from django.http.response import HttpResponseBase

from corpus.filters import ANONYMIZED, CORPUS, RAW, REMOVED, STEPS
from corpus.folders import folder_of
from corpus.models import Corpus
from dashboard.corpora.models import CorpusJob
from dashboard.shared.csv_files import csv_file

#: What the filters leave, with what it is.
FILES = {
    CORPUS: "the dialogues after the filters",
    REMOVED: "each removed dialogue, with the reason",
    ANONYMIZED: "in which dialogues how much was replaced",
    STEPS: "the table of the steps",
}


def corpus_file(corpus: Corpus, file: str, *, for_excel: bool = False) -> HttpResponseBase:
    """One of FILES, a table as `csv_file`. Raises Http404."""
    if file not in FILES:
        raise Http404(f"There is no {file}.")
    return _sent(folder_of(corpus) / file, f"{corpus.name}-{file}", for_excel=for_excel)


def raw_dialogues(corpus: Corpus) -> HttpResponseBase:
    """The dialogues as they were imported, with what identifies people. Raises Http404."""
    return _sent(folder_of(corpus) / RAW, f"{corpus.name}-{RAW}")


def job_file(job: CorpusJob, file: str, *, for_excel: bool = False) -> HttpResponseBase:
    """One of the files that a job wrote, a table as `csv_file`. Raises Http404."""
    if file not in job.files:
        raise Http404(f"There is no {file}.")
    return _sent(job.folder / "files" / file, f"{job.name}-{file}", for_excel=for_excel)


def _sent(path: Path, name: str, *, for_excel: bool = False) -> HttpResponseBase:
    kinds = {".csv": "text/csv; charset=utf-8", ".jsonl": "application/jsonl; charset=utf-8"}
    try:
        file = path.open("rb")
    except OSError:
        raise Http404(f"{path.name} is not there.") from None
    if for_excel and path.suffix == ".csv":
        lines = TextIOWrapper(file, encoding="utf-8", newline="")
        return csv_file(name, lines, for_excel=True)
    return FileResponse(file, as_attachment=True, filename=name, content_type=kinds[path.suffix])
