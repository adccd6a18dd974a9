"""A rater's page: what they saw and when, what they answered, every rule's verdict, the replay of
a page, and who they are, on request alone.
"""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from analysis.models import AnalysisRun
from dashboard.raters.timeline import Key, timeline
from dashboard.raters.verdicts import measured_in_words
from survey.models import (
    AttentionCheck,
    Invitation,
    Participant,
    Presentation,
    Rating,
    Study,
    StudyEvent,
)
from survey.withdrawal import withdraw
from tests.dashboard.reading import table_headed, tables_of, text_of
from tests.factories import add_participant
from tests.prolific import arrival, prolific_id
from tests.survey import small_study
from tests.survey.visiting import LAST_PAGE, begin, form_of, page_of_block, reopen, take

# What pages show and say; test_pages.py opens them on every database.
pytestmark = pytest.mark.embedded


@pytest.fixture
def walked(db: None, client: Client) -> Participant:
    """Somebody who took the small study page by page, and changed one block afterwards."""
    small_study.load()
    visitor = Client()
    person = begin(visitor)
    take(visitor, range(1, LAST_PAGE))
    changed = page_of_block(person, 2)
    visitor.post(f"/s/small/page/{changed}/", form_of(visitor, changed, 3))
    visitor.post(f"/s/small/page/{LAST_PAGE}/", {"age": "40"})
    return Participant.objects.get(pk=person.pk)


def address(person: Participant, more: str = "") -> str:
    return f"/studies/small/raters/{person.pk}/{more}"


# ── What they saw and did ────────────────────────────────────────────────────────────────────


def test_pages_stand_in_their_order_with_what_was_changed(
    page: Client, walked: Participant
) -> None:
    rows = table_headed(page.get(address(walked)), "Page")[1:]
    names = [row[0] for row in rows]
    assert [names[0], names[1], names[-1]] == ["Consent", "Instructions", "Demographics"]
    assert [row[1] for row in rows] == [str(number) for number in range(LAST_PAGE + 1)]
    blocks = [name.split(":")[0] for name in names if "Block" in name]
    assert blocks == [f"Block {number}" for number in range(1, 5)]
    after = {row[0].split(":")[0]: row[-1] for row in rows}
    assert (after["Block 1"], after["Block 2"]) == ("0", "3")
    assert [name.endswith("(replay)") for name in names] == [False] * 2 + [True] * 5 + [False]


def test_other_browser_that_went_on_is_told_with_its_time(page: Client) -> None:
    small_study.load()
    person = begin(Client())
    where, record = address(person), f"/api/studies/small/raters/{person.pseudonym}/"
    same_submission = Client()
    reopen(same_submission)
    assert "Went on in another browser" not in text_of(page.get(where))
    assert page.get(record).json()["other_browser_at"] is None
    reopen(Client(), f"/s/small/{arrival('abc123', session='made up')}")
    at = person.browsers.get().arrived_at
    text = text_of(page.get(where))
    assert f"Went on in another browser. At {at:%Y-%m-%d %H:%M} UTC a browser came" in text
    assert page.get(record).json()["other_browser_at"].startswith(f"{at:%Y-%m-%dT%H:%M}")


def test_times_are_held_against_the_median_of_others(page: Client, walked: Participant) -> None:
    for number, seconds in enumerate((10, 30, 50)):
        add_participant(walked.study, pseudonym=f"other{number}")
        others = Presentation.objects.filter(participant__pseudonym=f"other{number}")
        now = timezone.now()
        others.update(shown_at=now, answered_at=now + timedelta(seconds=seconds))
    first = next(seen for seen in timeline(walked) if seen.key.kind == "block")
    assert first.median == 30


def test_breaks_are_seen_between_pages_and_behind_other_windows(walked: Participant) -> None:
    shown = walked.presentations.get(position=1)
    before = shown.shown_at
    assert before is not None
    # The time since the page before, which is short but for a busy machine, comes on top.
    later = before + timedelta(minutes=11, seconds=35)
    Presentation.objects.filter(pk=shown.pk).update(
        shown_at=later, answered_at=later + timedelta(minutes=200), hidden_seconds=7260
    )
    seen = next(seen for seen in timeline(walked) if seen.key == Key("block", shown.block_id))
    assert seen.breaks == ["12 min before the page", "2.0 h with the page in the background"]


def test_checks_say_what_was_asked_answered_and_right(page: Client, walked: Participant) -> None:
    row = table_headed(page.get(address(walked)), "Check")[1]
    assert row == [
        *("check_1", 'Please choose "Somewhat" here.', "Somewhat", "Somewhat", "passed", "0"),
    ]


def test_answers_stand_as_they_were_shown(page: Client, walked: Participant) -> None:
    answer = page.get(address(walked))
    rows = table_headed(answer, "Block")[1:]
    assert len(rows) == 12
    first = walked.presentations.get(position=1)
    assert first.response_order is not None
    shown = [Rating.objects.get(presentation=first, response=one) for one in first.response_order]
    assert [row[1:4] for row in rows[:3]] == [
        [str(place), rating.response.system.model, rating.response.system.condition.capitalize()]
        for place, rating in enumerate(shown, start=1)
    ]
    assert [row[5] for row in rows[2:5]] == ["2", "3", "3"]
    assert "Age 40" in text_of(answer)


def test_several_choices_are_read_as_words(page: Client, walked: Participant) -> None:
    walked.demographic_answers.create(name="native_language", value=["English", "Spanish"])
    assert "Native language English, Spanish" in text_of(page.get(address(walked)))


def test_answers_are_held_against_gold_and_the_other_raters(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    for name in ("ann", "dot"):  # of three who are kept, and of one who is not
        rows = table_headed(page.get(address(study.participants.get(pseudonym=name))), "Block")
        [row] = [r for r in rows[1:] if r[0].endswith("S1, set 1") and r[3] == "Tuned"]
        assert row[6] != "–" and row[7] == "4.00", name


def test_measure_is_not_rounded_onto_a_round_number_it_only_comes_close_to() -> None:
    near = {"minutes": 9.98, "sigma": 0.5997, "mae": 0.9}
    assert measured_in_words(near) == "9.98 minutes, σ 0.5997, MAE 0.900"
    assert measured_in_words({"minutes": 9.25, "sigma": 0.4123}) == "9.3 minutes, σ 0.412"
    assert measured_in_words({"minutes": 2.0}) == "2.0 minutes"
    too_near = {"minutes": 9.99999, "sigma": 0.599999}
    assert measured_in_words(too_near) == "10.0 minutes, σ 0.600"
    assert measured_in_words({"status": "in_progress"}) == "not finished"


def test_every_rule_gives_its_verdict_with_value_and_threshold(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    dot = page.get(address(study.participants.get(pseudonym="dot")))
    assert table_headed(dot, "Rule")[1:] == [
        [
            *("Too fast or too slow", "2.0 minutes", "under 10 or over 75 minutes"),
            "excluded by this rule",
        ],
        ["Failed attention checks", "0 failed", "an attention check failed", "passed"],
        ["Left early", "completed", "left before the end", "passed"],
        [
            *("Low variance and far from gold", "σ 0.000, MAE 0.500"),
            *("σ under 0.6 and MAE over 0.9", "passed"),
        ],
    ]
    ann = text_of(page.get(address(study.participants.get(pseudonym="ann"))))
    assert "excluded by this rule" not in ann and "ratings 12" in ann


def test_rater_without_analysis_or_pages_says_so(page: Client, study: Study) -> None:
    add_participant(study, pseudonym="old", source="import")
    old = study.participants.get(pseudonym="old")
    old.presentations.update(page=None, position=None, response_order=None, shown_at=None)
    answer = page.get(address(old))
    said = text_of(answer)
    assert "No analysis includes this rater yet." in said
    blocks = [row for row in table_headed(answer, "Page")[1:] if row[0].startswith("Block S")]
    assert len(blocks) == 4 and {row[1] for row in blocks} == {"–"}
    add_participant(study, pseudonym="none", rate=lambda key: None, checks_passed=None)
    nobody = study.participants.get(pseudonym="none")
    nobody.presentations.all().delete()
    assert "This rater has rated nothing yet." in text_of(page.get(address(nobody)))


def test_query_count_is_the_same_however_many_took_part(page: Client, study: Study) -> None:
    ann = study.participants.get(pseudonym="ann")

    def queries() -> int:
        page.get(address(ann))
        with CaptureQueriesContext(connection) as captured:
            page.get(address(ann))
        return len(captured)

    before = queries()
    for number in range(4):
        add_participant(study, pseudonym=f"p{number}")
    assert queries() == before


# ── Replay ───────────────────────────────────────────────────────────────────────────────────


def test_replay_shows_the_page_as_it_was_and_records_nothing(
    page: Client, walked: Participant
) -> None:
    shown = walked.presentations.get(position=2)
    shown_at = (shown.shown_at, shown.submitted_at)
    answer = page.get(address(walked, f"pages/{shown.page}/"))
    html = answer.content.decode()
    in_order = [
        one.public_id
        for one in sorted(
            shown.block.responses.all(), key=lambda one: (shown.response_order or []).index(one.pk)
        )
    ]
    assert re.findall(r'data-response="(\w+)"', html) == in_order
    assert re.findall(r'value="(\d)" checked', html) == ["3", "3", "3"]
    assert "<fieldset disabled>" in html
    assert "<form" not in html and "<script" not in html and "<button" not in html
    assert f"page {shown.page} as rater {walked.pseudonym} saw it." in text_of(answer)
    shown.refresh_from_db()
    assert (shown.shown_at, shown.submitted_at) == shown_at


def test_replay_shows_an_attention_check(page: Client, walked: Participant) -> None:
    check = AttentionCheck.objects.get(participant=walked)
    html = page.get(address(walked, f"pages/{check.page}/")).content.decode()
    assert "Please choose &quot;Somewhat&quot; here." in html
    assert re.findall(r'value="(\d)" checked', html) == ["2"]
    assert "<form" not in html


def test_replay_is_in_the_language_that_the_rater_chose(page: Client, db: None) -> None:
    study = small_study.load(translation=small_study.CHINESE)
    person = begin(Client())
    Participant.objects.filter(pk=person.pk).update(language="zh-hans")
    number = page_of_block(person)
    html = page.get(address(person, f"pages/{number}/")).content.decode()
    assert 'lang="zh-hans"' in html and "这条回复有多温暖？" in html
    assert study.title == "A small study"


@pytest.mark.parametrize("number", [1, 999])
def test_page_that_can_not_be_replayed_is_not_found(
    page: Client, walked: Participant, number: int
) -> None:
    answer = page.get(address(walked, f"pages/{number}/"))
    assert answer.status_code == 404
    assert f"Page {number} of rater {walked.pseudonym} can't be replayed" in text_of(answer)


@pytest.mark.parametrize("more", ["", "pages/2/"])
def test_rater_who_is_not_there_is_not_found_with_a_reason(
    page: Client, study: Study, more: str
) -> None:
    answer = page.get(f"/studies/small/raters/987654/{more}")
    assert answer.status_code == 404
    assert "small@1 has no rater with the number 987654. If they withdrew" in text_of(answer)
    assert page.post("/studies/small/raters/987654/identity/").status_code == 404
    assert not StudyEvent.objects.filter(action="identity shown").exists()


def test_rater_is_found_by_the_name_in_files(page: Client, study: Study, run: AnalysisRun) -> None:
    ann = study.participants.get(pseudonym="ann")
    answer = page.get("/studies/small/raters/ann/?include=simulated")
    assert answer["Location"] == f"/studies/small@1/raters/{ann.pk}/?include=simulated"
    unknown = page.get("/studies/small/raters/nobody/")
    assert unknown.status_code == 404
    assert "small@1 has no rater called nobody." in text_of(unknown)


def test_rater_of_another_study_is_not_found(
    page: Client, study: Study, walked: Participant
) -> None:
    other = Study.objects.exclude(pk=walked.study_id).get(slug="small")
    elsewhere = f"/studies/{other}/raters/{walked.pk}/"
    assert page.get(elsewhere).status_code == 404


# ── Who they are ─────────────────────────────────────────────────────────────────────────────


def test_identity_is_shown_once_when_asked_and_that_is_recorded(
    page: Client, walked: Participant
) -> None:
    known = prolific_id("abc123")
    assert known not in page.get(address(walked)).content.decode()
    answer = page.post(address(walked, "identity/"))
    assert f"Prolific ID {known}" in text_of(answer)
    assert "no-store" in answer["Cache-Control"]
    assert known not in page.get(address(walked)).content.decode()
    event = StudyEvent.objects.get(action="identity shown")
    assert event.author is not None and event.author.username == "ada"
    assert event.detail == {"rater": walked.pseudonym}
    overview = text_of(page.get("/studies/small/"))
    assert f"Identity of a rater shown: {walked.pseudonym}" in overview
    assert known not in overview


def test_identity_of_an_invited_rater_is_the_label_and_never_the_link(
    page: Client, db: None
) -> None:
    study = small_study.load()
    invitation = Invitation.objects.create(study=study, label="Dr. Bee")
    person = begin(Client(), f"/s/small/?invite={invitation.token}")
    answer = page.post(address(person, "identity/"))
    assert "Invitation Dr. Bee" in text_of(answer)
    assert invitation.token not in answer.content.decode()


def test_nothing_is_known_of_test_people(page: Client, study: Study) -> None:
    robot = study.participants.get(pseudonym="robot")
    answer = page.post(address(robot, "identity/"))
    assert "Nothing is stored about who this is." in text_of(answer)


def test_withdrawing_takes_the_pseudonym_out_of_that_record(
    page: Client, walked: Participant
) -> None:
    page.post(address(walked, "identity/"))
    withdraw(participant=walked, at=timezone.now())
    assert StudyEvent.objects.get(action="identity shown").detail == {"rater": "withdrawn"}
    assert page.get(address(walked)).status_code == 404
    assert not any(
        walked.pseudonym in cell
        for table in tables_of(page.get("/studies/small/"))
        for row in table
        for cell in row
    )
