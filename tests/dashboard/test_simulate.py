"""`simulate` as its users type it, against a live server."""

import csv
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django.live_server_helper import LiveServer

from survey.models import Participant, Rating, Study
from tests.survey import small_study

pytestmark = pytest.mark.embedded  # what the simulator does over HTTP

PROFILE = """\
behaviours: {early_exit: 0.25, decliner: 0.25}
effects:
  conditions: {tuned: 0.2}
"""


@pytest.fixture
def study(db: None) -> Study:
    return small_study.load()


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "profile.yaml"
    path.write_text(PROFILE)
    return path


def run(*args: object, participants: int = 4, seed: int = 1) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    counts = ("--participants", participants, "--seed", seed)
    call_command("simulate", *map(str, (*args, *counts)), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_raters_take_part_and_are_counted(
    live_server: LiveServer, study: Study, profile: Path
) -> None:
    said, notices = run("small", "--server", live_server.url, "--profile", profile)
    lines = said.splitlines()
    assert lines[0] == "small@1: 4 simulated raters: 2 completed, 1 declined, 1 left early"
    assert lines[1] == "  behaviours: 2 careful, 1 early_exit, 1 decliner"
    assert lines[2].startswith(f"  {Rating.objects.count()} answers on ")
    assert notices == ""
    assert set(Participant.objects.values_list("source", flat=True)) == {"simulated"}


def test_second_run_finds_that_they_already_took_part(
    live_server: LiveServer, study: Study, profile: Path
) -> None:
    arguments = ("small", "--server", live_server.url, "--profile", profile)
    run(*arguments)
    before = list(Rating.objects.order_by("pk").values())
    said, _ = run(*arguments)
    assert said == "small@1: 4 already took part\n"
    assert list(Rating.objects.order_by("pk").values()) == before
    assert Participant.objects.count() == 4


def test_more_participants_of_the_same_seed_add_the_missing_ones(
    live_server: LiveServer, study: Study, tmp_path: Path
) -> None:
    (tmp_path / "careful.yaml").write_text("behaviours: {}\n")
    arguments = ("small", "--server", live_server.url, "--profile", tmp_path / "careful.yaml")
    run(*arguments, participants=1)
    said, _ = run(*arguments, participants=2)
    assert said.splitlines()[:2] == [
        "small@1: 1 already took part",
        "small@1: 1 simulated rater: 1 completed",
    ]
    assert Participant.objects.count() == 2


def test_plan_tells_who_behaves_how(
    live_server: LiveServer, study: Study, profile: Path, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.csv"
    run("small", "--server", live_server.url, "--profile", profile, "--plan", plan)
    with plan.open(newline="") as file:
        rows = {row["participant"]: row for row in csv.DictReader(file)}
    statuses = {"careful": "completed", "early_exit": "in_progress", "decliner": "declined"}
    assert {name: statuses[row["behaviour"]] for name, row in rows.items()} == dict(
        Participant.objects.values_list("pseudonym", "status")
    )
    for name, row in rows.items():
        answered = Participant.objects.get(pseudonym=name).presentations.exclude(answered_at=None)
        assert answered.count() == int(row["blocks"])


def test_default_profile_serves_any_study_without_notices(
    live_server: LiveServer, study: Study
) -> None:
    said, notices = run("small", "--server", live_server.url, participants=1)
    assert "small@1: 1 simulated rater" in said
    assert notices == ""


def test_own_profile_is_told_what_has_no_effect_in_the_study(
    live_server: LiveServer, study: Study, profile: Path
) -> None:
    profile.write_text(PROFILE + "  scenarios: {S9: 0.1}\n")
    _, notices = run("small", "--server", live_server.url, "--profile", profile, participants=1)
    assert notices == (
        f"Notice: {profile}, line 4, column 15: effects.scenarios.S9: "
        "the study has no such scenario; no effect\n"
    )


def test_draft_admits_simulated_raters(live_server: LiveServer, study: Study) -> None:
    Study.objects.update(state="draft")
    said, _ = run("small", "--server", live_server.url, participants=1)
    assert "1 simulated rater: 1 completed" in said


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_study_that_takes_nobody_is_named(
    live_server: LiveServer, study: Study, state: str
) -> None:
    Study.objects.update(state=state)
    with pytest.raises(CommandError, match=f"small@1 is {state} and takes nobody new"):
        run("small", "--server", live_server.url)
    assert not Participant.objects.exists()


def test_server_that_does_not_answer_is_named(study: Study) -> None:
    with pytest.raises(CommandError) as caught:
        run("small", "--server", "http://127.0.0.1:9")
    assert str(caught.value) == "no answer from http://127.0.0.1:9: Connection refused"


def test_each_version_is_simulated_by_its_name_whichever_is_open(
    live_server: LiveServer, study: Study, profile: Path
) -> None:
    arguments = ("--server", live_server.url, "--profile", profile)
    run("small", *arguments)
    newer = small_study.load(yaml=small_study.YAML.replace("How warm", "How kind"), state="draft")
    said, _ = run("small@2", *arguments)
    assert said.startswith("small@2: 4 simulated raters: 2 completed, 1 declined, 1 left early\n")
    assert run("small", *arguments)[0] == "small@2: 4 already took part\n"
    assert run("small@1", *arguments)[0] == "small@1: 4 already took part\n"
    people, same_people = (
        sorted(version.participants.values_list("order_seed", "status", "pages_done"))
        for version in (study, newer)
    )
    assert people == same_people
    assert len(people) == 4


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_version_that_takes_nobody_is_named_though_another_is_open(
    live_server: LiveServer, study: Study, state: str
) -> None:
    Participant.objects.create(study=study, source="preview")
    small_study.load(yaml=small_study.YAML.replace("A small study", "Anew"), state=state)
    with pytest.raises(CommandError, match=f"small@2 is {state} and takes nobody new"):
        run("small", "--server", live_server.url)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("large",), "there is no study 'large'; studies here: small@1"),
        (("small", "--workers", "0"), "--workers: '0' is no whole number from 1 to 64"),
        (("small", "--server", "localhost:80"), "'localhost:80' does not begin with http"),
        (("small", "--profile", "/nowhere.yaml"), "/nowhere.yaml: No such file or directory"),
        (("small", "--plan", "/nowhere/plan.csv"), "/nowhere/plan.csv: No such file or directory"),
    ],
)
def test_bad_input_gets_one_message(study: Study, arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(CommandError) as caught:
        run(*arguments)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_mistake_in_a_profile_is_named_with_its_line(study: Study, profile: Path) -> None:
    profile.write_text(PROFILE.replace("0.25, decliner", "2, decliner"))
    with pytest.raises(CommandError) as caught:
        run("small", "--profile", profile)
    assert str(caught.value) == (
        f"{profile}, line 1, column 14: behaviours.early_exit: "
        "Input should be less than or equal to 1"
    )


@pytest.mark.parametrize("count", [0, -1, "many"])
def test_number_of_participants_must_be_a_number(study: Study, count: object) -> None:
    with pytest.raises(CommandError, match="--participants"):
        run("small", participants=count)  # type: ignore[arg-type]  # what a user may type
