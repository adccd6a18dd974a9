"""Study texts: Markdown without raw HTML and without images (a browser loads nothing remote)."""

from functools import lru_cache
from html import unescape

from django import template
from django.utils.html import strip_tags
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

register = template.Library()


def _renderer() -> MarkdownIt:
    """A renderer for one text. It is not shared by threads: a second thread could read its table of
    rules while the first still builds it, and its page would fail or show half of its text.
    """
    return MarkdownIt("commonmark", {"html": False}).disable("image")


@register.filter
@lru_cache(maxsize=256)
def markdown(text: str) -> SafeString:
    """HTML of a study's text."""
    return SafeString(_renderer().render(text))  # it escapes everything that is not Markdown


def _without_headings(renderer: MarkdownIt, text: str) -> SafeString:
    """HTML in which a heading is a paragraph in bold: headings are the page's own."""
    tokens = renderer.parse(text)
    for token in tokens:
        if token.type == "heading_open":
            token.tag = "p"
            token.attrSet("class", "heading")
        elif token.type == "heading_close":
            token.tag = "p"
    return SafeString(renderer.renderer.render(tokens, renderer.options, {}))


@register.filter
def quoted_markdown(text: str) -> SafeString:
    """HTML of a study's text where a page of researchers quotes it."""
    return _without_headings(_renderer(), text)


def without_markdown(text: str) -> str:
    """The words of a study's text in one line, for places that know no Markdown."""
    return words_of(markdown(text))


def words_of(html: str) -> str:
    """The words of rendered Markdown in one line, as text that is not escaped."""
    return " ".join(unescape(strip_tags(html)).split())


@register.filter
@lru_cache(maxsize=256)
def inline_markdown(text: str) -> SafeString:
    """HTML of one line, for a label or a legend."""
    return SafeString(_renderer().renderInline(text))
