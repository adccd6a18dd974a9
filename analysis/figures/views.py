"""What figures by scenario show at a time."""

from collections.abc import Iterator

from pandas import DataFrame

from analysis.figures.style import as_text

ALL_SCENARIOS = "All scenarios"


def by_scenario(table: DataFrame) -> Iterator[tuple[str, DataFrame]]:
    """Rows by the title of their view: each dimension over all scenarios, then in each of them."""
    dimensions = table.groupby("dimension", observed=True)
    for dimension, of_dimension in dimensions:
        suffix = f" · {as_text(str(dimension))}" if len(dimensions) > 1 else ""
        scenarios = list(of_dimension.groupby("scenario", observed=True))
        if len(scenarios) > 1:
            yield ALL_SCENARIOS + suffix, of_dimension
        for scenario, part in scenarios:
            yield as_text(str(scenario)) + suffix, part
