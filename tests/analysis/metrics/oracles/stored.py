"""The stored texts, and what reference implementations say about them."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from pandas import DataFrame, Series

HERE = Path(__file__).parent


@cache
def texts() -> DataFrame:
    """As metrics take them; `kind` in addition."""
    rows: list[dict[str, Any]] = json.loads((HERE / "pairs.json").read_text())
    frame = DataFrame(rows)
    return frame.assign(response=[f"r{n:03}" for n in range(len(frame))], prompt="How was it?")


@cache
def _reference() -> dict[str, Any]:
    stored: dict[str, Any] = json.loads((HERE / "reference.json").read_text())
    return stored


def reference(metric: str) -> "Series[float]":
    """NaN where there is no value."""
    return Series([pair.get(metric) for pair in _reference()["pairs"]], dtype="float64")


def packages() -> dict[str, str]:
    """What computed it: versions by name."""
    versions: dict[str, str] = _reference()["packages"]
    return versions


def vocabulary() -> list[str]:
    """Every third word of the stored texts: a tokenizer does not know all words."""
    known = sorted(
        {w for text in texts()["text"] for w in re.findall(r"[a-z]+|[^\x00-\x7f]", text)}
    )
    return known[::3]
