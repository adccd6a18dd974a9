"""docs/importing.md says every column that is read, and its examples can be imported."""

import re
import shlex
import shutil
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from dashboard.importing.checks import RANKS, RATINGS
from dashboard.importing.gold import GOLD
from dashboard.importing.people import PARTICIPANTS
from dashboard.raters.submission_lists import SUBMISSIONS
from judge.models import GoldSet
from survey.definition import responses
from survey.files.table_file import Columns
from survey.models import Participant, Rating, Study

ROOT = Path(__file__).parents[2]
DOCS = (ROOT / "docs" / "importing.md").read_text(encoding="utf-8")
EXAMPLES = ROOT / "examples" / "imported"
NEEDED = {"yes": "required", "if there are several": "required", "no": "optional"}
FILES = {
    "responses": responses.COLUMNS,
    "participants": PARTICIPANTS,
    "ratings": RATINGS,
    "ranks": RANKS,
    "gold": GOLD,
    "submissions": SUBMISSIONS,
}


@pytest.mark.parametrize(("file", "columns"), FILES.items(), ids=list(FILES))
def test_every_column_is_documented_as_it_is_declared(file: str, columns: Columns) -> None:
    section = re.split(r"(?m)^## ", DOCS.split(f"\n## {file}.csv\n")[1])[0]
    found: dict[str, set[str]] = {"required": set(), "optional": set(), "ignored": set()}
    for names, needed in re.findall(r"(?m)^\| (`[^|]+) \| ([^|]+) \|", section):
        found[NEEDED.get(needed, "ignored")] |= set(re.findall(r"`([^`]+)`", names))
    numbered = {name for name in found["optional"] if columns.knows(name)} - {*columns.optional}
    assert bool(numbered) == bool(columns.numbered)
    assert found == {
        "required": set(columns.required),
        "optional": {*columns.optional} | numbered,
        "ignored": {*columns.ignored} - {*columns.optional, *columns.required},
    }
    assert f"(../examples/imported/{file}.csv)" in section
    assert (EXAMPLES / f"{file}.csv").exists()


@pytest.fixture
def imported(db: None, monkeypatch: pytest.MonkeyPatch) -> Study:
    """The example, by the commands of the page."""
    monkeypatch.chdir(ROOT)
    (commands,) = re.findall(r"```sh\n(.*?)```", DOCS, flags=re.S)
    for command in re.findall(r"(?m)^manage (.*)", commands.replace("\\\n", " ")):
        call_command(*shlex.split(command), stdout=StringIO())
    return Study.objects.get(slug="imported")


def test_examples_are_imported_by_the_commands_of_the_page(imported: Study) -> None:
    assert imported.participants.count() == 3
    tasks = Rating.objects.values_list("task", flat=True)
    assert sorted(tasks) == ["likert"] * 20 + ["ranking"] * 8
    assert GoldSet.objects.get(study=imported).scores.count() == 8
    command = shlex.split(re.findall(r"`manage.py (import_gold[^`]*)`", DOCS)[-1])
    call_command(*command, stdout=StringIO())
    assert GoldSet.objects.count() == 2
    out = StringIO()
    call_command("submissions", "imported", EXAMPLES / "submissions.csv", stdout=out)
    assert "2 of the list are not known to this version" in out.getvalue()


def test_wide_table_becomes_the_same_ratings(
    db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, imported: Study
) -> None:
    ratings = rows()
    Participant.objects.all().delete()
    for name in ("wide.csv", "questions.csv"):
        shutil.copy(EXAMPLES / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    (snippet,) = re.findall(r"```python\n(.*?)```", DOCS, flags=re.S)
    exec(snippet, {})
    files = {name: tmp_path / f"{name}.csv" for name in ("participants", "ratings")}
    call_command("import_ratings", "imported", **files, stdout=StringIO())
    assert rows() == ratings
    people = Participant.objects.values_list("pseudonym", "status", "finished_at")
    assert [(name, status, end is None) for name, status, end in people.order_by("pseudonym")] == [
        ("p1", "completed", False),
        ("p2", "completed", False),
        ("p3", "in_progress", True),
    ]


def rows() -> set[tuple[object, ...]]:
    """Every Likert rating."""
    return set(
        Rating.objects.filter(task="likert").values_list(
            "presentation__participant__pseudonym", "response_id", "dimension", "value"
        )
    )
