"""Workbooks made in memory."""

import io
from collections.abc import Sequence
from typing import Any

import openpyxl

Rows = Sequence[Sequence[Any]]


def book(rows: Rows, **sheets: Rows) -> bytes:
    """A workbook of the rows, and of further sheets by name."""
    made = openpyxl.Workbook()
    for name, content in {made.active.title: rows, **sheets}.items():
        sheet = made[name] if name in made.sheetnames else made.create_sheet(name)
        for row in content:
            sheet.append(row)
    return saved(made)


def saved(made: openpyxl.Workbook) -> bytes:
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()
