"""Numbers in pages, written as in result tables: `{{ row.bias|decimals:2 }}`."""

from django import template

from analysis.catalogue import number_text

register = template.Library()


@register.filter
def decimals(value: float | None, places: int = 2) -> str:
    """So many decimals with a real minus sign; a dash for no number."""
    return number_text.EMPTY if value is None else number_text.decimals(value, places)
