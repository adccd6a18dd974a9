"""Model cards: Markdown of ours, with tables."""

from django import template
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

from survey.templatetags.markdown import without_headings

register = template.Library()


@register.filter
def card_markdown(text: str) -> SafeString:
    """HTML of a model card without its title: headings are paragraphs in bold."""
    renderer = MarkdownIt("commonmark", {"html": False}).disable("image").enable("table")
    return without_headings(renderer, text.partition("\n")[2])
