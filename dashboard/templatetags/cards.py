"""Model cards: Markdown of ours, with tables."""

from django import template
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

register = template.Library()


@register.filter
def card_markdown(text: str) -> SafeString:
    """HTML of a model card without its title; its sections stand below a heading of the page."""
    renderer = MarkdownIt("commonmark", {"html": False}).disable("image").enable("table")
    tokens = renderer.parse(text.partition("\n")[2])
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "h3"
    return SafeString(renderer.renderer.render(tokens, renderer.options, {}))
