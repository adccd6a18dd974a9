"""How often the tests of a recipe find what is not there: simulated studies of known truth.

    .venv/bin/python benchmarks/calibration.py [--studies 1000] [--mixed 500] [--designs texts …]

Raters and texts are drawn anew for every study, and a rating is a point of 1–5. The tables are
those that a researcher gets, made by the same functions.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from pandas import DataFrame, Series
from scipy.optimize import brentq
from scipy.stats import norm

from analysis.recipe import FactorGroup, Grouping, MixedModels, Recipe, Scale, shipped_recipes
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

A, B, REFERENCE = "zero_shot", "fine_tuned", "reference"
CONTRAST = Contrast(A, B, (REFERENCE, REFERENCE))
#: Of a latent rating whose spread within a rater and text is 1; even around a mean of 3.
THRESHOLDS = np.array([-1.2, -0.4, 0.4, 1.2])
#: What simulated raters answer, whatever they rate: as many, in these shares.
ANSWERS = {
    "age": ({"70": 25, "30": 91}, {"a": "70", "b": "30"}),
    "gender": ({"Woman": 58, "Man": 58}, {"a": "Woman", "b": "Man"}),
}
SIZES = {"age": "unequal groups", "gender": "equal groups"}
REGIONS = ("Midwest", "Northeast", "South", "West")

#: The share of a study's tests that rejected, by what was tested.
Shares = dict[str, float]


@dataclass(frozen=True)
class Design:
    """Everybody rates every response: `scenarios` × `sets` blocks, each of some models (`of_set`)
    in both conditions and the reference. Or each block is `seen_by` so many raters; or each rater
    rates one system, so that systems differ `between` raters.

    SDs are those of latent effects: of raters, of what a rater thinks of a condition (`taste`) and
    of a system, of scenarios, of a scenario in a condition, and of texts. Where texts are `alike`,
    both conditions' answers to a scenario are equally good, one by one; where tastes are `evened`,
    those of the study's own raters add up to nothing.
    """

    raters: int = 116
    scenarios: int = 6
    sets: int = 4
    of_set: int = 2
    rater_sd: float = 0.6
    taste_sd: float = 0.0
    scenario_sd: float = 0.2
    text_sd: float = 0.35
    alike: bool = False
    evened: bool = False
    system_taste_sd: float = 0.0
    scenario_taste_sd: float = 0.0
    seen_by: int = 0
    between: bool = False

    @cached_property
    def _shown(self) -> DataFrame:
        """What each rater rates: numbers of scenario, set, system and condition."""
        rows = []
        for scenario, number in product(range(self.scenarios), range(self.sets)):
            models = range(self.of_set * number, self.of_set * (number + 1))
            shown = [*product(models, (0, 1)), (self.of_set * self.sets, 2)]
            rows += [(scenario, number, *system) for system in shown]
        return DataFrame(rows, columns=["scenario", "set", "model", "condition"])

    @cached_property
    def _frame(self) -> DataFrame:
        """The ratings of a study without their values, as `study_data.check` gives them."""
        each = self._shown
        models = [f"model {number + 1}" for number in range(self.of_set * self.sets)]
        names = {
            "scenario": [f"S{number + 1}" for number in range(self.scenarios)],
            "set": [str(number + 1) for number in range(self.sets)],
            "model": [*models, REFERENCE],
            "condition": [A, B, REFERENCE],
        }
        rows = each.loc[np.tile(each.index, self.raters)].reset_index(drop=True)
        categories = {
            column: Series(np.array(values, dtype=object)[rows[column]]).astype("category")
            for column, values in names.items()
        }
        frame = DataFrame(
            {
                "participant": np.repeat([f"r{n:04}" for n in range(self.raters)], len(each)),
                **categories,
                "dimension": Series("empathy", index=rows.index).astype("category"),
            }
        )
        for column, values in names.items():
            frame[column] = frame[column].cat.set_categories(values, ordered=True)
        return frame

    @cached_property
    def to_the_margin(self) -> float:
        """By how much the reference's latent mean is above, so that the expected rating is above
        by just the recipe's margin.
        """
        assert SOUND.margins.reference is not None
        return self._latent(SOUND.margins.reference)

    def _latent(self, points: float) -> float:
        effects = self.rater_sd**2 + self.taste_sd**2 + self.scenario_sd**2 + self.text_sd**2
        spread = np.sqrt(1 + effects)

        def expected(mean: float) -> float:
            return float(norm.sf((THRESHOLDS - mean) / spread).sum()) - 2 - points

        return float(brentq(expected, -2, 2))

    def study(self, draw: np.random.Generator) -> tuple[DataFrame, DataFrame]:
        """Ratings and people of a study whose conditions and groups of raters do not differ."""
        each = self._shown
        scenario, condition = each["scenario"].to_numpy(), each["condition"].to_numpy()
        system = each.groupby(["model", "condition"]).ngroup().to_numpy()
        numbers = each.groupby(["scenario", "model", "condition"]).ngroup().to_numpy()
        if self.alike:
            numbers = each.groupby(["scenario", "model"]).ngroup().to_numpy()
        text = draw.normal(0, self.text_sd, numbers.max() + 1)[numbers]
        kindness = draw.normal(0, self.rater_sd, (self.raters, 1))
        tastes = draw.normal(0, self.taste_sd, (self.raters, 3))
        if self.evened:
            tastes -= tastes.mean(axis=0)
        latent = (
            kindness
            + tastes[:, condition]
            + draw.normal(0, self.scenario_sd, self.scenarios)[scenario]
            + text
            + draw.normal(0, self.system_taste_sd, (self.raters, system.max() + 1))[:, system]
            + draw.normal(0, self.scenario_taste_sd, (self.scenarios, 3))[scenario, condition]
            + np.where(condition == 2, self.to_the_margin, 0)
            + draw.normal(0, 1, (self.raters, len(each)))
        )
        ratings = self._frame.assign(rating=1 + np.digitize(latent, THRESHOLDS).ravel())
        rated = self._rated(draw, each.groupby(["scenario", "set"]).ngroup().to_numpy(), system)
        return ratings[rated.ravel()].reset_index(drop=True), self._people(draw)

    def _rated(
        self, draw: np.random.Generator, block: "np.ndarray", system: "np.ndarray"
    ) -> "np.ndarray":
        """Which responses (columns) each rater rates."""
        rated = np.ones((self.raters, len(block)), dtype=bool)
        if self.seen_by:
            order = draw.random((self.raters, block.max() + 1)).argsort(axis=0).argsort(axis=0)
            rated &= (order < self.seen_by)[:, block]
        if self.between:
            own = draw.permutation(self.raters) % (system.max() + 1)
            rated &= own[:, None] == system
        return rated

    def _people(self, draw: np.random.Generator) -> DataFrame:
        people = DataFrame({"participant": self._frame["participant"].unique()})
        for column, (shares, _) in ANSWERS.items():
            of_all = np.cumsum(list(shares.values())) / sum(shares.values()) * self.raters
            which = np.searchsorted(np.round(of_all)[:-1], np.arange(self.raters), side="right")
            people[column] = np.array(list(shares))[draw.permutation(which)]
        people["region"] = np.array(REGIONS)[draw.permutation(self.raters) % len(REGIONS)]
        return people


DESIGNS = {
    "texts": Design(),
    "alike": Design(alike=True),
    "tastes": Design(taste_sd=0.3),
    "evened": Design(taste_sd=0.3, evened=True),
    "small": Design(raters=40, scenarios=12, sets=1),
}
#: Of the main result alone: designs in which random intercepts of raters and items are not enough.
MAIN = {
    **{
        f"{raters}x{scenarios}-{taste:g}": Design(
            raters=raters, scenarios=scenarios, sets=1, of_set=1, taste_sd=taste
        )
        for raters, scenarios, taste in (
            (5, 50, 0.3), (5, 50, 0.0), (5, 100, 0.15), (5, 100, 0.0), (10, 20, 0.3), (10, 20, 0.0),
            (3, 200, 0.2), (3, 200, 0.0), (40, 12, 0.4), (40, 12, 0.0),
        )
    },
    "116x6x8-0.3": Design(sets=4, taste_sd=0.3),
    "116x6x8-0": Design(sets=4),
    "116x6x8-systems": Design(sets=4, system_taste_sd=0.3),
    "incomplete-0.3": Design(raters=20, scenarios=100, sets=1, of_set=1, taste_sd=0.3, seen_by=3),
    "between": Design(raters=60, scenarios=10, sets=1, of_set=1, between=True),
    "20x20x4-scenarios": Design(
        raters=20, scenarios=20, sets=2, taste_sd=0.3, scenario_taste_sd=0.2
    ),
    "60x6x4-scenarios": Design(
        raters=60, scenarios=6, sets=2, taste_sd=0.2, scenario_taste_sd=0.2
    ),
}  # fmt: skip
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


SCALE = Scale([(n, f"point {n}") for n in range(1, len(THRESHOLDS) + 2)], between=False)
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
        start = time.monotonic()
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
        print(f"\n{name}: {design}")
        print(f"{given.studies} studies, {with_mixed} of mixed models; percent rejected at 5 %")
        for test, rate in found.items():
            print(f"{test:50} {rate}")
        print(f"{time.monotonic() - start:.0f} seconds", flush=True)


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
