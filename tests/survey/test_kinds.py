"""Every kind of task and of question: its columns, words, inputs, form and simulated answers."""

import ast
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest
from django.http import QueryDict
from django.template.loader import get_template
from pydantic import TypeAdapter

from analysis.recipe import Scale
from survey.content import ResponseContent
from survey.definition.labels import Labels
from survey.definition.questions import AboutParticipant, Question, RangeEnd, ScreeningQuestion
from survey.definition.tasks import (
    COMPARING,
    KINDS,
    AskedTask,
    ComparingTask,
    RatingTask,
    Task,
    kinds_in,
)
from survey.forms import questions, tasks
from survey.forms.block import read_block
from survey.simulated.profile import DemographicAnswers
from tests.survey import small_study, task_studies

ROOT = Path(__file__).parents[2]
TASKS: dict[str, dict[str, Any]] = {
    "likert": task_studies.LIKERT,
    "slider": {**task_studies.SLIDER, "minimum": -1, "maximum": 1, "step": 0.25},
    "ranking": task_studies.TIES,
    "best_worst": task_studies.BEST_WORST,
    "text": task_studies.WHY,
}
QUESTIONS: dict[str, dict[str, Any]] = {
    "integer": {"minimum": 18, "maximum": 20},
    "single": {"options": ["Yes", "No"]},
    "multiple": {"options": ["Dad", "Mum", "Both"], "several": "Both"},
    "us_state": {},
}
RESPONSES = [ResponseContent(n, f"id{n}", "", "en") for n in range(3)]


def task_of(kind: str, **other: Any) -> AskedTask:
    """The task of a kind, with some values of its own."""
    task: AskedTask = TypeAdapter(Task).validate_python(TASKS[kind] | other)
    return task


def rating_of(kind: str) -> RatingTask | None:
    task = task_of(kind)
    return task if isinstance(task, RatingTask) else None


def question_of(kind: str, **other: Any) -> AboutParticipant:
    """The question of a kind, with some values of its own."""
    keys = {"name": "asked", "kind": kind, "question": "Well?", **QUESTIONS[kind], **other}
    question: AboutParticipant = TypeAdapter(Question).validate_python(keys)
    return question


def kinds_of_questions() -> list[str]:
    classes = get_args(get_args(Question)[0])
    return [kind for one in classes for kind in get_args(one.model_fields["kind"].annotation)]


def test_every_kind_has_its_form_and_is_tested_here() -> None:
    assert list(KINDS) == list(TASKS)
    assert tuple(tasks.RATING_FORMS) == kinds_in("rating")
    assert tuple(tasks.COMPARING_FORMS) == kinds_in(*COMPARING)
    assert kinds_of_questions() == list(QUESTIONS) == list(questions.FORMS)
    forms = (tasks.RATING_FORMS, tasks.COMPARING_FORMS, questions.FORMS)
    for form in (form for each in forms for form in each.values()):
        get_template(form.template)


@pytest.mark.parametrize("kind", TASKS)
def test_a_kind_of_task_says_what_it_asks_for(kind: str) -> None:
    task, labels = task_of(kind), Labels()
    assert task.called() == kind
    assert kind in kinds_in(task.column)
    assert task.asks_for
    assert task.answers
    assert task.values_in_words
    assert all(said.label and said.text for said in task.texts(labels))
    assert all(said.endswith(".") for said in task.measures(labels))
    if isinstance(task, RatingTask):
        assert task.values[0] == task.scale[0].value
        assert task.values[-1] == task.scale[-1].value
        assert set(task.values) > {point.value for point in task.scale} or not task.between
        assert task.label
        assert task.presented_as


def values_by_response(task: AskedTask) -> list[float | None]:
    if isinstance(task, RatingTask):
        return [task.values[place] for place in (0, -1, 1)]
    assert isinstance(task, ComparingTask)
    return task.of_ranks([2, 1, 3])


@pytest.mark.parametrize("kind", kinds_in("rating", *COMPARING))
def test_values_are_stored_as_their_inputs_send_them(kind: str) -> None:
    task = task_of(kind)
    study = small_study.definition(task_studies.yaml_of("likert", tasks=[TASKS[kind]]))
    dimension = task.dimension if isinstance(task, ComparingTask) else "warmth"
    given = dict(zip(RESPONSES, values_by_response(task), strict=True))
    form = QueryDict(mutable=True)
    for response, value in given.items():
        if value is not None:
            name, sent = study.input_of(kind, dimension, response=response.public_id, value=value)
            form[name] = str(sent)
    read = read_block(form, study, RESPONSES)
    assert not read.errors
    stored = {(key.task, key.response, key.dimension): v for key, v in read.values.ratings.items()}
    assert stored == {(kind, r.id, dimension): v for r, v in given.items() if v is not None}


def test_files_have_the_words_of_a_kind_or_its_numbers() -> None:
    said = {
        kind: [task.cell(value) for value in values_by_response(task) if value is not None]
        for kind in kinds_in("rating", *COMPARING)
        for task in [task_of(kind)]
    }
    assert said == {
        "likert": [1, 3, 2],
        "slider": [-1, 1, -0.75],
        "ranking": [2, 1, 3],
        "best_worst": ["best", "worst"],
    }
    words = [task_of("ranking").in_words(2), task_of("best_worst").in_words(-1)]
    assert words == ["rank 2", "worst"]


def test_responses_share_a_rank_only_where_ties_are_allowed() -> None:
    tasks = [task_of("ranking", ties=True), task_of("ranking", ties=False), task_of("best_worst")]
    assert [isinstance(one, ComparingTask) and one.is_shared for one in tasks] == [1, 0, 0]


def test_scales_of_analyses_are_those_of_the_tasks() -> None:
    scales = {kind: Scale.of(rating) for kind in TASKS if (rating := rating_of(kind))}
    assert scales == {
        "likert": Scale([(1, "Not at all"), (2, "Somewhat"), (3, "Very")], between=False),
        "slider": Scale([(-1, "Not at all"), (1, "Completely")], between=True),
    }
    assert Scale.of(None) == Scale([], between=False)


@pytest.mark.parametrize("kind", QUESTIONS)
def test_simulated_answers_to_a_question_are_taken_stored_and_imported_again(kind: str) -> None:
    question = question_of(kind)
    given = None if question.number else DemographicAnswers(shares={"Dad": 0.5}, second=0.5)
    for seed in range(20):
        sent = question.simulated(given, Random(seed))
        answer = question.answer_of(sent)
        cell = question.cell(answer)
        assert question.may_be(str(cell))
        if question.in_files is None:
            assert type(cell) is question.number
        else:
            assert question.in_files.answer(str(cell)) == cell
        if not question.takes_several:
            assert question.exported(str(cell)) == answer
    with pytest.raises(ValueError, match="Mars"):
        question.answer_of(["Mars"])


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_kind_of_question_says_what_it_asks_for(kind: str) -> None:
    question = question_of(kind)
    assert question.values_in_words
    assert question.meaning == "Well?"
    assert bool(question.offered) == (question.number is None)


@pytest.mark.parametrize(("mean", "answer"), [(0, "18"), (19, "19"), (99, "20")])
def test_simulated_numbers_are_within_the_limits(mean: float, answer: str) -> None:
    given = DemographicAnswers(mean=mean, sd=0.1)
    assert question_of("integer").simulated(given, Random(1)) == [answer]


@pytest.mark.parametrize(("second", "answers"), [(0, {1}), (1, {2})])
def test_simulated_options_go_by_their_shares(second: float, answers: set[int]) -> None:
    question = question_of("multiple", options=["Dad", "Mum", "Aunt"])
    given = DemographicAnswers(shares={"Dad": 0.5, "Mum": 0.5}, second=second)
    sent = [question.simulated(given, Random(seed)) for seed in range(20)]
    assert {len(each) for each in sent} == answers
    assert {option for each in sent for option in each} == {"Dad", "Mum"}


def test_files_may_have_other_states_and_options_of_screening_alone() -> None:
    states = question_of("us_state").in_files
    assert states is not None and states.answer("Guam") == "Guam"
    screening = ScreeningQuestion(
        name="asked", question="?", options=["Yes", "No"], eligible=["Yes"]
    )
    assert [screening.in_files.answer(text) for text in ("yes", "Guam")] == ["Yes", None]


@pytest.mark.parametrize(
    ("kind", "cells", "others"),
    [
        ("integer", ["18", "20"], ["17", "21", "018", "-18", "x", ""]),
        ("single", ["Yes", "No"], ["yes", "Yes; No"]),
        ("multiple", ["Dad", "Both", "Dad; Mum"], ["Aunt", "Dad; Aunt", "dad"]),
        ("us_state", ["Ohio", "Bavaria"], []),
    ],
)
def test_cells_that_files_of_participants_can_have(
    kind: str, cells: list[str], others: list[str]
) -> None:
    question = question_of(kind)
    assert [cell for cell in [*cells, *others] if question.may_be(cell)] == cells


@pytest.mark.parametrize(
    ("first", "last", "holds"),
    [
        ((0, False), (18, False), False),  # below 18
        ((0, False), (18, True), True),  # at most 18
        ((20, False), (99, True), True),  # at least 20
        ((20, True), (99, True), False),  # above 20
    ],
)
def test_ranges_that_hold_an_answer(first: RangeEnd, last: RangeEnd, holds: bool) -> None:
    assert question_of("integer").holds_any(first, last) == holds
    choice = question_of("single", options=["18", "20", "none"])
    assert choice.holds_any(first, last) == holds


@pytest.mark.parametrize("options", [["Both", "Dad", "Mum"], ["Dad", "Mum"]])
def test_several_answers_are_in_the_order_of_the_options_and_one_category(
    options: list[str],
) -> None:
    question = question_of("multiple", options=options)
    assert question.offered == ["Dad", "Mum"]
    assert question.answer_of(["Mum", "Dad"]) == ["Dad", "Mum"]
    assert question.cell(["Dad", "Mum"]) == "Both" and question.cell(["Mum"]) == "Mum"
    assert sorted(question.categories) == ["Both", "Dad", "Mum"]
    assert question.in_files is not None
    assert question.in_files.answer("both") == "Both"
    assert question.in_files.answer("mum;DAD") == "Dad; Mum"


def test_export_of_prolific_has_options_in_any_case_and_several_of_them() -> None:
    assert question_of("single").exported(" yes") == "Yes"
    assert question_of("multiple").exported("MUM; Dad") == ["Dad", "Mum"]
    with pytest.raises(ValueError, match="is unknown"):
        question_of("multiple").exported("Dad; Mars")


# ── Where kinds are named ────────────────────────────────────────────────────────────────────

#: Files that make kinds, or the stored names of them.
OF_KINDS = [
    *("survey/definition/tasks.py", "survey/definition/questions.py"),
    *("survey/forms/tasks.py", "survey/forms/questions.py", "survey/models"),
]
#: Free answers are asked for at the end of the study, too.
CLASSES = {one.__name__ for one in KINDS.values()} - {"TextTask"} | {
    one.__name__ for one in get_args(get_args(Question)[0])
}
NAMES = {*KINDS, *kinds_of_questions()}


def named_kinds(code: str) -> Iterator[str]:
    """Imports of the classes, and comparisons of a kind with a name."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names if alias.name in CLASSES)
        elif isinstance(node, ast.Compare):
            attribute, variable = (getattr(node.left, key, "") for key in ("attr", "id"))
            if attribute in ("kind", "task") or variable == "task":
                right = (one for other in node.comparators for one in ast.walk(other))
                values = {one.value for one in right if isinstance(one, ast.Constant)}
                yield from (str(value) for value in values if value in NAMES)


def test_named_kinds_are_found() -> None:
    assert list(named_kinds("from x import SliderTask, TextTask")) == ["SliderTask"]
    assert list(named_kinds("if task.kind in ('slider', 'x') or kind == 'text': pass")) == [
        "slider"
    ]


def test_kinds_are_named_where_they_are_made_alone() -> None:
    apps = ("survey", "jobs", "judge", "corpus", "analysis", "dashboard")
    files = [path for app in apps for path in (ROOT / app).rglob("*.py")]
    elsewhere = {
        str(path.relative_to(ROOT)): found
        for path in files
        if "migrations" not in path.parts
        and not str(path.relative_to(ROOT)).startswith(tuple(OF_KINDS))
        and (found := list(named_kinds(path.read_text())))
    }
    assert elsewhere == {}
