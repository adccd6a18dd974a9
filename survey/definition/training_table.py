"""Training items from a table: one line for each response and dimension."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from survey.definition.points import point_value
from survey.definition.tasks import RatingTask
from survey.definition.training import KeyPath, Training, misfits
from survey.files.as_written import WRITTEN, as_written
from survey.files.problems import DefinitionError, Problem, Problems, read_bytes
from survey.files.table_file import Columns, TableFile

#: The lowest and the highest rating of an item that are right.
ENDS = ("least", "most")
COLUMNS = Columns(
    required=("item", "prompt", "response", "dimension", *ENDS),
    optional=("context", "why"),
)


@dataclass
class TrainingTable:
    """The items as study.yaml would have them, and the line of each path below `training`."""

    file: str
    items: list[dict[str, Any]] = field(default_factory=list)
    lines: dict[KeyPath, int] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)

    def line_of(self, path: KeyPath) -> int:
        """The line of a path, or of the nearest one above it; 0 for the whole file."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 0)

    def checked(self, attempts: dict[str, Any], rating: RatingTask | None) -> Training:
        """The items with the other keys of `training`. Raises DefinitionError for what is wrong
        with the items, or does not fit the study's `rating` task.
        """
        try:
            training = Training.model_validate({**attempts, "items": self.items})
        except ValidationError as error:
            raise DefinitionError(
                self._problem(item["loc"], item["msg"].removeprefix("Value error, "))
                for item in error.errors()
            ) from None
        wrong = [self._problem(path, message) for path, message in misfits(training, rating)]
        if wrong:
            raise DefinitionError(wrong)
        return training

    def _problem(self, path: KeyPath, message: str) -> Problem:
        key = next((step for step in reversed(path) if isinstance(step, str)), "")
        column = {"name": "item", "text": "response"}.get(key, key)
        return Problem(self.file, self.line_of(path), 0, f"{column}: {message}")


def read_training_table(path: Path) -> TrainingTable:
    """The table at `path`. Raises DefinitionError with every problem of its lines."""
    source = TableFile(read_bytes(path), file=str(path), sheet="training")
    problems = Problems()
    wrong, unread = source.header_problems(COLUMNS)
    if wrong:
        raise DefinitionError(wrong)
    table = TrainingTable(str(path))
    table.notices += [*source.notices, *([source.notice_of_unread(unread)] if unread else [])]
    for line, cells in source.records(problems):
        row = {
            name: as_written(cell) if name in WRITTEN else cell.strip()
            for name, cell in zip(source.columns, cells, strict=True)
        }
        row |= {name: source.with_point(row[name]) for name in ENDS}
        problems.extend(Problem(str(path), line, 0, message) for message in _add(table, line, row))
    if not table.items and not problems:
        problems.add(Problem(str(path), source.header_line, 0, "there is no item below the header"))
    if problems:
        raise DefinitionError(problems)
    return table


def _add(table: TrainingTable, line: int, row: dict[str, str]) -> list[str]:
    """Add a line to the items; what is wrong with it, in which case nothing is added."""
    wrong = [f"{name} is empty" for name in COLUMNS.required if not row[name]]
    ends = []
    for name in ENDS if not wrong else ():
        try:
            ends.append(point_value(float(row[name])))
        except (ValueError, OverflowError):
            wrong.append(f"{name} {row[name]!r} is not a point of a scale, such as 2 or 2.5")
    if wrong:
        return wrong
    items, lines = table.items, table.lines
    i = next((n for n, item in enumerate(items) if item["name"] == row["item"]), len(items))
    about = {"prompt": row["prompt"], "context": row.get("context") or None}
    if i == len(items):
        items.append({"name": row["item"], **about, "responses": []})
        lines["items", i] = line
    for name, text in about.items():
        if items[i][name] != text:
            wrong.append(
                f"the {name} of item {row['item']!r} differs from line {lines['items', i]}"
            )
    responses = items[i]["responses"]
    texts = [response["text"] for response in responses]
    r = texts.index(row["response"]) if row["response"] in texts else len(responses)
    if r == len(responses):
        responses.append({"text": row["response"], "why": row.get("why") or None, "expected": {}})
        lines["items", i, "responses", r] = line
    why = row.get("why")
    if why and why != responses[r]["why"]:
        wrong.append("why differs from the first line of this response")
    place = ("items", i, "responses", r, "expected", row["dimension"])
    if place in lines:
        wrong.append(f"dimension {row['dimension']!r} is on line {lines[place]} already")
    lines.setdefault(place, line)
    responses[r]["expected"].setdefault(row["dimension"], ends)
    return wrong
