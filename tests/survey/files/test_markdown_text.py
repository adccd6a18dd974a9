"""Texts of studies in Markdown: whatever they say, a renderer shows it."""

import re
from html import unescape

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from survey.files.markdown_text import literal, literal_line

#: CommonMark with raw HTML, and GitHub's tables and lines through words.
RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!-- hidden",
    "<javascript:alert(1)>",
    "[x](javascript:alert(1))",
    "![x](https://evil.example/pixel.png)",
    "[x]: https://evil.example",
    "&lt;script&gt; &#60;b&#62;",
    "# heading\n## another",
    "text\n===\n\n---\n***",
    "- one\n- two\n1. three\n2) four\n+ five",
    "    code\n\n\tcode",
    "```\ncode\n```\n~~~",
    "> quoted",
    "a | b\n--|--\n1 | 2",
    "*a* **b** __c__ _d_ ~~e~~ `f`",
    "zero_shot and fine_tuned, p < .05, 5 < 6 > 4",
    "ends with \\",
    "\\<script>",
    "a\\\nb",
    "1.",
    "-",
]
CHARACTERS = st.text(st.sampled_from("<>/!?[]()*_`#+-=|~&;:@$^{}\\\"'.1 \n\tab"), max_size=40)


def shown(markdown: str) -> tuple[str, set[str]]:
    """The text that a renderer shows of a paragraph, and its elements."""
    html = RENDERER.render(f"**Title.** {markdown}\n")
    body = re.sub(r"^<p><strong>Title\.</strong> ?", "", html).removesuffix("</p>\n")
    text = unescape(re.sub(r"<br />\n", "\n", body))
    return text, set(re.findall(r"<(\w+)[ >/]", re.sub(r"<br />\n", "", body)))


@pytest.mark.parametrize("text", HOSTILE)
def test_renderer_shows_what_was_written(text: str) -> None:
    lines = [line.strip() for line in text.splitlines()]
    assert shown(literal(text)) == ("\n".join(filter(None, lines)), set())
    assert shown(literal_line(text)) == (" ".join(text.split()), set())


@settings(max_examples=500)
@given(CHARACTERS)
@example("\\\n#")
def test_renderer_shows_any_text(text: str) -> None:
    lines = [line.strip() for line in text.splitlines()]
    said = "\n".join(filter(None, lines))
    if said:
        assert shown(literal(text))[0] == said
        assert RENDERER.render(literal(text)).startswith("<p>")
        assert shown(literal_line(text))[0] == " ".join(text.split())


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Rate how warm it is, from 1 to 5.", "Rate how warm it is, from 1 to 5."),
        ("zero_shot", "zero_shot"),
        ("p < .05", "p < .05"),
        ("mail me: a@b.org", "mail me: a@b.org"),
        ("[@holm1979] @you $5$ -- :smile:", r"\[\@holm1979\] \@you \$5\$ \-\- \:smile:"),
    ],
)
def test_plain_words_stay_as_they_are(text: str, written: str) -> None:
    assert literal(text) == written
