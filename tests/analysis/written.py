"""Small tables as an analysis writes them, for tests of what is said of them."""

import re
from collections.abc import Sequence
from html import unescape
from typing import Any

from analysis.catalogue.number_text import NARROW
from analysis.recipe import Recipe, Scale, shipped_recipes
from analysis.text.cells import Sentence, Table, plain, read_tables
from analysis.text.findings import Finding

SHIPPED = list(shipped_recipes().values())
PAPER, SOUND = SHIPPED
FIVE_POINTS = Scale([(n, f"label {n}") for n in range(1, 6)], between=False)
FRONT = {"recipe": "sound", "raters": "included", "dimension": "warmth"}
ITEMS = [{"dimension": "warmth"}]


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


def cited(sentence: Sentence) -> list[tuple[str, str]]:
    """The numbers of a sentence that are links, as text, with their addresses."""
    links = re.findall(r'<a href="([^"]*)" title="[^"]*">([^<]*)</a>', str(sentence))
    return [(unescape(text), address) for address, text in links]


def recipe(unit: str, **settings: Any) -> Recipe:
    return Recipe.model_validate({"name": "mine", "title": "Mine", "unit": unit} | settings)


def about(found: list[Finding], title: str) -> Finding:
    """The finding with that title."""
    return next(finding for finding in found if finding.title == title)


def group(name: str, unit: str, p: float | None, **changes: Any) -> dict[str, Any]:
    """A row of group_tests of the recipe `name`, not tested against a margin unless `changes` say
    so.
    """
    return {
        **FRONT,
        "recipe": name,
        "unit": unit,
        "factor": "age",
        "group_a": "60+",
        "group_b": "under 60",
        "model": "Ant",
        "condition": "all",
        "scenario": "all",
        "test": "student" if unit == "rating" else "welch",
        "n_a": 8,
        "n_b": 108,
        "difference": -0.2,
        "ci_low": -0.5,
        "ci_high": 0.1,
        "p": p,
        "p_adjusted": p,
        "note": "",
        **changes,
    }
