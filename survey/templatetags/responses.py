"""Responses of models on participants' pages."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from survey.rendering.responses import Look, plain_html, shown

register = template.Library()


@register.simple_tag
def response(text: str, look: Look, written_in: str = "", public_id: str = "") -> SafeString:
    """The element with a response as its study shows it: `written_in` is its language where that
    is not the page's, `public_id` by which the page's script knows it.
    """
    found = shown(text, look)
    return format_html(
        '<div class="response {}" dir="auto"{}{}>{}</div>',
        found.name,
        format_html(' lang="{}"', written_in) if written_in else "",
        format_html(' data-response="{}"', public_id) if public_id else "",
        mark_safe(found.html),  # noqa: S308  # what it does not know is escaped
    )


@register.filter
def as_written(text: str, look: Look) -> SafeString:
    """HTML of a prompt or a context: as it is, with its formulas where the study shows them."""
    return mark_safe(plain_html(text, latex=look.latex))  # noqa: S308  # it escapes the rest
