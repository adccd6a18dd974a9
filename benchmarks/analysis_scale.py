"""How long an analysis takes, part by part: of the published study's size, and as studies grow.

.venv/bin/python benchmarks/analysis_scale.py [--parts study command scale whole]
"""

import argparse
import csv
import os
import resource
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from pandas import DataFrame

from analysis import by_recipe, pipeline
from analysis.pipeline import Contrast, StudyData, analyse
from analysis.quality_rules import QualityRules
from analysis.raters import filtering, rater_table
from analysis.recipe import shipped_recipes
from analysis.results import Results
from analysis.tables.request import AnalysisSpec
from benchmarks.running.tables import reported

ROOT = Path(__file__).parent.parent

SEED = 20250821
CONDITIONS = ("zero_shot", "fine_tuned")
REFERENCE = ("reference", "original")
SCALE = [(1, "Not at all"), (2, "Slightly"), (3, "Moderately"), (4, "Very"), (5, "Extremely")]
THRESHOLDS = [-1.6, -0.8, -0.1, 0.9]
#: Answers of the demographic questions with their shares.
DEMOGRAPHICS = {
    "education": {
        "Bachelor's degree": 0.45,
        "Graduate or professional degree": 0.3,
        "Some college, but no degree": 0.2,
        "Prefer not to answer": 0.05,
    },
    "gender": {"Woman": 0.55, "Man": 0.42, "Non-binary": 0.03},
    "race": {"White": 0.65, "Black": 0.2, "Asian": 0.1, "Prefer not to answer": 0.05},
    "region": {"Northeast": 0.18, "Midwest": 0.22, "South": 0.38, "West": 0.22},
}
#: Of the published study's 151 people: who is too quick, fails a check, leaves, or always answers
#: the same. 116 stay.
SHAPE = {"quick": 9, "inattentive": 5, "left": 13, "flat": 8, "careful": 116}
#: 116 raters of 120 responses who all stay, and the published study, of whose people 116 do.
SHAPES = [{"careful": 116}, SHAPE]
SIZES = [125_000, 250_000, 500_000, 1_000_000]
#: Share of the ratings that are not there, in studies of other sizes.
MISSING = 0.05
#: Ratings by each rater on average, in those: 125, less what is missing and what leavers lack.
GIVEN = 115


def simulate(
    people: dict[str, int], *, scenarios: int, sets: int, missing: float = 0.0
) -> StudyData:
    """So many people of each kind in `SHAPE` rate two models in two conditions and the reference in
    each set of each scenario; `missing` is the share of ratings that are not there.
    """
    draw = np.random.default_rng(SEED)
    kind = np.repeat(list(people), list(people.values()))
    n = len(kind)
    names = np.array([f"r{number:05}" for number in range(n)])
    cells = _cells(scenarios, sets)
    rater, block, place = np.indices((n, scenarios * sets, 5)).reshape(3, -1)
    block_at = draw.permuted(np.tile(np.arange(scenarios * sets), (n, 1)), axis=1)
    place_at = draw.permuted(np.tile(np.arange(5), (n * scenarios * sets, 1)), axis=1)
    cell = 5 * block + place
    latent = (
        cells["effect"].to_numpy()[cell]
        + draw.normal(0, 0.6, n)[rater]
        + draw.normal(0, 1, len(cell))
    )
    rating = np.where(kind[rater] == "flat", 1, 1 + np.digitize(latent, THRESHOLDS))
    done = draw.integers(8, scenarios * sets, n)
    reached = (kind[rater] != "left") | (block_at[rater, block] < done[rater])
    ratings = cells.drop(columns=["effect", "gold"]).iloc[cell].reset_index(drop=True)
    ratings = ratings.assign(
        participant=names[rater],
        rating=rating,
        block_position=1.0 + block_at[rater, block],
        response_position=1.0 + place_at.reshape(-1),
        block_seconds=draw.uniform(20, 90, block_at.shape)[rater, block].round(1),
        revisions=0.0,
    )[reached & (draw.uniform(size=len(cell)) >= missing)]
    return StudyData(
        participants=_people(draw, kind, names),
        ratings=ratings.reset_index(drop=True),
        gold=cells.drop(columns="effect"),
        contrast=Contrast(*CONDITIONS, REFERENCE),
        scenarios=[f"S{number + 1}" for number in range(scenarios)],
        models=[*(f"m{number + 1}" for number in range(2 * sets)), REFERENCE[0]],
        scale=SCALE,
        responses=_responses(cells),
    )


def _cells(scenarios: int, sets: int) -> DataFrame:
    """What is shown, with its gold score and its mean on the latent scale."""
    draw = np.random.default_rng(SEED + 1)
    rows = []
    for scenario in range(scenarios):
        reference = (*REFERENCE, 0.5 + draw.normal(0, 0.35))
        for number in range(sets):
            for model in (2 * number, 2 * number + 1):
                for place, condition in enumerate(CONDITIONS):
                    effect = 0.1 * (model % 5) - 0.2 + 0.15 * place + draw.normal(0, 0.35)
                    rows.append((scenario, number, f"m{model + 1}", condition, effect))
            rows.append((scenario, number, *reference))
    table = DataFrame(rows, columns=["scenario", "set", "model", "condition", "effect"])
    return table.assign(
        scenario="S" + (table["scenario"] + 1).astype("str"),
        set=(table["set"] + 1).astype("str"),
        dimension="empathy",
        gold=(3.2 + table["effect"]).clip(1, 5).round(2),
    )


def _responses(cells: DataFrame) -> DataFrame:
    """The reference of a scenario is one text in all sets."""
    of_set = ("/" + cells["set"]).where(cells["model"] != REFERENCE[0], "")
    names = cells["scenario"] + of_set + "/" + cells["model"] + "/" + cells["condition"]
    return cells[["scenario", "set", "model", "condition"]].assign(response=names)


def _people(draw: np.random.Generator, kind: np.ndarray, names: np.ndarray) -> DataFrame:
    n = len(names)
    answers = {
        question: draw.choice(list(shares), n, p=list(shares.values()))
        for question, shares in DEMOGRAPHICS.items()
    }
    return DataFrame(
        {
            "participant": names,
            "status": np.where(kind == "left", "in_progress", "completed"),
            "duration_seconds": np.where(kind == "quick", 300.0, draw.uniform(700, 3000, n)),
            "attention_checks_failed": (kind == "inattentive").astype(float),
            "age": draw.integers(20, 80, n).astype("str"),
            **answers,
        }
    )


# ── analyse(), part by part ──────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Measured:
    """CPU seconds by part, what the clock said, and the most memory that the process had."""

    ratings: int
    parts: dict[str, float]
    wall: float
    peak: float

    @property
    def cpu(self) -> float:
        return sum(self.parts.values())


class Stopwatch:
    """CPU seconds by part; what a part calls that is a part itself counts there alone."""

    def __init__(self) -> None:
        self.parts: defaultdict[str, float] = defaultdict(float)
        self._inner = [0.0]

    def of(self, part: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **kwargs: Any) -> Any:
            self._inner.append(0.0)
            start = time.process_time()
            try:
                return work(*args, **kwargs)
            finally:
                taken = time.process_time() - start
                self.parts[part] += taken - self._inner.pop()
                self._inner[-1] += taken

        return timed


def measured(data: StudyData) -> Measured:
    """Analyse with both shipped recipes. It swaps parts of the program for timed ones: call it in
    a process of its own.
    """
    watch = Stopwatch()
    timed = ((filtering, "check"), (rater_table, "rater_indices"), (pipeline, "thresholds"))
    for module, name in timed:
        setattr(module, name, watch.of(name, getattr(module, name)))
    by_recipe.OF_RECIPES[:] = [_timed(maker, watch) for maker in by_recipe.OF_RECIPES]
    by_recipe.OF_RATERS[:] = [_timed(maker, watch) for maker in by_recipe.OF_RATERS]
    figure = Results.figure
    # mypy allows no method to be replaced; a timed one has the same type.
    Results.figure = watch.of("figures", figure)  # type: ignore[method-assign]
    recipes = list(shipped_recipes().values())
    start = time.perf_counter()
    watch.of("the rest", analyse)(data, QualityRules(), recipes)
    wall = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return Measured(len(data.ratings), dict(watch.parts), wall, peak)


def _timed(maker: AnalysisSpec, watch: Stopwatch) -> AnalysisSpec:
    return replace(maker, make=watch.of(maker.names[0], maker.make))


def of_shape(number: int) -> Measured:
    return measured(simulate(SHAPES[number], scenarios=6, sets=4))


def of_size(ratings: int) -> Measured:
    return measured(large(ratings))


def large(ratings: int) -> StudyData:
    """About so many ratings, by raters of whom a part is excluded, as in the study."""
    raters = ratings / GIVEN
    people = {kind: round(raters * n / sum(SHAPE.values())) for kind, n in SHAPE.items()}
    return simulate(people, scenarios=5, sets=5, missing=MISSING)


def in_a_process(work: Callable[..., Measured], *given: int) -> Measured:
    """In a new one, so that it has had no memory yet and nothing is warm."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *given).result()


def study() -> None:
    for number, people in enumerate(SHAPES):
        found = in_a_process(of_shape, number)
        title = f"`study`: {found.ratings:,} ratings by {_described(people)}"
        with reported(title, "part", "CPU", "share") as add:
            add("**all**", f"{found.cpu:.1f} s", f"{found.wall:.1f} s, {found.peak:.2f} GiB")
            for part, taken in _noticed(found):
                add(part, f"{taken:.2f} s", f"{100 * taken / found.cpu:.1f} %")


def _described(people: dict[str, int]) -> str:
    return f"{sum(people.values())} people, {people['careful']} of them included"


def scale(sizes: list[int]) -> None:
    found = []
    with reported("`scale`", "ratings", "CPU", "wall", "µs per rating", "peak memory") as add:
        for size in sizes:
            each = in_a_process(of_size, size)
            found.append(each)
            one = 1e6 * each.cpu / each.ratings
            add(
                f"{each.ratings:,}",
                f"{each.cpu:.1f} s",
                f"{each.wall:.1f} s",
                f"{one:.0f}",
                f"{each.peak:.2f} GiB",
            )
    numbers = [f"{each.ratings:,}" for each in found]
    with reported("`scale`, CPU seconds of each part", "part", *numbers, "share") as add:
        for part, last in _noticed(found[-1]):
            taken = [f"{each.parts.get(part, 0):.2f}" for each in found]
            add(part, *taken, f"{100 * last / found[-1].cpu:.1f} %")


def _noticed(found: Measured) -> list[tuple[str, float]]:
    """The parts that took time, the longest first."""
    parts = sorted(found.parts.items(), key=lambda each: -each[1])
    return [(part, taken) for part, taken in parts if taken >= 0.005]


# ── The whole command ────────────────────────────────────────────────────────────────────────

STUDY = """\
slug: scale
title: A study of the published shape
estimated_minutes: 25
texts: {information: Read., instructions: Rate., thanks: Thanks.}
consent: {statement: I agree.}
tasks:
  - kind: likert
    scale:
      - {value: 1, label: Not at all}
      - {value: 2, label: Slightly}
      - {value: 3, label: Moderately}
      - {value: 4, label: Very}
      - {value: 5, label: Extremely}
    dimensions: [{name: empathy, question: How empathetic is it?}]
conditions: [zero_shot, fine_tuned, original]
condition_a: zero_shot
condition_b: fine_tuned
reference: {model: reference, condition: original}
prolific: {completion_code: DONE1, full_code: FULL1}
"""
QUESTIONS = """\
demographics:
  - {name: age, kind: integer, question: How old are you?, minimum: 18, maximum: 110}
  - {name: state, kind: us_state, question: In which state do you live?}
"""
#: One state of each region.
STATES = {"Northeast": "New York", "Midwest": "Ohio", "South": "Texas", "West": "California"}


def write_study(folder: Path, data: StudyData) -> None:
    """A study folder and the CSV files of what was answered."""
    cells = data.responses
    models = cells[cells["model"] != REFERENCE[0]].groupby("set")["model"].unique()
    sets = "".join(f'  "{name}": [{", ".join(of)}]\n' for name, of in models.items())
    questions = QUESTIONS
    for name, answers in DEMOGRAPHICS.items():
        if name == "region":
            continue  # it is known from the state
        options = ", ".join(f'"{answer}"' for answer in answers)
        questions += f"  - {{name: {name}, kind: single, question: Which?, options: [{options}]}}\n"
    (folder / "study.yaml").write_text(f"{STUDY}sets:\n{sets}{questions}", encoding="utf-8")
    with (folder / "responses.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["scenario", "set", "prompt", "model", "condition", "response"])
        for cell in cells.itertuples():
            prompt = f"Prompt {cell.scenario}"
            row = [cell.scenario, cell.set, prompt, cell.model, cell.condition]
            writer.writerow([*row, f"The response {cell.response}"])
    people = data.participants.assign(state=data.participants["region"].map(STATES))
    people = people.drop(columns="region")
    for name, table in (("participants", people), ("ratings", data.ratings), ("gold", data.gold)):
        # whole numbers as such
        table.convert_dtypes().to_csv(folder / f"{name}.csv", index=False)


def command() -> None:
    """`manage.py analyze`: read the database, compute, store, and write all files."""
    for people in SHAPES:
        data = simulate(people, scenarios=6, sets=4)
        command_of(data, f"`command`: {_described(people)}")


def whole(size: int) -> None:
    """The same of a study as large as the largest of `scale`."""
    data = large(size)
    command_of(data, f"`whole`: {len(data.ratings):,} ratings")


def command_of(data: StudyData, title: str) -> None:
    columns = ("manage.py analyze", "CPU", "wall", "peak memory")
    with tempfile.TemporaryDirectory() as name, reported(title, *columns) as add:
        folder = Path(name)
        write_study(folder, data)
        environment = os.environ | {
            "DATA_DIR": name,
            "DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3",
            "SECRET_KEY": secrets.token_hex(32),
        }
        files = [f"--{each}={folder / each}.csv" for each in ("participants", "ratings", "gold")]
        for given in (["migrate"], ["load_study", name], ["import_ratings", "scale", *files]):
            manage(*given, environment=environment)
        out = ["analyze", "scale", "--recipe", "both", "--out", str(folder / "out")]
        without = environment | {"CHROMIUM": shutil.which("false") or "false"}
        for what, chosen in (
            ("everything", environment),
            ("files of the same run", environment),
            ("these without images", without),
        ):
            cpu, wall = manage(*out, environment=chosen)
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
            add(what, f"{cpu:.1f} s", f"{wall:.1f} s", f"{peak:.2f} GiB")
            if chosen is environment and not any((folder / "out").rglob("*.svg")):
                print("  (without images: there is no Chrome or Chromium here)")


def manage(*given: str, environment: dict[str, str]) -> tuple[float, float]:
    """Run one of the commands; its CPU seconds and what the clock said."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run = [sys.executable, "manage.py", *given]
    done = subprocess.run(
        run, check=False, cwd=ROOT, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parts = ["study", "command", "scale", "whole"]
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="ratings of `scale`")
    return parser.parse_args(given)


def main() -> None:
    given = arguments(sys.argv[1:])
    if "study" in given.parts:
        study()
    if "command" in given.parts:
        command()
    if "scale" in given.parts:
        scale(given.sizes)
    if "whole" in given.parts:
        whole(given.sizes[-1])


if __name__ == "__main__":
    main()
