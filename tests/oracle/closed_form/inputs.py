"""Makes inputs.json: what R and our own statistics are both given, from four data sets.

`small` is checkable by hand and has ties and missing ratings; `study` is the simulated study of the
published shape; `wine` (package ordinal) and `inst_eval` (package lme4) are real and public. The
last three stand in ../mixed.

    python tests/oracle/closed_form/inputs.py
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas import DataFrame

HERE = Path(__file__).parent


def small() -> dict[str, Any]:
    ratings = pd.read_csv(HERE / "small.csv")
    raters = ratings.drop_duplicates("rater").set_index("rater")
    return derived(ratings, raters["group"], raters["region"], ("x",), ("y",))


def study() -> dict[str, Any]:
    ratings = pd.read_csv(HERE.parent / "mixed" / "study.csv.xz")
    raters = pd.Index(ratings["rater"].unique())
    older = pd.Series(np.where(raters * 37 % 116 < 25, "a", "b"), raters)
    regions = pd.Series([f"region {each * 13 % 7 % 4 + 1}" for each in raters], raters)
    systems = ratings["system"].unique()
    fine_tuned, zero_shot = ([each for each in systems if each.endswith(end)] for end in ("f", "z"))
    ratings = ratings.assign(item=ratings["scenario"])
    return derived(ratings, older, regions, fine_tuned, zero_shot)


def wine() -> dict[str, Any]:
    ratings = pd.read_csv(HERE.parent / "mixed" / "wine.csv").rename(columns={"judge": "rater"})
    ratings["item"] = ratings["temp"] + (ratings["bottle"] % 2).astype(str)
    ratings["system"] = ratings["temp"] + ratings["contact"]
    ratings["text"] = ratings["system"]
    judges = pd.Index(ratings["rater"].unique())
    halves = pd.Series(np.where(judges < 5, "a", "b"), judges)
    thirds = pd.Series([f"table {each % 3}" for each in judges], judges)
    return derived(ratings, halves, thirds, ("coldyes", "warmyes"), ("coldno", "warmno"))


def inst_eval() -> dict[str, Any]:
    ratings = pd.read_csv(HERE.parent / "mixed" / "inst_eval.csv.xz")
    means = ratings.groupby(["lecturer", "service"])["rating"].mean().unstack()
    own = ratings.groupby("lecturer")[["rating", "service"]].mean()
    number = own.index.to_series()
    return {
        "two_groups": {
            "a": listed(own.loc[own["service"] > 0.5, "rating"]),
            "b": listed(own.loc[own["service"] <= 0.5, "rating"]),
        },
        "groups": {f"g{at}": listed(own.loc[number % 5 == at, "rating"]) for at in range(5)},
        "pairs": {"a": listed(means[1]), "b": listed(means[0])},
    }


def derived(
    ratings: DataFrame, group: Any, region: Any, a: Sequence[str], b: Sequence[str]
) -> dict[str, Any]:
    means = ratings.groupby("rater")["rating"].mean()
    sides = ratings["system"].map(dict.fromkeys(a, "a") | dict.fromkeys(b, "b"))
    pairs = ratings.groupby(["rater", sides])["rating"].mean().unstack()
    cells = ratings.groupby(["rater", "item", sides])["rating"].mean().unstack()
    texts = ratings.groupby(["item", "system", "rater"])["rating"].mean().unstack()
    top = texts[texts.eq(texts.groupby("item").transform("max"))]
    alone = top.where(top.groupby("item").transform("count") == 1)
    place = ratings.groupby("rater").cumcount()
    columns = ratings.assign(place=place).pivot(index="rater", columns="place", values="rating")
    first = ratings[ratings["rater"] == ratings["rater"].iloc[0]]
    return {
        "two_groups": {side: listed(means[group == side]) for side in "ab"},
        "groups": {name: listed(means[region == name]) for name in sorted(set(region))},
        "pairs": {side: listed(pairs[side]) for side in "ab"},
        "systems": table(ratings.groupby(["rater", "system"])["rating"].mean().unstack()),
        "differences": table((cells["a"] - cells["b"]).unstack()),
        "texts": table(texts),
        "blocks_of_texts": texts.index.get_level_values("item").tolist(),
        "chosen": table(alone.count(axis=1).unstack()),
        "given": ratings["rating"].value_counts(sort=False).sort_index().tolist(),
        "answers": table(columns),
        "blocks": first["item"].tolist(),
        "shown": (first["text"] if "text" in first else first["item"] + first["system"]).tolist(),
    }


def listed(values: "pd.Series[Any]") -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


def table(values: DataFrame) -> list[list[float | None]]:
    return [listed(row) for _, row in values.iterrows()]


if __name__ == "__main__":
    made = {"small": small(), "study": study(), "wine": wine(), "inst_eval": inst_eval()}
    (HERE / "inputs.json").write_text(json.dumps(made, separators=(",", ":")) + "\n")
