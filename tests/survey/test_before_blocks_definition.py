"""What a study may ask before the first block: each contradiction is one line with its place."""

import pytest

from survey.definition import policy
from survey.definition.settings import Settings
from survey.files.problems import DefinitionError
from survey.loading import content_hash
from tests.survey import small_study

COMPREHENSION = small_study.COMPREHENSION
TRAINING = small_study.TRAINING


def problem(more: str, *, study: str = small_study.YAML) -> tuple[str, str]:
    """The line that the one problem of a study names, and what it says."""
    text = study + more
    with pytest.raises(DefinitionError) as caught:
        small_study.definition(text)
    (found,) = caught.value.problems
    return text.splitlines()[found.line - 1].strip(), found.message


class TestComprehension:
    def test_two_attempts_are_usual(self) -> None:
        check = small_study.definition(small_study.YAML + COMPREHENSION).comprehension
        assert check is not None
        assert check.attempts == 2
        assert check.wrong({"task": "Each reply on its own", "purpose": "Nobody"}) == ["purpose"]

    @pytest.mark.parametrize(
        ("change", "line", "said"),
        [
            (
                ("      answer: A person in need\n", ""),
                "- name: purpose",
                "comprehension.questions.1.answer: is missing",
            ),
            (
                ("answer: A person in need", "answer: A person"),
                "- name: purpose",
                "comprehension.questions.1: answer 'A person' is not among the options",
            ),
            (
                ("options: [A computer, A person in need, Nobody]", "options: [A person in need]"),
                "options: [A person in need]",
                "comprehension.questions.1.options: List should have at least 2 items",
            ),
            (
                ("name: purpose", "name: task"),
                "questions:",
                "comprehension.questions: question 'task' is repeated",
            ),
            (
                ("name: purpose", "name: whose"),
                "- name: whose",
                "comprehension.questions.1.name: 'whose' is already a field of every form",
            ),
            (
                ("comprehension:", "comprehension:\n  attempts: 0"),
                "attempts: 0",
                "comprehension.attempts: Input should be greater than or equal to 1",
            ),
            (
                ("comprehension:", "comprehension:\n  attempts: 3"),
                "attempts: 3",
                "comprehension.attempts: Input should be less than or equal to 2",
            ),
        ],
    )
    def test_contradiction_is_named_with_its_line(
        self, change: tuple[str, str], line: str, said: str
    ) -> None:
        named, message = problem(COMPREHENSION.replace(*change, 1))
        assert named == line
        assert message.startswith(said)

    def test_policy_asks_for_two_attempts_and_never_for_a_rejection(self) -> None:
        prolific = {"completion_code": "DONE1", "failed_comprehension_code": "RETURN1"}
        settings = Settings.model_validate({"ways_in": ["prolific"], "prolific": prolific})

        def said(yaml: str) -> list[tuple[str, str]]:
            found = policy.findings(small_study.definition(yaml), settings)
            return [(f.state, f.text) for f in found if f.rule == "Comprehension check"]

        assert said(small_study.YAML) == []
        [(state, text)] = said(small_study.YAML + COMPREHENSION)
        assert state == "remember"
        assert "Never reject" in text
        once = COMPREHENSION.replace("comprehension:", "comprehension:\n  attempts: 1")
        [(state, text)] = said(small_study.YAML + once)
        assert (state, "Prolific asks for two" in text) == ("change", True)
        rejects = "  failed_comprehension: You will be rejected.\n  thanks:"
        own = small_study.YAML.replace("  thanks:", rejects)
        [(state, text)] = said(own + COMPREHENSION)
        assert (state, "“rejected”" in text) == ("change", True)
        [(state, _)] = said(own.replace("will be", "will not be") + COMPREHENSION)
        assert state == "remember"

    def test_policy_asks_for_a_way_back(self) -> None:
        settings = Settings.model_validate(
            {"ways_in": ["prolific"], "prolific": {"completion_code": "DONE1"}}
        )
        found = policy.findings(small_study.definition(small_study.YAML + COMPREHENSION), settings)
        keys = [f.text for f in found if "failed_comprehension_code" in f.text]
        assert len(keys) == 1


class TestTraining:
    def test_range_and_reason_are_of_each_response(self) -> None:
        definition = small_study.definition(small_study.YAML + TRAINING)
        listening, advice = definition.training_items
        assert [r.expected["warmth"] for r in listening.responses] == [(1, 1), (2, 3)]
        assert listening.responses[0].outside({"warmth": 2}) == ["warmth"]
        assert listening.responses[1].outside({"warmth": 3}) == []
        assert advice.context == "Written at night."

    @pytest.mark.parametrize(
        ("change", "line", "said"),
        [
            (
                ("expected: {warmth: [1, 2]}, why", "expected: {warmth: [1, 4]}, why"),
                "- {text: Write applications.",
                "training.items.1.responses.0.expected.warmth: 4 is not a point of the scale",
            ),
            (
                ("expected: {warmth: [2, 3]}", "expected: {warmth: [3, 2]}"),
                "- {text: You loved him",
                "training.items.0.responses.1.expected.warmth: give the smaller point first",
            ),
            (
                ("expected: {warmth: [2, 3]}", "expected: {warmth: 2}"),
                "- {text: You loved him",
                "training.items.0.responses.1.expected.warmth: give two points of the scale",
            ),
            (
                ("expected: {warmth: [2, 3]}", "expected: {warmht: [2, 3]}"),
                "- {text: You loved him",
                "training.items.0.responses.1.expected.warmht: 'warmht' is not among the "
                "dimensions; did you mean 'warmth'?",
            ),
            (
                (", expected: {warmth: [2, 3]}", ""),
                "- {text: You loved him",
                "training.items.0.responses.1.expected: is missing",
            ),
            (
                ("name: advice", "name: listening"),
                "items:",
                "training.items: training item 'listening' is repeated",
            ),
            (
                ("training:", "training:\n  attempts: 0"),
                "attempts: 0",
                "training.attempts: Input should be greater than or equal to 1",
            ),
        ],
    )
    def test_contradiction_is_named_with_its_line(
        self, change: tuple[str, str], line: str, said: str
    ) -> None:
        named, message = problem(TRAINING.replace(*change, 1))
        assert named.startswith(line)
        assert message.startswith(said)

    def test_item_without_a_response_is_named(self) -> None:
        item = "\ntraining:\n  items:\n    - {name: one, prompt: Hello.}\n"
        named, message = problem(item)
        assert named == "- {name: one, prompt: Hello.}"
        assert message == "training.items.0.responses: is missing"

    def test_study_without_ratings_has_nothing_to_train(self) -> None:
        named, message = problem(TRAINING, study=small_study.CHOICES_YAML)
        assert named == "training:"
        assert message == "training: the study asks for no ratings, so there is nothing to train"


def test_both_parts_belong_to_what_raters_see_and_others_keep_their_hash() -> None:
    rows = small_study.rows()
    plain = small_study.definition()
    assert not {"comprehension", "training"} & plain.model_dump().keys()
    assert "failed_comprehension" not in plain.model_dump()["texts"]
    hashes = {
        content_hash(small_study.definition(small_study.YAML + more), rows)
        for more in ("", COMPREHENSION, TRAINING, TRAINING.replace("[1, 2]", "[2, 2]"))
    }
    assert len(hashes) == 4
