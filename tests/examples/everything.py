"""One study with all that a study can have at once, as the files of its folder."""

import csv
from pathlib import Path
from typing import Any

import yaml

from tests.survey.task_studies import BEST_WORST, CHECK, RANKING, WHY

SLUG = "everything"
MODELS = {"1": ["Ant", "Bee"], "2": ["Cat", "Dog"]}
DIMENSIONS = ["warmth", "insight"]
OPTIONS = ["Yes", "No"]


def _likert() -> dict[str, Any]:
    labels = ["Not at all", "Somewhat", "Very"]
    return {
        "kind": "likert",
        "scale": [{"value": value, "label": label} for value, label in enumerate(labels, 1)],
        "dimensions": [{"name": each, "question": f"How much {each}?"} for each in DIMENSIONS],
    }


def definition() -> dict[str, Any]:
    texts = ("information", "instructions", "thanks", "warning", "help", "screened_out")
    return {
        "slug": SLUG,
        "title": "A study with everything",
        "estimated_minutes": 10,
        "texts": {name: f"The text called {name}." for name in texts},
        "consent": {"statement": "I agree.", "decline": "I do not agree"},
        "tasks": [_likert(), RANKING, BEST_WORST, WHY],
        "response_format": "markdown",
        "latex": True,
        "response_labels": "letters",
        "comment": "Anything to add?",
        "conditions": ["plain", "tuned", "reference"],
        "condition_a": "tuned",
        "condition_b": "plain",
        "reference": {"model": "Oracle", "condition": "reference"},
        "sets": MODELS,
        "labels": {"conditions": {"plain": "As it comes", "tuned": "Fine-tuned"}},
        "models": {
            name: {"parameters": 1e9 * n} for n, name in enumerate(["Ant", "Bee", "Cat"], 1)
        },
        "composites": {"empathy": DIMENSIONS},
        "preregistration": {"question": "Which is warmer?", "hypotheses": ["Tuned ones are."]},
        "datasheet": {"ethics": "Approved.", "licence": "CC BY 4.0", "resources": "None."},
        "order": {"responses": "balanced", "blocks": "balanced"},
        "blocks_per_participant": 4,
        "systems_per_page": 3,
        "reference_on_every_page": True,
        "screening": [
            {"name": "adult", "question": "Adult?", "options": OPTIONS, "eligible": ["Yes"]}
        ],
        "comprehension": {
            "questions": [
                {"name": "asked", "question": "To rate?", "options": OPTIONS, "answer": "Yes"}
            ]
        },
        "training": {
            "attempts": 2,
            "items": [
                {
                    "name": "first",
                    "prompt": "I am tired.",
                    "responses": [
                        {"text": "Sleep.", "expected": {each: [1, 3] for each in DIMENSIONS}}
                    ],
                }
            ],
        },
        "attention_checks": [
            CHECK,
            {"name": "alone", "statement": "Choose 2", "answer": 2, "after_blocks": [1, 2]},
        ],
        "closing": [{"kind": "text", "name": "end", "question": "How was it?"}],
        "record_writing": True,
        "demographics": [
            {"name": "age", "kind": "integer", "question": "Age?", "minimum": 18, "maximum": 99},
            {"name": "sex", "kind": "single", "question": "Sex?", "options": ["Female", "Male"]},
            {"name": "race", "kind": "multiple", "question": "Race?", "options": ["A", "B"]},
            {"name": "state", "kind": "us_state", "question": "State?"},
        ],
        "ways_in": ["prolific", "link", "invitation"],
        "prolific": {"completion_code": "DONE1", "declined_code": "NOPE1"},
        "places": {"maximum": 30},
        "judging": {
            "judges": [{"name": "one", "replicates": 1}, {"name": "two", "replicates": 1}],
            "juries": [{"name": "both", "judges": ["one", "two"]}],
            "gold": "both",
            "budget": {"money": 1, "requests": 100},
        },
        "quality": {"order": ["duration", "attention", "early_exit"]},
    }


def write_study(folder: Path) -> Path:
    """The folder, for `load_study`."""
    folder.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(definition(), allow_unicode=True, sort_keys=False)
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    with (folder / "responses.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["scenario", "set", "prompt", "context", "model", "condition", "response"])
        for scenario in ("S1", "S2", "S3"):
            about = [f"Prompt of {scenario}", "An earlier turn"]
            for name, models in MODELS.items():
                for model in models:
                    for condition in ("plain", "tuned"):
                        text = f"{model}, {condition}, to {scenario}"
                        table.writerow([scenario, name, *about, model, condition, text])
                text = f"The reference to {scenario}"
                table.writerow([scenario, name, *about, "Oracle", "reference", text])
    return folder
