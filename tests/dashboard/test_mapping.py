"""import_ratings with a mapping file: other names, wide tables, exports of Qualtrics."""

import csv
import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from survey.models import Study, StudyEvent
from survey.tidy import counted_sources, participant_rows, rank_rows, rating_rows
from tests.dashboard.importing import GOLD, PEOPLE, RATINGS, Files, run, table
from tests.factories import make_study
from tests.workbooks import book

# Mapping files end before anything is written: what is written does not know of them.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

SYSTEMS = """\
systems:
  Ant 2: {model: Ant, condition: plain}
  Ant 2 FT: {model: Ant, condition: tuned}
"""


@pytest.fixture
def study() -> Study:
    return make_study()


def ratings_of(study: Study) -> list[tuple[object, ...]]:
    """Each rating as its row in ratings.csv, without the order."""
    return sorted(row[:7] for row in rating_rows(study, counted_sources()))


def mapped(study: Study, files: dict[str, Path], text: str) -> str:
    """What an import with a mapping file says."""
    map_file = next(iter(files.values())).with_name("map.yaml")
    map_file.write_text(text)
    return run(study, files | {"map_file": map_file})


LONG = """\
rater;item;Engine;points
anna;one;Ant 2;2
anna;one;Ant 2 FT;4
"""
LONG_MAP = f"""\
ratings:
  columns: {{participant: rater, scenario: item, system: Engine, rating: points}}
  constants: {{set: 1, dimension: warmth}}
{SYSTEMS}
values:
  scenario: {{one: S1}}
"""
ANNA_IN_S1 = [
    ("anna", "S1", "1", "Ant", "plain", "warmth", 2),
    ("anna", "S1", "1", "Ant", "tuned", "warmth", 4),
]


def test_other_names_of_columns_values_and_systems(study: Study, files: Files) -> None:
    mapped(study, files(participants=PEOPLE, ratings=LONG), LONG_MAP)
    assert ratings_of(study) == ANNA_IN_S1


def test_a_trace_of_the_mapping_file_is_kept(study: Study, files: Files) -> None:
    mapped(study, files(participants=PEOPLE, ratings=LONG), LONG_MAP)
    event = StudyEvent.objects.get(action="imported")
    assert set(event.detail["sha256"]) == {"participants", "ratings", "map"}


def test_our_own_names_need_no_mention(study: Study, files: Files) -> None:
    """Nor does a column whose name is ours mean what it says, if it was said to be another."""
    ratings = RATINGS.replace("model,condition", "condition,model")
    mapping = "ratings: {columns: {model: condition, condition: model}}"
    mapped(study, files(participants=PEOPLE, ratings=ratings), mapping)
    assert ratings_of(study)[:2] == ANNA_IN_S1


def test_column_system_needs_no_mention_where_systems_are_named(study: Study, files: Files) -> None:
    ratings = """\
participant,scenario,set,system,prompt,rating
anna,S1,1,Ant 2,I failed.,2
"""
    mapped(study, files(ratings=ratings), SYSTEMS)
    assert ratings_of(study) == ANNA_IN_S1[:1]


def test_one_column_may_say_two_of_ours(study: Study, files: Files) -> None:
    ratings = "participant,scenario,set,system,rating\nanna,S1,1,Ant 2 FT,4\n"
    mapping = """\
ratings: {columns: {model: system, condition: system}}
values: {model: {Ant 2 FT: Ant}, condition: {Ant 2 FT: tuned}}
"""
    mapped(study, files(participants=PEOPLE, ratings=ratings), mapping)
    assert ratings_of(study) == ANNA_IN_S1[1:]


# ── Wide tables ──────────────────────────────────────────────────────────────────────────────

WIDE = """\
who,state of play,S1 Ant 2,S1 Ant 2 FT,remark,S2 Ant 2
anna,yes,2,4,,
bert,no,,n/a,fun,1
"""
ALL_OF_WIDE = [*ANNA_IN_S1, ("bert", "S2", "1", "Ant", "plain", "warmth", 1)]


def wide_map(wide: str = '"{scenario} {system}"') -> str:
    """A mapping file of `WIDE`."""
    return f"""\
participants: {{columns: {{participant: who, status: state of play}}}}
ratings:
  columns: {{participant: who}}
  constants: {{set: 1}}
  wide: {wide}
{SYSTEMS}
values:
  status: {{yes: completed, no: in_progress}}
  rating: {{n/a: null}}
"""


@pytest.mark.parametrize("kind", [",", ";", "\t", "xlsx"])
def test_wide_file_is_people_and_ratings_at_once(study: Study, files: Files, kind: str) -> None:
    rows = list(csv.reader(io.StringIO(WIDE)))
    text = WIDE.replace(",", kind)
    (path,) = files(both=book(rows) if kind == "xlsx" else text).values()
    said = mapped(study, {"participants": path, "ratings": path}, wide_map())

    assert ratings_of(study) == ALL_OF_WIDE
    assert sorted(row[:3] for row in participant_rows(study, counted_sources())) == [
        ("anna", "import", "completed"),
        ("bert", "import", "in_progress"),
    ]
    assert "Imported into small@1: 2 participants, 3 ratings" in said
    assert said.count("Note: ") == 1, "what one reading needs is not called ignored by the other"
    assert "line 1: column 'remark' is ignored" in said


def test_entries_may_say_what_names_do_not(study: Study, files: Files) -> None:
    wide = """
    - {column: S1 Ant 2, scenario: S1, system: Ant 2}
    - {column: S1 Ant 2 FT, scenario: S1, system: Ant 2 FT}
    - {column: "S2 {system}", scenario: S2}"""
    (path,) = files(both=WIDE).values()
    mapped(study, {"participants": path, "ratings": path}, wide_map(wide))
    assert ratings_of(study) == ALL_OF_WIDE


def test_row_may_be_a_scenario_of_a_person(study: Study, files: Files) -> None:
    ratings = "participant,scenario,Ant 2,Ant 2 FT\nanna,S1,2,4\nbert,S2,1,\n"
    mapping = f'ratings: {{constants: {{set: 1}}, wide: "{{system}}"}}\n{SYSTEMS}'
    mapped(study, files(participants=PEOPLE, ratings=ratings), mapping)
    assert ratings_of(study) == ALL_OF_WIDE


def test_ranks_and_gold_scores_may_be_wide(study: Study, files: Files) -> None:
    ranks = "participant,S1 Ant 2,S1 Ant 2 FT\nanna,2,1\n"
    gold = "scenario,Ant 2,Ant 2 FT\nS1,2.5,4\nS2,3,\n"
    mapping = f"""\
ranks: {{constants: {{set: 1}}, wide: "{{scenario}} {{system}}"}}
gold: {{constants: {{set: 1}}, wide: "{{system}}"}}
{SYSTEMS}"""
    given = files(participants=PEOPLE, ratings=RATINGS, ranks=ranks, gold=gold)
    said = mapped(study, given, mapping)
    assert "3 ratings, 2 ranks, 3 gold scores" in said
    assert [(row[3:5], row[6]) for row in rank_rows(study, counted_sources())] == [
        (("Ant", "plain"), 2),
        (("Ant", "tuned"), 1),
    ]


WIDE_CHOICES = """\
participant,S1 most,S1 least,S2 most,S2 least
anna,Ant 2 FT,Ant 2,Ant 2,
"""
CHOICES_MAP = f"""\
ranks: {{constants: {{set: 1}}, wide: "{{scenario}} {{choice}}"}}
{SYSTEMS}
values: {{choice: {{most: best, least: worst}}}}
"""


def test_choices_may_be_wide_and_name_the_system_that_was_chosen(
    study: Study, files: Files
) -> None:
    given = files(participants=PEOPLE, ratings=RATINGS, ranks=WIDE_CHOICES)
    assert "3 ratings, 3 ranks" in mapped(study, given, CHOICES_MAP)
    assert [(row[1], row[4], row[7]) for row in rank_rows_of(study)] == [
        ("S1", "plain", "worst"),
        ("S1", "tuned", "best"),
        ("S2", "plain", "best"),
    ]


def test_ranks_and_choices_may_be_columns_of_one_file(study: Study, files: Files) -> None:
    ranks = "participant,S1 Ant 2,S1 Ant 2 FT,S1 best\nanna,2,1,Ant 2 FT\n"
    mapping = f"""\
ranks: {{constants: {{set: 1}}, wide: ["{{scenario}} {{system}}", "{{scenario}} {{choice}}"]}}
{SYSTEMS}"""
    mapped(study, files(participants=PEOPLE, ratings=RATINGS, ranks=ranks), mapping)
    assert [(row[4], row[6], row[7]) for row in rank_rows_of(study)] == [
        ("plain", 2, None),
        ("tuned", 1, "best"),
    ]


@pytest.mark.parametrize(
    ("ranks", "mapping", "message"),
    [
        (
            WIDE_CHOICES.replace("Ant 2 FT", "Ant 3"),
            CHOICES_MAP,
            "ranks.csv, line 2: column 'S1 most': 'Ant 3' is unknown; did you mean 'Ant 2'?",
        ),
        (
            WIDE_CHOICES.replace("S1 most", "S1 mots"),
            CHOICES_MAP,
            "ranks.csv, line 1: column 'S1 mots': choice 'mots' is unknown; did you mean 'most'?",
        ),
        (
            WIDE_CHOICES,
            CHOICES_MAP.replace("most: best", "most: first"),
            "map.yaml, line 6, column 19: values.choice.most: 'first' is unknown",
        ),
        (
            WIDE_CHOICES,
            CHOICES_MAP.replace(SYSTEMS, ""),
            "map.yaml, line 1, column 30: ranks.wide: 'system' needs the section systems",
        ),
        (
            WIDE_CHOICES,
            CHOICES_MAP.replace("constants: {set: 1}", "constants: {set: 1, model: Ant}"),
            "map.yaml, line 1, column 42: ranks.wide: constants.model says the model already",
        ),
        (
            WIDE_CHOICES,
            CHOICES_MAP.replace("ranks:", "gold:"),
            "map.yaml, line 1, column 29: gold.wide: {choice} is none of 'scenario', 'set'",
        ),
        (
            WIDE_CHOICES.replace("Ant 2 FT,Ant 2,", "Ant 2,Ant 2,"),
            CHOICES_MAP,
            "ranks.csv, line 2: column 'S1 least': 'anna' has placed this response already",
        ),
    ],
    ids=["system", "misspelt", "value", "no systems", "said twice", "gold", "both"],
)
def test_wrong_choices_of_wide_files_are_named(
    study: Study, files: Files, ranks: str, mapping: str, message: str
) -> None:
    given = files(participants=PEOPLE, ratings=RATINGS, ranks=ranks)
    with pytest.raises(CommandError) as refused:
        mapped(study, given, mapping)
    said = str(refused.value)
    assert message in said.replace(str(given["ranks"].parent) + "/", "")
    assert not rank_rows_of(study)


PAIRS = """\
HITId,WorkerId,Input.item,Input.left_system,Input.right_system,Answer.choice,Answer.left,Answer.right
H1,anna,S1,Ant 1,Ant 2,right,1,5
H2,anna,S2,Ant 2,Ant 1,left,4,2
H3,bert,S1,Ant 2,Ant 1,right,3,
H4,bert,S2,Ant 1,Ant 2,tie,2,2
"""
SIDES = """\
participants: {columns: {participant: WorkerId}, constants: {status: completed}}
ratings:
  columns: {participant: WorkerId, scenario: Input.item}
  constants: {set: 1}
  wide: "Answer.{system}"
ranks:
  columns: {participant: WorkerId, scenario: Input.item}
  constants: {set: 1}
  wide: {column: Answer.choice, choice: best}
sides: {left: Input.left_system, right: Input.right_system}
systems:
  Ant 1: {model: Ant, condition: plain}
  Ant 2: {model: Ant, condition: tuned}
values:
  system: {tie: null}
"""


LONG_SIDES = SIDES.replace('  wide: "Answer.{system}"\n', "", 1).replace(
    "Input.item}", "Input.item, system: Answer.choice, rating: Answer.left}", 1
)


def test_sides_of_a_page_may_have_another_system_in_every_row(study: Study, files: Files) -> None:
    said = mapped(study, files(ratings=PAIRS, ranks=PAIRS), SIDES)
    rated = [(name, item, how, value) for name, item, _, _, how, _, value in ratings_of(study)]
    assert rated == [
        ("anna", "S1", "plain", 1),
        ("anna", "S1", "tuned", 5),
        ("anna", "S2", "plain", 2),
        ("anna", "S2", "tuned", 4),
        ("bert", "S1", "tuned", 3),
        ("bert", "S2", "plain", 2),
        ("bert", "S2", "tuned", 2),
    ]
    assert [(row[0], row[1], row[4], row[7]) for row in rank_rows_of(study)] == [
        ("anna", "S1", "tuned", "best"),
        ("anna", "S2", "tuned", "best"),
        ("bert", "S1", "plain", "best"),
    ]
    assert "Input.left_system" not in said


@pytest.mark.parametrize(
    ("table", "study_map", "message"),
    [
        (PAIRS.replace("S1,Ant 1", "S1,Ant1"), SIDES,
         "ratings.csv, line 2: column 'Input.left_system': 'Ant1' is unknown; did you mean 'Ant "
         "1'?"),
        (PAIRS.replace("S1,Ant 1", "S1,"), SIDES,
         "ratings.csv, line 2: column 'Input.left_system': is empty"),
        (PAIRS.replace("tie", "both"), LONG_SIDES,
         "ratings.csv, line 5: column 'Answer.choice': 'both' is unknown; known are 'Ant 1', "
         "'Ant 2', 'left', 'right'"),
        (PAIRS.replace("right_system", "right"), SIDES,
         "map.yaml, line 10, column 34: sides.right: ratings.csv has no column "
         "'Input.right_system'; did you mean 'Input.left_system'?"),
        (PAIRS, SIDES.replace("{left:", "{Ant 1:"),
         "map.yaml, line 10, column 9: sides.Ant 1: systems has 'Ant 1' already; rename one"),
    ],
)  # fmt: skip
def test_wrong_sides_are_named(
    study: Study, files: Files, table: str, study_map: str, message: str
) -> None:
    with pytest.raises(CommandError) as caught:
        mapped(study, files(ratings=table), study_map)
    folder = str(files(ratings=table)["ratings"].parent) + "/"
    assert str(caught.value).replace(folder, "").splitlines() == [message]
    assert ratings_of(study) == []


def rank_rows_of(study: Study) -> list[tuple[object, ...]]:
    placed = list(rank_rows(study, counted_sources()))
    return [row for row in placed if row[6] is not None or row[7]]


def test_gold_scores_alone_are_mapped_too(study: Study, files: Files) -> None:
    paths = files(gold=GOLD.replace("gold\n", "score\n"), map="gold: {columns: {gold: score}}")
    out = io.StringIO()
    call_command(
        "import_gold", "small", gold=paths["gold"], map_file=paths["map"], name="us", stdout=out
    )
    assert "imported 2 gold scores" in out.getvalue()


def test_section_about_a_file_that_is_not_given_is_pointed_out(study: Study, files: Files) -> None:
    mapping = "ranks: {constants: {set: 1}}\nresponses: {columns: {scenario: item}}\n"
    said = mapped(study, files(participants=PEOPLE, ratings=RATINGS), mapping)
    assert "map.yaml, line 1, column 1: ranks: is not used: there is no such file here" in said
    assert "responses" not in said


# ── Qualtrics ────────────────────────────────────────────────────────────────────────────────

QUALTRICS = """\
StartDate,EndDate,Status,IPAddress,Duration (in seconds),Finished,ResponseId,S1 Ant 2,S1 Ant 2 FT
Start Date,End Date,Response Type,IP Address,Duration (in seconds),Finished,Response ID,Warm?,Warm?
"{""ImportId"":""startDate"",""timeZone"":""America/Denver""}","{""ImportId"":""endDate""}","{""ImportId"":""status""}","{""ImportId"":""ipAddress""}","{""ImportId"":""duration""}","{""ImportId"":""finished""}","{""ImportId"":""_recordId""}","{""ImportId"":""QID1""}","{""ImportId"":""QID2""}"
2026-07-01 09:00:00,2026-07-01 09:01:00,Survey Preview,,60,True,R_0,1,1
2026-07-01 09:00:00,2026-07-01 09:20:00,IP Address,1.2.3.4,1200,True,R_1,2,4
2026-07-01 10:00:00,2026-07-01 10:05:00,IP Address,1.2.3.4,300,False,R_2,3,
"""
QUALTRICS_MAP = f"""\
ratings:
  constants: {{set: 1}}
  wide: "{{scenario}} {{system}}"
{SYSTEMS}"""


def imported_from_qualtrics(
    study: Study, files: Files, text: str, mapping: str = QUALTRICS_MAP
) -> tuple[str, list[tuple[object, ...]]]:
    """What an import of an export says, and the people whom it brought."""
    (path,) = files(qualtrics=text).values()
    said = mapped(study, {"participants": path, "ratings": path}, mapping)
    return said, [row[:6] for row in participant_rows(study, counted_sources())]


def test_export_of_qualtrics_is_people_and_ratings(study: Study, files: Files) -> None:
    said, people = imported_from_qualtrics(study, files, QUALTRICS)
    start, end = "2026-07-01T15:00:00Z", "2026-07-01T15:20:00Z"
    assert people == [
        ("R_1", "import", "completed", start, end, 1200.0),
        ("R_2", "import", "in_progress", "2026-07-01T16:00:00Z", None, 300.0),
    ]
    assert [row[0] for row in ratings_of(study)] == ["R_1", "R_1", "R_2"]
    notes = [line.partition("qualtrics.csv")[2] for line in said.splitlines() if "Note" in line]
    assert notes == [
        ": this is an export of Qualtrics: lines 2 and 3 are headers, not read as people",
        ": its times are read as of America/Denver",
        ": previews and tests of the survey are not read: 1 (first: line 4)",
        ", line 1: column 'IPAddress' is ignored",
    ]


def test_numbers_of_qualtrics_mean_the_same(study: Study, files: Files) -> None:
    numbers = QUALTRICS.replace("Survey Preview", "1").replace("IP Address,1.2", "0,1.2")
    numbers = numbers.replace("True", "1").replace("False", "0")
    _, people = imported_from_qualtrics(study, files, numbers)
    assert [(name, status) for name, _, status, *_ in people] == [
        ("R_1", "completed"),
        ("R_2", "in_progress"),
    ]


def test_mapping_file_overrides_what_qualtrics_says(study: Study, files: Files) -> None:
    mapping = f"""\
participants:
  columns: {{finished_at: EndDate}}
  constants: {{status: completed}}
time_zone: +02:00
{QUALTRICS_MAP}"""
    _, people = imported_from_qualtrics(study, files, QUALTRICS, mapping)
    assert [person[2:5] for person in people] == [
        ("completed", "2026-07-01T07:00:00Z", "2026-07-01T07:20:00Z"),
        ("completed", "2026-07-01T08:00:00Z", "2026-07-01T08:05:00Z"),
    ]


def test_times_without_an_offset_are_in_the_time_zone_of_the_map(
    study: Study, files: Files
) -> None:
    people = table(PEOPLE, started_at="2026-03-01T09:00|2026-07-01 09:00", finished_at="|")
    mapped(study, files(participants=people, ratings=RATINGS), "time_zone: Europe/Berlin")
    starts = [row[3] for row in participant_rows(study, counted_sources())]
    assert starts == ["2026-03-01T08:00:00Z", "2026-07-01T07:00:00Z"]
