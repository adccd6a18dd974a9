"""Raters whose writing is flagged, from their answers to pages, report and export: shown with the
reason, counted in every result as others are, and excluded by a decision alone.
"""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from analysis.decisions import decide, snapshot_at
from analysis.execution import finished_run
from analysis.manual_decisions import decide_on
from analysis.models import AnalysisRun
from analysis.recipe_sets import set_recipes
from survey.models import FreeAnswer, Study
from survey.paradata import WRITING
from survey.tidy import counted_sources, reading
from tests.dashboard.loading import QUICK_RECIPES
from tests.dashboard.reading import table_headed, text_of
from tests.factories import Rate, add_participant
from tests.shared_rows import undone_after_the_file
from tests.survey import small_study

# What pages and files say; test_writing.py of the survey stores the counts on every database.
pytestmark = pytest.mark.embedded
YAML = small_study.YAML + "comment: Why?\nrecord_writing: true\n"
TEXT = "The second reply names what hurts before it gives any advice."
TYPED = dict.fromkeys(WRITING, 0) | {"typed_characters": 61, "typing_seconds": 15.0}
PASTED = dict.fromkeys(WRITING, 0) | {
    "pastes": 1, "pasted_characters": 61, "largest_insertion": 61, "returned_characters": 61,
    "focus_losses": 1, "away_seconds": 40.0,
}  # fmt: skip


def likes_tuned(*models: str) -> Rate:
    """Rates the tuned replies of these models a point higher."""
    return lambda key: 1 + (key[0] == "S2") + (key[3] == "tuned" and key[2] in models)


def add(study: Study, name: str, writing: dict[str, Any], *models: str) -> None:
    person = add_participant(study, pseudonym=name, rate=likes_tuned(*models))
    shown = person.presentations.order_by("position").first()
    FreeAnswer.objects.create(
        participant=person, presentation=shown, name="comment", text=TEXT, **writing
    )


@pytest.fixture(scope="module")
def analysed(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[int]:
    """Ann and Ben type and like the tuned replies; Cat pastes and does not; Dot had no script."""
    with undone_after_the_file(django_db_blocker):
        with django_db_blocker.unblock():
            study = small_study.load(yaml=YAML)
            set_recipes(study=study, recipes=QUICK_RECIPES)
            add(study, "ann", TYPED, "Ant", "Bee")
            add(study, "ben", TYPED, "Ant")
            add(study, "cat", PASTED)
            add(study, "dot", {}, "Ant", "Bee")
            run = finished_run(study=study, sources=counted_sources())
        yield run.pk


@pytest.fixture
def run(analysed: int, db: None) -> AnalysisRun:
    return AnalysisRun.objects.get(pk=analysed)


def test_raters_are_listed_with_their_flags_and_chosen_by_them(
    page: Client, run: AnalysisRun
) -> None:
    answer = page.get("/studies/small/raters/")
    rows = {row[0]: row for row in table_headed(answer, "Rater")[1:]}
    at = table_headed(answer, "Rater")[0].index("Writing")
    flagged = "flagged Pasted, Came back with text, Appeared at once (1 of 1)"
    assert [rows[name][at] for name in ("ann", "cat", "dot")] == [
        "not flagged", flagged, "not recorded",
    ]  # fmt: skip
    assert {row[1] for row in rows.values()} == {"included"}, "nobody is excluded by it"
    assert "A flag excludes nobody and is no proof" in text_of(answer)
    for choice, names in (("true", {"cat"}), ("false", {"ann", "ben", "dot"})):
        chosen = page.get("/studies/small/raters/", {"flagged": choice})
        assert {row[0] for row in table_headed(chosen, "Rater")[1:]} == names


def test_rater_has_the_evidence_of_each_answer(page: Client, run: AnalysisRun) -> None:
    cat = run.study.participants.get(pseudonym="cat")
    shown = page.get(f"/studies/small/raters/{cat.pk}/")
    (row,) = table_headed(shown, "Answer")[1:]
    assert row[1:3] == ["61", "0"] and "61 (1)" in row and "40 (1)" in row
    for flag in (
        "Pasted: 50 % or more of it was pasted or dropped from elsewhere",
        "Came back with text: 20 %",
        "Appeared at once: 80 %",
    ):
        assert flag in text_of(shown)
    dot = run.study.participants.get(pseudonym="dot")
    assert "How the free answers were written" not in text_of(
        page.get(f"/studies/small/raters/{dot.pk}/")
    )


def test_results_stand_with_and_without_the_flagged(page: Client, run: AnalysisRun) -> None:
    shown = text_of(page.get("/studies/small/results/raters/"))
    assert "Of 3 included raters with a recorded free answer, 1 has one that is flagged" in shown
    assert "How many free answers may have been made elsewhere?" in shown
    stored = run.results.get(kind="table", name="without_flagged").content
    difference = dict(zip(stored["columns"], stored["rows"][0], strict=True))
    assert (difference["n"], difference["value"]) == (4, -0.625)
    assert (difference["n_unflagged"], difference["unflagged"]) == (3, pytest.approx(-2.5 / 3))
    variants = run.results.get(kind="table", name="sensitivity").content["rows"]
    assert [row[2] for row in variants][-1] == "rules in force, without flagged raters"
    funnel = run.results.get(kind="table", name="funnel").content["rows"]
    assert funnel[-1][2] == 4


def test_report_tells_of_flags_in_methods_and_limits(run: AnalysisRun, tmp_path: Path) -> None:
    call_command("analyze", "small", out=tmp_path / "out", images=False, verbosity=0)
    methods = (tmp_path / "out" / "methods.md").read_text(encoding="utf-8")
    assert "An answer of at least 50 characters was flagged if 50 % or more of it" in methods
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "A flag is no proof of AI use" in report
    call_command("datasheet", "small", out=tmp_path / "sheet", verbosity=0)
    texts = [path.read_text(encoding="utf-8") for path in (tmp_path / "sheet").iterdir()]
    assert any("a free answer was flagged, which excluded nobody" in text.lower() for text in texts)


def test_export_has_the_counts_and_says_what_they_are(run: AnalysisRun, tmp_path: Path) -> None:
    call_command("export", "small", out=tmp_path / "out", verbosity=0)

    def rows(name: str) -> list[dict[str, str]]:
        with (tmp_path / "out" / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    written = {row["participant"]: row for row in rows("comments.csv")}
    assert (written["cat"]["characters"], written["cat"]["pasted_characters"]) == ("61", "61")
    assert (written["dot"]["pasted_characters"], written["dot"]["text"]) == ("", TEXT)
    meanings = {
        r["column"]: r["meaning"] for r in rows("codebook.csv") if r["file"] == "comments.csv"
    }
    assert not [name for name in WRITING if meanings[name] == "Not asked in this study"]
    call_command("export", "small", out=tmp_path / "share", share=True, verbosity=0)
    assert not (tmp_path / "share" / "comments.csv").exists()


def test_flagged_rater_may_be_excluded_by_a_decision(run: AnalysisRun) -> None:
    cat = run.study.participants.get(pseudonym="cat")
    decide_on(
        study=run.study, participants=[cat], excluded=True, reason="pasted", at=timezone.now()
    )
    again = finished_run(study=run.study, sources=counted_sources())
    counted = again.results.get(kind="table", name="flagged_writing").content["rows"][-1]
    assert counted[1:] == [2, 0, 2, 0, 2, 0]
    assert again.rater_quality.get(participant=cat).included is False


def test_snapshot_in_chunks_has_the_same_hash_and_knows_changed_counts(run: AnalysisRun) -> None:
    study, now = run.study, timezone.now()

    def hashes() -> tuple[str, str]:
        with reading():
            snapshot = snapshot_at(study, counted_sources(), run.rule_set, at=now)
            decided = decide(study, counted_sources(), run.rule_set, at=now)
        return snapshot.hash, decided.manifest["snapshot_hash"]

    whole, in_chunks = hashes()
    assert whole == in_chunks == run.snapshot_hash
    FreeAnswer.objects.filter(participant__pseudonym="ann").update(pasted_characters=61)
    assert hashes() != (whole, whole)
