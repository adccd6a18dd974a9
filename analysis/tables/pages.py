"""What pages show, and what a rater gave both conditions of a model, side by side. Pure."""

from pandas import DataFrame, Series

from analysis.study_data import Contrast

#: What tells one page of a model from another.
PAGE = ["dimension", "model", "participant", "scenario", "set"]


def sides(ratings: DataFrame, contrast: Contrast, known: DataFrame) -> DataFrame:
    """Mean ratings `a` and `b` by `PAGE` (the index); empty where a rater gave that page one alone.

    `known` are the items of the study. Raises NotAvailable where the contrast is unknown.
    """
    chosen = _of_both(ratings, contrast, known)
    means = chosen.groupby([*PAGE, "condition"], observed=True)["rating"].mean()
    pair = list(contrast.conditions)
    return means.unstack("condition").reindex(columns=pair).set_axis(["a", "b"], axis=1)


def scenarios(known: DataFrame, contrast: Contrast) -> DataFrame:
    """How many scenarios have both conditions of a model, side by side where that can be.

    A row for each `dimension` and `model` that the study has in both conditions, in its order, with
    `n`. `known` are the items of the study. Raises NotAvailable where the contrast is unknown.
    """
    items = _of_both(known, contrast, known)
    by = ["dimension", "model"]
    conditions = items.groupby([*by, "scenario", "set"], observed=True)["condition"].nunique()
    both = (conditions == 2).groupby([*by, "scenario"], observed=True).any()
    n = both.groupby(by, observed=True).sum()
    in_both = items.groupby(by, observed=True)["condition"].nunique() == 2
    return n[in_both].rename("n").reset_index()


def _of_both(rows: DataFrame, contrast: Contrast, known: DataFrame) -> DataFrame:
    """The rows of the two conditions.

    Where the study shows a model's conditions in different sets, the sets of a scenario are as one
    page (`set` is empty there), for there is no page with both.
    """
    pair = list(contrast.conditions)
    of_study = known[known["condition"].isin(pair)]
    on_page = of_study.groupby(["model", "scenario", "set"], observed=True)["condition"].nunique()
    together = on_page[on_page == 2].index.unique("model")
    chosen = rows[rows["condition"].isin(pair)]
    apart = ~chosen["model"].isin(together)
    if not apart.any():
        return chosen
    return chosen.assign(set=chosen["set"].astype("str").where(~apart, ""))


def responses_shown(rows: DataFrame) -> "Series[int]":
    """How many responses the page of each row showed: `on_page` where pages show some of a block,
    else all of it. `rows` have a `block` and a `system`.
    """
    shown: Series[int] = (
        rows["on_page"]
        if "on_page" in rows
        else rows.groupby("block")["system"].transform("nunique")
    )
    return shown
