"""How often prediction-powered intervals hold the truth, and how much shorter they are.

    .venv/bin/python benchmarks/prediction_powered.py [--studies 1000] [--jobs 1] [--store FILE]

Simulated studies with a good, a biased and a useless judge; the table is that of an analysis.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
import pandas as pd
from pandas import DataFrame

from analysis.judges.prediction_powered import prediction_powered_means
from analysis.study_data import Contrast
from benchmarks.running.tables import reported
from benchmarks.simulated.null_studies import A, B
from benchmarks.simulated.rated_and_judged import DESIGNS, Design

CONTRAST = Contrast(A, B, None)


def rows_of(design: Design, studies: int, seed: int) -> DataFrame:
    """The table's rows of so many studies: whether both intervals hold the truth, and the rest."""
    draw = np.random.default_rng(seed)
    true = _truth(design)
    tables = [prediction_powered_means(design.study(draw), CONTRAST) for _ in range(studies)]
    table = pd.concat(tables, ignore_index=True).merge(true, on=["estimand", "model", "condition"])
    for column, prefix in (("people_covered", "people_ci"), ("covered", "ci")):
        table[column] = table["mean"].between(table[f"{prefix}_low"], table[f"{prefix}_high"])
    estimated = table[table["estimate"].notna()]
    names = ["judge", "estimand", "people_covered", "covered", "gain", "power"]
    widths = {
        "people_width": estimated["people_ci_high"] - estimated["people_ci_low"],
        "width": estimated["ci_high"] - estimated["ci_low"],
    }
    squares = {
        name: (estimated[column] - estimated["mean"]) ** 2
        for name, column in (("people_error", "people"), ("error", "estimate"))
    }
    columns: dict[str, Any] = widths | squares
    return DataFrame(estimated[names].assign(**columns))


def _truth(design: Design) -> DataFrame:
    """What each row estimates."""
    systems = design.truth.assign(estimand="system")
    means = systems.groupby("condition", as_index=False)["mean"].mean()
    of_condition = means.set_index("condition")["mean"]
    difference = {
        "estimand": "difference",
        "model": "all",
        "condition": "",
        "mean": of_condition[A] - of_condition[B],
    }
    conditions = means.assign(estimand="condition", model="all")
    rows: DataFrame = pd.concat([systems, conditions, DataFrame([difference])], ignore_index=True)
    return rows


def summary(rows: DataFrame) -> DataFrame:
    """By judge and estimand: percent of intervals with the truth, the mean width by that of people
    alone, the median gain, how many times as large the mean squared error of people alone is, and
    the mean λ.
    """
    groups = rows.groupby(["judge", "estimand"], sort=False)
    table = groups.agg(
        intervals=("covered", "size"),
        people_covered=("people_covered", "mean"),
        covered=("covered", "mean"),
        gain=("gain", "median"),
        power=("power", "mean"),
    )
    means = groups[["people_width", "width", "people_error", "error"]].mean()
    table["width"] = means["width"] / means["people_width"]
    table["error_ratio"] = means["people_error"] / means["error"]
    percent = 100 * table[["people_covered", "covered"]]
    return table.assign(**percent).reset_index()


def many(design: Design, studies: int, seed: int, jobs: int) -> DataFrame:
    """`rows_of`, the studies shared out among processes."""
    parts = [studies // jobs + (job < studies % jobs) for job in range(jobs)]
    with ProcessPoolExecutor(jobs) as pool:
        each = pool.map(rows_of, [design] * jobs, parts, range(seed, seed + jobs))
    return pd.concat(each, ignore_index=True)


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000, help="simulated for each design")
    parser.add_argument("--designs", nargs="+", choices=DESIGNS, default=list(DESIGNS))
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", type=Path, help="append the table to a CSV file")
    return parser.parse_args(given)


def main() -> None:
    given = arguments()
    for name in given.designs:
        found = summary(many(DESIGNS[name], given.studies, given.seed, given.jobs))
        with reported(f"{name}, {given.studies:,} studies", *map(str, found)) as add:
            for row in found.round(2).itertuples(index=False, name=None):
                add(*row)
        if given.store:
            found.insert(0, "design", name)
            found.insert(1, "studies", given.studies)
            header = not given.store.exists()
            found.round(4).to_csv(given.store, mode="a", header=header, index=False)


if __name__ == "__main__":
    main()
