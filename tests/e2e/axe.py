"""What axe-core objects to on a page: all its rules for WCAG 2.0 to 2.2, A and AA, and its best
practices.
"""

from typing import Any

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # it has no types
from playwright.sync_api import Page

RULES = {"rules": {"target-size": {"enabled": True}}, "resultTypes": ["violations"]}


def violations(page: Page) -> list[str]:
    """What axe objects to on the page as it stands."""
    found = Axe().run(page, options=RULES).response["violations"]
    return [f"{one['id']}: {node['html']}" for one in found for node in one["nodes"]]


def in_both_schemes(page: Page) -> list[str]:
    """What axe objects to on the page as it stands, by day and by night."""
    found = []
    schemes: tuple[Any, ...] = ("dark", "light")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        found += [f"{scheme}: {one}" for one in violations(page)]
    return found
