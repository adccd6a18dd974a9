"""The `judging:` section, and when a judge is another judge."""

from pathlib import Path
from typing import Any

import pytest

from dashboard.design.study_folder import StudyFolder, read_folder
from judge.configuration import ASIDE, JudgeConfiguration, configuration_of
from judge.definition import JudgeDefinition, JudgingDefinition, on_scale_of_study
from judge.money import Budget
from judge.rubrics import ONE_LINE, PRESETS
from survey.files.problems import DefinitionError
from survey.files.yaml_file import YamlFile
from tests.survey import small_study

THREE_YAML = small_study.YAML.replace(
    "      - {name: warmth, question: How warm is this response?}\n",
    "".join(
        f"      - {{name: {name}, question: How {name}?}}\n"
        for name in ("cognitive", "emotional", "behavioral")
    ),
)


def check(text: str) -> JudgingDefinition:
    yaml = YamlFile(text.encode(), file="study.yaml")
    return yaml.check(JudgingDefinition, yaml.section("judging") or {}, under=("judging",))


def configuration(*, yaml: str = small_study.YAML, **definition: Any) -> JudgeConfiguration:
    return configuration_of(
        JudgeDefinition(**definition),
        small_study.definition(yaml),
        base_url="http://x/v1",
        model="m",
        stand_in=False,
        prompt_format=1,
    )


# What a file says


def test_study_that_says_nothing_has_one_judge_asked_three_times() -> None:
    judging = check("slug: x\n")
    (judge,) = judging.judges
    assert (judging.gold_name, judging.budget, judging.families) == ("judge", Budget(), {})
    assert (judge.endpoint, judge.model, judge.replicates, judge.temperature) == (
        "default",
        None,
        3,
        1.0,
    )


def test_first_judge_is_gold_unless_another_is_named() -> None:
    judges = "judging:\n  judges: [{name: a}, {name: b}]\n"
    assert check(judges).gold_name == "a"
    assert check(f"{judges}  gold: b\n").gold_name == "b"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("replicates: 0", "replicates: Input should be greater than or equal to 1"),
        ("replicates: 2.5", "replicates: Input should be a valid integer"),
        ("temperature: 3", "temperature: Input should be less than or equal to 2"),
        ("max_tokens: 1", "max_tokens: Input should be greater than or equal to 16"),
        ("seed: -1", "seed: Input should be greater than or equal to 0"),
        ("api_key: abc", "api_key: unknown key"),
        ("base_url: http://x/v1", "base_url: unknown key"),
        ("endpoint: Open AI", "endpoint: 'Open AI' is no name"),
        ("presentation: both", "presentation: Input should be 'single', 'block' or 'pair'"),
        ("preset: best", "preset: Input should be 'one_line', 'anchored' or 'three_components'"),
        ("options: {seed: 3}", "options: 'seed' is not an option: another key sets it"),
        ("options: {stream: true}", "options: 'stream' is not an option"),
        ("options: {top_p: .nan}", "options: infinity and nan can't be sent"),
        ("price: {input: -1, output: 0}", "price.input: Input should be greater than or equal"),
        ("price: {input: 1}", "price.output: is missing"),
        ("batch: daily", "batch: Input should be a valid boolean"),
        ("dimensions: []", "dimensions: List should have at least 1 item"),
        ("scale: [{value: 1, label: Low}]", "scale: List should have at least 2 items"),
    ],
)
def test_mistake_is_named_with_its_line(line: str, problem: str) -> None:
    with pytest.raises(DefinitionError) as error:
        check(f"slug: x\njudging:\n  judges:\n  - name: j\n    {line}\n")
    (found,) = error.value.problems
    assert (found.file, found.line) == ("study.yaml", 5)
    assert found.message.startswith(f"judging.judges.0.{problem}")


@pytest.mark.parametrize(
    ("section", "problem"),
    [
        ("judges: [{name: a b}]", "judging.judges.0.name: 'a b' is no name of a judge"),
        ("judges: [{name: a}, {name: a}]", "judging.judges.1.name: 'a' is repeated"),
        ("gold: other", "judging.gold: 'other' is not among the judges"),
        ("budget: {money: 0}", "judging.budget.money: Input should be greater than 0"),
        ("budget: {money: .inf}", "judging.budget.money: Input should be a finite number"),
        (
            "{budget: {money: 1}, judges: [{name: a, batch: true}]}",
            "judging.judges.0.price: is missing: an answer in a batch has no cost",
        ),
        ("budget: {requests: 0}", "judging.budget.requests: Input should be greater than or"),
        ("budget: {time: 1}", "judging.budget.time: unknown key"),
        ('families: {m: ""}', "judging.families.m: String should have at least 1 character"),
    ],
)
def test_mistake_beside_the_judges_is_named_with_its_line(section: str, problem: str) -> None:
    with pytest.raises(DefinitionError) as error:
        check(f"slug: x\njudging:\n  {section}\n")
    (found,) = error.value.problems
    assert found.line in (2, 3)
    assert found.message.startswith(problem)


def refused(folder: Path, judge: str, *, yaml: str = small_study.YAML) -> list[str]:
    """What loading a study folder with such a judge says: line, column and reason."""
    text = f"{yaml}ways_in: [link]\njudging:\n  judges:\n    - {judge}\n"
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    (folder / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
    with pytest.raises(DefinitionError) as error:
        read_folder(folder)
    last = text.count("\n")
    assert {problem.line for problem in error.value.problems} == {last}
    return [problem.message for problem in error.value.problems]


@pytest.mark.parametrize(
    ("judge", "problem"),
    [
        (
            "{dimensions: [coldness]}",
            "judging.judges.0.dimensions.0: 'coldness' is not rated; choose from warmth",
        ),
        (
            "{preset: anchored}",
            "judging.judges.0.preset: describes the points 1, 2, 3, 4, 5; give the judge a scale "
            "of these points, or a rubric",
        ),
        (
            "{preset: three_components}",
            "judging.judges.0.preset: does not cover 'warmth', only cognitive, emotional, "
            "behavioral",
        ),
        (
            "{rubric: {other: Be fair.}}",
            "judging.judges.0.rubric: does not cover 'warmth', only other",
        ),
        (
            "{scale: [{value: 0, label: No}, {value: 1, label: Yes}]}",
            "judging.judges.0.scale: gold scores must use the study's scale; choose another "
            "judge as gold",
        ),
        ("{preset: one_line, rubric: x}", "judging.judges.0.preset: give either preset or rubric"),
        ("{presentation: pair}", "judging.judges.0.replicates: a judge of pairs sees each pair in"),
        (
            "{presentation: pair, replicates: 2}",
            "judging.judges.0.presentation: gold scores must use the study's scale",
        ),
        (
            "{presentation: pair, replicates: 2, scale: [{value: 1, label: a}, {value: 2, "
            "label: b}]}",
            "judging.judges.0.scale: a judge of pairs says which is better, and has no scale",
        ),
        ("{together: true}", "judging.judges.0.together: there is only one dimension"),
        ("{orders: both}", "judging.judges.0.orders: only a judge with presentation: block"),
        (
            "{orders: both, presentation: block, replicates: 3}",
            "judging.judges.0.replicates: with orders: both, give an even number of replicates",
        ),
    ],
)
def test_judge_that_does_not_fit_its_study_is_refused_with_its_line(
    judge: str, problem: str, tmp_path: Path
) -> None:
    assert refused(tmp_path, judge)[0].startswith(problem)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("'{foo}: *'", "place 'foo' is unknown; known are 'dimension'"),
        ("'{dimention}: *'", "place 'dimention' is unknown; did you mean 'dimension'?"),
        ("'{ dimension }: *'", "place ' dimension ' is unknown; did you mean 'dimension'?"),
        ("'*'", "'*' has no text beside the score: write json, number, or a text with one *"),
        (r'"a\nb *"', r"'a\nb *' has a line break: give one line"),
        ("'* * *'", "'* * *' has 3 places (*) for the score: write json"),
        ("'score'", "'score' has no place for the score: write json"),
    ],
)
def test_answer_that_could_not_be_read_is_refused_with_its_line(
    answer: str, problem: str, tmp_path: Path
) -> None:
    (found,) = refused(tmp_path, f"{{template: '{{response}}', answer: {answer}}}")
    assert found.startswith(f"judging.judges.0.answer: {problem}")


@pytest.mark.parametrize("answer", ["{dimension}: *", '{"score": *}', r"\boxed{*}", "number"])
def test_braces_that_are_no_place_are_text(answer: str) -> None:
    assert configuration(template="{response}", answer=answer).answer == answer


def test_points_of_a_scale_are_no_rubric_of_pairs(tmp_path: Path) -> None:
    problems = refused(tmp_path, "{presentation: pair, replicates: 2, preset: anchored}")
    (preset,) = [each for each in problems if "preset" in each]
    assert preset == (
        "judging.judges.0.preset: describes the points of a scale, which a judge of pairs lacks; "
        "give it a rubric"
    )


def test_rubric_of_a_dimension_that_it_does_not_judge_is_refused(tmp_path: Path) -> None:
    judge = "{dimensions: [cognitive], rubric: {cognitive: x, emotional: y}}"
    assert refused(tmp_path, judge, yaml=THREE_YAML) == [
        "judging.judges.0.rubric.emotional: is not a dimension that it judges"
    ]


def folder_of(folder: Path, more: str, *, yaml: str = small_study.YAML) -> StudyFolder:
    (folder / "study.yaml").write_text(f"{yaml}ways_in: [link]\n{more}", encoding="utf-8")
    (folder / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
    return read_folder(folder)


def test_study_without_ratings_has_nothing_to_judge(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="the study has no ratings that a judge could give"):
        folder_of(tmp_path, "judging: {gold: judge}\n", yaml=small_study.CHOICES_YAML)


@pytest.mark.parametrize("section", ["nobody", "false", "[]", "0", "[{name: judge}]"])
def test_section_that_is_neither_keys_nor_none_is_refused(tmp_path: Path, section: str) -> None:
    with pytest.raises(DefinitionError) as refusal:
        folder_of(tmp_path, f"judging: {section}\n")
    (line,) = refusal.value.lines
    assert line.endswith("judging: expected keys and values, or none for a study without a judge")


@pytest.mark.parametrize("yaml", [small_study.YAML, small_study.CHOICES_YAML])
@pytest.mark.parametrize("said", ["none", "None", "{judges: []}"])
def test_no_judge_can_be_said(tmp_path: Path, yaml: str, said: str) -> None:
    assert folder_of(tmp_path, f"judging: {said}\n", yaml=yaml).judging.judges == []


@pytest.mark.parametrize(
    ("quality", "order"),
    [
        ("", ["duration", "attention", "early_exit"]),
        ("quality: {duration_minutes: {minimum: 1}}\n", ["duration", "attention", "early_exit"]),
        ("quality: {order: [sigma_mae]}\n", ["sigma_mae"]),
    ],
)
def test_rule_about_gold_scores_is_no_default_without_a_judge(
    tmp_path: Path, quality: str, order: list[str]
) -> None:
    folder = folder_of(tmp_path, f"judging: none\n{quality}")
    assert folder.quality.order == order
    said = [notice for notice in folder.notices if "without gold scores from a file" in notice]
    assert bool(said) == ("sigma_mae" in order)


# What a judge is asked


def test_rubric_of_a_judge_is_its_own_or_the_presets() -> None:
    assert configuration().rubrics == {"warmth": PRESETS[ONE_LINE].text}
    assert configuration(rubric="Be fair.").rubrics == {"warmth": "Be fair."}
    assert configuration(rubric={"warmth": "Be warm."}).rubrics == {"warmth": "Be warm."}
    assert configuration(yaml=THREE_YAML, preset="three_components").rubrics == dict(
        PRESETS["three_components"].texts
    )


def test_dimensions_and_scale_are_the_studys_unless_said() -> None:
    assert configuration(yaml=THREE_YAML).questions == {
        "cognitive": "How cognitive?",
        "emotional": "How emotional?",
        "behavioral": "How behavioral?",
    }
    assert configuration(yaml=THREE_YAML, dimensions=["emotional"]).dimensions == ["emotional"]
    assert configuration().values == [1, 2, 3]
    points = [{"value": 0, "label": "No"}, {"value": 10, "label": "Yes"}]
    assert configuration(scale=points).values == [0, 10]


def test_values_of_a_slider_are_all_between_its_ends() -> None:
    assert configuration(yaml=small_study.SLIDER_YAML).values == list(range(101))


@pytest.mark.parametrize("yaml", [small_study.YAML, small_study.SLIDER_YAML])
def test_judge_without_a_scale_of_its_own_is_on_the_studys(yaml: str) -> None:
    study = small_study.definition(yaml)
    assert on_scale_of_study(configuration(yaml=yaml), study)
    points = [{"value": 0, "label": "No"}, {"value": 9, "label": "Yes"}]
    assert not on_scale_of_study(configuration(yaml=yaml, scale=points), study)


# When it is another judge


@pytest.mark.parametrize(
    "change",
    [
        {"name": "k"},
        {"rubric": "Be strict."},
        {"temperature": None},
        {"seed": 1},
        {"max_tokens": 50},
        {"reasons": True},
        {"presentation": "block"},
        {"together": True},
        {"options": {"provider": {"order": ["groq"]}}},
        {"scale": [{"value": 1, "label": "Low"}, {"value": 3, "label": "High"}]},
    ],
)
def test_whatever_may_change_a_score_changes_the_fingerprint(change: dict[str, Any]) -> None:
    assert configuration(**change).fingerprint() != configuration().fingerprint()


@pytest.mark.parametrize("change", ["base_url", "model", "stand_in", "prompt_format"])
def test_where_and_how_it_is_asked_changes_the_fingerprint(change: str) -> None:
    others = {"base_url": "http://y/v1", "model": "n", "stand_in": True, "prompt_format": 2}
    changed = configuration().model_copy(update={change: others[change]})
    assert changed.fingerprint() != configuration().fingerprint()


@pytest.mark.parametrize(
    "change",
    [
        {"replicates": 5},
        {"family": "Llama"},
        {"price": {"input": 1, "output": 2}},
        {"endpoint": "other"},
        {"batch": True},
    ],
)
def test_what_no_score_depends_on_leaves_the_fingerprint(change: dict[str, Any]) -> None:
    assert set(change) <= ASIDE
    assert configuration(**change).fingerprint() == configuration().fingerprint()


def test_both_orders_differ_from_rotated_ones() -> None:
    block: dict[str, Any] = {"presentation": "block", "replicates": 2}
    both = configuration(**block, orders="both")
    assert both.fingerprint() != configuration(**block).fingerprint()


def test_judge_of_an_earlier_release_keeps_its_fingerprint() -> None:
    """Else all its calls would be made, and paid for, again."""
    stored = configuration().model_dump(mode="json")
    del stored["orders"]
    assert JudgeConfiguration.model_validate(stored).fingerprint() == configuration().fingerprint()
    assert configuration().fingerprint().startswith("db2fd888b574dd0b")


def test_fingerprint_survives_the_database() -> None:
    here = configuration(temperature=1, price={"input": 1, "output": 2})
    stored = JudgeConfiguration.model_validate(here.model_dump(mode="json"))
    assert stored.fingerprint() == here.fingerprint()
