"""A rehearsal: the study is open for trying out, everybody is a test person, and nothing counts."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone, translation

from survey.consent import give_consent
from survey.models import Identity, Invitation, Participant, Slot, Study, StudyEvent
from survey.participants import admits
from survey.studies import StateError, set_state
from survey.tidy import counted_sources, participant_rows
from survey.withdrawal import token_of
from tests.survey import small_study
from tests.survey.visiting import LAST_PAGE, LINK, begin, take

pytestmark = pytest.mark.django_db

ROOT = "/s/small/"
LABEL = b"Rehearsal: this study is only being tried out, and nothing here counts."


@pytest.fixture
def rehearsal(db: None) -> Study:
    study = small_study.load(state="draft")
    set_state(study=study, state="open", rehearsal=True)
    return study


def invitation(study: Study, panel: str = "") -> str:
    return f"{ROOT}?invite={Invitation.objects.create(study=study, panel=panel).token}"


def finish(client: Client, first: int = 1) -> bytes:
    take(client, range(first, LAST_PAGE))
    return client.post(f"{ROOT}page/{LAST_PAGE}/", {"age": "41"}, follow=True).content


@pytest.mark.parametrize("way", ["link", "invitation", "panel"])
def test_whoever_comes_is_a_test_person_who_neither_counts_nor_freezes_the_study(
    rehearsal: Study, client: Client, way: str
) -> None:
    links = {"link": ROOT, "invitation": invitation(rehearsal)}
    links["panel"] = invitation(rehearsal, "clinicians")
    person = begin(client, links[way])
    finish(client)
    person.refresh_from_db()
    assert (person.source, person.panel, person.status) == ("preview", "", "completed")
    assert Slot.objects.get().pool == "preview"
    rehearsal.refresh_from_db()
    assert rehearsal.frozen_at is None
    assert list(participant_rows(rehearsal, sources=counted_sources())) == []


def test_nobody_from_prolific_is_admitted_and_the_page_says_why(
    rehearsal: Study, client: Client
) -> None:
    reply = client.get(LINK)
    assert reply.status_code == 403
    assert b"<h1>This study has not started yet</h1>" in reply.content
    assert b"Until it starts, participants from Prolific cannot take part and are not paid" in (
        reply.content
    )
    assert b"please return your submission there" in reply.content
    assert LABEL in reply.content
    assert not Participant.objects.exists()


def test_every_page_says_that_it_is_a_rehearsal(rehearsal: Study, client: Client) -> None:
    begin(client, ROOT)
    addresses = [f"{ROOT}page/{number}/" for number in range(1, LAST_PAGE + 1)]
    for number, address in enumerate(addresses, start=1):
        assert LABEL in client.get(address).content
        if number < LAST_PAGE:
            take(client, range(number, number + 1))
    assert LABEL in client.get(f"{ROOT}stop/").content
    assert LABEL in finish(client, LAST_PAGE)
    token = token_of(Participant.objects.get())
    for reply in (
        client.get(f"{ROOT}withdraw/{token}/"),
        client.post(f"{ROOT}withdraw/{token}/", {"delete": "yes"}, follow=True),
        Client().get(ROOT, follow=True),  # information and consent
        Client().get(f"{ROOT}page/1/"),  # nobody
        Client().get(f"{ROOT}?invite=none"),
    ):
        assert LABEL in reply.content


def test_label_is_translated(rehearsal: Study, client: Client) -> None:
    with translation.override("zh-hans"):
        assert "演练" in translation.gettext(LABEL.decode())


def test_completion_codes_are_for_researchers_and_not_for_others_who_rehearse(
    rehearsal: Study, client: Client
) -> None:
    begin(client, ROOT)
    instructions = client.get(f"{ROOT}page/1/").content.decode()
    assert f"{ROOT}?resume=" in instructions  # as for anybody who comes by the open link
    said = finish(client)
    assert b"DONE1" not in said and b"Prolific" not in said
    token = token_of(Participant.objects.get())
    said = client.post(f"{ROOT}withdraw/{token}/", {"delete": "yes"}, follow=True).content
    assert b"Prolific" not in said
    client.force_login(User.objects.create_superuser("ada"))
    begin(client, f"{ROOT}?preview")
    assert b"DONE1" in finish(client)


def test_link_to_come_back_by_leads_a_test_person_back(rehearsal: Study, client: Client) -> None:
    person = begin(client, ROOT)
    html = client.get(f"{ROOT}page/1/").content.decode()
    link = re.search(r"/s/small/\?resume=[\w-]+", html)
    assert link is not None
    elsewhere = Client()
    assert elsewhere.get(link[0]).headers["Location"] == f"{ROOT}page/1/"
    assert Participant.objects.get() == person


# ── From a rehearsal to the real study ────────────────────────────────────────────────────────────


@pytest.mark.parametrize("way", ["link", "invitation"])
def test_who_has_rehearsed_finishes_as_a_test_person_when_the_study_is_open(
    rehearsal: Study, client: Client, way: str
) -> None:
    link = ROOT if way == "link" else invitation(rehearsal)
    person = begin(client, link)
    take(client, range(1, 3))
    set_state(study=rehearsal, state="open")
    assert client.get(link).headers["Location"] == f"{ROOT}page/3/"
    shown = client.get(f"{ROOT}page/3/").content
    assert LABEL not in shown
    assert b"Test run (preview): these answers do not count." in shown
    finish(client, 3)
    person.refresh_from_db()
    assert (person.source, person.status) == ("preview", "completed")
    assert Participant.objects.count() == 1


def test_people_who_come_when_it_is_open_count(rehearsal: Study) -> None:
    begin(Client(), ROOT)
    set_state(study=rehearsal, state="open")
    assert begin(Client(), ROOT).source == "link"
    assert begin(Client(), LINK).source == "prolific"
    rehearsal.refresh_from_db()
    assert rehearsal.frozen_at is not None


def test_who_only_read_the_information_of_the_open_study_does_not_begin_a_rehearsal(
    client: Client, db: None
) -> None:
    study = small_study.load()
    client.get(ROOT)
    set_state(study=study, state="open", rehearsal=True)
    reply = client.post(f"{ROOT}consent/", {"agree": "yes"})
    assert reply.status_code == 403
    assert LABEL in reply.content
    study.refresh_from_db()
    assert (Participant.objects.get().status, study.frozen_at) == ("arrived", None)


def test_rehearsals_are_remembered_among_the_changes(rehearsal: Study) -> None:
    set_state(study=rehearsal, state="open")
    changes = StudyEvent.objects.filter(action="state").values_list("detail", flat=True)
    assert list(changes) == [
        {"from": "draft", "to": "rehearsal"},
        {"from": "rehearsal", "to": "open"},
    ]


def test_paused_rehearsal_admits_nobody_new_and_lets_people_finish(
    rehearsal: Study, client: Client
) -> None:
    begin(client, ROOT)
    set_state(study=rehearsal, state="paused")
    assert Client().get(ROOT).status_code == 403
    finish(client)
    assert Participant.objects.get().status == "completed"


def test_what_goes_back_to_draft_is_no_rehearsal_any_more(rehearsal: Study) -> None:
    set_state(study=rehearsal, state="draft")
    rehearsal.refresh_from_db()
    assert (rehearsal.doing, rehearsal.is_rehearsal) == ("draft", False)


def test_study_that_real_people_have_begun_is_not_rehearsed(client: Client, db: None) -> None:
    study = small_study.load()
    begin(client)
    with pytest.raises(StateError, match="small@1 has participants and can't go back to a rehears"):
        set_state(study=study, state="open", rehearsal=True)
    assert Study.objects.get().doing == "open"


@pytest.mark.parametrize("state", ["draft", "paused", "closed"])
def test_only_an_open_study_is_a_rehearsal(rehearsal: Study, state: str) -> None:
    with pytest.raises(StateError, match=f"a rehearsal must be open, not {state}"):
        set_state(study=rehearsal, state=state, rehearsal=True)


# ── Versions ──────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def newer(db: None) -> Study:
    """A second version in draft, of a study that is open for real."""
    Participant.objects.create(study=small_study.load(), source="prolific")
    text = small_study.YAML.replace("short replies", "replies")
    return small_study.load(yaml=text, state="draft")


def test_rehearsal_takes_nobody_from_an_earlier_version_that_is_open(newer: Study) -> None:
    with pytest.raises(StateError, match="small@1 is open, and its participants would get"):
        set_state(study=newer, state="open", rehearsal=True)
    set_state(study=Study.objects.get(version=1), state="paused")
    set_state(study=newer, state="open", rehearsal=True)
    with pytest.raises(StateError, match="Move small@2 to draft first"):
        set_state(study=Study.objects.get(version=1), state="open")


def test_earlier_rehearsal_does_not_keep_a_version_from_opening(newer: Study) -> None:
    Study.objects.filter(version=1).update(is_rehearsal=True)
    set_state(study=newer, state="open")
    assert newer.doing == "open"


def test_real_reader_of_an_earlier_version_is_not_moved_into_a_rehearsal(
    newer: Study, client: Client
) -> None:
    client.get(LINK)
    Study.objects.filter(version=1).update(state="paused")
    set_state(study=newer, state="open", rehearsal=True)
    assert client.get(LINK).status_code == 403
    reader = Identity.objects.get(kind="prolific").participant
    assert (reader.study.version, reader.source) == (1, "prolific")


def test_simulated_raters_may_rehearse(rehearsal: Study) -> None:
    simulated = Participant.objects.create(
        study=rehearsal, source="simulated", arrived_at=timezone.now()
    )
    assert admits(rehearsal, "simulated")
    give_consent(participant=simulated, at=timezone.now())
    simulated.refresh_from_db()
    assert simulated.status == "in_progress"
