"""Studies of every kind of task, from simulated raters over HTTP to exports and back again."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import DjangoDbBlocker
from pytest_django.live_server_helper import LiveServer

from analysis.execution import finished_run
from analysis.recipe_sets import set_recipes
from survey.models import Rating, Study
from survey.simulated.crowd import look_up, read_content, walk_all
from survey.simulated.plan import plan_raters
from survey.simulated.profile import SimulationProfile
from survey.simulated.walker import SentRating, Walk
from survey.tidy import counted_sources
from tests.dashboard.loading import QUICK_RECIPES
from tests.survey import small_study
from tests.survey.test_simulated_walker import NOW

# What is computed and shown: the database changes nothing of it.
pytestmark = pytest.mark.embedded

YAMLS = {
    "slider": small_study.SLIDER_YAML,
    "choices": small_study.CHOICES_YAML,
    "everything": small_study.EVERYTHING_YAML,
}
PROFILE = {
    "behaviours": {"screened_out": 0.2, "decliner": 0.1, "early_exit": 0.1, "random_clicker": 0.1},
    "languages": {"zh-hans": 0.5},
    "devices": {"phone": 0.5},
    "writes": 0.7,
}


#: What is stored and read is the same for all of them: one has every kind. A study of choices alone
#: is taken, exported and brought back by `tests/e2e/test_example_designs.py`, too.
KINDS = [
    pytest.param("slider", marks=pytest.mark.embedded),
    pytest.param("choices", marks=pytest.mark.embedded),
    "everything",
]


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def taken(
    kind: str, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[tuple[Study, list[Walk]]]:
    """The study, analysed, and those who took it, once for all its tests: they undo what they
    change.
    """
    with django_db_blocker.unblock():
        study = fresh_study(kind)
        content = read_content(study)
        profile = SimulationProfile.model_validate(PROFILE)
        plans = plan_raters(profile=profile, content=content, participants=10, seed=3)
        rota = look_up(study, plans, NOW)
        server = LiveServer("localhost")
        walks = list(walk_all(rota, server=server.url, content=content, workers=2))
        server.stop()
        finished_run(study=study, sources=counted_sources(["simulated"]))
    yield study, walks
    with django_db_blocker.unblock():
        call_command("flush", verbosity=0, interactive=False)


@pytest.fixture
def study(taken: tuple[Study, list[Walk]], db: None) -> Study:
    return Study.objects.get(pk=taken[0].pk)


@pytest.fixture
def walks(taken: tuple[Study, list[Walk]]) -> list[Walk]:
    return taken[1]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def export(study: Study, folder: Path, **options: object) -> Path:
    call_command("export", str(study), out=folder, include=["simulated"], verbosity=0, **options)
    return folder


def analyze(study: Study, folder: Path) -> dict[str, bytes]:
    call_command(
        "analyze", str(study), out=folder, include=["simulated"], images=False, verbosity=0
    )
    return {path.name: path.read_bytes() for path in folder.glob("*.csv")}


def fresh_study(kind: str, *, slug: str = "small") -> Study:
    study = small_study.load(yaml=YAMLS[kind].replace("slug: small", f"slug: {slug}"))
    set_recipes(study=study, recipes=QUICK_RECIPES)
    return study


def copy_of(folder: Path, kind: str) -> Study:
    """A fresh study of the same content, filled from the exported files alone."""
    copy = fresh_study(kind, slug="copy")
    names = {"participants": "participants", "ratings": "ratings_all", "ranks": "ranks"}
    files = {name: folder / f"{file}.csv" for name, file in names.items()}
    there = {name: path for name, path in files.items() if path.exists()}
    call_command("import_ratings", str(copy), verbosity=0, **there)
    return copy


def test_database_holds_what_was_sent_and_the_export_what_the_database_holds(
    kind: str, study: Study, walks: list[Walk], tmp_path: Path
) -> None:
    stored = {
        (
            row.presentation.participant.identity.key,
            SentRating(
                row.presentation.block.scenario.name,
                row.presentation.block.set_name,
                row.response.public_id,
                row.task,
                row.dimension,
            ),
        ): row.value
        for row in Rating.objects.select_related(
            "presentation__participant__identity", "presentation__block__scenario", "response"
        )
    }
    assert stored == {(w.plan.person, at): value for w in walks for at, value in w.sent.items()}
    assert {at.task for _, at in stored} == {
        "slider": {"slider", "ranking"},
        "choices": {"best_worst"},
        "everything": {"likert", "ranking", "best_worst"},
    }[kind]

    folder = export(study, tmp_path / "out")
    ratings = rows(folder / "ratings_all.csv") if kind != "choices" else []
    ranks = rows(folder / "ranks.csv")
    assert len(ratings) == sum(at.task in ("likert", "slider") for _, at in stored)
    assert sum(bool(row["rank"]) for row in ranks) == sum(a.task == "ranking" for _, a in stored)
    assert sum(bool(row["choice"]) for row in ranks) == sum(
        at.task == "best_worst" for _, at in stored
    )
    shown = rows(folder / "shown_responses.csv")
    assert {row["response_position"] for row in shown} == {"1", "2", "3"}
    seconds = {float(row["seconds_on_screen"]) > 0 for row in shown if row["seconds_on_screen"]}
    assert seconds == {True}
    assert all(row["source"] == "simulated" for row in [*shown, *ranks, *ratings])


def test_imported_export_gives_the_same_bytes(
    kind: str, study: Study, walks: list[Walk], tmp_path: Path
) -> None:
    first = export(study, tmp_path / "first")
    copy = copy_of(first, kind)
    second = export(copy, tmp_path / "second")

    for name in ("participants.csv", "ratings.csv", "ratings_all.csv", "ranks.csv"):
        assert (first / name).exists() == (second / name).exists()
        if (first / name).exists():
            assert (second / name).read_bytes() == (first / name).read_bytes(), name
    again, original = analyze(copy, tmp_path / "b"), analyze(study, tmp_path / "a")
    for tables in (again, original):
        tables.pop("protocol.csv", None)  # it is about comments and pages, which stay behind
    assert again == original


@pytest.mark.embedded
def test_pages_of_the_study_open(
    kind: str, study: Study, walks: list[Walk], page: Client, tmp_path: Path
) -> None:
    analyze(study, tmp_path / "out")
    call_command("analyze", str(study), out=tmp_path / "real", images=False, verbosity=0)
    for part in ("", "results/", "raters/", "figures/", "downloads/", "gold/", "order/", "pilot/"):
        for query in ("", "?include=simulated"):
            assert page.get(f"/studies/{study}/{part}{query}").status_code == 200, (part, query)


@pytest.mark.embedded  # the same export and analysis as of everything
@pytest.mark.parametrize("kind", ["choices"], indirect=True)
def test_a_study_without_ratings_has_no_table_of_them_and_says_why(
    kind: str, study: Study, walks: list[Walk], tmp_path: Path
) -> None:
    absent = json.loads((export(study, tmp_path / "out") / "export.json").read_text())["absent"]
    assert absent == {
        "ratings.csv": "the study has no ratings",
        "ratings_all.csv": "the study has no ratings",
        "gold.csv": "there are no gold scores",
        "judge_scores.csv": "no judge and no file has scores",
        "judge_comparisons.csv": "no judge compares pairs",
        "judge_attempts.csv": "no judge was asked anything",
        "attention_checks.csv": "no attention check was shown here",
        "comprehension.csv": "the study has no comprehension check",
        "training.csv": "the study has no training items",
        "waves.csv": "the study invites no people of an earlier one",
    }
    analyze(study, tmp_path / "tables")
    manifest = json.loads((tmp_path / "tables" / "manifest.json").read_text())
    assert manifest["absent"]["items"] == "the study asks for no ratings"
    report = (tmp_path / "tables" / "report.html").read_text(encoding="utf-8")
    assert "Single answers: ranks.csv and comments.csv of an export" in report
    assert 'Counts of answers: <a href="choices.csv">' in report
    chosen_at_all = sum(
        int(row["best"]) + int(row["worst"])
        for row in rows(tmp_path / "tables" / "choices.csv")
        if (row["scenario"], row["raters"]) == ("all", "all")
    )
    assert f" {chosen_at_all} choices</a>" in report
    assert "0 ratings" not in report
    assert report.count("<dd>the study asks for no ratings</dd>") == 1
    chosen = {
        (row["participant"], row["scenario"], row["set"], row["choice"])
        for row in rows(tmp_path / "out" / "ranks.csv")
    }
    raters = rows(tmp_path / "tables" / "raters.csv")
    assert any(row["fast_pages"] for row in raters)
    blocks = {place[:3] for place in chosen}
    assert chosen == {(*place, choice) for place in blocks for choice in ("best", "worst", "")}


def test_a_study_with_ratings_is_not_imported_without_them(db: None, tmp_path: Path) -> None:
    study = fresh_study("slider", slug="empty")
    people = tmp_path / "participants.csv"
    people.write_text("participant,status\nanna,completed\n")
    with pytest.raises(CommandError, match="empty@1 has ratings, so give their file too"):
        call_command("import_ratings", "empty", participants=people)
    assert not study.participants.exists()


def test_ratings_of_a_study_without_any_are_refused(db: None, tmp_path: Path) -> None:
    study = fresh_study("choices", slug="empty")
    (tmp_path / "participants.csv").write_text("participant,status\nanna,completed\n")
    (tmp_path / "ratings.csv").write_text(
        "participant,scenario,set,model,condition,rating\nanna,S1,1,Ant,plain,1\n"
    )
    (tmp_path / "gold.csv").write_text("scenario,set,model,condition,gold\nS1,1,Ant,plain,1\n")
    files = {name: tmp_path / f"{name}.csv" for name in ("participants", "ratings", "gold")}
    with pytest.raises(CommandError) as caught:
        call_command("import_ratings", "empty", **files)
    assert str(caught.value).replace(f"{tmp_path}/", "").splitlines() == [
        "gold.csv, line 1: the study has no ratings, so it has no gold scores",
        "ratings.csv, line 2: the study has no ratings; ranks and choices are in ranks.csv",
    ]
    assert not study.participants.exists()


@pytest.mark.parametrize("kind", ["everything"], indirect=True)
def test_everything_else_that_was_answered_is_in_a_table_of_its_own(
    kind: str, study: Study, walks: list[Walk], tmp_path: Path
) -> None:
    folder = export(study, tmp_path / "out")
    people = {row["participant"]: row for row in rows(folder / "participants.csv")}
    endings = sorted(row["ending"] for row in people.values())
    assert endings == ["", "completed", "completed", "completed", "completed", "completed",
                       "completed", "declined", "screened_out", "screened_out"]  # fmt: skip
    assert {row["language"] for row in people.values()} == {"en", "zh-hans"}
    asked = [row for row in people.values() if row["status"] != "declined"]
    assert {(row["status"] == "screened_out", row["home"]) for row in asked} == {
        (True, "Elsewhere"),
        (False, "Here"),
    }
    devices = {row["device"] for row in people.values() if row["ending"] == "completed"}
    assert devices <= {"phone", "desktop"}

    checks = rows(folder / "attention_checks.csv")
    assert {(row["name"], row["kind"], row["place"] != "") for row in checks} == {
        ("own_page", "item", False),
        ("inside", "in_block", True),
    }
    comments = rows(folder / "comments.csv")
    assert {row["name"] for row in comments} == {"comment", "looking_back"}
    at_the_end = [row for row in comments if row["name"] == "looking_back"]
    assert {(row["scenario"], row["set"], row["block_position"]) for row in at_the_end} == {
        ("", "", "")
    }
    assert len(at_the_end) == 6  # required
    presentations = rows(folder / "presentations.csv")
    assert all(row["visible_seconds"] for row in presentations if row["answered_at"])


@pytest.mark.parametrize("kind", ["everything"], indirect=True)
def test_the_form_for_sharing_lacks_what_may_identify_and_says_so(
    kind: str, study: Study, walks: list[Walk], tmp_path: Path
) -> None:
    folder = export(study, tmp_path / "out", share=True)
    assert not (folder / "comments.csv").exists()
    headers = {
        column
        for path in folder.glob("*.csv")
        for column in path.read_text().splitlines()[0].split(",")
    }
    assert not {name for name in headers if name.endswith("_at") or "viewport" in name}
    manifest = json.loads((folder / "export.json").read_text())
    assert manifest["form"] == "for sharing"
    assert manifest["absent"]["comments.csv"].startswith("free text may tell who wrote it")
    assert "home: Elsewhere" in manifest["small_cells"]
