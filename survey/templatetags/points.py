"""The radio buttons of one question: most of a page, and the same for all participants."""

from functools import lru_cache

from django import template
from django.template.loader import get_template
from django.utils.safestring import SafeString

register = template.Library()

#: Values and labels, as the page shows them.
Scale = tuple[tuple[float, str], ...]
#: Labels up to this length are placed next to each other on a phone too.
SHORT = 3


@register.simple_tag
@lru_cache(maxsize=4096)
def points(name: str, scale: Scale, chosen: object, wrong: bool = False) -> SafeString:
    """HTML of a scale's radio buttons, with `chosen` checked; `wrong` links the error above them.

    Cached: rendering them for each participant took half of a page's time.
    """
    short = all(len(label) <= SHORT for _, label in scale)
    values = [(str(value), label, value == chosen) for value, label in scale]
    context = {"name": name, "points": values, "short": short, "wrong": wrong}
    return SafeString(get_template("survey/_points.html").render(context))
