"""Composite dimensions: the mean of several rated ones, as further rows of tidy tables. Pure.

A composite has a value only where all of its parts have one.
"""

from collections.abc import Mapping, Sequence

import pandas as pd
from pandas import DataFrame

#: Parts by composite, as study.yaml names them.
Composites = Mapping[str, Sequence[str]]
#: Whether a rating is a composite's, in tables of a study that has some.
IS_COMPOSITE = "is_composite"


def with_composites(
    rows: DataFrame,
    composites: Composites,
    *,
    value: str,
    by: Sequence[str],
    same: Sequence[str] = (),
    summed: Sequence[str] = (),
) -> DataFrame:
    """`rows` and, after them, a row of each composite for each `by` that has a row of every part.

    `value` is the mean of the parts' values, empty if one of them is. Of the columns `same` it has
    the parts' value if they agree, of those `summed` the sum. `is_composite` tells the new rows
    from the others. Without composites, `rows` as they are.
    """
    if not composites:
        return rows
    tables = [rows.assign(**{IS_COMPOSITE: False})]
    for name, parts in composites.items():
        groups = rows[rows["dimension"].isin(parts)].groupby(list(by), sort=False, dropna=False)
        # the sum is exact, so equal parts give equal means
        columns = {value: groups[value].sum(min_count=len(parts)) / len(parts)}
        for column in same:
            low, high = groups[column].min(), groups[column].max()
            columns[column] = low.where(low == high)
        columns |= {column: groups[column].sum(min_count=1) for column in summed}
        complete = groups["dimension"].nunique() == len(parts)
        table = DataFrame(columns)[complete].reset_index()
        tables.append(table.assign(dimension=name, **{IS_COMPOSITE: True}))
    return pd.concat([table for table in tables if len(table)] or tables[:1], ignore_index=True)


def without_composites(ratings: DataFrame) -> DataFrame:
    """The ratings that people gave."""
    if IS_COMPOSITE not in ratings:
        return ratings
    return ratings[~ratings[IS_COMPOSITE].astype(bool)]
