"""Submissions beside people: every planted mismatch is shown, and none that is not there."""

import pytest
from django.test import Client

from analysis.manual_decisions import decide_on
from dashboard.payments.case import MISMATCHES
from dashboard.payments.cases import cases_of
from dashboard.raters.models import SubmissionOnProlific
from survey.models import AttentionCheck, Participant, Study, StudyEvent, Submission
from survey.withdrawal import erase_old_keys, withdraw
from tests.dashboard.paying import AT, came, listed, mismatches, read
from tests.dashboard.reading import text_of
from tests.prolific import prolific_id
from tests.survey import small_study

LATER = AT.replace(year=2036)


@pytest.fixture
def study(db: None) -> Study:
    return small_study.load()


def test_planted_mismatches_are_shown_among_many_clean_submissions(study: Study) -> None:
    """Thirty planted ones of every kind among 150 clean submissions."""
    rows = []
    for number in range(110):
        name = f"clean{number}"
        came(study, name)
        rows.append(listed(name, "APPROVED" if number % 2 else "AWAITING REVIEW"))
    for number in range(20):
        name = f"declined{number}"
        came(study, name, status="declined")
        rows.append(listed(name, "RETURNED" if number % 2 else "AWAITING REVIEW", "NOPE1"))
    for number in range(10):
        name = f"left{number}"
        came(study, name, status="in_progress")
        rows.append(listed(name, ("RETURNED", "TIMED-OUT", "ACTIVE")[number % 3], ""))
    for number in range(10):  # took a place, never came, and left or is on the way
        rows.append(listed(f"onway{number}", ("RETURNED", "ACTIVE")[number % 2], ""))

    planted: dict[str, list[str]] = {name: [] for name in MISMATCHES}

    def plant(mismatch: str, name: str, *more: str) -> None:
        for each in (mismatch, *more):
            planted[each].append(name)

    for name in ("unlisted1", "unlisted2"):
        came(study, name)
        plant("not_listed", name)
    came(study, "unlisted3", status="arrived")
    plant("not_listed", "unlisted3")
    for number, (status, code) in enumerate(
        [("AWAITING REVIEW", "DONE1"), ("APPROVED", "DONE1"), ("AWAITING REVIEW", ""),
         ("RETURNED", "DONE1")]
    ):  # fmt: skip
        rows.append(listed(f"stranger{number}", status, code))
        plant("never_came", status)
    for name in ("other1", "other2"):
        came(study, name, session=f"another of {name}")
        rows.append(listed(name))
        plant("other_submission", name)
    for name in ("wrong1", "wrong2", "wrong3"):
        came(study, name)
        rows.append(listed(name, code="NOPE1"))
        plant("wrong_code", name)
    for name in ("unknown1", "unknown2", "unknown3"):
        came(study, name)
        rows.append(listed(name, code="CCCCC"))
        plant("unknown_code", name)
    for name in ("nocode1", "nocode2"):
        came(study, name)
        rows.append(listed(name, code=""))
        plant("no_code", name)
    for name, status in (("gone1", "RETURNED"), ("gone2", "TIMED-OUT"), ("gone3", "TIMED-OUT")):
        came(study, name)
        rows.append(listed(name, status, ""))
        plant("gone", name)
    came(study, "active1")
    rows.append(listed("active1", "ACTIVE", ""))
    plant("not_entered", "active1")
    for name in ("early1", "early2"):
        came(study, name, status="in_progress")
        rows.append(listed(name, code=""))
        plant("not_completed", name)
    came(study, "shared", status="in_progress")
    rows.append(listed("shared"))
    plant("wrong_code", "shared", "not_completed")
    came(study, "rejected1")
    rows.append(listed("rejected1", "REJECTED"))
    plant("rejected", "rejected1")
    for name in ("quit1", "quit2"):
        withdraw(participant=came(study, name), at=AT)
        rows.append(listed(name))
        plant("withdrew", "AWAITING REVIEW")
    twice = came(study, "twice")
    Submission.objects.create(participant=twice, session_id=prolific_id("another visit"))
    rows.append(listed("twice"))
    plant("several_sessions", "twice")
    came(study, "double")
    rows += [listed("double"), listed("double", "RETURNED", "", session="second")]
    plant("several_submissions", "double", "several_submissions")
    planted["several_submissions"] = ["double", "double"]

    assert len(rows) + len(planted["not_listed"]) == 150 + 30
    found = mismatches(read(study, *rows))
    assert {name: sorted(who) for name, who in found.items()} == {
        name: sorted(who) for name, who in planted.items()
    }


def test_nothing_is_a_mismatch_before_submissions_were_read(study: Study) -> None:
    came(study, "ann")
    assert cases_of(study) == []


def test_code_that_the_study_had_before_is_right(study: Study) -> None:
    came(study, "early")
    came(study, "late")
    settings = study.settings
    study.settings = {**settings, "prolific": {**settings["prolific"], "completion_code": "NEW1"}}
    study.save()
    StudyEvent.objects.create(
        study=study, action="settings", detail={"from": settings, "to": study.settings}
    )
    assert mismatches(read(study, listed("early"), listed("late", code="NEW1"))) == {}


def test_who_failed_checks_sees_the_code_of_completing_where_theirs_has_none(study: Study) -> None:
    came(study, "ann", ending="failed_attention")
    assert mismatches(read(study, listed("ann"))) == {}


def test_who_found_the_study_full_left_no_row(study: Study) -> None:
    prolific = {**study.settings["prolific"], "full_code": "FULL1"}
    study.settings = {**study.settings, "prolific": prolific}
    study.save()
    [case] = read(study, listed("late", code="FULL1"))
    assert (case.here, case.mismatches) == ("full", ())


def test_who_came_to_another_version_is_on_its_page(study: Study) -> None:
    came(study, "ann")
    second = small_study.load(yaml=small_study.YAML.replace("Rate each", "Please rate each"))
    assert read(second, listed("ann")) == []
    assert [case.pseudonym for case in cases_of(study)] == ["ann"]


def test_codes_that_were_not_read_are_not_compared(study: Study) -> None:
    came(study, "ann")
    [case] = read(study, listed("ann", code="", has_code=False))
    assert case.mismatches == ()
    [case] = read(study, listed("ann"))
    [case] = read(study, listed("ann", "APPROVED", code="", has_code=False))
    assert (case.status, case.code) == ("APPROVED", "DONE1")


def test_ids_of_who_withdrew_are_erased_with_their_key_and_do_not_come_back(study: Study) -> None:
    for name in ("ann", "before"):
        withdraw(participant=came(study, name), at=AT)
    [case] = read(study, listed("ann"))
    assert case.here == "withdrawn", "they may have to be paid"
    erase_old_keys(at=LATER)
    for row in SubmissionOnProlific.objects.all():
        stored = {str(value) for value in vars(row).values()}
        assert row.erased_at
        assert not stored & {prolific_id("ann"), prolific_id("session of ann"), "DONE1"}
    assert read(study, listed("ann"), listed("before")) == [], "a later list does not bring it back"


# ── The page ─────────────────────────────────────────────────────────────────────────────────


def test_page_shows_a_submission_beside_its_person(page: Client, study: Study) -> None:
    ann = came(study, "ann")
    AttentionCheck.objects.filter(participant=ann).update(answer=1, passed=False, answered_at=AT)
    decide_on(study=study, participants=[ann], excluded=True, reason="asked us to", at=AT)
    read(study, listed("ann", code="CCCCC", minutes=30), listed("nobody"))
    answer = page.get("/studies/small/submissions/")
    shown = text_of(answer)
    for said in (
        "Code that the study never had (1)",
        "On Prolific, not here (1)",
        "CCCCC: never had",
        "2026-03-01 09:30",
        "30.0",
        "12.0",
        "by decision: asked us to",
    ):
        assert said in shown
    for name in ("ann", "nobody", "session of ann"):
        assert prolific_id(name) not in answer.content.decode()
    shown = text_of(page.get("/studies/small/submissions/?mismatch=never_came"))
    assert "1–1 of 1 of this kind" in shown and "CCCCC: never had" not in shown
    assert page.get("/studies/small/submissions/?mismatch=nonsense").status_code == 404


def test_id_of_a_submission_is_shown_on_request_and_recorded(page: Client, study: Study) -> None:
    came(study, "ann")
    ann, nobody = read(study, listed("ann"), listed("nobody"))
    for case, name, who in ((ann, "ann", "ann"), (nobody, "nobody", "submission")):
        address = f"/studies/small/submissions/{case.submission}/"
        assert prolific_id(name) not in page.get(address).content.decode()
        shown = text_of(page.post(f"{address}identity/"))
        assert prolific_id(name) in shown and prolific_id(f"session of {name}") in shown
        look = StudyEvent.objects.filter(action=StudyEvent.IDENTITY_SHOWN).latest("id")
        assert look.author and next(iter(look.detail.values())).startswith(who)


def test_people_are_excluded_from_the_page(
    page: Client, study: Study, woken: list[tuple[str, int]]
) -> None:
    person = came(study, "ann")
    read(study, listed("ann", code="CCCCC"))
    sent = {"group": [str(person.pk)], "reason": "invented code"}
    said = text_of(page.post("/studies/small/submissions/exclude/", sent, follow=True))
    assert "Excluded 1 participant." in said
    assert Participant.objects.get().manual_decisions.get().reason == "invented code"
