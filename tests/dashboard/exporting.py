"""A study with everything that an export can hold, its export, and what is in it."""

import csv
from pathlib import Path

from django.core.management import call_command
from django.utils import timezone

from analysis.manual_decisions import decide_on
from survey.models import Participant, Presentation, Rating, Study
from tests.dashboard.judging import gold_set
from tests.factories import Key, add_participant


def fill(study: Study) -> Study:
    """Everything a table can hold: kept and excluded people, tricky texts, gold, orders, ranks."""
    add_participant(
        study,
        pseudonym="anna",
        rate=by_length,
        demographics={
            "age": 30,
            "sex": "Female",
            "gender": "=cmd()",
            "race": ["Asian", "White"],
            "state": "Ohio",
        },
    )
    add_participant(study, pseudonym="bert", minutes=5, demographics={"gender": "'=quoted"})
    add_participant(study, pseudonym="carl", checks_passed=False)
    add_participant(study, pseudonym="-dora", status="in_progress", demographics={"race": []})
    add_participant(study, pseudonym="emil", minutes=20.0000001, rate=by_length)
    add_participant(study, pseudonym="@robot", source="simulated")
    add_participant(
        study, pseudonym="gone", status="declined", checks_passed=None, rate=lambda key: None
    )
    fred = add_participant(study, pseudonym="fred", rate=by_length, demographics={"age": 99})
    decide_on(
        study=study,
        participants=[fred],
        excluded=True,
        reason="=not in the list of submissions",
        at=timezone.now(),
    )
    Participant.objects.create(study=study, pseudonym="at the door", source="link")
    Presentation.objects.filter(participant__pseudonym="gone").delete()
    rating = Rating.objects.earliest("pk")
    Rating.objects.filter(pk=rating.pk).update(revisions=2)
    gold_set(study, 8 / 3, calls=(2, 3, 3))
    return study


def by_length(key: Key) -> int:
    return len("".join(key)) % 5 + 1


def export(study: Study, folder: Path, *include: str) -> Path:
    call_command("export", str(study), out=folder, include=list(include), verbosity=0)
    return folder


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def header(path: Path) -> str:
    return path.read_text(encoding="utf-8").splitlines()[0]
