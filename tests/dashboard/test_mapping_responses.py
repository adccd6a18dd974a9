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


def test_columns_system_and_prompt_need_no_mention(folder: Path) -> None:
    rows = ["scenario,prompt,system,response", "1,I failed.,A,Try again.", "1,I failed.,B,Sorry."]
    systems = """\
systems:
  A: {model: Ant, condition: default}
  B: {model: Bee, condition: default}
"""
    models, _ = models_of(folder, systems, "\n".join(rows))
    assert models == ["Ant", "Bee"]


MODELS = """\
item,Prompt text,context,gpt-4o,llama-3,category,annotated,notes
1,I failed.,Ana,That hurts. I am sorry. What happened there?,Everybody fails at times.,work,true,
2,I miss her.,Ben,You must have loved her. Tell me more.,Find a hobby.,love,false,
3,I am ill.,Cem,What does the doctor say about it?,Drink a lot.,love,true,
4,I am late.,Dan,They will surely wait for you. Take the bus.,It is faster.,work,true,
"""
ONE_CONDITION = """\
slug: models
title: Models
estimated_minutes: 5
conditions: [default]
tasks:
  - kind: likert
    scale: [{value: 1, label: Bad}, {value: 2, label: Good}]
    dimensions: [{name: help, question: Does it help?}]
texts: {information: We ask., instructions: Rate., thanks: Thanks.}
consent: {statement: I agree.}
"""
ANY_MODEL = """\
responses:
  columns: {scenario: item, prompt: Prompt text}
  wide: "{model}"
  constants: {condition: default}
"""


def models_of(
    folder: Path, study_map: str, file: str = MODELS, study: str = ONE_CONDITION
) -> tuple[list[str], str]:
    (folder / "study.yaml").write_text(study)
    (folder / "wide.csv").write_text(file)
    (folder / "map.yaml").write_text(study_map)
    out = load(folder).replace(f"{folder}/", "")
    return sorted({str(s.model) for s in Study.objects.get().systems.all()}), out


def test_pattern_of_any_model_takes_columns_with_responses_alone(folder: Path) -> None:
    models, out = models_of(folder, ANY_MODEL)
    assert models == ["gpt-4o", "llama-3"]
    assert (
        "wide.csv, line 1: '{model}' takes 'gpt-4o', 'llama-3', but not columns without responses "
        "('category': labels that repeat over rows; 'annotated': true or false; "
        "'notes': no cells with text). Give columns entries of their own under wide to say "
        "otherwise"
    ) in out
    assert "wide.csv, line 1: 3 columns are ignored: 'category', 'annotated', 'notes'" in out
    assert {scenario.context for scenario in Scenario.objects.all()} == {"Ana", "Ben", "Cem", "Dan"}


def test_column_with_an_entry_of_its_own_is_a_model_whatever_it_has(folder: Path) -> None:
    own = '  wide: ["{model}", {column: category, model: Classifier}]'
    models, _ = models_of(folder, ANY_MODEL.replace('  wide: "{model}"', own))
    assert models == ["Classifier", "gpt-4o", "llama-3"]


ROOMS = """\
item,Prompt text,gpt-4o,llama-3,terse,refuses,thread
1,Which room?,It is room 12 on the left.,It is room 12.,B-12,I cannot help,f3a-1
2,Which door?,It is the door of room 4.,It is door 4.,12a,I cannot help,f3a-2
3,Which hall?,It is the large hall.,It is the hall.,H-1,I cannot help,f3a-3
4,Which lift?,It is the lift at the end.,It is lift 2.,L-2,I cannot help,f3a-4
"""


def test_column_that_may_be_a_system_is_never_left_out_by_a_guess(folder: Path) -> None:
    with pytest.raises(CommandError) as caught:
        models_of(folder, ANY_MODEL, ROOMS)
    assert str(caught.value).replace(f"{folder}/", "") == (
        "Nothing was loaded.\nmap.yaml, line 3, column 3: responses.wide: '{model}' takes "
        "'gpt-4o', 'llama-3'; others may have responses, too ('terse', 'thread': ids; 'refuses': "
        "labels that repeat over rows): add them to wide, as {column: 'terse', model: 'terse'}, or "
        "to ignored, as ignored: ['terse', 'refuses', 'thread']"
    )
    assert not Study.objects.exists()


def test_entries_and_ignored_columns_say_which_columns_are_systems(folder: Path) -> None:
    entries = """\
  wide:
    - "{model}"
    - {column: terse, model: terse}
    - {column: refuses, model: refuses}
  ignored: thread
"""
    said = ANY_MODEL.replace('  wide: "{model}"\n', entries)
    models, out = models_of(folder, said, ROOMS)
    assert models == ["gpt-4o", "llama-3", "refuses", "terse"]
    assert "thread" not in out


def test_models_that_the_study_speaks_of_are_models_whatever_they_answer(folder: Path) -> None:
    named = "labels: {models: {terse: Terse 1.0, refuses: Refuses}}\n"
    said = ANY_MODEL.replace("  constants", "  ignored: [thread]\n  constants")
    models, _ = models_of(folder, said, ROOMS, ONE_CONDITION + named)
    assert models == ["gpt-4o", "llama-3", "refuses", "terse"]


@pytest.mark.parametrize(
    ("ignored", "message"),
    [
        ("nots", "responses.ignored.0: wide.csv has no column 'nots'; did you mean 'notes'?"),
        ("[notes, item]", "responses.ignored.1: column 'item' is read, too"),
    ],
)
def test_ignored_columns_that_are_not_there_or_read_are_named(
    folder: Path, ignored: str, message: str
) -> None:
    with pytest.raises(CommandError) as caught:
        models_of(folder, ANY_MODEL.replace("  constants", f"  ignored: {ignored}\n  constants"))
    assert message in str(caught.value).replace(f"{folder}/", "")


@pytest.mark.parametrize(
    "said",
    [
        "systems: {A: {model: llama-3, condition: default}}\n",
        "ratings: {constants: {model: llama-3}}\n",
    ],
)
def test_pattern_of_any_model_takes_models_that_the_map_names(folder: Path, said: str) -> None:
    models, _ = models_of(folder, ANY_MODEL + said)
    assert models == ["llama-3"]


def test_pattern_with_words_takes_what_fits(folder: Path) -> None:
    file = MODELS.replace("gpt-4o", "resp_gpt-4o").replace("category", "resp_category")
    models, out = models_of(folder, ANY_MODEL.replace("{model}", "resp_{model}"), file)
    assert models == ["category", "gpt-4o"]
    assert "3 columns are ignored: 'llama-3', 'annotated', 'notes'" in out
