"""What researchers read of each kind of task and of question."""

from typing import Any

import pytest

from dashboard.share.codebook import codebook_rows
from survey.definition.labels import Labels
from survey.definition.tasks import AskedTask, RatingTask
from tests.survey import small_study, task_studies
from tests.survey.test_kinds import QUESTIONS, TASKS, question_of, task_of

#: What a task asks for and what its answers are; the values of its column.
TASKS_IN_WORDS = {
    "likert": ("a rating of each response", "ratings", "1 = Not at all; 2 = Somewhat; 3 = Very"),
    "slider": (
        "a rating of each response",
        "ratings on a line",
        "-1 = Not at all; 1 = Completely; numbers in steps of 0.25 between them",
    ),
    "ranking": ("a ranking", "ranks", "Put the responses in order, the warmest first."),
    "best_worst": (
        "the best and the worst response",
        "best and worst",
        "warmth: best = Which response is the warmest?; worst = Which response is the coldest?",
    ),
    "text": ("a free answer", "free text", "Why did you choose so?"),
}
#: Each text with its label, the answers offered and the note.
TEXTS = {
    "likert": [
        "Rating: Warmth|How warm is this response?|1: Not at all, 2: Somewhat, 3: Very|",
    ],
    "slider": ["Slider: Warmth|How warm is this response?|-1: Not at all, 1: Completely|"],
    "ranking": ["Ranking|Put the responses in order, the warmest first.||Ties are allowed."],
    "best_worst": [
        "Best response: Warmth|Which response is the warmest?||",
        "Worst response: Warmth|Which response is the coldest?||",
    ],
    "text": [
        "Free text|Why did you choose so? (A sentence or two.)||Required, 5 to 60 characters.",
    ],
}
#: What is otherwise in a task, the values of its column then, and its texts.
OTHERWISE = [
    (
        ("slider", {"minimum": 0, "maximum": 10, "step": 1}),
        "0 = Not at all; 10 = Completely; whole numbers between them",
        ["Slider: Warmth|How warm is this response?|0: Not at all, 10: Completely|"],
    ),
    (
        ("ranking", {"ties": False, "dimension": "warmth"}),
        "warmth: Put the responses in order, the warmest first.",
        ["Ranking: Warmth|Put the responses in order, the warmest first.||Ties are not allowed."],
    ),
    (
        ("best_worst", {"dimension": ""}),
        "best = Which response is the warmest?; worst = Which response is the coldest?",
        [
            "Best response|Which response is the warmest?||",
            "Worst response|Which response is the coldest?||",
        ],
    ),
    (
        ("text", {"required": False, "hint": None, "minimum": 0}),
        "Why did you choose so?",
        ["Free text|Why did you choose so?||Optional, 0 to 60 characters."],
    ),
]
PLANS = {
    "likert": "Warmth: “How warm is this response?”, on a scale of 3 points: 1 Not at all, "
    "2 Somewhat, 3 Very.",
    "slider": "Warmth: “How warm is this response?”, on a slider from -1 (Not at all) to 1 "
    "(Completely).",
    "ranking": "Ranks of the responses on a page, 1 for the best: “Put the responses in order, the "
    "warmest first.”.",
    "best_worst": "The best and the worst response of a page: “Which response is the warmest?” and "
    "“Which response is the coldest?”.",
    "text": "Free text: “Why did you choose so?”.",
}
#: The size of a scale, and the form that HEDS calls it.
SCALES = {
    "likert": ("3", "multiple choice"),
    "slider": ("from -1 to 1, in steps of 0.25", "slider"),
}
#: The values of a question's column, its note, and what recipes are told that it asks for.
QUESTIONS_IN_WORDS = {
    "integer": (
        "whole number, 18 to 20",
        "A whole number from 18 to 20.",
        "it asks for a whole number from 18 to 20",
    ),
    "single": ("Yes; No", "", "its options are Yes, No"),
    "multiple": (
        "Dad; Mum; Both",
        "Several answers possible. Tables count them as Both.",
        "its options are Dad, Mum, Both",
    ),
    "us_state": ("US state or District of Columbia", "A list of US states.", "its options are "),
}


def texts_of(task: AskedTask, labels: Labels) -> list[str]:
    return [f"{t.label}|{t.text}|{', '.join(t.options)}|{t.note}" for t in task.texts(labels)]


@pytest.mark.parametrize("kind", TASKS)
def test_words_of_a_task(kind: str) -> None:
    task, labels = task_of(kind), Labels()
    assert (task.asks_for, task.answers, task.values_in_words) == TASKS_IN_WORDS[kind]
    assert texts_of(task, labels) == TEXTS[kind]
    assert list(task.measures(labels)) == [PLANS[kind]]
    if isinstance(task, RatingTask):
        assert (task.size_in_words, task.presented_as) == SCALES[kind]


@pytest.mark.parametrize(("given", "values", "texts"), OTHERWISE)
def test_words_of_a_task_with_other_options(
    given: tuple[str, dict[str, Any]], values: str, texts: list[str]
) -> None:
    task = task_of(given[0], **given[1])
    assert (task.values_in_words, texts_of(task, Labels())) == (values, texts)


def test_dimensions_have_the_labels_of_the_study() -> None:
    labels = Labels({"dimensions": {"warmth": "Heart"}})
    likert, choice = task_of("likert"), task_of("best_worst")
    said = [*texts_of(likert, labels), *likert.measures(labels), *texts_of(choice, labels)]
    heads = ["Rating: Heart|", "Heart: “", "Best response: Heart|", "Worst response: Heart|"]
    assert [text.startswith(head) for text, head in zip(said, heads, strict=True)] == [True] * 4


@pytest.mark.parametrize("kind", QUESTIONS)
def test_words_of_a_question(kind: str) -> None:
    question = question_of(kind)
    said = (question.values_in_words, question.note, question.asks)
    assert said == QUESTIONS_IN_WORDS[kind]
    assert question.is_withheld == (kind == "us_state")
    exported = question.model_copy(update={"source": "prolific", "column": "Their column"})
    assert exported.meaning == "Well? Not asked: from Prolific’s demographic export, Their column"


def test_codebook_has_the_values_of_every_column_of_answers() -> None:
    tasks = [TASKS["slider"], TASKS["ranking"], TASKS["best_worst"]]
    study = small_study.definition(task_studies.yaml_of("likert", tasks=tasks))
    files = {"ranks.csv": ["rank", "choice"], "ratings.csv": ["rating", "dimension"]}
    values = {row[1]: row[-1] for row in codebook_rows(study, files, gold="none")}
    assert values == {
        "rank": TASKS_IN_WORDS["ranking"][2],
        "choice": f"{TASKS_IN_WORDS['best_worst'][2]}; empty = neither",
        "rating": TASKS_IN_WORDS["slider"][2],
        "dimension": "warmth = How warm is this response?",
    }
