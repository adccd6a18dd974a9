"""Six studies unlike the published one, as a researcher would bring them: a study folder, and
files of ratings, ranks and participants. The raters are simulated, and the systems' order is known.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import yaml

SEED = 21
#: Standard deviations in planted units: texts, raters' severity, raters' tastes, single ratings.
TEXT, SEVERITY, TASTE, NOISE = 0.3, 0.4, 0.15, 0.8
TREES = [
    "Alder",
    "Birch",
    "Cedar",
    "Dogwood",
    "Elm",
    "Fir",
    "Ginkgo",
    "Hazel",
    "Ironwood",
    "Juniper",
    "Katsura",
    "Larch",
    "Maple",
    "Nutmeg",
]
SCALE = {1: "Not at all", 2: "A little", 3: "Somewhat", 4: "Quite", 5: "Very"}
ASIDES = [
    "That is the short version.",
    "It takes a quarter of an hour, and most people have all that it needs at home.",
    "If it does not work at first, wait a day and try again.",
    "A neighbour may help with the heavy part.",
    "Write down what you did, because next year you will have forgotten it.",
]
PROBLEMS = [
    "a door that sticks", "a bicycle that squeaks", "tomatoes that stay green", "a late train",
    "a dry cake", "a cold room", "a slow laptop", "a lost key", "a dog that barks", "a leaking tap",
]  # fmt: skip
System = tuple[str, str]


@dataclass(frozen=True)
class Shape:
    """A study: its systems, the best first, each with its distance to the mean of all."""

    slug: str
    title: str
    systems: Mapping[System, float]
    raters: int
    scenarios: int
    #: What study.yaml says of tasks and of what a page shows.
    study: Mapping[str, Any]
    #: Which systems a rater (by number) sees in a scenario (by number).
    shown: str = "all"
    demographics: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def order(self) -> list[System]:
        return list(self.systems)

    def task(self, *kinds: str) -> dict[str, Any] | None:
        return next((task for task in self.study["tasks"] if task["kind"] in kinds), None)

    def on_page(self, rater: int, scenario: int) -> list[System]:
        """The systems that a rater sees of a scenario, in balance."""
        systems = self.order
        if self.shown == "all":
            return systems
        if self.shown == "one":
            return [systems[(rater + scenario) % len(systems)]]
        if self.shown == "own":
            return [systems[rater % len(systems)]]
        pairs = list(combinations(systems, 2))
        return list(pairs[(rater * 7 + scenario) % len(pairs)])


def likert(*dimensions: str) -> dict[str, Any]:
    scale = [{"value": value, "label": label} for value, label in SCALE.items()]
    return {"kind": "likert", "scale": scale, "dimensions": _asked(dimensions)}


def slider(*dimensions: str) -> dict[str, Any]:
    ends = {"left": "Not at all", "right": "Completely"}
    return {"kind": "slider", **ends, "dimensions": _asked(dimensions)}


def _asked(dimensions: Sequence[str]) -> list[dict[str, str]]:
    return [{"name": name, "question": f"How {name} is this response?"} for name in dimensions]


def evenly(systems: Sequence[System], step: float) -> dict[System, float]:
    """Each better by `step` than the next."""
    middle = (len(systems) - 1) / 2
    return {system: step * (middle - place) for place, system in enumerate(systems)}


def base(models: Sequence[str]) -> list[System]:
    return [(model, "base") for model in models]


MANY = Shape(
    "many", "Advice by fourteen systems", evenly(base(TREES), 0.25), raters=3, scenarios=100,
    study={"tasks": [likert("helpful")], "conditions": ["base"], "systems_per_page": 7},
)  # fmt: skip
SINGLE = Shape(
    "single", "One piece of advice at a time", evenly(base(TREES[:5]), 0.5),
    raters=15, scenarios=60,
    study={"tasks": [slider("clear")], "conditions": ["base"], "systems_per_page": 1},
    shown="one",
)  # fmt: skip
PAIRS = Shape(
    "pairs", "Which advice is better?", evenly(base(TREES[:6]), 0.5), raters=20, scenarios=30,
    study={
        "tasks": [{"kind": "ranking", "question": "Which response is better?", "ties": True}],
        "conditions": ["base"], "systems_per_page": 2,
    },
    shown="pair",
)  # fmt: skip
BETWEEN = Shape(
    "between", "Advice of one adviser",
    evenly([("Alder", "tuned"), ("Birch", "tuned"), ("Alder", "base"), ("Birch", "base")], 0.6),
    raters=48, scenarios=16,
    study={
        "tasks": [likert("warm")], "conditions": ["base", "tuned"],
        "condition_a": "base", "condition_b": "tuned", "between_subjects": "system",
    },
    shown="own",
    demographics={"gender": ["Woman", "Man"]},
)  # fmt: skip
THREE = Shape(
    "three", "Three advisers, three questions", evenly(base(TREES[:3]), 0.6),
    raters=12, scenarios=30,
    study={
        "tasks": [
            slider("fluent", "relevant", "kind"),
            {"kind": "ranking", "question": "Which response is best?"},
        ],
        "conditions": ["base"],
    },
)  # fmt: skip
GROUPS = Shape(
    "groups", "Advice by a person and by models",
    {("Hand", "human"): 0.8, **evenly([(model, "ai") for model in TREES[:4]], 0.2)},
    raters=24, scenarios=30,
    study={
        "tasks": [slider("clear")], "conditions": ["human", "ai"],
        "condition_a": "human", "condition_b": "ai",
    },
)  # fmt: skip
SHAPES = (MANY, SINGLE, PAIRS, BETWEEN, THREE, GROUPS)


def write(shape: Shape, folder: Path) -> dict[str, Path]:
    """Write the study's folder, and its files by the options of `import_ratings`."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = np.random.default_rng(SEED)
    (folder / "study.yaml").write_text(
        yaml.safe_dump(_definition(shape), sort_keys=False), encoding="utf-8"
    )
    _write(folder / "responses.csv", list(_responses(shape, draw)))
    ratings, ranks = _answers(shape, draw)
    tables = {"participants": list(_people(shape, draw)), "ratings": ratings, "ranks": ranks}
    files = {name: folder / f"{name}.csv" for name, rows in tables.items() if rows}
    for name, path in files.items():
        _write(path, tables[name])
    return files


def _definition(shape: Shape) -> dict[str, Any]:
    questions = [
        {"name": name, "kind": "single", "question": f"Your {name}?", "options": list(options)}
        for name, options in shape.demographics.items()
    ]
    return {
        "slug": shape.slug,
        "title": shape.title,
        "estimated_minutes": 25,
        "texts": {
            "information": "You will read advice about small troubles.",
            "instructions": "Read each response and say what you think of it.",
            "thanks": "Thank you.",
        },
        "consent": {"statement": "I want to take part."},
        **shape.study,
        **({"demographics": questions} if questions else {}),
        "ways_in": ["link"],
    }


def _scenarios(shape: Shape) -> list[str]:
    return [f"T{number + 1:03}" for number in range(shape.scenarios)]


def _responses(shape: Shape, draw: np.random.Generator) -> Iterator[dict[str, Any]]:
    for number, scenario in enumerate(_scenarios(shape)):
        problem = PROBLEMS[number % len(PROBLEMS)]
        for place, (model, condition) in enumerate(shape.order):
            aside = draw.choice(ASIDES, size=draw.integers(1, 5), replace=False)
            opening = f"About {problem}, number {number + 1}, way {place + 1}: begin at the edges."
            yield {
                "scenario": scenario,
                "prompt": f"What do I do about {problem}? This is day {number + 1}.",
                "model": model,
                "condition": condition,
                "response": " ".join([opening, *aside]),
            }


def _names(shape: Shape) -> list[str]:
    return [f"rater-{number + 1:02}" for number in range(shape.raters)]


def _people(shape: Shape, draw: np.random.Generator) -> Iterator[dict[str, Any]]:
    for name in _names(shape):
        answers = {each: draw.choice(options) for each, options in shape.demographics.items()}
        minutes = int(draw.integers(15, 50))
        yield {
            "participant": name,
            "status": "completed",
            "duration_seconds": 60 * minutes,
        } | answers


def _answers(
    shape: Shape, draw: np.random.Generator
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Ratings and ranks, both of what a rater thinks of a response."""
    systems = shape.order
    text = draw.normal(0, TEXT, (shape.scenarios, len(systems)))
    severity = draw.normal(0, SEVERITY, shape.raters)
    taste = draw.normal(0, TASTE, (shape.raters, len(systems)))
    rating, ranking = shape.task("likert", "slider"), shape.task("ranking")
    ratings, ranks = [], []
    for rater, name in enumerate(_names(shape)):
        for number, scenario in enumerate(_scenarios(shape)):
            liked = {}
            for system in shape.on_page(rater, number):
                place = systems.index(system)
                thought = shape.systems[system] + text[number, place] + taste[rater, place]
                liked[system] = thought + draw.normal(0, NOISE)
            for system, value in liked.items():
                row = {"participant": name, "scenario": scenario}
                row |= dict(zip(("model", "condition"), system, strict=True))
                if rating:
                    for dimension in rating["dimensions"]:
                        said = value + severity[rater] + draw.normal(0, NOISE / 2)
                        ratings.append(
                            row | {"dimension": dimension["name"], "rating": _point(rating, said)}
                        )
                if ranking:
                    ranks.append(row | {"rank": _rank(ranking, value, list(liked.values()))})
    return ratings, ranks


def _point(task: Mapping[str, Any], said: float) -> int:
    """The point of the scale nearest to a rater's opinion; an opinion of 0 is the middle."""
    if task["kind"] == "slider":
        return int(np.clip(round(55 + 15 * said), 0, 100))
    return int(np.clip(round(3 + 0.9 * said), min(SCALE), max(SCALE)))


def _rank(task: Mapping[str, Any], value: float, others: Sequence[float]) -> int:
    """1 for the best; where ties may happen, those hardly better are as good."""
    margin = 0.35 if task.get("ties") else 0.0
    return 1 + sum(other > value + margin for other in others)


def _write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
