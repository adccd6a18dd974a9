"""How long mixed models take, against R and as studies grow, and whether their contrasts keep what
they promise.

    .venv/bin/python benchmarks/mixed_models.py [--parts r scale coverage]
"""

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
import pandas as pd
from scipy.stats import norm

from analysis.stats.inestimable import Inestimable
from analysis.stats.mixed import (
    MixedFit,
    contrasts,
    crossed,
    fit_linear,
    fit_ordinal,
    pairs,
)
from benchmarks.running.tables import reported
from tests.oracle.mixed.simulate import simulated

STUDY = Path(__file__).parent.parent / "tests" / "oracle" / "mixed" / "study.csv.xz"
FIXED, GROUPS = ["system", "scenario"], ("rater", "item")
#: CPU seconds, because wall time depends on what else the machine does. lmer and clmm run on one
#: thread, as ours do.
R_SCRIPT = """
suppressMessages({library(lme4); library(ordinal)})
data <- read.csv(commandArgs(TRUE)[1])
for (each in c("rater", "item", "scenario", "system")) data[[each]] <- factor(data[[each]])
seconds <- function(code) sum(system.time(code)[c("user.self", "sys.self")])
cat(seconds(lmer(rating ~ system + scenario + (1 | rater) + (1 | item), data)), "\\n")
data$rating <- factor(data$rating)
cat(seconds(clmm(rating ~ system + scenario + (1 | rater) + (1 | item), data = data,
                 link = "probit")), "\\n")
"""


def fitted(found: MixedFit | Inestimable) -> MixedFit:
    if isinstance(found, Inestimable):
        raise SystemExit(str(found))
    return found


def cpu_seconds(work: Callable[[], object], times: int = 3) -> float:
    taken = []
    for _ in range(times):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return float(np.median(taken))


def against_r(raters: int) -> None:
    """The same ratings, from a table of data to estimates with standard errors."""
    frame = pd.read_csv(STUDY)
    frame = frame[frame["rater"] <= raters]

    def ready() -> object:
        return crossed(frame, rating="rating", fixed=FIXED, groups=GROUPS)

    data = crossed(frame, rating="rating", fixed=FIXED, groups=GROUPS)
    setting_up = cpu_seconds(ready)
    linear = setting_up + cpu_seconds(lambda: fit_linear(data))
    likelihood = setting_up + cpu_seconds(lambda: fit_ordinal(data, restricted=False))
    restricted = setting_up + cpu_seconds(lambda: fit_ordinal(data))
    lmer, clmm = seconds_of_r(frame)
    title = f"{raters} raters, {len(frame):,} ratings; CPU seconds on one thread"
    with reported(title, "model", "ours", "R") as add:
        add("linear (lme4::lmer)", f"{linear:.3f}", lmer)
        add("ordinal, probit (ordinal::clmm)", f"{likelihood:.3f}", clmm)
        add("ordinal, probit, restricted", f"{restricted:.3f}", "(not in R)")


NOT_INSTALLED = "(not installed)", "(not installed)"


def seconds_of_r(frame: pd.DataFrame) -> tuple[str, str]:
    """Of lmer and clmm, where R and their packages are installed."""
    if shutil.which("Rscript") is None:
        return NOT_INSTALLED
    with tempfile.TemporaryDirectory() as folder:
        csv = Path(folder) / "study.csv"
        frame.to_csv(csv, index=False)
        run = subprocess.run(
            ["Rscript", "-e", R_SCRIPT, str(csv)], capture_output=True, text=True, check=False
        )
    if "there is no package called" in run.stderr:
        return NOT_INSTALLED
    run.check_returncode()
    lmer, clmm = (f"{float(line):.3f}" for line in run.stdout.split())
    return lmer, clmm


SIZES = (1000, 2000, 4000, 8000)
SCALE_COLUMNS = ("raters", "ratings", "linear", "ordinal", "µs per rating (ordinal)", "peak memory")


def scale() -> None:
    """Does the cost grow linearly? 125 ratings by each of ever more raters, with the terms of
    `analyze`.
    """
    draw = np.random.default_rng(1)
    with reported("CPU seconds as studies grow", *SCALE_COLUMNS) as add:
        for raters in SIZES:
            _fit_of(draw, raters, add)


def _fit_of(draw: np.random.Generator, raters: int, add: Callable[..., None]) -> None:
    frame = simulated(draw, raters=raters, systems=5, items=25, sd=0.35)
    frame["scenario"] = frame["item"] % 25
    groups = ("rater/system", "scenario/system")
    data = crossed(frame, rating="rating", fixed=["system"], groups=groups)
    linear = cpu_seconds(partial(fit_linear, data), 1)
    ordinal = cpu_seconds(partial(fit_ordinal, data), 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    each = 1e6 * ordinal / len(frame)
    add(
        f"{raters:,}", f"{len(frame):,}",
        f"{linear:.1f}", f"{ordinal:.1f}", f"{each:.1f}", f"{peak:.2f} GiB",
    )  # fmt: skip


#: Raters, systems, items, SD of the items.
Covered = tuple[int, int, int, float]
COVERED: tuple[Covered, ...] = (
    (30, 8, 3, 0.35), (30, 4, 6, 0.35), (60, 2, 6, 0.35), (60, 8, 6, 0.35), (30, 4, 6, 0.15),
)  # fmt: skip
COVERAGE_COLUMNS = (
    "raters", "systems × items", "item SD", "linear, t", "restricted ordinal, t", "likelihood, z",
    "restricted SD at 0",
)  # fmt: skip


def coverage(studies: int) -> None:
    """How often a contrast of two systems that do not differ is called significant at 5 %.

    `restricted` and t as `contrasts` has them; likelihood and z as clmm's summary would have it.
    """
    title = f"Percent rejected at 5 % (mean item SD), {studies} simulated studies each"
    with reported(title, *COVERAGE_COLUMNS) as add:
        for design in COVERED:
            _covered(design, studies, add)


def _covered(design: Covered, studies: int, add: Callable[..., None]) -> None:
    raters, systems, items, sd = design
    draw = np.random.default_rng(5)
    rejected, sds = np.zeros(3), np.zeros(3)
    none = 0
    for _ in range(studies):
        frame = simulated(draw, raters=raters, systems=systems, items=items, sd=sd)
        data = crossed(frame, rating="rating", fixed=["system"], groups=GROUPS)
        fits = (fit_linear(data), fit_ordinal(data), fit_ordinal(data, restricted=False))
        rows = []
        for at, found in enumerate(fits):
            fit = fitted(found)
            levels = fit.data.term("system").levels
            rows.append(contrasts(fit, "system", pairs(levels[:2])).iloc[0])
            sds[at] += fit.sds["item"] / studies
        p = [rows[0]["p"], rows[1]["p"], 2 * norm.sf(abs(rows[2]["t"]))]
        rejected += np.array(p) < 0.05
        none += fitted(fits[1]).sds["item"] == 0
    share = 100 * rejected / studies
    cells = [f"{a:.1f} ({b:.3f})" for a, b in zip(share, sds, strict=True)]
    add(raters, f"{systems} × {items}", f"{sd:.2f}", *cells, none)


def arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parts = ["r", "scale", "coverage"]
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts[:1])
    parser.add_argument("--raters", type=int, default=116, help="of the study, against R")
    parser.add_argument("--studies", type=int, default=500, help="simulated for each design")
    return parser.parse_args(given)


def main() -> None:
    given = arguments(sys.argv[1:])
    for part in given.parts:
        if part == "r":
            against_r(given.raters)
        elif part == "scale":
            scale()
        else:
            coverage(given.studies)


if __name__ == "__main__":
    main()
