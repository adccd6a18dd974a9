"""What counts as a score, and what does not."""

import json
import time

import pytest

from judge.doubts import Unusable
from judge.parsing import Scored, keeps_to_probe, parse_scores
from survey.definition.points import Point

FIVE = [
    Point(value=value, label=label)
    for value, label in enumerate(
        ["Not at all", "Slightly", "Moderately", "Very empathetic", "Extremely"], start=1
    )
]
AROUND_ZERO = [Point(value=value, label=f"point {value}") for value in (-2, -1, 0, 1, 2)]
HUNDRED = [Point(value=value, label=str(value)) for value in (0, 25, 50, 75, 100)]


def parse_score(text: str, scale: list[Point], *, between: bool = False) -> int:
    """The one score in an answer."""
    (scored,) = parse_scores(text, scale, between=between)
    return scored.score


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 4}',
        '{"rating": 4, "why": "2 warm sentences"}',
        '```json\n{"score": 4}\n```',
        '{"score": "4"}',
        '{"score": 4.0}',
        "4.0",
        '{"reason": "It is no 5.", "score": 4} I hope this helps.',
        '[{"score": 4}]',
        "4",
        " 4\n",
        "4.",
        "**4**",
        '"4"',
        "(4)",
        "[4]",
        "`4`",
        "Score: 4",
        "**Score:** 4",
        "score = 4",
        "Rating: 4.",
        "Final score: 4",
        "[RESULT] 4",
        "# Answer: 4",
        "4 = Very empathetic",
        "4 (very empathetic)",
        "4 - Very empathetic.",
        "4/5",
        "Score: 4/5",
        "4 out of 5",
        "My rating is 4.",
        "My rating is 4, because it names the feeling.",
        "The reply is warm and fits. Overall score: 4",
        "4\n\nIt names the feeling and asks an open question.",
        "It names the feeling.\n\n**Score: 4**",
        "```\n4\n```",
    ],
)
def test_score_given_as_the_answer_is_read(text: str) -> None:
    assert parse_score(text, FIVE) == 4


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the answer is empty"),
        ("  \n", "the answer is empty"),
        ("I can't rate this.", "there is no number in the answer"),
        ("four", "there is no number in the answer"),
        ("{]] \u202e ???", "the answer looks like JSON but is not"),
        ('. Score: 4."}', "the answer looks like JSON but is not"),
        ("3 or 4", "there are several numbers in the answer: 3, 4"),
        ("4 4", "there are several numbers in the answer: 4, 4"),
        ("Score: 4. Warmth: 5.", "there are several numbers in the answer: 4, 5"),
        ("Score: 4 out of 10", "there are several numbers in the answer: 4, 10"),
        ("3-4", "3-4 is not a whole number"),
        ("4.5", "4.5 is not a whole number"),
        ("4,5", "4,5 is not a whole number"),
        ("4/10", "4/10 is not a whole number"),
        ("2/3", "2/3 is not a whole number"),
        ("4%", "4 is not given as the score"),
        ("There are 4 things I like about it.", "4 is not given as the score"),
        ("I would not give a score of 4", "4 is not given as the score"),
        ("4 = Extremely", "the text beside the score leaves doubts: Extremely"),
        (
            "4 stars, or perhaps more",
            "the text beside the score leaves doubts: stars, or perhaps more",
        ),
        ("gpt4", "4 is not given as the score"),
        ("<think>It is a 4", "4 is not given as the score"),
        ("0", "0 is not on the scale"),
        ("6", "6 is not on the scale"),
        ("-4", "-4 is not on the scale"),
        ("Score: 10", "10 is not on the scale"),
        ("99999999999999999999", "99999999999999999999 is not a whole number"),
        ('{"score": 9}', "9 is not on the scale"),
        ('{"score": 4.5}', "the score 4.5 is not an integer"),
        ('{"score": "4.5"}', "the score '4.5' is not an integer"),
        ('{"score": "four"}', "the score 'four' is not an integer"),
        ('I thought of 3 things. {"score": 4}', "there are other numbers beside the JSON object"),
        ('{"score": true}', "the score True is not an integer"),
        ('{"score": null}', "the score None is not an integer"),
        ('{"score": 4', "the answer looks like JSON but is not"),
        ('{"value": 4}', 'the JSON has no single "score"'),
        ('{"score": 4, "rating": 5}', 'the JSON has no single "score"'),
        ('{"score": 4, "score": 5}', 'the JSON has "score" twice'),
        ('{"score": 4} {"score": 4}', "there are other braces beside the JSON object"),
        ('{"score": [4]}', "the score [4] is not an integer"),
        ('{"score": NaN}', "NaN is no number"),
        ('{"score": {"score": 4}}', "the score {'score': 4} is not an integer"),
        ('{"A": {"score": 4}}', 'the JSON has no single "score"'),
        ("{}", 'the JSON has no single "score"'),
        ("{" * 10_000, "the answer looks like JSON but is not"),
        ('{"score": ' + "9" * 9_000 + "}", "the answer looks like JSON but is not"),
    ],
)
def test_anything_else_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(Unusable) as refused:
        parse_score(text, FIVE)
    assert str(refused.value) == reason


@pytest.mark.parametrize(
    "text",
    [
        "score x 4" + "\n" * 9_000 + "x",
        "score x 4" + " \n" * 4_900 + "x",
        "x" + "\n" * 9_000 + "score x 4",
        "score" + " " * 9_900 + "x4",
    ],
    ids=["lines", "lines with spaces", "lines before it", "spaces"],
)
def test_blanks_without_end_are_read_at_once(text: str) -> None:
    began = time.process_time()
    with pytest.raises(Unusable, match="4 is not given as the score"):
        parse_score(text, FIVE)
    assert time.process_time() - began < 5, "it took minutes"


@pytest.mark.parametrize("text", ["x" * 10_001, '{"score": 4}' + "\n" * 10_000 + "."])
def test_answer_that_is_too_long_is_refused_whatever_it_says(text: str) -> None:
    with pytest.raises(Unusable, match=r"^the answer is longer than 10000 characters$"):
        parse_score(text, FIVE)


@pytest.mark.parametrize("space", ["\u00a0", "\u3000", "\t"])
def test_space_within_a_line_is_of_any_kind(space: str) -> None:
    assert parse_score(f"Score{space}:{space}4", FIVE) == 4
    assert parse_score(f"My{space}rating{space}is{space}4,{space}because it is warm.", FIVE) == 4


@pytest.mark.parametrize(("text", "score"), [("-2", -2), ("Score: -1", -1), ("0", 0), ("+1", 1)])
def test_scale_around_zero_has_signed_scores(text: str, score: int) -> None:
    assert parse_score(text, AROUND_ZERO) == score


def test_value_between_the_points_of_a_scale_is_refused() -> None:
    with pytest.raises(Unusable, match="60 is not on the scale"):
        parse_score("60", HUNDRED)


def test_fraction_of_another_scale_is_refused() -> None:
    with pytest.raises(Unusable, match="4/5 is not a whole number"):
        parse_score("4/5", HUNDRED)
    assert parse_score("75/100", HUNDRED) == 75


@pytest.mark.parametrize(("text", "score"), [("60", 60), ("Score: 0", 0), ('{"score": 100}', 100)])
def test_value_between_the_ends_of_a_slider_is_a_score(text: str, score: int) -> None:
    assert parse_score(text, HUNDRED, between=True) == score


@pytest.mark.parametrize("text", ["101", "-1"])
def test_value_beyond_the_ends_of_a_slider_is_refused(text: str) -> None:
    with pytest.raises(Unusable, match=f"{text} is not on the scale"):
        parse_score(text, HUNDRED, between=True)


# With a reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"reason": "It names the feeling.", "score": 4}', "It names the feeling."),
        ('{"score": 4}', ""),
        ('{"score": 4, "reason": ["warm", "kind"]}', '["warm", "kind"]'),
        ("4, since it is warm.\n4", None),
    ],
)
def test_reason_is_kept_as_it_was_given(text: str, reason: str | None) -> None:
    if reason is None:
        with pytest.raises(Unusable):
            parse_scores(text, FIVE)
    else:
        assert parse_scores(text, FIVE) == [Scored(4, reason)]


# Of a whole block


def test_scores_of_a_block_come_in_the_order_of_its_letters() -> None:
    text = '{"C": {"score": 1, "reason": "Cold."}, "A": {"score": 5}, "B": 3}'
    assert parse_scores(text, FIVE, letters=["A", "B", "C"]) == [
        Scored(5),
        Scored(3),
        Scored(1, "Cold."),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("4", "there is no JSON object in the answer"),
        ("A: 4, B: 3", "there is no JSON object in the answer"),
        ('{"A": {"score": 4}}', "there is no score for B"),
        ('{"A": {"score": 4}, "b": {"score": 4}}', "there is no score for B"),
        ('{"A": 4, "B": null}', "there is no score for B"),
        ('{"A": 4, "B": 3, "C": 3}', 'the JSON also has "C"'),
        ('{"A": 4, "B": {"score": 4.5}}', "B: the score 4.5 is not an integer"),
        ('{"A": 4, "B": {"value": 4}}', 'B: the JSON has no single "score"'),
        ('{"A": 4, "B": "five"}', "B: the score 'five' is not an integer"),
        ('{"A": 4, "B": 6}', "6 is not on the scale"),
        ('{"A": 4, "B": 3, "A": 2}', 'the JSON has "A" twice'),
    ],
)
def test_block_without_a_score_for_every_letter_is_refused(text: str, reason: str) -> None:
    with pytest.raises(Unusable) as refused:
        parse_scores(text, FIVE, letters=["A", "B"])
    assert str(refused.value) == reason


# Of several dimensions


def test_scores_of_several_dimensions_come_in_their_order_for_each_letter() -> None:
    both = ["warm", "clear"]
    text = '{"clear": 2, "warm": {"reason": "Cold.", "score": 1}}'
    assert parse_scores(text, FIVE, dimensions=both) == [Scored(1, "Cold."), Scored(2)]
    text = '{"B": {"warm": 3, "clear": {"score": 4}}, "A": {"warm": 1, "clear": 2}}'
    scored = parse_scores(text, FIVE, letters=["A", "B"], dimensions=both)
    assert [each.score for each in scored] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("4", "there is no JSON object in the answer"),
        ('{"A": {"warm": 4}}', "there is no score for A, clear"),
        ('{"A": 4}', "there is no score for A, warm"),
        ('{"warm": 4, "clear": 4}', "there is no score for A"),
        ('{"A": {"warm": 4, "clear": {"score": 0.5}}}', "A, clear: the score 0.5 is not an"),
    ],
)
def test_answer_without_a_score_for_every_dimension_is_refused(text: str, reason: str) -> None:
    with pytest.raises(Unusable) as refused:
        parse_scores(text, FIVE, letters=["A"], dimensions=["warm", "clear"])
    assert str(refused.value).startswith(reason)


# Of the probe


@pytest.mark.parametrize(
    ("text", "keeps"),
    [
        ('{"score": 3}', True),
        (' {"score": 4}\n', True),
        ('{"score": 5}', False),
        ('{"score": 3, "why": "x"}', False),
        ("Hello there.", False),
        ('Hello! {"score": 3}', False),
        ("", False),
        ("[" * 100_000, False),
    ],
)
def test_probe_is_kept_to_by_nothing_but_what_its_schema_allows(text: str, keeps: bool) -> None:
    assert keeps_to_probe(text) is keeps


@pytest.mark.parametrize(
    ("text", "labels", "score"),
    [
        ('{"score": 4, "confidence": 0.85}', "1 2 3 4 5", 4),
        ('{"score": 4, "id": 3}', "1 2 3 4 5", 4),
        ('{"score": 4.0}', "0 1 2 3 4 5", 4),
        ('{"score": 2, "confidence": null}', "None Some", 2),
        ('{"score": 3, "dimension": "knowledge"}', "No Partly Yes", 3),
        ('{"score": 3, "label": "Yes"}', "No Partly Yes", 3),
        ('{"score": 3, "reason": "2"}', "No Partly Yes", 3),
    ],
)
def test_label_counts_only_where_the_json_gives_one(text: str, labels: str, score: int) -> None:
    named = labels.split()
    first = 0 if named[0] == "0" else 1
    scale = [Point(value=value, label=label) for value, label in enumerate(named, start=first)]
    assert parse_score(text, scale) == score


@pytest.mark.parametrize("label", ["No", "no, not really", "Partly"])
def test_label_of_another_point_leaves_doubt(label: str) -> None:
    scale = [Point(value=value, label=each) for value, each in enumerate(("No", "Partly", "Yes"))]
    with pytest.raises(Unusable, match="it also says"):
        parse_score(f'{{"score": 2, "label": "{label}"}}', scale)


def test_label_in_chinese_needs_no_space_around_it() -> None:
    scale = [
        Point(value=value, label=each) for value, each in enumerate(("没有同理心", "有同理心"))
    ]
    with pytest.raises(Unusable, match="没有同理心"):
        parse_score('{"score": 1, "label": "完全没有同理心的回复"}', scale)


def test_dimension_may_be_called_as_a_key_of_the_answer_is() -> None:
    for name in ("score", "rating", "reason"):
        (scored,) = parse_scores(json.dumps({name: 3}), FIVE, names=(name,))
        assert scored == Scored(3)
    (scored,) = parse_scores('{"reason": "It is warm.", "score": 3}', FIVE, names=("reason",))
    assert scored == Scored(3, "It is warm.")
