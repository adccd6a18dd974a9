"""Real processes and a real browser.

`installation` is shared by the tests of one worker of pytest-xdist: a test that stops, kills or
reconfigures something starts its own with `running_installation`. So does one that needs a worker,
which would analyse every other test's study first.
"""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from tests import services
from tests.e2e.installation import Installation, running_installation

PHONE = ViewportSize(width=360, height=740)
DESKTOP = ViewportSize(width=1280, height=900)
#: On a busy machine a page takes its time; who waits for what is there already loses none.
PATIENCE_MS = 30_000
expect.set_options(timeout=PATIENCE_MS)
# Chromium runs as root here and there, and must not look for hosts of its maker.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with running_installation(tmp_path_factory.mktemp("installation"), worker=False) as running:
        yield running


# Not for the session: while Playwright's loop runs, Django's ORM refuses to work in this process.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = services.CHROMIUM.find()
    assert program, "No Chromium: `make test` installs it, or name one: CHROMIUM=/path/to/it"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open a page in a browser without history: `new_page(phone=True, javascript=False)`.

    When the test ends: no script failed, and nobody but our own server was asked for anything.
    """
    contexts: list[BrowserContext] = []
    requested: list[str] = []
    script_errors: list[str] = []

    def open_page(*, phone: bool = False, javascript: bool = True) -> Page:
        context = browser.new_context(
            viewport=PHONE if phone else DESKTOP,
            is_mobile=phone,
            has_touch=phone,
            java_script_enabled=javascript,
        )
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: requested.append(request.url))
        page.on("pageerror", lambda error: script_errors.append(str(error)))
        page.set_default_timeout(PATIENCE_MS)
        return page

    yield open_page
    for context in contexts:
        context.close()
    elsewhere = [
        url
        for url in requested
        if not url.startswith(("http://localhost:", "https://localhost:", "data:", "blob:"))
    ]
    assert (script_errors, elsewhere) == ([], [])
