"""Prolific's list of submissions: who returned or timed out frees their place."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from dashboard.raters.models import SubmissionOnProlific
from dashboard.raters.submission_lists import ListedSubmission, read_submissions
from dashboard.raters.submissions import Applied, apply_submissions
from survey.consent import give_consent
from survey.files.problems import DefinitionError
from survey.models import Participant, Slot, Study, StudyEvent
from survey.participants import Arrival, arrive
from survey.slots import slot_counts
from tests.dashboard.importing import bad_tables
from tests.dashboard.reading import text_of
from tests.survey import small_study
from tests.workbooks import book

NOW = timezone.now()
HEADER = "Submission id,Participant id,Status,Started at,Completion code"


@pytest.fixture
def study(db: None) -> Study:
    return small_study.load()


def arrived(study: Study, prolific_id: str, session: str = "") -> Participant:
    who = arrive(
        Arrival(
            study=study,
            source="prolific",
            at=NOW,
            kind="prolific",
            key=prolific_id,
            session_id=session,
        ),
        own=Participant.objects.filter(identity__key=prolific_id).first(),
    )
    assert isinstance(who, Participant)
    return who


def start(study: Study, prolific_id: str, session: str = "") -> Participant:
    person = arrived(study, prolific_id, session)
    give_consent(participant=person, at=NOW)
    Participant.objects.filter(pk=person.pk).update(pseudonym=f"pseudonym-{prolific_id}")
    person.refresh_from_db()
    return person


def finish(person: Participant) -> None:
    Participant.objects.filter(pk=person.pk).update(status="completed", finished_at=NOW)


def apply(study: Study, **statuses: str) -> Applied:
    rows = [ListedSubmission(f"s-{person}", person, status) for person, status in statuses.items()]
    return apply_submissions(study=study, submissions=rows, at=NOW)


def holders(study: Study) -> set[str]:
    held = Slot.objects.filter(study=study, participant__isnull=False)
    return set(held.values_list("participant__identity__key", flat=True))


# ── Reading ──────────────────────────────────────────────────────────────────────────────────


def test_list_is_read_by_the_names_of_its_columns() -> None:
    text = (
        "Status,Age,PARTICIPANT ID,Submission id\n"
        "RETURNED,30,a,s1\n"
        "Timed_Out,DATA_EXPIRED,b,s2\n"
        "AWAITING REVIEW,40,c,s3\n"
    )
    found = read_submissions([("s.csv", text.encode())])
    assert found.submissions == [
        ListedSubmission("s1", "a", "RETURNED", "", "s.csv", 2, has_code=False),
        ListedSubmission("s2", "b", "TIMED-OUT", "", "s.csv", 3, has_code=False),
        ListedSubmission("s3", "c", "AWAITING REVIEW", "", "s.csv", 4, has_code=False),
    ]
    assert found.without_codes == ["s.csv"]


def test_codes_are_read_without_case_and_none_is_none() -> None:
    text = f"{HEADER}\ns1,a,APPROVED,, done1\ns2,b,APPROVED,,nocode\ns3,c,APPROVED,,\n"
    found = read_submissions([("s.csv", text.encode())])
    assert [row.code for row in found.submissions] == ["DONE1", "", ""]
    assert found.without_codes == []


def test_times_are_read_where_they_are_times() -> None:
    text = (
        "Submission id,Participant id,Status,started at,Completed at\n"
        "s1,a,APPROVED,2026-03-01T09:00:00.123000Z,2026-03-01 09:20:00\n"
        "s2,b,APPROVED,DATA_EXPIRED,1/3/2026 9:20\n"
    )
    first, second = read_submissions([("s.csv", text.encode())]).submissions
    assert first.started_at and first.completed_at
    assert (first.completed_at - first.started_at).total_seconds() == pytest.approx(1199.877)
    assert (second.started_at, second.completed_at) == (None, None)


def test_submission_may_be_in_two_lists_that_agree() -> None:
    first = f"{HEADER}\ns1,a,APPROVED,,X\n".encode()
    second = f"{HEADER}\ns2,b,ACTIVE,,\ns1,a,APPROVED,,x\n".encode()
    found = read_submissions([("1.csv", first), ("2.csv", second)])
    assert [(row.id, row.file) for row in found.submissions] == [("s1", "1.csv"), ("s2", "2.csv")]


def test_problems_of_all_lists_are_named() -> None:
    first = f"{HEADER}\ns1,a,APPROVED,,\n".encode()
    second = f"{HEADER}\ns1,a,ACTIVE,,\n".encode()
    third = b"Status\nGONE\n"
    with pytest.raises(DefinitionError) as error:
        read_submissions([("1.csv", first), ("2.csv", second), ("3.csv", third)])
    conflict, missing = map(str, error.value.problems)
    assert conflict == (
        "2.csv, line 2, column 1: this submission differs from 1.csv, line 2: "
        "upload only the newest list of each study on Prolific"
    )
    assert missing.startswith(
        "3.csv, line 1: columns 'Submission id', 'Participant id' are missing"
    )


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("Participant id,Age\na,3\n", ["1: columns 'Submission id', 'Status' are missing"]),
        (f"{HEADER}\ns1,a,GONE,,\n", ["2, column 3: 'GONE' is none of Prolific's statuses"]),
        (f"{HEADER}\ns1,,ACTIVE,,\n", ["2, column 2: Participant id is empty"]),
        (f"{HEADER}\ns1,a,ACTIVE,,,x\n", ["2: 6 cells where the header has 5"]),
        (
            f"{HEADER}\ns1,a,ACTIVE,,\n,b,ACTIVE,,\ns1,c,ACTIVE,,\n",
            [
                "3, column 1: Submission id is empty",
                "4, column 1: submission 's1' is on line 2 already",
            ],
        ),
    ],
)
def test_problems_are_named_by_line_and_column(text: str, problems: list[str]) -> None:
    with pytest.raises(DefinitionError) as error:
        read_submissions([("s.csv", text.encode())])
    found = [str(problem) for problem in error.value.problems]
    assert len(found) == len(problems)
    for message, problem in zip(found, problems, strict=True):
        assert message.startswith(f"s.csv, line {problem}".replace(", :", ":"))


# ── Applying ─────────────────────────────────────────────────────────────────────────────────


def test_returned_and_timed_out_people_free_their_places(study: Study) -> None:
    for name in "abcd":
        start(study, name)
    applied = apply(study, a="RETURNED", b="TIMED-OUT", c="ACTIVE", x="RETURNED", y="APPROVED")
    assert applied == Applied(
        returned=["pseudonym-a"], freed=["pseudonym-a", "pseudonym-b"], unknown=2
    )
    assert holders(study) == {"c", "d"}
    assert list(
        Participant.objects.filter(returned_at=NOW).values_list("pseudonym", flat=True)
    ) == ["pseudonym-a"]


def test_next_person_takes_the_freed_slot(study: Study) -> None:
    start(study, "a")
    start(study, "b")
    apply(study, a="RETURNED")
    assert start(study, "c").slot == 0


def test_completed_people_keep_their_place(study: Study) -> None:
    finish(start(study, "a"))
    assert apply(study, a="TIMED-OUT") == Applied(completed=["pseudonym-a"])
    assert holders(study) == {"a"}


def test_person_with_another_submission_that_goes_on_has_not_returned(study: Study) -> None:
    start(study, "a")
    rows = [ListedSubmission("s1", "a", "RETURNED"), ListedSubmission("s2", "a", "ACTIVE")]
    assert not apply_submissions(study=study, submissions=rows, at=NOW).changed


def test_person_who_is_back_is_no_longer_marked(study: Study) -> None:
    person = start(study, "a")
    apply(study, a="RETURNED")
    assert apply(study, a="ACTIVE") == Applied(back=["pseudonym-a"])
    person.refresh_from_db()
    assert person.returned_at is None


def test_person_who_comes_with_a_new_submission_is_no_longer_marked(study: Study) -> None:
    person = start(study, "a", "s-a")
    apply(study, a="RETURNED")
    arrived(study, "a", "s-a")
    person.refresh_from_db()
    assert person.returned_at == NOW
    arrived(study, "a", "another")
    person.refresh_from_db()
    assert person.returned_at is None


def test_person_who_was_marked_and_completed_holds_the_place_again(study: Study) -> None:
    person = start(study, "a")
    apply(study, a="RETURNED")
    finish(person)
    assert apply(study, a="APPROVED") == Applied(back=["pseudonym-a"], placed=["pseudonym-a"])
    assert holders(study) == {"a"}
    assert not apply(study, a="APPROVED").changed


def test_person_who_was_marked_and_completed_stands_beyond_where_the_place_is_taken(
    study: Study,
) -> None:
    person = start(study, "a")
    apply(study, a="RETURNED")
    start(study, "b")
    finish(person)
    counts = slot_counts(study, pool="real", at=NOW)
    assert (counts.active, counts.completed, counts.over_quota_completed) == (1, 0, 1)
    assert apply(study, a="APPROVED") == Applied(back=["pseudonym-a"])


def test_list_of_another_study_says_nothing_about_submissions_here(study: Study) -> None:
    start(study, "a", "s-here")
    applied = apply(study, a="RETURNED")
    assert applied == Applied(elsewhere=1)
    assert holders(study) == {"a"}


def test_list_with_the_submission_here_says_all_about_a_person(study: Study) -> None:
    start(study, "a", "s1")
    start(study, "b", "s2")
    rows = [
        ListedSubmission("s1", "a", "RETURNED"),
        ListedSubmission("s2", "b", "RETURNED"),
        ListedSubmission("s3", "b", "ACTIVE"),
    ]
    applied = apply_submissions(study=study, submissions=rows, at=NOW)
    assert applied.returned == ["pseudonym-a"]
    assert holders(study) == {"b"}


def test_people_who_never_consented_are_marked_without_a_place(study: Study) -> None:
    arrived(study, "a")
    applied = apply(study, a="RETURNED")
    assert (len(applied.returned), applied.freed) == (1, [])


def test_same_list_again_changes_nothing(study: Study) -> None:
    start(study, "a")
    apply(study, a="RETURNED")
    assert not apply(study, a="RETURNED").changed
    assert StudyEvent.objects.filter(action="submissions").count() == 1


def test_event_counts_and_names_nobody(study: Study) -> None:
    start(study, "a")
    apply(study, a="RETURNED", x="ACTIVE")
    event = StudyEvent.objects.get(action="submissions")
    assert event.detail == {
        "returned": 1,
        "back": 0,
        "places freed": 1,
        "places held again": 0,
        "unknown": 1,
        "with another submission": 0,
    }


def test_other_versions_and_kinds_are_not_touched(study: Study) -> None:
    person = start(study, "a")
    person.identity.kind = "simulated"
    person.identity.save()
    assert apply(study, a="RETURNED") == Applied(unknown=1)


# ── Page and command ─────────────────────────────────────────────────────────────────────────


def upload(page: Client, text: str) -> str:
    file = SimpleUploadedFile("submissions.csv", text.encode(), content_type="text/csv")
    return text_of(page.post("/studies/small/submissions/", {"file": file}, follow=True))


def test_upload_lists_what_it_changed_and_shows_no_prolific_id(
    page: Client, researcher: User, study: Study
) -> None:
    start(study, "5f0000000000000000000001")
    Participant.objects.update(pseudonym="pabc")
    shown = upload(page, f"{HEADER}\ns1,5f0000000000000000000001,RETURNED,,\ns2,x,ACTIVE,,\n")
    assert "Marked as returned: pabc." in shown
    assert "Slots freed: pabc." in shown
    assert "1 of the list is not known to this version" in shown
    assert "5f0000000000000000000001" not in shown
    assert StudyEvent.objects.get(action="submissions").author == researcher


def test_status_that_is_new_is_noted_and_its_row_left_as_it_was(page: Client, study: Study) -> None:
    start(study, "a")
    start(study, "b")
    shown = upload(page, f"{HEADER}\ns1,a,RETURNED,,\ns2,b,LOST,,\n")
    assert (
        "submissions.csv, line 3, column 3: 'LOST' is none of Prolific's statuses: left as it was"
    ) in shown
    assert holders(study) == {"b"}


def test_upload_with_a_problem_changes_nothing(page: Client, study: Study) -> None:
    start(study, "a")
    shown = upload(page, f"{HEADER}\ns1,a,RETURNED,,\ns2,,ACTIVE,,\n")
    assert "submissions.csv, line 3, column 2: Participant id is empty" in shown
    assert "Nothing was changed." in shown
    assert holders(study) == {"a"}


def test_upload_that_is_no_table_changes_nothing_and_says_what_it_is(
    page: Client, study: Study, tmp_path: Path
) -> None:
    start(study, "a")
    path = tmp_path / "list.csv"
    only_a_header = (HEADER.encode(), ", line 1: there are no submissions below the header")
    for data, reason in [*bad_tables(f"{HEADER}\ns1,a,RETURNED,,\n"), only_a_header]:
        file = SimpleUploadedFile("list.csv", data)
        said = text_of(page.post("/studies/small/submissions/", {"file": file}, follow=True))
        assert f"list.csv{reason}" in said
        assert "Nothing was changed." in said
        path.write_bytes(data)
        with pytest.raises(CommandError) as refused:
            call_command("submissions", "small", str(path))
        assert str(refused.value).startswith(f"Nothing was changed.\n{path}{reason}")
    assert holders(study) == {"a"}
    assert not StudyEvent.objects.filter(action="submissions").exists()


def test_list_may_be_a_workbook(study: Study) -> None:
    rows = [line.split(",") for line in f"{HEADER}\ns1,a,RETURNED,,X".splitlines()]
    data = book(rows, Notes=[["Mine"]])
    found = read_submissions([("s.xlsx", data)])
    assert found.submissions == [ListedSubmission("s1", "a", "RETURNED", "X", "s.xlsx", 2)]
    assert found.notices == ["s.xlsx: sheet 'Sheet' is read, not 'Notes'"]


def test_list_of_another_study_here_is_refused(page: Client, study: Study) -> None:
    other = small_study.load(yaml=small_study.YAML.replace("slug: small", "slug: other"))
    start(other, "b", "s2")
    Participant.objects.update(pseudonym="pabc")
    shown = upload(page, f"{HEADER}\ns1,x,ACTIVE,,\ns2,b,RETURNED,,\n")
    assert "submissions.csv, line 3: this submission is of another study here" in shown
    assert "Nothing was changed." in shown
    assert not SubmissionOnProlific.objects.exists()


def test_equal_problems_of_a_list_are_one_line() -> None:
    rows = "".join(f"s{n},p{n},GONE{n},,\n" for n in range(48))
    with pytest.raises(DefinitionError) as error:
        read_submissions([("s.csv", f"{HEADER}\n{rows}".encode())])
    assert error.value.lines == [
        "s.csv, line 2, column 3: 'GONE0' is none of Prolific's statuses (and 47 more up to line "
        "49, such as 'GONE1', 'GONE2', 'GONE3')"
    ]


def test_upload_without_a_file_says_so(page: Client, study: Study) -> None:
    shown = text_of(page.post("/studies/small/submissions/", {}, follow=True))
    assert "Choose the files" in shown


def test_command_does_the_same(study: Study, tmp_path: Path) -> None:
    start(study, "a")
    path = tmp_path / "submissions.csv"
    path.write_text(f"{HEADER}\ns1,a,TIMED-OUT,,\n")
    out = StringIO()
    call_command("submissions", "small", str(path), stdout=out)
    assert out.getvalue() == "small@1:\nSlots freed: pseudonym-a.\n"
    assert holders(study) == set()


def test_command_refuses_bad_input(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "submissions.csv"
    path.write_text(f"{HEADER}\ns1,a,LOST,,\n")
    with pytest.raises(CommandError, match="Nothing was changed"):
        call_command("submissions", "small", str(path))
    with pytest.raises(CommandError, match="No such file"):
        call_command("submissions", "small", str(tmp_path / "none.csv"))
    with pytest.raises(CommandError, match="there is no study 'other'"):
        call_command("submissions", "other", str(path))


def test_submissions_that_are_read_again_take_few_statements(
    study: Study, django_assert_max_num_queries: Callable[[int], AbstractContextManager[Any]]
) -> None:
    """One with a part for each row and column takes a millisecond of computing a row."""
    many = [ListedSubmission(f"s{n}", f"p{n}", "ACTIVE") for n in range(900)]
    apply_submissions(study=study, submissions=many, at=NOW)
    kept = dict(SubmissionOnProlific.objects.values_list("submission_id", "id"))
    changed = [ListedSubmission(f"s{n}", f"p{n}", "APPROVED") for n in range(900)]
    with django_assert_max_num_queries(25) as asked:
        apply_submissions(study=study, submissions=changed, at=NOW)
    assert not any("CASE WHEN" in one["sql"] for one in asked.captured_queries)
    assert dict(SubmissionOnProlific.objects.values_list("submission_id", "id")) == kept
    assert set(SubmissionOnProlific.objects.values_list("status", flat=True)) == {"APPROVED"}
