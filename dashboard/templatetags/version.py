"""The version of Fivefold in templates: `{% load version %}{% fivefold_version %}`."""

from django import template

from config.version import VERSION

register = template.Library()


@register.simple_tag
def fivefold_version() -> str:
    return VERSION
