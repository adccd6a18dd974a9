"""What a study may ask: every kind of task, question and check, and every contradiction named."""

import re

import pytest

from survey.definition import StudyDefinition
from survey.definition.labels import GivenLabels, Labels, usual, usual_of
from survey.definition.presets import with_presets
from survey.definition.questions import ChoiceQuestion
from survey.files.problems import DefinitionError
from survey.files.yaml_file import YamlFile
from tests.survey import small_study

LIKERT = """\
  - kind: likert
    scale: [{value: 0, label: "No"}, {value: 1, label: "Yes"}]
    dimensions: [{name: warmth, question: Warm?}]
"""
SLIDER = """\
  - {kind: slider, left: Cold, right: Warm, dimensions: [{name: warmth, question: Warm?}]}
"""
RANKING = "  - {kind: ranking, question: Which is better?}\n"
CHOICE = "  - {kind: best_worst, best: Best?, worst: Worst?}\n"
TEXT = "  - {kind: text, name: why, question: Why?}\n"
SCREENING = """\
screening:
  - {name: home, question: Where?, options: [Here, There], eligible: [Here]}
"""


def study(tasks: str = LIKERT, *, more: str = "") -> str:
    return small_study.with_tasks(tasks, more=more)


def problem(text: str) -> str:
    """The one problem of a file, without the file's name."""
    with pytest.raises(DefinitionError) as caught:
        small_study.definition(text)
    (found,) = caught.value.problems
    assert found.line > 1 or "titel" in text, "named at the top of the file"
    lines = text.splitlines()
    assert lines[found.line - 1][found.column - 1 :].strip(), "nothing stands there"
    return found.message


def place_of(text: str) -> tuple[str, str]:
    """The line that a file's one problem names, from its column on, and the key it names."""
    with pytest.raises(DefinitionError) as caught:
        small_study.definition(text)
    (found,) = caught.value.problems
    line = text.splitlines()[found.line - 1]
    return line[found.column - 1 :], found.message.partition(":")[0]


class TestTasks:
    def test_every_kind_at_once(self) -> None:
        definition = small_study.definition(study(LIKERT + RANKING + CHOICE + TEXT))
        assert definition.rated.values == [0, 1]
        assert [task.is_shared for task in definition.answers_in("rank")] == [False]
        assert len(definition.answers_in("choice")) == 1
        assert [task.name for task in definition.block_texts] == ["why"]

    def test_a_slider_has_a_hundred_and_one_values_and_two_labels(self) -> None:
        task = small_study.definition(study(SLIDER)).rated
        assert task.values == list(range(101))
        assert [(p.value, p.label) for p in task.scale] == [(0, "Cold"), (100, "Warm")]

    def test_remarks_stand_after_the_free_answers_of_a_block(self) -> None:
        definition = small_study.definition(study(LIKERT + TEXT, more="comment: Remarks?\n"))
        asked = [(task.name, task.question) for task in definition.block_remarks]
        assert asked == [("why", "Why?"), ("comment", "Remarks?")]

    @pytest.mark.parametrize(
        ("tasks", "message"),
        [
            (LIKERT + SLIDER, "tasks: a block has one task of kind likert or slider"),
            (
                RANKING + RANKING,
                "tasks: several tasks of kind ranking: give each a dimension of its "
                "own, such as dimension: fluency",
            ),
            (
                CHOICE + CHOICE,
                "tasks: several tasks of kind best_worst: give each a dimension of its "
                "own, such as dimension: fluency",
            ),
            (TEXT, "tasks: only free text; ask for ratings, ranks or choices too"),
            (LIKERT + TEXT + TEXT, "tasks.2.name: 'why' is repeated: see tasks.1"),
            (
                LIKERT + TEXT.replace("why", "comment"),
                "tasks.1.name: 'comment' is the name of the remarks on each block",
            ),
            (
                "  - {kind: stars}\n",
                "tasks.0.kind: 'stars' is unknown; known are "
                "'likert', 'slider', 'ranking', 'best_worst', 'text'",
            ),
            ("  - {question: Which?}\n", "tasks.0.kind: is missing"),
            (LIKERT + "  - {kind: ranking}\n", "tasks.1.question: is missing"),
            (
                RANKING.replace("better?", "better?, tie: true"),
                "tasks.0.tie: unknown key; did you mean 'ties'?",
            ),
            (
                RANKING.replace("better?", 'better?, ties: "yes"'),
                "tasks.0.ties: Input should be a valid boolean",
            ),
            (
                SLIDER.replace("left: Cold", "left: Cold, maximum: 0"),
                "tasks.0: maximum must be above minimum, by at most 1000",
            ),
            (SLIDER.replace("left: Cold, ", ""), "tasks.0.left: is missing"),
            (
                LIKERT + TEXT.replace("Why?", "Why?, minimum: 9, maximum: 3"),
                "tasks.1: minimum is above maximum",
            ),
            (
                LIKERT.replace('label: "Yes"', 'label: ""'),
                "tasks.0.scale.1.label: String should have at least 1 character",
            ),
        ],
    )
    def test_contradictions_are_named_with_their_key(self, tasks: str, message: str) -> None:
        assert problem(study(tasks)) == message

    def test_a_point_too_many_is_refused(self) -> None:
        points = ", ".join(f"{{value: {n}, label: l{n}}}" for n in range(12))
        text = study(re.sub(r"scale: .*", f"scale: [{points}]", LIKERT))
        assert problem(text).startswith("tasks.0.scale: List should have at most 11 items")

    def test_mistakes_inside_a_task_are_named_where_they_stand(self) -> None:
        text = study(LIKERT.replace("question: Warm?", "query: Warm?") + RANKING)
        line = text.splitlines().index("    dimensions: [{name: warmth, query: Warm?}]") + 1
        with pytest.raises(DefinitionError) as caught:
            small_study.definition(text)
        assert [str(found) for found in caught.value.problems] == [
            f"study.yaml, line {line}, column 18: tasks.0.dimensions.0.question: is missing",
            f"study.yaml, line {line}, column 33: tasks.0.dimensions.0.query: unknown key",
        ]


class TestChecks:
    OWN = "attention_checks:\n  - {name: c, statement: Tea., after_blocks: [1, 2], "
    INSIDE = "attention_checks:\n  - {name: c, statement: S, kind: in_block, "

    def test_options_of_its_own_count_from_one(self) -> None:
        more = self.OWN + "options: [Tea, Milk], answer: Milk}\n"
        (check,) = small_study.definition(study(CHOICE, more=more)).attention_checks
        assert (check.right_answer, check.range) == (2, (1, 2))

    def test_inside_a_block_of_sliders_any_number_of_the_line_may_be_asked_for(self) -> None:
        definition = small_study.definition(
            study(SLIDER, more=self.INSIDE + "answer: 37, in_blocks: [1, 2]}\n")
        )
        (check,) = definition.attention_checks
        assert check.right_answer == 37
        assert definition.check_values(check) == [*range(101)]

    @pytest.mark.parametrize(
        ("tasks", "check", "message"),
        [
            (CHOICE, OWN + "answer: 1}\n", "attention_checks.0: the study has no scale"),
            (SLIDER, OWN + "answer: 1}\n", "attention_checks.0: the study has no scale"),
            (LIKERT, OWN + "answer: 7}\n", "attention_checks.0.answer: 7 is not a point"),
            (LIKERT, OWN + "options: [A, B], answer: C}\n", "attention_checks.0: answer 'C' is"),
            (
                LIKERT,
                OWN + "answer: 1, in_blocks: [1, 2]}\n",
                "in_blocks is not allowed for an attention",
            ),
            (LIKERT, INSIDE + "answer: 1}\n", "attention_checks.0: in_blocks is missing"),
            (
                LIKERT,
                INSIDE + "answer: 1, in_blocks: [1, 2], after_blocks: [1, 2]}\n",
                "after_blocks is not allowed for an attention check of kind in_block",
            ),
            (
                LIKERT,
                INSIDE + "options: [A, B], answer: A, in_blocks: [1, 1]}\n",
                "a check inside a block can't have options",
            ),
            (
                CHOICE,
                INSIDE + "answer: 1, in_blocks: [1, 2]}\n",
                "so a check can't be in a block: use kind item",
            ),
            (
                SLIDER,
                INSIDE + "answer: 101, in_blocks: [1, 2]}\n",
                "attention_checks.0.answer: 101 is not a point of the scale",
            ),
            (LIKERT, INSIDE + "answer: 1, in_blocks: [0, 2]}\n", "0.in_blocks: give two numbers"),
        ],
    )
    def test_contradictions_are_named(self, tasks: str, check: str, message: str) -> None:
        assert message in problem(study(tasks, more=check))

    def test_more_than_eight_are_refused(self) -> None:
        first, *_ = self.OWN.splitlines()
        check = "  - {{name: c{}, statement: Tea., after_blocks: [1, 2], answer: 1}}\n"
        nine = f"{first}\n" + "".join(check.format(number) for number in range(9))
        assert "attention_checks: List should have at most 8 items" in problem(
            study(LIKERT, more=nine)
        )


class TestQuestions:
    def test_screening_knows_who_may_go_on(self) -> None:
        (question,) = small_study.definition(study(more=SCREENING)).screening
        assert (question.offered, question.eligible) == (["Here", "There"], ["Here"])

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("eligible: [Here]", "eligible: [Where]", "screening.0: eligible 'Where' is not among"),
            ("eligible: [Here]", "eligible: [Here, There]", "screening.0: every option is eligib"),
            ("eligible: [Here]", "eligible: []", "screening.0.eligible: List should have at lea"),
            ("[Here, There]", "[Here, Here]", "screening.0: option 'Here' is repeated"),
            ("name: home", "name: age", "demographics.0.name: 'age' is repeated: see screening.0"),
            (
                "name: home",
                "name: device",
                "screening.0.name: 'device' is already a column of participants",
            ),
        ],
    )
    def test_contradictions_in_screening_are_named(self, old: str, new: str, message: str) -> None:
        assert problem(study(more=SCREENING.replace(old, new))).startswith(message)

    def test_unknown_kind_of_question_is_named(self) -> None:
        text = small_study.YAML.replace("kind: us_state", "kind: us_county")
        assert problem(text).startswith("demographics.3.kind: 'us_county' is unknown; known are")

    def test_closing_and_block_answers_have_names_of_their_own(self) -> None:
        more = "closing:\n  - {kind: text, name: why, question: Why?}\n"
        assert problem(study(LIKERT + TEXT, more=more)) == (
            "closing.0.name: 'why' is repeated: see tasks.1"
        )

    def test_reference_and_contrast_are_named_at_their_key(self) -> None:
        text = small_study.YAML.replace("condition: reference}", "condition: oracle}")
        at, key = place_of(text)
        assert (at, key) == ("condition: oracle}", "reference.condition")
        at, key = place_of(small_study.YAML.replace("condition_b: tuned", "condition_b: other"))
        assert (at, key) == ("condition_b: other", "condition_b")


class TestUsualQuestions:
    NAMES = ["age", "sex", "gender", "race", "hispanic", "education", "employment", "state"]

    def questions(self, written: str, language: str = "en") -> StudyDefinition:
        text = small_study.YAML[: small_study.YAML.index("demographics:")]
        return small_study.definition(f"{text}language: {language}\ndemographics: {written}\n")

    def test_default_stands_for_all_of_them(self) -> None:
        asked = self.questions("default").demographics
        assert [question.name for question in asked] == self.NAMES
        by_name = {question.name: question for question in asked}
        race = by_name["race"]
        assert isinstance(race, ChoiceQuestion)
        assert (race.kind, race.several) == ("multiple", "Two or more races")
        for name in ("sex", "gender", "hispanic", "education", "employment"):
            question = by_name[name]
            assert isinstance(question, ChoiceQuestion)
            assert question.offered[-1] == "Prefer not to answer"

    def test_single_ones_are_asked_by_name_among_others(self) -> None:
        own = "{name: pets, kind: integer, question: Pets?, minimum: 0, maximum: 9}"
        asked = self.questions(f"[gender, {own}, age]").demographics
        assert [question.name for question in asked] == ["gender", "pets", "age"]

    def test_every_language_offers_the_same_options(self) -> None:
        english, chinese = (self.questions("default", code) for code in ("en", "zh-hans"))
        for ours, theirs in zip(english.demographics, chinese.demographics, strict=True):
            assert (ours.name, ours.kind) == (theirs.name, theirs.kind)
            assert ours.question != theirs.question
            if isinstance(ours, ChoiceQuestion) and isinstance(theirs, ChoiceQuestion):
                assert len(ours.offered) == len(theirs.offered)
                assert not set(ours.options) & set(theirs.options)

    @pytest.mark.parametrize(
        ("written", "language", "message"),
        [
            (
                "[age, income]",
                "en",
                "there is no standard question 'income'; choose one of age, sex",
            ),
            ("all", "en", "Input should be a valid list"),
            ("default", "de", "standard questions exist in en, zh-hans; write them out in 'de'"),
        ],
    )
    def test_what_there_is_not_is_said(self, written: str, language: str, message: str) -> None:
        with pytest.raises(DefinitionError) as caught:
            self.questions(written, language)
        (found,) = caught.value.problems
        assert found.message.startswith(f"demographics: {message}")
        assert found.line > 30

    def test_questions_that_are_written_out_are_taken_as_they_are(self) -> None:
        written = [{"name": "age"}]
        assert with_presets(written, "xx") is written


def test_a_definition_comes_back_from_its_stored_form() -> None:
    for text in (small_study.YAML, small_study.EVERYTHING_YAML, small_study.SLIDER_YAML):
        definition = small_study.definition(text)
        assert StudyDefinition.model_validate(definition.model_dump(mode="json")) == definition


def test_studies_stored_before_a_key_existed_stay_the_same() -> None:
    stored = small_study.definition(small_study.YAML).model_dump(mode="json")
    assert "record_writing" not in stored and "ai_policy" not in stored["texts"]
    text = small_study.YAML.replace("texts:\n", "texts:\n  ai_policy: true\n")
    told = small_study.definition(text + "comment: Why?\nrecord_writing: true\n")
    stored = told.model_dump(mode="json")
    assert stored["record_writing"] is True and stored["texts"]["ai_policy"] is True
    assert StudyDefinition.model_validate(stored) == told


def test_recording_of_writing_needs_something_to_write() -> None:
    message = problem(small_study.YAML + "record_writing: true\n")
    assert message.startswith("record_writing: the study asks no free-text question, so there is")


def test_a_policy_on_ai_is_a_text_or_the_default_or_none() -> None:
    def policy(written: str) -> str:
        return small_study.YAML.replace("texts:\n", f"texts:\n  ai_policy: {written}\n")

    assert small_study.definition(policy("false")).texts.ai_policy is None
    assert small_study.definition(policy("Ask nobody. ")).texts.ai_policy == "Ask nobody."
    message = "texts.ai_policy: write a text, true for the default one, or false for none"
    assert problem(policy("7")) == problem(policy('""')) == message


def test_a_yaml_file_names_the_key_of_a_wrong_section() -> None:
    yaml = YamlFile(b"order: {responses: sorted}\n", file="study.yaml")
    with pytest.raises(DefinitionError, match=r"line 1, column 9: order.responses: Input should"):
        yaml.check(StudyDefinition, {**small_study_plain(), "order": {"responses": "sorted"}})


def small_study_plain() -> dict[str, object]:
    return YamlFile(small_study.YAML.encode(), file="study.yaml").plain()


# ── Labels ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "reads"),
    [("zero_shot", "Zero shot"), ("GPT-4o", "GPT-4o"), ("s_1", "s_1"), ("共情", "共情"), ("", "")],
)
def test_name_without_a_label_is_read_as_it_is_written(name: str, reads: str) -> None:
    assert usual(name) == reads


def test_no_two_names_read_alike() -> None:
    known = {"conditions": usual_of(["a_b", "A b", "c"])}
    called = Labels.of(GivenLabels(conditions={"c": "Third"}), known, ("c", "a_b"))
    assert [called.text("conditions", name) for name in ("a_b", "A b", "c")] == [
        "a_b",
        "A b",
        "Third",
    ]
    assert (called.a, called.b) == ("Third", "a_b")


def test_label_of_a_name_that_a_study_does_not_list_is_used() -> None:
    called = Labels.of(GivenLabels(characteristics={"age": "Age group"}), {}, (None, None))
    assert called.text("characteristics", "age") == "Age group"
    assert (called.a, called.b) == ("condition a", "condition b")


@pytest.mark.parametrize("name", ['""', '"-warm"', '"warm*th"', '"warm, cold"', f'"{"w" * 61}"'])
def test_what_no_dimension_is_called_is_said_with_what_one_may_be(name: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        small_study.definition(small_study.YAML.replace("{name: warmth,", f"{{name: {name},"))
    (line,) = caught.value.lines
    assert (
        "tasks.0.dimensions.0.name: the name of a dimension may have at most 60 letters and digits "
        "of any script, spaces and _-'’.()&/+, and begins with a letter or digit"
    ) in line


def test_dimensions_that_differ_in_capitals_alone_are_refused() -> None:
    two = "{name: Warmth, question: Warm?}\n      - {name: warmth,"
    with pytest.raises(DefinitionError, match="dimension 'warmth' is repeated"):
        small_study.definition(small_study.YAML.replace("{name: warmth,", two))


def test_what_is_ranked_differs_from_what_is_rated_in_more_than_capitals() -> None:
    ranking = "tasks:\n  - {kind: ranking, question: Best?, dimension: Warmth}\n"
    with pytest.raises(DefinitionError, match="dimension 'warmth' is repeated"):
        small_study.definition(small_study.YAML.replace("tasks:\n", ranking))
    alike = ranking.replace("Warmth", "warmth")
    (task,) = small_study.definition(small_study.YAML.replace("tasks:\n", alike)).answers_in("rank")
    assert task.dimension == "warmth"
