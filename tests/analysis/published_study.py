"""A data set of the published study's shape: 151 people, 24 blocks, 120 ratings each.

Its totals are the paper's: who is excluded by which rule and of which sex (appendix C), who is
left (Table 3), how many comparisons each condition wins and how many points the reference earns
(Table 4, its percentages). Everything else about it is made up, from one seed. The published
responses are not part of this repository: the texts are those of `examples/empathy`, 102 in 120
rows, given to the systems of `examples/tide`.
"""

import csv
import random
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from pandas import DataFrame

from analysis.metrics.words import words
from analysis.pipeline import Contrast, StudyData
from survey.files.yaml_file import YamlFile

EXAMPLES = Path(__file__).parents[2] / "examples"

REFERENCE = ("Claude Sonnet 3.5", "reference")
CONDITIONS = ("zero_shot", "fine_tuned")
SCALE = [
    (1, "Not empathetic at all"),
    (2, "Slightly empathetic"),
    (3, "Moderately empathetic"),
    (4, "Very empathetic"),
    (5, "Extremely empathetic"),
]

#: The paper's Table 3, the order of its rows included.
TABLE_3 = {
    "sex": {"Female": 67, "Male": 48, "Prefer not to answer": 1},
    "gender": {"Woman": 65, "Man": 49, "Non-binary": 1, "Prefer not to answer": 1},
    "race": {
        "White or Caucasian": 76,
        "Black or African American": 23,
        "Asian": 3,
        "Two or more races": 5,
        "Other/Unknown": 9,
    },
    "hispanic": {"No": 98, "Yes": 18},
    "education": {
        "Bachelor's degree": 50,
        "Graduate or professional degree": 33,
        "Some college, but no degree": 13,
        "High school diploma or GED": 14,
        "Other/Unknown": 6,
    },
    "employment": {
        "Working full-time": 75,
        "Working part-time": 23,
        "Retired": 4,
        "Unemployed and looking for work": 5,
        "Student": 1,
        "Other/Unknown": 8,
    },
}
#: The paper compares regions (Figure 3) and does not print how many lived where: as many of each
#: hundred as in the whole country.
REGIONS = {"South": 45, "West": 27, "Midwest": 24, "Northeast": 20}
CHARACTERISTICS = TABLE_3 | {"region": REGIONS}
#: Table 4 by scenario: comparisons won by zero-shot (of 8), points of the reference (of 16).
ZERO_SHOT_WINS = {"S1": 5, "S2": 4, "S3": 3, "S4": 7, "S5": 3, "S6": 4}
REFERENCE_POINTS = {"S1": 12, "S2": 11, "S3": 14, "S4": 12, "S5": 12, "S6": 12}

DEFAULT_ORDER = ["duration", "attention", "early_exit", "sigma_mae"]
PAPER_ORDER = ["attention", "early_exit", "duration", "sigma_mae"]


@dataclass
class Person:
    """One participant. `flat` is the one rating that a straight-liner gives everywhere."""

    seconds: float | None
    sex: str | None
    status: str = "completed"
    checks_failed: int | None = 0
    blocks: int = 24
    flat: int | None = None
    answers: dict[str, object] = field(default_factory=dict)


def people() -> list[Person]:
    """116 who stay and 35 who go, in random order.

    No rule that comes early in one order and late in the other matches the same person twice, so
    that both of the paper's sequences come out. `sigma_mae`, last in both, alone matches four
    more than the eight that are left for it.
    """
    everyone = [*_careful(), *_out_of_time(), *_inattentive(), *_leavers(), *_straight_liners()]
    random.Random(2025).shuffle(everyone)
    return everyone


def _careful() -> list[Person]:
    """The 116 of Table 3. Two lasted exactly 10 and 75 minutes, and one is flat but not far."""
    ages = [24, 64, *(round(25 + 37 * (i / 113) ** 1.25) for i in range(114))]
    columns = {name: _expanded(counts, 29 * i) for i, (name, counts) in enumerate(TABLE_3.items())}
    regions = _expanded(REGIONS, 0)
    # 47 and 116 have no common divisor, so that regions mix with the other characteristics.
    columns["region"] = [regions[47 * i % 116] for i in range(116)]
    careful = [
        Person(
            seconds=700 + (i * 397) % 2600,
            sex=columns["sex"][i],
            answers={"age": ages[i], **{name: values[i] for name, values in columns.items()}},
        )
        for i in range(116)
    ]
    careful[0].seconds, careful[1].seconds = 600, 4500
    careful[2].flat = 4
    return careful


def _expanded(counts: dict[str, int], shift: int) -> list[str]:
    values = [value for value, n in counts.items() for _ in range(n)]
    return values[shift:] + values[:shift]


def _out_of_time() -> list[Person]:
    """Nine, 5 female and 4 male: eight too quick, one of 78 minutes. Two of them are flat."""
    out = [Person(seconds, "Female") for seconds in (252, 301, 340, 395, 4680)]
    out += [Person(seconds, "Male") for seconds in (431, 480, 555, 599)]
    out[0].flat, out[5].flat = 1, 5
    return out


def _inattentive() -> list[Person]:
    """Five, 4 female and 1 male. One of them is flat."""
    out = [Person(900 + 60 * i, "Female", checks_failed=1) for i in range(4)]
    out.append(Person(1500, "Male", checks_failed=1, flat=5))
    return out


def _leavers() -> list[Person]:
    """Thirteen: 3 female, 4 male, 6 of whom neither sex nor duration is known. One is flat."""
    sexes = ["Female"] * 3 + ["Male"] * 4
    out = [
        Person(620 + 90 * i, sex, status="in_progress", blocks=8 + i) for i, sex in enumerate(sexes)
    ]
    out[3].flat = 1
    out += [
        Person(None, None, status="in_progress", checks_failed=None, blocks=i) for i in range(6)
    ]
    return out


def _straight_liners() -> list[Person]:
    """Eight, whom no other rule matches."""
    sexes = ["Female"] * 5 + ["Male"] * 3
    flat = [1, 1, 1, 2, 2, 2, 5, 5]
    return [
        Person(800 + 50 * i, sex, flat=value)
        for i, (sex, value) in enumerate(zip(sexes, flat, strict=True))
    ]


@cache
def responses() -> list[dict[str, str]]:
    """The 120 rows of responses.csv: 24 blocks of five. Both examples have the same conditions."""
    tide_models = dict(zip(_models_of("empathy"), _models_of("tide"), strict=True))
    with (EXAMPLES / "empathy" / "responses.csv").open(encoding="utf-8", newline="") as file:
        return [row | {"model": tide_models[row["model"]]} for row in csv.DictReader(file)]


def _models_of(example: str) -> list[str]:
    """The models in the order of their sets, and the reference's."""
    study = YamlFile.read(EXAMPLES / example / "study.yaml").plain()
    in_sets = [model for models in study["sets"].values() for model in models]
    return [*in_sets, study["reference"]["model"]]


def write_responses(folder: Path) -> Path:
    """responses.csv, for `load_study examples/tide --responses …`."""
    path = folder / "responses.csv"
    DataFrame(responses()).to_csv(path, index=False)
    return path


def participants() -> DataFrame:
    """participants.csv."""
    began = datetime(2025, 3, 3, 14, tzinfo=UTC)
    rows = []
    for number, person in enumerate(people()):
        start = began + timedelta(minutes=7 * number)
        end = start + timedelta(seconds=person.seconds or 0)
        row: dict[str, object] = {"participant": f"P{number + 1:03}", "source": "import"}
        row["status"] = person.status
        row["started_at"] = None if person.seconds is None else _time(start)
        row["finished_at"] = _time(end) if person.status == "completed" else None
        row["duration_seconds"] = person.seconds
        row["attention_checks_failed"] = person.checks_failed
        answers = {"age": None, "sex": person.sex} | person.answers
        rows.append(row | {name: answers.get(name) for name in ["age", *CHARACTERISTICS]})
    return DataFrame(rows).astype({"attention_checks_failed": "Int64", "age": "Int64"})


def _time(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def ratings() -> DataFrame:
    """ratings.csv."""
    rows = []
    effects = _effects()
    items = responses()
    for number, person in enumerate(people()):
        dice = random.Random(f"rater {number}")
        taste = dice.gauss(0, 0.3)
        for place, item in enumerate(items[: 5 * person.blocks]):
            key = (item["scenario"], item["set"], item["model"], item["condition"])
            felt = round(effects[key[0], key[2], key[3]] + taste + dice.gauss(0, 0.9))
            rating = min(max(felt, 1), 5)
            if person.flat is not None:
                rating = person.flat + (person.flat == 2 and place % 12 == 0)
            rows.append((f"P{number + 1:03}", *key, "empathy", rating))
    columns = ["participant", "scenario", "set", "model", "condition", "dimension", "rating"]
    return DataFrame(rows, columns=columns)


def _effects() -> dict[tuple[str, str, str], float]:
    """The mean felt for each scenario, model and condition, so that Table 4 comes out.

    The worse condition lies at 2.4, the reference at 3.4; the better one at 2.9, where the
    reference earns both points, else at 3.9. Which models win goes round.
    """
    effects = {}
    for number, (scenario, wins) in enumerate(ZERO_SHOT_WINS.items()):
        effects[scenario, *REFERENCE] = 3.4
        for place, model in enumerate(models()[:-1]):
            zero_shot_wins = (place + number) % 8 < wins
            both_points = (3 * place + number) % 8 < REFERENCE_POINTS[scenario] - 8
            better = 2.9 if both_points else 3.9
            means = (better, 2.4) if zero_shot_wins else (2.4, better)
            for condition, mean in zip(CONDITIONS, means, strict=True):
                effects[scenario, model, condition] = mean
    return effects


def models() -> list[str]:
    """The eight models in the order of their sets, and the reference's."""
    names = dict.fromkeys(row["model"] for row in responses() if row["condition"] in CONDITIONS)
    return [*names, REFERENCE[0]]


def gold_thirds() -> dict[tuple[str, str, str], int]:
    """The sum of three judge calls for each distinct response: its gold score in thirds."""
    dice = random.Random("judge")
    distinct = dict.fromkeys((r["scenario"], r["model"], r["condition"]) for r in responses())
    return {response: sum(dice.choices([3, 4, 5], [1, 2, 1], k=3)) for response in distinct}


def gold() -> DataFrame:
    """gold.csv: the reference has a row in each of its sets, with one score."""
    thirds = gold_thirds()
    rows = []
    for row in responses():
        score = thirds[row["scenario"], row["model"], row["condition"]] / 3
        key = (row["scenario"], row["set"], row["model"], row["condition"])
        rows.append((*key, "empathy", score))
    return DataFrame(rows, columns=["scenario", "set", "model", "condition", "dimension", "gold"])


def study_data() -> StudyData:
    """All of it, as the analysis takes it."""
    return StudyData(
        participants=participants().assign(active=False),
        ratings=ratings(),
        gold=gold(),
        contrast=Contrast(*CONDITIONS, REFERENCE),
        scenarios=list(ZERO_SHOT_WINS),
        models=models(),
        scale=SCALE,
        orders={name: list(counts) for name, counts in CHARACTERISTICS.items()},
        responses=shown(),
    )


def data_of_folder() -> StudyData:
    """The same with what else the study's folder says: how long texts and how large models are."""
    lengths = [float(len(words(row["response"]))) for row in responses()]
    about = YamlFile.read(EXAMPLES / "tide" / "study.yaml").plain()["models"]
    sizes = {model: float(each["parameters"]) for model, each in about.items()}
    return replace(study_data(), responses=shown().assign(words=lengths), parameters=sizes)


def shown() -> DataFrame:
    """Which text each cell shows: the reference's is the same in all sets of a scenario."""
    columns = ["scenario", "set", "model", "condition"]
    cells = [tuple(row[column] for column in columns) for row in responses()]
    names = [f"{scenario} {model} {condition}" for scenario, _, model, condition in cells]
    return DataFrame(cells, columns=columns).assign(response=names)


def write(folder: Path) -> None:
    """participants.csv, ratings.csv and gold.csv, for `import_ratings`."""
    for name, table in (("participants", participants()), ("ratings", ratings()), ("gold", gold())):
        table.to_csv(folder / f"{name}.csv", index=False)
