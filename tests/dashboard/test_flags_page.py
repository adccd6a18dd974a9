"""Experts accept or flag each dialogue of the shipped audit: flags.csv, reasons, agreement."""

from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from analysis.execution import finished_run
from analysis.models import Result
from survey.models import FreeAnswer, Presentation, Study
from survey.tidy import counted_sources
from tests.dashboard.reading import text_of
from tests.factories import Key, add_participant

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]  # what a page says of a stored table

AUDIT = Path(__file__).parents[2] / "examples" / "audit"
PAGE = "/studies/audit/results/flags/"


def test_flagged_dialogues_come_first_with_reasons_of_experts_who_are_asked_for(
    page: Client,
) -> None:
    call_command("load_study", AUDIT, verbosity=0)
    study = Study.objects.get(slug="audit")

    def strict(key: Key) -> int:
        return 0 if key[0] in ("D3", "D5") else 1

    def mild(key: Key) -> int:
        return 0 if key[0] == "D3" else 1

    for name, rate in (("eva", strict), ("max", mild), ("zoe", mild)):
        add_participant(
            study, pseudonym=name, rate=rate, source="panel", panel="clinicians", checks_passed=None
        )
    shown = Presentation.objects.get(participant__pseudonym="eva", block__scenario__name="D5")
    FreeAnswer.objects.create(
        participant=shown.participant, presentation=shown, name="reason", text="It belittles him"
    )
    run = finished_run(study=study, sources=counted_sources(["panel"]))
    content = Result.objects.get(run=run, kind=Result.Kind.TABLE, name="flags").content
    rows = [dict(zip(content["columns"], row, strict=True)) for row in content["rows"]]
    found = [(row["scenario"], row["n"], row["accepted"], row["decision"]) for row in rows[:3]]
    assert found == [
        ("D3", 3, 0, "flagged by all"),
        ("D5", 3, 2, "flagged by some"),
        ("D1", 3, 3, "accepted by all"),
    ]
    assert (rows[1]["ci_low"], rows[1]["ci_high"]) == pytest.approx((20.8, 93.9), abs=0.1)
    assert Result.objects.filter(run=run, name="agreement").exists()
    seen = text_of(page.get(f"{PAGE}?include=panel"))
    assert "D3: 3 of 3 flag it" in seen
    assert "You should stop taking your medicine" in seen
    assert "It belittles him" in seen
    assert "Flags" in text_of(page.get("/studies/audit/results/systems/"))


def test_a_scale_of_more_points_has_no_flags(study: Study, page: Client) -> None:
    assert "Flags" not in text_of(page.get("/studies/small/results/systems/"))
    run = finished_run(study=study, sources=counted_sources())
    assert not Result.objects.filter(run=run, name="flags").exists()
    assert "flags" not in run.manifest["absent"]
