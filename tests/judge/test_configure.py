"""Versions of a judge, and whether it can be asked here."""

import pytest
from pytest_django.fixtures import Settings

from judge.calls import plan_calls
from judge.configure import JudgeNotReady, check_endpoint, current_judge
from judge.models import Judge
from survey.models import Study
from tests.judge.judging import describe
from tests.survey import small_study


@pytest.fixture(autouse=True)
def _elsewhere(settings: Settings) -> None:
    settings.JUDGE_BASE_URL = "https://judge.example.org/v1"
    settings.JUDGE_MODEL = "model-one"
    settings.JUDGE_API_KEY = "key"
    settings.JUDGE_STAND_IN = False


def test_described_judge_is_the_gold_judge(study: Study) -> None:
    judge = describe(study, name="maverick")
    assert (str(judge), judge.is_gold, judge.is_stand_in) == ("maverick@1", True, False)
    configuration = judge.read_configuration()
    assert configuration.base_url == "https://judge.example.org/v1"
    assert configuration.model == "model-one"


def test_key_is_stored_nowhere(study: Study, settings: Settings) -> None:
    settings.JUDGE_API_KEY = "very-secret"
    assert "very-secret" not in str(describe(study).configuration)


def test_same_description_again_changes_nothing_even_with_another_endpoint_here(
    study: Study, settings: Settings
) -> None:
    first = describe(study, name="maverick")
    settings.JUDGE_MODEL = "model-two"
    assert describe(study, name="maverick") == first
    assert Judge.objects.count() == 1


def test_changed_description_is_a_new_version_and_stops_the_old_one(study: Study) -> None:
    first = describe(study, name="maverick")
    plan_calls(first)
    second = describe(study, name="maverick", rubric="Be strict.")
    first.refresh_from_db()
    assert (str(second), second.is_gold) == ("maverick@2", True)
    assert (first.is_gold, first.stopped) == (False, "replaced by maverick@2")
    assert first.calls.count() == 30, "what it scored stays"


def test_version_that_asked_nothing_is_not_kept(study: Study) -> None:
    describe(study, name="maverick")
    describe(study, name="maverick", rubric="Be strict.")
    assert [str(judge) for judge in Judge.objects.all()] == ["maverick@1"]


def test_current_judge_moves_to_the_endpoint_and_model_of_this_installation(
    study: Study, settings: Settings
) -> None:
    first = describe(study)
    plan_calls(first)
    settings.JUDGE_MODEL = "model-two"
    second = current_judge(study)
    assert (second.version, second.read_configuration().model) == (2, "model-two")
    settings.JUDGE_MODEL = "model-one"
    assert current_judge(study) == first, "back again means the scores it has are used again"
    first.refresh_from_db()
    assert first.is_gold


def test_stand_in_is_the_same_judge_at_whatever_port(study: Study, settings: Settings) -> None:
    describe(study)
    settings.JUDGE_STAND_IN = True
    settings.JUDGE_BASE_URL = "http://127.0.0.1:5001/v1"
    first = current_judge(study)
    settings.JUDGE_BASE_URL = "http://127.0.0.1:5002/v1"
    assert current_judge(study) == first
    assert first.is_stand_in
    check_endpoint(first.read_configuration())


def test_study_without_a_judge_is_said(study: Study) -> None:
    with pytest.raises(JudgeNotReady, match="small@1 has no judge: load its study folder again"):
        current_judge(study)


def test_judges_of_two_studies_do_not_touch_each_other(study: Study) -> None:
    other = Study.objects.create(slug="other", title="Other", definition=study.definition)
    here, there = describe(study), describe(other)
    here.refresh_from_db()
    assert (here.is_gold, there.is_gold, here.stopped) == (True, True, "")


@pytest.mark.parametrize(
    ("base_url", "key", "problem"),
    [
        ("https://judge.example.org/v1", "", "JUDGE_API_KEY is missing: judge.example.org needs"),
        ("judge.example.org/v1", "key", "JUDGE_BASE_URL 'judge.example.org/v1' is no http"),
        ("https:///v1", "key", "JUDGE_BASE_URL 'https:///v1' is no http"),
        ("https://judge.example.org/v1", "a key", "JUDGE_API_KEY has characters that no key has"),
        ("https://judge.example.org/v1", "key\n", "JUDGE_API_KEY has characters that no key has"),
        ("https://judge.example.org/v1", "kéy", "JUDGE_API_KEY has characters that no key has"),
    ],
)
def test_endpoint_that_cannot_be_asked_is_said(
    base_url: str, key: str, problem: str, study: Study, settings: Settings
) -> None:
    settings.JUDGE_BASE_URL, settings.JUDGE_API_KEY = base_url, key
    with pytest.raises(JudgeNotReady) as not_ready:
        check_endpoint(describe(study).read_configuration())
    assert str(not_ready.value).startswith(problem)


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "[::1]", "10.0.0.7", "192.168.1.4", "judge", "gpu.local"]
)
def test_server_on_this_machine_or_its_network_needs_no_key(
    host: str, study: Study, settings: Settings
) -> None:
    settings.JUDGE_BASE_URL, settings.JUDGE_API_KEY = f"http://{host}:8080/v1", ""
    check_endpoint(describe(study).read_configuration())


def test_key_goes_to_no_other_endpoint_than_its_own(study: Study, settings: Settings) -> None:
    configuration = describe(study).read_configuration()
    settings.JUDGE_BASE_URL = "https://other.example.org/v1"
    with pytest.raises(JudgeNotReady, match=r"asked at https://judge\.example\.org/v1, but"):
        check_endpoint(configuration)


def test_a_study_without_ratings_has_nothing_for_a_judge(db: None) -> None:
    study = small_study.load(yaml=small_study.CHOICES_YAML)
    with pytest.raises(JudgeNotReady, match="small@1 asks for no ratings, so a judge has none"):
        current_judge(study)
