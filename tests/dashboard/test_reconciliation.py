"""People from Prolific who are in none of its lists, or who entered the code of another ending."""

from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest
from dashboard.raters.reconciliation import Reconciliation, reconcile, reconciled_in_words
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from analysis.manual_decisions import exclusions_in_force
from analysis.models import ManualDecision
from dashboard.raters.submission_lists import read_submissions
from survey.models import Participant, Study, StudyEvent
from survey.participants import Arrival, give_consent
from survey.withdrawal import erase_old_keys, withdraw
from tests.dashboard.conftest import Woken
from tests.dashboard.reading import text_of
from tests.factories import newcomer
from tests.survey import small_study

AT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
LATER = datetime(2036, 3, 1, 9, 0, tzinfo=UTC)
HEADER = "Submission id,Participant id,Status,Completion code"


@pytest.fixture
def study(db: None) -> Study:
    return small_study.load()


def came(study: Study, *names: str, status: str = "completed", session: str = "") -> None:
    """People from Prolific, called by their IDs, which no report may show."""
    for name in names:
        key = f"id-of-{name}"
        person = newcomer(
            Arrival(
                study=study,
                source="prolific",
                at=AT,
                kind="prolific",
                key=key,
                session_id=session,
            )
        )
        if status != "arrived":
            give_consent(participant=person, at=AT)
        finished = AT if status == "completed" else None
        ending = "" if status in ("arrived", "in_progress") else status
        Participant.objects.filter(pk=person.pk).update(
            pseudonym=name, status=status, ending=ending, finished_at=finished
        )


def listed(*rows: str, header: str = HEADER) -> bytes:
    """A list with a row `name,code` for each; the submission of somebody is `s-name`."""
    lines = [header]
    for row in rows:
        name, _, code = row.partition(",")
        lines.append(f"s-{name},id-of-{name},AWAITING REVIEW,{code}")
    return "\n".join(lines).encode()


def compared(study: Study, *lists: bytes) -> Reconciliation:
    files = [(f"{number}.csv", data) for number, data in enumerate(lists, start=1)]
    return reconcile(study, read_submissions(files))


def told(reconciliation: Reconciliation) -> dict[tuple[str, str], list[str]]:
    return {
        (group.finding, group.what): [one.person.pseudonym for one in group.people]
        for group in reconciliation.groups
    }


# ── What is found ────────────────────────────────────────────────────────────────────────────


def test_people_in_no_list_are_told_by_where_they_stand(study: Study) -> None:
    came(study, "ann", "forged1", "forged2")
    came(study, "forged3", status="in_progress")
    came(study, "forged4", status="arrived")
    found = compared(study, listed("ann,DONE1"))
    assert told(found) == {
        ("not_listed", "arrived, no consent yet"): ["forged4"],
        ("not_listed", "in progress"): ["forged3"],
        ("not_listed", "completed"): ["forged1", "forged2"],
    }
    said = "\n".join(reconciled_in_words(found))
    assert "completed: 2: forged1 (arrived 2026-03-01 09:00 UTC), forged2" in said
    assert "people who arrived after the export" in said
    assert "id-of-" not in said


def test_people_may_be_in_any_of_the_lists(study: Study) -> None:
    came(study, "ann", "ben")
    assert told(compared(study, listed("ann"), listed("ben"))) == {}


def test_people_of_other_sources_need_be_in_no_list(study: Study) -> None:
    newcomer(Arrival(study=study, source="link", at=AT))
    assert told(compared(study, listed("ann"))) == {}


def test_submission_that_somebody_did_not_come_with_is_told(study: Study) -> None:
    came(study, "ann", session="s-ann")
    came(study, "ben", session="another")
    found = compared(study, listed("ann,DONE1", "ben,WRONG"))
    assert told(found) == {("other_submission", "completed"): ["ben"]}


def test_codes_are_held_against_the_ending_reached_here(study: Study) -> None:
    came(study, "right", "none", "another", "unknown")
    came(study, "unfinished", status="in_progress")
    came(study, "declined", status="declined")
    rows = ["right,done1", "none,NOCODE", "another,NOPE1", "unknown,CCCCC", "unfinished,DONE1"]
    found = compared(study, listed(*rows, "declined,NOPE1"))
    assert told(found) == {
        ("wrong_code", "completed here, entered the code of declined"): ["another"],
        ("wrong_code", "completed here, entered a code that the study never had"): ["unknown"],
        ("wrong_code", "in progress here, entered the code of completed"): ["unfinished"],
    }


def test_code_that_the_study_had_before_is_right(study: Study) -> None:
    came(study, "early", "late")
    settings = study.settings
    study.settings = {**settings, "prolific": {**settings["prolific"], "completion_code": "NEW1"}}
    study.save()
    StudyEvent.objects.create(
        study=study, action="settings", detail={"from": settings, "to": study.settings}
    )
    assert told(compared(study, listed("early,DONE1", "late,NEW1"))) == {}


def test_who_failed_checks_sees_the_code_of_completing_where_theirs_has_none(study: Study) -> None:
    came(study, "ann")
    Participant.objects.update(ending="failed_attention")
    assert told(compared(study, listed("ann,DONE1"))) == {}


def test_without_codes_it_says_that_they_were_not_compared(study: Study) -> None:
    came(study, "ann", status="in_progress")
    found = compared(study, b"Submission id,Participant id,Status\ns,id-of-ann,ACTIVE\n")
    assert (told(found), found.notes) == (
        {},
        ['Completion codes were not compared: no column "Completion code" in 1.csv.'],
    )
    Study.objects.update(settings={**study.settings, "prolific": None})
    study.refresh_from_db()
    assert compared(study, listed("ann,X")).notes == [
        "Completion codes were not compared: the study has none."
    ]


def test_rows_with_a_code_of_people_who_never_came_are_told_by_line(study: Study) -> None:
    came(study, "ann", "gone", "erased")
    withdraw(participant=Participant.objects.get(pseudonym="erased"), at=AT)
    erase_old_keys(at=LATER)
    withdraw(participant=Participant.objects.get(pseudonym="gone"), at=AT)
    rows = ["ann,DONE1", "stranger,DONE1", "gone,DONE1", "nobody", "erased,DONE1"]
    found = compared(study, listed(*rows))
    assert found.never_came == {"1.csv": [3, 6]}
    assert found.notes == [
        "1 person withdrew and the IDs are erased: their rows may be among those without a "
        "participant here."
    ]
    said = reconciled_in_words(found)
    assert "  1.csv, lines 3, 6" in said


def test_who_found_the_study_full_left_no_row(study: Study) -> None:
    prolific = {**study.settings["prolific"], "full_code": "FULL1"}
    study.settings = {**study.settings, "prolific": prolific}
    study.save()
    assert compared(study, listed("late,FULL1")).never_came == {}


def test_who_came_to_another_version_is_no_stranger(study: Study) -> None:
    came(study, "ann")
    second = small_study.load(yaml=small_study.YAML.replace("Rate each", "Please rate each"))
    assert second.version == 2
    assert compared(second, listed("ann,DONE1")).never_came == {}


# ── The command ──────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A list that knows ann and ben, who entered a code that the study never had."""
    path = tmp_path / "s.csv"
    path.write_bytes(listed("ann,DONE1", "ben,CCCCC"))
    return path


@pytest.fixture
def swept(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What commands woke workers for."""
    calls: list[str] = []
    monkeypatch.setattr("dashboard.management.deciding.wake", calls.append)
    return calls


def run(*arguments: object) -> str:
    out = StringIO()
    call_command(*map(str, arguments), stdout=out)
    return out.getvalue()


def excluded(study: Study) -> dict[str, str]:
    return {d.participant.pseudonym: d.reason for d in exclusions_in_force(study)}


def test_command_reports_and_changes_nobody_unasked(study: Study, path: Path) -> None:
    came(study, "ann", "ben", "forged")
    said = run("submissions", "small", path)
    assert "completed: 1: forged (arrived" in said
    assert "completed here, entered a code that the study never had: 1: ben" in said
    assert excluded(study) == {}


def test_command_excludes_whom_it_is_asked_to(study: Study, path: Path, swept: list[str]) -> None:
    came(study, "ann", "ben", "forged")
    reported = ["submissions", "small", path, "--exclude", "not_listed"]
    assert "Excluded 1 participant." in run(*reported, "--reason", "not in the list")
    assert excluded(study) == {"forged": "not in the list"}
    both = run(*reported, "--exclude", "wrong_code", "--reason", "invented code")
    assert "forged (arrived 2026-03-01 09:00 UTC, excluded already)" in both
    assert excluded(study) == {"forged": "not in the list", "ben": "invented code"}
    assert swept == ["analysis.sweep"] * 2
    events = StudyEvent.objects.filter(action="excluded")
    assert [event.detail for event in events] == [{"participants": 1}] * 2


def test_command_excludes_only_with_a_reason(study: Study, path: Path) -> None:
    came(study, "forged")
    with pytest.raises(CommandError, match="--exclude needs --reason"):
        run("submissions", "small", path, "--exclude", "not_listed", "--reason", " ")
    with pytest.raises(CommandError, match="--reason is given without --exclude"):
        run("submissions", "small", path, "--reason", "forged")
    assert excluded(study) == {}


def test_exclusion_is_decided_by_name_and_taken_back(study: Study, swept: list[str]) -> None:
    came(study, "ann", "ben")
    assert run("exclude", "small", "ann", "ben", "--reason", "asked us to") == (
        "small@1: Excluded 2 participants.\n"
    )
    assert "They are excluded already." in run("exclude", "small", "ann", "--reason", "again")
    assert "1 participant counts again." in run(
        "exclude", "small", "ann", "--undo", "--reason", "error"
    )
    assert excluded(study) == {"ben": "asked us to"}
    decisions = ManualDecision.objects.filter(participant__pseudonym="ann", author=None)
    assert list(decisions.values_list("excluded", "reason")) == [
        (True, "asked us to"),
        (False, "error"),
    ]
    assert swept == ["analysis.sweep"] * 2


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("ann", "zoe", "--reason", "x"), "has no participant 'zoe'"),
        (("ann", "--reason", "  "), "Give a reason"),
        (("ann", "--reason", "x" * 501), "longer than 500"),
        (("expert", "ann", "--reason", "x"), "expert is an expert of a panel"),
    ],
)
def test_exclusion_that_can_not_be_decided_changes_nothing(
    study: Study, arguments: tuple[str, ...], why: str
) -> None:
    came(study, "ann")
    Participant.objects.create(study=study, pseudonym="expert", source="panel", panel="nurses")
    with pytest.raises(CommandError, match=why):
        run("exclude", "small", *arguments)
    assert not ManualDecision.objects.exists()


def test_decisions_go_with_the_person_who_withdraws(study: Study, swept: list[str]) -> None:
    came(study, "ann")
    run("exclude", "small", "ann", "--reason", "forged")
    withdraw(participant=Participant.objects.get(), at=AT)
    assert not ManualDecision.objects.exists()


# ── The pages ────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def awake(monkeypatch: pytest.MonkeyPatch) -> Woken:
    calls: Woken = []
    monkeypatch.setattr("dashboard.shared.pages.wake", lambda task, row: calls.append((task, row)))
    return calls


def test_upload_reports_whom_it_lets_exclude(
    page: Client, researcher: User, study: Study, awake: Woken
) -> None:
    came(study, "ann", "ben", "forged")
    files = [
        SimpleUploadedFile(f"{name}.csv", listed(row))
        for name, row in (("first", "ann,DONE1"), ("second", "ben,CCCCC"))
    ]
    answer = page.post("/studies/small/submissions/", {"file": files})
    shown = text_of(answer)
    assert "Read: first.csv, second.csv." in shown
    assert "Completed: 1" in shown and "forged arrived 2026-03-01 09:00 UTC" in shown
    assert "id-of-" not in answer.content.decode()

    people = {p.pseudonym: str(p.pk) for p in study.participants.all()}
    assert f'value="{people["forged"]}"' in answer.content.decode()
    chosen = {"group": [people["forged"], people["ben"]], "reason": "not sent by Prolific"}
    said = text_of(page.post("/studies/small/submissions/exclude/", chosen, follow=True))
    assert "Excluded 2 participants." in said
    assert excluded(study) == dict.fromkeys(["ben", "forged"], "not sent by Prolific")
    assert ManualDecision.objects.first().author == researcher  # type: ignore[union-attr]  # there are two
    assert [task for task, _ in awake] == ["analysis.run"]


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ({"group": ["1"]}, "Give a reason"),
        ({"reason": "forged"}, "Choose the participants to exclude."),
        ({"group": ["1,x"], "reason": "forged"}, "Choose the participants to exclude."),
    ],
)
def test_nobody_is_excluded_without_choice_and_reason(
    page: Client, study: Study, sent: dict[str, object], why: str
) -> None:
    came(study, "ann")
    said = text_of(page.post("/studies/small/submissions/exclude/", sent, follow=True))
    assert why in said and "Nothing was changed" in said
    assert not ManualDecision.objects.exists()


def test_people_of_another_study_are_not_excluded(page: Client, study: Study) -> None:
    came(study, "ann")
    other = small_study.load(yaml=small_study.YAML.replace("slug: small", "slug: other"))
    person = str(study.participants.get().pk)
    page.post(f"/studies/{other.slug}/submissions/exclude/", {"group": person, "reason": "x"})
    assert not ManualDecision.objects.exists()
    assert page.get(f"/studies/other/raters/{person}/").status_code == 404


def test_rater_page_excludes_and_takes_back(page: Client, study: Study, awake: Woken) -> None:
    came(study, "ann")
    address = f"/studies/small/raters/{study.participants.get().pk}/"
    assert "Exclude this rater" in text_of(page.get(address))
    said = text_of(page.post(address, {"excluded": "true", "reason": "forged"}, follow=True))
    assert "Excluded 1 participant." in said and "excluded by decision" in said
    assert "ada excluded forged" in said
    assert "Give a reason" in text_of(page.post(address, {"excluded": "false", "reason": ""}))
    said = text_of(page.post(address, {"excluded": "false", "reason": "error"}, follow=True))
    assert "ada counts again error" in said
    assert excluded(study) == {}
    assert len(awake) == 2
