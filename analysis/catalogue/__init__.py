"""What tables and figures an analysis can hold, and how each is called, read and shown.

Declared beside what computes them (`analysis.declarations` lists them), and kept in a file for all
who must not load what computes: pages, the API, texts. `python -m analysis.declarations` writes it.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from analysis.catalogue.columns import ADDED
from analysis.catalogue.spec import FigureSpec, TableSpec, unknown
from analysis.catalogue.subjects import FIRST_TABLE
from survey.definition.labels import Labels

FILE = Path(__file__).with_name("catalogue.json")


@cache
def tables() -> Mapping[str, TableSpec]:
    """Every table by name, in the order in which they are read."""
    declared = [TableSpec.from_json(each) for each in _read()["tables"]]
    return {table.name: table for table in declared}


@cache
def figures() -> Mapping[str, FigureSpec]:
    """Every figure by name, in the order in which they are read."""
    return {each["name"]: FigureSpec(**each) for each in _read()["figures"]}


def _read() -> dict[str, list[dict[str, Any]]]:
    content: dict[str, list[dict[str, Any]]] = json.loads(FILE.read_text(encoding="utf-8"))
    return content


def table(name: str, labels: Labels | None = None) -> TableSpec:
    """A table by name, with the columns that an analysis may add to any, as people of a study read
    it.
    """
    declared = tables().get(name) or unknown(name)
    return declared.with_columns(ADDED).labelled(labels or Labels())


def has_twin(name: str) -> bool:
    """Whether there is a table of all raters beside that of the included ones."""
    return f"{name}_all" in tables()


def of_subject(subject: str) -> Sequence[str]:
    """The names of the tables on a page of results, that of its first answer first."""
    names = [name for name, table in tables().items() if table.subject == subject]
    return sorted(names, key=lambda name: name != FIRST_TABLE)
