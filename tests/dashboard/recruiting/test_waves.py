"""A second wave: the people of an earlier study are invited again, and nobody else."""

import csv
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from analysis.execution import finished_run
from analysis.manual_decisions import decide_on
from dashboard.overview.events import events
from dashboard.prolific.models import Recruitment
from dashboard.prolific.polling import read_submissions_of
from dashboard.share.exports import Export
from examples.local_prolific.people import send
from examples.local_prolific.server import LocalProlific
from examples.local_prolific.world import ApiError
from survey.models import Participant, Study
from survey.participants import Arrival
from survey.tidy import counted_sources
from survey.withdrawal import withdraw
from tests.dashboard.reading import text_of
from tests.dashboard.recruiting.conftest import ADDRESS, DRAFT, Post, cost, requests, steps
from tests.factories import make_study, newcomer
from tests.prolific import prolific_id

pytestmark = [pytest.mark.e2e, pytest.mark.embedded]

WAVE = {"earlier": "first@1", "who": "completed"}


def came(study: Study, name: str, **fields: Any) -> Participant:
    """A person from Prolific, who completed the study unless `fields` say otherwise."""
    kind: dict[str, Any] = {"kind": "prolific", "key": prolific_id(name)}
    person = newcomer(Arrival(study=study, source="prolific", at=timezone.now(), **kind))
    now = timezone.now()
    given = {"status": "completed", "finished_at": now, "pseudonym": f"{study.slug}-{name}"}
    Participant.objects.filter(pk=person.pk).update(**given | fields)
    person.refresh_from_db()
    return person


@pytest.fixture
def first(db: None) -> Study:
    """An earlier study that ann, ben and cat completed."""
    study = make_study(slug="first")
    for name in ("ann", "ben", "cat"):
        came(study, name)
    return study


def members(prolific: LocalProlific) -> set[str]:
    [group] = prolific.world.groups
    return set(prolific.world.members(group))


def ids(*names: str) -> set[str]:
    return {prolific_id(name) for name in names}


def shown(page: Client, **wave: str) -> str:
    return text_of(page.get(ADDRESS, {**WAVE, **wave}))


def test_page_says_how_many_can_be_invited_and_why_others_can_not(
    post: Post, page: Client, first: Study, study: Study
) -> None:
    came(first, "dan", status="declined", finished_at=None)
    came(first, "eve", status="in_progress", finished_at=None)
    by_link = newcomer(Arrival(study=first, source="link", at=timezone.now()))
    Participant.objects.filter(pk=by_link.pk).update(status="completed", finished_at=timezone.now())
    withdraw(participant=came(first, "fay"), at=timezone.now())
    came(study, "ann")
    withdraw(participant=Participant.objects.get(pseudonym="small-ann"), at=timezone.now())
    said = shown(page)
    assert "2 of the people of first@1 can be invited" in said
    for reason in (
        "1 withdrew",
        "1 declined",
        "1 did not complete the study",
        "1 completed, but did not come from Prolific: their id there is not known",
        "1 completed, but withdrew from this study",
    ):
        assert reason in said
    assert prolific_id("ben") not in page.get(ADDRESS, WAVE).content.decode()


def test_researchers_decisions_and_the_newest_analysis_can_leave_people_out(
    post: Post, page: Client, first: Study
) -> None:
    assert "first@1 has no finished analysis" in shown(page, who="included")
    too_quick = timezone.now() - timedelta(seconds=5)
    Participant.objects.filter(pseudonym="first-ben").update(started_at=too_quick)
    finished_run(study=first, sources=counted_sources())
    ann = Participant.objects.get(pseudonym="first-ann")
    decide_on(study=first, participants=[ann], excluded=True, reason="Bot", at=timezone.now())
    assert "3 of the people" in shown(page, who="completed")
    kept = shown(page, who="not_excluded")
    assert "2 of the people" in kept
    assert "1 completed, but excluded by a researcher’s decision" in kept
    counted = shown(page, who="included")
    assert "1 of the people" in counted
    assert "1 completed, but not included by the newest analysis" in counted


def test_draft_lets_in_the_invited_people_alone(
    post: Post, prolific: LocalProlific, first: Study, study: Study
) -> None:
    post("create", **DRAFT | WAVE | {"places": "3"})
    [theirs] = prolific.world.studies.values()
    [group] = prolific.world.groups
    allowed = {"filter_id": "participant_group_allowlist", "selected_values": [group]}
    assert theirs["filters"] == [allowed]
    assert members(prolific) == ids("ann", "ben", "cat")
    assert events([study])[1].what == "Draft created on Prolific: 3 places, 3 invited"
    prolific.world.move_study(theirs["id"], "PUBLISH")
    with pytest.raises(ApiError, match="not eligible"):
        prolific.world.start(theirs["id"], prolific_id("gil"))
    sent = send(prolific.world, theirs["id"], 3, lambda link: "DONE1")
    assert {one.participant for one in sent.by_deed["completes"]} == ids("ann", "ben", "cat")


def test_more_places_than_invited_people_are_refused_beside_the_field(
    post: Post, prolific: LocalProlific, first: Study
) -> None:
    assert "At most 3: so many people are invited." in post("create", **DRAFT | WAVE)
    assert prolific.world.studies == prolific.world.groups == {}


def test_study_whose_people_are_unknown_here_is_refused(
    post: Post, prolific: LocalProlific, study: Study
) -> None:
    said = post("create", **DRAFT | WAVE)
    assert "No such study with people from Prolific: first@1." in said
    assert prolific.world.studies == {}


@pytest.mark.parametrize("lost", ["POST participant-groups/", "PATCH *", "POST studies/"])
def test_lost_answer_makes_no_second_group_and_no_second_draft(
    post: Post, prolific: LocalProlific, first: Study, lost: str
) -> None:
    prolific.faults.add("reset_after", on=lost)
    post("create", **DRAFT | WAVE | {"places": "3"})
    Recruitment.objects.update(step_at=timezone.now() - timedelta(minutes=1))
    post("create", **DRAFT | WAVE | {"places": "3"})
    assert len(prolific.world.groups) == len(prolific.world.studies) == 1
    assert members(prolific) == ids("ann", "ben", "cat")
    assert steps() == [("create", 3)]


def test_update_drops_who_withdrew_and_adds_who_completed(
    post: Post, prolific: LocalProlific, first: Study
) -> None:
    post("create", **DRAFT | WAVE | {"places": "3"})
    withdraw(participant=Participant.objects.get(pseudonym="first-ann"), at=timezone.now())
    came(first, "dan")
    assert "The people whom the study invites are changed on Prolific." in post("invite")
    assert members(prolific) == ids("ben", "cat", "dan")
    asked = requests(prolific, "PATCH participant-groups/")
    assert "Nothing had to be changed" in post("invite")
    assert requests(prolific, "PATCH participant-groups/") == asked
    assert [step for step, _ in steps()] == ["create", "invite"]


def test_who_withdraws_later_is_not_let_in_by_publishing_nor_while_it_runs(
    post: Post, prolific: LocalProlific, first: Study
) -> None:
    post("create", **DRAFT | WAVE | {"places": "3"})
    withdraw(participant=Participant.objects.get(pseudonym="first-ann"), at=timezone.now())
    post("publish", cost=cost(prolific, 3))
    assert members(prolific) == ids("ben", "cat")
    withdraw(participant=Participant.objects.get(pseudonym="first-ben"), at=timezone.now())
    came(first, "dan")  # nobody is added without a click
    recruitment = Recruitment.objects.get()
    assert read_submissions_of(recruitment.pk, at=timezone.now()) is not None
    assert members(prolific) == ids("cat")
    assert [step for step, _ in steps()] == ["create", "invite", "publish", "invite"]


def test_study_that_was_opened_to_all_on_prolific_is_not_published(
    post: Post, prolific: LocalProlific, first: Study, page: Client
) -> None:
    post("create", **DRAFT | WAVE | {"places": "3"})
    [theirs] = prolific.world.studies.values()
    theirs["filters"] = []
    said = text_of(page.get(ADDRESS))
    assert "no longer lets in only people of first@1" in said
    assert "It can’t be published yet." in said


def test_waves_are_joined_by_pseudonym_without_ids_and_not_shared(
    post: Post, first: Study, study: Study, page: Client, researcher: User
) -> None:
    post("create", **DRAFT | WAVE | {"places": "3"})
    for name in ("cat", "ann", "gil"):
        came(study, name)
    finished_run(study=study, sources=counted_sources())

    def waves() -> list[list[str]]:
        sent = page.get("/api/studies/small/exports/waves.csv")
        text = b"".join(sent.streaming_content).decode()  # type: ignore[attr-defined]
        return list(csv.reader(text.splitlines()))

    joined = [["first-cat", "small-cat"], ["first-ann", "small-ann"]]
    assert waves() == [["pseudonym_1", "pseudonym_2"], *joined]
    withdraw(participant=Participant.objects.get(pseudonym="first-cat"), at=timezone.now())
    assert waves() == [["pseudonym_1", "pseudonym_2"], joined[1]]
    shared = Export(study, counted_sources(), dict, sharing=True)
    assert "it links what a person said in two studies" in shared.not_available["waves.csv"]
