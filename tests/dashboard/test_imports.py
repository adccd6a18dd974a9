"""import_ratings: what it takes, what it refuses and how it says so; all of it or nothing."""

import csv
import io
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from judge.models import Call, GoldScore, Judge
from survey.models import (
    DemographicAnswer,
    Participant,
    Presentation,
    Rating,
    Response,
    Study,
    StudyEvent,
)
from survey.tidy import counted_sources, participant_rows, rank_rows, rating_rows
from tests.factories import add_participant, make_study

pytestmark = pytest.mark.django_db

PEOPLE = """\
participant,status,started_at,finished_at,duration_seconds,attention_checks_failed
anna,completed,2026-03-01T09:00:00Z,2026-03-01T09:20:00Z,,0
bert,in_progress,2026-03-01T09:00:00Z,,600,1
"""
RATINGS = """\
participant,scenario,set,model,condition,rating
anna,S1,1,Ant,plain,2
anna,S1,1,Ant,tuned,4
bert,S2,2,Oracle,reference,5
"""
GOLD = """\
scenario,set,model,condition,gold
S1,1,Ant,plain,2.5
S1,1,Oracle,reference,4
S1,2,Oracle,reference,4
"""


@pytest.fixture
def study() -> Study:
    return make_study()


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., dict[str, Path]]:
    def write(**texts: str | bytes) -> dict[str, Path]:
        paths = {}
        for name, text in texts.items():
            paths[name] = tmp_path / f"{name}.csv"
            paths[name].write_bytes(text.encode() if isinstance(text, str) else text)
        return paths

    return write


Files = Callable[..., dict[str, Path]]


def run(study: Study, files: Mapping[str, Path]) -> str:
    out = io.StringIO()
    call_command("import_ratings", str(study), stdout=out, stderr=out, **files)
    return out.getvalue()


def refusal(study: Study, files: Mapping[str, Path]) -> list[str]:
    """The message's lines without the folder; and nothing at all may have changed."""
    with pytest.raises(CommandError) as caught:
        run(study, files)
    assert stored() == EMPTY
    folder = str(next(iter(files.values())).parent) + "/"
    return str(caught.value).replace(folder, "").splitlines()


def stored() -> dict[str, int]:
    tables = (Participant, Presentation, Rating, DemographicAnswer, GoldScore)
    return {table.__name__: table.objects.count() for table in tables}


EMPTY = dict.fromkeys(
    ("Participant", "Presentation", "Rating", "DemographicAnswer", "GoldScore"), 0
)


def test_import_stores_people_and_ratings_as_given(study: Study, files: Files) -> None:
    said = run(study, files(participants=PEOPLE, ratings=RATINGS, gold=GOLD))

    assert said == ("Imported into small@1: 2 participants, 3 ratings, 0 ranks, 2 gold scores\n")
    people = [row[:7] for row in participant_rows(study, counted_sources())]
    start, end = "2026-03-01T09:00:00Z", "2026-03-01T09:20:00Z"
    assert people == [
        ("anna", "import", "completed", start, end, 1200.0, 0),
        ("bert", "import", "in_progress", start, None, 600.0, 1),
    ]
    assert list(rating_rows(study, counted_sources())) == [
        ("anna", "S1", "1", "Ant", "plain", "warmth", 2, None, None, None, 0),
        ("anna", "S1", "1", "Ant", "tuned", "warmth", 4, None, None, None, 0),
        ("bert", "S2", "2", "Oracle", "reference", "warmth", 5, None, None, None, 0),
    ]
    gold = GoldScore.objects.values_list("response__system__model", "dimension", "value")
    assert sorted(gold) == [("Ant", "warmth", 2.5), ("Oracle", "warmth", 4.0)]


def test_import_freezes_the_study_and_leaves_a_trace(study: Study, files: Files) -> None:
    run(study, files(participants=PEOPLE, ratings=RATINGS))

    study.refresh_from_db()
    assert study.frozen_at is not None
    event = StudyEvent.objects.get(action="imported")
    assert (event.detail["participants"], event.detail["ratings"]) == (2, 3)
    assert set(event.detail["sha256"]) == {"participants", "ratings"}


def test_second_import_of_the_same_is_refused(study: Study, files: Files) -> None:
    given = files(participants=PEOPLE, ratings=RATINGS)
    run(study, given)
    before = stored()

    with pytest.raises(CommandError, match="2 of 2 participants are in small@1 already"):
        run(study, given)
    assert stored() == before


def test_gold_scores_are_imported_once(study: Study, files: Files) -> None:
    run(study, files(participants=PEOPLE, ratings=RATINGS, gold=GOLD))
    before = stored()
    others = PEOPLE.replace("anna", "carl").replace("bert", "dora")
    theirs = RATINGS.replace("anna", "carl").replace("bert", "dora")

    with pytest.raises(CommandError, match="has imported gold scores already"):
        run(study, files(participants=others, ratings=theirs, gold=GOLD))
    assert stored() == before


def table(text: str, **changes: str) -> str:
    """`text` with columns added or replaced: one value per row, separated by `|`."""
    rows = list(csv.DictReader(io.StringIO(text)))
    for column, values in changes.items():
        for row, value in zip(rows, values.split("|"), strict=True):
            row[column] = value
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def without(text: str, *columns: str) -> str:
    rows = list(csv.DictReader(io.StringIO(text)))
    out = io.StringIO()
    kept = [column for column in rows[0] if column not in columns]
    writer = csv.DictWriter(out, kept, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def test_demographics_are_kept_and_the_region_comes_from_the_state(
    study: Study, files: Files
) -> None:
    people = table(PEOPLE, age="30|", sex="Female|", state="OH|", region="West|South")
    run(study, files(participants=people, ratings=RATINGS))

    rows = [row[7:] for row in participant_rows(study, counted_sources())]
    assert rows == [
        (30, "Female", None, None, None, None, None, "OH", "Midwest"),
        (None, None, None, None, None, None, None, None, "South"),
    ]


def test_test_people_stay_test_people(study: Study, files: Files) -> None:
    people = table(PEOPLE, source="simulated|prolific")
    run(study, files(participants=people, ratings=RATINGS))

    sources = Participant.objects.order_by("id").values_list("pseudonym", "source")
    assert list(sources) == [("anna", "simulated"), ("bert", "import")]


def test_order_is_restored_where_a_block_has_all_of_it(study: Study, files: Files) -> None:
    ratings = """\
participant,scenario,set,model,condition,rating,block_position,response_position,block_seconds,revisions
anna,S1,1,Ant,plain,2,3,2,12.5,0
anna,S1,1,Ant,tuned,4,3,1,12.5,1
anna,S1,1,Oracle,reference,4,3,3,12.5,0
anna,S1,2,Bee,plain,4,1,2,,
"""
    run(study, files(participants=PEOPLE, ratings=ratings))

    rows = [row[6:] for row in rating_rows(study, counted_sources())]
    assert rows == [
        (2, 3, 2, 12.5, 0),
        (4, 3, 1, 12.5, 1),
        (4, 3, 3, 12.5, 0),
        (4, 1, None, None, 0),
    ]


def test_ranks_and_choices_are_kept(study: Study, files: Files) -> None:
    ranks = """\
participant,scenario,set,model,condition,dimension,rank,choice
anna,S1,1,Ant,plain,,2,
anna,S1,1,Ant,tuned,,1,best
anna,S1,1,Oracle,reference,,,worst
"""
    run(study, files(participants=PEOPLE, ratings=RATINGS, ranks=ranks))

    assert list(rank_rows(study, counted_sources())) == [
        ("anna", "S1", "1", "Ant", "plain", "", 2, None),
        ("anna", "S1", "1", "Ant", "tuned", "", 1, "best"),
        ("anna", "S1", "1", "Oracle", "reference", "", None, "worst"),
    ]


def test_byte_order_mark_and_windows_line_ends_are_fine(study: Study, files: Files) -> None:
    people = b"\xef\xbb\xbf" + PEOPLE.replace("\n", "\r\n").encode()

    assert "2 participants" in run(study, files(participants=people, ratings=RATINGS))


def test_unknown_column_is_ignored_with_a_notice(study: Study, files: Files) -> None:
    people = table(PEOPLE, shoe_size="38|44")

    said = run(study, files(participants=people, ratings=RATINGS))
    assert "participants.csv: column 'shoe_size' is ignored" in said


def test_names_like_prolific_ids_are_pointed_out(study: Study, files: Files) -> None:
    name = "5f3c" * 6
    people, ratings = PEOPLE.replace("anna", name), RATINGS.replace("anna", name)

    said = run(study, files(participants=people, ratings=ratings))
    assert "1 participants are named like Prolific IDs (line 2)" in said


NOT_A_TIME = "is not an ISO 8601 time such as 2026-03-01T14:05:00Z"
BAD_PEOPLE = [
    (2, "participant", "|bert", "is empty"),
    (3, "participant", "bert|bert", "'bert' stands on line 2 already"),
    (2, "status", "complete|withdrawn", "'complete' is unknown; is it meant to be 'completed'?"),
    (2, "source", "prolifc|", "'prolifc' is unknown; is it meant to be 'prolific'?"),
    (3, "started_at", "|yesterday", f"'yesterday' {NOT_A_TIME}"),
    (2, "started_at", "2026-02-30T09:00Z|", f"'2026-02-30T09:00Z' {NOT_A_TIME}"),
    (2, "started_at", "2026-02-01|", f"'2026-02-01' {NOT_A_TIME}"),
    (2, "started_at", "0001-01-01T00:00+09:00|", f"'0001-01-01T00:00+09:00' {NOT_A_TIME}"),
    (2, "finished_at", "2026-03-01T08:59Z|", "is before started_at, 2026-03-01T09:00:00Z"),
    (2, "duration_seconds", "-5|600", "-5 is less than 0"),
    (2, "duration_seconds", "NaN|600", "'NaN' is not a number"),
    (2, "duration_seconds", "1e999|600", "'1e999' is not a number"),
    (2, "attention_checks_failed", "0.5|0", "'0.5' is not a whole number"),
    (2, "attention_checks_failed", "-1|0", "-1 is not between 0 and 2147483647"),
    (3, "age", "|thirty", "'thirty' is not a number"),
]


@pytest.mark.parametrize(("line", "column", "values", "reason"), BAD_PEOPLE)
def test_bad_participant_is_named_with_line_column_and_reason(
    study: Study, files: Files, line: int, column: str, values: str, reason: str
) -> None:
    ratings = "participant,scenario,set,model,condition,rating\n"
    given = files(participants=table(PEOPLE, **{column: values}), ratings=ratings)

    assert refusal(study, given) == [f"participants.csv, line {line}: column {column!r}: {reason}"]


BAD_RATINGS = [
    ("participant", "emma|anna|bert", "'emma' is not in the file of participants"),
    ("scenario", "S9|S1|S2", "'S9' is unknown; known are 'S1', 'S2'"),
    ("set", "3|1|2", "'3' is unknown; known are '1', '2'"),
    ("model", "Ants|Ant|Oracle", "'Ants' is unknown; is it meant to be 'Ant'?"),
    ("condition", "Plain|tuned|reference", "'Plain' is unknown; is it meant to be 'plain'?"),
    ("dimension", "warm|warmth|warmth", "'warm' is unknown; is it meant to be 'warmth'?"),
    ("rating", "6|4|5", "6 is not on the scale of the study, 1 to 5"),
    ("rating", "2.5|4|5", "'2.5' is not a whole number"),
    ("rating", "|4|5", "is empty"),
    ("block_position", "0||", "0 is not between 1 and 2147483647"),
    ("revisions", "-1||", "-1 is not between 0 and 2147483647"),
]


@pytest.mark.parametrize(("column", "values", "reason"), BAD_RATINGS)
def test_bad_rating_is_named_with_line_column_and_reason(
    study: Study, files: Files, column: str, values: str, reason: str
) -> None:
    given = files(participants=PEOPLE, ratings=table(RATINGS, **{column: values}))

    assert refusal(study, given)[0] == f"ratings.csv, line 2: column {column!r}: {reason}"


def test_response_that_its_set_does_not_show_is_refused(study: Study, files: Files) -> None:
    given = files(participants=PEOPLE, ratings=table(RATINGS, model="Bee|Ant|Oracle"))

    assert refusal(study, given) == [
        "ratings.csv, line 2: 'Bee' (plain) is not shown in scenario 'S1', set '1'"
    ]


def test_rating_given_twice_is_refused(study: Study, files: Files) -> None:
    given = files(participants=PEOPLE, ratings=RATINGS + "anna,S1,1,Ant,plain,3\n")

    assert refusal(study, given) == [
        "ratings.csv, line 5: 'anna' has rated this response's warmth already"
    ]


def test_orders_that_contradict_themselves_are_refused(study: Study, files: Files) -> None:
    one_block = table(RATINGS, block_position="1|2|1")
    two_blocks = table(RATINGS, participant="anna|anna|anna", block_position="1|1|1")
    one_place = table(RATINGS, response_position="1|1|1")

    assert refusal(study, files(participants=PEOPLE, ratings=one_block)) == [
        "ratings.csv, line 3: column 'block_position': differs from line 2, the same block"
    ]
    assert refusal(study, files(participants=PEOPLE, ratings=two_blocks)) == [
        "ratings.csv, line 4: column 'block_position': 'anna' has another block at 1 on line 2"
    ]
    assert refusal(study, files(participants=PEOPLE, ratings=one_place)) == [
        "ratings.csv, line 2: column 'response_position': two responses of the block stand at the "
        "same place"
    ]


@pytest.mark.parametrize("status", ["withdrawn", "declined"])
def test_who_withdrew_or_declined_has_no_ratings(study: Study, files: Files, status: str) -> None:
    people = table(PEOPLE, status=f"completed|{status}")

    assert refusal(study, files(participants=people, ratings=RATINGS)) == [
        f"ratings.csv, line 4: column 'participant': 'bert' is {status} on line 3 of the "
        "participants and can have none"
    ]


BAD_GOLD = [
    ("2.5|4|4.5", "line 4: column 'gold': differs from line 3, where the same response has 4.0"),
    ("6|4|4", "line 2: column 'gold': 6 is outside the scale, 1 to 5"),
    ("|4|4", "line 2: column 'gold': is empty"),
    ("high|4|4", "line 2: column 'gold': 'high' is not a number"),
]


@pytest.mark.parametrize(("values", "reason"), BAD_GOLD)
def test_bad_gold_score_is_refused(study: Study, files: Files, values: str, reason: str) -> None:
    given = files(participants=PEOPLE, ratings=RATINGS, gold=table(GOLD, gold=values))

    assert refusal(study, given) == [f"gold.csv, {reason}"]


def test_bad_ranks_are_refused(study: Study, files: Files) -> None:
    ranks = """\
participant,scenario,set,model,condition,dimension,rank,choice
anna,S1,1,Ant,plain,,4,
anna,S1,1,Ant,tuned,,1,top
anna,S1,1,Oracle,reference,,first,
anna,S1,1,Ant,tuned,,1,
anna,S1,1,Ant,tuned,,2,
"""
    assert refusal(study, files(participants=PEOPLE, ratings=RATINGS, ranks=ranks)) == [
        "ranks.csv, line 2: column 'rank': 4 is more than the 3 responses shown",
        "ranks.csv, line 3: column 'choice': 'top' is unknown; known are 'best', 'worst'",
        "ranks.csv, line 4: column 'rank': 'first' is not a whole number",
        "ranks.csv, line 6: 'anna' has placed this response already",
    ]


BAD_FILES: list[tuple[str | bytes, list[str]]] = [
    (PEOPLE.replace(",", ";"), [
        "participants.csv, line 1: columns have to be separated by commas"
    ]),
    ("", ["participants.csv, line 1: there is no header"]),
    ("participant,status\n", [
        "participants.csv, line 1: there are no participants below the header"
    ]),
    (without(PEOPLE, "status"), ["participants.csv, line 1: column 'status' is missing"]),
    (PEOPLE.replace("status", "stauts"), [
        "participants.csv, line 1: column 'stauts' is unknown; is it meant to be 'status'?",
    ]),
    (PEOPLE.replace("attention_checks_failed", "atention_checks_failed"), [
        "participants.csv, line 1: column 'atention_checks_failed' is unknown; is it meant to be "
        "'attention_checks_failed'?",
    ]),
    (PEOPLE.replace("status", "participant"), [
        "participants.csv, line 1: column 'participant' stands twice"
    ]),
    (PEOPLE.replace("600,1", "600"), ["participants.csv, line 3: 5 cells where the header has 6"]),
    (PEOPLE.replace("anna", "Z\u00fcrich").encode("latin-1"), [
        "participants.csv, line 2, column 2: byte 0xfc is not UTF-8; save the file as UTF-8 and "
        "try again"
    ]),
    (PEOPLE.replace("anna", "an\0na"), ["participants.csv, line 2: there is a NUL character"]),
    (PEOPLE.replace("anna", '"anna'), [
        "participants.csv, line 2: not valid CSV: unexpected end of data"
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), BAD_FILES)
def test_file_that_cannot_be_read_is_named(
    study: Study, files: Files, content: str | bytes, message: list[str]
) -> None:
    ratings = "participant,scenario,set,model,condition,rating\n"

    assert refusal(study, files(participants=content, ratings=ratings)) == message


def test_missing_file_is_named(study: Study, files: Files, tmp_path: Path) -> None:
    given = files(participants=PEOPLE) | {"ratings": tmp_path / "nowhere.csv"}

    assert refusal(study, given) == ["nowhere.csv: No such file or directory"]


def test_imported_gold_scores_in_the_place_of_others_are_pointed_out(
    study: Study, files: Files
) -> None:
    judge = Judge.objects.create(study=study, name="robot", configuration={}, is_gold=True)
    response = Response.objects.earliest("pk")
    Call.objects.create(
        judge=judge, response=response, dimension="warmth", replicate=1, state="answered", score=3
    )
    gold = table(GOLD, gold_by="other judge|other judge|other judge")
    said = run(study, files(participants=PEOPLE, ratings=RATINGS, gold=gold))

    assert "gold.csv: the scores were made by other judge; from now on they are called" in said
    assert "the imported gold scores take the place of those of robot@1" in said


@pytest.mark.django_db(transaction=True)
def test_one_of_two_imports_at_once_is_refused(files: Files) -> None:
    study = make_study()
    given = files(participants=PEOPLE, ratings=RATINGS, gold=GOLD)

    def outcome(_: int) -> str:
        try:
            return run(study, given)
        except CommandError as refused:
            return str(refused)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        said = sorted(pool.map(outcome, range(2)))
    assert said[0].startswith("2 of 2 participants are in small@1 already")
    assert said[1].startswith("Imported into small@1: 2 participants, 3 ratings")
    assert stored()["Rating"] == 3


def test_many_problems_are_counted_not_listed(study: Study, files: Files) -> None:
    rows = "".join(f"anna,S1,1,Ant,plain,{value}\n" for value in range(10, 60))
    given = files(participants=PEOPLE, ratings=RATINGS.splitlines()[0] + "\n" + rows)

    lines = refusal(study, given)
    assert len(lines) == 21
    assert lines[-1] == "and 30 more"


def test_problem_in_the_last_file_leaves_nothing_of_the_first(study: Study, files: Files) -> None:
    gold = table(GOLD, gold="2.5|4|1")

    refusal(study, files(participants=PEOPLE, ratings=RATINGS, gold=gold))


def test_unknown_study_is_refused(files: Files, db: None) -> None:
    given = files(participants=PEOPLE, ratings=RATINGS)
    with pytest.raises(CommandError, match="there is no study 'tiny'; studies here: none"):
        call_command("import_ratings", "tiny", **given)


def test_study_without_sets_needs_no_set(files: Files) -> None:
    study = make_study(sets={"": ["Ant"]})
    ratings = without(RATINGS.replace("2,Oracle", ",Oracle"), "set")
    run(study, files(participants=PEOPLE, ratings=ratings))

    assert Rating.objects.count() == 3


def test_study_with_dimensions_needs_them(files: Files) -> None:
    study = make_study(dimensions=("warmth", "insight"))

    assert refusal(study, files(participants=PEOPLE, ratings=RATINGS)) == [
        "ratings.csv, line 1: column 'dimension' is missing"
    ]
    ratings = table(RATINGS, dimension="warmth|warmth|insight")
    run(study, files(participants=PEOPLE, ratings=ratings))
    assert Rating.objects.filter(dimension="insight").count() == 1


def test_pseudonym_of_another_version_is_no_obstacle(study: Study, files: Files) -> None:
    other = make_study(slug="other")
    add_participant(other, pseudonym="anna")

    run(study, files(participants=PEOPLE, ratings=RATINGS))
    assert study.participants.count() == 2
