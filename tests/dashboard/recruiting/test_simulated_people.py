"""Simulated people come from the local Prolific, and are reconciled as paid ones would be."""

import csv
from collections import Counter
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from dashboard.overview.events import events
from dashboard.prolific.models import Recruitment
from dashboard.raters.submissions import from_prolific
from examples.local_prolific.server import LocalProlific
from survey.models import Identity, Participant, Study
from survey.simulated import clock
from tests.dashboard.reading import text_of
from tests.dashboard.recruiting.conftest import ADDRESS, DRAFT, Post
from tests.prolific import arrival, prolific_id

pytestmark = [pytest.mark.e2e, pytest.mark.embedded]
PROFILE = """\
behaviours: {early_exit: 0.2}
prolific:
  {second_device: 0.1, no_code: 0.1, swapped_code: 0.1, times_out: 0.1, forged_ids: 0.1, returns: 1}
"""
PEOPLE = 20
#: What becomes of a submission, by what its person does.
STATUSES = {
    "enters_code": "APPROVED",
    "second_device": "APPROVED",
    "no_code": "AWAITING REVIEW",
    "swapped_code": "AWAITING REVIEW",
    "times_out": "TIMED-OUT",
    "returns": "RETURNED",
}
Simulate = Callable[..., str]


@pytest.fixture
def simulate(
    post: Post,
    prolific: LocalProlific,
    live_server: LiveServer,
    settings: Settings,
    tmp_path: Path,
) -> Simulate:
    """Publish the study on the local Prolific, and send people from there."""
    settings.SITE_URL = live_server.url
    (tmp_path / "profile.yaml").write_text(PROFILE)
    post("create", **DRAFT | {"places": str(PEOPLE)})
    post("publish", cost=prolific.world.cost(150, PEOPLE))

    def run(people: int = PEOPLE) -> str:
        out = StringIO()
        call_command(
            *("simulate", "small", "--from-prolific", "--participants", str(people)),
            *("--seed", "1", "--profile", str(tmp_path / "profile.yaml")),
            *("--server", live_server.url, "--plan", str(tmp_path / "plan.csv")),
            stdout=out,
        )
        return out.getvalue()

    return run


def planned(tmp_path: Path) -> dict[str, dict[str, str]]:
    """The rows of the plan by the person's id."""
    with (tmp_path / "plan.csv").open(newline="") as file:
        return {row["person"]: row for row in csv.DictReader(file)}


def test_people_come_by_their_links_and_do_on_prolific_what_was_planned(
    simulate: Simulate, prolific: LocalProlific, tmp_path: Path, page: Client, study: Study
) -> None:
    said = simulate()
    plan = planned(tmp_path)
    deeds = Counter(row["at_prolific"] for row in plan.values())
    assert deeds["forged_ids"] == 2
    assert set(deeds) == {*STATUSES, "forged_ids"}
    assert "at Prolific: " in said
    for submission in prolific.world.submissions.values():
        row = plan[submission.participant]
        assert submission.status == STATUSES[row["at_prolific"]]
        person = Participant.objects.get(pseudonym=row["participant"])
        assert person.submissions.get().session_id == submission.id
    assert len(prolific.world.submissions) == PEOPLE - deeds["forged_ids"]
    assert set(Participant.objects.values_list("source", flat=True)) == {"simulated"}
    assert events([study])[0].what == (
        "20 simulated raters sent from the local Prolific (profile profile.yaml, seed 1)"
    )

    shown = text_of(page.post(f"{ADDRESS}submissions/", follow=True))
    by_deed: dict[str, list[str]] = {}
    for row in plan.values():
        by_deed.setdefault(row["at_prolific"], []).append(row["participant"])
    returned = shown.partition("Marked as returned: ")[2].partition(".")[0]
    assert set(returned.split(", ")) == set(by_deed["returns"])
    for mismatch, deed in (("not_listed", "forged_ids"), ("wrong_code", "swapped_code")):
        listed = text_of(page.get(f"/studies/small/submissions/?mismatch={mismatch}"))
        there = {row["participant"] for row in plan.values() if row["participant"] in listed}
        assert there == set(by_deed[deed])

    money = list(prolific.world.ledger)
    assert simulate() == "small@1: 20 already took part\n"
    assert prolific.world.ledger == money
    assert Participant.objects.count() == PEOPLE


def test_study_with_signed_links_lets_no_forged_ids_in(
    study: Study, simulate: Simulate, prolific: LocalProlific, tmp_path: Path
) -> None:
    assert "2 refused" not in simulate()
    Participant.objects.all().delete()
    study.settings["prolific"]["signed_links"] = True
    study.save()
    [there] = prolific.world.studies.values()
    there["is_external_study_url_secure"] = True
    prolific.world.submissions.clear()
    assert "2 refused" in simulate()
    forged = {who for who, row in planned(tmp_path).items() if row["at_prolific"] == "forged_ids"}
    assert not Identity.objects.filter(key__in=forged).exists()
    assert Participant.objects.count() == PEOPLE - 2


def test_people_of_the_local_prolific_mean_nothing_to_the_real_one(
    simulate: Simulate, study: Study, settings: Settings
) -> None:
    simulate(people=3)
    came = from_prolific(study)
    assert came.count() == 3
    settings.PROLIFIC_URL = "https://api.prolific.com/api/v1"
    assert came.model.objects.count() == 3
    assert from_prolific(study).count() == 0
    person = prolific_id("new")
    signed = clock.sign(person=person, at=timezone.now(), order_seed=1, from_prolific=True)
    link = f"/s/small/{arrival('new', session='s')}"
    assert Client(headers={clock.HEADER: signed}).get(link).status_code == 403
    assert study.participants.count() == 3


def test_study_without_places_or_without_a_publication_is_named(
    simulate: Simulate, prolific: LocalProlific, study: Study, settings: Settings
) -> None:
    with pytest.raises(CommandError, match="refused: Bad Request The study has no places left"):
        simulate(people=PEOPLE + 15)
    Recruitment.objects.all().delete()
    with pytest.raises(CommandError, match="small@1 is not on the local Prolific"):
        simulate()
    settings.PROLIFIC_URL = "https://api.prolific.com/api/v1"
    with pytest.raises(CommandError, match=r"PROLIFIC_URL is https://api.prolific.com/api/v1"):
        simulate()
