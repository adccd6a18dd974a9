"""What figures by scenario show: all scenarios together, and each where there are few."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pandas import DataFrame

from analysis.figures.style import as_text
from analysis.tables.group_tests import ALL

ALL_SCENARIOS = "All scenarios"
#: Scenarios are drawn one by one in a study of at most so many: nobody looks through more.
MOST_SCENARIOS = 12
#: And each only with so many ratings or choices: a drawing of fewer shows chance.
FEWEST = 20


class ScenarioView(NamedTuple):
    """Rows of one dimension in all scenarios (`all`, be it a single one) or in one of several.

    `left_out` says which scenarios are not drawn one by one, and where their numbers are.
    """

    title: str
    scenario: str
    dimension: str
    rows: DataFrame
    left_out: str


def by_scenario(table: DataFrame, *, numbers: str) -> Iterator[ScenarioView]:
    """Each dimension over all scenarios, then in each of them that is drawn by itself.

    `table` has `scenario` and `dimension` in study order and `n`, how many ratings a row counts.
    `numbers` is the file that has those of every scenario.
    """
    dimensions = table.groupby("dimension", observed=True)
    for dimension, of_dimension in dimensions:
        suffix = f" · {as_text(str(dimension))}" if len(dimensions) > 1 else ""
        parts = {str(name): part for name, part in of_dimension.groupby("scenario", observed=True)}
        if len(parts) == 1:
            (title,) = map(as_text, parts)
            yield ScenarioView(title + suffix, ALL, str(dimension), of_dimension, "")
            continue
        ratings = {name: int(part["n"].sum()) for name, part in parts.items()}
        single, left_out = drawn_one_by_one(ratings, of="ratings", numbers=numbers)
        yield ScenarioView(ALL_SCENARIOS + suffix, ALL, str(dimension), of_dimension, left_out)
        for name in single:
            yield ScenarioView(as_text(name) + suffix, name, str(dimension), parts[name], left_out)


def drawn_one_by_one(n: Mapping[str, int], *, of: str, numbers: str) -> tuple[list[str], str]:
    """Which scenarios of several are drawn one by one, and what a note says of the others.

    `n` is how many `of` (ratings, choices) each scenario has, `numbers` the file with all of them.
    """
    if len(n) > MOST_SCENARIOS:
        return [], (
            f"More than {MOST_SCENARIOS} scenarios are not shown individually: the numbers of all "
            f"{len(n)} are in {numbers}."
        )
    single = [name for name in n if n[name] >= FEWEST]
    few = len(n) - len(single)
    if not few:
        return single, ""
    return single, (
        f"{few} of {len(n)} scenarios {'has' if few == 1 else 'have'} fewer than {FEWEST} {of} and "
        f"{'is' if few == 1 else 'are'} not shown individually: {'its' if few == 1 else 'their'} "
        f"numbers are in {numbers}."
    )
