"""The stand-in: a process of its own, asked by the real client."""

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from statistics import fmean, stdev
from urllib.error import HTTPError
from urllib.request import Request as Post
from urllib.request import urlopen

import pytest
from pytest_django.fixtures import Settings

from judge import runs, standin
from judge.calls import queue_missing
from judge.configure import configure_judge
from judge.definition import JudgeDefinition
from judge.exchange import Request
from judge.prompts import messages
from judge.providers import Provider
from survey.definition import YamlFile
from survey.definition.tasks import Point
from survey.models import Study
from tests.judge.judging import ROOT

SCALE = [Point(value=value, label=f"label {value}") for value in range(1, 6)]
WARM = (
    "I'm so sorry, that sounds frightening. It makes sense that you feel shaken, and it is not "
    "your fault. What would help you most right now?"
)
COLD = "have you considered just trying to calm down. you should"


def ask(response: str, *, seed: int, scale: list[Point] = SCALE) -> Request:
    return Request(
        id="r",
        model="stand-in",
        messages=messages(
            rubric="r",
            scale=scale,
            question="q",
            prompt="I had a panic attack.",
            context="",
            response=response,
        ),
        temperature=1.0,
        max_tokens=None,
        seed=seed,
    )


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    command = [sys.executable, "-m", "judge.standin", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


def test_standin_answers_the_real_client_with_a_score(base_url: str) -> None:
    provider = Provider(base_url=base_url, api_key="stand-in", timeout_seconds=10)
    replies = [provider.ask(ask(WARM, seed=1)).result() for _ in range(2)]
    provider.close()
    assert replies[0].text == replies[1].text
    assert int(replies[0].text) in range(1, 6)
    assert replies[0].model == "fivefold-stand-in"


def test_standin_lists_itself_as_the_only_model(base_url: str) -> None:
    with urlopen(f"{base_url}/models") as response:
        models = json.load(response)["data"]
    assert [model["id"] for model in models] == ["fivefold-stand-in"]


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["empathy", "tide"])
def test_scores_of_an_example_are_the_same_in_every_installation(
    slug: str, base_url: str, study: Study, settings: Settings
) -> None:
    settings.JUDGE_STAND_IN, settings.JUDGE_BASE_URL = True, base_url
    file = YamlFile.read(ROOT / "examples" / slug / "study.yaml")
    described = file.check(JudgeDefinition, file.section("judge"), under=("judge",))
    scores = []
    for name in ("here", "there"):
        judge = configure_judge(study, described.model_copy(update={"name": name}))
        queue_missing(judge)
        runs.run(judge.pk)
        scores.append(list(judge.calls.values_list("response", "replicate", "score")))
    assert scores[0] == scores[1]
    assert {score for _, _, score in scores[0]} <= {1, 2, 3}


@pytest.mark.parametrize("body", ["", "{", "[]", '{"messages": [{"content": "no scale"}]}'])
def test_standin_refuses_what_it_cannot_read(base_url: str, body: str) -> None:
    with pytest.raises(HTTPError) as refused:
        urlopen(Post(f"{base_url}/chat/completions", data=body.encode()))
    assert refused.value.code == 400


def scores(response: str, scale: list[Point] = SCALE) -> list[int]:
    asked = "\n\n".join(m["content"] for m in ask(response, seed=0, scale=scale).messages)
    found = [standin.score(asked, seed=str(seed)) for seed in range(30)]
    return [score for score in found if score is not None]


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
    asked = messages(
        rubric="r", scale=ends, between=True, question="q", prompt="p", context="", response=WARM
    )
    text = "\n\n".join(message["content"] for message in asked)
    found = {standin.score(text, seed=str(seed)) for seed in range(30)}
    assert len(found) > 5
    assert all(score is not None and 50 < score <= 100 for score in found)


def test_chinese_replies_are_told_apart() -> None:
    warm = scores("推开门的那一下，心里一定很难受。那一刻你通常会怎么办呢？")
    cold = scores("你应该主动沟通，必须多参加集体活动。")
    assert fmean(warm) > fmean(cold) + 1
