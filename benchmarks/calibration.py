"""How often the tests of a recipe find what is not there: simulated studies of known truth.

    .venv/bin/python benchmarks/calibration.py [--studies 1000] [--mixed 500] [--designs texts …]

The tables are those that a researcher gets, made by the same functions.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from pandas import DataFrame, Series

from analysis.recipe import FactorGroup, Grouping, MixedModels, Recipe, shipped_recipes
from analysis.stats.comparisons import TwoSampleT, welch_t
from analysis.stats.equivalence import equivalence
from analysis.stats.mixed import MixedFit
from analysis.study_data import Contrast
from analysis.tables.anova import anova
from analysis.tables.contrasts import contrasts, paired
from analysis.tables.fits import Fits
from analysis.tables.group_tests import ALL, group_tests
from analysis.tables.mixed_models import mixed_models, system_contrasts
from analysis.tables.systems import to_reference
from benchmarks.running.tables import reported
from benchmarks.simulated.null_studies import ANSWERS, DESIGNS, MAIN, REFERENCE, SCALE, A, B, Design

CONTRAST = Contrast(A, B, (REFERENCE, REFERENCE))
SIZES = {"age": "unequal groups", "gender": "equal groups"}

#: The share of a study's tests that rejected, by what was tested.
Shares = dict[str, float]


#: Tests of the same difference, by what a row of contrasts generalises to.
NOT_MAIN = {
    "both": "min F′",
    "scenarios": "paired t by scenario (F2)",
    "raters": "paired t by rater (F1)",
}


def _for_simulation(recipe: Recipe) -> Recipe:
    """Its tests, over all conditions and scenarios."""
    groups = {
        name: Grouping(
            column=name,
            a=FactorGroup(label="a", values=[sides["a"]]),
            b=FactorGroup(label="b", values=[sides["b"]]),
        )
        for name, (_, sides) in ANSWERS.items()
    }
    return recipe.model_copy(
        update={
            "groups": groups,
            "each_condition": False,
            "each_scenario": False,
            "mixed_models": MixedModels(links=["probit", "linear"]),
        }
    )


PAPER, SOUND = (_for_simulation(recipe.on(SCALE)) for recipe in shipped_recipes().values())


def _rejected(p: Iterable[float]) -> float:
    """The share of tests with p below 5 %; one that cannot be made rejects nothing."""
    return float(np.mean([value < 0.05 for value in p]))


def _by_model(test: str, p: "Series[float]") -> Shares:
    """What a test with a p for each model, and for all of them where there are several, rejects."""
    found = {f"{test}, one model": _rejected(p.drop(ALL, errors="ignore"))}
    return found | ({f"{test}, all models": _rejected(p[[ALL]])} if ALL in p else {})


def conditions(ratings: DataFrame, people: DataFrame) -> Shares:
    """a against b, of which neither is better."""
    tests = contrasts(ratings, CONTRAST, SOUND, raters="all").set_index("model")
    ranks = paired(ratings, CONTRAST, SOUND, raters="all").set_index("model")
    found: Shares = {}
    for to, name in (
        ("scenarios", "paired t by scenario (F2)"),
        ("raters", "paired t by rater (F1)"),
        ("both", "min F′"),
    ):
        found |= _by_model(name, tests["p"][tests["generalises_to"] == to])
    return found | _by_model("Wilcoxon by rater", ranks["p"])


def margins(ratings: DataFrame, people: DataFrame) -> Shares:
    """Every system is worse than the reference by just the margin that it must not be worse by."""
    table = to_reference(ratings, CONTRAST, SOUND, raters="all")
    found = {}
    for unit in ("scenario", "participant"):
        rows = table[table["unit"] == unit]
        found[f"non-inferiority by {unit}"] = _rejected(rows["p_non_inferior"])
        found[f"TOST by {unit}"] = _rejected(rows["p_equivalent"])
    return found


def groups(ratings: DataFrame, people: DataFrame) -> Shares:
    """Groups of raters that do not differ; for TOST, groups that differ by just the margin."""
    found = {}
    for recipe in (SOUND, PAPER):
        table = group_tests(ratings, people, recipe, raters="all")
        for test in recipe.group_tests:
            for factor in ANSWERS:
                rows = table[(table["test"] == test) & (table["factor"] == factor)]
                name = f"{test} of {recipe.unit}s, {SIZES[factor]}"
                found[name] = _rejected(rows["p"])
        regions = anova(ratings, people, recipe, raters="all")
        for test, p in zip(regions["test"], regions["p"], strict=True):
            found[f"{test} over 4 regions of {recipe.unit}s"] = _rejected([p])
    return found | _equivalent_groups(ratings, people)


def _equivalent_groups(ratings: DataFrame, people: DataFrame) -> Shares:
    margin = SOUND.margins.groups
    assert margin is not None
    means = ratings.groupby("participant")["rating"].mean().loc[people["participant"]].to_numpy()
    found = {}
    for factor, (_, sides) in ANSWERS.items():
        a, b = (means[people[factor] == sides[side]] for side in ("a", "b"))
        difference = welch_t(a + margin, b)
        assert isinstance(difference, TwoSampleT)
        found[f"TOST of participants, {SIZES[factor]}"] = _rejected(
            [equivalence(difference, margin).p]
        )
    return found


def mixed(ratings: DataFrame, people: DataFrame) -> Shares:
    """a against b by mixed models: how often their intervals miss the truth, which is 0.

    p is below 5 % just where they do.
    """
    table = mixed_models(ratings, CONTRAST, SOUND, raters="all").contrasts
    of = {
        (link, scale): rows.set_index("model")["p"]
        for (link, scale), rows in table.groupby(["link", "scale"])
    }
    found: Shares = {}
    for link, scale in (("probit", "latent"), ("probit", "ratings"), ("linear", "ratings")):
        found |= _by_model(f"{link}, {scale}", of[link, scale])
    return found


def main_result(ratings: DataFrame, people: DataFrame) -> Shares:
    """a against b of all models, of which neither is better, on the scale of the ratings: what
    `sound` has as its main result, by either kind of model, and what it is not.
    """
    tests = contrasts(ratings, CONTRAST, SOUND, raters="all").set_index("generalises_to")
    found: Shares = {}
    for link in ("linear", "probit"):
        fit = Fits().of(ratings, link)
        if isinstance(fit, MixedFit):
            table = DataFrame(system_contrasts(fit, CONTRAST, SOUND)).query("scale == 'ratings'")
            found[f"mixed model, {link}"] = _rejected(table["p"][-1:])
    for to, name in NOT_MAIN.items():
        of_all = tests[tests["model"] == (ALL if ALL in set(tests["model"]) else "model 1")]
        found[name] = _rejected([of_all["p"].get(to, np.nan)])
    return found


@dataclass(frozen=True)
class Rate:
    """Percent rejected, with the half width of its 95 % interval over studies."""

    percent: float
    margin: float
    studies: int

    def __str__(self) -> str:
        return f"{self.percent:.1f} ± {self.margin:.1f}"


def rates(
    design: Design, tests: Sequence[Callable[..., Shares]], studies: int, seed: int
) -> dict[str, Rate]:
    """What the tests reject, over so many studies. A study's tests of its models count together."""
    each = _shares(design, studies, seed, tests)
    return {name: _rate(np.array(shares)) for name, shares in each.items()}


def _shares(
    design: Design, studies: int, seed: int, tests: Sequence[Callable[..., Shares]] = (main_result,)
) -> dict[str, list[float]]:
    draw = np.random.default_rng(seed)
    found: dict[str, list[float]] = {}
    for _ in range(studies):
        ratings, people = design.study(draw)
        for test in tests:
            for name, share in test(ratings, people).items():
                found.setdefault(name, []).append(share)
    return found


def _rate(shares: "np.ndarray") -> Rate:
    # Where nothing was rejected the spread is 0, and yet the rate need not be.
    spread = max(float(shares.std()), float(1 / np.sqrt(len(shares))))
    return Rate(100 * float(shares.mean()), 196 * spread / float(np.sqrt(len(shares))), len(shares))


#: What is simulated for every study; mixed models, which take longer, are for fewer.
TESTS = {"conditions": conditions, "margins": margins, "groups": groups}


def many_rates(design: Design, studies: int, seed: int, jobs: int) -> dict[str, Rate]:
    """`rates` of the main result, the studies shared out among processes."""
    parts = [studies // jobs + (job < studies % jobs) for job in range(jobs)]
    with ProcessPoolExecutor(jobs) as pool:
        each = pool.map(_shares, [design] * jobs, parts, range(seed, seed + jobs))
    found: dict[str, list[float]] = {}
    for shares in each:
        for name, values in shares.items():
            found.setdefault(name, []).extend(values)
    return {name: _rate(np.array(values)) for name, values in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000, help="simulated for each design")
    parser.add_argument("--mixed", type=int, default=500, help="of these with mixed models")
    parser.add_argument("--designs", nargs="+", choices=DESIGNS | MAIN, default=list(DESIGNS))
    parser.add_argument("--tests", nargs="+", choices=TESTS, default=list(TESTS))
    parser.add_argument("--jobs", type=int, default=1, help="processes, for the main result")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--store", type=Path, help="append the main result's rates to a CSV file")
    given = parser.parse_args()
    for name in given.designs:
        design = (DESIGNS | MAIN)[name]
        if name in MAIN:
            found = many_rates(design, given.studies, given.seed, given.jobs)
            with_mixed = given.studies
            if given.store:
                _store(given.store, name, given.seed, found)
        else:
            found = rates(design, [TESTS[test] for test in given.tests], given.studies, given.seed)
            with_mixed = given.mixed
            if given.mixed:
                found |= rates(design, (mixed,), given.mixed, seed=8)
        studies = f"{given.studies:,} studies ({with_mixed:,} of mixed models)"
        title = f"Percent rejected at 5 %, {name}, {studies}"
        with reported(title, "test", "rejected") as add:
            for test, rate in found.items():
                add(test, rate)


def _store(file: Path, design: str, seed: int, found: dict[str, Rate]) -> None:
    """Rows of design, seed, test, number of studies, number that rejected."""
    rows = DataFrame(
        [
            (design, seed, test, rate.studies, round(rate.percent * rate.studies / 100))
            for test, rate in found.items()
        ],
        columns=["design", "seed", "test", "studies", "rejected"],
    )
    rows.to_csv(file, mode="a", header=not file.exists(), index=False)


if __name__ == "__main__":
    main()
