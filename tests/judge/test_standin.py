"""The stand-in: a process of its own, asked by the real client."""

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from statistics import fmean, stdev
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from pytest_django.fixtures import Settings

from judge import runs, standin
from judge.configuration import JudgeConfiguration
from judge.configure import configure_judging, move_judges_here
from judge.definition import JudgingDefinition
from judge.exchange import JudgeRequest
from judge.models import Score, StructuredOutput
from judge.parsing import parse_scores
from judge.plans import queue_missing
from judge.prompts import answer_schema, letters, messages
from judge.providers import Provider
from judge.queries import judge_values
from survey.definition.points import Point
from survey.files.yaml_file import YamlFile
from survey.models import Study
from tests.judge.judging import ROOT, counts

# What is made of answers; calls are stored in test_calls.py and test_runs.py on every database.
pytestmark = [pytest.mark.slow, pytest.mark.embedded]  # starts a server

SCALE = [Point(value=value, label=f"label {value}") for value in range(1, 6)]
WARM = (
    "I'm so sorry, that sounds frightening. It makes sense that you feel shaken, and it is not "
    "your fault. What would help you most right now?"
)
COLD = "have you considered just trying to calm down. you should"


def configuration(scale: list[Point] = SCALE, **changes: Any) -> JudgeConfiguration:
    given = {
        "name": "j",
        "base_url": "stand-in",
        "model": "stand-in",
        "stand_in": True,
        "questions": {"empathy": "q"},
        "rubrics": {"empathy": "r"},
        "scale": scale,
        "between": False,
        "presentation": "single",
        "reasons": False,
        "temperature": 1.0,
        "max_tokens": None,
        "seed": None,
        "options": {},
        "prompt_format": 1,
        "endpoint": "default",
        "replicates": 1,
        "family": None,
        "price": None,
    }
    return JudgeConfiguration.model_validate(given | changes)


def ask(*responses: str, seed: int, configured: JudgeConfiguration | None = None) -> JudgeRequest:
    configured = configured or configuration()
    return JudgeRequest(
        id="r",
        model="stand-in",
        messages=messages(
            configured,
            dimensions=configured.dimensions,
            prompt="I had a panic attack.",
            context="",
            responses=responses,
        ),
        temperature=1.0,
        max_tokens=None,
        seed=seed,
        schema=answer_schema(configured, len(responses), configured.dimensions),
    )


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    command = [sys.executable, "-m", "judge.standin", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


def test_standin_answers_the_real_client_with_a_score(base_url: str) -> None:
    provider = Provider(
        base_url=base_url,
        api_key="stand-in",
        timeout_seconds=60,
        address_setting="X",
        model_source="the judge's model in study.yaml, or JUDGE_MODEL",
    )
    replies = [provider.ask(ask(WARM, seed=1)).result() for _ in range(2)]
    provider.close()
    assert replies[0].text == replies[1].text
    assert json.loads(replies[0].text)["score"] in range(1, 6)
    assert replies[0].model == "fivefold-stand-in"
    assert replies[0].cost == 0


def test_standin_lists_itself_as_the_only_model(base_url: str) -> None:
    with urlopen(f"{base_url}/models") as response:
        models = json.load(response)["data"]
    assert [model["id"] for model in models] == ["fivefold-stand-in"]


@pytest.mark.parametrize("presentation", ["single", "block"])
def test_study_is_scored_by_the_very_same_path_at_no_cost(
    presentation: str, base_url: str, study: Study, settings: Settings
) -> None:
    settings.JUDGE_STAND_IN, settings.JUDGE_BASE_URL = True, base_url
    section = {"judges": [{"name": "j", "presentation": presentation, "reasons": True}]}
    configure_judging(study, JudgingDefinition.model_validate(section | {"budget": {"money": 1}}))
    (judge,) = move_judges_here(study)
    queue_missing(judge)
    runs.run(judge.pk)
    assert set(counts(judge)) == {"answered"}
    assert StructuredOutput.objects.get().support == "enforced"
    reasons = Score.objects.values_list("reason", flat=True)
    assert all(reason.startswith("No language model wrote this") for reason in reasons)


TEMPLATES: dict[str, dict[str, Any]] = {
    "literal": {"template": "{prompt} {response}", "answer": "- {dimension}: *"},
    "number": {"template": "Rate {response}", "answer": "number"},
    "json": {"template": "{response} {scale}", "reasons": True},
    "block": {"template": "Rate {responses}", "presentation": "block"},
    "pair": {"template": "{response_a}, {response_b}", "presentation": "pair", "answer": "[[*]]"},
    "pair in json": {"template": "{responses}", "presentation": "pair"},
}


@pytest.mark.parametrize("kind", TEMPLATES)
def test_standin_answers_in_the_form_of_a_template(
    kind: str, base_url: str, study: Study, settings: Settings
) -> None:
    settings.JUDGE_STAND_IN, settings.JUDGE_BASE_URL = True, base_url
    judges = [{"name": "j", "replicates": 2, **TEMPLATES[kind]}]
    configure_judging(study, JudgingDefinition.model_validate({"judges": judges}))
    (judge,) = move_judges_here(study)
    queue_missing(judge)
    runs.run(judge.pk)
    assert set(counts(judge)) == {"answered"}


def test_scores_of_a_template_are_those_of_our_own_words(
    base_url: str, study: Study, settings: Settings
) -> None:
    settings.JUDGE_STAND_IN, settings.JUDGE_BASE_URL = True, base_url
    template = {"template": "{response}", "answer": "[[*]]"}
    judges: list[dict[str, Any]] = [{"name": "own", "seed": 1}]
    judges.append({"name": "theirs", "seed": 1, **template})
    configure_judging(study, JudgingDefinition.model_validate({"judges": judges}))
    scores = []
    for judge in move_judges_here(study):
        queue_missing(judge)
        runs.run(judge.pk)
        scores.append([(v.response_id, v.replicate, v.value) for v in judge_values(judge)])
    assert scores[0] == scores[1]


def test_judges_with_one_seed_score_the_same_in_every_installation(
    base_url: str, study: Study, settings: Settings
) -> None:
    settings.JUDGE_STAND_IN, settings.JUDGE_BASE_URL = True, base_url
    judges = [{"name": name, "seed": 1, "replicates": 2} for name in ("here", "there")]
    configure_judging(study, JudgingDefinition.model_validate({"judges": judges}))
    scores = []
    for judge in move_judges_here(study):
        queue_missing(judge)
        runs.run(judge.pk)
        scores.append([(v.response_id, v.replicate, v.value) for v in judge_values(judge)])
    assert scores[0] == scores[1]
    assert len(scores[0]) == 20


@pytest.mark.parametrize("slug", ["empathy", "tide"])
def test_judges_of_an_example_have_a_seed(slug: str) -> None:
    file = YamlFile.read(ROOT / "examples" / slug / "study.yaml")
    section = file.check(JudgingDefinition, file.section("judging"), under=("judging",))
    assert all(judge.seed is not None for judge in section.judges)


@pytest.mark.parametrize("body", ["", "{", "[]", '{"messages": [{"content": "no scale"}]}'])
def test_standin_refuses_what_it_cannot_read(base_url: str, body: str) -> None:
    with pytest.raises(HTTPError) as refused:
        urlopen(Request(f"{base_url}/chat/completions", data=body.encode()))
    assert refused.value.code == 400


def answers(configured: JudgeConfiguration, *responses: str, seed: int) -> list[int]:
    """The scores of the responses, as a strict parse finds them."""
    request = ask(*responses, seed=seed, configured=configured)
    said = standin.answer(
        "\n\n".join(message["content"] for message in request.messages),
        seed=str(seed),
        schema=None,
    )
    assert said is not None
    named = letters(len(responses)) if configured.presentation == "block" else ()
    found = parse_scores(said, configured.scale, letters=named, between=configured.between)
    return [each.score for each in found]


def scores(response: str, scale: list[Point] = SCALE) -> list[int]:
    return [answers(configuration(scale), response, seed=seed)[0] for seed in range(30)]


def test_replies_of_a_block_are_scored_each_by_itself() -> None:
    block = configuration(presentation="block")
    one, other = answers(block, WARM, COLD, seed=1), answers(block, COLD, WARM, seed=1)
    assert one == other[::-1]
    assert one[0] > one[1]


def test_warm_reply_scores_above_a_cold_one() -> None:
    assert fmean(scores(WARM)) > 4
    assert fmean(scores(COLD)) < 2


def test_scores_keep_to_the_scale_that_is_stated() -> None:
    scale = [Point(value=value, label=str(value)) for value in (-10, 0, 10)]
    assert set(scores(WARM, scale)) <= {-10, 0, 10}


def test_scores_of_our_own_example_look_like_scores() -> None:
    with (ROOT / "examples" / "empathy" / "responses.csv").open(encoding="utf-8") as file:
        responses = {row["response"] for row in csv.DictReader(file)}
    means = [fmean(scores(response)[:3]) for response in responses]
    assert 3 < fmean(means) < 4.2
    assert stdev(means) > 0.4


def test_scores_on_a_slider_lie_between_its_ends() -> None:
    ends = [Point(value=0, label="Cold"), Point(value=100, label="Warm")]
    slider = configuration(ends, between=True)
    found = {answers(slider, WARM, seed=seed)[0] for seed in range(30)}
    assert len(found) > 5
    assert all(50 < score <= 100 for score in found)


def test_chinese_replies_are_told_apart() -> None:
    warm = scores("推开门的那一下，心里一定很难受。那一刻你通常会怎么办呢？")
    cold = scores("你应该主动沟通，必须多参加集体活动。")
    assert fmean(warm) > fmean(cold) + 1
