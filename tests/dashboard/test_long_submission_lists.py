"""Long lists of submissions: a worker takes them in, part by part."""

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db.models import signals
from django.test import Client
from django.utils import timezone

from dashboard.raters import submissions as submissions_module
from dashboard.raters import uploads
from dashboard.raters.models import SubmissionOnProlific, SubmissionUpload
from dashboard.raters.submission_lists import ListedSubmission
from dashboard.raters.submissions import PART, Applied, apply_submissions, parts_of
from jobs import leases
from jobs.leases import to_wake
from jobs.runner import run_job
from survey.models import Participant, Study, StudyEvent
from tests.dashboard.conftest import Woken
from tests.dashboard.paying import came
from tests.dashboard.reading import text_of
from tests.prolific import prolific_id
from tests.survey import small_study

pytestmark = pytest.mark.django_db
HEADER = "Submission id,Participant id,Status,Started at,Completion code"
State = SubmissionUpload.State


@pytest.fixture
def study() -> Study:
    return small_study.load()


@pytest.fixture(autouse=True)
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "AT_ONCE", 3)


def file_of(*people: str, status: str = "RETURNED") -> SimpleUploadedFile:
    rows = (f"{prolific_id(f'session of {p}')},{prolific_id(p)},{status},," for p in people)
    return SimpleUploadedFile("list.csv", "\n".join([HEADER, *rows]).encode())


def upload(page: Client, *people: str, **how: str) -> str:
    sent = {"file": file_of(*people, **how)}
    return text_of(page.post("/studies/small/submissions/", sent, follow=True))


def test_short_list_is_taken_in_at_once(page: Client, study: Study, woken: Woken) -> None:
    came(study, "ann", status="in_progress")
    assert "Marked as returned: ann." in upload(page, "ann", "ben", "cat")
    assert (woken, SubmissionUpload.objects.count()) == ([], 0)


def test_same_list_changes_the_same_by_page_api_and_command(
    page: Client, study: Study, woken: Woken, tmp_path: Path
) -> None:
    path = tmp_path / "list.csv"
    path.write_bytes(file_of("ann", "ben").read())
    surfaces: list[Callable[[], object]] = [
        lambda: page.post("/studies/small/submissions/", {"file": file_of("ann", "ben")}),
        lambda: page.post("/api/studies/small/submissions/", {"file": [file_of("ann", "ben")]}),
        lambda: call_command("submissions", "small", path, stdout=StringIO()),
    ]
    came(study, "ann", status="in_progress")
    for take in surfaces:
        take()
        rows = SubmissionOnProlific.objects.order_by("submission_id")
        assert [row.status for row in rows] == ["RETURNED"] * 2
        assert Participant.objects.get().returned_at is not None
        event = StudyEvent.objects.get(action="submissions")
        assert (event.detail["returned"], event.detail["unknown"]) == (1, 1)
        Participant.objects.update(returned_at=None)
        rows.delete()
        event.delete()
    assert woken == []


def test_long_list_is_left_to_a_worker_and_the_page_says_what_became_of_it(
    page: Client, researcher: User, study: Study, woken: Woken
) -> None:
    came(study, "ann", status="in_progress")
    said = upload(page, "ann", "ben", "cat", "dot")
    assert "Waiting for a worker to read 4 submissions (list.csv)" in said
    [(task, number)] = woken
    assert task == "dashboard.submissions"
    assert not SubmissionOnProlific.objects.exists()
    state = page.get(f"/studies/small/jobs/submissions/{number}/state/")
    assert "Waiting for a worker" in text_of(state) and "X-Finished" not in state

    assert run_job(SubmissionUpload, number)
    assert SubmissionOnProlific.objects.count() == 4
    event = StudyEvent.objects.get(action="submissions")
    assert (event.author, event.detail["returned"]) == (researcher, 1)
    state = page.get(f"/studies/small/jobs/submissions/{number}/state/")
    assert state["X-Finished"] == "1"
    shown = text_of(page.get("/studies/small/submissions/"))
    assert "Read: list.csv (4 submissions" in shown and "Marked as returned: ann." in shown
    assert not run_job(SubmissionUpload, number)


def test_file_is_erased_once_it_was_read_and_its_row_with_the_next(
    page: Client, study: Study, woken: Woken
) -> None:
    upload(page, "ann", "ben", "cat", "dot")
    first = SubmissionUpload.objects.get()
    assert prolific_id("ann").encode() in dict(first.unpacked())["list.csv"]
    run_job(SubmissionUpload, first.pk)
    first.refresh_from_db()
    assert bytes(first.packed) == b""
    upload(page, "ann", "ben", "cat", "dot", "eve")
    second = SubmissionUpload.objects.get()
    leases.stop(second, "Stopped from the page.")
    second.refresh_from_db()
    assert bytes(second.packed) == b""


def test_mistake_in_a_long_list_is_named_at_once_and_changes_nothing(
    page: Client, study: Study, woken: Woken
) -> None:
    said = upload(page, "ann", "ben", "cat", "dot", status="LOST")
    assert "list.csv, line 2, column 3: 'LOST' is none of Prolific's statuses" in said
    assert "Nothing was changed." in said
    assert (woken, SubmissionUpload.objects.count()) == ([], 0)


def test_api_answers_202_and_tells_what_became_of_it(
    page: Client, study: Study, woken: Woken
) -> None:
    address = "/api/studies/small/submissions/"
    assert page.get(f"{address}upload/").json() == {"upload": None}
    answer = page.post(address, {"file": file_of("ann", "ben", "cat", "dot")})
    assert answer.status_code == 202
    sent = {"read": ["list.csv"], "submissions": 4, "notices": [], "applied": None}
    assert answer.json() == sent
    waiting = page.get(f"{address}upload/").json()["upload"]
    assert (waiting["state"], waiting["read"], waiting["says"]) == ("waiting", ["list.csv"], [])
    run_job(SubmissionUpload, waiting["id"])
    done = page.get(f"{address}upload/").json()["upload"]
    assert (done["state"], done["submissions"]) == ("done", 4)
    assert done["says"][0] == "No place has changed."


def test_lost_worker_is_followed_by_another_that_goes_on(
    page: Client, study: Study, woken: Woken, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first part is stored when the worker is killed."""
    monkeypatch.setattr(submissions_module, "PART", 2)
    people = ("ann", "ben", "cat", "dot", "eve")
    came(study, "ann", status="in_progress")
    upload(page, *people)
    row = SubmissionUpload.objects.get()
    taken = leases.claim(SubmissionUpload, row.pk)
    assert taken is not None
    rows = [ListedSubmission(prolific_id(f"session of {p}"), prolific_id(p), "RETURNED")
            for p in people]  # fmt: skip
    apply_submissions(study=study, submissions=rows[:2], at=timezone.now())
    assert to_wake(SubmissionUpload) == []
    SubmissionUpload.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert to_wake(SubmissionUpload) == [row.pk]
    run_job(SubmissionUpload, row.pk)
    row.refresh_from_db()
    assert (row.state, row.attempts) == (State.DONE, 2)
    assert SubmissionOnProlific.objects.count() == 5
    ann = Participant.objects.get(pseudonym="ann")
    assert ann.returned_at is not None
    assert StudyEvent.objects.filter(action="submissions").count() == 1


def test_what_a_worker_can_not_read_is_said(page: Client, study: Study, woken: Woken) -> None:
    """Somebody of the list came to another study since it was sent."""
    upload(page, "ann", "ben", "cat", "dot")
    other = small_study.load(yaml=small_study.YAML.replace("slug: small", "slug: other"))
    came(other, "ann")
    row = SubmissionUpload.objects.get()
    run_job(SubmissionUpload, row.pk)
    row.refresh_from_db()
    assert row.state == State.FAILED
    assert "this submission is of another study here" in row.error
    assert bytes(row.packed) == b""
    shown = text_of(page.get("/studies/small/submissions/"))
    assert "list.csv was not read to its end" in shown and "another study here" in shown


# ── Parts ────────────────────────────────────────────────────────────────────────────────────


def test_parts_have_all_rows_of_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submissions_module, "PART", 2)
    rows = [ListedSubmission(f"s{n}", person, "ACTIVE") for n, person in enumerate("abacada")]
    parts = [{p: len(of) for p, of in part.items()} for part in parts_of(rows)]
    assert parts == [{"a": 4}, {"b": 1, "c": 1}, {"d": 1}]
    assert list(parts_of([])) == []


def test_parts_change_what_the_whole_would(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submissions_module, "PART", 1)
    for name in ("ann", "ben", "cat"):
        came(study, name, status="in_progress")
    statuses = {"ann": "RETURNED", "ben": "TIMED-OUT", "cat": "ACTIVE", "nobody": "APPROVED"}
    rows = [
        ListedSubmission(prolific_id(f"session of {name}"), prolific_id(name), status)
        for name, status in statuses.items()
    ]
    applied = apply_submissions(study=study, submissions=rows, at=timezone.now())
    assert applied == Applied(returned=["ann"], freed=["ann", "ben"], unknown=1)
    again = apply_submissions(study=study, submissions=rows, at=timezone.now())
    assert again == Applied(unknown=1)


def test_work_grows_as_the_list_does(study: Study) -> None:
    """Once all that was stored was read again with each part: n² rows."""
    made = 0

    def count(**_: Any) -> None:
        nonlocal made
        made += 1

    rows = [ListedSubmission(f"s{n}", f"p{n}", "APPROVED") for n in range(3 * PART)]
    signals.post_init.connect(count, sender=SubmissionOnProlific)
    try:
        apply_submissions(study=study, submissions=rows, at=timezone.now())
    finally:
        signals.post_init.disconnect(count, sender=SubmissionOnProlific)
    assert made == len(rows)
