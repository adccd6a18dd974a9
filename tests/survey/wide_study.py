"""Studies whose scenarios have more systems than a page shows, or that a person sees one of."""

from collections.abc import Sequence

from survey.models import Study
from tests.survey import small_study

LIKERT = """\
  - kind: likert
    scale: [{value: 1, label: Bad}, {value: 2, label: Fair}, {value: 3, label: Good}]
    dimensions: [{name: warmth, question: How warm is this response?}]
"""
SLIDER = """\
  - kind: slider
    left: Not at all
    right: Fully
    dimensions: [{name: warmth, question: How warm is this response?}]
"""
HALF_POINTS = """\
  - kind: likert
    scale: [{value: 1, label: Bad}, {value: 1.5, label: Fair}, {value: 2.0, label: Good}]
    dimensions: [{name: warmth, question: How warm is this response?}]
"""
THREE_NAMES = LIKERT.replace(
    "[{name: warmth, question: How warm is this response?}]",
    """
      - {name: Cognitive empathy, question: Does it understand?}
      - {name: Präzision, question: Is it precise?}
      - {name: 流畅, question: Is it fluent?}""",
)
HALF_STEPS = SLIDER.replace("left:", "maximum: 5\n    step: 0.5\n    left:")
RANKING = "  - {kind: ranking, question: Which is better?}\n"
CHOICES = "  - {kind: best_worst, best: Which is best?, worst: Which is worst?}\n"


def yaml_of(*more: str, tasks: Sequence[str] = (LIKERT,), slug: str = "wide") -> str:
    """A study of plain and tuned models, and of a reference called Oracle; `more` are its further
    lines.
    """
    return f"""\
slug: {slug}
title: A wide study
estimated_minutes: 12
texts: {{information: Please read., instructions: Please rate., thanks: Thank you., help: false}}
consent: {{statement: I agree.}}
tasks:
{"".join(tasks)}conditions: [plain, tuned, reference]
reference: {{model: Oracle, condition: reference}}
ways_in: [link, prolific]
""" + "".join(f"{line}\n" for line in more)


def csv_of(systems: int, *, scenarios: int = 2, reference: bool = False, plain: int = 99) -> str:
    """So many systems in each scenario, the first `plain` of them plain and the others tuned."""
    lines = ["scenario,prompt,model,condition,response"]
    for scenario in range(1, scenarios + 1):
        for number in range(1, systems + 1):
            condition = "plain" if number <= plain else "tuned"
            model = f"M{number if number <= plain else number - plain}"
            text = f"Reply {number} to {scenario}."
            lines.append(f"S{scenario},Prompt {scenario},{model},{condition},{text}")
        if reference:
            lines.append(f"S{scenario},Prompt {scenario},Oracle,reference,The best to {scenario}.")
    return "\n".join(lines) + "\n"


def load(yaml: str, csv: str) -> Study:
    """The open study in the database."""
    return small_study.load(yaml=yaml.replace("ways_in: [link, prolific]\n", ""), csv=csv)
