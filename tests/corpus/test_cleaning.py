"""What filters find in a text, and what of it is replaced."""

import pytest

from corpus.addresses import url_in
from corpus.cleaning import Anonymizer, count_tokens, emoji_in, half_width, tokens


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see https://example.org/a", True),
        ("on www.example.org", True),
        ("Example.com has it", True),
        ("write to me@example.com", False),
        ("I left.In the end", False),
        ("it was 3.5 hours", False),
    ],
)
def test_urls(text: str, found: bool) -> None:
    assert bool(url_in(text)) is found


@pytest.mark.parametrize(
    ("text", "found"),
    [("fine 🙂", True), ("❤", True), ("🇩🇪", True), ("1️⃣", True), ("1 © ™ → ✓ …", False)],
)
def test_emoji_are_pictures_and_no_other_signs(text: str, found: bool) -> None:
    assert bool(emoji_in(text)) is found


def test_tokens_are_words_or_characters_of_scripts_without_spaces() -> None:
    assert tokens("I don't know, Zoë.") == ["I", "don't", "know", "Zoë"]
    assert count_tokens("one two three", 2) == 2
    assert tokens("我很难过abc") == ["我", "很", "难", "过", "abc"]


def test_full_width_characters_become_the_usual_ones() -> None:
    assert half_width("Ｉ’m ｆｉｎｅ，\u3000really！\r\nYes\t 1 ") == "I’m fine, really!\nYes 1"


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("mail ann.lee@example.org now", "mail [mail] now"),
        ("call +49 (30) 1234-5678.", "call [phone]."),
        ("call 555-123-4567 or 13912345678", "call [phone] or [phone]"),
        ("from 2019-2020 and on 2020-01-31", "from 2019-2020 and on 2020-01-31"),
        ("I weigh 80 and owe 12,000,000", "I weigh 80 and owe 12,000,000"),
        ("My name is Ann Lee. Ann asks.", "My name is [name]. [name] asks."),
        ("Dear Sarah, Dr. Wu said so.", "Dear [name], Dr. [name] said so."),
        ("Dear Sir, I am American.", "Dear Sir, I am American."),
        ("我叫小明，很累", "我叫[name]，很累"),
    ],
)
def test_what_identifies_people_is_replaced(text: str, without: str) -> None:
    changed, _ = Anonymizer().anonymize({"prompt": text})
    assert changed == {"prompt": without}


def test_a_name_is_replaced_in_the_answer_too_and_so_are_those_of_a_list() -> None:
    texts = {"prompt": "Call me Bo.", "response": "Bo, tell Priya, Zoë K and Boris of Zoëlle."}
    changed, replaced = Anonymizer(("Priya", "Zoë", "Ann Lee", "小红")).anonymize(texts)
    assert changed["response"] == "[name], tell [name], [name] K and Boris of Zoëlle."
    assert (replaced.mails, replaced.phones, replaced.names) == (0, 0, 4)
    listed, _ = Anonymizer(("Ann Lee", "小红")).anonymize({"prompt": "Ann Lee, 和小红说 Ann"})
    assert listed == {"prompt": "[name], 和[name]说 Ann"}


def test_uniform_width_leaves_the_indentation_of_code() -> None:
    assert half_width("\n\n    return  x\n\ty =\u30001\n") == "    return x\n\ty = 1"
    assert half_width("\u3000\u3000今天 \n 好") == "今天\n好", "a paragraph is no code"
