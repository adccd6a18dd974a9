"""Files that are wrong in ways that people's files are: one line says it, and nothing changes."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from survey.models import Participant, Rating, Study, StudyEvent
from tests.dashboard.importing import FROM_0, MAPPED
from tests.dashboard.test_files_as_people_have_them import (
    CONDITION,
    LIKERT,
    LONG,
    STUDY,
    SYSTEMS,
    Layout,
    written,
)

# What is refused before anything is written is refused on every database.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

WIDE = """\
id,q,gpt,llama
1,A job?,I am sorry. Tell me more.,Go on now.
2,A dog?,Poor dog. Tell me more.,Wait now.
"""
ANY_MODEL = f"""\
responses:
  columns: {{scenario: id, prompt: q}}
  wide: "{{model}}"
  {CONDITION}
"""
RATINGS = "participant,scenario,model,condition,rating\nr1,1,gpt,default,3\nr1,1,llama,default,2\n"
BY_QUESTION = 'ratings: {wide: "Q{scenario}_{model}", constants: {condition: default}}\n'
SEX = "demographics:\n  - {name: sex, kind: single, question: Sex?, options: [Female, Male]}\n"


def wide(old: str, new: str) -> dict[str, str | bytes]:
    return {"responses": WIDE.replace(old, new), "map": ANY_MODEL}


def rated(old: str, new: str, **more: str) -> dict[str, str | bytes]:
    return {"responses": LONG, "ratings": RATINGS.replace(old, new, 1), **more}


def people(text: str, **more: str) -> dict[str, str | bytes]:
    return {"responses": LONG, "participants": text, "ratings": RATINGS, **more}


BROKEN: dict[str, tuple[dict[str, str | bytes], str]] = {
    "a pattern that no column fits": (
        {"responses": WIDE, "map": ANY_MODEL.replace("{model}", "resp_{model}")},
        "map.yaml, line 3, column 3: responses.wide: no column fits 'resp_{model}'; responses.csv "
        "has 'id', 'q', 'gpt', 'llama'",
    ),
    "columns of models without a cell": (
        {"responses": "id,q,gpt\n1,A?,\n2,B?,\n", "map": ANY_MODEL},
        "map.yaml, line 3, column 3: responses.wide: no column fits '{model}'; responses.csv has "
        "'id', 'q', 'gpt'",
    ),
    "a row with one cell too many": (
        wide("Wait now.", "Wait now.,x"),
        "responses.csv, line 3: 5 cells where the header has 4",
    ),
    "a model twice": (wide("llama", "gpt"), "responses.csv, line 1: column 'gpt' appears twice"),
    "prompts that nothing names": (
        {"responses": WIDE, "map": ANY_MODEL.replace(", prompt: q", "")},
        "map.yaml, line 3, column 3: responses.wide: nothing says the prompt of these columns: "
        "name it in the pattern, or add it to columns or constants",
    ),
    "an entry of its own for a column that is not there": (
        {
            "responses": WIDE,
            "map": ANY_MODEL.replace('"{model}"', '["{model}", {column: cat, model: X}]'),
        },
        "map.yaml, line 3, column 22: responses.wide.1.column: responses.csv has no column 'cat'; "
        "it has 'id', 'q', 'gpt', 'llama'",
    ),
    "a model that tables could not name": (
        wide("gpt", "all"),
        "responses.csv, line 2: a model can't be called 'all': tables use the word (and 1 more up "
        "to line 3)",
    ),
    "prompts as names, of which one is missing": (
        {"responses": "prompt,model,condition,response\n,gpt,default,Hi.\n"},
        "responses.csv, line 2: prompt is empty",
    ),
    "neither names nor prompts": (
        {"responses": "model,condition,response\ngpt,default,Hi.\n"},
        "responses.csv, line 1: columns 'scenario', 'prompt' are missing; the file has 'model', "
        "'condition', 'response'",
    ),
    "ids that may be the names": (
        {"responses": "id,prompt,model,condition,response\n1,A?,gpt,default,Hi.\n"},
        "responses.csv, line 1: column 'id' is unknown; did you mean 'scenario'?",
    ),
    "nothing but a separator": (
        {"responses": "sep=;\n"}, "responses.csv, line 1: there is no header",
    ),
    "a wrong row below a separator": (
        {"responses": "sep=;\n" + LONG.replace(",", ";").replace("gpt;", "gpt;;", 1)},
        "responses.csv, line 3: 6 cells where the header has 5",
    ),
    "a rating of 2.5": (
        rated(",3\n", ",2.5\n"),
        "ratings.csv, line 2: column 'rating': '2.5' is not a whole number",
    ),
    "a rating of 4.0": (
        rated(",3\n", ",4.0\n"),
        "ratings.csv, line 2: column 'rating': 4.0 is not on the scale of the study, 1 to 3",
    ),
    "a rating of 1e0": (
        rated(",3\n", ",1e0\n"),
        "ratings.csv, line 2: column 'rating': '1e0' is not a whole number",
    ),
    "a decimal comma between commas": (
        rated(",3\n", ',"3,0"\n'),
        "ratings.csv, line 2: column 'rating': '3,0' is not a whole number",
    ),
    "a scenario of 1.5": (
        rated("r1,1,gpt", "r1,1.5,gpt"),
        "ratings.csv, line 2: column 'scenario': '1.5' is unknown; known are '1', '2'",
    ),
    "missing ratings as R writes them": (
        rated("gpt,default,3", "gpt,default,NA"),
        "ratings.csv, line 2: column 'rating': 'NA' is not a whole number; a mapping file can "
        "rename values, under values.rating",
    ),
    "a rater without a name": (
        rated("r1,1,gpt", ",1,gpt"), "ratings.csv, line 2: column 'participant': is empty",
    ),
    "a prompt that is nobody's": (
        rated(
            RATINGS,
            "participant,prompt,model,condition,rating\nr1,I lost my jb.,gpt,default,3\n",
        ),
        "ratings.csv, line 2: column 'prompt': 'I lost my jb.' is unknown; did you mean 'I lost my "
        "job.'?",
    ),
    "a prompt of another scenario than the one that is named": (
        rated(
            RATINGS,
            "participant,scenario,prompt,model,condition,rating\n"
            "r1,1,I lost my job.,gpt,default,3\nr1,1,My dog is ill.,llama,default,3\n"
            "r1,2,An ill dog (shortened),llama,default,3\n",
        ),
        "ratings.csv, line 3: column 'prompt': is that of scenario '2', but the row names scenario "
        "'1'",
    ),
    "a system that the map does not name": (
        rated(RATINGS, "participant,scenario,system,rating\nr1,1,gtp,3\n", ratings_map=SYSTEMS),
        "ratings.csv, line 2: column 'system': 'gtp' is unknown; did you mean 'gpt'?",
    ),
    "several conditions by another name, of which the study has one": (
        rated(RATINGS, "participant,scenario,model,variant,rating\nr1,1,gpt,tuned,3\n"),
        "ratings.csv, line 1: column 'variant' is unknown; did you mean 'condition'?",
    ),
    "responses of several conditions by another name": (
        {"responses": LONG.replace("condition", "Condition")},
        "responses.csv, line 1: column 'Condition' is unknown; did you mean 'condition'?",
    ),
    "a misspelt model of a question": (
        rated(RATINGS, "participant,Q1_gpt,Q1_lama\nr1,3,2\n", ratings_map=BY_QUESTION),
        "ratings.csv, line 1: column 'Q1_lama': model 'lama' is unknown; did you mean 'llama'?",
    ),
    "a column of ratings of a model that the study does not have": (
        rated(RATINGS, "participant,Q1_gpt,Q1_vicuna\nr1,3,2\n", ratings_map=BY_QUESTION),
        "ratings.csv, line 1: column 'Q1_vicuna': model 'vicuna' is unknown; known are 'gpt', "
        "'llama'",
    ),
    "a word in the place of a rating": (
        rated(RATINGS, "participant,Q1_gpt\nr1,good\n", ratings_map=BY_QUESTION),
        "ratings.csv, line 2: column 'Q1_gpt': 'good' is not a whole number; a mapping file can "
        "rename values, under values.rating",
    ),
    "a person without a status, whose row is short": (
        people("participant,age,status\nr1,30\n"),
        "participants.csv, line 2: column 'status': is empty",
    ),
    "two people who may be the same number": (
        people(
            "participant,status\n1.0,completed\n1,completed\n",
            ratings=RATINGS.splitlines()[0] + "\n1.00,1,gpt,default,3\n",
        ),
        "ratings.csv, line 2: column 'participant': '1.00' is not in the file of participants",
    ),
    "answers that are no option": (
        people(
            "participant,status,sex\nr1,completed,Femal\nr2,completed,F\nr3,completed,Femal\n",
            study=STUDY + SEX,
        ),
        "participants.csv, line 2: column 'sex': no options of the question: 'Femal' (2 rows; did "
        "you mean 'Female'?), 'F' (1 row). It has 'Female', 'Male'; a mapping file can rename "
        "answers, under values.sex",
    ),
    "an age of half a year in words": (
        people("participant,status,age\nr1,completed,thirty\n"),
        f"participants.csv, line 2: column 'age': 'thirty' is not a number{MAPPED}age",
    ),
    "ages in groups": (
        people("participant,status,age\nr1,completed,25-34\nr2,completed,NA\n"),
        f"participants.csv, line 2: column 'age': '25-34' is not a number{MAPPED}age (and 1 more "
        "up to line 3, such as 'NA')",
    ),
    "people whose status nothing says": (
        people("participant,age\nr1,30\n"),
        "participants.csv, line 1: column 'status' is missing; if everybody completed, say so in a "
        "mapping file: participants: {constants: {status: completed}}",
    ),
    "positions from 0 on": (
        rated(RATINGS, "participant,scenario,model,rating,block_position\nr1,1,gpt,3,0\n"),
        f"ratings.csv, line 2: column 'block_position': {FROM_0.format('block_position')}",
    ),
    "places on the page from 0 on": (
        rated(RATINGS, "participant,scenario,model,rating,response_position\nr1,1,gpt,3,0\n"),
        "ratings.csv, line 2: column 'response_position': 0 is not between 1 and 2; the first "
        "response_position is 1: add 1 to all if the file counts from 0",
    ),
    "cells between signs that are between no cells": (
        {"responses": LONG.replace(",", "^")},
        "responses.csv, line 1: columns 'scenario', 'prompt', 'model', 'response' are missing; the "
        "file has one column, 'scenario^prompt^model^condition^response'; put commas, semicolons, "
        "tabs or | between columns",
    ),
    "a rating of a response that there is not": (
        {
            "responses": "".join(LONG.splitlines(keepends=True)[:4]),
            "ratings": RATINGS.replace("r1,1,llama", "r1,2,llama"),
        },
        "ratings.csv, line 3: 'llama' (default) has no response in scenario '2': add it to the "
        "responses and load the study again, or remove it here",
    ),
    "a question whose name has capitals": (
        {"responses": LONG, "study": STUDY + SEX.replace("name: sex", "name: My Sex")},
        "study.yaml, line 10, column 6: demographics.0.name: 'My Sex' is no name: begin with a "
        "letter, and use only small letters a to z, digits and _, at most 40 in all",
    ),
    "a column that is nearly one that is missing": (
        people("participant,Statuss,UserLanguage\nr1,completed,EN\n"),
        "participants.csv, line 1: column 'Statuss' is unknown; did you mean 'status'?",
    ),
    "a step that does not lead to the end": (
        {
            "study": STUDY.replace(
                LIKERT,
                "kind: slider, step: 0.3, left: a, right: b, dimensions: [{name: A, question: A?}]",
            ),
            "responses": LONG,
        },
        "study.yaml, line 6, column 20: tasks.0.step: must lead from minimum to maximum in at most "
        "2000 equal steps",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_is_one_line_and_changes_nothing(name: str, tmp_path: Path) -> None:
    files, message = BROKEN[name]
    paths = written(tmp_path, Layout(files))
    with pytest.raises(CommandError) as caught:
        call_command("load_study", tmp_path, map_file=paths.get("map"), stdout=StringIO())
        before = StudyEvent.objects.count()
        given = {n: paths[n] for n in ("participants", "ratings") if n in paths}
        call_command("import_ratings", "mine", map_file=paths.get("ratings_map"), **given)
    said = str(caught.value).replace(f"{tmp_path}/", "").replace("ratings_map", "map")
    assert said.removeprefix("Nothing was loaded.\n") == message
    assert not Participant.objects.exists()
    assert not Rating.objects.exists()
    if "ratings" in paths:
        assert StudyEvent.objects.count() == before
        assert Study.objects.get().frozen_at is None
    else:
        assert not Study.objects.exists()
