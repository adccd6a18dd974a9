"""A rehearsal over HTTP: raters are sent by a command or from the page; what their profile plants
is recorded, and held against the analysis.
"""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from analysis.execution import finished_run
from analysis.recipe import shipped_recipes
from analysis.recipe_sets import set_recipes
from dashboard.rehearsal.models import Simulation
from jobs.leases import to_wake
from jobs.runner import run_job
from survey.models import Study, StudyEvent
from survey.simulated.crowd import read_content
from survey.simulated.record import crowds_of, simulated_raters
from survey.tidy import counted_sources
from tests.dashboard.reading import table_headed, text_of
from tests.factories import add_participant
from tests.survey import small_study

pytestmark = pytest.mark.embedded  # what the simulator does over HTTP
PAGE = "/studies/small/rehearsal/"
PROFILE = """\
behaviours: {speeder: 0.2}
effects: {conditions: {tuned: 0.4}}
minutes: {careful: [15, 30]}
"""


@pytest.fixture
def study(db: None) -> Study:
    study = small_study.load(state="draft")
    set_recipes(study=study, recipes=list(shipped_recipes().values()))
    return study


def simulate(server: LiveServer, folder: Path, *, participants: int, seed: int = 1) -> None:
    path = folder / "mine.yaml"
    path.write_text(PROFILE)
    options = {"participants": participants, "seed": seed, "profile": path, "server": server.url}
    call_command("simulate", "small", **options, stdout=(folder / "said").open("w"))


def test_profile_and_seed_are_recorded_once(
    live_server: LiveServer, study: Study, tmp_path: Path, page: Client
) -> None:
    for _ in range(2):
        simulate(live_server, tmp_path, participants=2)
    [event] = StudyEvent.objects.filter(action="simulated")
    assert (event.detail["name"], event.detail["seed"]) == ("mine.yaml", 1)
    said = text_of(page.get("/studies/small/versions/"))
    assert "2 simulated raters sent (profile mine.yaml, seed 1)" in said


def test_raters_stay_as_the_crowd_that_they_came_with_decided(
    live_server: LiveServer, study: Study, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.csv"
    simulate(live_server, tmp_path, participants=2)
    simulate(live_server, tmp_path, participants=5)
    crowds = crowds_of(study)
    assert [crowd.participants for crowd in crowds] == [2, 5]
    raters = simulated_raters(study, read_content(study), crowds)
    first = simulated_raters(study, read_content(study), crowds[:1])
    assert len(raters) == 5 and len(first) == 2
    assert {name: raters[name].behaviour for name in first} == {
        name: rater.behaviour for name, rater in first.items()
    }
    assert not plan.exists()


@pytest.mark.slow
def test_page_shows_what_was_planted_and_found(
    live_server: LiveServer, study: Study, tmp_path: Path, page: Client
) -> None:
    assert "No simulated raters yet." in text_of(page.get(PAGE))
    simulate(live_server, tmp_path, participants=10)
    assert "No analysis of the simulated raters yet." in text_of(page.get(PAGE))
    call_command("lock_plan", "small", verbosity=0, stdout=(tmp_path / "said").open("w"))
    finished_run(study=study, sources=counted_sources(["simulated"]))
    answer = page.get(PAGE)
    assert "The analysis is that of locked plan 1." in text_of(answer)
    rows = table_headed(answer, "Effect")
    speeders = next(row for row in rows if "Speeder" in row)
    assert speeders[0] == "Careless raters" and "found" in speeders
    planted = {row[2]: row for row in rows if row[0] == "Difference of the conditions"}
    assert set(planted) == {"All models", "Ant", "Bee"}
    assert "plan" not in planted
    assert table_headed(answer, "Effect")[0][6] == "p (adjusted)"
    assert planted["Ant"][-1] == "Mixed contrasts"


def test_raters_of_unknown_profiles_are_told(page: Client, study: Study) -> None:
    add_participant(study, pseudonym="robot", source="simulated")
    finished_run(study=study, sources=counted_sources(["simulated"]))
    said = text_of(page.get(PAGE))
    assert "No table: no profile is recorded for the simulated raters" in said


# ── Sent from the page ───────────────────────────────────────────────────────────────────────────


@pytest.fixture
def asked(page: Client, study: Study, live_server: LiveServer, settings: Settings) -> Simulation:
    """Three raters that wait for a worker."""
    settings.SITE_URL = live_server.url
    answer = page.post(PAGE, {"participants": "3", "seed": "1", "profile": "default.yaml"})
    assert answer.status_code == 302
    return Simulation.objects.get()


def test_a_worker_sends_the_raters_and_the_page_says_what_they_did(
    asked: Simulation, page: Client, study: Study
) -> None:
    assert "Waiting for a worker" in text_of(page.get(PAGE))
    state = f"/studies/small/jobs/simulation/{asked.pk}/state/"
    assert "X-Finished" not in page.get(state)
    assert to_wake(Simulation) == [asked.pk]
    assert run_job(Simulation, asked.pk)
    assert not run_job(Simulation, asked.pk)
    assert page.get(state)["X-Finished"] == "1"
    said = text_of(page.get(PAGE))
    assert "small@1: 3 simulated raters: 3 completed" in said
    assert study.participants.filter(source="simulated").count() == 3
    assert 'name="seed" value="2"' in page.get(PAGE).content.decode()  # other raters next time


def test_a_worker_that_ends_leaves_the_others_to_the_next_one(
    asked: Simulation, study: Study
) -> None:
    assert run_job(Simulation, asked.pk, is_ending=lambda: True)
    asked.refresh_from_db()
    assert (asked.state, asked.ended, asked.attempts) == (Simulation.State.WAITING, 1, 0)
    assert run_job(Simulation, asked.pk)
    asked.refresh_from_db()
    assert (asked.state, asked.ended) == (Simulation.State.DONE, 3)
    assert asked.summary[0].endswith("already took part")
    assert study.participants.filter(status="completed").count() == study.participants.count() == 3


def test_a_study_that_takes_nobody_says_so(asked: Simulation, page: Client) -> None:
    Study.objects.update(state="closed")
    assert run_job(Simulation, asked.pk)
    assert "small@1 is closed and takes nobody new" in text_of(page.get(PAGE))


def test_one_crowd_at_a_time(asked: Simulation, page: Client) -> None:
    sent = {"participants": "3", "seed": "2", "profile": "default.yaml"}
    assert "wait until they have ended" in text_of(page.post(PAGE, sent, follow=True))
    assert Simulation.objects.count() == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"participants": "0"}, "greater than or equal to 1"),
        ({"participants": "2001"}, "At most 2,000 raters are sent from here"),
        ({"seed": "-1"}, "greater than or equal to 0"),
        ({"profile": "../../study.yaml"}, "There is no profile ../../study.yaml: default.yaml"),
        ({"file": "behaviours: {speeder: 2}\n"}, "mine.yaml, line 1, column 14"),
        ({"file": ""}, "mine.yaml, line 1, column 1: expected keys and values"),
    ],
)
def test_bad_input_sends_nobody(
    page: Client, study: Study, changed: dict[str, str], message: str
) -> None:
    sent: dict[str, object] = {"participants": "3", "seed": "1", "profile": "default.yaml"}
    sent |= changed
    if "file" in changed:
        sent["file"] = SimpleUploadedFile("mine.yaml", changed["file"].encode())
    answer = page.post(PAGE, sent)
    assert message in text_of(answer)
    assert not Simulation.objects.exists()


def test_own_profile_is_told_what_has_no_effect(page: Client, study: Study) -> None:
    own = SimpleUploadedFile("mine.yaml", b"effects: {scenarios: {S9: 0.1}}\n")
    sent = {"participants": "3", "seed": "1", "profile": "default.yaml", "file": own}
    said = text_of(page.post(PAGE, sent, follow=True))
    assert "effects.scenarios.S9: the study has no such scenario; no effect" in said
    assert Simulation.objects.get().profile_name == "mine.yaml"
