"""A sample over real HTTP: simulated raters who behave in every way, and their ratings."""

import csv
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.test import override_settings

from config.processes import ROOT, free_port
from survey.definition import StudyDefinition, read_responses
from survey.files.yaml_file import YamlFile
from survey.simulated.content import BlockTexts, Content, Text
from survey.simulated.crowd import Rota, walk_all
from survey.simulated.plan import plan_raters
from survey.simulated.profile import SimulationProfile
from survey.simulated.walker import Start, Walk, WalkEnding
from tests.e2e.installation import Installation, running_installation

pytestmark = pytest.mark.e2e
PARTICIPANTS, SEED = 16, 5
STUDY = ROOT / "examples" / "empathy"
PROFILE = ROOT / "examples" / "profiles" / "published.yaml"
RULES = {
    "speeder": "duration",
    "attention_failer": "attention",
    "early_exit": "early_exit",
    "straight_liner": "sigma_mae",
    "careful": "",
}
#: What the profile's shares make of so many.
BEHAVIOURS = {
    "speeder": 1,
    "attention_failer": 1,
    "early_exit": 1,
    "straight_liner": 1,
    "careful": 12,
}
LEFT = BEHAVIOURS["early_exit"]


@dataclass(frozen=True)
class Sample:
    """An installation that raters have visited, and what they sent."""

    site: Installation
    walks: list[Walk]
    codes: dict[str, str]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    port = free_port()
    judge = {
        "JUDGE_STAND_IN": "true",
        "JUDGE_BASE_URL": f"http://127.0.0.1:{port}/v1",
        "JUDGE_MODEL": "stand-in",
        "JUDGE_API_KEY": "stand-in",
    }
    with running_installation(tmp_path_factory.mktemp("sample"), worker=False, **judge) as site:
        command = [sys.executable, "-m", "judge.standin", "--port", str(port)]
        site.processes.start("stand-in-judge", command)
        said = site.manage("load_study", STUDY).stdout
        codes = dict(re.findall(r"^    (completed|failed attention): +(\S+)$", said, re.MULTILINE))
        codes = {ending.replace(" ", "_"): code for ending, code in codes.items()}
        with override_settings(SIMULATION_KEY=site.environment["SIMULATION_KEY"]):
            yield Sample(site, walks(site.url, codes), codes)


def walks(server: str, codes: dict[str, str]) -> list[Walk]:
    """Send everybody from this process, so that what they sent is known here."""
    content = content_of_files(codes)
    file = YamlFile.read(PROFILE)
    plans = plan_raters(
        profile=file.check(SimulationProfile, file.plain()),
        content=content,
        participants=PARTICIPANTS,
        seed=SEED,
    )
    begins = datetime.now(UTC) - timedelta(days=2)
    rota = Rota([(plan, Start(begins + plan.after)) for plan in plans], [])
    return list(walk_all(rota, server=server, content=content, workers=4))


def content_of_files(codes: dict[str, str]) -> Content:
    """The study as its files say, past everything that loads and stores them, with the codes that
    loading drew."""
    yaml = YamlFile.read(STUDY / "study.yaml")
    values = yaml.plain()
    survey = {key: values[key] for key in StudyDefinition.model_fields if key in values}
    definition = yaml.check(StudyDefinition, survey)
    rows, _ = read_responses(STUDY / "responses.csv", definition)
    blocks: dict[tuple[str, str, str], list[Text]] = {}
    for row in rows:
        texts = blocks.setdefault((row.scenario, row.set_name, row.prompt), [])
        texts.append(Text(row.model, row.condition, row.text))
    return Content(
        definition=definition,
        version=1,
        codes=codes,
        blocks=tuple(BlockTexts(*key, tuple(texts)) for key, texts in blocks.items()),
    )


def test_everybody_ends_as_planned(sample: Sample) -> None:
    assert Counter(walk.plan.behaviour for walk in sample.walks) == BEHAVIOURS
    ends = {"early_exit": WalkEnding.LEFT, "attention_failer": WalkEnding.FAILED_ATTENTION}
    assert {walk.ending for walk in sample.walks} == {*ends.values(), WalkEnding.COMPLETED}
    for walk in sample.walks:
        assert walk.ending == ends.get(walk.plan.behaviour, WalkEnding.COMPLETED)
    assert {walk.code for walk in sample.walks if walk.code} == set(sample.codes.values())
    assert sample.site.query(
        "SELECT source, status, COUNT(*) FROM survey_participant GROUP BY source, status "
        "ORDER BY status"
    ) == [("simulated", "completed", PARTICIPANTS - LEFT), ("simulated", "in_progress", LEFT)]


def test_every_rating_sent_is_stored_exactly_once(sample: Sample) -> None:
    stored = sample.site.query(
        "SELECT identity.key, scenario.name, block.set_name, response.public_id,"
        " rating.dimension, rating.value "
        "FROM survey_rating rating "
        "JOIN survey_response response ON response.id = rating.response_id "
        "JOIN survey_presentation shown ON shown.id = rating.presentation_id "
        "JOIN survey_block block ON block.id = shown.block_id "
        "JOIN survey_scenario scenario ON scenario.id = block.scenario_id "
        "JOIN survey_identity identity ON identity.participant_id = shown.participant_id"
    )
    sent = [
        (walk.plan.person, at.scenario, at.set_name, at.response, at.dimension, value)
        for walk in sample.walks
        for at, value in walk.sent.items()
    ]
    assert len(sent) == sum(5 * walk.plan.blocks for walk in sample.walks)
    assert len(sent) > (PARTICIPANTS - LEFT) * 120
    assert sorted(stored) == sorted(sent)


def test_same_seed_again_changes_nothing(sample: Sample) -> None:
    before = counts(sample.site)
    done = sample.site.manage(*simulate())
    assert done.stdout == f"empathy@1: {PARTICIPANTS} already took part\n"
    assert counts(sample.site) == before


def test_clock_signed_with_another_key_lets_nobody_in(sample: Sample) -> None:
    before = counts(sample.site)
    strangers = ("simulate", "empathy", "--participants", "3", "--seed", str(SEED + 1))
    done = sample.site.manage(*strangers, check=False, SIMULATION_KEY="another key")
    assert done.returncode == 1
    [said] = done.stderr.splitlines()
    assert said.startswith(
        f"CommandError: {sample.site.url} does not accept simulated raters from here: "
        "its SIMULATION_KEY (without one, its SECRET_KEY) is another."
    )
    assert counts(sample.site) == before


def counts(site: Installation) -> list[tuple[int, ...]]:
    return site.query(
        "SELECT (SELECT COUNT(*) FROM survey_participant),"
        " (SELECT COUNT(*) FROM survey_rating), (SELECT SUM(revisions) FROM survey_rating)"
    )


def simulate(*more: object) -> list[str]:
    counts = ("--participants", PARTICIPANTS, "--seed", SEED)
    return [str(a) for a in ("simulate", "empathy", *counts, "--profile", PROFILE, *more)]


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_funnel_finds_exactly_the_planted_careless(sample: Sample, tmp_path: Path) -> None:
    sample.site.start("worker")
    sample.site.manage("judge", "empathy", "--wait")
    sample.site.manage(*simulate("--plan", tmp_path / "plan.csv"))
    out = tmp_path / "out"
    only_tables = ("--no-images", "--include", "simulated")
    sample.site.manage("analyze", "empathy", "--out", out, *only_tables)
    behaviours = {row["participant"]: row["behaviour"] for row in read_csv(tmp_path / "plan.csv")}
    found = {row["participant"]: row["exclusion"] for row in read_csv(out / "raters.csv")}
    assert found == {name: RULES[behaviour] for name, behaviour in behaviours.items()}
    left_out = Counter(found.values())
    assert [(row["step"], int(row["excluded"])) for row in read_csv(out / "funnel.csv")] == [
        (step, left_out[step]) for step in ("duration", "attention", "early_exit", "sigma_mae")
    ]
