"""What a rater gave both conditions of a model, side by side. Pure."""

from pandas import DataFrame

from analysis.study_data import Contrast

#: What tells one page of a model from another.
PAGE = ["dimension", "model", "participant", "scenario", "set"]


def sides(ratings: DataFrame, contrast: Contrast, known: DataFrame) -> DataFrame:
    """Mean ratings `a` and `b` by `PAGE` (the index); empty where a rater gave that page one alone.

    `known` are the items of the study. Where it shows a model's conditions in different sets, the
    sets of a scenario are as one page, for there is no page with both. Raises Absent.
    """
    pair = list(contrast.conditions)
    together = _together(known, pair)
    chosen = ratings[ratings["condition"].isin(pair)]
    apart = ~chosen["model"].isin(together)
    if apart.any():
        chosen = chosen.assign(set=chosen["set"].astype("str").where(~apart, ""))
    means = chosen.groupby([*PAGE, "condition"], observed=True)["rating"].mean()
    return means.unstack("condition").reindex(columns=pair).set_axis(["a", "b"], axis=1)


def _together(known: DataFrame, pair: list[str]) -> list[str]:
    """The models whose two conditions stand in one set."""
    items = known[known["condition"].isin(pair)]
    conditions = items.groupby(["model", "scenario", "set"], observed=True)["condition"].nunique()
    return list(conditions[conditions == len(pair)].index.unique("model"))


def scenarios(known: DataFrame, contrast: Contrast) -> DataFrame:
    """How many scenarios have both conditions of a model, side by side where that can be.

    A row for each `dimension` and `model` that the study has in both conditions, in its order, with
    `n`.
    """
    pair = list(contrast.conditions)
    items = known[known["condition"].isin(pair)]
    together = items["model"].isin(_together(known, pair))
    place = items["set"].astype("str").where(together, "")
    by = ["dimension", "model", "scenario"]
    both = items.groupby([*by, place], observed=True)["condition"].nunique() == len(pair)
    n = both.groupby(by, observed=True).any().groupby(by[:2], observed=True).sum()
    conditions = items.groupby(by[:2], observed=True)["condition"].nunique()
    return n[conditions == len(pair)].rename("n").reset_index()
