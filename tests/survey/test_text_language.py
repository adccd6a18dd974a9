"""The language of a text: stated, else by its script, else that of the pages."""

import pytest

from survey.definition.text_language import (
    TextLanguage,
    checked_tag,
    differs,
    in_words,
    language_name,
    language_of,
)


def found(text: str, *pages: str) -> str:
    return language_of(text, pages=pages or ("en",)).language


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("zh", "推开门的那一下，屋里忽然安静。"),
        ("ja", "今日は本当に大変でしたね。"),
        ("ja", "カタカナ"),
        ("ko", "정말 힘들었겠어요."),
        ("th", "ฉันเข้าใจความรู้สึกของคุณ"),
        ("ar", "أفهمُ أنّك حزينٌ جدًّا اليوم."),
        ("he", "אני מבין אותך."),
        ("el", "Καταλαβαίνω πώς νιώθεις."),
        ("ru", "Я понимаю, как вам тяжело."),
        ("hi", "मैं समझता हूँ कि यह कठिन है।"),
        ("ta", "எனக்குப் புரிகிறது."),
        ("ka", "მესმის შენი."),
    ],
)
def test_a_script_says_the_language(language: str, text: str) -> None:
    assert language_of(text, pages=["en"]) == TextLanguage(language, "script")


@pytest.mark.parametrize("text", ["You must be tired.", "Je comprends.", "Ich verstehe dich."])
def test_the_letters_of_the_pages_say_no_other_language(text: str) -> None:
    assert language_of(text, pages=["en"]) == TextLanguage("en", "page")
    assert language_of(text, pages=["fr", "en"]) == TextLanguage("fr", "page")


@pytest.mark.parametrize("text", ["", "12 + 30 = 42", "🙂👍🏽", "…", "```\nprint('hello')\n```"])
def test_a_text_without_letters_is_in_the_language_of_the_pages(text: str) -> None:
    assert language_of(text, pages=["zh-hans", "en"]) == TextLanguage("zh-hans", "page")


@pytest.mark.parametrize(
    "text",
    [
        "我推荐你使用 Python 的 asyncio 和 requests 库来写这个程序。",
        "请试试：\n```python\nfor line in open('a.txt'):\n    print(line.strip())\n```\n这样就行。",
        "看 https://example.org/a/very/long/address/in/latin/letters 这一页。",
        "我喜欢の这个东西非常好看",  # a Japanese letter in fashion
    ],
)
def test_words_and_code_of_other_languages_do_not_make_a_chinese_text_another(text: str) -> None:
    assert found(text) == "zh"


def test_most_words_say_the_language_not_most_letters() -> None:
    assert found("The word 你好 means hello, and 再见 means goodbye.") == "en"
    assert found("أنصحك بقراءة كتاب Thinking, Fast and Slow لأنه يشرح كيف نفكر ونقرر") == "ar"
    assert found("我很难过 I am sad 心里") == "en", "half and half: that of the pages"


def test_a_script_of_the_pages_is_their_language() -> None:
    assert found("今日無料", "ja") == "ja", "Japanese has Chinese characters, too"
    assert found("今日無料", "ja", "zh-hant") == "zh-hant"
    assert found("من می‌فهمم", "en", "fa") == "fa"
    assert found("推开门", "en", "zh-hans") == "zh-hans"
    assert found("I see.", "zh-hans", "en") == "en"
    assert found("Разумем те.", "sr-cyrl") == "sr-cyrl"


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("من می‌فهمم که چقدر برای شما سخت است", "en"),  # Persian
        ("Я розумію, що ви відчуваєте і чому її немає", "en"),  # Ukrainian
        ("I understand.", "zh-hans"),
    ],
)
def test_letters_of_many_languages_say_that_it_is_another_one(text: str, pages: str) -> None:
    assert language_of(text, pages=[pages]) == TextLanguage("und", "script")
    assert language_name("und") == "an unknown language"


def test_a_stated_language_is_believed() -> None:
    said = language_of("推开门", pages=["en"], stated="ja")
    assert said == TextLanguage("ja", "stated")


def test_tags_are_stored_in_one_form() -> None:
    assert [checked_tag(tag) for tag in ("zh-Hans", "pt_BR", " nb ", "yue")] == [
        *("zh-hans", "pt-br", "nb", "yue")
    ]


@pytest.mark.parametrize(
    ("tag", "meant"),
    [("Chinese", "; did you mean 'zh'?"), ("xx", ""), ("e", ""), ("en-", ""), ("en" * 20, "")],
)
def test_what_is_no_language_is_refused(tag: str, meant: str) -> None:
    with pytest.raises(ValueError, match="is not the tag of a language") as refused:
        checked_tag(tag)
    assert str(refused.value).endswith(f"such as en or zh-hans{meant}")


def test_a_text_is_marked_where_it_is_not_in_the_language_of_its_page() -> None:
    assert differs("ar", "en") == "ar"
    assert differs("en", "en") == ""
    assert differs("zh", "zh-hans") == "", "the page says more"
    assert differs("zh-hant", "zh-hans") == "zh-hant"


def test_how_many_texts_are_in_which_language_is_said_in_one_line_each() -> None:
    languages = [TextLanguage("en", "page"), *[TextLanguage("zh", "script")] * 2]
    assert in_words([*languages, TextLanguage("ar", "stated")]) == [
        "2 responses in Chinese (zh), by their script",
        "1 response in Arabic (ar), as stated",
        "1 response in English (en), the language of the pages",
    ]


def test_formulas_and_names_of_products_do_not_decide() -> None:
    formula = r"由 \(a^2+b^2=c^2\) 可得 \[c=\sqrt{a^2+b^2}\]。"
    assert language_of(formula, pages=["en"]) == TextLanguage("zh", "script")
    names = "DNA、RNA、ATP 的区别：HTTP/2 和 gRPC"
    assert language_of(names, pages=["zh-hans"]) == TextLanguage("zh-hans", "page")


def test_other_scripts_are_an_unknown_language() -> None:
    assert language_of("བཀྲ་ཤིས་བདེ་ལེགས།", pages=["en"]) == TextLanguage("und", "script")
