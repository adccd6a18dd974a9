"""Exports: the contracted files and columns, who is in them, and importing them again."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from analysis.catalogue.subjects import OF_WRITING
from analysis.declarations import NAMES
from analysis.execution import finished_run
from analysis.models import AnalysisRun, ManualDecision
from dashboard.judges.agreement import GUARD, TABLES
from dashboard.share.exports import stream_table
from survey.models import (
    Identity,
    Participant,
    Presentation,
    Rating,
    Study,
    StudyEvent,
)
from survey.tidy import counted_sources
from survey.withdrawal import withdraw
from tests.dashboard.exporting import export, fill, header, rows
from tests.dashboard.loading import QUICK_RECIPES
from tests.factories import START, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return fill(make_study())


def test_files_and_columns_are_the_contracted_ones(study: Study, tmp_path: Path) -> None:
    folder = export(study, tmp_path / "out")

    assert {path.name for path in folder.iterdir()} == {
        "participants.csv",
        "ratings.csv",
        "ratings_all.csv",
        "gold.csv",
        "judge_scores.csv",
        "presentations.csv",
        "shown_responses.csv",
        "attention_checks.csv",
        "page_times.csv",
        "certificate.csv",
        "codebook.csv",
        "export.json",
    }
    assert header(folder / "participants.csv") == (
        "participant,source,status,started_at,finished_at,duration_seconds,"
        "attention_checks_failed,age,sex,gender,race,hispanic,education,employment,state,region,"
        "sigma,mae,included,exclusion,excluded_by_decision,way_in,ending,language,device,"
        "viewport_width,viewport_height,clock_stepped"
    )
    assert header(folder / "page_times.csv") == (
        "participant,page,kind,name,shown_at,answered_at,seconds,clock_stepped"
    )
    ratings = (
        "participant,scenario,set,model,condition,dimension,rating,"
        "gold,block_position,response_position,block_seconds,revisions,repeat"
    )
    assert header(folder / "ratings.csv") == ratings
    assert header(folder / "ratings_all.csv") == ratings
    assert header(folder / "gold.csv") == (
        "scenario,set,model,condition,dimension,gold,call_1,call_2,call_3,gold_by"
    )
    manifest = json.loads((folder / "export.json").read_text())
    assert manifest["absent"] == {
        "comments.csv": "the study asks for no free text",
        "comprehension.csv": "the study has no comprehension check",
        "training.csv": "the study has no training items",
        "judge_comparisons.csv": "no judge compares pairs",
        "judge_attempts.csv": "no judge was asked anything",
        "ranks.csv": "the study asks for no ranks and no choices",
        "waves.csv": "the study invites no people of an earlier one",
    }


def test_manifest_counts_everybody_who_came(study: Study, tmp_path: Path) -> None:
    withdraw(participant=study.participants.get(pseudonym="emil"), at=timezone.now())
    manifest = json.loads((export(study, tmp_path / "out") / "export.json").read_text())
    assert manifest["people"] == {
        "came": 8,
        "left_at_information": 1,
        "declined": 1,
        "screened_out": 0,
        "failed_comprehension": 0,
        "in_progress": 1,
        "completed": 4,
        "withdrawn": 1,
    }


def test_participants_say_what_the_filter_decided(study: Study, tmp_path: Path) -> None:
    people = rows(export(study, tmp_path / "out") / "participants.csv")

    assert [(p["participant"], p["included"], p["exclusion"]) for p in people] == [
        ("anna", "true", ""),
        ("bert", "false", "duration"),
        ("carl", "false", "attention"),
        ("'-dora", "false", "early_exit"),
        ("emil", "true", ""),
        ("gone", "false", ""),
        ("fred", "false", "decision"),
    ]
    assert not AnalysisRun.objects.exists()  # the filter is enough


def test_survey_during_which_the_clock_was_set_back_has_no_duration_to_be_excluded_by(
    study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bert = study.participants.filter(pseudonym="bert")  # excluded for his five minutes
    bert.update(clock_stepped=True, finished_at=START - timedelta(hours=1))
    page = Presentation.objects.filter(participant__in=bert, position=1)
    page.update(answered_at=START - timedelta(hours=1))
    folder = export(study, tmp_path / "out")

    [person] = [p for p in rows(folder / "participants.csv") if p["participant"] == "bert"]
    names = ("duration_seconds", "clock_stepped", "included", "exclusion")
    assert [person[name] for name in names] == ["", "true", "true", ""]
    pages = [p for p in rows(folder / "presentations.csv") if p["participant"] == "bert"]
    assert [(p["block_seconds"], p["clock_stepped"]) for p in pages] == [
        ("", "true"),
        *[("10.0", "false")] * 3,
    ]
    assert "-" not in {r["block_seconds"][:1] for r in rows(folder / "ratings_all.csv")}
    assert json.loads((folder / "export.json").read_text())["clock_stepped"] == 1
    assert "the server's clock was set back" in capsys.readouterr().err


def test_form_for_sharing_has_seconds_and_no_times(study: Study, tmp_path: Path) -> None:
    call_command("export", str(study), out=tmp_path, share=True, verbosity=0)
    columns = "participant,page,kind,name,seconds,clock_stepped"
    assert header(tmp_path / "page_times.csv") == columns
    first, *_ = rows(tmp_path / "page_times.csv")
    assert list(first.values()) == ["anna", "0", "consent", "", "0.0", "false"]
    for path in tmp_path.glob("*.csv"):
        times = {"started_at", "finished_at", "shown_at", "answered_at", "submitted_at"}
        assert path.name.startswith("judge") or not times & {*header(path).split(",")}, path


@pytest.mark.embedded
def test_reason_of_a_decision_is_not_in_the_form_for_sharing(study: Study, tmp_path: Path) -> None:
    whole = rows(export(study, tmp_path / "out") / "participants.csv")
    call_command("export", str(study), out=tmp_path / "shared", share=True, verbosity=0)
    shared = rows(tmp_path / "shared" / "participants.csv")

    decided = [
        {row["participant"]: row["excluded_by_decision"] for row in people}
        for people in (whole, shared)
    ]
    reason = "'=not in the list of submissions"
    assert [{who: why for who, why in of.items() if why} for of in decided] == [
        {"fred": reason},
        {"fred": "true"},
    ]
    copy = copy_of(tmp_path / "shared")
    [decision] = ManualDecision.objects.filter(participant__study=copy)
    assert (decision.excluded, decision.reason) == (True, "not stated in the imported file")


def test_cleaned_ratings_are_those_of_the_included(study: Study, tmp_path: Path) -> None:
    folder = export(study, tmp_path / "out")

    cleaned = [row["participant"] for row in rows(folder / "ratings.csv")]
    everybody = [row["participant"] for row in rows(folder / "ratings_all.csv")]
    assert cleaned == ["anna"] * 12 + ["emil"] * 12
    assert everybody == [
        n for n in ("anna", "bert", "carl", "'-dora", "emil", "fred") for _ in range(12)
    ]


def test_test_people_are_named_in_every_file_with_people(study: Study, tmp_path: Path) -> None:
    folder = export(study, tmp_path / "out", "simulated")

    for name in ("participants.csv", "ratings.csv", "ratings_all.csv"):
        sources = {row["participant"]: row["source"] for row in rows(folder / name)}
        assert sources["'@robot"] == "simulated", name
        assert sources["anna"] == "link", name


def test_identities_and_secrets_are_in_no_file(study: Study, tmp_path: Path) -> None:
    anna = Participant.objects.get(pseudonym="anna")
    Identity.objects.create(participant=anna, slug="small", kind="prolific", key="5f0c" * 6)
    folder = export(study, tmp_path / "out")

    text = "".join(path.read_text(encoding="utf-8") for path in folder.iterdir())
    assert "anna" in text
    assert "5f0c" * 6 not in text
    assert anna.secret not in text


def test_small_cells_are_those_of_answers_and_of_what_follows_from_them(
    study: Study, tmp_path: Path
) -> None:
    Participant.objects.filter(pseudonym="bert").update(device="phone", language="zh-hans")
    call_command("export", str(study), out=tmp_path, share=True, verbosity=0)
    cells = json.loads((tmp_path / "export.json").read_text())["small_cells"]
    assert not [cell for cell in cells if cell.startswith("state:")]  # states are not shared
    assert {"region: Midwest", "device: phone", "language: zh-hans"} <= set(cells)
    assert not [cell for cell in cells if cell.startswith("age:")]
    columns = header(tmp_path / "participants.csv").split(",")
    asked = [(columns.index(cell.partition(":")[0]), cell) for cell in cells]
    assert asked == sorted(asked) and len({place for place, _ in asked}) > 3


def test_codebook_has_a_line_for_every_column(study: Study, tmp_path: Path) -> None:
    folder = export(study, tmp_path / "out")

    *of_columns, of_all = rows(folder / "codebook.csv")
    assert of_all["file"] == of_all["column"] == "*" and "an apostrophe" in of_all["meaning"]
    described = [(row["file"], row["column"]) for row in of_columns]
    columns = [
        (name, column)
        for name in dict.fromkeys(name for name, _ in described)
        for column in header(folder / name).split(",")
    ]
    assert described == columns
    assert {name for name, _ in described} == {
        path.name for path in folder.glob("*.csv") if path.name != "codebook.csv"
    }
    meanings = {row["column"]: row["meaning"] for row in of_columns}
    assert set(meanings.values()) & {"", "Not asked in this study"} == {"Not asked in this study"}
    assert meanings["race"] == "Race?"


def test_stream_gives_what_the_command_writes(study: Study, tmp_path: Path) -> None:
    folder = export(study, tmp_path / "out")
    run = finished_run(study=study, sources=counted_sources())

    for name in ("participants.csv", "ratings.csv", "ratings_all.csv", "gold.csv", "codebook.csv"):
        assert "".join(stream_table(run, name)) == (folder / name).read_text("utf-8"), name
    with pytest.raises(KeyError):
        list(stream_table(run, "ranks.csv"))


def analyze(study: Study, folder: Path) -> dict[str, bytes]:
    call_command("analyze", str(study), out=folder, images=False, verbosity=0)
    return {path.name: path.read_bytes() for path in folder.glob("*.csv")}


def copy_of(folder: Path, **shape: Any) -> Study:
    """A fresh study of the same content, filled from the exported files alone."""
    copy = make_study(slug="copy", **shape)
    names = {"participants": "participants", "ratings": "ratings_all", "gold": "gold"}
    files = {name: folder / f"{file}.csv" for name, file in names.items()}
    if (folder / "ranks.csv").exists():
        files["ranks"] = folder / "ranks.csv"
    call_command("import_ratings", str(copy), verbosity=0, **files)
    return copy


SHAPES: dict[str, dict[str, Any]] = {
    "several dimensions, wide scale, one set without a name": {
        "dimensions": ("warmth", "insight"),
        "scale": range(-2, 9),
        "sets": {"": ["Ant", "-Bee"]},
    },
    "no reference": {"reference": None, "conditions": ("plain", "tuned")},
}
#: What a database makes of rows is seen with the usual shape.
ONCE = [pytest.param(shape, id=name, marks=pytest.mark.embedded) for name, shape in SHAPES.items()]


@pytest.mark.slow
@pytest.mark.parametrize("shape", [pytest.param({}, id="usual"), *ONCE])
def test_imported_export_gives_the_same_tables_byte_for_byte(
    shape: dict[str, Any], tmp_path: Path
) -> None:
    study = fill(make_study(**shape, recipes=QUICK_RECIPES))
    copy = copy_of(export(study, tmp_path / "out"), **shape, recipes=QUICK_RECIPES)

    original, again = analyze(study, tmp_path / "a"), analyze(copy, tmp_path / "b")
    names = ["funnel", "raters", "thresholds", "demographics", "items", "wins"]
    names += [
        "gold_distance",
        "wins_summary",
        "rater_differences",
        "protocol",
        "design_health",
        "largest_differences",
        "codebook",
    ]
    absent = json.loads((tmp_path / "a" / "manifest.json").read_text())["absent"]
    expected = {*names, *TABLES, *GUARD, *NAMES} - {*absent, *OF_WRITING}
    assert set(original) == {f"{name}.csv" for name in expected}
    for tables in (again, original):
        for name in ("protocol", "design_health"):  # they are about pages, too, which stay behind
            del tables[f"{name}.csv"]
    assert again == original


@pytest.mark.slow
def test_imported_export_exports_the_same(study: Study, tmp_path: Path) -> None:
    presentation = Presentation.objects.filter(participant__pseudonym="anna").earliest("pk")
    for rank, response in enumerate(presentation.block.responses.all(), start=1):
        Rating.objects.create(
            presentation=presentation, response=response, task="ranking", value=rank
        )
    StudyEvent.objects.create(study=study, action=StudyEvent.IMPORTED, detail={"ranks": 1})
    emil = study.participants.filter(pseudonym="emil")
    emil.update(clock_stepped=True, finished_at=START - timedelta(hours=1))
    first = export(study, tmp_path / "first")
    second = export(copy_of(first), tmp_path / "second")

    for name in ("ratings.csv", "ratings_all.csv", "gold.csv", "ranks.csv"):
        assert (second / name).read_bytes() == (first / name).read_bytes(), name
    given = [{**row, "source": "import"} for row in rows(first / "participants.csv")]
    assert rows(second / "participants.csv") == given
