"""The main result at equal lengths: what of a difference is left when texts are equally long."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pandas import DataFrame

from analysis.not_available import NotAvailable
from analysis.recipe import MixedModels, shipped_recipes
from analysis.study_data import ITEM, Contrast
from analysis.tables.length_adjusted import LENGTH_ADJUSTED, length_adjusted

SOUND = shipped_recipes()["sound"].model_copy(
    update={"mixed_models": MixedModels(links=["linear"])}
)
CONTRAST = Contrast("plain", "tuned", None)
SCENARIOS = [f"S{n}" for n in range(1, 13)]


def ratings(*, per_doubling: float, of_condition: float, models: tuple[str, ...] = ("Ant", "Bee"),
            raters: int = 12) -> DataFrame:  # fmt: skip
    """Plain responses are about twice as long as tuned ones, and get `of_condition` beside that."""
    draw = np.random.default_rng(4)
    lengths = {
        cell: round(float(2 ** draw.normal(6 + (cell[-1] == "plain"), 0.6)))
        for cell in itertools.product(SCENARIOS, models, ("plain", "tuned"))
    }
    rows: list[tuple[Any, ...]] = []
    for rater, ((scenario, model, condition), words) in itertools.product(
        range(raters), lengths.items()
    ):
        rating = 50 + per_doubling * np.log2(words) + of_condition * (condition == "plain")
        item = (scenario, "", model, condition, "warmth")
        rows.append((f"p{rater:02}", *item, rating + draw.normal(0, 0.5), float(words)))
    table = DataFrame(rows, columns=["participant", *ITEM, "rating", "words"])
    return table.astype(dict.fromkeys(ITEM, "category"))


def adjusted(data: DataFrame, contrast: Contrast = CONTRAST, recipe: Any = SOUND) -> DataFrame:
    return length_adjusted(data, contrast, recipe, raters="included")


def test_difference_that_is_nothing_but_length_is_gone_at_equal_lengths() -> None:
    found = adjusted(ratings(per_doubling=2, of_condition=0))
    assert list(found) == LENGTH_ADJUSTED.names
    assert list(found["model"]) == ["Ant", "Bee", "all"]
    row = found.iloc[-1]
    assert row["difference"] > 1.5 and row["p"] < 0.001
    assert row["adjusted_low"] < 0 < row["adjusted_high"] and abs(row["adjusted"]) < 0.2
    assert row["what_moves"] in ("significance", "sign and significance")
    assert row["per_doubling_low"] < 2 < row["per_doubling_high"]
    assert row["per_doubling_p"] < 1e-6


def test_difference_beside_length_stays() -> None:
    row = adjusted(ratings(per_doubling=0, of_condition=3)).iloc[-1]
    assert row["adjusted_low"] < 3 < row["adjusted_high"]
    assert row["per_doubling_low"] < 0 < row["per_doubling_high"]
    assert row["what_moves"] == ""


def test_words_are_means_of_the_texts_each_once() -> None:
    data = ratings(per_doubling=1, of_condition=0, models=("Ant",))
    more = data[data["scenario"] == "S1"].assign(participant=lambda t: t["participant"] + "x")
    row = adjusted(pd.concat([data, more])).iloc[-1]
    texts = data.drop_duplicates(["scenario", "condition"])
    assert row["words_a"] == texts.loc[texts["condition"] == "plain", "words"].mean()
    assert row["words_b"] == texts.loc[texts["condition"] == "tuned", "words"].mean()
    assert row["model"] == "Ant"


def test_texts_of_unknown_length_are_left_out_with_a_note() -> None:
    data = ratings(per_doubling=1, of_condition=0)
    data.loc[data["scenario"] == "S3", "words"] = np.nan
    row = adjusted(data).iloc[-1]
    assert row["n"] == len(data) - 12 * 4
    left_out = "48 of 576 ratings are left out, because something is missing (length: 48)."
    assert row["note"] == left_out


def test_equal_lengths_everywhere_leave_nothing_to_adjust() -> None:
    (row,) = adjusted(ratings(per_doubling=0, of_condition=1).assign(words=50.0)).to_dict("records")
    assert row["note"].startswith("not estimable, because")


@pytest.mark.parametrize("unknown", [np.nan, 0.0])
def test_without_lengths_there_is_no_table(unknown: float) -> None:
    data = ratings(per_doubling=0, of_condition=0).assign(words=unknown)
    with pytest.raises(NotAvailable, match="the lengths of the responses are not known"):
        adjusted(data)


def test_without_a_model_in_both_conditions_their_systems_are_compared() -> None:
    data = ratings(per_doubling=0, of_condition=0)
    apart = data[(data["model"] == "Ant") == (data["condition"] == "plain")]
    assert set(adjusted(apart)["model"]) == {"all"}
    with pytest.raises(NotAvailable, match="no system is in one of the compared"):
        adjusted(data[data["condition"] == "plain"])
    with pytest.raises(NotAvailable, match="no rating is of either compared condition"):
        adjusted(data, Contrast("other", "another", None))


def test_without_a_contrast_or_a_mixed_model_there_is_no_table() -> None:
    data = ratings(per_doubling=0, of_condition=0)
    with pytest.raises(NotAvailable, match="names no two conditions"):
        adjusted(data, Contrast(None, None, None))
    with pytest.raises(NotAvailable, match="asks for no mixed models"):
        adjusted(data, recipe=SOUND.model_copy(update={"mixed_models": None}))
