"""People whose submissions do not match are reported and excluded; exclusions are taken back."""

from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from analysis.manual_decisions import exclusions_in_force
from analysis.models import ManualDecision
from survey.consent import give_consent
from survey.models import Participant, Study, StudyEvent
from survey.participants import Arrival
from survey.withdrawal import withdraw
from tests.dashboard.conftest import Woken
from tests.dashboard.reading import text_of
from tests.factories import newcomer
from tests.survey import small_study

AT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
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


# ── The command ──────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A list that knows ann and ben, who entered a code that the study never had."""
    path = tmp_path / "s.csv"
    path.write_bytes(listed("ann,DONE1", "ben,CCCCC"))
    return path


@pytest.fixture
def woken_by_command(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What commands woke workers for."""
    calls: list[str] = []
    monkeypatch.setattr("dashboard.management.deciding.wake", lambda task, row: calls.append(task))
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
    assert "Here, not on Prolific (not_listed): 1." in said
    assert "forged (completed, arrived 2026-03-01 09:00 UTC)" in said
    assert "Code that the study never had (unknown_code): 1." in said
    assert "id-of-" not in said and "s-ben" not in said
    assert excluded(study) == {}


def test_command_excludes_whom_it_is_asked_to(
    study: Study, path: Path, woken_by_command: list[str]
) -> None:
    came(study, "ann", "ben", "forged")
    reported = ["submissions", "small", path, "--exclude", "not_listed"]
    assert "Excluded 1 participant." in run(*reported, "--reason", "not in the list")
    assert excluded(study) == {"forged": "not in the list"}
    both = run(*reported, "--exclude", "unknown_code", "--reason", "invented code")
    assert "09:00 UTC, excluded (by decision: not in the list))" in both
    assert excluded(study) == {"forged": "not in the list", "ben": "invented code"}
    assert woken_by_command == ["analysis.run"] * 2
    events = StudyEvent.objects.filter(action="excluded")
    assert [event.detail for event in events] == [{"participants": 1}] * 2


def test_command_excludes_only_with_a_reason(study: Study, path: Path) -> None:
    came(study, "forged")
    with pytest.raises(CommandError, match="--exclude needs --reason"):
        run("submissions", "small", path, "--exclude", "not_listed", "--reason", " ")
    with pytest.raises(CommandError, match="--reason is given without --exclude"):
        run("submissions", "small", path, "--reason", "forged")
    assert excluded(study) == {}


def test_exclusion_is_decided_by_name_and_taken_back(
    study: Study, woken_by_command: list[str]
) -> None:
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
    assert woken_by_command == ["analysis.run"] * 3


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("ann", "zoe", "--reason", "x"), "has no participant 'zoe'"),
        (("ann", "--reason", "  "), "Give a reason"),
        (("ann", "--reason", "x" * 501), "at most 500 characters"),
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


def test_decisions_go_with_the_person_who_withdraws(
    study: Study, woken_by_command: list[str]
) -> None:
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


def test_upload_is_taken_in_and_shown(page: Client, study: Study) -> None:
    came(study, "ann", "ben", "forged")
    files = [
        SimpleUploadedFile(f"{name}.csv", listed(row))
        for name, row in (("first", "ann,DONE1"), ("second", "ben,CCCCC"))
    ]
    answer = page.post("/studies/small/submissions/", {"file": files}, follow=True)
    shown = text_of(answer)
    assert "Read: first.csv, second.csv." in shown
    assert "Here, not on Prolific (1)" in shown and "CCCCC: never had" in shown
    assert "id-of-" not in answer.content.decode()


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
