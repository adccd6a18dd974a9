"""The same rater judges the same response several times: one counts."""

import json
from importlib import import_module
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection
from django.db.migrations.loader import MigrationLoader
from pytest_django import Settings

from survey.models import Presentation, Study
from survey.tidy import counted_sources, rank_rows, rating_rows
from tests.dashboard.importing import (
    FROM_0,
    MAPPED,
    PEOPLE,
    RATINGS,
    Files,
    refusal,
    run,
    stored,
    table,
)
from tests.factories import START, make_study

pytestmark = pytest.mark.django_db
AGAIN = RATINGS + "anna,S1,1,Ant,plain,4\nanna,S1,1,Ant,tuned,4\nanna,S1,1,Ant,plain,5\n"


@pytest.fixture
def study() -> Study:
    return make_study()


def given(study: Study) -> list[tuple[str, str, str, float, int]]:
    """Who rated what how, and which time."""
    rows = rating_rows(study, counted_sources())
    return [(row[0], row[3], row[4], row[6], row[-1]) for row in rows]


NUMBERED = [
    ("anna", "Ant", "plain", 2, 1),
    ("anna", "Ant", "plain", 4, 2),
    ("anna", "Ant", "plain", 5, 3),
    ("anna", "Ant", "tuned", 4, 1),
    ("anna", "Ant", "tuned", 4, 2),
    ("bert", "Oracle", "reference", 5, 1),
]


def test_repeats_are_numbered_in_the_order_of_the_file(study: Study, files: Files) -> None:
    said = " ".join(run(study, files(participants=PEOPLE, ratings=AGAIN)).split())

    assert "2 participants, 6 ratings" in said
    assert (
        "ratings.csv: 3 ratings of 1 person repeat an earlier judgment of the same response "
        "(first: line 5; with the same value: 1)"
    ) in said
    assert given(study) == NUMBERED
    assert Presentation.objects.count() == 4


def test_column_says_which_time_it_was(study: Study, files: Files) -> None:
    ratings = table(AGAIN, repeat="3|2|1|1|1|2")

    assert "repeat" not in run(study, files(participants=PEOPLE, ratings=ratings))
    assert given(study) == [
        ("anna", "Ant", "plain", 4, 1),
        ("anna", "Ant", "plain", 5, 2),
        ("anna", "Ant", "plain", 2, 3),
        ("anna", "Ant", "tuned", 4, 1),
        ("anna", "Ant", "tuned", 4, 2),
        ("bert", "Oracle", "reference", 5, 1),
    ]


@pytest.mark.parametrize(
    ("repeat", "reason"),
    [
        ("1|1|1|1|2|2", "'anna' has rated this response's warmth already, as repeat 1"),
        ("1|1|1|0|2|2", FROM_0.format("repeat")),
        ("1|1|1|two|2|2", f"'two' is not a whole number{MAPPED}repeat"),
    ],
)
def test_second_value_of_one_time_is_refused(
    study: Study, files: Files, repeat: str, reason: str
) -> None:
    files_given = files(participants=PEOPLE, ratings=table(AGAIN, repeat=repeat))

    assert refusal(study, files_given)[0] == f"ratings.csv, line 5: column 'repeat': {reason}"


def test_the_same_import_twice_is_refused(study: Study, files: Files) -> None:
    files_given = files(participants=PEOPLE, ratings=AGAIN)
    run(study, files_given)
    before = stored()

    with pytest.raises(CommandError, match="2 of 2 participants are already in small@1"):
        run(study, files_given)
    assert stored() == before


def test_ranks_and_choices_of_one_page_each(study: Study, files: Files) -> None:
    ranks = (
        "participant,scenario,set,model,condition,rank,choice\n"
        "anna,S1,1,Ant,plain,1,best\nanna,S1,1,Ant,tuned,2,worst\n"
        "anna,S1,1,Ant,plain,2,worst\nanna,S1,1,Ant,tuned,1,best\n"
    )
    said = " ".join(run(study, files(participants=PEOPLE, ratings=RATINGS, ranks=ranks)).split())

    assert "ranks.csv: 2 ranks of 1 person repeat an earlier judgment" in said
    rows = [(r[4], r[6], r[7], r[-1]) for r in rank_rows(study, counted_sources())]
    assert [row for row in rows if row[1]] == [
        ("plain", 1, "best", 1),
        ("plain", 2, "worst", 2),
        ("tuned", 2, "worst", 1),
        ("tuned", 1, "best", 2),
    ]


def test_pages_may_be_more_than_the_blocks(study: Study, files: Files) -> None:
    ratings = table(AGAIN, block_position="1|1|1|5|5|9")
    run(study, files(participants=PEOPLE, ratings=ratings))

    assert sorted(Presentation.objects.values_list("repeat", "position")) == [
        (1, 1), (1, 1), (2, 5), (3, 9)
    ]  # fmt: skip


def test_database_forbids_a_second_page_of_one_time(study: Study, files: Files) -> None:
    run(study, files(participants=PEOPLE, ratings=AGAIN))
    page = Presentation.objects.filter(repeat=2).get()

    with pytest.raises(IntegrityError):
        Presentation.objects.create(participant=page.participant, block=page.block, repeat=2)


def settle(study: Study, repeats: str) -> None:
    study.settings["repeats"] = repeats
    study.save(update_fields=["settings"])


@pytest.mark.parametrize(("taken", "mean"), [("first", 2), ("last", 5), ("mean", 11 / 3)])
def test_study_says_which_one_is_analysed(
    study: Study, files: Files, tmp_path: Path, taken: str, mean: float
) -> None:
    settle(study, taken)
    run(study, files(participants=PEOPLE, ratings=AGAIN))
    out = tmp_path / "out"
    call_command("analyze", str(study), out=out, images=False)

    items = {
        (row["model"], row["condition"]): float(row["mean"])
        for row in read(out / "items.csv")
        if row["n"] != "0"
    }
    assert items["Ant", "plain"] == pytest.approx(mean)
    assert items["Ant", "tuned"] == 4
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["n_ratings"] == 3
    assert manifest["repeats"] == {"taken": taken, "ratings": 3, "ranks": 0, "raters": 1}
    (row,) = read(out / "self_agreement.csv")
    assert (row["n"], row["same"], row["difference"]) == ("2", "50.0", "1.0")
    report = " ".join((out / "report.html").read_text().split())
    assert "One rater judged the same responses several times" in report


def read(path: Path) -> list[dict[str, str]]:
    import csv

    with path.open() as file:
        return list(csv.DictReader(file))


def test_export_comes_back_as_it_was(study: Study, files: Files, tmp_path: Path) -> None:
    run(study, files(participants=PEOPLE, ratings=AGAIN))
    call_command("export", str(study), out=tmp_path / "one")
    other = make_study(slug="other")
    names = {"participants": "participants.csv", "ratings": "ratings_all.csv"}
    run(other, {name: tmp_path / "one" / file for name, file in names.items()})

    assert given(other) == given(study) == NUMBERED


@pytest.mark.e2e
@pytest.mark.django_db(transaction=True)  # columns come and go
def test_what_was_answered_before_is_the_first_time(settings: Settings) -> None:
    study = make_study()
    person = study.participants.create(pseudonym="anna", source="link", arrived_at=START)
    for block in study.blocks.all():
        Presentation.objects.create(participant=person, block=block)
    settings.MIGRATION_MODULES = {}
    module = import_module("survey.migrations.0017_repeats")
    before = MigrationLoader(connection).project_state(("survey", "0016_text_languages"))
    migration = module.Migration("0017_repeats", "survey")
    with connection.schema_editor() as editor:
        migration.unapply(before.clone(), editor)
    with connection.schema_editor() as editor:
        migration.apply(before.clone(), editor)

    assert set(Presentation.objects.values_list("repeat", "part")) == {(1, 1)}
    page = Presentation.objects.earliest("id")
    with pytest.raises(IntegrityError):
        Presentation.objects.create(participant=person, block=page.block)
