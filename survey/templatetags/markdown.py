"""Study texts: Markdown without raw HTML and without images (a browser loads nothing remote)."""

from functools import lru_cache

from django import template
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

register = template.Library()


def _renderer() -> MarkdownIt:
    """A renderer for one text. One shared by threads would be read by a second while a first
    still builds its table of rules: that page fails, or shows half of its text from then on."""
    return MarkdownIt("commonmark", {"html": False}).disable("image")


@register.filter
@lru_cache(maxsize=256)
def markdown(text: str) -> SafeString:
    """HTML of a study's text."""
    return SafeString(_renderer().render(text))  # it escapes whatever is not Markdown


#: What a response may not have: links lead away from the page; a line that defines one, or is
#: indented, would vanish or change its look; a line over dashes is no heading.
NOT_IN_RESPONSES = ["link", "autolink", "reference", "code", "lheading"]


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
@lru_cache(maxsize=1024)
def response_markdown(text: str) -> SafeString:
    """HTML of a response: paragraphs, lists, emphasis, quotations."""
    return _without_headings(_renderer().disable(NOT_IN_RESPONSES), text)


@register.filter
def quoted_markdown(text: str) -> SafeString:
    """HTML of a study's text where a page of researchers quotes it."""
    return _without_headings(_renderer(), text)


@register.filter
@lru_cache(maxsize=256)
def inline_markdown(text: str) -> SafeString:
    """HTML of one line, for a label or a legend."""
    return SafeString(_renderer().renderInline(text))
