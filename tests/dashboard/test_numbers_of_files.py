"""Whole numbers that a program wrote with decimals, because their column has gaps."""

import io
from pathlib import Path

import pytest
from django.core.management import call_command

from dashboard.importing.codings import read_codings
from dashboard.importing.files import Findings
from survey.models import DemographicAnswer, Participant, Presentation, Rating, Study
from tests.dashboard.importing import PEOPLE, RATINGS, Files, refusal, run, table
from tests.survey import small_study

# How a file is read no database can change.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

PETS = "demographics:\n  - {name: pets, kind: integer, question: Pets?, minimum: 0, maximum: 99}\n"
NUMBERED = small_study.CSV.replace("\nS1,", "\n1,").replace("\nS2,", "\n2,")


def load(folder: Path, responses: str) -> Study:
    (folder / "study.yaml").write_text(small_study.YAML.replace("demographics:\n", PETS))
    (folder / "responses.csv").write_text(responses)
    call_command("load_study", folder, verbosity=0, stdout=io.StringIO())
    return Study.objects.get()


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return load(tmp_path, NUMBERED)


def test_whole_numbers_of_every_column_may_have_zeros(study: Study, files: Files) -> None:
    people = table(
        PEOPLE.replace("anna", "1").replace("bert", "2"),
        attention_checks_failed="0.0|1.00",
        age="30.0|",
        pets="2.0|",
        viewport_width="1280.0|",
    )
    ratings = """\
participant,scenario,set,model,condition,rating,block_position,response_position,revisions
1.0,1.0,1.0,Ant,plain,2.0,3.0,1.0,1.0
2.0,2.0,2.0,Oracle,reference,3.00,,,
"""
    run(study, files(participants=people, ratings=ratings))
    assert dict(DemographicAnswer.objects.values_list("name", "value")) == {"age": 30, "pets": 2}
    first = Participant.objects.get(pseudonym="1")
    assert (first.viewport_width, first.imported_checks_failed) == (1280, 0)
    assert sorted(Rating.objects.values_list("value", "revisions")) == [(2, 1), (3, 0)]
    assert Presentation.objects.get(participant=first).position == 3


def test_decimal_commas_of_whole_numbers_and_ratings(study: Study, files: Files) -> None:
    people = table(PEOPLE, attention_checks_failed="0|1", pets="2|").replace(",", ";")
    ratings = RATINGS.replace("S1", "1").replace("S2", "2").replace("reference,5", "reference,3")
    ratings = (
        ratings.replace("tuned,4", "tuned,3").replace(",", ";").replace("plain;2", "plain;2,0")
    )
    run(study, files(participants=people.replace(";0;2", ";0,0;2,0"), ratings=ratings))
    assert DemographicAnswer.objects.get().value == 2
    assert sorted(Rating.objects.values_list("value", flat=True)) == [2, 3, 3]


@pytest.mark.parametrize(
    ("column", "text"), [("pets", "2.5"), ("pets", "1e0"), ("attention_checks_failed", "0.10")]
)
def test_other_decimals_are_no_whole_number(
    study: Study, files: Files, column: str, text: str
) -> None:
    people = table(PEOPLE, **{column: f"{text}|"})
    ratings = RATINGS.splitlines()[0] + "\nanna,1,1,Ant,plain,2\n"
    assert refusal(study, files(participants=people, ratings=ratings)) == [
        f"participants.csv, line 2: column {column!r}: {text!r} is not a whole number"
    ]


def test_name_that_may_be_two_is_not_guessed(tmp_path: Path, files: Files) -> None:
    study = load(tmp_path, NUMBERED.replace("\n2,", "\n1.00,"))
    ratings = RATINGS.splitlines()[0] + "\nanna,1.0,1,Ant,plain,2\n"
    (line,) = refusal(study, files(participants=PEOPLE, ratings=ratings))
    assert line.startswith("ratings.csv, line 2: column 'scenario': '1.0' is unknown")


def test_responses_name_sets_of_the_study_with_zeros(tmp_path: Path) -> None:
    study = load(tmp_path, NUMBERED.replace(",1,", ",1.0,").replace(",2,", ",2.0,"))
    assert {block.set_name for block in study.blocks.all()} == {"1", "2"}


def test_codes_of_answers_find_scenarios_with_zeros() -> None:
    data = b"participant,scenario,set,question,codes\n7.0,1.0,,why,kind\n"
    answers: dict[tuple[str, ...], int] = {("7", "1", "", "why"): 5}
    assert read_codings(data, "codes.csv", answers, Findings()) == {5: (2, "kind")}


MQM = """\
  - kind: slider
    maximum: 25
    step: 0.1
    left: No errors
    right: Full of errors
    dimensions: [{name: mqm, question: How many errors?}]
"""


@pytest.fixture
def mqm(tmp_path: Path) -> Study:
    (tmp_path / "study.yaml").write_text(small_study.with_tasks(MQM))
    (tmp_path / "responses.csv").write_text(small_study.CSV)
    call_command("load_study", tmp_path, verbosity=0, stdout=io.StringIO())
    return Study.objects.get()


def test_ratings_are_points_of_a_scale_with_any_step(mqm: Study, files: Files) -> None:
    rated = [f"anna,S1,1,Ant,plain,{text}" for text in ("4.10",)]
    rated += [
        f"{who},S1,1,Ant,plain,{text}"
        for who, text in zip("bcdef", ("4", "4.0", ".3", "25", str(0.1 + 0.2)), strict=True)
    ]
    run(mqm, files(ratings="\n".join([RATINGS.splitlines()[0], *rated])))
    assert sorted(Rating.objects.values_list("value", flat=True)) == [0.3, 0.3, 4, 4, 4.1, 25]


@pytest.mark.parametrize("text", ["4.15", "25.1", "4.10000001", "9" * 20 + "." + "9" * 20])
def test_rating_between_the_points_is_refused(mqm: Study, files: Files, text: str) -> None:
    ratings = f"{RATINGS.splitlines()[0]}\nanna,S1,1,Ant,plain,{text}\n"
    assert refusal(mqm, files(ratings=ratings)) == [
        f"ratings.csv, line 2: column 'rating': {text} is not on the scale of the study, 0 to 25 "
        "in steps of 0.1"
    ]
