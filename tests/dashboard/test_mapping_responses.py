"""load_study with a mapping file: responses of other names, or with a column for each system."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from survey.models import Response, Scenario, Study
from tests.survey import small_study

# A mapping file says how a file is read, which no database can change.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

WIDE = """\
item,Prompt text,Ant 1,Ant 2,Bee 1,Bee 2,Human
1,I failed.,Try again.,"That hurts, I am sorry.",Everybody fails.,\
It makes sense that you feel low.,Failing hurts. Do you want to tell me more?
2,I miss her.,Time heals.,You must have loved her very much.,Find a hobby.,"It is all right
to grieve.",Missing her shows how close you were.
"""
MAP = """\
responses:
  columns: {scenario: item, prompt: Prompt text}
  wide:
    - {column: "Ant {condition}", model: Ant, set: 1}
    - {column: "Bee {condition}", model: Bee, set: 2}
    - {column: Human, model: Oracle, condition: reference, set: 1}
    - {column: Human, model: Oracle, condition: reference, set: 2}
values:
  scenario: {1: S1, 2: S2}
  condition: {1: plain, 2: tuned}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "study.yaml").write_text(small_study.YAML)
    (tmp_path / "wide.csv").write_text(WIDE)
    (tmp_path / "map.yaml").write_text(MAP)
    return tmp_path


def load(folder: Path, **options: Path) -> str:
    out = StringIO()
    given = {"responses": folder / "wide.csv", "map_file": folder / "map.yaml"} | options
    call_command("load_study", folder, stdout=out, **given)
    return out.getvalue()


def test_wide_responses_make_the_same_study_as_long_ones(folder: Path) -> None:
    assert "small@1: loaded as a new draft" in load(folder)
    shown = set(
        Response.objects.values_list(
            *("blocks__scenario__name", "blocks__set_name", "system__model", "system__condition"),
            "text",
        )
    )
    rows = small_study.rows()
    assert shown == {(row.scenario, row.set_name, *row.system, row.text) for row in rows}
    assert {scenario.prompt for scenario in Scenario.objects.all()} == {row.prompt for row in rows}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("item, prompt", "itm, prompt",
         "map.yaml, line 2, column 13: responses.columns.scenario: wide.csv has no column 'itm'; "
         "did you mean 'item'?"),
        ("model: Bee, set: 2", "model: Wasp, set: 2",
         "map.yaml, line 5, column 35: responses.wide.1.model: 'Wasp' is unknown; known are 'Ant', "
         "'Bee', 'Oracle'"),
        ("2: tuned", "2: tunde",
         "map.yaml, line 10, column 25: values.condition.2: 'tunde' is unknown; did you mean "
         "'tuned'?"),
        ("{column: Human, model: Oracle, condition: reference, set: 2}",
         "{column: Human, model: Oracle, condition: reference, set: 1}",
         "map.yaml, line 7, column 8: responses.wide.3.column: columns 'Human' and 'Human' both "
         "have the value of '1', 'Oracle', 'reference'"),
        ("model: Oracle, condition: reference, set: 1", "model: Oracle, dimension: x, set: 1",
         "map.yaml, line 6, column 38: responses.wide.2.dimension: 'dimension' is no column of "
         "responses.csv"),
        (MAP, "time_zone: UTC",
         "map.yaml: says nothing of the responses; add a section responses"),
    ],
)  # fmt: skip
def test_mapping_that_does_not_fit_is_named_and_nothing_is_loaded(
    folder: Path, old: str, new: str, message: str
) -> None:
    (folder / "map.yaml").write_text(MAP.replace(old, new))
    with pytest.raises(CommandError) as caught:
        load(folder)
    assert str(caught.value).replace(f"{folder}/", "").splitlines() == [
        "Nothing was loaded.",
        message,
    ]
    assert not Study.objects.exists()


def test_mapping_file_that_is_not_there_is_named(folder: Path) -> None:
    with pytest.raises(CommandError, match=r"nowhere\.yaml: No such file or directory"):
        load(folder, map_file=folder / "nowhere.yaml")


def test_response_that_a_row_lacks_is_missed(folder: Path) -> None:
    (folder / "wide.csv").write_text(WIDE.replace("Time heals.", ""))
    assert "scenario 'S2' in set '1' has no response of" in load(folder)
