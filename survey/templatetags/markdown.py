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


@register.filter
@lru_cache(maxsize=1024)
def response_markdown(text: str) -> SafeString:
    """HTML of a response: paragraphs, lists, emphasis; no headings, which are the page's own, and
    no links, which would lead away from it."""
    renderer = _renderer().disable(["heading", "lheading", "link", "autolink"])
    return SafeString(renderer.render(text))


@register.filter
@lru_cache(maxsize=256)
def inline_markdown(text: str) -> SafeString:
    """HTML of one line, for a label or a legend."""
    return SafeString(_renderer().renderInline(text))
