"""Which columns of a wide table have responses, by their cells."""

import pytest

from survey.definition.mapping.response_columns import (
    EMPTY,
    LABELS,
    REPEATED,
    SHORTER,
    may_be_answers,
    without_responses,
)

N = 12
LONG = {
    "one": [f"That sounds hard. What part of it weighs on you most, number {n}?" for n in range(N)],
    "two": [f"I am sorry to hear that, and I understand you. So it goes, {n}." for n in range(N)],
}


@pytest.mark.parametrize(
    ("cells", "what"),
    [
        (["work", "love", "health"] * 4, LABELS),
        ([f"{n}.5" for n in range(N)], "numbers"),
        (["93 %", "7 ms", "12"] * 4, "numbers"),
        ([f"2026-03-{n + 1:02}" for n in range(N)], "dates or times"),
        (["3/14/2026 10:31 AM"] * N, "dates or times"),
        ([f"https://example.org/{n}" for n in range(N)], "addresses"),
        (["true", "False"] * 6, "true or false"),
        ([f"3f2a{n}-bc" for n in range(N)], "ids"),
        ([f'{{"tokens": {n}}}' for n in range(N)], "JSON"),
        ([""] * N, EMPTY),
        (["You are a careful assistant. Answer in one sentence."] * N, REPEATED),
        (["A nurse who is tired of her work and cannot say so.", "A father."] * 6, REPEATED),
        ([f"Topic {'x' * n}" for n in range(1, N + 1)][:N], SHORTER),
    ],
)  # fmt: skip
def test_column_beside_responses_that_has_none(cells: list[str], what: str) -> None:
    long = {name: [text * 3 for text in texts] for name, texts in LONG.items()}
    assert without_responses({**long, "other": cells}) == {"other": what}


@pytest.mark.parametrize(
    "columns",
    [
        LONG,
        {"a": ["yes", "no"] * 6, "b": ["no", "yes", "yes"] * 4},
        {"a": ["4", "7", "9"] * 4, "b": ["4", "8", "9"] * 4},
        {"a": ["true", "false"] * 6, "b": ["false"] * N},
        {"a": ["anger", "joy", "fear"] * 4, "b": ["anger", "joy", "fear", *"defghijkl"]},
        {"a": ["我很难过。", "你好吗"] * 6, "b": ["怎么了？", "你好吗"] * 6},
        {"a": [f"أنا آسف {'ا' * n}" for n in range(N)], "b": [f"حسنا {'ب' * n}" for n in range(N)]},
        {"a": [f"def f():\n    return {n}" for n in range(N)], "b": [f"f = {n}" for n in range(N)]},
        {"long": LONG["one"], "terse": [f"I'm sorry{'!' * n}." for n in range(N)]},
        {"long": LONG["one"], "refuses": ["I can't help with that.", *LONG["two"][1:]]},
        {"a": ["Paris"], "b": ["London"]},
        {"a": ["4"], "b": ["5"]},
    ],
)  # fmt: skip
def test_answers_of_every_kind_are_responses(columns: dict[str, list[str]]) -> None:
    assert without_responses(columns) == {}


@pytest.mark.parametrize(
    ("cells", "may_be"),
    [
        (["work", "love", "health"] * 4, False),
        ([f"{n}.5" for n in range(N)], False),
        ([f"2026-03-{n + 1:02}" for n in range(N)], False),
        ([f"https://example.org/{n}" for n in range(N)], False),
        (["true", "False"] * 6, False),
        ([""] * N, False),
        ([f"B-{n}" for n in range(N)], True),
        ([f'{{"tokens": {n}}}' for n in range(N)], True),
        (["I cannot help"] * N, True),
        (["I am a careful assistant. I can't help with that."] * N, True),
        ([f"Topic {'x' * n}" for n in range(1, N + 1)], True),
        ([f"{n}" for n in range(N)], True),
        (["weighs on", "hear"] * 6, True),
    ],
)  # fmt: skip
def test_system_that_answers_unlike_the_others_is_told_from_facts_about_items(
    cells: list[str], may_be: bool
) -> None:
    long = {name: [text * 3 for text in texts] for name, texts in LONG.items()}
    columns = {**long, "other": cells}
    without = without_responses(columns)
    assert [*without] == ["other"]
    assert may_be_answers(columns, without) == (["other"] if may_be else [])


@pytest.mark.parametrize("other", [["yes", "no"] * 6, LONG["one"]])
def test_beside_short_answers_or_a_single_text_every_column_may_be_a_system(
    other: list[str],
) -> None:
    columns = {"a": other, "b": ["yes", "yes", "no"] * 4 if len({*other}) == 2 else [""] * N}
    columns["topic"] = ["law", "art", "sport"] * 4
    assert may_be_answers(columns, without_responses(columns)) == ["topic"]


def test_short_answers_are_told_from_labels_of_the_items() -> None:
    columns = {
        "gpt": ["yes", "no", "yes", "yes"] * 3,
        "llama": ["no", "no", "yes", "yes"] * 3,
        "topic": ["law", "law", "art", "art"] * 3,
        "date": [f"2026-03-{n + 1:02}" for n in range(N)],
        "explanation": LONG["one"],
    }
    assert [*without_responses(columns)] == ["topic", "date", "explanation"]


def test_titles_in_chinese_are_far_shorter_than_chinese_texts() -> None:
    long = [
        f"听起来你现在真的很难受，你愿意和我说说发生了什么吗？我在听，第{n}次。" for n in range(N)
    ]
    columns = {"a": long, "b": [text[::-1] for text in long], "题": [*"家书工钱爱病狗猫友师夜路"]}
    assert without_responses(columns) == {"题": SHORTER}
