"""What judges are told: nothing of a topic that is not the study's, and templates of the study."""

import json
import re
from typing import Any

import pytest
from pydantic import ValidationError

from judge.completions import read_text
from judge.configuration import JudgeConfiguration, configuration_of
from judge.definition import JudgeDefinition, JudgingDefinition
from judge.doubts import Unusable
from judge.examples import RatedExample
from judge.prompts import FORMAT, Message, messages, repair
from judge.reading import scores_of
from survey.definition import StudyDefinition
from tests.judge.test_definition import THREE_YAML
from tests.survey import small_study

TOPICS = {
    "summaries": (
        {"prompt": "article", "response": "summary", "responses": "summaries"}, "clarity",
    ),
    "translation": (
        {"prompt": "source", "response": "translation", "responses": "translations"}, "accuracy",
    ),
    "code": ({"prompt": "task", "response": "solution", "responses": "solutions"}, "correctness"),
    "unnamed": (None, "clarity"),
}  # fmt: skip
#: Words of the studies that this program was first made for.
EMPATHY = re.compile(
    r"\b(?:empath|warm|emotion|feeling|genuine|sincer|message|repl(?:y|ies)|somebody|someone)\w*"
)


def study(dimension: str = "clarity", **keys: Any) -> StudyDefinition:
    given = small_study.definition().model_dump(mode="json")
    scale = [{"value": n, "label": f"grade {n}"} for n in (1, 2, 3, 4, 5)]
    asked = [{"name": dimension, "question": f"How good is its {dimension}?"}]
    given["tasks"] = [{"kind": "likert", "dimensions": asked, "scale": scale}]
    given["attention_checks"] = []
    return StudyDefinition.model_validate(given | keys)


def judge(
    of: StudyDefinition | None = None, *, prompt_format: int = FORMAT, **definition: Any
) -> JudgeConfiguration:
    definition.setdefault("replicates", 2)
    return configuration_of(
        JudgeDefinition(**definition),
        of or study(),
        base_url="http://x/v1",
        model="m",
        stand_in=False,
        prompt_format=prompt_format,
    )


def asked(configured: JudgeConfiguration, responses: int = 1, **more: str) -> list[Message]:
    texts = [f"Text {letter}." for letter in "ABC"[:responses]]
    given = {"prompt": "The source text.", "context": ""} | more
    return messages(configured, dimensions=configured.asked_in(""), responses=texts, **given)


@pytest.mark.parametrize("presentation", ["single", "block", "pair"])
@pytest.mark.parametrize("topic", TOPICS)
def test_default_prompt_has_no_word_of_another_topic(topic: str, presentation: str) -> None:
    nouns, dimension = TOPICS[topic]
    configured = judge(study(dimension, wording=nouns), presentation=presentation, reasons=True)
    said = "\n".join(
        message["content"]
        for message in repair(
            asked(configured, {"single": 1, "pair": 2}.get(presentation, 3)),
            "Well.",
            "there is no JSON object",
            configuration=configured,
            dimensions=[dimension],
            responses=1,
        )
    )
    assert not EMPATHY.findall(said.lower())
    assert f"How good is its {dimension}?" in said
    assert configured.rubrics == {dimension: ""}
    if nouns is not None:
        assert nouns["prompt"] in said
        assert nouns["response" if presentation == "single" else "responses"] in said


def test_prompt_is_in_the_language_of_the_study() -> None:
    configured = judge(study(language="zh-hans", wording={"prompt": "原文"}), reasons=True)
    system = asked(configured)[0]["content"]
    assert system.startswith("下面是原文和一份回复。请为这份回复评分。")
    english = set(re.findall(r"[A-Za-z]{2,}", system))
    assert english <= {"How", "good", "is", "its", "clarity", "grade", "JSON", "reason", "score"}
    for language in ("ar", "de", "zh-tw"):
        assert asked(judge(study(language=language)))[0]["content"].startswith("Below are")


def test_rubric_stands_only_where_the_study_gives_one() -> None:
    assert "warm" in asked(judge(preset="one_line"))[0]["content"]
    assert "Weigh its words." in asked(judge(rubric="Weigh its words."))[0]["content"]
    assert "clarity?\n\nScale:" in asked(judge())[0]["content"]


def test_new_words_are_a_new_judge() -> None:
    usual = judge()
    assert judge(study(wording={"prompt": "article"})).fingerprint() != usual.fingerprint()
    assert judge(template="{response}").fingerprint() != usual.fingerprint()
    one, other = (judge(template="{response}", answer=answer) for answer in ("number", "[[*]]"))
    assert one.fingerprint() != other.fingerprint()


DIALOGUE = json.dumps(
    [{"role": "user", "content": "I failed."}, {"role": "model", "content": "Oh no.\n\nWhy?"}]
)
LINES = "User: I failed.\nAssistant: Oh no.\n\nWhy?"


@pytest.mark.parametrize("context", [DIALOGUE, LINES, LINES.replace("User:", "**user**:")])
def test_judges_read_the_turns_that_raters_see(context: str) -> None:
    user = asked(judge(), context=context)[-1]["content"]
    assert user.startswith(f"<context>\n{LINES}\n</context>\n")
    (message,) = asked(judge(template="{context}\n\n{response}"), context=context)
    assert message["content"] == f"{LINES}\n\nText A."
    chinese = asked(judge(study(language="zh-hans")), context=context)[-1]["content"]
    assert chinese.startswith("<context>\n用户：I failed.\n助手：Oh no.\n\nWhy?\n</context>\n")


def test_judges_read_the_turns_of_examples() -> None:
    example = RatedExample(
        scenario="other", prompt="P", context=DIALOGUE, response="R", scores={"clarity": 2}
    )
    configured = judge().model_copy(update={"drawn": (example, example)})
    system = asked(configured)[0]["content"]
    assert system.count(f"<example>\n<context>\n{LINES}\n</context>\n") == 2


def test_other_contexts_and_those_of_earlier_formats_stay_as_written() -> None:
    for configured, context in (
        (judge(), "System: Windows 11"),
        (judge(prompt_format=3), DIALOGUE),
        (judge(prompt_format=3, template="{context} {response}"), DIALOGUE),
    ):
        assert context in asked(configured, context=context)[-1]["content"]


# Templates: two published prompts, in words of ours


#: As of G-Eval (Liu et al. 2023): one form to fill in.
FORM = """\
You get one summary of a news article. Rate it on one metric.

Metric: {dimension}
{question}
{scale}

Article:
{prompt}

Summary:
{response}

Fill in the form, and nothing else:
- {dimension}:"""
#: As of MT-bench (Zheng et al. 2023): a verdict between brackets at the end.
BRACKETS = """\
[Question]
{prompt}

[The assistant's answer]
{response}
[End]

Explain your view first. Then rate on a scale from 1 to 5 strictly as "[[rating]]", for example
"Rating: [[3]]"."""
PAIR = """\
[Question]
{prompt}

[A]
{response_a}
[B]
{response_b}

Say "[[A]]" if A is better, "[[B]]" if B is better and "[[C]]" for a tie."""


def scores(configured: JudgeConfiguration, answer: str, responses: int = 1) -> list[int]:
    said = read_text(answer)
    of = configured.asked_in("")
    return [each.score for each in scores_of(said, configured, responses=responses, dimensions=of)]


def test_form_of_one_metric_is_filled_in() -> None:
    configured = judge(template=FORM, answer="- {dimension}: *")
    (message,) = asked(configured)
    assert message["role"] == "user"
    assert "Metric: clarity\nHow good is its clarity?\n1 = grade 1\n" in message["content"]
    assert "Article:\nThe source text.\n\nSummary:\nText A.\n" in message["content"]
    for answer in (
        "- Clarity: 3",
        "- clarity: **3**",
        "Sure!\n- Clarity:3\n",
        "- Clarity: 3/5",
        "3",
    ):
        assert scores(configured, answer) == [3]
    for answer, why in (
        ("- Clarity: 3.5", "3.5 is not a whole number"),
        ("- Clarity: 7", "7 is not on the scale"),
        ("- Warmth: 3", "- clarity: * is not in the answer"),
        ("- Clarity: 3\n- Clarity: none", "the last - clarity: * has no usable score"),
        ("3 of 4", "- clarity: * is not in the answer"),
    ):
        with pytest.raises(Unusable, match=re.escape(why)):
            scores(configured, answer)


def test_last_verdict_between_brackets_counts() -> None:
    configured = judge(template=BRACKETS, system="You are a fair judge.", answer="[[*]]")
    system, user = asked(configured)
    assert system == {"role": "system", "content": "You are a fair judge."}
    assert "[The assistant's answer]\nText A.\n[End]" in user["content"]
    assert scores(configured, "It is clear, as [[2]] would not say.\n\nRating: [[5]]") == [5]
    assert scores(configured, "<think>[[1]]</think>Rating: [[ 4 ]]") == [4]
    for answer in ("Rating: 5", "[[five]]", "Rating: [[4]] or [[", "[[4-5]]", "[[0]]"):
        with pytest.raises(Unusable):
            scores(configured, answer)


def test_pair_is_judged_by_letters_and_the_third_is_a_tie() -> None:
    configured = judge(template=PAIR, presentation="pair", answer="[[*]]")
    (message,) = asked(configured, 2)
    assert "[A]\nText A.\n[B]\nText B.\n" in message["content"]
    for answer, points in (
        ("B is shorter. [[B]]", [0, 2]),
        ("[[A]]", [2, 0]),
        ("Both: [[C]]", [1, 1]),
        ("[[tie]]", [1, 1]),
        ("First I thought [[A]]. My verdict: [[b]]", [0, 2]),
        ("A", [2, 0]),
    ):
        assert scores(configured, answer, 2) == points
    for answer in ("[[D]]", "[[A and B]]", "I choose [[A]] over [[B]]."):
        with pytest.raises(Unusable):
            scores(configured, answer, 2)


def test_number_alone_is_an_answer() -> None:
    configured = judge(template="Rate {response} from 1 to 5.", answer="number")
    assert scores(configured, "4") == [4]
    with pytest.raises(Unusable):
        scores(configured, "Between 3 and 4")


def test_json_is_the_form_unless_another_is_named() -> None:
    block = judge(
        template="{prompt}\n{responses}\n{question} {rubric}", rubric="R.", presentation="block"
    )
    (message,) = asked(block, 2)
    assert '<response name="A">\nText A.\n</response>' in message["content"]
    given = json.dumps({"A": {"score": 2}, "B": {"score": 5}})
    assert scores(block, given, 2) == [2, 5]


def test_repair_names_the_form_of_the_answer() -> None:
    for answer, words in (
        ("number", "Answer with a point's number and nothing else."),
        ("- {dimension}: *", "End your answer with - clarity: *, with a point's number in place"),
    ):
        configured = judge(template="{response}", answer=answer)
        again = repair(
            asked(configured),
            "Well.",
            "no number",
            configuration=configured,
            dimensions=["clarity"],
            responses=1,
        )
        assert words in again[-1]["content"]


def test_text_in_braces_within_a_response_is_no_place() -> None:
    configured = judge(template="{{not a place}} {prompt} {response}")
    (message,) = asked(configured, prompt="A {response} in braces.")
    assert message["content"] == "{not a place} A {response} in braces. Text A."


@pytest.mark.parametrize(
    ("definition", "why"),
    [
        ({"template": "{promt} {response}"}, "place 'promt' is unknown; did you mean 'prompt'?"),
        ({"template": "{response} {responses}"}, "place 'responses' is unknown"),
        ({"template": "{prompt}"}, "has no {response}: the judge would not see what it rates"),
        ({"template": "{response} {"}, "has a brace without its partner"),
        (
            {"template": 'Answer with {"score": 3} for {response}'},
            "only a name can stand in braces, as in {name}. Write {{ and }} for braces themselves",
        ),
        ({"template": "{response.text}"}, "only a name can stand in braces"),
        ({"template": "{response!r}"}, "only a name can stand in braces"),
        ({"template": "{response}", "rubric": "R."}, "has no {rubric}, but the judge has a rubric"),
        ({"template": "{response}", "preset": "one_line"}, "but the judge has a preset"),
        (
            {"template": "{response}", "examples": {"source": "panel e", "number": 2}},
            "has no {examples}",
        ),
        ({"template": "{response_a}", "presentation": "pair"}, "has no {responses}, nor both of"),
        ({"template": "{response}", "answer": "[[5]]"}, "'[[5]]' has no place for the score"),
        ({"template": "{response}", "answer": "* or *"}, "'* or *' has 2 places (*) for the score"),
        ({"template": "{response}", "answer": "nummer"}, "has no place for the score"),
        ({"answer": "number"}, "only a judge with a template has it"),
        ({"system": "Be fair."}, "only a judge with a template has it"),
        (
            {"template": "{responses}", "presentation": "block", "answer": "number"},
            "several scores in one answer need answer: json",
        ),
        (
            {"template": "{response}", "together": True, "answer": "[[*]]"},
            "several scores in one answer need answer: json",
        ),
        (
            {"template": "{responses}", "presentation": "pair", "answer": "number"},
            "a judge of pairs answers with a letter",
        ),
        (
            {"template": "{response}", "answer": "number", "reasons": True},
            "only an answer in json has reasons of its own",
        ),
    ],
)
def test_template_that_cannot_work_is_refused_at_load(definition: Any, why: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(why)):
        JudgeDefinition.model_validate({"replicates": 2} | definition)


@pytest.mark.parametrize("place", ["{question}", "{rubric}", "{dimension}"])
def test_template_of_several_dimensions_says_which_it_asks_about(place: str) -> None:
    study = small_study.definition(THREE_YAML)
    rubric = {"rubric": "R."} if place == "{rubric}" else {}

    def conflicts(template: str, **more: Any) -> list[Any]:
        one = JudgeDefinition.model_validate({"template": template} | more)
        return JudgingDefinition(judges=[one]).contradictions(study)

    assert conflicts(f"{place} {{response}}", **rubric) == []
    ((path, why),) = conflicts("{response}")
    assert path == ("judges", 0, "template") and "would get the same prompt" in why
    assert conflicts("{response}", dimensions=["cognitive"]) == []
