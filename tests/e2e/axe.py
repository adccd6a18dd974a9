"""What axe-core objects to on a page: all its rules for WCAG 2.0 to 2.2, A and AA, and its best
practices.
"""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]  # it has no types
from playwright.sync_api import Page

Options = dict[str, Any]
ALL: Options = {"rules": {"target-size": {"enabled": True}}, "resultTypes": ["violations"]}
#: The rules that look at colours.
COLOURS: Options = {"runOnly": ["color-contrast", "link-in-text-block"]}
#: The rules that a language, its direction, a phone or the night can break where English by day
#: does not; all rules take ten times as long.
APPEARANCE: Options = {
    "runOnly": [*COLOURS["runOnly"], "html-has-lang", "html-lang-valid", "target-size"],
    "rules": {"target-size": {"enabled": True}},
}
RUN = "options => axe.run(document, options).then(found => found.violations)"


def violations(page: Page, options: Options = ALL) -> list[str]:
    """What axe objects to on the page as it stands."""
    page.wait_for_load_state()  # after a click it may still be empty
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(RUN, options)
    return [f"{one['id']}: {node['html']}" for one in found for node in one["nodes"]]


def in_both_schemes(page: Page) -> list[str]:
    """What axe objects to on the page as it stands, by night and by day.

    Our styles change colours by night and nothing else.
    """
    found = []
    schemes: tuple[tuple[Any, Options], ...] = (("dark", COLOURS), ("light", ALL))
    for scheme, options in schemes:
        page.emulate_media(color_scheme=scheme)
        found += [f"{scheme}: {one}" for one in violations(page, options)]
    return found
