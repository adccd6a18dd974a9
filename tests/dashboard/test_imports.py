"""import_ratings: what it takes and stores; all of it or nothing."""

import csv
import io
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from analysis.models import ManualDecision
from analysis.recipe import shipped_recipes
from judge.models import GoldScore
from survey.models import (
    DemographicAnswer,
    Participant,
    Rating,
    Study,
    StudyEvent,
)
from survey.tidy import counted_sources, participant_rows, rank_rows, rating_rows
from tests.dashboard.importing import (
    GOLD,
    PEOPLE,
    RATINGS,
    Files,
    refusal,
    run,
    stored,
    table,
    without,
)
from tests.dashboard.judging import answer_calls, planned
from tests.factories import DEMOGRAPHICS, add_participant, make_study
from tests.workbooks import book

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return make_study()


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
        ("anna", "S1", "1", "Ant", "plain", "warmth", 2, None, None, None, 0, 1),
        ("anna", "S1", "1", "Ant", "tuned", "warmth", 4, None, None, None, 0, 1),
        ("bert", "S2", "2", "Oracle", "reference", "warmth", 5, None, None, None, 0, 1),
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

    with pytest.raises(CommandError, match="2 of 2 participants are already in small@1"):
        run(study, given)
    assert stored() == before


def test_gold_scores_are_imported_once(study: Study, files: Files) -> None:
    run(study, files(participants=PEOPLE, ratings=RATINGS, gold=GOLD))
    before = stored()
    others = PEOPLE.replace("anna", "carl").replace("bert", "dora")
    theirs = RATINGS.replace("anna", "carl").replace("bert", "dora")

    with pytest.raises(CommandError, match="already has imported gold scores"):
        run(study, files(participants=others, ratings=theirs, gold=GOLD))
    assert stored() == before


def test_demographics_are_kept_and_the_region_comes_from_the_state(
    study: Study, files: Files
) -> None:
    people = table(PEOPLE, age="30|", sex="Female|", state="OH|", region="West|South")
    run(study, files(participants=people, ratings=RATINGS))

    rows = [row[7:16] for row in participant_rows(study, counted_sources())]
    assert rows == [
        (30, "Female", None, None, None, None, None, "OH", "Midwest"),
        (None, None, None, None, None, None, None, None, "South"),
    ]


def test_numbers_in_digits_of_any_script_are_the_same_numbers(study: Study, files: Files) -> None:
    people = table(PEOPLE, age="３４|٤١", duration_seconds="１２００．５|600")
    ratings = table(RATINGS, rating="２|٤|5", block_position="１|１|1")
    gold = table(GOLD, gold="２．５|4|4", call_1="２|4|4", call_2="３|4|4")
    run(study, files(participants=people, ratings=ratings, gold=gold))

    assert [row[7] for row in participant_rows(study, counted_sources())] == [34, 41]
    assert sorted(Rating.objects.values_list("value", flat=True)) == [2, 4, 5]
    assert Participant.objects.get(pseudonym="anna").imported_duration_seconds == 1200.5
    assert set(GoldScore.objects.values_list("value", flat=True)) == {2.5, 4}


@pytest.fixture
def compared(db: None) -> Study:
    """A study whose recipes compare groups of raters. It has no question about race."""
    asked = [question for question in DEMOGRAPHICS if question["name"] != "race"]
    return make_study(recipes=list(shipped_recipes().values()), demographics=asked)


def test_without_a_file_of_participants_everybody_who_rated_is_one(
    study: Study, files: Files
) -> None:
    ranks = "participant,scenario,set,model,condition,rank\ncleo,S1,1,Ant,plain,1\n"
    said = run(study, files(ratings=RATINGS, ranks=ranks))
    assert "3 participants, 3 ratings, 1 ranks" in said
    assert (
        "ratings.csv: there is no file of participants, so everybody whom its rows name is one who "
        "completed: 3"
    ) in said
    people = [row[:7] for row in participant_rows(study, counted_sources())]
    assert people == [
        (name, "import", "completed", None, None, None, None) for name in ("anna", "bert", "cleo")
    ]


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        (RATINGS.replace("bert", ""), ", line 4: column 'participant': is empty"),
        (
            RATINGS.replace("bert", "b" * 101),
            ", line 4: column 'participant': is longer than 100 characters",
        ),
        (RATINGS.splitlines()[0], ", line 1: there are no ratings below the header"),
    ],
)
def test_ratings_alone_need_names(study: Study, files: Files, ratings: str, reason: str) -> None:
    assert refusal(study, files(ratings=ratings)) == [f"ratings.csv{reason}"]


def test_answer_is_an_option_whatever_its_capitals_and_spaces(study: Study, files: Files) -> None:
    people = f"{PEOPLE}cleo,declined,,,,\n"
    people = table(people, sex=" female|MALE|DATA_EXPIRED", race="black|White;  Asian|Two or More")
    people = table(people, state="ohio|ca|Puerto Rico", age="CONSENT_REVOKED|30|")
    run(study, files(participants=people, ratings=RATINGS))
    answers = DemographicAnswer.objects.order_by("participant", "name")
    assert [*answers.values_list("participant__pseudonym", "name", "value")] == [
        ("anna", "race", "Black"), ("anna", "sex", "Female"), ("anna", "state", "Ohio"),
        ("bert", "age", 30), ("bert", "race", "Asian; White"), ("bert", "sex", "Male"),
        ("bert", "state", "CA"),
        ("cleo", "race", "Two or more"), ("cleo", "state", "Puerto Rico"),
    ]  # fmt: skip


def test_answers_that_are_no_option_are_refused_in_one_line_for_each_column(
    study: Study, files: Files
) -> None:
    people = f"{PEOPLE}cleo,completed,,,,\ndora,completed,,,,\n"
    people = table(people, sex="Femal|F|Femal|Male", race="White; Green||Asian|")
    assert refusal(study, files(participants=people, ratings=RATINGS)) == [
        "participants.csv, line 2: column 'race': no option of the question: 'White; Green' "
        "(1 row; did you mean 'White'?). It has 'Asian', 'Black', 'White'; a mapping file can "
        "rename answers, under values.race",
        "participants.csv, line 2: column 'sex': no options of the question: 'Femal' (2 rows; did "
        "you mean 'Female'?), 'F' (1 row). It has 'Female', 'Male'; a mapping file can rename "
        "answers, under values.sex",
    ]


def test_answers_that_no_group_of_a_recipe_knows_are_told(compared: Study, files: Files) -> None:
    people = f"{PEOPLE}cleo,declined,,,,\n"
    people = table(people, gender="Female|Male|Female", age="30|61|")
    said = run(compared, files(participants=people, ratings=RATINGS))

    notes = [line.split("Note: ")[1] for line in said.splitlines() if "Note: " in line]
    assert notes == [
        "gender: 'Female' (2) and 'Male' (1) are in no group of the recipes paper and sound "
        "(Woman / Man), so tests of gender do not include these people. Add these answers to a "
        "group, or to left_out, in recipes/paper.yaml and recipes/sound.yaml of the study's "
        "folder, and load the folder again."
    ]


def test_answers_that_a_recipe_knows_or_leaves_out_are_no_news(
    compared: Study, files: Files
) -> None:
    people = table(PEOPLE, gender="Woman|Non-binary", race="|Prefer not to answer")
    assert run(compared, files(participants=people, ratings=RATINGS)).startswith("Imported into")


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
        (2, 3, 2, 12.5, 0, 1),
        (4, 3, 1, 12.5, 1, 1),
        (4, 3, 3, 12.5, 0, 1),
        (4, 1, None, None, 0, 1),
    ]


def test_ranks_and_choices_are_kept(study: Study, files: Files) -> None:
    ranks = """\
participant,scenario,set,model,condition,dimension,rank,choice,block_seconds
anna,S1,1,Ant,plain,,2,,12.5
anna,S1,1,Ant,tuned,,1,best,12.5
anna,S1,1,Oracle,reference,,,worst,12.5
"""
    run(study, files(participants=PEOPLE, ratings=RATINGS, ranks=ranks))

    assert list(rank_rows(study, counted_sources())) == [
        ("anna", "S1", "1", "Ant", "plain", "", 2, None, None, None, 12.5, 0, 1),
        ("anna", "S1", "1", "Ant", "tuned", "", 1, "best", None, None, 12.5, 0, 1),
        ("anna", "S1", "1", "Oracle", "reference", "", None, "worst", None, None, 12.5, 0, 1),
    ]


@pytest.mark.parametrize("kind", [";", "\t", "xlsx"])
def test_every_kind_of_table_is_imported_alike(study: Study, files: Files, kind: str) -> None:
    """European Excel writes decimal commas where it writes semicolons."""
    texts = {
        "participants": table(PEOPLE, duration_seconds="1200.5|600", age="30|44"),
        "ratings": table(RATINGS, block_seconds="33.25|33.25|61"),
        "gold": table(GOLD, call_1="2|4|", call_2="3|4|"),
    }
    expected = ("anna", "import", "completed", *["2026-03-01T09:00:00Z", "2026-03-01T09:20:00Z"])

    run(study, files(**{name: as_kind(text, kind) for name, text in texts.items()}))
    anna, bert = (row[:7] for row in participant_rows(study, counted_sources()))
    assert anna == (*expected, 1200.5, 0)
    assert bert[5:] == (600.0, 1)
    assert [row[-3] for row in rating_rows(study, counted_sources())] == [33.25, 33.25, 61.0]
    assert sorted(GoldScore.objects.values_list("value", flat=True)) == [2.5, 4.0]


def as_kind(text: str, kind: str) -> bytes:
    """A table as a workbook with numbers, or with another delimiter and decimal commas."""
    rows = list(csv.reader(io.StringIO(text)))
    if kind == "xlsx":
        return book(
            [[float(c) if c.replace(".", "", 1).isdecimal() else c for c in r] for r in rows]
        )
    out = io.StringIO()
    commas = [[re.sub(r"^([0-9]+)\.([0-9]+)$", r"\1,\2", cell) for cell in row] for row in rows]
    csv.writer(out, delimiter=kind).writerows(commas)
    return out.getvalue().encode()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1,200", "'1,200' may mean 1.200 or 1200; write it with a decimal point"),
        ("1.200,5", "'1.200,5' is not a number with one decimal comma"),
        ("1,200,5", "'1,200,5' is not a number with one decimal comma"),
    ],
)
def test_comma_that_may_mean_two_things_is_refused(
    study: Study, files: Files, text: str, reason: str
) -> None:
    people = table(PEOPLE, duration_seconds=f"{text}|600").replace(f'"{text}"', text)
    people = people.replace(",", ";").replace(text.replace(",", ";"), text)

    assert refusal(study, files(participants=people, ratings=RATINGS)) == [
        f"participants.csv, line 2: column 'duration_seconds': {reason}"
    ]


def test_decimal_comma_in_a_file_with_commas_is_not_a_number(study: Study, files: Files) -> None:
    people = table(PEOPLE, age="30,5|44")

    assert refusal(study, files(participants=people, ratings=RATINGS)) == [
        "participants.csv, line 2: column 'age': '30,5' is not a number"
    ]


def test_byte_order_mark_and_windows_line_ends_are_fine(study: Study, files: Files) -> None:
    people = b"\xef\xbb\xbf" + PEOPLE.replace("\n", "\r\n").encode()

    assert "2 participants" in run(study, files(participants=people, ratings=RATINGS))


def test_unknown_column_is_ignored_with_a_notice(study: Study, files: Files) -> None:
    people = table(PEOPLE, shoe_size="38|44")

    said = run(study, files(participants=people, ratings=RATINGS))
    assert "participants.csv, line 1: column 'shoe_size' is ignored" in said


def test_names_like_prolific_ids_are_pointed_out(study: Study, files: Files) -> None:
    name = "5f3c" * 6
    people, ratings = PEOPLE.replace("anna", name), RATINGS.replace("anna", name)

    said = run(study, files(participants=people, ratings=ratings))
    assert "names like Prolific IDs: 1 (first: line 2)" in said


def test_imported_gold_scores_in_the_place_of_others_are_pointed_out(
    study: Study, files: Files
) -> None:
    answer_calls(planned(study, name="robot").calls.all()[:1])
    said = run(study, files(participants=PEOPLE, ratings=RATINGS, gold=GOLD))

    assert "the imported gold scores replace those of robot@1" in said


@pytest.mark.django_db(transaction=True)
def test_one_of_two_imports_at_once_is_refused(files: Files) -> None:
    study = make_study()
    given = files(participants=PEOPLE, ratings=RATINGS, gold=GOLD)

    def outcome(_: int) -> str:
        try:
            return run(study, given)
        except CommandError as refusal:
            return str(refusal)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        imported, refused = sorted(pool.map(outcome, range(2)))
    assert imported.startswith("Imported into small@1: 2 participants, 3 ratings")
    assert refused.startswith("Nothing was imported: 2 of 2 participants are already in small@1")
    assert stored()["Rating"] == 3


def test_unknown_study_is_refused(files: Files, db: None) -> None:
    given = files(participants=PEOPLE, ratings=RATINGS)
    with pytest.raises(CommandError, match="there is no study 'tiny'; studies here: none"):
        call_command("import_ratings", "tiny", **given)


def test_study_without_sets_needs_no_set(files: Files) -> None:
    study = make_study(sets={"": ["Ant"]})
    ratings = without(RATINGS.replace("2,Oracle", ",Oracle"), "set")
    run(study, files(participants=PEOPLE, ratings=ratings))

    assert Rating.objects.count() == 3


@pytest.mark.parametrize("stored_as", ["Zo\u00e9", "Zoe\u0301"])
@pytest.mark.parametrize("written_as", ["Zo\u00e9", "Zoe\u0301"])
def test_names_are_found_however_their_accents_are_written(
    files: Files, stored_as: str, written_as: str
) -> None:
    study = make_study(sets={"1": [stored_as], "2": ["Bee"]})
    people, ratings = (t.replace("anna", written_as) for t in (PEOPLE, RATINGS))
    run(study, files(participants=people, ratings=ratings.replace("Ant", written_as)))

    assert Rating.objects.filter(response__system__model=stored_as).count() == 2
    call_command("exclude", str(study), written_as, reason="asked for it")
    assert ManualDecision.objects.get().participant.pseudonym == "Zo\u00e9"


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
