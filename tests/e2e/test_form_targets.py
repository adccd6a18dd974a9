"""Forms go to this site alone, whatever a page is made to say; people get back to Prolific."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import PATIENCE_MS
from tests.e2e.installation import Installation
from tests.e2e.person import OpenPage, somebody
from tests.e2e.studies import open_small

# What a browser makes of a header: the database behind it cannot matter.
pytestmark = [pytest.mark.e2e, pytest.mark.embedded]

ELSEWHERE = "http://elsewhere.example/taken"
#: Sends the first form of the page elsewhere, as a script or stray HTML would; tells what the
#: browser says to that.
SEND = """target => new Promise(resolve => {
    addEventListener("securitypolicyviolation", event => resolve(event.violatedDirective));
    const form = document.createElement("form");
    form.method = "post";
    form.action = target;
    document.body.append(form);
    form.submit();
})"""


@pytest.fixture(scope="module")
def small(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> str:
    return open_small(installation, tmp_path_factory.mktemp("forms"), slug="forms")


def test_no_form_is_sent_to_another_site(
    installation: Installation, new_page: OpenPage, small: str
) -> None:
    """The first page that a participant sees, and that of researchers who log in."""
    page: Page = new_page()
    somebody(installation, small, page).arrive()
    for address in (page.url, f"{installation.url}/login/"):
        page.goto(address)
        assert page.evaluate(SEND, ELSEWHERE) == "form-action"
        assert page.url == address


def test_people_take_the_survey_and_get_back_to_prolific(
    installation: Installation, browser: Browser, small: str
) -> None:
    page = browser.new_context().new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.route("https://app.prolific.com/**", lambda route: route.fulfill(body="Prolific"))
    person = somebody(installation, small, page)
    person.begin()
    while page.get_by_role("button", name="Continue", exact=True).count():
        person.answer(*["Very"] * person.items.count())
    person.press("Finish")
    person.follow("Return to Prolific")
    expect(page.locator("body")).to_have_text("Prolific")
    assert page.url == "https://app.prolific.com/submissions/complete?cc=DONE1"
    page.context.close()
