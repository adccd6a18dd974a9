"""Which of a recipe's two groups a rater is in, by their answers."""

import pandas as pd
from pandas import Series

from analysis.recipe import Group, Grouping


def as_written(answers: Series) -> "Series[str]":
    """Answers as participants.csv has them: 30, where a column with gaps holds 30.0; nothing where
    there is none.
    """
    text = answers.astype("str").where(answers.notna(), "").str.strip()
    if not pd.api.types.is_float_dtype(answers):
        return text
    return text.str.removesuffix(".0")


def sides(grouping: Grouping, answers: Series) -> "Series[str]":
    """`a`, `b` or nothing for each answer. Raises ValueError for an answer that is in both."""
    text = as_written(answers)
    a, b = _named(grouping.a, text), _named(grouping.b, text)
    if (a & b).any():
        raise ValueError(f"{text[a & b].iloc[0]!r} of {grouping.column} is in both groups")
    rest = (text != "") & ~text.isin(grouping.left_out)
    in_a, in_b = (rest & ~b if grouping.a.others else a), (rest & ~a if grouping.b.others else b)
    return Series("", index=answers.index).mask(in_a, "a").mask(in_b, "b")


def _named(group: Group, answers: "Series[str]") -> "Series[bool]":
    """Which of the answers (empty where there is none) a group names; none if it is `others`."""
    if group.values:
        return answers.isin(group.values)
    numbers = pd.to_numeric(answers, errors="coerce")
    inside = numbers.notna() & group.is_numeric
    if group.at_least is not None:
        inside &= numbers >= group.at_least
    if group.above is not None:
        inside &= numbers > group.above
    if group.at_most is not None:
        inside &= numbers <= group.at_most
    if group.below is not None:
        inside &= numbers < group.below
    return inside
