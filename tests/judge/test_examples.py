"""Rated responses in a judge's prompt: which, where they are shown, and where they are left out."""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from analysis.execution import finished_run
from analysis.queries import results_of
from judge.configuration import JudgeConfiguration
from judge.configure import configure_judging, move_judges_here
from judge.definition import JudgingDefinition
from judge.endpoints import JudgeNotReady
from judge.examples import RatedExample, TooFewExamples, choose_examples
from judge.gold import add_gold_set
from judge.models import Judge
from judge.plans import queue_missing
from judge.prompts import messages
from judge.queries import Gold, current_judges
from judge.tidy import judge_example_rows
from survey.files.problems import DefinitionError
from survey.models import Response, Study
from survey.tidy import counted_sources
from tests.dashboard.judging import answer_calls
from tests.factories import Key, add_participant
from tests.judge.judging import claim_all, describe, note_support
from tests.judge.test_definition import check, configuration
from tests.survey import small_study

FROM_PANEL = {"source": "panel experts", "number": 4}
FROM_FILE = {"source": "file experts", "number": 4}


def candidates(**scenarios: int) -> list[RatedExample]:
    """So many rated responses of each scenario."""
    return [
        RatedExample(
            scenario=name,
            prompt=f"asks {name}",
            context="",
            response=f"{name} answer {number}",
            scores={"warmth": 1 + number % 3},
        )
        for name, n in scenarios.items()
        for number in range(n)
    ]


# Choosing


def test_examples_are_of_as_many_scenarios_as_possible() -> None:
    chosen = choose_examples(candidates(S1=9, S2=1, S3=9, S4=9), number=6, seed=1)
    of = Counter(each.scenario for each in chosen)
    assert of["S2"] == 1
    assert sorted(of.values()) == [1, 1, 2, 2]


def test_same_ratings_and_seed_give_the_same_examples_in_any_order_of_rows() -> None:
    rows = candidates(S1=9, S2=9, S3=9)
    chosen = choose_examples(rows, number=4, seed=1)
    shuffled = rows.copy()
    Random(5).shuffle(shuffled)
    assert choose_examples(shuffled, number=4, seed=1) == chosen
    assert choose_examples(rows, number=4, seed=2) != chosen


@pytest.mark.parametrize(
    ("rated", "problem"),
    [
        ({}, "0 responses of 0 scenarios are rated"),
        ({"S1": 1}, "1 response of 1 scenario are rated"),
        ({"S1": 2, "S2": 1}, "3 responses of 2 scenarios are rated"),
        ({"S1": 9}, "9 responses of 1 scenario are rated"),
    ],
)
def test_too_few_ratings_are_counted(rated: dict[str, int], problem: str) -> None:
    with pytest.raises(TooFewExamples, match=problem):
        choose_examples(candidates(**rated), number=4, seed=1)


# The prompt


def with_drawn(**definition: Any) -> JudgeConfiguration:
    return configuration(examples=FROM_FILE, **definition).model_copy(
        update={"drawn": candidates(S1=1, S2=2)}
    )


def ask(configured: JudgeConfiguration, scenario: str) -> str:
    system, _ = messages(
        configured,
        dimensions=["warmth"],
        prompt="I failed.",
        context="",
        responses=["Sorry."],
        scenario=scenario,
    )
    return system["content"]


def test_prompt_shows_the_rated_responses_of_other_scenarios_only() -> None:
    asked = ask(with_drawn(), "S2")
    assert (
        "<example>\n<message>\nasks S1\n</message>\n<reply>\nS1 answer 0\n</reply>\n"
        "<rating>1</rating>\n</example>"
    ) in asked
    assert "S2" not in asked
    assert asked.count("<example>") == 1
    assert ask(with_drawn(), "S1").count("<example>") == 2
    assert ask(with_drawn(), "S3").count("<example>") == 3


def test_prompt_without_examples_is_the_one_of_before() -> None:
    drawn = with_drawn().model_copy(update={"drawn": []})
    assert ask(drawn, "S1") == ask(configuration(), "S1")


# What a file says


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (
            "{source: experts}",
            "examples.source: 'experts' is no source of ratings; write 'panel NAME'",
        ),
        ("{number: 4}", "examples.source: is missing"),
        ("{source: panel x, number: 1}", "examples.number: Input should be greater than or equal"),
        ("{source: panel x, number: many}", "examples.number: Input should be a valid integer"),
        ("{source: panel x, seed: -1}", "examples.seed: Input should be greater than or equal"),
        ("{source: panel x, from: y}", "examples.from: unknown key"),
        (
            "{source: panel x}\n    presentation: pair\n    replicates: 2",
            "examples: its examples are ratings on the study's scale, but this judge compares",
        ),
        (
            "{source: panel x}\n    scale: [{value: 1, label: a}, {value: 2, label: b}]",
            "examples: its examples are ratings on the study's scale, but this judge has a scale",
        ),
    ],
)
def test_mistake_in_the_examples_is_named_with_its_line(given: str, problem: str) -> None:
    with pytest.raises(DefinitionError) as error:
        check(f"slug: x\njudging:\n  judges:\n  - name: j\n    examples: {given}\n")
    (found,) = error.value.problems
    assert (found.file, found.line) == ("study.yaml", 5)
    assert found.message.startswith(f"judging.judges.0.{problem}")


# Drawing them


@pytest.fixture
def here(settings: Settings) -> None:
    settings.JUDGE_STAND_IN = False
    settings.JUDGE_BASE_URL, settings.JUDGE_MODEL = "http://127.0.0.1:9/v1", "m"


def rate(study: Study, name: str = "experts", *, value: float = 2.4) -> None:
    """Scores of every response, from a file."""
    scores = [
        Gold(pk, "warmth", value, [])
        for pk in Response.objects.filter(scenario__study=study).values_list("pk", flat=True)
    ]
    add_gold_set(study, name=name, made_by="", scores=scores)


def given(study: Study, examples: dict[str, Any], **definition: Any) -> Judge:
    """The only judge of a study, with its examples drawn, and its calls queued."""
    judges = [{"name": "j", "replicates": 1, "examples": examples} | definition]
    configure_judging(study, JudgingDefinition.model_validate({"judges": judges}))
    (judge,) = move_judges_here(study)
    note_support(judge)
    queue_missing(judge)
    return judge


def test_no_response_is_scored_with_a_rating_of_its_scenario_in_the_prompt(
    study: Study, here: None, settings: Settings
) -> None:
    settings.JUDGE_CONCURRENCY = 99
    rate(study)
    judge = given(study, FROM_FILE)
    drawn = judge.read_configuration().drawn
    assert len(drawn) == 4
    asked = claim_all(judge)
    assert len(asked) == 10
    for claimed in asked:
        assert claimed.call.response is not None
        scenario = claimed.call.response.scenario.name
        system = claimed.request.messages[0]["content"]
        for each in drawn:
            assert (each.response in system) == (each.scenario != scenario)


def test_rating_in_an_example_is_the_point_next_to_the_mean(study: Study, here: None) -> None:
    rate(study, value=2.6)
    drawn = given(study, FROM_FILE).read_configuration().drawn
    assert {each.scores["warmth"] for each in drawn} == {3}


def test_examples_of_a_panel_are_what_its_experts_rated(study: Study, here: None) -> None:
    ratings: dict[str, Callable[[Key], int]] = {
        "e1": lambda _: 1,
        "e2": lambda _: 2,
        "e3": lambda _: 2,
    }
    for name, rating in ratings.items():
        add_participant(study, pseudonym=name, rate=rating, source="panel", panel="experts")
    judge = given(study, FROM_PANEL)
    drawn = judge.read_configuration().drawn
    assert {each.scores["warmth"] for each in drawn} == {2}
    assert {each.scenario for each in drawn} == {"S1", "S2"}
    assert len(list(judge_example_rows(study))) == 4


def test_comparison_with_people_leaves_the_examples_out_and_counts_them(
    study: Study, here: None
) -> None:
    add_participant(study, pseudonym="expert", source="panel", panel="experts")
    judge = given(study, FROM_PANEL)
    answer_calls(judge.calls.exclude(response=None))
    for name in ("r1", "r2"):
        add_participant(study, pseudonym=name)
    run = finished_run(study=study, sources=counted_sources())
    table = results_of(run, "table")["judge_agreement"]
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    counted = {(row["n_items"], row["n_examples"]) for row in rows if row["judge"] == "j@1"}
    assert counted == {(6, 4)}
    assert {row["n_items"] for row in rows if row["judge"] == "panel experts"} == {10}


@pytest.mark.parametrize("examples", [FROM_PANEL, FROM_FILE])
def test_study_can_be_loaded_before_its_panel_rates_and_the_judge_says_what_is_missing(
    examples: dict[str, Any], study: Study, here: None
) -> None:
    with pytest.raises(JudgeNotReady) as problem:
        given(study, examples)
    assert str(problem.value) == (
        f"judge j has no examples yet: of {examples['source']}, 0 responses of 0 scenarios are "
        "rated on every dimension of the judge, and it needs 4 examples, of two scenarios or "
        "more; collect more ratings, or change examples.number in study.yaml and load it"
    )
    judge = current_judges(study).get()
    assert (judge.read_configuration().drawn, judge.calls.count()) == ([], 0)


# Versions


def test_examples_are_part_of_the_version_and_later_ratings_change_nothing(
    study: Study, here: None
) -> None:
    rate(study, value=1)
    first = given(study, FROM_FILE)
    drawn = first.read_configuration().drawn
    study.gold_sets.all().delete()
    rate(study, value=3)
    assert given(study, FROM_FILE) == first
    assert first.read_configuration().drawn == drawn
    second = given(study, FROM_FILE | {"seed": 2})
    assert (second.version, second.is_current) == (2, True)
    assert {each.scores["warmth"] for each in second.read_configuration().drawn} == {3}
    third = given(study, FROM_FILE)
    assert third == first, "the version of before, with its examples and its scores"
    assert third.read_configuration().drawn == drawn
    assert third.configuration_hash == third.read_configuration().fingerprint()


def test_judge_without_examples_is_another_version(study: Study, here: None) -> None:
    rate(study)
    judge = given(study, FROM_FILE)
    plain = describe(study, name="j", replicates=1)
    assert (judge.version, plain.version) == (1, 2)
    assert list(judge_example_rows(study)) == []


def test_jury_has_the_examples_of_its_judges(study: Study, here: None) -> None:
    rate(study)
    judges = [{"name": "a", "replicates": 1, "examples": FROM_FILE}, {"name": "b"}]
    section = {"judges": judges, "juries": [{"name": "both", "judges": ["a", "b"]}]}
    configure_judging(study, JudgingDefinition.model_validate(section))
    move_judges_here(study)
    of = Counter(source for source, _ in judge_example_rows(study))
    assert of == {"a@1": 4, "jury both@1": 4}


def test_slider_of_two_dimensions_has_a_rating_of_each(study: Study) -> None:
    two = [
        each.model_copy(update={"scores": {"warmth": 1, "depth": 3}})
        for each in candidates(S1=1, S2=1)
    ]
    configured = configuration(yaml=small_study.YAML, examples=FROM_FILE)
    configured = configured.model_copy(
        update={
            "drawn": two,
            "questions": {"warmth": "How warm?", "depth": "How deep?"},
            "rubrics": {"warmth": "Warmth.", "depth": "Depth."},
        }
    )
    system, _ = messages(
        configured,
        dimensions=["depth", "warmth"],
        prompt="I failed.",
        context="",
        responses=["Sorry."],
        scenario="S1",
    )
    said = '<rating dimension="depth">3</rating>\n<rating dimension="warmth">1</rating>'
    assert said in system["content"]
