"""A small study of the usual shape: 2 scenarios × 2 sets × 3 responses, one attention check."""

import csv as csv_files
import io
from functools import cache
from itertools import zip_longest

from survey.definition import ResponseRow, StudyDefinition
from survey.definition.language import in_language, languages_of
from survey.definition.responses import parse_responses
from survey.definition.settings import Settings
from survey.files.yaml_file import YamlFile
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

#: The same in Chinese, as far as the tests read it.
CHINESE = (
    YAML.replace("title: A small study", "title: 一项小研究\nlanguage: zh-hans")
    .replace("You will read short replies.", "您将阅读简短的回复。")
    .replace("I am 18 or older and I agree to take part.", "我已年满 18 岁，同意参加。")
    .replace("How warm is this response?", "这条回复有多温暖？")
)

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

_before, _rest = YAML.split("tasks:")
_after = _rest[_rest.index("conditions:") :]


def with_tasks(tasks: str, *, more: str = "") -> str:
    """The study with other tasks, without the check that needs its scale, and with `more`."""
    checks, demographics = _after.split("attention_checks:")
    kept = checks + demographics[demographics.index("demographics:") :]
    return f"{_before}tasks:\n{tasks}{kept}{more}"


#: Without ratings: the best and the worst response of each block, and why, at the end.
CHOICES_YAML = with_tasks(
    """\
  - {kind: best_worst, best: Which is the warmest?, worst: Which is the coldest?}
""",
    more="""\
closing:
  - {kind: text, name: reasons, question: How did you choose?}
""",
)
#: Everything at once but what needs labelled points: a slider, ranks, free text, remarks.
SLIDER_YAML = with_tasks(
    """\
  - kind: slider
    left: Not at all
    right: Fully
    dimensions:
      - {name: warmth, question: How warm is it?}
      - {name: sense, question: How much sense does it make?}
  - {kind: ranking, question: Which is better?, dimension: warmth}
  - {kind: text, name: why, question: Why?, required: true, minimum: 40, maximum: 60}
""",
    more="""\
comment: Any remarks?
blocks_per_participant: 3
order: {responses: balanced, blocks: balanced, scenarios_together: true}
""",
)

_EVERY_TASK = """\
tasks:
  - {kind: ranking, question: {en: Rank them., zh-hans: 请排序。}, ties: true}
  - {kind: best_worst, best: {en: Best?, zh-hans: 最好？}, worst: {en: Worst?, zh-hans: 最差？}}
"""
_EVERY_CHECK = """\
attention_checks:
  - {name: inside, kind: in_block, statement: {en: Choose Very., zh-hans: 请选 Very。}, answer: 3,
     in_blocks: [1, 2]}
  - {name: own_page, statement: {en: Choose tea., zh-hans: 请选茶。}, after_blocks: [2, 3],
     options: [{en: Tea, zh-hans: 茶}, {en: Water, zh-hans: 水}], answer: {en: Tea, zh-hans: 茶}}
"""
#: Ratings, ranks and choices together, checks of both kinds, screening, two languages.
EVERYTHING_YAML = (
    YAML.replace("tasks:\n", _EVERY_TASK)
    .replace(YAML[YAML.index("attention_checks:") : YAML.index("demographics:")], _EVERY_CHECK)
    .replace("slug: small\n", "slug: small\nlanguage: [en, zh-hans]\n")
    + """\
comment: {en: Remarks?, zh-hans: 有什么想说的吗？}
response_labels: letters
screening:
  - {name: home, question: {en: Where is home?, zh-hans: 家在哪里？}, options: [Here, Elsewhere],
     eligible: [Here]}
closing:
  - {kind: text, name: looking_back, question: {en: And now?, zh-hans: 现在呢？}, required: true}
"""
)

#: Questions about the instructions, two attempts.
COMPREHENSION = """
comprehension:
  questions:
    - name: task
      question: What do you rate?
      options: [Each reply on its own, The best reply only]
      answer: Each reply on its own
    - name: purpose
      question: Who reads the replies?
      options: [A computer, A person in need, Nobody]
      answer: A person in need
"""
#: Two training items: one with two responses.
TRAINING = """
training:
  items:
    - name: listening
      prompt: My cat died.
      responses:
        - {text: You can buy a new one., expected: {warmth: [1, 1]}, why: It passes over the grief.}
        - {text: You loved him for many years., expected: {warmth: [2, 3]}}
    - name: advice
      prompt: I lost my job.
      context: Written at night.
      responses:
        - {text: Write applications., expected: {warmth: [1, 2]}, why: It gives advice only.}
"""


def stating(*languages: str, text: str = CSV) -> str:
    """The responses written in `text`, the first of which state a language."""
    header, *records = csv_files.reader(io.StringIO(text))
    out = io.StringIO()
    writer = csv_files.writer(out, lineterminator="\n")
    writer.writerow(["responses_language", *header])
    for record, language in zip_longest(records, languages, fillvalue=""):
        writer.writerow([language, *record])
    return out.getvalue()


SETTINGS = Settings.model_validate(
    {
        "ways_in": ["prolific", "link", "invitation"],
        "prolific": {"completion_code": "DONE1", "declined_code": "NOPE1"},
    }
)


@cache  # reading it took a tenth of all the quick tests' time; nothing can change it
def definitions(text: str = YAML) -> list[StudyDefinition]:
    """The definition written in `text` in each of its languages, the main one first."""
    yaml = YamlFile(text.encode(), file="study.yaml")
    plain = yaml.plain()
    languages = languages_of(plain)
    return [
        yaml.check(StudyDefinition, in_language(plain, code, languages) | {"language": code})
        for code in languages
    ]


def definition(text: str = YAML) -> StudyDefinition:
    """The definition written in `text`, in its main language."""
    return definitions(text)[0]


def rows(text: str = CSV, *, yaml: str = YAML) -> list[ResponseRow]:
    """The responses written in `text`."""
    return parse_responses(text.encode(), definition(yaml), file="responses.csv")[0]


def load(
    *, yaml: str = YAML, csv: str = CSV, state: str = "open", translation: str | None = None
) -> Study:
    """The study in the database, in `state`; `translation` is another language's YAML."""
    study = load_study(
        definition=definition(yaml),
        translations=[definition(translation)] if translation else definitions(yaml)[1:],
        settings=SETTINGS,
        rows=rows(csv, yaml=yaml),
    ).study
    Study.objects.filter(pk=study.pk).update(state=state)
    study.refresh_from_db()
    return study
