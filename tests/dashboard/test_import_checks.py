"""import_ratings refuses what is wrong, naming file, line, column and reason."""

from pathlib import Path

import pytest

from survey.models import (
    Study,
)
from tests.dashboard.importing import (
    FROM_0,
    GOLD,
    MAPPED,
    PEOPLE,
    RATINGS,
    Files,
    refusal,
    run,
    table,
    without,
)
from tests.factories import make_study

# What is refused before anything is written is refused on every database.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]


@pytest.fixture
def study() -> Study:
    return make_study()


NOT_A_TIME = "is not an ISO 8601 time such as 2026-03-01T14:05:00Z"
BAD_PEOPLE = [
    (2, "participant", "|bert", "is empty"),
    (3, "participant", "bert|bert", "'bert' is on line 2 already"),
    (2, "status", "complete|withdrawn", "'complete' is unknown; did you mean 'completed'?"),
    (2, "source", "prolifc|", "'prolifc' is unknown; did you mean 'prolific'?"),
    (3, "started_at", "|yesterday", f"'yesterday' {NOT_A_TIME}"),
    (2, "started_at", "2026-02-30T09:00Z|", f"'2026-02-30T09:00Z' {NOT_A_TIME}"),
    (2, "started_at", "2026-02-01|", f"'2026-02-01' {NOT_A_TIME}"),
    (2, "started_at", "0001-01-01T00:00+09:00|", f"'0001-01-01T00:00+09:00' {NOT_A_TIME}"),
    (
        2,
        "finished_at",
        "2026-03-01T08:59Z|",
        "2026-03-01T08:59Z is before started_at, 2026-03-01T09:00:00Z",
    ),
    (2, "duration_seconds", "-5|600", "-5 is less than 0"),
    (2, "duration_seconds", "NaN|600", f"'NaN' is not a number{MAPPED}duration_seconds"),
    (2, "duration_seconds", "1e999|600", "'1e999' is not a number"),
    (2, "attention_checks_failed", "0.5|0", "'0.5' is not a whole number"),
    (2, "attention_checks_failed", "-1|0", "-1 is less than 0"),
    (3, "age", "|thirty", f"'thirty' is not a number{MAPPED}age"),
    (3, "age", "|1985", "1985 is not between 0 and 150"),
    (3, "clock_stepped", "|yes", "'yes' is unknown; known are 'true', 'false'"),
]


@pytest.mark.parametrize(("line", "column", "values", "reason"), BAD_PEOPLE)
def test_bad_participant_is_named_with_line_column_and_reason(
    study: Study, files: Files, line: int, column: str, values: str, reason: str
) -> None:
    ratings = "participant,scenario,set,model,condition,rating\n"
    given = files(participants=table(PEOPLE, **{column: values}), ratings=ratings)

    assert refusal(study, given) == [f"participants.csv, line {line}: column {column!r}: {reason}"]


def test_survey_that_ends_before_it_starts_is_taken_where_the_clock_was_set_back(
    study: Study, files: Files
) -> None:
    people = table(PEOPLE, finished_at="2026-03-01T08:59Z|", clock_stepped="true|")
    given = files(participants=people, ratings=RATINGS)
    run(study, given)
    anna, bert = study.participants.order_by("pseudonym")
    assert (anna.clock_stepped, bert.clock_stepped) == (True, False)


BAD_RATINGS = [
    ("participant", "emma|anna|bert", "'emma' is not in the file of participants"),
    ("scenario", "S9|S1|S2", "'S9' is unknown; known are 'S1', 'S2'"),
    ("set", "3|1|2", "'3' is unknown; known are '1', '2'"),
    ("model", "Ants|Ant|Oracle", "'Ants' is unknown; did you mean 'Ant'?"),
    ("condition", "Plain|tuned|reference", "'Plain' is unknown; did you mean 'plain'?"),
    ("dimension", "warm|warmth|warmth", "'warm' is unknown; did you mean 'warmth'?"),
    ("rating", "6|4|5", "6 is not on the scale of the study, 1 to 5"),
    ("rating", "2.5|4|5", "'2.5' is not a whole number"),
    ("block_position", "0||", FROM_0.format("block_position")),
    ("block_position", "5|5|", "5 is not between 1 and 4"),
    ("response_position", "4||", "4 is not between 1 and 3"),
    ("block_seconds", "-1||", "-1 is less than 0"),
    ("revisions", "-1||", "-1 is less than 0"),
]


@pytest.mark.parametrize(("column", "values", "reason"), BAD_RATINGS)
def test_bad_rating_is_named_with_line_column_and_reason(
    study: Study, files: Files, column: str, values: str, reason: str
) -> None:
    given = files(participants=PEOPLE, ratings=table(RATINGS, **{column: values}))

    assert refusal(study, given)[0] == f"ratings.csv, line 2: column {column!r}: {reason}"


def test_rows_without_a_rating_or_gold_score_are_left_out_and_counted(
    study: Study, files: Files
) -> None:
    given = files(
        participants=PEOPLE,
        ratings=table(RATINGS, rating="|4|5"),
        gold=table(GOLD, gold="|4|4"),
    )

    done = run(study, given)

    assert "ratings.csv: 1 row has no rating and is left out (first: line 2)" in done
    assert "gold.csv: 1 row has no gold and is left out (first: line 2)" in done
    assert "2 ratings" in done and "1 gold scores" in done


def test_response_that_its_set_does_not_show_is_refused(study: Study, files: Files) -> None:
    given = files(participants=PEOPLE, ratings=table(RATINGS, model="Bee|Ant|Oracle"))

    assert refusal(study, given) == [
        "ratings.csv, line 2: 'Bee' (plain) has no response in scenario 'S1', set '1': add it to "
        "the responses and load the study again, or remove it here"
    ]


def test_rating_given_twice_is_refused(study: Study, files: Files) -> None:
    ratings = table(RATINGS + "anna,S1,1,Ant,plain,3\n", repeat="1|1|1|1")

    assert refusal(study, files(participants=PEOPLE, ratings=ratings)) == [
        "ratings.csv, line 5: column 'repeat': 'anna' has rated this response's warmth already, as "
        "repeat 1"
    ]


def test_orders_that_contradict_themselves_are_refused(study: Study, files: Files) -> None:
    one_block = table(RATINGS, block_position="1|2|1")
    two_blocks = table(RATINGS, participant="anna|anna|anna", block_position="1|1|1")
    one_place = table(RATINGS, response_position="1|1|1")

    assert refusal(study, files(participants=PEOPLE, ratings=one_block)) == [
        "ratings.csv, line 3: column 'block_position': 2 differs from line 2, the same block; if "
        "people had several pages of a block, write spread_over_pages: true in study.yaml"
    ]
    assert refusal(study, files(participants=PEOPLE, ratings=two_blocks)) == [
        "ratings.csv, line 4: column 'block_position': 'anna' has another block at 1 on line 2"
    ]
    assert refusal(study, files(participants=PEOPLE, ratings=one_place)) == [
        "ratings.csv, line 2: column 'response_position': two responses of the block have the "
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
    (
        "2.5|4|4.5",
        "line 4: column 'gold': 4.5 differs from line 3, where the same response has 4.0",
    ),
    ("6|4|4", "line 2: column 'gold': 6 is not between 1 and 5"),
    ("high|4|4", f"line 2: column 'gold': 'high' is not a number{MAPPED}gold"),
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
"""
    assert refusal(study, files(participants=PEOPLE, ratings=RATINGS, ranks=ranks)) == [
        "ranks.csv, line 2: column 'rank': 4 is not between 1 and 3",
        "ranks.csv, line 3: column 'choice': 'top' is unknown; known are 'best', 'worst'",
        f"ranks.csv, line 4: column 'rank': 'first' is not a whole number{MAPPED}rank",
    ]


RANKS = "participant,scenario,set,model,condition,dimension,rank,choice\n"


def test_rank_given_twice_in_a_block_is_refused(study: Study, files: Files) -> None:
    ranks = RANKS + (
        "anna,S1,1,Ant,plain,,1,\n"
        "anna,S1,1,Ant,tuned,,2,\n"
        "anna,S1,1,Oracle,reference,,1,\n"
        "anna,S1,2,Oracle,reference,,1,\n"
        "bert,S1,1,Ant,plain,,1,\n"
        "anna,S1,1,Ant,tuned,warmth,1,\n"
    )
    assert refusal(study, files(participants=PEOPLE, ratings=RATINGS, ranks=ranks)) == [
        "ranks.csv, line 4: column 'rank': 1 is on line 2 already, for the same block"
    ]


@pytest.mark.parametrize("choice", ["best", "worst"])
def test_second_best_or_worst_of_a_block_is_refused(
    study: Study, files: Files, choice: str
) -> None:
    ranks = RANKS + (
        f"anna,S1,1,Ant,plain,,,{choice}\n"
        f"bert,S1,1,Ant,plain,,,{choice}\n"
        f"anna,S1,2,Bee,plain,,,{choice}\n"
        f"anna,S1,1,Ant,tuned,,,{choice}\n"
    )
    assert refusal(study, files(participants=PEOPLE, ratings=RATINGS, ranks=ranks)) == [
        f"ranks.csv, line 5: column 'choice': {choice} is on line 2 already, for the same block"
    ]


def test_response_that_is_both_best_and_worst_is_refused(study: Study, files: Files) -> None:
    ranks = RANKS + "anna,S1,1,Ant,plain,,,best\nanna,S1,1,Ant,plain,,,worst\n"
    assert refusal(study, files(participants=PEOPLE, ratings=RATINGS, ranks=ranks)) == [
        "ranks.csv, line 3: 'anna' has placed this response already"
    ]


BAD_FILES: list[tuple[str | bytes, list[str]]] = [
    ("", ["participants.csv: the file is empty"]),
    ("participant,status\n", [
        "participants.csv, line 1: there are no participants below the header"
    ]),
    (without(PEOPLE, "status"), [
        "participants.csv, line 1: column 'status' is missing; if everybody completed, say so in a "
        "mapping file: participants: {constants: {status: completed}}"
    ]),
    (PEOPLE.replace("status", "stauts"), [
        "participants.csv, line 1: column 'stauts' is unknown; did you mean 'status'?",
    ]),
    (PEOPLE.replace("status", "participant"), [
        "participants.csv, line 1: column 'participant' appears twice"
    ]),
    (PEOPLE.replace("600,1", "6,0,1"), [
        "participants.csv, line 3: 7 cells where the header has 6"
    ]),
    (PEOPLE.replace("anna", "Z\u00fcrich").encode("latin-1"), [
        "participants.csv, line 2, column 2: byte 0xfc is not UTF-8; the text seems to be in "
        "Latin-1 (Windows-1252): save it as UTF-8 (in Excel: “CSV UTF-8”) and try again"
    ]),
    (PEOPLE.replace("anna", "an\0na"), [
        "participants.csv, line 2: there is a NUL character; remove it"
    ]),
    (PEOPLE.replace("anna", '"anna'), [
        "participants.csv, line 2: not valid CSV: unexpected end of data; in a cell in quotation "
        "marks, double those within, and close the last"
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


def test_equal_problems_are_one_line(study: Study, files: Files) -> None:
    rows = "".join(f"anna,S1,1,Ant,plain,{value}\n" for value in range(10, 60))
    given = files(participants=PEOPLE, ratings=RATINGS.splitlines()[0] + "\n" + rows)

    assert refusal(study, given) == [
        "ratings.csv, line 2: column 'rating': 10 is not on the scale of the study, 1 to 5 "
        "(and 49 more up to line 51, such as '11', '12', '13')"
    ]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("1,5{:02}", "'1,500' may mean 1.500 or 1500; write it with a decimal point"),
        ("S{:02}", f"'S00' is not a number{MAPPED}duration_seconds"),
    ],
)
def test_equal_problems_are_one_line_though_every_value_is_another(
    study: Study, files: Files, wrong: str, message: str
) -> None:
    people = "participant;status;duration_seconds\n" + "".join(
        f"p{n};completed;{wrong.format(n)}\n" for n in range(50)
    )
    (line,) = refusal(study, files(participants=people, ratings=RATINGS.splitlines()[0]))
    assert line.startswith(
        f"participants.csv, line 2: column 'duration_seconds': {message} (and 49 more up to line 51"
    )


def test_problem_in_the_last_file_leaves_nothing_of_the_first(study: Study, files: Files) -> None:
    gold = table(GOLD, gold="2.5|4|1")

    refusal(study, files(participants=PEOPLE, ratings=RATINGS, gold=gold))
