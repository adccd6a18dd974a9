"""Data of figures with labels in place of names, before anything is drawn. Pure."""

from dataclasses import replace
from typing import cast

from pandas import CategoricalDtype, DataFrame, Series

from analysis.study_data import Contrast
from survey.definition.labels import POOLED, Labels

#: By column, the kind of the names that it holds.
KINDS = {
    "condition": "conditions",
    "condition_a": "conditions",
    "condition_b": "conditions",
    "model": "models",
    "scenario": "scenarios",
    "set": "sets",
    "dimension": "dimensions",
}


def labelled(table: DataFrame, labels: Labels) -> DataFrame:
    """The table with labels; categories keep their order, and what pools all keeps its name. The
    only condition of a study has no name.

    No two names of a study read alike, so that labels tell apart what names do.
    """
    named = {column: kind for column, kind in KINDS.items() if column in table}
    return table.assign(**{c: _read(table[c], labels, kind) for c, kind in named.items()})


def labelled_contrast(contrast: Contrast, labels: Labels) -> Contrast:
    """What the study compares, by labels."""
    a, b = (
        None if name is None else labels.text("conditions", name)
        for name in (contrast.condition_a, contrast.condition_b)
    )
    if contrast.reference is None:
        return replace(contrast, condition_a=a, condition_b=b)
    model, condition = contrast.reference
    reference = (labels.text("models", model), _called("conditions", condition, labels))
    return Contrast(a, b, reference)


def _read(names: Series, labels: Labels, kind: str) -> Series:
    is_category = isinstance(names.dtype, CategoricalDtype)
    known = names.cat.categories if is_category else names.dropna().unique()
    called = {name: name if name == POOLED else _called(kind, name, labels) for name in known}
    renamed = names.cat.rename_categories(called) if is_category else names.map(called)
    return cast("Series[str]", renamed)


def _called(kind: str, name: str, labels: Labels) -> str:
    is_only = kind == "conditions" and labels.has_one("conditions")
    return "" if is_only else labels.text(kind, name)
