"""What is stored of a study, what its pages show and what a seed simulates stay as they were.

A changed hash of a study makes the same file a new version, and old studies are not rated again.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from django.http import QueryDict
from django.template.loader import render_to_string

from dashboard.design.study_folder import read_folder
from survey.content import BlockContent, ResponseContent, StudyContent
from survey.definition import StudyDefinition
from survey.forms.block import read_block
from survey.forms.questions import question_items, read_demographics
from survey.loading import content_hash
from survey.models import AttentionCheck
from survey.views.block import block_context
from tests.survey import small_study, task_studies
from tests.survey.test_simulated_answers import plans

EXAMPLES = Path(__file__).parents[2] / "examples"
STANDARD = small_study.YAML[: small_study.YAML.index("demographics:")] + "demographics: default\n"
#: Each kind of question about the participant, one of them from Prolific.
QUESTIONS = (
    small_study.YAML
    + """\
  - {name: hours, kind: integer, question: Hours a day?, hint: At most., minimum: 0, maximum: 24}
  - name: student
    kind: single
    question: Are you a student?
    options: ["Yes", "No"]
    source: prolific
    column: Student status
  - {name: talks, kind: multiple, question: Who do you talk to?, hint: All., options: [Dad, Mum]}
"""
)
STUDIES = {
    "small": small_study.YAML,
    "choices": small_study.CHOICES_YAML,
    "slider-and-ranks": small_study.SLIDER_YAML,
    "every-task": small_study.EVERYTHING_YAML,
    "before-blocks": small_study.YAML + small_study.COMPREHENSION + small_study.TRAINING,
    "questions": QUESTIONS,
    "standard": STANDARD,
    "standard-chinese": STANDARD.replace("slug: small\n", "slug: small\nlanguage: zh-hans\n"),
    "newer-keys": small_study.YAML
    + """\
latex: true
wording: {heading: Someone writes}
systems_per_page: 2
reference_on_every_page: true
between_subjects: condition
comment: Why?
record_writing: true
""",
    "half-steps": task_studies.yaml_of("slider", tasks=[{**task_studies.SLIDER, "step": 0.5}]),
} | {f"task {name}": task_studies.yaml_of(name) for name in task_studies.STUDIES}

#: The beginnings of SHA-256 hashes: of what is tested, by name.
KEPT = json.loads((Path(__file__).parent / "stored_studies.json").read_text())


def digest(text: str) -> str:
    """Enough of a SHA-256 to tell texts apart."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def shown(template: str, values: dict[str, object]) -> str:
    """The page without white space between elements, of which templates have more or less."""
    html = render_to_string(f"survey/{template}.html", values | {"number": 1, "total": 2})
    return re.sub(r"\s*(<[^>]*>)\s*", r"\1", " ".join(html.split()))


def definition_of(name: str) -> tuple[StudyDefinition, Sequence[StudyDefinition]]:
    main, *others = small_study.definitions(STUDIES[name])
    return main, others


@pytest.mark.parametrize("name", STUDIES)
def test_hash_of_a_study_stays(name: str) -> None:
    main, others = definition_of(name)
    assert content_hash(main, [], others)[:16] == KEPT["studies"][name]
    # As it is read back from the database, too.
    again = StudyDefinition.model_validate(json.loads(json.dumps(main.model_dump(mode="json"))))
    assert again == main


@pytest.mark.parametrize("name", KEPT["examples"])
def test_hash_of_an_example_stays(name: str) -> None:
    read = read_folder(EXAMPLES / name)
    stored = content_hash(read.definition, read.rows, read.translations)
    assert stored[:16] == KEPT["examples"][name]


def block_page(name: str, sent: dict[str, str] | None) -> str:
    """A block's page as it is opened first, or with what was sent and is wrong about it."""
    study = small_study.definition(task_studies.yaml_of(name))
    texts = task_studies.TEXTS[: task_studies.STUDIES[name]["responses"]]
    responses = {n: ResponseContent(n, f"id{n}", text, "en") for n, text in enumerate(texts)}
    block = BlockContent(1, "S1", task_studies.PROMPT, task_studies.CONTEXT, responses, "en")
    content = StudyContent(study, {}, {1: block}, {}, 1)
    check = AttentionCheck(name="inside", place=2) if study.attention_checks else None
    form = QueryDict(mutable=True)
    form.update(sent or {})
    read = read_block(form, study, list(responses.values()), 2 if check else None)
    asked: dict[str, Any] = {} if sent is None else {"sent": read.sent, "errors": read.errors}
    return shown("block", block_context(content, study, block, [*responses], check=check, **asked))


def some_answers(name: str) -> dict[str, str]:
    """Answers of every kind; some are wrong where there are several tasks."""
    count = task_studies.STUDIES[name]["responses"]
    sent = {"check": "3", "best": "id0", "worst": "id1", "best2": "id1", "worst2": "id1"}
    for number in range(count):
        values = {"warmth": "3", "resonance": "10", "advice": "0.5"}
        sent |= {f"r-id{number}-{dimension}": value for dimension, value in values.items()}
        sent |= {f"rank{task}-id{number}": str(number + 1) for task in ("", "2")}
        sent[f"rank3-id{number}"] = "1"
    return {**sent, "text-why": "It listens.", "text-comment": "<b>"}


@pytest.mark.parametrize("how", ["opened", "empty", "answered"])
@pytest.mark.parametrize("name", task_studies.STUDIES)
def test_page_of_a_block_stays(name: str, how: str) -> None:
    sent = {"opened": None, "empty": {}, "answered": some_answers(name)}[how]
    assert digest(block_page(name, sent)) == KEPT["blocks"][f"{name}, {how}"]


def test_what_sliders_take_and_say_stays() -> None:
    said = []
    for step in (1, 0.5, 0.25):
        task = {**task_studies.SLIDER, "step": step, "minimum": -5, "maximum": 5}
        checks = [{**task_studies.SLIDER_CHECK, "answer": 2}]
        yaml = task_studies.yaml_of("slider-check", tasks=[task], attention_checks=checks)
        study = small_study.definition(yaml)
        responses = [ResponseContent(n, f"id{n}", "", "en") for n in range(3)]
        for raw in ("", "9", "−1,50", "1.3", "٢"):
            form = QueryDict(mutable=True)
            form.update({f"r-{r.public_id}-warmth": raw for r in responses} | {"check": raw})
            read = read_block(form, study, responses, 3)
            said.append((list(read.errors.items()), read.sent, repr(read.values)))
    assert digest(repr(said)) == KEPT["problems of sliders"]


def questions_page(sent: str) -> str:
    study = small_study.definition(QUESTIONS)
    asked = study.asked_demographics
    read = read_demographics(QueryDict(sent), asked, asked)
    items = question_items(asked, asked, read.sent, read.errors)
    said = shown("questions", {"items": items})
    return said + repr(read.values)


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "age=30&sex=Male&race=White&race=Asian&state=Ohio&hours=24&talks=Dad",
        "age=٣٠&sex=No&race=White&race=None&state=Mars&hours=24.5&talks=",
        "age=17&sex=Female&sex=Male&state=Ohio&state=Utah&hours=x&hours=2",
    ],
)
def test_page_of_questions_stays(sent: str) -> None:
    assert digest(questions_page(sent)) == KEPT["questions"][sent]


@pytest.mark.parametrize("name", ["every-task", "slider-and-ranks", "questions", "standard"])
def test_a_seed_gives_the_same_raters(name: str) -> None:
    answers = {
        "age": {"mean": 40, "sd": 15},
        "race": {"shares": {"White": 0.6, "Asian": 0.2}, "second": 0.5},
    }
    told = plans(STUDIES[name], demographics={"skip": 0.1, "answers": answers})
    told += plans(STUDIES[name])
    assert digest(repr(told)) == KEPT["simulated"][name]
