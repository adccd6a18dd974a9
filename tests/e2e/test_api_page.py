"""The page of the API in a browser: Swagger UI from our server, with the rights of a session."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.installation import Installation, running_installation
from tests.e2e.test_judge_pages import log_in

pytestmark = pytest.mark.embedded  # what a browser makes of HTML and scripts


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with running_installation(tmp_path_factory.mktemp("site"), worker=False) as running:
        yield running


def test_routes_are_read_and_tried_without_a_third_party(
    site: Installation, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    log_in(site, page)
    page.goto(f"{site.url}/api/docs/")
    page.locator(".opblock-summary-path", has_text="studies/").first.click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    expect(page.locator(".live-responses-table .response-col_status").last).to_contain_text("200")
    assert [url for url in asked if not url.startswith((site.url, "data:"))] == []
    assert said == [], "nothing breaks the content security policy"
