"""Raters by their indices, as each database chooses and sorts them."""

from typing import Any

import pytest

from analysis.models import AnalysisRun, RaterQuality
from analysis.recipe_sets import current_recipe_set
from analysis.rule_sets import current_rule_set
from dashboard.raters.rater_list import NUMBERS, RaterFilter, rater_rows
from survey.models import Participant
from tests.factories import make_study

pytestmark = pytest.mark.django_db

#: Nobody's name says where they come; `old` is of a run from before there was such an index.
INDICES: dict[str, dict[str, Any]] = {
    "ten": {**dict.fromkeys(NUMBERS, 10), "status": "completed"},
    "none": {**dict.fromkeys(NUMBERS), "status": "in_progress"},
    "nine": {**dict.fromkeys(NUMBERS, 9.5), "status": "completed"},
    "old": {},
    "zero": {**dict.fromkeys(NUMBERS, 0), "status": "completed"},
    "nine again": {**dict.fromkeys(NUMBERS, 9.5), "status": "in_progress"},
}


@pytest.fixture
def run() -> AnalysisRun:
    study = make_study()
    made = [
        AnalysisRun.objects.create(
            study=study,
            rule_set=current_rule_set(study),
            recipe_set=current_recipe_set(study),
            sources=["link"],
        )
        for _ in range(2)
    ]
    for name, indices in INDICES.items():
        person = Participant.objects.create(study=study, pseudonym=name, source="link")
        for run in made:
            RaterQuality.objects.create(run=run, participant=person, included=True, indices=indices)
    return made[0]


def names(run: AnalysisRun, **asked: str) -> list[str]:
    raters = RaterFilter(asked, run, rules={}, records_writing=True).qs
    return [row["participant"] for row in rater_rows(run, raters)]


@pytest.mark.parametrize("name", NUMBERS)
def test_raters_are_sorted_as_numbers_then_as_they_came_and_those_without_one_are_last(
    run: AnalysisRun, name: str
) -> None:
    assert names(run, sort=name) == ["zero", "nine", "nine again", "ten", "none", "old"]
    assert names(run, sort=f"-{name}") == ["ten", "nine", "nine again", "zero", "none", "old"]


def test_raters_are_chosen_by_status(run: AnalysisRun) -> None:
    assert names(run, status="completed") == ["ten", "nine", "zero"]
    assert names(run, status="in_progress", sort="-mae") == ["nine again", "none"]
