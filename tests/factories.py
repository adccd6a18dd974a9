"""Studies and people in the database, of any shape, for tests of everything behind the survey.

Content goes through `load_study`, as in the product. People are written as they would stand
there after the survey; who needs the survey itself walks its pages.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from analysis.recipe import Recipe
from analysis.recipe_sets import set_recipes
from judge.configure import configure_judging
from judge.definition import JudgeDefinition, JudgingDefinition
from judge.gold import add_gold_set, choose_gold
from judge.models import Call, GoldSet, Judge, Judging, Score
from judge.queries import Gold
from survey.definition import ResponseRow, StudyDefinition
from survey.definition.settings import Settings
from survey.loading import load_study
from survey.models import (
    AttentionCheck,
    DemographicAnswer,
    Participant,
    Presentation,
    Rating,
    Study,
)
from survey.participants import Arrival, arrive
from survey.tidy import cells_of

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
DEMOGRAPHICS: list[dict[str, Any]] = [
    {"name": "age", "kind": "integer", "question": "Age?", "minimum": 18, "maximum": 110},
    {"name": "sex", "kind": "single", "question": "Sex?", "options": ["Female", "Male"]},
    {
        "name": "race",
        "kind": "multiple",
        "question": "Race?",
        "options": ["Asian", "Black", "White"],
        "several": "Two or more",
    },
    {"name": "state", "kind": "us_state", "question": "State?"},
]

#: What names a cell: scenario, set, model, condition; with the dimension, a rating.
Key = tuple[str, str, str, str, str]
Rate = Callable[[Key], int | None]


def newcomer(arrival: Arrival) -> Participant:
    """Somebody who arrives for the first time."""
    who = arrive(arrival)
    assert isinstance(who, Participant)
    return who


def study_definition(
    *,
    slug: str = "small",
    sets: Mapping[str, Sequence[str]] | None = None,
    conditions: Sequence[str] = ("plain", "tuned", "reference"),
    reference: tuple[str, str] | None = ("Oracle", "reference"),
    scale: Sequence[int] = (1, 2, 3, 4, 5),
    dimensions: Sequence[str] = ("warmth",),
    demographics: Sequence[Mapping[str, Any]] = DEMOGRAPHICS,
    contrast: tuple[str, str] | None = ("plain", "tuned"),
) -> StudyDefinition:
    """A definition; by default two sets of one model each, two conditions and a reference."""
    return StudyDefinition.model_validate(
        {
            "slug": slug,
            "title": f"The {slug} study",
            "estimated_minutes": 5,
            "texts": {"information": "Information", "instructions": "Rate", "thanks": "Thanks"},
            "consent": {"statement": "I agree"},
            "tasks": [
                {
                    "kind": "likert",
                    "scale": [{"value": v, "label": f"label {v}"} for v in scale],
                    "dimensions": [{"name": d, "question": f"{d}?"} for d in dimensions],
                }
            ],
            "conditions": list(conditions),
            "condition_a": contrast[0] if contrast else None,
            "condition_b": contrast[1] if contrast else None,
            "reference": {"model": reference[0], "condition": reference[1]} if reference else None,
            "sets": {k: list(v) for k, v in (sets or {"1": ["Ant"], "2": ["Bee"]}).items()},
            "attention_checks": [
                {
                    "name": "check_1",
                    "statement": f"Choose {scale[1]}",
                    "answer": scale[1],
                    "after_blocks": [1, 2],
                }
            ],
            "demographics": [dict(question) for question in demographics],
        }
    )


def make_study(
    *, scenarios: Sequence[str] = ("S1", "S2"), recipes: Sequence[Recipe] = (), **shape: Any
) -> Study:
    """An open study with a response of every system of a set to each scenario.

    `shape` is that of `study_definition`. A reference has the same text in every set. Without
    recipes an analysis has no tables of recipes, and takes a tenth of the time.
    """
    definition = study_definition(**shape)
    reference = definition.reference
    rows: list[ResponseRow] = []
    for scenario in scenarios:
        for set_name, models in (definition.sets or {}).items():
            systems = [
                (model, condition)
                for model in models
                for condition in definition.conditions
                if reference is None or condition != reference.condition
            ]
            if reference is not None:
                systems.append((reference.model, reference.condition))
            for model, condition in systems:
                text = f"{model} {condition} answers {scenario}"
                line = len(rows) + 2
                rows.append(
                    ResponseRow(
                        line, scenario, set_name, f"Prompt {scenario}", "", model, condition, text
                    )
                )
    settings = Settings(ways_in=["link"])
    study = load_study(definition=definition, settings=settings, rows=rows).study
    study.state = Study.State.OPEN
    study.save(update_fields=["state"])
    set_recipes(study=study, recipes=recipes)
    return study


def add_gold(
    study: Study, scores: Mapping[tuple[int, str], float], *, made_by: str = ""
) -> GoldSet:
    """Gold scores from a file, by response id and dimension, chosen as the study's."""
    golds = [Gold(*item, value, []) for item, value in scores.items()]
    added = add_gold_set(study, name="imported", made_by=made_by, scores=golds)
    choose_gold(study, gold_set=added)
    return added


def add_judge(
    study: Study, scores: Mapping[tuple[int, str], Sequence[int]] = {}, **definition: Any
) -> Judge:
    """A judge as a study's file would describe it beside those that are there, with what it has
    answered: by response id and dimension, a score for each replicate.
    """
    judging = Judging.objects.filter(study=study).first()
    others = judging.read_definition().judges if judging else []
    added = JudgeDefinition(**definition)
    judges = [judge for judge in others if judge.name != added.name]
    configure_judging(study, JudgingDefinition(judges=[*judges, added]))
    judge = Judge.objects.get(study=study, name=added.name, is_current=True)
    for (response, dimension), values in scores.items():
        for replicate, value in enumerate(values, start=1):
            call = Call.objects.create(
                judge=judge,
                response_id=response,
                dimension=dimension,
                replicate=replicate,
                state=Call.State.ANSWERED,
                answered_at=START,
            )
            Score.objects.create(call=call, response_id=response, value=value)
    return judge


def add_participant(
    study: Study,
    *,
    pseudonym: str,
    rate: Rate = lambda key: 3,
    source: str = Participant.Source.LINK,
    panel: str = "",
    status: str = Participant.Status.COMPLETED,
    minutes: float = 20,
    started_at: datetime = START,
    checks_passed: bool | None = True,
    demographics: Mapping[str, Any] | None = None,
) -> Participant:
    """Somebody who took `minutes` and rated each cell as `rate` says (None: not rated).

    Blocks and responses are shown in reverse study order, each block ten seconds.
    """
    finished = status == Participant.Status.COMPLETED
    end = started_at + timedelta(minutes=minutes)
    person = Participant.objects.create(
        study=study,
        pseudonym=pseudonym,
        source=source,
        panel=panel,
        status=status,
        arrived_at=started_at,
        consented_at=started_at,
        started_at=started_at,
        last_seen_at=end,
        finished_at=end if finished else None,
    )
    _add_ratings(study, person, rate, end=end)
    if checks_passed is not None:
        right = 2
        AttentionCheck.objects.create(
            participant=person,
            name="check_1",
            page=1000,
            after_block=1,
            answered_at=started_at,
            answer=right if checks_passed else right + 1,
            passed=checks_passed,
        )
    DemographicAnswer.objects.bulk_create(
        DemographicAnswer(participant=person, name=name, value=value)
        for name, value in (demographics or {}).items()
    )
    return person


def _add_ratings(study: Study, person: Participant, rate: Rate, *, end: datetime) -> None:
    names = {key: cell.names for key, cell in cells_of(study).items()}
    dimensions = [d["name"] for d in study.definition["tasks"][0]["dimensions"]]
    blocks = list(study.blocks.order_by("-position"))
    presentations, ratings = [], []
    for position, block in enumerate(blocks, start=1):
        members = [response for (of, response) in names if of == block.pk]
        values = {
            (response, dimension): rate((*names[block.pk, response], dimension))
            for response in members
            for dimension in dimensions
        }
        answered = any(value is not None for value in values.values())
        shown_at = end - timedelta(seconds=10 * (len(blocks) - position + 1))
        answered_at = shown_at + timedelta(seconds=10) if answered else None
        presentation = Presentation(
            participant=person,
            block=block,
            page=position + 1,
            position=position,
            response_order=members[::-1],
            shown_at=shown_at,
            answered_at=answered_at,
            submitted_at=answered_at,
        )
        presentations.append(presentation)
        ratings += [
            Rating(
                presentation=presentation, response_id=response, dimension=dimension, value=value
            )
            for (response, dimension), value in values.items()
            if value is not None
        ]
    Presentation.objects.bulk_create(presentations)
    Rating.objects.bulk_create(ratings)
