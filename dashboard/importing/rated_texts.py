"""A file of rated texts, from which a scorer learns. Pure."""

from collections.abc import Collection
from statistics import fmean, stdev
from typing import Any

from dashboard.importing.files import Findings, TidyFile
from survey.files.table_file import Columns

COLUMNS = Columns(required=("text", "rating"), optional=("dimension", "scenario", "system"))


def read_rated_texts(
    data: bytes, file: str, findings: Findings, *, dimensions: Collection[str]
) -> list[dict[str, Any]]:
    """A row per text and dimension, with the columns of `analysis.scorer.training.COLUMNS`; several
    ratings of a text are averaged.

    `dimensions` are the study's; `dimension` may be absent where it has one. Texts without a
    `scenario` are held out one by one. Ratings may be on any scale.
    """
    table = TidyFile(data, file, COLUMNS, findings, kind="ratings")
    (only,) = dimensions if len(dimensions) == 1 else (None,)
    if table.columns and "dimension" not in table.columns and only is None:
        known = ", ".join(dimensions)
        table.problem(1, "", f"dimension is missing: the study has several ({known})")
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
        key = (dimension, scenario, row.get("system", ""), text)
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
