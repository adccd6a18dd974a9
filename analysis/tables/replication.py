"""Printed numbers beside those that came out: what a recipe says was published, and what we get."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.recipe import Printed, Recipe
from survey.files.csv_text import to_text

REPLICATION = TableSpec(
    "replication",
    "Published and reproduced numbers",
    (
        c.RECIPE,
        Column("item", "Name of the number in the paper", is_key=True),
        Column("printed", "Number as printed", is_key=True),
        Column("obtained", "Number from this analysis; empty if there is none", form="digits"),
        Column("match", "Whether our number rounds to the printed one", kind="flag"),
        Column("table", "Table of this analysis with our number", kind="text"),
        Column("row", "Row of that table", kind="text"),
        Column("column", "Column of that table", kind="text"),
        c.NOTE,
    ),
    question="Are printed numbers reproduced?",
    observations="a printed number",
    says="Printed numbers that a recipe quotes, and those of this analysis. They match if ours "
        "rounds to the printed number or is within a printed bound. Some are not replicated; the "
        "note gives the reason.",
    section="Printed numbers and ours",
    subject="printed",
)  # fmt: skip
NOT_REPLICATED = "not replicated"
#: As papers print them, too: .004, −0.21, 1,296 and 54.2 %.
NUMBER = re.compile(
    r"(?P<sign>[<>]?)\s*(?P<value>[-−]?(?=\.?[0-9])([0-9]{1,3}(,[0-9]{3})+|[0-9]*)(\.[0-9]+)?)\s*%?"
)


def replication(
    tables: Mapping[str, DataFrame], recipe: Recipe, absent: Mapping[str, str]
) -> DataFrame:
    """One row per printed number of the recipe, with ours and whether they match.

    A number matches where it rounds to the printed one, or lies `within` what the recipe allows;
    `< 0.001` where ours is below. `match` is empty, and `note` says why, where we have none:
    `absent` maps tables to reasons, and a number may be `not_replicated`. Raises NotAvailable
    where the recipe quotes nothing.
    """
    if not recipe.replication:
        raise NotAvailable("the recipe quotes no printed numbers")
    rows = []
    for printed in recipe.replication:
        row: dict[str, Any] = {
            "recipe": recipe.name,
            "item": printed.item,
            "printed": printed.printed,
            "table": printed.table,
            "row": ", ".join(f"{column} {value}" for column, value in printed.row.items()),
            "column": printed.column,
            "note": printed.note,
        }
        if printed.not_replicated:
            obtained, why = None, f"{NOT_REPLICATED}: {printed.not_replicated}"
        else:
            obtained, why = _look_up(tables, recipe.name, printed, absent)
        if why:
            row["note"] = "; ".join(filter(None, [why, printed.note]))
        else:
            row |= {"obtained": obtained, "match": matches(printed, obtained)}
        rows.append(row)
    # counts, means and names of systems below each other, each of its own kind
    return DataFrame(rows, columns=REPLICATION.names, dtype="object").astype({"match": "boolean"})


def _look_up(
    tables: Mapping[str, DataFrame], recipe: str, printed: Printed, absent: Mapping[str, str]
) -> tuple[Any, str]:
    """The value that stands where a printed number is said to stand, or why there is none.

    In a table of several recipes it is a row of the one that quotes the number.
    """
    if printed.table not in tables:
        reason = absent.get(printed.table, "no such table was made")
        return None, f"no {printed.table}: {reason}"
    table = tables[printed.table]
    if "recipe" in table and "recipe" not in printed.row:
        table = table[table["recipe"] == recipe]
    unknown = sorted({*printed.row, printed.column} - set(map(str, table.columns)))
    if unknown:
        return None, f"{printed.table} has no column {unknown[0]}"
    for column, value in printed.row.items():
        flags = table[column].dtype == bool  # true and false, as in the CSV
        table = table[
            (table[column].map(to_text) if flags else table[column].astype("str")) == value
        ]
    if len(table) != 1:
        return None, f"{len(table) or 'no'} row{'s' if len(table) else ''} of {printed.table} fit"
    found: Any = table[printed.column].iloc[0]
    if pd.isna(found):
        note = table["note"].iloc[0] if "note" in table else ""
        return None, note or f"{printed.column} is empty"
    if isinstance(found, np.generic):
        found = found.item()  # among objects NumPy's own would be written as `np.float64(…)`
    if isinstance(found, bool):
        return to_text(found), ""
    if printed.times != 1 and not isinstance(found, str):
        # in decimals, so that a number that lies in the middle stays there
        found = float(Decimal(repr(found)) * Decimal(repr(printed.times)))
    return found, ""


def matches(printed: Printed, obtained: Any) -> bool:
    """Whether a number of ours is the printed one. Texts match where they are the same."""
    said = NUMBER.fullmatch(printed.printed.strip())
    if said is None or isinstance(obtained, str):
        return bool(str(obtained) == printed.printed.strip())
    value = Decimal(said["value"].replace("−", "-").replace(",", ""))
    ours = Decimal(repr(float(obtained)))
    if said["sign"]:
        return ours < value if said["sign"] == "<" else ours > value
    if printed.within is not None:
        return abs(ours - value) <= Decimal(repr(printed.within))
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)  # a number has one
    return abs(ours - value) <= Decimal(5).scaleb(exponent - 1)
