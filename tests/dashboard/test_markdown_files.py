"""Markdown files to share: what a study says is text in them, whoever renders them."""

import pytest
from markdown_it import MarkdownIt

from analysis.text.bibliography import cited_keys, cited_once
from analysis.text.cells import Sentence
from dashboard.share.arr_checklist import Checked, arr_as_markdown
from dashboard.share.heds import Answer
from dashboard.share.heds import as_markdown as heds_as_markdown
from dashboard.share.report import as_markdown
from tests.survey.files.test_markdown_text import HOSTILE

RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
#: The elements of these files themselves.
OURS = ("h1", "h2", "h3", "p", "strong", "em", "ul", "li")


def elements(markdown: str) -> set[str]:
    """Other elements than those of the files; a line break is none."""
    tokens = RENDERER.parse(markdown)
    within = [token for each in tokens for token in each.children or []]
    tags = {token.tag for token in [*tokens, *within]} - {"", "br"}
    raw = {token.type for token in [*tokens, *within] if token.type.startswith("html")}
    return (tags | raw) - set(OURS)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_element_comes_from_a_text_of_the_study(text: str) -> None:
    answer = Answer("4.3.7", f"study.yaml: {text}", text, criterion=text)
    files = {
        "heds.md": heds_as_markdown(text, [answer], {}),
        "arr-checklist.md": arr_as_markdown(text, [Checked("D3", "Consent", text, "study.yaml")]),
        "methods.md": as_markdown([(text, Sentence.escape(f"Rated were {text}."))]),
    }
    found = {name: names for name, content in files.items() if (names := elements(content))}
    assert found == {}
    headings = [token for token in RENDERER.parse(files["heds.md"]) if token.type == "heading_open"]
    assert len(headings) == 7  # the title, five sections and one criterion


def test_label_that_looks_like_a_citation_is_none() -> None:
    """It stopped the report: there is no such work."""
    text = Sentence("Holm [@holm1979] of [@nobody2020] and again [@holm1979]")
    said = cited_once(text)
    assert cited_keys([said]) == ["holm1979"]
    assert as_markdown([("Ratings", said)]) == (
        "**Ratings.** Holm [@holm1979] of \\[\\@nobody2020\\] and again\n"
    )
