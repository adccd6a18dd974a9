"""Small tables as an analysis writes them, for tests of what is said of them."""

from collections.abc import Sequence
from typing import Any

from analysis.cells import Sentence, Table, plain, read_tables
from analysis.number_text import NARROW
from analysis.recipe import Recipe, shipped_recipes

SHIPPED = list(shipped_recipes().values())
PAPER, SOUND = SHIPPED


def tables(**rows: Sequence[dict[str, Any]]) -> dict[str, Table]:
    """Tables by name from their rows; columns are those of all rows, a missing cell is empty."""
    contents = {}
    for name, each in rows.items():
        columns = list(dict.fromkeys(column for row in each for column in row))
        cells = [[row.get(column) for column in columns] for row in each]
        contents[name] = {"columns": columns, "rows": cells}
    return read_tables(contents)


def said(sentences: Sequence[Sentence]) -> list[str]:
    """Sentences as text, with usual spaces."""
    return [plain(sentence).replace(NARROW, " ") for sentence in sentences]


def recipe(unit: str, **settings: Any) -> Recipe:
    return Recipe.model_validate({"name": "mine", "title": "Mine", "unit": unit} | settings)
