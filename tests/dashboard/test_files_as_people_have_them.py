"""Files in the layouts that people have go in as they are, with a mapping file at most."""

from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from survey.files.names import short_key
from survey.models import DemographicAnswer, Participant, Rating, Scenario, Study

# How a file is read no database can change.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

SCALE = "scale: [{value: 1, label: Bad}, {value: 2, label: Fair}, {value: 3, label: Good}]"
LIKERT = f"kind: likert, {SCALE}, dimensions: [{{name: help, question: Does it help?}}]"
STUDY = f"""\
slug: mine
title: Which reply helps?
estimated_minutes: 5
conditions: [default]
tasks:
  - {{{LIKERT}}}
texts: {{information: We ask., instructions: Rate., thanks: Thanks.}}
consent: {{statement: I agree.}}
"""
LONG = """\
scenario,prompt,model,condition,response
1,I lost my job.,gpt,default,I am sorry. What happened at work?
1,I lost my job.,llama,default,Many people lose jobs. Keep going.
2,My dog is ill.,gpt,default,Poor dog. Have you seen a vet?
2,My dog is ill.,llama,default,Dogs get well again. Wait a bit.
"""
SYSTEMS = """\
systems:
  gpt: {model: gpt, condition: default}
  llama: {model: llama, condition: default}
"""
LOST = "I lost my job and I do not know what to tell my family. " * 2
CONDITION = "constants: {condition: default}"
JUDGED = """\
system,segid,source,target,rater,score
gpt,1,I lost my job.,I am sorry.,ana,1
llama,2,My dog is ill.,Wait a bit.,ana,2
gpt,1,I lost my job.,I am sorry.,ben,3
llama,2,My dog is ill.,Wait a bit.,ben,1
"""
BY_SEGMENT = f"""\
responses:
  columns: {{scenario: segid, prompt: source, model: system, response: target}}
  {CONDITION}
ratings:
  columns: {{scenario: segid, model: system, participant: rater, rating: score}}
  {CONDITION}
"""


@dataclass(frozen=True)
class Layout:
    """Files, and what comes of them: models, scenarios, and ratings by participant."""

    files: dict[str, str | bytes]
    models: set[str] = field(default_factory=lambda: {"gpt", "llama"})
    scenarios: set[str] = field(default_factory=lambda: {"1", "2"})
    ratings: dict[str, list[float]] = field(default_factory=dict)
    answers: set[tuple[str, str, object]] = field(default_factory=set)


LAYOUTS = {
    "a dataset with a column of each model, and its own columns": Layout(
        {
            "responses": """\
,id,instruction,gpt,llama,category,created,tokens,url,is_safe,notes
0,1,I lost my job.,I am sorry. What happened at work?,Many lose jobs.,work,2024-03-01,12,\
https://a.org/1,True,
1,2,My dog is ill.,Poor dog. Have you seen a vet?,Dogs get well.,pets,2024-03-02,9,\
https://a.org/2,False,
2,3,I am alone.,Tell me how that is for you. I listen.,Go out.,work,2024-03-02,11,\
https://a.org/3,True,
3,4,I cannot sleep.,For how long has it been so?,Drink tea.,pets,2024-03-03,8,\
https://a.org/4,True,
""",
            "map": f"""\
responses:
  columns: {{scenario: id, prompt: instruction}}
  wide: "{{model}}"
  {CONDITION}
""",
        },
        scenarios={"1", "2", "3", "4"},
    ),
    "prompts without ids, answers behind a word of their own": Layout(
        {
            "responses": """\
prompt,answer_gpt,answer_llama,source
I lost my job.,I am sorry.,Keep going.,reddit
My dog is ill.,Poor dog.,Wait.,reddit
""",
            "map": f'responses:\n  wide: "answer_{{model}}"\n  {CONDITION}\n',
            "ratings": """\
prompt,rater,system,rating
I lost my job.,r1,gpt,3
My dog is ill.,r1,llama,1
""",
            "ratings_map": f"ratings: {{columns: {{participant: rater}}}}\n{SYSTEMS}",
        },
        scenarios={"I lost my job.", "My dog is ill."},
        ratings={"r1": [1, 3]},
    ),
    "labels as answers, in Chinese": Layout(
        {
            "responses": "id,问题,gpt,llama,类别\n"
            + "".join(f"{n},这是真的吗 {n}？,是,{'否是'[n % 2]},常识\n" for n in range(1, 7)),
            "map": f"""\
responses:
  columns: {{scenario: id, prompt: 问题}}
  wide: "{{model}}"
  ignored: 类别
  {CONDITION}
""",
        },
        scenarios={str(n) for n in range(1, 7)},
    ),
    "a batch of MTurk, whose rows end with their last answer": Layout(
        {
            "responses": LONG,
            "participants": """\
"WorkerId","AssignmentStatus","SubmitTime","Feedback"
"W1","Approved","Mon Mar 02 2026"
"W2","Approved","Mon Mar 02 2026","Nice task"
""",
            "ratings": """\
"HITId","WorkerId","Input.item","Input.engine","Answer.score","Approve","Reject"
"H1","W1","1","gpt","3"
"H2","W2","2","llama","2","x"
""",
            "ratings_map": """\
participants: {columns: {participant: WorkerId}, constants: {status: completed}}
ratings:
  columns: {participant: WorkerId, scenario: Input.item, model: Input.engine, rating: Answer.score}
  constants: {condition: default}
""",
        },
        ratings={"W1": [3], "W2": [2]},
    ),
    "tables of pandas, whose columns with gaps are decimals": Layout(
        {
            "study": f"{STUDY}demographics:\n  - {{name: pets, kind: integer, question: Pets?, "
            "minimum: 0, maximum: 9}\n",
            "responses": LONG,
            "participants": "participant,status,age,pets,attention_checks_failed\n"
            "7.0,completed,30.0,2.0,0.0\n8.0,completed,,,\n",
            "ratings": "participant,scenario,model,condition,rating,revisions,condition2\n"
            "7,1.0,gpt,default,3.0,1.0,x\n8,2.0,llama,default,2.0,,y\n",
        },
        ratings={"7.0": [3], "8.0": [2]},
        answers={("7.0", "age", 30), ("7.0", "pets", 2)},
    ),
    "a German Excel, with tenths": Layout(
        {
            "study": STUDY.replace(
                LIKERT,
                "kind: slider, maximum: 25, step: 0.1, left: none, right: all, "
                "dimensions: [{name: Präzision, question: Genau?}]",
            ),
            "responses": "sep=;\r\n" + LONG.replace(",", ";").replace("\n", "\r\n"),
            "ratings": (
                "\ufeffsep=;\r\n"
                "participant;scenario;model;condition;dimension;rating;block_seconds\r\n"
                "r1;1,0;gpt;default;Präzision;4,10;12,5\r\nr2;2;llama;default;Präzision;4;7\r\n"
            ).encode(),
        },
        ratings={"r1": [4.1], "r2": [4]},
    ),
    "a survey tool with a column of each question": Layout(
        {
            "responses": LONG,
            "participants": "Name,UserLanguage,Raters,Sex\n"
            "ana,EN,3,FEMALE \nben,DE,3,CONSENT_REVOKED\n",
            "study": f"{STUDY}demographics:\n  - {{name: sex, kind: single, question: Sex?, "
            "options: [Female, Male]}\n",
            "ratings": "Name,UserLanguage,Q1_gpt,Q1_llama,Q1_why,Q2_gpt,Q2_llama,Q3_comment\n"
            "ana,EN,3,2.0,It is kind,1,,fine\nben,DE,,1,,2,2\n",
            "ratings_map": """\
participants: {columns: {participant: Name, sex: Sex}, constants: {status: completed}}
ratings:
  columns: {participant: Name}
  wide: "Q{scenario}_{model}"
  constants: {condition: default}
""",
        },
        ratings={"ana": [1, 2, 3], "ben": [1, 2, 2]},
        answers={("ana", "sex", "Female")},
    ),
    "a column of each dimension": Layout(
        {
            "study": STUDY.replace(
                "[{name: help, question: Does it help?}]",
                "[{name: Cognitive empathy, question: A?}, {name: 流畅, question: B?}]",
            ),
            "responses": LONG,
            "ratings": "participant,scenario,model,condition,Cognitive empathy,流畅,Overall,time\n"
            "r1,1,gpt,default,3,2,9,12\nr1,1,llama,default,2.0,,9,14\n",
            "ratings_map": 'ratings: {wide: "{dimension}"}\n',
        },
        ratings={"r1": [2, 2, 3]},
    ),
    "scenarios named by what they say": Layout(
        {
            "responses": LONG.replace("\n1,", f"\n{LOST}1,").replace("\n2,", f"\n{LOST}2,"),
            "ratings": f"participant,scenario,model,condition,rating\nr1,{LOST}2,gpt,default,3\n",
        },
        scenarios={short_key(f"{LOST}1"), short_key(f"{LOST}2")},
        ratings={"r1": [3]},
    ),
    "models as columns, raters as names, in a workbook's TSV": Layout(
        {
            "responses": "item\tprompt\tcontext\tgpt\tllama\tgold_label\n"
            "1\tI lost my job.\tAna, 30\tI am sorry. What happened?\tMany lose jobs.\twork\n"
            "2\tMy dog is ill.\tBen, 31\tPoor dog.\tWait a bit.\tpets\n",
            "map": f'responses:\n  columns: {{scenario: item}}\n  wide: "{{system}}"\n{SYSTEMS}',
            "ratings": "participant\tscenario\tsystem\trating\nana\t1.0\tgpt\t2\n",
            "ratings_map": SYSTEMS,
        },
        ratings={"ana": [2]},
    ),
    "a molten table of R, with a row for each missing rating": Layout(
        {
            "responses": LONG,
            "ratings": "participant,scenario,system,rating\nana,1,gpt,NA\nana,1,llama,2\n"
            "ben,1,gpt,NA\nana,2,gpt,\n",
            "ratings_map": f"{SYSTEMS}values: {{rating: {{NA: null}}}}\n",
        },
        ratings={"ana": [2]},
    ),
    "one table with a row for each rating, as of machine translations": Layout(
        {
            "responses": JUDGED,
            "map": BY_SEGMENT,
            "ratings": JUDGED,
            "ratings_map": BY_SEGMENT,
        },
        ratings={"ana": [1, 2], "ben": [1, 3]},
    ),
    "columns of models in conditions, beside lengths and scores of them": Layout(
        {
            "study": STUDY.replace("[default]", "[zero, tuned]"),
            "responses": "id,prompt,gpt_zero,gpt_tuned,llama_zero,llama_tuned,gpt_len,judge_score\n"
            "1,I lost my job.,I am sorry.,What happened?,Keep going.,Many do.,11,4.5\n"
            "2,My dog is ill.,Poor dog.,Seen a vet?,Wait.,Dogs get well.,9,3.0\n",
            "map": 'responses: {columns: {scenario: id}, wide: "{model}_{condition}"}\n',
        },
    ),
    "times and clicks of a survey tool, called as its questions": Layout(
        {
            "responses": LONG,
            "ratings": "participant,Q1_gpt,Q1_llama,Q1_First Click,Q1_Page Submit,Q1_Clicks\n"
            "ana,3,2,0,9.127,12\nben,1,,1.5,11.9,9\n",
            "ratings_map": 'ratings: {wide: "Q{scenario}_{model}", constants: {condition: default}}'
            "\n",
        },
        ratings={"ana": [2, 3], "ben": [1]},
    ),
    "bars between cells, said so and not": Layout(
        {
            "responses": LONG.replace(",", "|"),
            "ratings": "sep=|\nparticipant|scenario|model|rating\nana|1|gpt|2,0\n",
        },
        ratings={"ana": [2]},
    ),
    "one condition, which no file needs to name": Layout(
        {
            "responses": "id,prompt,gpt,llama\n1,I lost my job.,I am sorry.,Keep going.\n"
            "2,My dog is ill.,Poor dog.,Wait.\n",
            "map": 'responses: {columns: {scenario: id}, wide: "{model}"}\n',
            "ratings": "participant,scenario,model,rating\nana,1,gpt,2\nana,2,llama,3\n",
        },
        ratings={"ana": [2, 3]},
    ),
    "one condition, and systems that the map names": Layout(
        {
            "responses": LONG,
            "ratings": "participant,scenario,system,rating\nana,1,A,2\nana,2,B,3\n",
            "ratings_map": SYSTEMS.replace("  gpt:", "  A:").replace("  llama:", "  B:"),
        },
        ratings={"ana": [2, 3]},
    ),
    "one model, in a set that is the only one": Layout(
        {
            "study": STUDY.replace("[default]", "[zero, tuned]\nsets: {all: [gpt]}"),
            "responses": "scenario,prompt,condition,response\n"
            "1,I lost my job.,zero,I am sorry.\n1,I lost my job.,tuned,What happened?\n",
            "ratings": "participant,scenario,condition,rating\nana,1,zero,2\nana,1,tuned,3\n",
        },
        models={"gpt"},
        scenarios={"1"},
        ratings={"ana": [2, 3]},
    ),
    "systems as numbers, in a column with gaps, below empty rows": Layout(
        {
            "responses": LONG,
            "ratings": "\n,,,\nparticipant,scenario,system,rating\nana,1,1.0,2\nana,2,2.0,3\n",
            "ratings_map": SYSTEMS.replace("  gpt:", "  1:").replace("  llama:", "  2:"),
        },
        ratings={"ana": [2, 3]},
    ),
}  # fmt: skip


def written(folder: Path, layout: Layout) -> dict[str, Path]:
    paths = {}
    for name, content in layout.files.items():
        paths[name] = folder / f"{name}.{'yaml' if 'map' in name else 'csv'}"
        paths[name].write_bytes(content.encode() if isinstance(content, str) else content)
    (folder / "study.yaml").write_text(str(layout.files.get("study", STUDY)))
    return paths


@pytest.mark.parametrize("name", LAYOUTS)
def test_files_go_in_as_they_are(name: str, tmp_path: Path) -> None:
    layout = LAYOUTS[name]
    paths = written(tmp_path, layout)
    out = StringIO()
    call_command("load_study", tmp_path, map_file=paths.get("map"), stdout=out)
    study = Study.objects.get()
    assert {system.model for system in study.systems.all()} == layout.models
    assert {scenario.name for scenario in Scenario.objects.all()} == layout.scenarios
    if "ratings" in paths:
        given = {n: paths[n] for n in ("participants", "ratings") if n in paths}
        mapping = {"map_file": paths.get("ratings_map")}
        call_command("import_ratings", "mine", stdout=out, stderr=out, **given, **mapping)
    ratings: dict[str, list[float]] = {}
    for person, value in Rating.objects.values_list(
        "presentation__participant__pseudonym", "value"
    ):
        ratings.setdefault(person, []).append(value)
    assert {person: sorted(values) for person, values in ratings.items()} == layout.ratings
    assert Participant.objects.count() == len(layout.ratings)
    answers = DemographicAnswer.objects.values_list("participant__pseudonym", "name", "value")
    assert set(answers) == layout.answers
