"""Submissions beside people: every planted mismatch is shown, and none that is not there."""

import pytest
from django.test import Client

from analysis.manual_decisions import decide_on
from dashboard.payments.case import MISMATCHES
from dashboard.payments.cases import case_or_404, cases_of
from dashboard.raters.models import SubmissionOnProlific
from dashboard.raters.submission_lists import ListedSubmission
from survey.models import AttentionCheck, Browser, Participant, Study, StudyEvent, Submission
from survey.withdrawal import erase_old_keys, withdraw
from tests.dashboard.paying import AT, came, listed, mismatches, read
from tests.dashboard.reading import text_of
from tests.prolific import prolific_id
from tests.survey import small_study

LATER = AT.replace(year=2036)


@pytest.fixture
def study(db: None) -> Study:
    return small_study.load()


#: Clean submissions: how many, how the person came (None: not at all), and as they are listed.
CLEAN: list[tuple[int, dict[str, str] | None, tuple[str, str]]] = [
    (60, {}, ("AWAITING REVIEW", "DONE1")),
    (50, {}, ("APPROVED", "DONE1")),
    (10, {"status": "declined"}, ("RETURNED", "NOPE1")),
    (10, {"status": "declined"}, ("AWAITING REVIEW", "NOPE1")),
    (5, {"status": "in_progress"}, ("RETURNED", "")),
    (5, {"status": "in_progress"}, ("ACTIVE", "")),
    (5, None, ("RETURNED", "")),  # took a place and never came
    (5, None, ("ACTIVE", "")),  # on the way
]
NOT_LISTED: tuple[()] = ()
#: Planted ones: their mismatches, how many, and as above.
Planted = tuple[list[str], int, dict[str, str] | None, tuple[str, str] | tuple[()]]
PLANTED: list[Planted] = [
    (["not_listed"], 2, {}, NOT_LISTED),
    (["not_listed"], 1, {"status": "arrived"}, NOT_LISTED),
    (["never_came"], 2, None, ("AWAITING REVIEW", "DONE1")),
    (["never_came"], 1, None, ("AWAITING REVIEW", "")),
    (["never_came"], 1, None, ("RETURNED", "DONE1")),
    (["other_submission"], 2, {"session": "another"}, ("AWAITING REVIEW", "DONE1")),
    (["wrong_code"], 3, {}, ("AWAITING REVIEW", "NOPE1")),
    (["unknown_code"], 3, {}, ("APPROVED", "CCCCC")),
    (["no_code"], 2, {}, ("AWAITING REVIEW", "")),
    (["gone"], 1, {}, ("RETURNED", "")),
    (["gone"], 2, {}, ("TIMED-OUT", "")),
    (["not_entered"], 1, {}, ("ACTIVE", "")),
    (["not_completed"], 2, {"status": "in_progress"}, ("AWAITING REVIEW", "")),
    (["wrong_code", "not_completed"], 1, {"status": "in_progress"}, ("APPROVED", "DONE1")),
    (["rejected"], 2, {}, ("REJECTED", "DONE1")),
]


def test_planted_mismatches_are_shown_among_many_clean_submissions(study: Study) -> None:
    """Thirty of every kind among 150 clean ones: each is shown, and no other one."""
    rows: list[ListedSubmission] = []
    expected: dict[str, list[str]] = {}
    planted: list[Planted] = [*(([], *clean) for clean in CLEAN), *PLANTED]
    for kind, (mismatches_, n, how, as_listed) in enumerate(planted):
        for number in range(n):
            name = f"{kind}.{number} {' '.join(mismatches_)}"
            if how is not None:
                came(study, name, **how)
            if as_listed:
                rows.append(listed(name, *as_listed))
            for mismatch in mismatches_:
                shown_as = as_listed[0] if how is None and as_listed else name
                expected.setdefault(mismatch, []).append(shown_as)
    for name in ("quit1", "quit2"):
        withdraw(participant=came(study, name), at=AT)
        rows.append(listed(name))
    twice = came(study, "twice")
    Submission.objects.create(participant=twice, session_id=prolific_id("another visit"))
    for name, goes_on in (("elsewhere", True), ("looked", False)):
        Browser.objects.create(participant=came(study, name), goes_on=goes_on)
        rows.append(listed(name))
    came(study, "double")
    rows += [listed("twice"), listed("double"), listed("double", "RETURNED", "", session="2nd")]
    expected |= {
        "withdrew": ["AWAITING REVIEW"] * 2,
        "several_sessions": ["twice"],
        "other_browser": ["elsewhere"],
        "several_submissions": ["double"] * 2,
    }
    assert set(expected) == set(MISMATCHES)
    found = mismatches(read(study, *rows))
    assert {name: sorted(who) for name, who in found.items()} == {
        name: sorted(who) for name, who in expected.items()
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


def test_case_of_one_submission_is_as_among_all(study: Study) -> None:
    came(study, "ann")
    came(study, "ben", ending="failed_attention")
    cases = read(
        study,
        *(listed("ann"), listed("ann", "RETURNED", session="another"), listed("ben", code="")),
        *(listed("stranger"), listed("stranger", "REJECTED", session="another")),
    )
    assert {case.submissions for case in cases} == {1, 2}
    assert [case_or_404(study, case.submission or 0) for case in cases] == cases
