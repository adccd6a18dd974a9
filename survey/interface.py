"""The version of participants' pages: how blocks are rendered and worded.

It is stored with each presentation, for what raters see is data. Increase it with every change of
what a block's page shows; earlier renderings are not kept.
"""

from collections.abc import Iterable

#: What pages of blocks show, by version: what is new in it.
PAGES = {
    1: '"Someone writes" over every prompt',
    2: "neutral or the study's own words; folded instructions; dialogues as turns; a lone response "
    "has no number",
    3: "indentation, tabs and runs of spaces as written; in Markdown, lists of one height, tables, "
    "no character lost; formulas, where the study wants them; each response and prompt marked with "
    "its language",
    4: "in Markdown, tables with code in several cells, stars in products and in Arabic and Hebrew "
    "words, lists beside prices such as $$; bars, arrows and lines of formulas",
}
INTERFACE = max(PAGES)


def in_words(versions: Iterable[int]) -> str:
    """What is new in these versions."""
    return "; ".join(f"version {version}: {PAGES[version]}" for version in sorted(versions))
