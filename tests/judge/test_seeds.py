"""The seeds of calls, and judges that began with those of an earlier release."""

import json
from collections.abc import Callable
from io import StringIO
from itertools import product
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django.fixtures import Settings

from judge import runs
from judge.configure import move_judges_here
from judge.models import Attempt, Call, Judge
from judge.plans import queue_missing
from judge.prompts import FORMAT
from judge.queries import gold_source
from judge.questions import identity_of
from judge.seeds import KEPT, seed_of
from survey.models import Block, Response, Scenario, Study, System
from tests.judge.judging import claim_one, counts, describe, note_support, queue
from tests.judge.test_definition import configuration
from tests.servers.faulty_judge import FaultyJudge
from tests.survey import small_study

# Reading this file loads openai, which takes longer than its tests without a database.
pytestmark = pytest.mark.slow

Server = Callable[..., FaultyJudge]
#: What release 1.0 stored of this judge of the small study, and its fingerprint.
EARLIER = json.loads(
    """{"name": "j", "base_url": "http://127.0.0.1:9/v1", "model": "test-model", "stand_in": false,
    "questions": {"warmth": "How warm is this response?"}, "rubrics": {"warmth": "Consider how
    emotionally warm the reply is, how well it fits this person's situation, and how genuine it
    sounds."}, "scale": [{"value": 1, "label": "Not at all"}, {"value": 2, "label": "Somewhat"},
    {"value": 3, "label": "Very"}], "between": false, "presentation": "single", "reasons": false,
    "temperature": 1.0, "max_tokens": null, "seed": 1, "options": {}, "prompt_format": 2,
    "endpoint": "default", "replicates": 3, "family": null, "price": null}""".replace("\n    ", " ")
)
FINGERPRINT = "58fa8be7fee3dcd2f76709d2ac9e1251f8cbb2b1cd7b74cf2043e63ffab1c90c"


def test_every_call_has_a_seed_of_its_own_that_fits_32_bits() -> None:
    judge = configuration(seed=1).model_copy(update={"prompt_format": FORMAT})
    seeds = {
        seed_of(judge, about=["response", "S1", "Ant", "plain", text], dimension=d, replicate=n)
        for text, d, n in product(map(str, range(102)), ["cognitive", "emotional"], range(1, 6))
    }
    assert len(seeds) == 102 * 2 * 5
    assert all(seed is not None and 0 <= seed < 2**31 for seed in seeds)


def test_a_seed_never_changes() -> None:
    """Or a run could not be repeated: this is the number that the definition gives."""
    judge = configuration(seed=1).model_copy(update={"prompt_format": FORMAT})
    about = ["block", "S1", "set one"]
    assert seed_of(judge, about=about, dimension="warmth", replicate=2) == 74188835
    other = judge.model_copy(update={"seed": None})
    assert seed_of(other, about=about, dimension="warmth", replicate=2) is None


def test_all_that_tells_a_text_or_a_block_from_others_is_in_its_seed() -> None:
    """One system may have two texts in a scenario, and two systems may have the same text."""

    def text(name: str, model: str, condition: str, text_hash: str) -> Call:
        response = Response(scenario=Scenario(name=name), text_hash=text_hash)
        response.system = System(model=model, condition=condition)
        return Call(response=response)

    def block(name: str, set_name: str) -> Call:
        return Call(block=Block(scenario=Scenario(name=name), set_name=set_name))

    calls = [
        text("S1", "Ant", "plain", "one"),
        text("S2", "Ant", "plain", "one"),
        text("S1", "Bee", "plain", "one"),
        text("S1", "Ant", "tuned", "one"),
        text("S1", "Ant", "plain", "other"),
        *(block("S1", "1"), block("S2", "1"), block("S1", "2")),
    ]
    assert len({tuple(identity_of(call)) for call in calls}) == len(calls)


@pytest.mark.parametrize("presentation", ["single", "block"])
def test_a_study_loaded_elsewhere_is_asked_with_the_same_seeds(
    presentation: str, db: None, settings: Settings
) -> None:
    """Whatever the numbers of its rows are there."""
    settings.JUDGE_CONCURRENCY = 100
    here = small_study.load()
    there = small_study.load(yaml=small_study.YAML.replace("slug: small", "slug: elsewhere"))
    asked = []
    for study in (here, there):
        judge = queue(describe(study, presentation=presentation, seed=1, replicates=2))
        sent = [claim_one(judge).request for _ in range(judge.calls.count())]
        asked.append({(request.messages[1]["content"], request.seed) for request in sent})
        judge.calls.update(state="answered")
    assert asked[0] == asked[1]
    assert (
        len({seed for _, seed in asked[0]}) == len(sent) == (8 if presentation == "block" else 20)
    )


# Judges of an earlier release


def gold_name(study: Study) -> str:
    source = gold_source(study)
    assert source is not None
    return source.name


@pytest.fixture
def earlier(study: Study, server_with: Server) -> Judge:
    """A judge as release 1.0 stored it, asked for a part of its calls."""
    server = server_with()
    judge = describe(study, name="j", seed=1)
    judge.configuration = EARLIER | {"base_url": server.base_url}
    judge.configuration_hash = judge.read_configuration().fingerprint()
    judge.save()
    note_support(judge)
    queue_missing(judge)
    judge.calls.filter(replicate__gt=1).update(state="failed")
    runs.run(judge.pk)
    return judge


def test_fingerprint_of_an_earlier_release_holds(study: Study) -> None:
    assert Judge(study=study, configuration=EARLIER).read_configuration().fingerprint() == (
        FINGERPRINT
    )


@pytest.fixture
def worker_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that has done its work before the command goes on."""
    monkeypatch.setattr("judge.management.commands.judge.wake", lambda _, judge: runs.run(judge))


def said_by(command: str, *arguments: str) -> str:
    out = StringIO()
    call_command(command, *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_judge_goes_on_with_the_seeds_it_began_with_and_keeps_the_gold(
    earlier: Judge, worker_at_once: None
) -> None:
    assert counts(earlier) == {"answered": 10, "failed": 20}
    said = said_by("judge", "small", "--wait")
    (judge,) = Judge.objects.all()
    assert (str(judge), counts(judge)) == ("j@1", {"answered": 30})
    sent = Attempt.objects.select_related("call")
    assert sent.count() == 30, "nothing was asked twice"
    assert all(attempt.request["seed"] == 1 + attempt.call.replicate for attempt in sent)
    assert gold_name(judge.study) == "j@1"
    assert f"  j@1 {KEPT}\n" in said
    describe(judge.study, name="j", seed=1, replicates=4)
    said_by("judge", "small", "--wait")
    assert {a.request["seed"] for a in sent.filter(call__replicate=4)} == {5}, "a new replicate too"


def test_loading_its_folder_again_leaves_it_and_says_how_to_change(
    earlier: Judge, tmp_path: Path
) -> None:
    judging = "judging: {judges: [{name: j, seed: 1}]}\nways_in: [link]\n"
    (tmp_path / "study.yaml").write_text(f"{small_study.YAML}\n{judging}", encoding="utf-8")
    (tmp_path / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
    said = said_by("load_study", str(tmp_path))
    assert f"  j@1 {KEPT}\n" in said
    earlier.refresh_from_db()
    assert earlier.is_current
    assert earlier.configuration["prompt_format"] == 2


def test_another_seed_in_the_file_is_a_new_version_with_the_new_seeds(
    earlier: Judge, worker_at_once: None
) -> None:
    describe(earlier.study, name="j", seed=2)
    said = said_by("judge", "small", "--wait")
    assert "keeps the seeds" not in said
    sent = Attempt.objects.filter(call__judge__version=2)
    assert len({attempt.request["seed"] for attempt in sent}) == sent.count() == 30
    assert gold_name(earlier.study) == "j@1", "until somebody decides otherwise"
    describe(earlier.study, name="j", seed=1)
    assert [str(judge) for judge in move_judges_here(earlier.study)] == ["j@1"], "and back"


def test_judge_of_an_earlier_release_that_was_never_asked_has_the_new_seeds(
    study: Study, settings: Settings
) -> None:
    settings.JUDGE_STAND_IN = True
    judge = describe(study, seed=1)
    judge.configuration |= {"prompt_format": 2}
    judge.configuration_hash = judge.read_configuration().fingerprint()
    judge.save()
    (moved,) = move_judges_here(study)
    assert (moved.pk, moved.configuration["prompt_format"]) == (judge.pk, FORMAT)


def test_judge_without_a_seed_is_asked_as_before_and_nothing_is_said(
    study: Study, server_with: Server, worker_at_once: None
) -> None:
    server_with()
    judge = describe(study, name="j")
    judge.configuration |= {"prompt_format": 2}
    judge.configuration_hash = judge.read_configuration().fingerprint()
    judge.save()
    note_support(judge)
    queue_missing(judge)
    assert "keeps the seeds" not in said_by("judge", "small", "--wait")
    assert "seed" not in Attempt.objects.earliest("pk").request
