"""Prolific's rules, looked for in a study: each says what to change."""

from typing import Any

import pytest

from survey.definition import StudyDefinition
from survey.definition.policy import findings
from survey.definition.settings import Settings
from tests.survey import small_study

ALL_CODES = {
    "completion_code": "A1",
    "declined_code": "A2",
    "screened_out_code": "A3",
    "full_code": "A4",
    "withdrawn_code": "A5",
    "failed_attention_code": "A6",
}
SECOND = {
    "name": "check_2",
    "statement": "Please choose “Very” here.",
    "answer": 3,
    "after_blocks": [2, 3],
}


def study(**changes: Any) -> StudyDefinition:
    """The small study with two good checks and a word about AI."""
    plain = small_study.definition().model_dump(mode="json")
    plain["attention_checks"].append(SECOND)
    plain["texts"]["instructions"] = "Rate each reply yourself, without AI."
    return StudyDefinition.model_validate(plain | changes)


def settings(*, places: dict[str, int] | None = None, **prolific: Any) -> Settings:
    codes = {name: code for name, code in (ALL_CODES | prolific).items() if code is not None}
    return Settings.model_validate({"prolific": codes, "places": places or {}})


def check(**changes: Any) -> list[dict[str, Any]]:
    return [dict(SECOND, name="check_1"), SECOND | changes]


def changes_of(
    definition: StudyDefinition, chosen: Settings | None = None, **prompts: Any
) -> list[tuple[str, str]]:
    """Rule and text of what is to be changed."""
    found = findings(definition, chosen or settings(), **prompts)
    return [(finding.rule, finding.text) for finding in found if finding.state == "change"]


def test_good_study_has_nothing_to_change() -> None:
    assert changes_of(study()) == []
    assert [finding.state for finding in findings(study(), settings())] == [
        *("ok", "ok", "ok", "ok", "ok", "ok", "ok", "ok", "remember", "remember")
    ]


@pytest.mark.parametrize(
    ("ways_in", "state"),
    [
        (["prolific"], "ok"),
        (["prolific", "invitation"], "ok"),
        (["prolific", "link"], "remember"),
        (["link"], None),
    ],
)
def test_open_link_beside_prolifics_is_noticed(ways_in: list[str], state: str | None) -> None:
    chosen = settings().model_copy(update={"ways_in": ways_in})
    found = {finding.rule: finding for finding in findings(study(), chosen)}
    rule = found.get("No open link beside Prolific")
    assert (rule and rule.state) == state
    if state == "remember":
        assert rule and rule.key == ("ways_in",) and "can't be paid" in rule.text


def test_long_study_with_one_check_needs_two() -> None:
    one = study(attention_checks=[SECOND])
    ((rule, text),) = changes_of(one, settings(failed_attention_code=None))
    assert rule == "Enough attention checks"
    assert "at least two" in text


def test_short_study_may_have_one_check() -> None:
    one = study(attention_checks=[SECOND], estimated_minutes=4)
    assert changes_of(one, settings(failed_attention_from=1)) == []


def test_one_failed_check_is_too_few_to_fail_a_long_study() -> None:
    ((_, text),) = changes_of(study(), settings(failed_attention_from=1))
    assert "set prolific.failed_attention_from to 2" in text
    assert changes_of(study(), settings(failed_attention_from=1, failed_attention_code=None)) == []


def test_more_failures_than_checks_can_never_happen() -> None:
    ((_, text),) = changes_of(study(), settings(failed_attention_from=3))
    assert "no participant could fail" in text


def test_check_that_does_not_say_its_answer_is_told_to() -> None:
    texts = [
        text
        for rule, text in changes_of(
            study(attention_checks=check(statement="I swam across the Atlantic today."))
        )
        if rule == "Attention check “check_2”"
    ]
    assert "does not state “Very”" in texts[0]
    assert "without a midpoint; this scale has 3 points" in texts[1]


def test_item_nobody_agrees_with_is_allowed_without_a_midpoint() -> None:
    even = check(
        statement="I swam across the Atlantic today.",
        options=["I agree", "I disagree"],
        answer="I disagree",
    )
    ((_, text),) = changes_of(study(attention_checks=even))
    assert "does not state “I disagree”" in text


@pytest.mark.parametrize(
    ("statement", "word"),
    [
        ("Choose “Very” if you remember the last text.", "remember"),
        ("Which text did you read? Choose “Very”.", "did you read"),
        ("Choose “Very” to show that you read this.", None),
        ("Choose “Very” as on the previous page.", "previous"),
        ("如果你记得，请选择 Very。", "记得"),
    ],
)
def test_check_must_not_test_memory(statement: str, word: str | None) -> None:
    texts = [text for _, text in changes_of(study(attention_checks=check(statement=statement)))]
    assert [f"“{word}” may ask participants to" in text for text in texts] == (
        [True] if word else []
    )


@pytest.mark.parametrize(
    ("statement", "answer", "says_so"),
    [
        ("Please enter 37 here.", 37, True),
        ("Please move the slider to Warm.", 100, True),
        ("Please enter 137 here.", 37, False),
        ("Please move the slider to Warm.", 99, False),
    ],
)
def test_check_on_a_slider_names_the_number_or_the_end(
    statement: str, answer: int, says_so: bool
) -> None:
    asked = [{"name": "warmth", "question": "How warm?"}]
    line = {"kind": "slider", "left": "Cold", "right": "Warm", "dimensions": asked}
    item = {"name": "a", "kind": "in_block", "in_blocks": [1, 1]}
    check = item | {"statement": statement, "answer": answer}
    found = changes_of(study(tasks=[line], attention_checks=[check]))
    assert any("It does not state" in text for _, text in found) is not says_so


@pytest.mark.parametrize("statement", ["Choose <b>Very</b>.", "Choose\u200b “Very”."])
def test_check_must_be_in_plain_sight(statement: str) -> None:
    ((_, text),) = changes_of(study(attention_checks=check(statement=statement)))
    assert "must be visible" in text


def test_checks_of_each_translation_are_read_too() -> None:
    chinese = study(language="zh-hans", attention_checks=check(statement="请选择“非常”。"))
    ((rule, text),) = changes_of(study(), translations=[chinese])[:1]
    assert rule == "Attention check “check_2” (zh-hans)"
    assert "does not state “Very”" in text


def test_check_must_not_be_buried_in_text() -> None:
    long = "This is about something else. " * 20 + "Choose “Very”."
    ((_, text),) = changes_of(study(attention_checks=check(statement=long)))
    assert f"{len(long)} characters" in text


@pytest.mark.parametrize(
    ("missing", "extra"),
    [
        ("declined_code", {}),
        ("withdrawn_code", {}),
        (
            "screened_out_code",
            {
                "screening": [
                    {"name": "q", "question": "?", "options": ["yes", "no"], "eligible": ["yes"]}
                ]
            },
        ),
    ],
)
def test_ending_without_a_code_is_named(missing: str, extra: dict[str, Any]) -> None:
    ((rule, text),) = changes_of(study(**extra), settings(**{missing: None}))
    assert rule == "A way back for every ending"
    assert text.endswith(f"set prolific.{missing}.")


@pytest.mark.parametrize("limit", ["maximum", "ratings_per_block", "ratings_per_response"])
def test_limited_places_need_a_code_for_who_finds_none(limit: str) -> None:
    assert changes_of(study(), settings(full_code=None)) == []
    ((_, text),) = changes_of(study(), settings(full_code=None, places={limit: 100}))
    assert text.endswith("set prolific.full_code.")


def test_study_without_prolific_needs_neither_codes_nor_checks() -> None:
    assert changes_of(study(attention_checks=[]), Settings(ways_in=["link"])) == []


@pytest.mark.parametrize("warning", [None, "Grief."])
@pytest.mark.parametrize("instructions", ["Rate each.", "Rate each without AI."])
def test_study_without_prolific_hears_nothing_about_it(
    warning: str | None, instructions: str
) -> None:
    texts = study().texts.model_dump(exclude_none=True) | {"instructions": instructions}
    plain = study(texts=texts | ({"warning": warning} if warning else {}))
    found = findings(plain, Settings(ways_in=["invitation"]), prompts=["After the funeral."])
    assert [finding.rule for finding in found] == [
        "Attention check “check_1”",
        "Attention check “check_2”",
        "No questions about identity",
        "Sensitive content is announced",
        "Use of AI is ruled out in words",
    ]
    said = " ".join(finding.text for finding in found)
    assert not any(word in said for word in ("Prolific", "reject", "pay"))


def test_distressing_prompts_need_a_warning() -> None:
    ((rule, text),) = changes_of(study(), prompts=["After the funeral I could not speak."])
    assert rule == "Sensitive content is announced"
    assert text.startswith("“funeral” can distress participants")
    warned = study(texts=study().texts.model_dump(exclude_none=True) | {"warning": "Grief."})
    assert changes_of(warned, prompts=["After the funeral I could not speak."]) == []


def test_texts_must_rule_out_ai() -> None:
    silent = study().texts.model_dump(exclude_none=True) | {"instructions": "Rate each."}
    ((rule, _),) = changes_of(study(texts=silent))
    assert rule == "Use of AI is ruled out in words"
    for policy in (True, "Please ask nobody."):
        assert changes_of(study(texts=silent | {"ai_policy": policy})) == []


def test_pay_is_reckoned_from_the_announced_time() -> None:
    text = findings(study(estimated_minutes=30), settings())[-1].text
    assert "pay at least £3.00 or $4.00 per participant" in text
