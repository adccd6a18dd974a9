"""The page of the API in a browser: Swagger UI from our server, with the rights of a session."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.axe import in_both_schemes
from tests.e2e.installation import Installation
from tests.e2e.test_judge_pages import log_in

pytestmark = pytest.mark.embedded  # what a browser makes of HTML and scripts


def execute(page: Page, route: str, body: str = "") -> Locator:
    """Try a route with the rights of the session; the status of the answer."""
    block = page.locator(f"[id$='-{route}']")
    page.get_by_role("heading", name="Routes").scroll_into_view_if_needed()
    page.locator(".opblock").first.wait_for()
    for _ in range(100):  # Swagger UI draws routes as they come into view, where there are many
        if block.count():
            break
        page.mouse.wheel(0, 600)
        page.wait_for_timeout(50)
    block.locator(".opblock-summary-control").click()
    block.get_by_role("button", name="Try it out").click()
    if body:
        block.locator("textarea").fill(body)
    block.get_by_role("button", name="Execute").click()
    return block.locator(".live-responses-table .response-col_status").last


def test_routes_are_read_and_tried_without_a_third_party(
    installation: Installation, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    log_in(installation, page)
    page.emulate_media(color_scheme="dark")
    page.goto(f"{installation.url}/api/docs/")
    expect(execute(page, "api_studies_list")).to_contain_text("200")
    assert said == [], "nothing breaks the content security policy"
    # Refused for what it says: the session's change was let in.
    refused = execute(page, "api_account_invitations_create", '{"link": "x"}')
    expect(refused).to_contain_text("400")
    expect(page.locator("html.dark-mode")).to_have_count(1)
    assert in_both_schemes(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
