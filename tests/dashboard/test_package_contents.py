"""What a zip has for others, and what it must not have: texts, codes, states, names."""

import csv
import json
import re
import shutil
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

import pytest
from django.core.management import call_command
from django.test import override_settings
from pytest_django import DjangoDbBlocker

from analysis.execution import finished_run
from analysis.recipe_sets import set_recipes
from dashboard.design.study_folder import load_folder, read_folder
from dashboard.share.models import Package
from dashboard.share.packages import request_package
from jobs.runner import run_job
from judge.models import Call
from survey.definition.settings import ENDINGS, Prolific
from survey.loading import content_hash
from survey.models import FreeAnswer, Study, TrainingAttempt
from survey.tidy import counted_sources
from tests.dashboard.judging import add_attempt, answer_calls, gold_set, planned
from tests.factories import START, add_participant
from tests.psych_ds import problems
from tests.shared_rows import undone_after_the_file
from tests.survey import small_study

pytestmark = pytest.mark.embedded  # what is written to files

#: No other file of a zip has these words.
PROMPT, CONTEXT, RESPONSE = "XPROMPTX", "XCONTEXTX", "XRESPONSEX"
PRACTICE, WHY = "XPRACTICEX", "XWHYX"
ANSWER, COMMENT = "XANSWERX", "XCOMMENTX"
TEXTS = (PROMPT, CONTEXT, RESPONSE, PRACTICE, WHY, ANSWER)
CODES = {Prolific.key_of(ending): f"CODE{number}X" for number, ending in enumerate(ENDINGS)}
SETTINGS = f"""
ways_in: [prolific, link]
prolific:
  return_url: https://panel.example.org/done?secret=XSECRETX
  failed_attention_from: 3
  parameters: {{participant: XPIDX}}
{"".join(f"  {key}: {code}{chr(10)}" for key, code in CODES.items())}
labels: {{models: {{Ant: The ant 蚂蚁}}}}
datasheet: {{payment: XPAYX}}
judging: {{judges: [{{seed: 1}}], budget: {{money: 987.5}}}}
"""
CITATION = "Doe (2026). 共情. Journal of Examples."
TERMS = f"""
share:
  responses: true
  withhold: [sex]
  licence: cc-by-4.0
  citation: {CITATION}
  contact: {{name: Jane Doe, email: jane@example.org, affiliation: Example University}}
"""
#: What each state leads to.
STATES = {"ann": ("Ohio", "Midwest"), "ben": ("Puerto Rico", "Other"), "cat": (None, "")}


def unique_csv() -> str:
    """The responses of the small study, with unmistakable texts."""
    lines = ["scenario,set,prompt,context,model,condition,response"]
    for row in csv.DictReader(StringIO(small_study.CSV)):
        text = f"{RESPONSE} {row['model']} {row['condition']} {row['scenario']}"
        cells = (
            *(row["scenario"], row["set"], f"{PROMPT} {row['scenario']} 提示"),
            *(f"{CONTEXT} {row['scenario']}", row["model"], row["condition"], text),
        )
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"


def load(folder: Path, more: str = "") -> Study:
    """The study with unmistakable texts."""
    folder.mkdir(exist_ok=True)
    training = re.sub(r"(prompt|text|context): [^\n,}]*", rf"\1: {PRACTICE}", small_study.TRAINING)
    training = re.sub(r"why: [^\n,}]*", f"why: {WHY}", training)
    text = small_study.YAML + training + "comment: Remarks?\n" + SETTINGS + more
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    (folder / "responses.csv").write_text(unique_csv(), encoding="utf-8")
    return load_folder(read_folder(folder)).study


def taken(study: Study) -> None:
    """By three people, with a judge that has reasons, an error, and free text."""
    set_recipes(study=study, recipes=[])
    gold_set(study, 2.5, calls=(2, 3))
    for name, (state, _) in STATES.items():
        about = {"sex": "Female", **({"state": state} if state else {})}
        person = add_participant(
            study, pseudonym=name, demographics=about, rate=lambda key: 1 + len(key[3]) % 3
        )
        presentation = person.presentations.first()
        FreeAnswer.objects.create(
            participant=person, presentation=presentation, name="comment", text=COMMENT
        )
        TrainingAttempt.objects.create(
            participant=person,
            name="listening",
            number=1,
            ratings=[{"warmth": 1}, {"warmth": 2}],
            within=True,
            answered_at=START,
        )
    judge = planned(study)
    calls = Call.objects.filter(judge=judge)
    answer_calls(calls)
    for call in calls:
        call.attempts.update(
            request={
                "model": "m",
                "messages": [{"role": "user", "content": f"{PROMPT} {RESPONSE}"}],
            },
            raw_text=f"{ANSWER}: as “{RESPONSE}” says",
        )
        call.scores.update(reason=f"{ANSWER} quotes {RESPONSE}")
    add_attempt(calls[0], "http_error", error="key sk-XKEYX of org-XORGX is wrong", http_status=401)


class Zips(NamedTuple):
    """The study's zip while its file says nothing of sharing, and with TERMS: both unpacked."""

    bare: Path
    terms: Path


@pytest.fixture(scope="module")
def zips(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Zips]:
    folder = tmp_path_factory.mktemp("zips")
    with (
        undone_after_the_file(django_db_blocker),
        override_settings(PACKAGES_DIR=folder / "packages"),
    ):
        with django_db_blocker.unblock():
            study = load(folder / "study")
            taken(study)
            bare = unpacked(study, folder / "bare")
            load(folder / "study", TERMS)
            terms = unpacked(study, folder / "terms")
        yield Zips(bare, terms)


@pytest.fixture
def study(zips: Zips, db: None) -> Study:
    """It has the terms by now."""
    return Study.objects.get(slug="small")


def unpacked(study: Study, folder: Path) -> Path:
    """A package of the study as it is now, out of its zip."""
    run = finished_run(study=study, sources=counted_sources())
    package = request_package(run=run, recipe="both", images=False)
    run_job(Package, package.pk)
    package.refresh_from_db()
    assert package.state == "done", package.error
    with ZipFile(package.path) as packed:
        packed.extractall(folder)
    return folder / Path(package.file_name).stem


def words_in(folder: Path, *words: str) -> dict[str, set[str]]:
    """The files that have any of the words, by word; Plotly's own script aside."""
    texts = {
        str(path.relative_to(folder)): re.sub(
            r"<script>.*?</script>", "", path.read_text("utf-8"), flags=re.DOTALL
        )
        for path in folder.rglob("*")
        if path.is_file()
    }
    there = {word: {name for name, text in texts.items() if word in text} for word in words}
    return {word: names for word, names in there.items() if names}


def data(folder: Path, name: str) -> list[dict[str, str]]:
    [path] = (folder / "data").glob(f"*_description-{name}_data.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_without_a_word_of_it_no_text_and_no_secret_is_in_any_file(zips: Zips) -> None:
    folder = zips.bare
    private = ("XSECRETX", "XPIDX", "XKEYX", "XORGX", "987.5", COMMENT, *CODES.values())
    assert words_in(folder, *TEXTS, *private) == {}
    assert {path.name for path in (folder / "materials").iterdir()} == {"study.yaml"}
    written = (folder / "materials" / "study.yaml").read_text("utf-8")
    assert "[not shared]" in written and "The ant 蚂蚁" in written and "XPAYX" in written
    assert "failed_attention_from: 3" in written
    attempts = data(folder, "judgeAttempts")
    assert {(row["request"], row["raw_text"]) for row in attempts} == {("", "")}
    assert "error" not in attempts[0]
    assert {row["reason"] for row in data(folder, "judgeScores")} == {""}


def test_shared_texts_are_where_they_belong_and_load_as_the_same_study(
    zips: Zips, study: Study
) -> None:
    folder = zips.terms
    private = ("XSECRETX", "XPIDX", "XKEYX", "XORGX", "987.5", COMMENT, *CODES.values())
    assert words_in(folder, *private) == {}
    there = words_in(folder, *TEXTS)
    assert there[PROMPT] >= {"materials/responses.csv"}
    assert there[PRACTICE] >= {"materials/study.yaml"}
    assert {row["raw_text"] for row in data(folder, "judgeAttempts") if row["raw_text"]}
    theirs = read_folder(folder / "materials")
    assert content_hash(theirs.definition, theirs.rows, theirs.translations) == study.content_hash


def test_state_is_empty_unless_it_is_shared_and_region_is_filled(zips: Zips) -> None:
    folder = zips.bare
    people = {row["participant"]: row for row in data(folder, "participants")}
    assert {row["state"] for row in people.values()} == {""}
    assert {name: row["region"] for name, row in people.items()} == {
        name: region for name, (_, region) in STATES.items()
    }
    assert words_in(folder, "Ohio", "Puerto Rico") == {}
    with (folder / "data" / "codebook.csv").open(encoding="utf-8", newline="") as file:
        values = {row["column"]: row["values"] for row in csv.DictReader(file)}
    assert values["state"] == values["request"] == "empty: not shared"
    assert "Midwest" in values["region"]


def test_study_chooses_what_is_withheld(zips: Zips) -> None:
    folder = zips.terms
    people = {row["participant"]: row for row in data(folder, "participants")}
    assert {name: row["state"] or None for name, row in people.items()} == {
        name: state for name, (state, _) in STATES.items()
    }
    assert {row["sex"] for row in people.values()} == {""}
    demographics = (folder / "analysis" / "demographics.csv").read_text("utf-8")
    assert "Ohio" in demographics and "Female" not in demographics
    cells = json.loads((folder / "data" / "export.json").read_text("utf-8"))["small_cells"]
    assert "state: Ohio" in cells and not [cell for cell in cells if cell.startswith("sex")]


def test_command_writes_the_same_columns_empty(study: Study, tmp_path: Path) -> None:
    study.settings["share"] = {}
    study.save()
    call_command("export", str(study), out=tmp_path / "shared", share=True, verbosity=0)
    call_command("export", str(study), out=tmp_path / "full", verbosity=0)
    states = {
        form: [
            row["state"] for row in csv.DictReader((tmp_path / form / "participants.csv").open())
        ]
        for form in ("shared", "full")
    }
    assert states == {"shared": ["", "", ""], "full": ["Ohio", "Puerto Rico", ""]}
    assert words_in(tmp_path / "shared", *TEXTS, COMMENT) == {}


def test_package_follows_psych_ds(zips: Zips) -> None:
    assert [problems(folder) for folder in zips] == [[], []]


def test_terms_are_in_the_readme_and_in_the_description(zips: Zips) -> None:
    folder = zips.terms
    about = json.loads((folder / "dataset_description.json").read_text("utf-8"))
    assert about["license"] == "https://spdx.org/licenses/CC-BY-4.0.html"
    assert about["citation"] == CITATION
    assert about["maintainer"] == {
        "@type": "Person",
        "name": "Jane Doe",
        "email": "jane@example.org",
        "affiliation": {"@type": "Organization", "name": "Example University"},
    }
    readme = (folder / "README.txt").read_text("utf-8")
    assert "Licence:  CC-BY-4.0" in readme and f"Citation: {CITATION}" in readme
    assert "Contact:  Jane Doe, Example University <jane@example.org>" in readme


def test_without_terms_the_readme_says_so(zips: Zips) -> None:
    folder = zips.bare
    about = json.loads((folder / "dataset_description.json").read_text("utf-8"))
    assert not {"license", "citation", "maintainer"} & about.keys()
    readme = (folder / "README.txt").read_text("utf-8")
    assert "Licence:  none was given. Ask the authors before you reuse these files." in readme
    assert "Citation: not given" in readme and "Contact:  not given" in readme


def test_data_of_a_zip_are_imported_as_its_readme_says(
    zips: Zips, study: Study, tmp_path: Path
) -> None:
    folder = zips.terms
    said = (folder / "README.txt").read_text("utf-8").replace("\\\n", " ")
    [command] = re.findall(r"manage.py import_ratings STUDY (.*)", said)
    shutil.copytree(folder / "materials", tmp_path / "copy")
    file = tmp_path / "copy" / "study.yaml"
    file.write_text(file.read_text("utf-8").replace("slug: small", "slug: copy"), "utf-8")
    copy = load_folder(read_folder(tmp_path / "copy")).study
    words = command.split()
    paths = [word if word.startswith("--") else str(folder / word) for word in words]
    call_command("import_ratings", str(copy), *paths, verbosity=0)
    set_recipes(study=copy, recipes=[])
    runs = [finished_run(study=each, sources=counted_sources()) for each in (study, copy)]
    for name in ("items", "wins", "demographics"):
        ours, theirs = (run.results.get(kind="table", name=name).content for run in runs)
        if name == "demographics":  # what was withheld is not there
            ours["rows"] = [row for row in ours["rows"] if row[0] != "sex"]
        assert theirs == ours, name
