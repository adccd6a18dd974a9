"""A small study of the usual shape: 2 scenarios × 2 sets × 3 responses, one attention check."""

from functools import cache

from survey.definition import ResponseRow, StudyDefinition, YamlFile
from survey.definition.responses import parse_responses
from survey.definition.study import Settings
from survey.loading import load_study
from survey.models import Study

YAML = """\
slug: small
title: A small study
estimated_minutes: 5
texts:
  information: |
    # What this is about
    You will read short replies.
  instructions: Rate each reply on its own.
  thanks: Thank you.
  help: Call **988** at any time.
consent:
  statement: I am 18 or older and I agree to take part.
tasks:
  - kind: likert
    scale:
      - {value: 1, label: Not at all}
      - {value: 2, label: Somewhat}
      - {value: 3, label: Very}
    dimensions:
      - {name: warmth, question: How warm is this response?}
conditions: [plain, tuned, reference]
condition_a: plain
condition_b: tuned
reference: {model: Oracle, condition: reference}
sets:
  "1": [Ant]
  "2": [Bee]
attention_checks:
  - name: check_1
    statement: Please choose "Somewhat" here.
    answer: 2
    after_blocks: [1, 3]
demographics:
  - {name: age, kind: integer, question: How old are you?, minimum: 18, maximum: 99}
  - {name: sex, kind: single, question: What is your sex?, options: [Female, Male]}
  - name: race
    kind: multiple
    question: What is your race?
    options: [Asian, Black, White]
    several: Two or more
  - {name: state, kind: us_state, question: Where do you live?}
"""

CSV = """\
scenario,set,prompt,model,condition,response
S1,1,I failed.,Ant,plain,Try again.
S1,1,I failed.,Ant,tuned,"That hurts, I am sorry."
S1,1,I failed.,Oracle,reference,Failing hurts. Do you want to tell me more?
S1,2,I failed.,Bee,plain,Everybody fails.
S1,2,I failed.,Bee,tuned,It makes sense that you feel low.
S1,2,I failed.,Oracle,reference,Failing hurts. Do you want to tell me more?
S2,1,I miss her.,Ant,plain,Time heals.
S2,1,I miss her.,Ant,tuned,You must have loved her very much.
S2,1,I miss her.,Oracle,reference,Missing her shows how close you were.
S2,2,I miss her.,Bee,plain,Find a hobby.
S2,2,I miss her.,Bee,tuned,"It is all right
to grieve."
S2,2,I miss her.,Oracle,reference,Missing her shows how close you were.
"""

SETTINGS = Settings.model_validate(
    {
        "ways_in": ["prolific", "link", "invitation"],
        "prolific": {"completion_code": "DONE1", "declined_code": "NOPE1"},
    }
)


@cache  # reading it took a tenth of all the quick tests' time; nothing can change it
def definition(text: str = YAML) -> StudyDefinition:
    """The definition written in `text`."""
    yaml = YamlFile(text.encode(), file="study.yaml")
    return yaml.check(StudyDefinition, yaml.plain())


def rows(text: str = CSV, *, yaml: str = YAML) -> list[ResponseRow]:
    """The responses written in `text`."""
    return parse_responses(text.encode(), definition(yaml), file="responses.csv")[0]


def load(*, yaml: str = YAML, csv: str = CSV, state: str = "open") -> Study:
    """The study in the database, in `state`."""
    study = load_study(
        definition=definition(yaml), settings=SETTINGS, rows=rows(csv, yaml=yaml)
    ).study
    Study.objects.filter(pk=study.pk).update(state=state)
    study.refresh_from_db()
    return study
