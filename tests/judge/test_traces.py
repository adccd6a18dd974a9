"""Traces of generation in texts that raters would see."""

import pytest

from judge.traces import notices_of, traces_in


def kinds(text: str) -> list[str]:
    return [trace.kind for trace in traces_in(text)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<think>She is sad.</think>I hear you.", "a model's thinking"),
        ("She is sad.\n</think>\n\nI hear you.", "a model's thinking"),
        ("[THINK]Hm[/THINK]I hear you.", "a model's thinking"),
        ("<|channel|>analysis<|message|>Hm", "a model's thinking"),
        ("＜think＞plan＜/think＞ I hear you.", "a model's thinking"),
        ("I hear you.<|im_end|>", "a token of a chat template"),
        ("I hear you.</s>", "a token of a chat template"),
        ("I hear you.<|im_end", "a token of a chat template"),
        ("assistant\n\nI hear you.", "a token of a chat template"),
        ("I hear you.<|eot_id|>", "a token of a chat template"),
        ("[INST] Reply. [/INST] I hear you.", "a token of a chat template"),
        ("<start_of_turn>model\nI hear you.", "a token of a chat template"),
        ("I hear you.<|im_end|>\n<|im_start|>user\nThanks", "a token of a chat template"),
        ("Iâ€™m here", "text in a wrong encoding"),
        ("a cafÃ©", "text in a wrong encoding"),
        ("â€œHelloâ€\x9d", "text in a wrong encoding"),
        ("ä½\xa0å¥½", "text in a wrong encoding"),
        ("Ð¿Ñ€Ð¸Ð²ÐµÑ‚", "text in a wrong encoding"),
        ("ðŸ˜€", "text in a wrong encoding"),
        ("a\u00c2\u00a0b", "text in a wrong encoding"),
        ("I hear you.\\nThat is hard.", "a line break that is written out"),
        ("I hear you.\\n\\nThat is hard.", "a line break that is written out"),
        ("I\\u2019m here", "a line break that is written out"),
        ("I&#39;m here", "an HTML entity"),
        ("you &amp; me", "an HTML entity"),
        ("so &nbsp; what", "an HTML entity"),
        ("As an AI, I hear you.", "words of a model about itself"),
        ("I'm just an AI but I hear you.", "words of a model about itself"),
        ("As a large language model, I hear you.", "words of a model about itself"),
        ("作为一个AI，我理解你。", "words of a model about itself"),
        ("I hear\x07 you.", "a control character"),
        ("I hear\ufffd you.", "a control character"),
        ("I \u202ehear you.", "an invisible character that turns text around"),
        ("I hear\u200b you.", "an invisible character"),
        ("\ufeffI hear you.", "an invisible character"),
        ("NA", "nothing but a sign for a missing text"),
        ("nan", "nothing but a sign for a missing text"),
    ],
)
def test_trace_is_noticed(text: str, kind: str) -> None:
    assert kind in kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "I hear you. That sounds hard.\n\nWhat would help?",
        "None of these, and null is not a number.",
        "Café, naïve, Ærø, Ñandú, Übung, Čeština, “quoted” – and … so on",
        "„Das macht Spaß“, sagte sie. »Ça va?« À bientôt.",
        "我理解你的感受。",
        "مرحبا، كيف حالك؟ می‌خواهم",  # with a ZWNJ, as Persian needs
        "Привет! Как дела?",
        "👩‍👩‍👧 and ❤️",
        "Use `<think>` tags and `\\n` in code.",
        "```\nprint('a\\nb') &amp; <|im_end|>\n```",
        "\\(\\nabla f \\neq 0\\) and \\nu",
        "I think that you & I are fine; 3 < 4 > 2.",
        "The AI said: as an aid, this helps.",
        "An air of calm; as an air hostess she knew.",
        "<b>bold</b> and <s>struck</s>",
        "<s>Old price</s> New price: 5",
        '{"text": "ends in </think>", "n": 2}',
        "A man's user name: C:\\new\\table",
    ],
)
def test_plain_text_has_none(text: str) -> None:
    assert kinds(text) == []


def test_notice_says_how_many_where_the_first_and_an_example() -> None:
    texts = [("r.csv:2", "Fine."), ("r.csv:3", "I hear.<|im_end|>"), ("r.csv:9", "Yes<|im_end|>")]
    assert notices_of(texts, what="responses") == [
        "r.csv:3: 2 of 3 responses have a token of a chat template, such as 'I hear.<|im_end|>'"
    ]
    shown = notices_of([("r.csv:2", "a\u202eb\x07")], what="responses")
    assert shown[1].endswith(r"such as 'a\u202eb\x07'")
    assert notices_of([], what="responses") == []
