"""What R and our own statistics are both given (`inputs.py`), and what R says (`statistics.R`)."""

import json
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DATA_SETS = ["small", "study", "wine", "inst_eval"]
#: `inst_eval` is too sparse for what needs a table.
WITH_TABLES = DATA_SETS[:3]


def inputs(name: str) -> dict[str, Any]:
    found: dict[str, Any] = _read("inputs.json")[name]
    return found


def reference(name: str) -> dict[str, Any]:
    found: dict[str, Any] = _read("reference.json")[name]
    return found


@cache
def _read(name: str) -> Any:
    return json.loads((HERE / name).read_text())
