"""The small study in English and Simplified Chinese, with screening and free answers."""

from pathlib import Path

from dashboard.design.study_folder import load_folder, read_folder
from survey.models import Study
from tests.survey import small_study

YAML = """\
slug: small
language: [en, zh-hans]
title: {en: A small study, zh-hans: 一项小研究}
estimated_minutes: 5
texts:
  information: {en: You will read short replies., zh-hans: 您将读到一些简短的回复。}
  instructions: {en: Rate each reply on its own., zh-hans: 请分别评价每条回复。}
  thanks: {en: "# Well done", zh-hans: "# 辛苦了"}
consent:
  statement: {en: I agree to take part., zh-hans: 我同意参加。}
tasks:
  - kind: likert
    scale:
      - {value: 1, label: {en: Not at all, zh-hans: 完全不}}
      - {value: 2, label: {en: Very, zh-hans: 非常}}
    dimensions:
      - {name: warmth, question: {en: How warm is it?, zh-hans: 这条回复有多温暖？}}
conditions: [plain, tuned, reference]
condition_a: plain
condition_b: tuned
reference: {model: Oracle, condition: reference}
sets:
  "1": [Ant]
  "2": [Bee]
screening:
  - name: home
    question: {en: Where do you live?, zh-hans: 您住在哪里？}
    options: [{en: Here, zh-hans: 这里}, {en: There, zh-hans: 那里}]
    eligible: [{en: Here, zh-hans: 这里}]
attention_checks:
  - name: blue
    statement: {en: Choose blue., zh-hans: 请选蓝色。}
    options: [{en: Red, zh-hans: 红色}, {en: Blue, zh-hans: 蓝色}]
    answer: {en: Blue, zh-hans: 蓝色}
    after_blocks: [1, 1]
closing:
  - {kind: text, name: why, question: {en: Why?, zh-hans: 为什么？}}
demographics:
  - name: age
    kind: integer
    question: {en: How old are you?, zh-hans: 您的年龄是多少？}
    minimum: 18
    maximum: 99
  - name: race
    kind: multiple
    question: {en: What is your race?, zh-hans: 您的种族是？}
    options: [{en: Asian, zh-hans: 亚裔}, {en: White, zh-hans: 白人}]
    several: {en: Two or more, zh-hans: 两种或以上}
ways_in: [prolific, link]
prolific: {completion_code: DONE1}
"""


def write(folder: Path, yaml: str = YAML) -> Path:
    """The study's folder."""
    (folder / "study.yaml").write_text(yaml, encoding="utf-8")
    (folder / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
    return folder


def load(folder: Path) -> Study:
    """The study in the database, open."""
    study = load_folder(read_folder(write(folder))).study
    study.state = Study.State.OPEN
    study.save(update_fields=["state"])
    return study
