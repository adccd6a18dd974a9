"""Mapping files that are wrong, or do not fit the tables, are refused with their line and key."""

from pathlib import Path

import pytest

from survey.models import Study
from tests.dashboard.importing import PEOPLE, RATINGS, Files, refusal
from tests.dashboard.test_mapping import LONG, LONG_MAP, QUALTRICS, QUALTRICS_MAP, SYSTEMS
from tests.factories import make_study

# What is refused before anything is written is refused on every database.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

WIDE = "participant,S1 Ant 2,S1 Ant 2 FT\nanna,2,4\nbert,3,\n"
WIDE_MAP = f"""\
ratings:
  constants: {{set: 1}}
  wide: "{{scenario}} {{system}}"
{SYSTEMS}"""


@pytest.fixture
def study() -> Study:
    return make_study()


def refused(
    study: Study, files: Files, mapping: str | bytes, *, ratings: str = RATINGS
) -> list[str]:
    """What is said of a mapping file; and nothing may have changed."""
    given = files(participants=PEOPLE, ratings=ratings, map_file=mapping)
    return [line.replace("map_file.csv", "map.yaml") for line in refusal(study, given)]


def changed(old: str, new: str, text: str = WIDE_MAP) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


# ── Of the mapping file alone ────────────────────────────────────────────────────────────────


BAD_MAPS = [
    ("ratings: {", "line 1, column 11: expected the node content, but found '<stream end>'"),
    ("- ratings", "line 1, column 1: expected keys and values"),
    (b"ratings: \xff", "line 1, column 10: byte 0xff is not UTF-8; the text seems to be in "
     "Latin-1 (Windows-1252): save it as UTF-8 and try again"),
    ("ratngs: {columns: {}}",
     "line 1, column 1: ratngs: unknown key; did you mean 'ratings'?"),
    ("ratings: {column: {}}",
     "line 1, column 11: ratings.column: unknown key; did you mean 'columns'?"),
    ("participants: {wide: Q1}", "line 1, column 16: participants.wide: unknown key"),
    ("ratings: score", "line 1, column 1: ratings: expected keys and values"),
    ("ratings: {wide: [{scenario: S1}]}", "line 1, column 18: ratings.wide.0.column: is missing"),
    ("ratings: {columns: {ratng: score}}",
     "line 1, column 21: ratings.columns.ratng: 'ratng' is no column of ratings.csv; did you mean "
     "'rating'?"),
    ("ratings: {columns: {sigma: sd}}",
     "line 1, column 21: ratings.columns.sigma: 'sigma' is no column of ratings.csv"),
    ("participants: {columns: {system: x}}",
     "line 1, column 26: participants.columns.system: 'system' is no column of participants.csv"),
    ("ratings: {columns: {system: LLM}}",
     "line 1, column 21: ratings.columns.system: 'system' needs the section systems, with the "
     "model and condition of each"),
    ("ratings: {columns: {set: pair}, constants: {set: 1}}",
     "line 1, column 45: ratings.constants.set: columns.set says the set already; keep one of "
     "them"),
    (f"ratings: {{columns: {{system: LLM, model: M}}}}\n{SYSTEMS}",
     "line 1, column 34: ratings.columns.model: columns.system says the model already; keep one "
     "of them"),
    ("ratings: {constants: {condition: Plain}}",
     "line 1, column 23: ratings.constants.condition: 'Plain' is unknown; did you mean 'plain'?"),
    ("ratings: {constants: {set: 3}}",
     "line 1, column 23: ratings.constants.set: '3' is unknown; known are '1', '2'"),
    ("systems: {A: {model: Wasp, condition: plain}}",
     "line 1, column 15: systems.A.model: 'Wasp' is unknown; known are 'Ant', 'Oracle', 'Bee'"),
    ("systems: {A: {model: Ant, condition: reference}}",
     "line 1, column 11: systems.A: the study has no 'Ant' in condition 'reference'"),
    ("systems: {A: {model: Ant}}", "line 1, column 11: systems.A.condition: is missing"),
    ("values: {scenaro: {one: S1}}",
     "line 1, column 10: values.scenaro: is no column that is read; did you mean 'scenario'?"),
    ("values: {scenario: {one: s1}}",
     "line 1, column 21: values.scenario.one: 's1' is unknown; did you mean 'S1'?"),
    ("values: {scenario: {one: S1, one: S2}}",
     'line 1, column 30: found duplicate key "one" with value "S2" (original value: "S1")'),
    ("values: {rating: {Very: 9}}",
     "line 1, column 19: values.rating.Very: '9' is unknown; known are '1', '2', '3', '4', '5'"),
    ("values: {system: {A: Ant}}",
     "line 1, column 10: values.system: name the systems under systems, each with its model and "
     "condition"),
    ("time_zone: Berlin",
     "line 1, column 1: time_zone: 'Berlin' is no time zone such as Europe/Berlin, UTC or +02:00"),
    (changed("{scenario} ", "{item} "),
     "line 3, column 3: ratings.wide: {item} is none of 'scenario', 'set', 'system', 'model', "
     "'condition', 'dimension'; did you mean 'system'?"),
    (changed("{scenario} ", "{scenario"),
     "line 3, column 3: ratings.wide: '{scenario{system}' has a brace without its partner; write "
     "{{ or }} for a brace itself"),
    (changed("{scenario} ", "{set} "),
     "line 3, column 3: ratings.wide: constants.set says the set already; keep one of them"),
    (changed("set: 1", "set: 1, rating: 2"),
     "line 3, column 3: ratings.wide: constants.rating says the rating, which these columns have"),
    (changed('"{scenario} {system}"', '[{column: "{system}", scenario: S3}]'),
     "line 3, column 31: ratings.wide.0.scenario: 'S3' is unknown; known are 'S1', 'S2'"),
    (changed('"{scenario} {system}"', '[{column: "{system}", model: Ant}]'),
     "line 3, column 31: ratings.wide.0.model: {system} says the model already; keep one of "
     "them"),
]  # fmt: skip


@pytest.mark.parametrize(("mapping", "message"), BAD_MAPS)
def test_bad_mapping_file_is_named_with_line_and_key(
    study: Study, files: Files, mapping: str | bytes, message: str
) -> None:
    assert refused(study, files, mapping) == [f"map.yaml, {message}"]


def test_every_mistake_of_a_mapping_file_is_told_at_once(study: Study, files: Files) -> None:
    mapping = "time_zone: Mars\nvalues: {set: {x: 7}}\nratings: {constants: {model: ant}}\n"
    assert [line.partition(": ")[0] for line in refused(study, files, mapping)] == [
        "map.yaml, line 1, column 1",
        "map.yaml, line 2, column 16",
        "map.yaml, line 3, column 23",
    ]


def test_mapping_file_that_is_not_there_is_named(
    study: Study, files: Files, tmp_path: Path
) -> None:
    given = files(participants=PEOPLE, ratings=RATINGS) | {"map_file": tmp_path / "nowhere.yaml"}
    assert refusal(study, given) == ["nowhere.yaml: No such file or directory"]


# ── Of a mapping file and a table ────────────────────────────────────────────────────────────

BOTH = "both have the value of"
BAD_FITS = [
    (LONG, LONG_MAP.replace("points}", "point}"),
     "map.yaml, line 2, column 65: ratings.columns.rating: ratings.csv has no column 'point'; did "
     "you mean 'points'?"),
    (LONG, LONG_MAP.replace("participant: rater, ", ""),
     "ratings.csv, line 1: column 'rater' is unknown; did you mean 'participant'?"),
    (LONG, LONG_MAP.replace("rating: points", "block_seconds: points"),
     "ratings.csv, line 1: column 'rating' is missing"),
    (LONG.replace("points", "points;set").replace("2\n", "2;1\n").replace("4\n", "4;1\n"), LONG_MAP,
     "map.yaml, line 3, column 15: ratings.constants.set: ratings.csv has a column 'set', which "
     "says it already"),
    (LONG.replace("Ant 2 FT", "ant-2-FT"), LONG_MAP,
     "ratings.csv, line 3: column 'Engine': 'ant-2-FT' is unknown; did you mean 'Ant 2 FT'?"),
    (LONG.replace("one", "two"), LONG_MAP,
     "ratings.csv, line 2: column 'item': 'two' is unknown; known are 'S1', 'S2' (and 1 more up to "
     "line 3)"),
    (LONG.replace(";4", ";7"), LONG_MAP,
     "ratings.csv, line 3: column 'points': 7 is not on the scale of the study, 1 to 5"),
    (WIDE, changed("{scenario} ", "q_{scenario} "),
     "map.yaml, line 3, column 3: ratings.wide: no column fits 'q_{scenario} {system}'; "
     "ratings.csv has 'participant', 'S1 Ant 2', 'S1 Ant 2 FT'"),
    (WIDE, changed("{scenario} ", "S1 "),
     "map.yaml, line 3, column 3: ratings.wide: nothing says the scenario of these columns: name "
     "it in the pattern, or add it to columns or constants"),
    (WIDE.replace("S1 Ant 2 FT", "S1 Ant 3"), WIDE_MAP,
     "ratings.csv, line 1: column 'S1 Ant 3': system 'Ant 3' is unknown; did you mean 'Ant 2'?"),
    (WIDE.replace("S1 Ant 2 FT", "one Ant 2"), WIDE_MAP + "values: {scenario: {one: S1}}\n",
     f"map.yaml, line 3, column 3: ratings.wide: columns 'S1 Ant 2' and 'one Ant 2' {BOTH} "
     "'S1', 'Ant', 'plain'"),
    (WIDE, changed('"{scenario} {system}"',
                   '[{column: S1 Ant, scenario: S1, system: Ant 2}]'),
     "map.yaml, line 3, column 11: ratings.wide.0.column: ratings.csv has no column 'S1 Ant'; did "
     "you mean 'S1 Ant 2'?"),
    (WIDE, changed('"{scenario} {system}"',
                   '["{scenario} Ant 2", "S1 {sytem}"]'),
     "map.yaml, line 3, column 30: ratings.wide.1: {sytem} is none of 'scenario', 'set', 'system', "
     "'model', 'condition', 'dimension'; did you mean 'system'?"),
    (WIDE, changed('"{scenario} {system}"',
                   '[{column: "S1 {system}", scenario: S1}, {column: S1 Ant 2, system: Ant 2}]'),
     "map.yaml, line 3, column 50: ratings.wide.1.column: says 'model', 'condition', but the first "
     "entry 'scenario', 'model', 'condition'"),
    (WIDE, changed('"{scenario} {system}"',
                   '[{column: "{scenario} {system}"}, {column: S1 Ant 2, scenario: S2, system: '
                   'Ant 2}]'),
     "map.yaml, line 3, column 44: ratings.wide.1.column: column 'S1 Ant 2' is in an earlier entry "
     "already"),
    (WIDE.replace(",2,4", ",2,6"), WIDE_MAP,
     "ratings.csv, line 2: column 'S1 Ant 2 FT': 6 is not on the scale of the study, 1 to 5"),
    (WIDE.replace("S1 Ant 2 FT", "S2 Ant 2").replace("set", "set"), changed("set: 1", "set: 2"),
     "ratings.csv, line 2: column 'S1 Ant 2': 'Ant' (plain) has no response in scenario 'S1', set "
     "'2': add it to the responses and load the study again, or remove it here "
     "(and 2 more up to line 3)"),
]  # fmt: skip


@pytest.mark.parametrize(("ratings", "mapping", "message"), BAD_FITS)
def test_mapping_that_does_not_fit_the_table_is_named_with_its_place(
    study: Study, files: Files, ratings: str, mapping: str, message: str
) -> None:
    assert refused(study, files, mapping, ratings=ratings) == [message]


def test_name_of_a_column_that_means_two_things_is_refused(study: Study, files: Files) -> None:
    mapping = """\
ratings: {constants: {set: 1}, wide: "{scenario} {system}"}
systems: {A: {model: Ant, condition: plain}, 1 A: {model: Ant, condition: tuned}}
values: {scenario: {S: S1, S 1: S2}}
"""
    assert refused(study, files, mapping, ratings="participant,S 1 A\nanna,2\n") == [
        "map.yaml, line 1, column 32: ratings.wide: 'S 1 A' can be read as scenario 'S 1', system "
        "'A' or scenario 'S', system '1 A'; give its column an entry of its own"
    ]


def test_equal_mistakes_in_many_columns_are_one_line(study: Study, files: Files) -> None:
    ratings = "participant,S1 Ant 2,S1 Ant 2 FT\nanna,7,8\nbert,9,9\n"
    assert refused(study, files, WIDE_MAP, ratings=ratings) == [
        "ratings.csv, line 2: column 'S1 Ant 2': 7 is not on the scale of the study, 1 to 5 (and 3 "
        "more up to line 3, such as '8', '9')"
    ]


# ── Qualtrics ────────────────────────────────────────────────────────────────────────────────

BAD_EXPORTS = [
    (changed('"{""ImportId"":""QID2""}"', "", QUALTRICS),
     "line 3: this row has Qualtrics' ImportIds, but none for 'S1 Ant 2 FT'; export the file "
     'again, or fill them with {"ImportId": ""}'),
    (changed("R_2", "R_1", QUALTRICS), "line 6: column 'ResponseId': 'R_1' is on line 5 already"),
    (changed("False", "Maybe", QUALTRICS),
     "line 6: column 'Finished': 'Maybe' is unknown; known are 'completed', 'in_progress', "
     "'screened_out', 'failed_comprehension', 'declined', 'withdrawn'"),
    (changed("2026-07-01 10:00:00", "7/1/2026 10:00", QUALTRICS),
     "line 6: column 'StartDate': '7/1/2026 10:00' is not an ISO 8601 time such as "
     "2026-03-01T14:05:00Z"),
    (changed(",R_2,3,", ",R_2,Quite,", QUALTRICS),
     "line 6: column 'S1 Ant 2': 'Quite' is not a whole number; a mapping file can rename "
     "values, under values.rating"),
]  # fmt: skip


@pytest.mark.parametrize(("export", "message"), BAD_EXPORTS)
def test_bad_export_of_qualtrics_is_named_with_its_place(
    study: Study, files: Files, export: str, message: str
) -> None:
    given = files(qualtrics=export, map_file=QUALTRICS_MAP)
    paths = dict.fromkeys(("participants", "ratings"), given["qualtrics"])
    said = refusal(study, paths | {"map_file": given["map_file"]})
    assert said[:1] == [f"qualtrics.csv, {message}"]


# ── Values that almost match, without a mapping file ─────────────────────────────────────────


def test_every_unknown_name_of_a_row_gets_a_suggestion(study: Study, files: Files) -> None:
    ratings = RATINGS.replace("S1,1,Ant,plain", "s 1,1,ANT,Plain ")
    assert refusal(study, files(participants=PEOPLE, ratings=ratings)) == [
        "ratings.csv, line 2: column 'condition': 'Plain' is unknown; did you mean 'plain'?",
        "ratings.csv, line 2: column 'model': 'ANT' is unknown; did you mean 'Ant'?",
        "ratings.csv, line 2: column 'scenario': 's 1' is unknown; did you mean 'S1'?",
    ]
