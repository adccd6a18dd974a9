"""The comprehension check and training items, as researchers load, preview, simulate and report
them.
"""

import csv
import json
import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from analysis.execution import finished_run
from analysis.recipe_sets import set_recipes
from dashboard.design.versions import differences
from dashboard.prolific.drafts import codes_of
from dashboard.share.datasheet import heds
from dashboard.share.datasheet_files import facts_of
from dashboard.share.exports import filtered_by
from survey.models import ComprehensionAttempt, Participant, Rating, Slot, Study, TrainingAttempt
from survey.tidy import counted_sources, reading
from tests.dashboard.loading import QUICK_RECIPES, run, study_folder
from tests.dashboard.reading import table_headed, text_of
from tests.survey import small_study

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

TABLE = """\
item,prompt,context,response,dimension,least,most,why
listening,My cat died.,,You can buy a new one.,warmth,1,1,It passes over the grief.
listening,My cat died.,,You loved him for many years.,warmth,2,3,
advice,I lost my job.,Written at night.,Write applications.,warmth,1,2,It gives advice only.
"""
FROM_FILE = "training: {attempts: 2, items: training.csv}\n"
PROFILE = """\
behaviours: {comprehension_failer: 0.25}
second_attempt: 1
missed_training: 1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The small study with both parts, its training items in a file."""
    folder = study_folder(tmp_path)
    with (folder / "study.yaml").open("a") as file:
        file.write(small_study.COMPREHENSION + FROM_FILE)
    (folder / "training.csv").write_text(TABLE)
    return folder


@pytest.fixture
def study(folder: Path) -> Study:
    run("load_study", folder)
    return Study.objects.get()


# ── Loading ──────────────────────────────────────────────────────────────────────────────────


def test_items_of_a_file_are_those_that_study_yaml_would_have(study: Study) -> None:
    own = small_study.definition(small_study.YAML + small_study.TRAINING).model_dump(mode="json")
    assert study.definition["training"] == own["training"] | {"attempts": 2}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ((",1,1,", ",1,4,"), "training.csv, line 2: warmth: 4 is not a point of the scale"),
        ((",1,1,", ",2,1,"), "training.csv, line 2: warmth: give the smaller point first"),
        ((",1,1,", ",x,1,"), "training.csv, line 2: least 'x' is not a point of a scale"),
        ((",1,1,", ",inf,1,"), "training.csv, line 2: least 'inf' is not a point of a scale"),
        (("You can buy a new one.", ""), "training.csv, line 2: response is empty"),
        (("died.,,You loved", "left.,,You loved"), "line 3: the prompt of item 'listening'"),
        (("Write applications.,warmth", "Write applications.,wrmth"), "line 4: wrmth: 'wrmth' is"),
        (("advice,I lost", "Good advice,I lost"), "line 4: item: 'Good advice' is no name"),
        (("advice,I lost my job.,Written at night.,Write", "listening,My cat died.,,You can buy a "
          "new one.,warmth,1,1,\nadvice,I lost my job.,,Write"), "warmth' is on line 2 already"),
        ((",least,", ",lesat,"), "line 1: column 'lesat' is unknown; did you mean 'least'?"),
    ],
)  # fmt: skip
def test_mistake_in_the_file_is_named_with_its_line_and_changes_nothing(
    folder: Path, change: tuple[str, str], said: str
) -> None:
    (folder / "training.csv").write_text(TABLE.replace(*change, 1))
    with pytest.raises(CommandError, match=re.escape(said)) as caught:
        run("load_study", folder)
    assert len(str(caught.value).splitlines()) == 2  # nothing was loaded, and why
    assert not Study.objects.exists()


def test_further_columns_of_the_file_are_ignored_with_a_notice(folder: Path) -> None:
    rows = TABLE.splitlines()
    added = [f"{rows[0]},Raters", *(f"{row},3" for row in rows[1:])]
    (folder / "training.csv").write_text("\n".join(added))
    said = run("load_study", folder)
    assert "training.csv, line 1: column 'Raters' is ignored" in said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("items: training.csv", "items: ../training.csv"), "name a file in this folder"),
        (("items: training.csv", "items: none.csv"), "none.csv: No such file"),
        (
            ("attempts: 2, items", "attempts: 0, items"),
            "training.attempts: Input should be greater",
        ),
        (("attempts: 2, items", "tries: 2, items"), "training.tries: unknown key"),
    ],
)
def test_mistake_about_the_file_is_named_with_its_key(
    folder: Path, change: tuple[str, str], said: str
) -> None:
    yaml = folder / "study.yaml"
    yaml.write_text(yaml.read_text().replace(*change))
    with pytest.raises(CommandError, match=re.escape(said)):
        run("load_study", folder)


def test_file_is_for_studies_in_one_language(folder: Path) -> None:
    text = small_study.EVERYTHING_YAML + "ways_in: [link]\n" + FROM_FILE
    (folder / "study.yaml").write_text(text)
    with pytest.raises(CommandError, match=r"training\.items: a file has items in one"):
        run("load_study", folder)


# ── Design ───────────────────────────────────────────────────────────────────────────────────


def test_every_page_is_previewed(page: Client, study: Study) -> None:
    listed = page.get("/studies/small@1/pages/").content.decode()
    names = ["2", "2-again", "3", "3-within", "3-outside", "4", "4-within", "4-outside"]
    shown = {}
    for name in names:
        assert f"/studies/small@1/pages/{name}/?" in listed
        shown[name] = text_of(page.get(f"/studies/small@1/pages/{name}/"))
    assert "Questions about the instructions" in shown["2"]
    assert "Not all of your answers were right" in shown["2-again"]
    assert "My cat died." in shown["3"]
    assert "All your ratings are within the expected range" in shown["3-within"]
    assert "Not all of your ratings are within the expected range" in shown["3-outside"]
    assert "Your rating is outside the expected range" in shown["4-outside"]
    ending = text_of(page.get("/studies/small@1/pages/failed_comprehension/"))
    assert "The study ends here" in ending
    assert not ComprehensionAttempt.objects.exists()


def test_second_try_of_training_is_previewed(page: Client, db: None) -> None:
    twice = small_study.TRAINING.replace("training:", "training:\n  attempts: 2")
    small_study.load(yaml=small_study.YAML + twice)
    listed = page.get("/studies/small@1/pages/").content.decode()
    assert "Training “Listening”, second try" in listed
    again = text_of(page.get("/studies/small@1/pages/2-again/"))
    assert "rate them once more" in again and "It passes over the grief." in again


def test_texts_have_right_answers_and_expected_ranges(page: Client, study: Study) -> None:
    shown = text_of(page.get("/studies/small@1/texts/"))
    assert "Right answer: A person in need." in shown
    assert "Expected: Warmth 1 to 1. Why: It passes over the grief." in shown
    assert "Comprehension check failed" in shown


def test_versions_tell_what_changed_in_both_parts(page: Client, study: Study, folder: Path) -> None:
    Participant.objects.create(study=study, source="link")
    yaml = folder / "study.yaml"
    yaml.write_text(yaml.read_text().replace("Who reads the replies?", "Who reads them?"))
    (folder / "training.csv").write_text(TABLE.replace("gives advice only", "only gives advice"))
    run("load_study", folder)
    old, new = Study.objects.order_by("version")
    changed = [(part.part, part.summary) for part in differences(old, new)]
    assert changed == [("Comprehension check", "1 changed"), ("Training", "1 changed")]
    shown = text_of(page.get("/studies/small@2/versions/"))
    assert "Who reads them?" in shown
    assert "only gives advice" in shown


def test_draft_on_prolific_asks_for_a_return_and_never_rejects(study: Study) -> None:
    study.settings["prolific"]["failed_comprehension_code"] = "RETURN1"
    [code] = [code for code in codes_of(study) if code["code"] == "RETURN1"]
    assert code["actions"] == [
        {
            "action": "REQUEST_RETURN",
            "return_reason": "Your answers to the questions about the instructions were not all "
            "right.",
        }
    ]


# ── Simulated raters, and all that is said of them ───────────────────────────────────────────


@pytest.fixture
def taken(live_server: LiveServer, study: Study, tmp_path: Path) -> Study:
    """By three raters who need the second attempt, and one who fails it; all miss every range."""
    set_recipes(study=study, recipes=QUICK_RECIPES)
    profile = tmp_path / "profile.yaml"
    profile.write_text(PROFILE)
    out, err = StringIO(), StringIO()
    counts = ("--participants", "4", "--seed", "1", "--profile", str(profile))
    call_command("simulate", "small", "--server", live_server.url, *counts, stdout=out, stderr=err)
    said = out.getvalue().splitlines()
    assert said[0] == "small@1: 4 simulated raters: 3 completed, 1 failed comprehension"
    assert said[1] == "  behaviours: 3 careful, 1 comprehension_failer"
    assert err.getvalue() == ""
    return study


def test_raters_answer_as_the_profile_says_and_training_is_no_rating(taken: Study) -> None:
    attempts = ComprehensionAttempt.objects.values_list("number", "passed")
    assert sorted(attempts) == [(1, False)] * 4 + [(2, False)] + [(2, True)] * 3
    tries = TrainingAttempt.objects.values_list("name", "number", "within")
    assert sorted(set(tries)) == [
        (name, number, False) for name in ("advice", "listening") for number in (1, 2)
    ]
    assert tries.count() == 3 * 4
    assert Rating.objects.count() == 3 * 12
    assert Slot.objects.filter(participant=None).count() <= 1
    assert Participant.objects.filter(held_pool="").get().status == "failed_comprehension"


def test_overview_counts_who_was_sent_away(page: Client, taken: Study) -> None:
    shown = page.get("/studies/small@1/?include=simulated")
    header, *rows = table_headed(shown, "Source")
    row = dict(zip(header, rows[-1], strict=True))
    assert (row["Completed"], row["Failed comprehension"]) == ("3", "1")
    pages = {row[0]: row[1:4] for row in table_headed(shown, "Page")[1:]}
    assert pages["2. Comprehension check"] == ["4", "1", "25"]
    assert pages["3. Training"] == ["3", "0", "0"]
    counts = page.get("/api/studies/small@1/counts/").json()
    assert counts["sources"][0]["failed_comprehension"] == 1


def test_rater_page_has_attempts_and_training(page: Client, taken: Study) -> None:
    person = Participant.objects.filter(status="completed").first()
    assert person is not None
    shown = page.get(f"/studies/small@1/raters/{person.pk}/")
    names = [row[0] for row in table_headed(shown, "Page")[1:]]
    assert names[:5] == [
        "Consent",
        "Instructions",
        "Comprehension check, 2 attempts",
        "Training “Listening”, 2 attempts",
        "Training “Advice”, 2 attempts",
    ]
    assert len(table_headed(shown, "Attempt")) == 1 + 2 * 2
    training = table_headed(shown, "Item")[1:]
    assert len(training) == 2 * 3
    assert {row[-1] for row in training} == {"outside"}
    assert len(table_headed(shown, "Block")[1:]) == 12


def test_export_has_files_of_their_own_and_explains_every_column(taken: Study) -> None:
    done = finished_run(study=taken, sources=["simulated"])
    with reading():
        export = filtered_by(done)
        tables = {name: list(make().rows) for name, make in export.tables().items()}
        codebook = list(export.codebook().rows)
    assert len(tables["comprehension.csv"]) == 4 * 2 * 2
    assert len(tables["training.csv"]) == 3 * 2 * 3
    assert len(tables["ratings_all.csv"]) == 3 * 12
    about = [row for row in codebook if row[0] in ("comprehension.csv", "training.csv")]
    assert len(about) == 8 + 12  # with the column `source`
    assert all(meaning and meaning != "Not asked in this study" for _, _, meaning, _ in about)
    names = {(file, column): values for file, column, _, values in about}
    assert "Who reads the replies? Right: A person in need" in names["comprehension.csv", "name"]


def test_report_and_datasheet_say_how_many_passed(taken: Study, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("analyze", "small", "--out", out, "--include", "simulated", "--no-images")
    methods = " ".join((out / "methods.md").read_text().split())
    assert (
        "participants answered questions about the instructions: 0 passed at the first attempt "
        "and 3 at the second; 1 did not pass and were sent away before they rated anything."
    ) in methods
    assert "rated 2 training items with feedback; these ratings are not analysed." in methods
    manifest = json.loads((out / "manifest.json").read_text())
    outcomes = {"passed_first": 0, "passed_second": 3, "failed": 1}
    assert manifest["comprehension"] == outcomes
    figure = (out / "report.html").read_text()
    assert "failed comprehension: 1" in figure
    done = finished_run(study=taken, sources=counted_sources(["simulated"]))
    trained = next(a for a in heds(facts_of(done)) if a.number == "3.2.4")
    assert trained.text.startswith(
        "Written instructions before the first page, then 2 questions about them; 2 practice "
        "pages with feedback. 0 people passed the questions at the first attempt and 3 at the"
    )


def test_export_json_counts_who_was_sent_away_and_can_be_imported_again(
    taken: Study, tmp_path: Path
) -> None:
    out = tmp_path / "data"
    run("export", "small", "--out", out, "--include", "simulated")
    people = json.loads((out / "export.json").read_text())["people"]
    assert people["failed_comprehension"] == 1
    rows = list(csv.DictReader((out / "participants.csv").open(newline="")))
    assert sorted(row["status"] for row in rows) == ["completed"] * 3 + ["failed_comprehension"]
    folder = tmp_path / "again"
    folder.mkdir()
    study_folder(folder)
    yaml = folder / "study.yaml"
    yaml.write_text(yaml.read_text().replace("slug: small", "slug: again"))
    run("load_study", folder)
    files = ("--participants", out / "participants.csv", "--ratings", out / "ratings_all.csv")
    run("import_ratings", "again", *files)
    again = Participant.objects.filter(study__slug="again")
    assert sorted(again.values_list("status", flat=True)) == sorted(r["status"] for r in rows)
    assert "training.csv" in {path.name for path in out.iterdir()}
