"""Small studies with judges, from the ratings and scores that each cell got."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pandas import DataFrame

from analysis.judges.judged import PLACE, JudgesData
from analysis.pipeline import Contrast, StudyData
from analysis.study_data import ITEM

#: Scenario, set, model, condition.
Cell = tuple[str, str, str, str]
CONTRAST = Contrast("base", "tuned", ("big", "reference"))
SCALE = [(1, "Not at all"), (2, "A little"), (3, "Somewhat"), (4, "Much"), (5, "Fully")]


def cells(*scenarios: str, sets: int = 1) -> list[Cell]:
    """Two systems of a model of its own in each set, and the reference in all of them."""
    return [
        (scenario, f"{number}", *system)
        for scenario in scenarios
        for number in range(1, sets + 1)
        for system in ((f"m{number}", "base"), (f"m{number}", "tuned"), ("big", "reference"))
    ]


def study(
    raters: Mapping[str, Mapping[Cell, int]],
    *,
    gold: Mapping[Cell, float] | None = None,
    people: Mapping[str, Mapping[str, Any]] | None = None,
    dimension: str = "empathy",
    contrast: Contrast = CONTRAST,
) -> StudyData:
    """Raters who completed in a quarter of an hour, unless `people` say otherwise."""
    usual = {"status": "completed", "duration_seconds": 900.0, "attention_checks_failed": 0}
    ratings = [
        (who, *cell, dimension, rating) for who, of in raters.items() for cell, rating in of.items()
    ]
    everybody = [usual | {"participant": who} | dict((people or {}).get(who, {})) for who in raters]
    scenarios = dict.fromkeys(cell[0] for of in raters.values() for cell in of)
    models = dict.fromkeys(cell[2] for of in raters.values() for cell in of)
    return StudyData(
        participants=DataFrame(everybody, columns=["participant", *usual]),
        ratings=DataFrame(ratings, columns=["participant", *ITEM, "rating"]),
        gold=DataFrame(
            [(*cell, dimension, score) for cell, score in (gold or {}).items()],
            columns=[*ITEM, "gold"],
        ),
        contrast=contrast,
        scenarios=list(scenarios),
        models=sorted(models, key=lambda model: model == "big"),
        scale=SCALE,
    )


def judges(
    scores: Mapping[str, Mapping[Cell, Sequence[float | None]]],
    *,
    about: Mapping[str, Mapping[str, Any]] | None = None,
    words: Mapping[Cell, int] | None = None,
    unscored: Iterable[Cell] = (),
    returned: Sequence[tuple[str, str, str]] = (),
    families: Mapping[str, str] | None = None,
    dimension: str = "empathy",
    epsilon: float = 0.1,
) -> JudgesData:
    """Judges by name, with the scores of each cell's replicates; the first one is the gold judge.

    A system's response to a scenario is the same in all sets, those of `unscored` cells included.
    """
    rows = [
        (name, *cell, dimension, _response(cell), replicate, None, score)
        for name, of in scores.items()
        for cell, given in of.items()
        for replicate, score in enumerate(given, 1)
    ]
    places = dict.fromkeys([*(cell for of in scores.values() for cell in of), *unscored])
    responses = [(*cell, _response(cell), (words or {}).get(cell, 10)) for cell in places]
    named = [(*row, 1, "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z") for row in returned]
    columns = ["judge", *ITEM, "response", "replicate", "position", "score"]
    return JudgesData(
        judge_scores=DataFrame(rows, columns=columns),
        responses=DataFrame(responses, columns=[*PLACE, "response", "words"]),
        judges=_described(scores, about or {}),
        returned_models=DataFrame(
            named,
            columns=["judge", "returned_model", "fingerprint", "calls", "first_at", "last_at"],
        ),
        families=families or {},
        epsilon=epsilon,
    )


def _described(
    scores: Mapping[str, Mapping[Cell, Sequence[float | None]]],
    about: Mapping[str, Mapping[str, Any]],
) -> DataFrame:
    usual = {
        "kind": "judge",
        "family": "",
        "temperature": 1.0,
        "comparable": True,
        "is_stand_in": False,
        "presentation": "single",
    }
    rows = []
    for number, (name, of) in enumerate(scores.items()):
        replicates = max((len(given) for given in of.values()), default=3)
        row = usual | {"judge": name, "is_gold": number == 0, "replicates": replicates}
        rows.append(row | dict(about.get(name, {})))
    return DataFrame(rows, columns=["judge", *usual, "is_gold", "replicates"])


def _response(cell: Cell) -> str:
    scenario, _, model, condition = cell
    return f"{scenario}/{model}/{condition}"
