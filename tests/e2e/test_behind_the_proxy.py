"""Through the proxy, as in the full shape: researchers log in over HTTPS, and participants' pages
are small and do not move under the finger. What is counted is what Chromium says it received,
headers included.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import requests
from playwright.sync_api import Browser, Page
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from config.processes import free_port
from tests.e2e.conftest import PHONE
from tests.e2e.installation import Installation, proxy_before, running_installation
from tests.e2e.studies import open_example, open_tasks
from tests.prolific import arrival

# The bytes and the layout are the same whatever database the text comes from.
pytestmark = [pytest.mark.e2e, pytest.mark.embedded]
FIRST, NEXT = 30_000, 15_000
RECEIVED = """performance.getEntriesByType("navigation")
    .concat(performance.getEntriesByType("resource"))
    .reduce((sum, entry) => sum + entry.transferSize, 0)"""
# Counted from the start of the page: what moved without anybody having touched it.
SHIFTS = """() => new Promise(done => new PerformanceObserver(list => {
    done(list.getEntries().reduce((sum, shift) => sum + shift.value, 0));
}).observe({type: "layout-shift", buffered: true}) || setTimeout(() => done(0), 200))"""


class Secured(NamedTuple):
    """An installation behind the proxy of docker-compose.yml, and the proxy's certificate."""

    site: Installation
    certificate: Path


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    folder = tmp_path_factory.mktemp("behind-a-proxy")
    address = f"https://localhost:{free_port()}"
    with (
        running_installation(folder / "data", worker=False, SITE_URL=address) as installation,
        proxy_before(installation, folder / "proxy") as certificate,
    ):
        yield Secured(installation, certificate)


@pytest.fixture
def site(secured: Secured) -> Installation:
    return secured.site


def test_researcher_logs_in_over_https(secured: Secured) -> None:
    address = secured.site.environment["SITE_URL"]
    with requests.Session() as session:
        session.trust_env = False  # a bundle named there would win over the certificate
        session.verify = str(secured.certificate)
        # The proxy makes its certificate when it is already listening.
        session.mount(address, HTTPAdapter(max_retries=Retry(total=12, backoff_factor=0.1)))
        form = session.get(f"{address}/login/", timeout=30)
        token = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', form.text)[0]
        name, password = secured.site.researcher
        answer = session.post(
            f"{address}/login/",
            data={"csrfmiddlewaretoken": token, "username": name, "password": password},
            headers={"Referer": f"{address}/login/"},
            timeout=30,
        )
        assert (answer.status_code, answer.url) == (200, f"{address}/")
        assert all(cookie.secure for cookie in session.cookies)
        assert "__Host-sessionid" in session.cookies
        assert answer.headers["Strict-Transport-Security"] == "max-age=2592000"
        assert answer.headers["Content-Encoding"] == "gzip"


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


@pytest.mark.parametrize("study", ["empathy", "slider", "everything"])
def test_pages_are_small_and_nothing_on_them_moves(
    site: Installation, page: Page, tmp_path: Path, study: str
) -> None:
    if study == "empathy":
        slug = open_example(site, tmp_path, slug="sizes-example")
    else:
        slug = open_tasks(site, tmp_path, study, slug=f"sizes-{study}")
    address = site.environment["SITE_URL"]
    link = f"{address}/s/{slug}/{arrival('somebody', study='study1', session='session1')}"
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
