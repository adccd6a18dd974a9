"""A file of rated texts, from which a scorer learns. Pure."""

from collections.abc import Collection
from statistics import fmean, stdev
from typing import Any

from dashboard.importing.files import Findings, Row, TidyFile
from survey.files.table_file import Columns

SYSTEM, OF_SYSTEM = "system", ("model", "condition")
COLUMNS = Columns(
    required=("text", "rating"), optional=("dimension", "scenario", SYSTEM, *OF_SYSTEM)
)


def read_rated_texts(
    data: bytes, file: str, findings: Findings, *, dimensions: Collection[str]
) -> list[dict[str, Any]]:
    """A row per text and dimension, with the columns of `analysis.scorer.training.COLUMNS`; several
    ratings of a text are averaged.

    `dimensions` are the study's; `dimension` may be absent where it has one. Texts without a
    `scenario` are held out one by one. Ratings may be on any scale. A text's system is in `system`,
    or in `model` and `condition`.
    """
    table = TidyFile(data, file, COLUMNS, findings, kind="ratings", takes_map=False)
    (only,) = dimensions if len(dimensions) == 1 else (None,)
    if table.columns and "dimension" not in table.columns and only is None:
        known = ", ".join(dimensions)
        table.problem(1, "", f"dimension is missing: the study has several ({known})")
        return []
    if problem := _of_systems(table.columns):
        table.problem(1, "", problem)
        return []
    ratings: dict[tuple[str, str, str, str], list[float]] = {}
    scenarios: dict[str, str] = {}
    for line, row in table.rows():
        text = row["text"].strip()
        if not text:
            table.problem(line, "text", "is empty")
        if not row["rating"]:
            table.problem(line, "rating", "is empty")
        rating = table.number(line, row, "rating", least=-1e9, most=1e9)
        dimension = only
        if "dimension" in table.columns:
            dimension = table.choice(line, row, "dimension", dimensions)
        if not text or rating is None or dimension is None:
            continue
        scenario = row.get("scenario", "") or scenarios.setdefault(text, f"text {line}")
        key = (dimension, scenario, _system_of(row), text)
        ratings.setdefault(key, []).append(rating)
    return [
        {
            "text": text,
            "scenario": scenario,
            "system": system,
            "dimension": dimension,
            "rating": fmean(given),
            "raters": len(given),
            "sd": stdev(given) if len(given) > 1 else None,
        }
        for (dimension, scenario, system, text), given in ratings.items()
    ]


def _of_systems(columns: Collection[str]) -> str:
    """What is wrong with the columns that tell the systems; empty if nothing is."""
    parts = [name for name in OF_SYSTEM if name in columns]
    if parts and SYSTEM in columns:
        return f"column {SYSTEM!r} repeats {' and '.join(map(repr, parts))}: remove one of them"
    if len(parts) == 1:
        (absent,) = set(OF_SYSTEM) - set(parts)
        return f"column {absent!r} is missing beside {parts[0]!r}; or give one column {SYSTEM!r}"
    return ""


def _system_of(row: Row) -> str:
    """A text's system, called as those of studies; empty if the file does not tell it."""
    if not all(map(row.get, OF_SYSTEM)):
        return row.get(SYSTEM, "") or row.get("model", "")
    return f"{row['model']} ({row['condition']})"
