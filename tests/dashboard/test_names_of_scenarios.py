"""Names of scenarios of any length, and files that have prompts instead of names."""

import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from survey.files.names import LONGEST_KEY, key_of_texts, short_key
from survey.models import Rating, Scenario, Study
from tests.dashboard.importing import Files, refusal, run
from tests.survey import small_study

# How a file is read no database can change.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

LONG = "A conversation about the loss of a job, " * 5
HEADER = "participant,{},set,model,condition,rating\n"


def load(folder: Path, responses: str) -> str:
    (folder / "study.yaml").write_text(small_study.YAML)
    (folder / "responses.csv").write_text(responses)
    out = StringIO()
    call_command("load_study", folder, stdout=out)
    return out.getvalue().replace(f"{folder}/", "")


def without_names() -> str:
    """The small study's responses without a column `scenario`."""
    return re.sub(r"^(S1|S2|scenario),", "", small_study.CSV, flags=re.MULTILINE)


def test_long_names_are_shortened_and_stay_different(tmp_path: Path, files: Files) -> None:
    first, second = f'"{LONG}first"', f'"{LONG}second"'
    csv = small_study.CSV.replace("\nS1,", f"\n{first},").replace("\nS2,", f"\n{second},")
    said = load(tmp_path, csv)
    names = [scenario.name for scenario in Scenario.objects.order_by("pk")]
    assert names == [short_key(f"{LONG}first"), short_key(f"{LONG}second")]
    assert names[0] != names[1]
    assert all(len(name) <= LONGEST_KEY for name in names)
    assert (
        "responses.csv: names of scenarios with more than 100 characters are shortened, such as "
        f"{names[0]!r}"
    ) in said

    ratings = HEADER.format("scenario") + f"anna,{second},1,Ant,plain,2\n"
    run(Study.objects.get(), files(ratings=ratings))
    assert Rating.objects.get().presentation.block.scenario.name == names[1]


def test_prompts_are_names_where_there_are_none(tmp_path: Path, files: Files) -> None:
    said = load(tmp_path, without_names())
    assert {s.name for s in Scenario.objects.all()} == {"I failed.", "I miss her."}
    notice = "there is no column scenario, so each has its prompt as its name"
    assert f"responses.csv: {notice}" in said

    ratings = HEADER.format("prompt") + "anna,I  failed. ,1,Ant,plain,2\n"
    assert f"ratings.csv: {notice}" in run(Study.objects.get(), files(ratings=ratings))


def test_scenario_is_found_by_its_prompt_whatever_it_is_called(
    tmp_path: Path, files: Files
) -> None:
    load(tmp_path, small_study.CSV)
    ratings = HEADER.format("prompt") + "anna,I failed.,1,Ant,plain,2\n"
    run(Study.objects.get(), files(ratings=ratings))
    assert Rating.objects.get().presentation.block.scenario.name == "S1"


def test_unknown_prompt_is_named_with_its_column(tmp_path: Path, files: Files) -> None:
    load(tmp_path, without_names())
    ratings = HEADER.format("prompt") + "anna,I fail.,1,Ant,plain,2\n"
    assert refusal(Study.objects.get(), files(ratings=ratings)) == [
        "ratings.csv, line 2: column 'prompt': 'I fail.' is unknown; did you mean 'I failed.'?"
    ]


def test_column_that_may_have_the_names_is_pointed_out(tmp_path: Path, files: Files) -> None:
    load(tmp_path, small_study.CSV)
    ratings = HEADER.format("item_id,prompt") + "anna,S1,I failed.,1,Ant,plain,2\n"
    assert refusal(Study.objects.get(), files(ratings=ratings)) == [
        "ratings.csv, line 1: column 'item_id' is unknown; did you mean 'scenario'?"
    ]


def test_key_is_made_of_context_and_prompt() -> None:
    assert key_of_texts("", " I\n failed.") == "I failed."
    assert key_of_texts("Ana", "I failed.") == "Ana | I failed."
    assert key_of_texts("", LONG) == short_key(" ".join(LONG.split()))
