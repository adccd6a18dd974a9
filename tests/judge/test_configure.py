"""Versions of judges, and whose scores are gold."""

import json
from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from dashboard.design.study_folder import load_folder, read_folder
from judge.configure import configure_judging, move_judges_here
from judge.definition import JudgingDefinition
from judge.endpoints import JudgeNotReady, check_endpoint
from judge.gold import add_gold_set, choose_gold
from judge.models import GoldDecision, Judge, Judging
from judge.plans import plan_calls
from judge.queries import GoldSource, current_judges, gold_source, newer_than_gold
from judge.tidy import judge_rows
from survey.models import Study
from tests.judge.judging import describe, describe_judging
from tests.survey import small_study

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _elsewhere(settings: Settings) -> None:
    settings.JUDGE_BASE_URL = "https://judge.example.org/v1"
    settings.JUDGE_MODEL = "model-one"
    settings.JUDGE_API_KEY = "key"
    settings.JUDGE_STAND_IN = False
    settings.JUDGE_ENDPOINTS = {}


def gold_name(study: Study) -> str:
    source = gold_source(study)
    assert source is not None
    return source.name


def described(study: Study, **section: Any) -> bool:
    """Load such a section of the file; whether that changed anything."""
    return configure_judging(study, JudgingDefinition.model_validate(section))


# Versions


def test_judges_of_a_file_are_asked_here(study: Study) -> None:
    one, other = describe_judging(study, judges=[{"name": "one"}, {"name": "other", "model": "x"}])
    assert (str(one), str(other), one.is_stand_in) == ("one@1", "other@1", False)
    assert (one.model, other.model) == ("model-one", "x")
    assert one.endpoint == other.endpoint
    assert one.endpoint.base_url == "https://judge.example.org/v1"
    assert one.read_configuration().base_url == "https://judge.example.org/v1"


def test_key_is_stored_nowhere(study: Study, settings: Settings) -> None:
    settings.JUDGE_API_KEY = "very-secret"
    assert "very-secret" not in str(vars(describe(study)))


def test_accents_written_in_another_way_make_no_new_version(study: Study) -> None:
    composed, decomposed = "Like Zo\u00e9.", "Like Zoe\u0301."
    judge = describe(study, name="maverick", rubric=composed)
    judge.configuration = in_earlier_form = json.loads(
        json.dumps(judge.configuration, ensure_ascii=False).replace(composed, decomposed)
    )
    judge.configuration_hash = judge.read_configuration().fingerprint()
    judge.save()

    (again,) = describe_judging(study, judges=[{"name": "maverick", "rubric": composed}])
    assert again.pk == judge.pk and again.configuration != in_earlier_form
    assert again.configuration_hash == again.read_configuration().fingerprint()


def test_same_file_again_changes_nothing_even_with_another_endpoint_here(
    study: Study, settings: Settings
) -> None:
    assert described(study, judges=[{"name": "maverick"}])
    loaded_at = Judging.objects.get().updated_at
    settings.JUDGE_MODEL = "model-two"
    settings.JUDGE_BASE_URL = "https://other.example.org/v1"
    assert not described(study, judges=[{"name": "maverick"}])
    (judge,) = Judge.objects.all()
    assert judge.model == "model-one"
    assert GoldDecision.objects.count() == 1
    assert Judging.objects.get().updated_at == loaded_at
    assert described(study, judges=[{"name": "maverick", "replicates": 2}])
    assert Judging.objects.get().updated_at > loaded_at


def test_changed_judge_is_a_new_version_and_stops_the_old_one(study: Study) -> None:
    first = describe(study, name="maverick")
    plan_calls(first)
    second = describe(study, name="maverick", rubric="Be strict.")
    first.refresh_from_db()
    assert (str(second), second.is_current) == ("maverick@2", True)
    assert (first.is_current, first.stopped) == (False, "replaced by maverick@2")
    assert first.calls.count() == 30, "what it scored stays"


@pytest.mark.parametrize(
    "change",
    [
        {"replicates": 5},
        {"family": "Llama"},
        {"price": {"input": 1.0, "output": 2.0, "cached_input": 0.5}},
    ],
)
def test_what_no_score_depends_on_changes_without_a_new_version(
    change: dict[str, Any], study: Study
) -> None:
    first = describe(study, name="maverick")
    plan_calls(first)
    again = describe(study, name="maverick", **change)
    assert again == first
    (key, value), *_ = change.items()
    assert again.read_configuration().model_dump()[key] == value


def test_other_judges_of_a_changed_file_stay_as_they_are(study: Study) -> None:
    one, other = describe_judging(study, judges=[{"name": "one"}, {"name": "other"}])
    plan_calls(one)
    plan_calls(other)
    changed = [{"name": "one", "seed": 1}, {"name": "other"}]
    assert [str(judge) for judge in describe_judging(study, judges=changed)] == ["one@2", "other@1"]
    other.refresh_from_db()
    assert other.stopped == ""


def test_judge_that_left_the_file_is_asked_no_more_and_keeps_its_scores(study: Study) -> None:
    _, other = describe_judging(study, judges=[{"name": "one"}, {"name": "other"}])
    plan_calls(other)
    describe(study, name="one")
    other.refresh_from_db()
    assert (other.is_current, other.stopped) == (False, "no longer in the study's file")
    assert other.calls.count() == 30
    _, again = describe_judging(study, judges=[{"name": "one"}, {"name": "other"}])
    assert again == other, "back in the file, it goes on with what it has"


def test_version_that_asked_nothing_is_not_kept(study: Study) -> None:
    describe(study, name="maverick")
    describe(study, name="maverick", rubric="Be strict.")
    assert [str(judge) for judge in Judge.objects.all()] == ["maverick@1"]
    assert gold_name(study) == "maverick@1"


def test_judges_move_to_the_endpoint_and_model_of_this_installation(
    study: Study, settings: Settings
) -> None:
    first = describe(study)
    plan_calls(first)
    settings.JUDGE_MODEL = "model-two"
    (second,) = move_judges_here(study)
    assert (second.version, second.model) == (2, "model-two")
    settings.JUDGE_MODEL = "model-one"
    (back,) = move_judges_here(study)
    assert back == first, "back again means the scores it has are used again"


def test_judge_that_names_its_model_keeps_it_wherever_it_is_asked(
    study: Study, settings: Settings
) -> None:
    first = describe(study, model="my-model")
    settings.JUDGE_MODEL = "model-two"
    assert move_judges_here(study) == [first]


def test_endpoint_may_change_its_name_and_the_judge_stays(study: Study, settings: Settings) -> None:
    first = describe(study, model="m")
    settings.JUDGE_ENDPOINTS = {
        "router": {
            "base_url": settings.JUDGE_BASE_URL,
            "api_key": "key",
            "model": "m",
            "concurrency": 2,
        }
    }
    assert describe(study, model="m", endpoint="router") == first
    assert check_endpoint(current_judges(study)[0].read_configuration()).name == "router"


def test_stand_in_is_the_same_judge_at_whatever_port(study: Study, settings: Settings) -> None:
    describe(study)
    settings.JUDGE_STAND_IN = True
    settings.JUDGE_BASE_URL = "http://127.0.0.1:5001/v1"
    (first,) = move_judges_here(study)
    settings.JUDGE_BASE_URL = "http://127.0.0.1:5002/v1"
    assert move_judges_here(study) == [first]
    assert first.is_stand_in
    check_endpoint(first.read_configuration())


def test_study_can_be_loaded_where_its_endpoint_is_not_set_up(
    study: Study, settings: Settings
) -> None:
    judge = describe(study, endpoint="openai", model="gpt")
    assert (judge.model, judge.endpoint.base_url) == ("gpt", "not set up here: openai")
    with pytest.raises(JudgeNotReady, match="the endpoint 'openai' is not set up here"):
        move_judges_here(study)
    settings.JUDGE_ENDPOINTS = {
        "openai": {
            "base_url": "https://api.example.com/v1",
            "api_key": "k",
            "model": "",
            "concurrency": 2,
        }
    }
    (moved,) = move_judges_here(study)
    assert moved.endpoint.base_url == "https://api.example.com/v1"


def test_study_without_a_judge_is_said(study: Study) -> None:
    with pytest.raises(JudgeNotReady, match="small@1 has no judge: load its study folder again"):
        move_judges_here(study)


def test_study_whose_file_says_that_it_has_no_judge_has_none(study: Study) -> None:
    assert described(study, judges=[])
    assert (list(current_judges(study)), gold_source(study)) == ([], None)
    with pytest.raises(JudgeNotReady, match="has no judge, as its study"):
        move_judges_here(study)


def test_a_study_without_ratings_has_nothing_for_a_judge(db: None) -> None:
    study = small_study.load(yaml=small_study.CHOICES_YAML)
    with pytest.raises(JudgeNotReady, match="small@1 has no ratings, so a judge cannot score it"):
        move_judges_here(study)


def test_judges_of_a_draft_that_has_lost_its_ratings_are_retired(tmp_path: Path, db: None) -> None:
    """And nothing that looks at them stumbles."""
    (tmp_path / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
    for yaml in (small_study.YAML, small_study.CHOICES_YAML):
        text = f"{yaml}\nways_in: [link]\n"
        (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
        study = load_folder(read_folder(tmp_path)).study
    assert list(current_judges(study)) == []
    assert list(judge_rows(study)) == []


def test_judges_of_two_studies_do_not_touch_each_other(study: Study) -> None:
    other = Study.objects.create(slug="other", title="Other", definition=study.definition)
    here, there = describe(study), describe(other)
    here.refresh_from_db()
    assert (here.is_current, there.is_current, here.stopped) == (True, True, "")
    assert here.endpoint == there.endpoint


# Gold


def test_gold_follows_the_new_version_of_a_judge_without_scores(
    study: Study, settings: Settings
) -> None:
    plan_calls(describe(study, name="maverick"))
    describe(study, name="maverick", rubric="Be strict.")
    assert gold_name(study) == "maverick@2"
    settings.JUDGE_MODEL = "model-two"
    plan_calls(current_judges(study)[0])
    move_judges_here(study)
    assert gold_name(study) == "maverick@3"
    assert list(GoldDecision.objects.values_list("why", flat=True)) == [
        "named in the study's file",
        "replaces maverick@1, which has no scores",
        "replaces maverick@2, which has no scores",
    ]


def test_a_version_that_was_never_asked_changes_and_stays_the_gold(study: Study) -> None:
    describe(study, name="maverick")
    judge = describe(study, name="maverick", rubric="Be strict.")
    assert str(judge) == gold_name(study) == "maverick@1"
    assert judge.read_configuration().rubrics == {"warmth": "Be strict."}
    assert GoldDecision.objects.count() == 1


def test_scores_that_are_gold_stay_so_when_their_judge_changes(
    study: Study, settings: Settings
) -> None:
    judge = describe(study, name="maverick")
    plan_calls(judge)
    judge.calls.update(state="answered")
    changed = describe(study, name="maverick", rubric="Be strict.")
    assert (gold_name(study), newer_than_gold(study)) == ("maverick@1", GoldSource(changed))
    settings.JUDGE_STAND_IN = True
    (stand_in,) = move_judges_here(study)
    assert (gold_name(study), newer_than_gold(study)) == ("maverick@1", GoldSource(stand_in))
    choose_gold(study, judge=stand_in)
    assert newer_than_gold(study) is None


def test_gold_never_goes_to_a_judge_on_another_scale_by_itself(study: Study) -> None:
    one, other = {"name": "one"}, {"name": "other"}
    _, judge = describe_judging(study, judges=[one, other])
    choose_gold(study, judge=judge)
    plan_calls(judge)
    scale = [{"value": 1, "label": "low"}, {"value": 9, "label": "high"}]
    described(study, judges=[one, other | {"scale": scale}])
    assert gold_name(study) == "other@1"


def test_a_judge_that_comes_back_into_the_file_is_asked_again(study: Study) -> None:
    one, other = {"name": "one"}, {"name": "other"}
    _, judge = describe_judging(study, judges=[one, other])
    plan_calls(judge)
    described(study, judges=[one])
    judge.refresh_from_db()
    assert (judge.is_current, judge.stopped) == (False, "no longer in the study's file")
    described(study, judges=[one, other])
    judge.refresh_from_db()
    assert (judge.is_current, judge.stopped) == (True, "")


def test_gold_is_the_judge_that_the_file_names_when_it_names_another(study: Study) -> None:
    judges = [{"name": "one"}, {"name": "other"}]
    described(study, judges=judges)
    assert gold_name(study) == "one@1"
    described(study, judges=judges, gold="other")
    assert gold_name(study) == "other@1"


def test_gold_that_somebody_chose_stays_while_the_file_names_the_same_as_before(
    study: Study,
) -> None:
    judges = [{"name": "one"}, {"name": "other"}]
    _, other = describe_judging(study, judges=judges)
    choose_gold(study, judge=other)
    described(study, judges=judges)
    described(study, judges=judges, budget={"requests": 100})
    assert gold_name(study) == "other@1"
    plan_calls(other)
    described(study, judges=[{"name": "one"}, {"name": "other", "seed": 1}])
    assert gold_name(study) == "other@2"


def test_no_judge_is_gold_any_more_where_the_file_says_that_there_is_none(study: Study) -> None:
    judge = describe(study, name="maverick")
    assert gold_name(study).startswith("maverick@1")
    described(study, judges=[])
    assert gold_source(study) is None
    assert str(GoldDecision.objects.last()) == "small@1: none"
    assert not described(study, judges=[])
    assert GoldDecision.objects.count() == 2
    described(study, judges=[{"name": "maverick"}])
    source = gold_source(study)
    assert source is not None and source.judge == judge


def test_gold_from_a_file_stays_where_there_is_no_judge_any_more(study: Study) -> None:
    describe(study, name="maverick")
    from_file = add_gold_set(study, name="experts", made_by="", scores=[])
    choose_gold(study, gold_set=from_file)
    described(study, judges=[])
    assert gold_name(study) == "file experts"


def test_new_version_of_another_judge_leaves_the_gold(study: Study) -> None:
    described(study, judges=[{"name": "one"}, {"name": "other"}])
    described(study, judges=[{"name": "one"}, {"name": "other", "seed": 1}])
    assert gold_name(study) == "one@1"
    assert GoldDecision.objects.count() == 1


# The stand-in beside an endpoint with a key


def test_judge_of_the_stand_in_stays_there_until_it_is_asked_for_anew(
    study: Study, settings: Settings
) -> None:
    describe_judging(study, judges=[{"name": "j", "model": "x", "endpoint": "default"}])
    settings.JUDGE_STAND_IN_URL = "http://127.0.0.1:5001/v1"
    (judge,) = move_judges_here(study, to_stand_in=True)
    plan_calls(judge)
    assert (judge.is_stand_in, judge.model) == (True, "stand-in")
    here = check_endpoint(judge.read_configuration())
    assert (here.base_url, here.stand_in) == ("http://127.0.0.1:5001/v1", True)

    (moved,) = move_judges_here(study)
    assert (str(moved), moved.is_stand_in, moved.model) == ("j@2", False, "x")
    assert check_endpoint(moved.read_configuration()).base_url == "https://judge.example.org/v1"

    settings.JUDGE_STAND_IN_URL = ""
    with pytest.raises(JudgeNotReady, match="asked at stand-in, but this worker is set up for"):
        check_endpoint(judge.read_configuration())


def test_stand_in_that_does_not_run_is_asked_nothing(study: Study) -> None:
    describe(study)
    with pytest.raises(JudgeNotReady, match="no stand-in runs here: `make run` starts one"):
        move_judges_here(study, to_stand_in=True)
    assert not current_judges(study)[0].is_stand_in
