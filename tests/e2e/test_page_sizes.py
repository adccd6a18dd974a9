"""Participants' pages are small and do not move under the finger, through the proxy as in the
full shape: what is counted is what Chromium says it received, headers included.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from config.processes import free_port
from tests.e2e.conftest import PHONE
from tests.e2e.installation import Installation, proxy_before, running_installation
from tests.e2e.studies import open_example, open_tasks

FIRST, NEXT = 30_000, 15_000
RECEIVED = """performance.getEntriesByType("navigation")
    .concat(performance.getEntriesByType("resource"))
    .reduce((sum, entry) => sum + entry.transferSize, 0)"""
# Counted from the start of the page: what moved without anybody having touched it.
SHIFTS = """() => new Promise(done => new PerformanceObserver(list => {
    done(list.getEntries().reduce((sum, shift) => sum + shift.value, 0));
}).observe({type: "layout-shift", buffered: true}) || setTimeout(() => done(0), 200))"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An installation behind the proxy of docker-compose.yml."""
    folder = tmp_path_factory.mktemp("behind-a-proxy")
    address = f"https://localhost:{free_port()}"
    with (
        running_installation(folder / "data", SITE_URL=address) as installation,
        proxy_before(installation, folder / "proxy"),
    ):
        yield installation


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A phone that has never been here. The proxy's certificate is its own."""
    context = browser.new_context(
        viewport=PHONE, is_mobile=True, has_touch=True, ignore_https_errors=True
    )
    yield context.new_page()
    context.close()


def send(page: Page) -> None:
    with page.expect_navigation(wait_until="load"):
        page.locator("main form .buttons button").first.click()


def walk(page: Page, link: str) -> Iterator[str]:
    """From the link through five pages of blocks or checks, and an unfinished one."""
    page.goto(link)
    yield "information"
    page.locator("#agree").check()
    send(page)
    if page.locator("#q-first_language").count():
        yield "screening"
        page.get_by_label("English", exact=True).check()
        page.get_by_label("United States", exact=True).check()
        send(page)
    yield "instructions"
    send(page)
    yield "a block"
    send(page)
    yield "a block, nothing answered"


@pytest.mark.e2e
@pytest.mark.embedded  # bytes and layout are the same whatever database the text comes from
@pytest.mark.parametrize("study", ["empathy", "slider", "everything"])
def test_pages_are_small_and_nothing_on_them_moves(
    site: Installation, page: Page, tmp_path: Path, study: str
) -> None:
    if study == "empathy":
        slug = open_example(site, tmp_path, slug="sizes-example")
    else:
        slug = open_tasks(site, tmp_path, study, slug=f"sizes-{study}")
    address = site.environment["SITE_URL"]
    link = f"{address}/s/{slug}/?PROLIFIC_PID=somebody&STUDY_ID=study1&SESSION_ID=session1"
    received, moved = {}, {}
    for name in walk(page, link):
        received[name] = page.evaluate(RECEIVED)
        moved[name] = page.evaluate(SHIFTS)
    for name, size in received.items():
        print(f"{study:11} {name:27} {size:6} {'█' * round(size / 500)}")
    first, *following = received.values()
    assert 3_000 < first < FIRST
    assert max(following) < NEXT
    assert moved == dict.fromkeys(moved, 0)
