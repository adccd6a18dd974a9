"""Tables and figures as they are made, and why others are not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import plotly.graph_objects as go
from pandas import DataFrame

from analysis.not_available import NotAvailable
from analysis.study_data import plain


@dataclass
class Results:
    """Tables and figures by name, and who was excluded and why. `not_available` maps a table, a
    figure, `table.column` or `table (raters)` to the reason to show in its place.
    """

    tables: dict[str, DataFrame] = field(default_factory=dict)
    figures: dict[str, dict[str, Any]] = field(default_factory=dict)
    exclusions: DataFrame = field(default_factory=DataFrame)
    not_available: dict[str, str] = field(default_factory=dict)

    def table(self, name: str, make: Callable[[], DataFrame]) -> None:
        """Make a table, or note why it is absent."""
        try:
            self.tables[name] = plain(make())
        except NotAvailable as reason:
            self.not_available[name] = str(reason)

    def add(self, tables: Mapping[str, DataFrame], absent: Mapping[str, str]) -> None:
        """Tables that are made, and why others are absent."""
        self.tables.update(tables)
        self.not_available.update(absent)

    def figure(self, name: str, make: Callable[[], go.Figure]) -> None:
        """Make a figure, kept as Plotly's data and layout, or note why it is absent."""
        try:
            self.figures[name] = make().to_plotly_json()
        except NotAvailable as reason:
            self.not_available[name] = str(reason)
