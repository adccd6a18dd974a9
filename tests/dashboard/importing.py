"""Files to import, small variations of them, and what an import says."""

import csv
import io
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from judge.models import GoldScore
from survey.files.workbook import OLE
from survey.models import (
    DemographicAnswer,
    Participant,
    Presentation,
    Rating,
    Study,
)
from tests.analysis import published_study

PEOPLE = """\
participant,status,started_at,finished_at,duration_seconds,attention_checks_failed
anna,completed,2026-03-01T09:00:00Z,2026-03-01T09:20:00Z,,0
bert,in_progress,2026-03-01T09:00:00Z,,600,1
"""
RATINGS = """\
participant,scenario,set,model,condition,rating
anna,S1,1,Ant,plain,2
anna,S1,1,Ant,tuned,4
bert,S2,2,Oracle,reference,5
"""
GOLD = """\
scenario,set,model,condition,gold
S1,1,Ant,plain,2.5
S1,1,Oracle,reference,4
S1,2,Oracle,reference,4
"""
#: What may be done about a text in the place of a number; the column follows.
MAPPED = "; a mapping file can rename values, or empty them (null), under values."
FROM_0 = "0 is less than 1; the first {0} is 1: add 1 to all if the file counts from 0"
Files = Callable[..., dict[str, Path]]
TIDE = Path(__file__).parents[2] / "examples" / "tide"


def published(folder: Path, *, responses: Path | None = None) -> Study:
    """The published study with its made-up raters, loaded and imported by way of `folder`.

    Its responses are texts of our own, or those of a file.
    """
    responses = responses or published_study.write_responses(folder)
    call_command("load_study", TIDE, responses=responses, verbosity=0)
    published_study.write(folder)
    files = {name: folder / f"{name}.csv" for name in ("participants", "ratings", "gold")}
    call_command("import_ratings", "tide", verbosity=0, **files)
    return Study.objects.get(slug="tide")


def run(study: Study, files: Mapping[str, Path]) -> str:
    out = io.StringIO()
    call_command("import_ratings", str(study), stdout=out, stderr=out, **files)
    return out.getvalue()


def refusal(study: Study, files: Mapping[str, Path]) -> list[str]:
    """The message's lines without the folder; and nothing at all may have changed."""
    with pytest.raises(CommandError) as caught:
        run(study, files)
    assert stored() == EMPTY
    folder = str(next(iter(files.values())).parent) + "/"
    return str(caught.value).replace(folder, "").splitlines()


def stored() -> dict[str, int]:
    tables = (Participant, Presentation, Rating, DemographicAnswer, GoldScore)
    return {table.__name__: table.objects.count() for table in tables}


def bad_tables(text: str) -> list[tuple[bytes, str]]:
    """Files that no reader of tables takes, made from one that it does; why, after their name."""
    header, first, *_ = text.splitlines()
    columns = header.count(",") + 1
    no_table = "; give a table as .csv, .tsv or .xlsx"
    names = header.split(",")
    return [
        (b"", ": the file is empty"),
        (b"%PDF-1.7\n%\xe2\xe3", f": this is a PDF document{no_table}"),
        (b"\x89PNG\r\n\x1a\n\0", f": this is a PNG image{no_table}"),
        (b"PK\x05\x06" + bytes(18), f": this is a zip archive, not a workbook{no_table}"),
        (
            OLE + bytes(500) + "EncryptedPackage".encode("utf-16-le"),
            ": this is a workbook with a password; save it without one",
        ),
        (
            f"{header},{names[0]}\n{first},1".encode(),
            f", line 1: column {names[0]!r} appears twice",
        ),
        (
            text.encode() + b"\0",
            f", line {text.count(chr(10)) + 1}: there is a NUL character; remove it",
        ),
        (
            f"{header}\n{first},x".encode(),
            f", line 2: {columns + 1} cells where the header has {columns}",
        ),
        (
            text.encode("utf-16"),
            ": the text is in UTF-16; save it as UTF-8 (in Excel: “CSV UTF-8”)",
        ),
    ]


EMPTY = dict.fromkeys(
    ("Participant", "Presentation", "Rating", "DemographicAnswer", "GoldScore"), 0
)


def table(text: str, **changes: str) -> str:
    """`text` with columns added or replaced: one value per row, separated by `|`."""
    rows = list(csv.DictReader(io.StringIO(text)))
    for column, values in changes.items():
        for row, value in zip(rows, values.split("|"), strict=True):
            row[column] = value
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def without(text: str, *columns: str) -> str:
    rows = list(csv.DictReader(io.StringIO(text)))
    out = io.StringIO()
    kept = [column for column in rows[0] if column not in columns]
    writer = csv.DictWriter(out, kept, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
