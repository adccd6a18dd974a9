"""Which of a recipe's two groups a rater is in, by their answers."""

import pandas as pd
from pandas import Series

from analysis.recipe import Grouping


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
    return text.map({answer: grouping.side(answer) for answer in text.unique()}).astype("str")


def unknown(grouping: Grouping, answers: Series) -> dict[str, int]:
    """How often each answer was given that no group knows, the most frequent first."""
    text = as_written(answers)
    counts = text[[grouping.is_unknown(answer) for answer in text]].value_counts()
    return {str(answer): int(n) for answer, n in counts.items()}
