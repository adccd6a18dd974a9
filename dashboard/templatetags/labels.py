"""Labels of a study's names in pages: `{% called "conditions" system.condition %}`."""

from typing import Any

from django import template

register = template.Library()


@register.simple_tag(takes_context=True)
def called(context: template.Context, kind: str, name: Any) -> str:
    """What a name is called in the study of the page; nothing of no name."""
    return str(context["labels"].text(kind, str(name))) if name else ""
