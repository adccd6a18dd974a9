"""docs/importing.md says every column that is read, and its examples can be imported."""

import re
import shlex
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from pydantic import BaseModel
from ruamel.yaml import YAML

from dashboard.importing.checks import RANKS, RATINGS
from dashboard.importing.gold import GOLD
from dashboard.importing.people import PARTICIPANTS
from dashboard.raters.submission_lists import SUBMISSIONS
from judge.models import GoldSet
from survey.definition import responses
from survey.definition.mapping.layout import FROM_QUALTRICS
from survey.definition.mapping.schema import MapFile, MappedLongOrWide, NamedSystem, WideColumns
from survey.files.table_file import Columns
from survey.models import Participant, Rating, Study

# What files say: the database changes nothing of it.
pytestmark = pytest.mark.embedded

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
#: The commands of each block of the page.
COMMANDS = [
    [
        shlex.split(command)
        for command in re.findall(r"(?m)^manage (.*)", block.replace("\\\n", " "))
    ]
    for block in re.findall(r"```sh\n(.*?)```", DOCS, flags=re.S)
]
SNIPPETS = [YAML(typ="safe").load(s) for s in re.findall(r"```yaml\n(.*?)```", DOCS, flags=re.S)]
SYSTEMS = {"systems": SNIPPETS[0]["systems"]}


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
    """The example, by the first commands of the page."""
    monkeypatch.chdir(ROOT)
    for command in COMMANDS[0]:
        call_command(*command, stdout=StringIO())
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


#: What the example's export of Qualtrics calls its people.
RESPONSE_IDS = {"R_2bQx7TfLm4KdJ1": "p1", "R_3cWn9RzPp2HsV8": "p2", "R_4dKy5GhBb6NtC3": "p3"}


def test_export_of_qualtrics_brings_the_same_ratings_by_the_commands_of_the_page(
    imported: Study,
) -> None:
    ratings = rows()
    Participant.objects.all().delete()
    for command in COMMANDS[1]:
        call_command(*command, stdout=StringIO(), stderr=StringIO())
    assert {(RESPONSE_IDS[str(name)], *rest) for name, *rest in rows()} == ratings
    people = Participant.objects.order_by("started_at").values_list("status", "finished_at")
    assert [(status, end is None) for status, end in people] == [
        ("completed", False),
        ("completed", False),
        ("in_progress", True),
    ]


def test_mapping_file_of_the_page_is_the_example() -> None:
    assert SNIPPETS[0] == YAML(typ="safe").load(EXAMPLES / "map.yaml")


@pytest.mark.parametrize(
    ("snippet", "ratings"),
    [
        (1, "Name,Q1_A,Q2_A,Q3\np1,2,4,3\n"),
        (
            3,
            "rater,item,Engine,points\np1,exam,Willow 2,2\n"
            "p1,exam,Willow 2 FT,5\np1,move,Willow 2,3\n",
        ),
    ],
)
def test_other_mapping_files_of_the_page_read_what_they_are_for(
    imported: Study, tmp_path: Path, snippet: int, ratings: str
) -> None:
    Participant.objects.all().delete()
    YAML().dump(SYSTEMS | SNIPPETS[snippet], tmp_path / "map.yaml")
    (tmp_path / "ratings.csv").write_text(ratings)
    call_command(
        "import_ratings",
        "imported",
        participants=EXAMPLES / "participants.csv",
        ratings=tmp_path / "ratings.csv",
        map_file=tmp_path / "map.yaml",
        stdout=StringIO(),
    )
    assert Rating.objects.count() == 3


def test_choices_of_the_page_name_the_system_that_was_chosen(
    imported: Study, tmp_path: Path
) -> None:
    Participant.objects.all().delete()
    YAML().dump(SNIPPETS[2], tmp_path / "map.yaml")
    (tmp_path / "ranks.csv").write_text("participant,exam_most,exam_least\np1,B,A\n")
    call_command(
        "import_ratings",
        "imported",
        participants=EXAMPLES / "participants.csv",
        ratings=EXAMPLES / "ratings.csv",
        ranks=tmp_path / "ranks.csv",
        map_file=tmp_path / "map.yaml",
        stdout=(out := StringIO()),
    )
    assert "2 ranks" in out.getvalue()


@pytest.mark.parametrize("schema", [MapFile, MappedLongOrWide, WideColumns, NamedSystem])
def test_every_key_of_mapping_files_is_documented(schema: type[BaseModel]) -> None:
    section = DOCS.split("\n## Other names and wide tables\n")[1]
    assert [key for key in schema.model_fields if f"`{key}`" not in section] == []


def test_what_qualtrics_says_is_documented() -> None:
    section = DOCS.split("\n## Qualtrics\n")[1]
    table = dict(re.findall(r"(?m)^\| (\w+) \| `([^`]+)` \|", section))
    assert table == FROM_QUALTRICS


def rows() -> set[tuple[object, ...]]:
    """Every Likert rating."""
    return set(
        Rating.objects.filter(task="likert").values_list(
            "presentation__participant__pseudonym", "response_id", "dimension", "value"
        )
    )
