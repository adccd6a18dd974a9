"""Where judges are asked, and with which key."""

from typing import Any

import pytest
from pytest_django.fixtures import Settings

from judge.configuration import JudgeConfiguration, configuration_of
from judge.configure import move_judges_here
from judge.definition import DEFAULT_ENDPOINT, JudgeDefinition
from judge.endpoints import (
    EndpointHere,
    JudgeNotReady,
    check_endpoint,
    check_traits,
    endpoint_here,
    ready_endpoint,
)
from judge.models import Endpoint
from judge.prompts import FORMAT, FORMATS
from survey.models import Study
from tests.judge.judging import describe
from tests.survey import small_study

# What is made of answers; calls are stored in test_calls.py and test_runs.py on every database.
pytestmark = pytest.mark.embedded

NAMED = {
    "base_url": "https://api.example.com/v1",
    "api_key": "named-key",
    "model": "named-model",
    "concurrency": 3,
}


@pytest.fixture(autouse=True)
def _environment(settings: Settings) -> None:
    settings.JUDGE_BASE_URL = "https://judge.example.org/v1"
    settings.JUDGE_MODEL = "model-one"
    settings.JUDGE_API_KEY = "key"
    settings.JUDGE_CONCURRENCY = 6
    settings.JUDGE_STAND_IN = False
    settings.JUDGE_ENDPOINTS = {"openai": NAMED}


def configuration(**known: Any) -> JudgeConfiguration:
    """A judge as it was set up once."""
    endpoint = known.pop("endpoint", "default")
    given: dict[str, Any] = {"model": "m", "stand_in": False, "prompt_format": FORMAT}
    given["base_url"] = endpoint_here(endpoint).identity
    return configuration_of(
        JudgeDefinition(endpoint=endpoint),
        small_study.definition(),
        **given | known,
    )


def test_misspelt_traits_are_told_by_djangos_checks(settings: Settings) -> None:
    assert check_traits() == []
    settings.JUDGE_TRAITS = "no_sede"
    settings.JUDGE_ENDPOINTS = {"openai": NAMED | {"stated_traits": "none no_seed"}}
    assert [each.msg for each in check_traits()] == [
        "JUDGE_TRAITS: 'no_sede' is unknown; did you mean 'no_seed'?",
        "JUDGE_OPENAI_TRAITS: 'none' can't stand together with others",
    ]


def test_default_endpoint_is_that_of_the_plain_variables() -> None:
    here = endpoint_here("default")
    assert here == EndpointHere(
        "default", "https://judge.example.org/v1", "key", "model-one", 6, stand_in=False
    )
    assert here.variable("API_KEY") == "JUDGE_API_KEY"


def test_named_endpoint_has_variables_of_its_own() -> None:
    here = endpoint_here("openai")
    assert here == EndpointHere(
        "openai", "https://api.example.com/v1", "named-key", "named-model", 3, stand_in=False
    )
    assert here.variable("API_KEY") == "JUDGE_OPENAI_API_KEY"


def test_endpoint_that_is_not_set_up_is_said_with_what_to_set() -> None:
    with pytest.raises(JudgeNotReady) as missing:
        endpoint_here("groq")
    assert str(missing.value) == (
        "the endpoint 'groq' is not set up here: add it to JUDGE_ENDPOINTS and set "
        "JUDGE_GROQ_BASE_URL and JUDGE_GROQ_API_KEY"
    )


def test_stand_in_takes_the_place_of_endpoints_that_are_not_set_up(settings: Settings) -> None:
    settings.JUDGE_STAND_IN, settings.JUDGE_BASE_URL = True, "http://127.0.0.1:5001/v1"
    assert endpoint_here("groq").identity == "stand-in"
    assert endpoint_here("openai").identity == "https://api.example.com/v1"


def test_stand_in_writes_no_texts_and_says_what_would(settings: Settings) -> None:
    settings.JUDGE_STAND_IN, settings.JUDGE_BASE_URL = True, "http://127.0.0.1:5001/v1"
    for name, how in (
        ("groq", "add it to JUDGE_ENDPOINTS and set JUDGE_GROQ_BASE_URL and JUDGE_GROQ_API_KEY"),
        (DEFAULT_ENDPOINT, "set JUDGE_BASE_URL and JUDGE_API_KEY"),
    ):
        with pytest.raises(JudgeNotReady) as missing:
            ready_endpoint(name)
        assert f"is not set up here: {how}. The stand-in" in str(missing.value)


@pytest.mark.parametrize("slashes", ["/", "//"])
def test_slash_at_the_end_of_an_address_makes_no_other_endpoint(
    slashes: str, settings: Settings
) -> None:
    known = configuration()
    settings.JUDGE_BASE_URL += slashes
    assert check_endpoint(known).identity == known.base_url == "https://judge.example.org/v1"


@pytest.mark.parametrize(
    ("base_url", "sign"),
    [
        ("https://me:topsecret@judge.example.org/v1", "@"),
        ("https://topsecret@h/v1", "@"),
        ("me:topsecret@h/v1", "@"),
        ("https://h/v1?key=topsecret", "?"),
    ],
)
def test_password_in_an_address_is_refused_and_not_repeated(
    base_url: str, sign: str, settings: Settings
) -> None:
    settings.JUDGE_BASE_URL = base_url
    settings.JUDGE_ENDPOINTS = {"openai": NAMED | {"base_url": base_url}}
    for endpoint, variable in (("default", "JUDGE"), ("openai", "JUDGE_OPENAI")):
        with pytest.raises(JudgeNotReady) as refused:
            endpoint_here(endpoint)
        assert str(refused.value) == (
            f"{variable}_BASE_URL must have no {sign} in it: addresses are stored and shown, so a "
            f"password has no place in one. {variable}_API_KEY is kept secret"
        )


def test_password_in_an_address_is_stored_nowhere(study: Study, settings: Settings) -> None:
    settings.JUDGE_BASE_URL = "https://me:topsecret@judge.example.org/v1"
    judge = describe(study)
    with pytest.raises(JudgeNotReady):
        move_judges_here(study)
    judge.refresh_from_db()
    assert Endpoint.objects.filter(base_url__contains="topsecret").count() == 0
    assert "topsecret" not in str(judge.configuration)


@pytest.mark.parametrize(
    ("base_url", "key", "problem"),
    [
        ("https://judge.example.org/v1", "", "JUDGE_API_KEY is missing: judge.example.org needs"),
        ("judge.example.org/v1", "key", "JUDGE_BASE_URL 'judge.example.org/v1' is not an http"),
        ("https:///v1", "key", "JUDGE_BASE_URL 'https:///v1' is not an http"),
        ("http://localhost:PORT/v1", "key", "JUDGE_BASE_URL 'http://localhost:PORT/v1' is no"),
        ("http://[::1/v1", "key", "JUDGE_BASE_URL 'http://[::1/v1' is not an http"),
        ("http://h\t/v1", "key", "JUDGE_BASE_URL 'http://h\\t/v1' is not an http"),
        ("https://judge.example.org/v1", "a key", "JUDGE_API_KEY has characters that no key has"),
        ("https://judge.example.org/v1", "key\n", "JUDGE_API_KEY has characters that no key has"),
        ("https://judge.example.org/v1", "kéy", "JUDGE_API_KEY has characters that no key has"),
    ],
)
def test_endpoint_that_cannot_be_asked_is_said(
    base_url: str, key: str, problem: str, settings: Settings
) -> None:
    settings.JUDGE_BASE_URL, settings.JUDGE_API_KEY = base_url, key
    with pytest.raises(JudgeNotReady) as not_ready:
        check_endpoint(configuration())
    assert str(not_ready.value).startswith(problem)


def test_judge_that_was_asked_in_other_words_is_not_asked_in_these() -> None:
    with pytest.raises(JudgeNotReady, match="in the words of another release"):
        check_endpoint(configuration(prompt_format=FORMATS[-1] - 1))


def test_missing_key_of_a_named_endpoint_is_called_by_its_name(settings: Settings) -> None:
    settings.JUDGE_ENDPOINTS = {"openai": NAMED | {"api_key": ""}}
    with pytest.raises(JudgeNotReady, match=r"^JUDGE_OPENAI_API_KEY is missing"):
        check_endpoint(configuration(endpoint="openai"))


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "[::1]", "10.0.0.7", "192.168.1.4", "judge", "gpu.local"]
)
def test_server_on_this_machine_or_its_network_needs_no_key(host: str, settings: Settings) -> None:
    settings.JUDGE_BASE_URL, settings.JUDGE_API_KEY = f"http://{host}:8080/v1", ""
    assert check_endpoint(configuration()).api_key == ""


@pytest.mark.parametrize("endpoint", ["default", "openai"])
def test_key_goes_to_no_other_address_than_its_own(endpoint: str, settings: Settings) -> None:
    known = configuration(endpoint=endpoint)
    settings.JUDGE_BASE_URL = "https://other.example.org/v1"
    settings.JUDGE_ENDPOINTS = {"openai": NAMED | {"base_url": "https://other.example.org/v1"}}
    with pytest.raises(JudgeNotReady, match="but this worker is set up for https://other"):
        check_endpoint(known)
