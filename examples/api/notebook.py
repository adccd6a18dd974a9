"""Make study_by_api.ipynb from study_by_api.py, so that they say the same.

    python -m examples.api.notebook

A line `# %%` of the script begins a cell of code, `# %% [markdown]` one of text.
"""

import json
import re
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).parent / "study_by_api.py"
NOTEBOOK = SCRIPT.with_suffix(".ipynb")
MARK = re.compile(r"^# %%(.*)\n", re.MULTILINE)


def notebook_of(script: str) -> str:
    """The JSON of a notebook (nbformat 4.5) without outputs."""
    before, *parts = MARK.split(script)
    assert not before, "the script begins with a cell"
    cells = [
        _cell(number, kind.strip(), text.strip("\n"))
        for number, (kind, text) in enumerate(zip(parts[::2], parts[1::2], strict=True))
    ]
    content = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _cell(number: int, kind: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"id": f"cell-{number}", "metadata": {}}
    if kind == "[markdown]":
        text = re.sub(r"^# ?", "", text, flags=re.MULTILINE)
        return {"cell_type": "markdown", **cell, "source": text.splitlines(keepends=True)}
    code = text.splitlines(keepends=True)
    return {"cell_type": "code", **cell, "source": code, "outputs": [], "execution_count": None}


if __name__ == "__main__":
    NOTEBOOK.write_text(notebook_of(SCRIPT.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"{NOTEBOOK.name} is written.")
