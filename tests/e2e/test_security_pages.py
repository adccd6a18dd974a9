"""Security as a researcher meets it in a browser: an app, recovery codes and a passkey.

One walk, and one that fails at the second step; axe-core finds nothing to object to, by day and by
night, and no page is wider than a phone. Chromium brings the device that keeps the passkey.
"""

import time
from collections.abc import Callable, Iterator

import pytest
from allauth.mfa import app_settings
from allauth.mfa.totp.internal.auth import (
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from playwright.sync_api import Page, Route, expect

from tests.e2e.axe import in_both_schemes
from tests.e2e.installation import Installation, running_installation
from tests.e2e.test_judge_pages import is_too_wide, log_in

# What a browser makes of pages; test_second_factor.py has the rest.
pytestmark = pytest.mark.embedded
#: Seconds in which a code is entered and has reached the site, however busy the machine is.
LONGEST_ENTRY = 10
DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with running_installation(tmp_path_factory.mktemp("security"), worker=False) as running:
        yield running


def attach_device(page: Page) -> str:
    """Give the browser a device for passkeys. Returns the device's id."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    device = devtools.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    return str(device["authenticatorId"])


def new_account(site: Installation, name: str) -> str:
    """A superuser with the researcher's password. Returns the name."""
    account = ("createsuperuser", "--no-input", "--username", name, "--email", f"{name}@x.org")
    site.manage(*account, DJANGO_SUPERUSER_PASSWORD=site.researcher[1])
    return name


Look = Callable[[str], None]


def pass_by(name: str) -> None:
    """Another test looks at the page."""


def code_with_time_left(secret: str) -> str:
    """What an app shows. A code ends with its half minute, so one that ends soon is waited out."""
    left = app_settings.TOTP_PERIOD - time.time() % app_settings.TOTP_PERIOD
    if left < LONGEST_ENTRY:
        time.sleep(left)
    [counter] = yield_hotp_counters_from_time()
    return str(format_hotp_value(hotp_value(secret, counter)))


def set_up_app(page: Page, look: Look = pass_by) -> list[str]:
    """From the page Security. Returns the recovery codes."""
    page.get_by_role("link", name="Set up app").click()
    look("app")
    secret = page.get_by_label("Secret, if you can't scan").input_value()
    page.get_by_label("Code that the app shows").fill(code_with_time_left(secret))
    page.get_by_role("button", name="Set up app").click()
    expect(page.get_by_text("Your authenticator app is set up.")).to_be_visible()
    look("recovery codes")
    codes = page.locator("#recovery-codes").inner_text().split()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download codes").click()
    assert download.value.path().read_text("utf-8").split() == codes and len(codes) == 10
    page.reload()
    look("recovery codes, hidden")
    page.get_by_role("link", name="Make new codes").click()
    look("new recovery codes")
    page.get_by_role("link", name="Back to Security").click()
    return codes


def add_passkey(page: Page, look: Look = pass_by) -> None:
    """From the page Security, and given another name."""
    page.get_by_role("link", name="Add passkey").click()
    look("add a passkey")
    page.get_by_label("Name").fill("My laptop")
    page.get_by_role("button", name="Add passkey").click()
    expect(page.get_by_text("The passkey is added.")).to_be_visible()
    look("all set up")
    page.get_by_role("link", name="Add passkey").click()
    page.get_by_role("button", name="Add passkey").click()
    expect(page.get_by_text("This device already has a passkey of your account.")).to_be_visible()
    page.get_by_role("link", name="Back to Security").click()
    page.get_by_role("link", name="Rename My laptop").click()
    look("rename a passkey")
    page.get_by_label("Name").fill("Office")
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("link", name="Remove Office").click()
    look("remove a passkey")


def test_researcher_sets_up_an_app_and_a_passkey_and_logs_in_with_them(
    site: Installation, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    found: dict[str, list[str]] = {}

    def look(name: str) -> None:
        found[name] = in_both_schemes(page)
        page.set_viewport_size({"width": 360, "height": 740})
        if is_too_wide(page):
            found[name].append("wider than a phone")
        page.set_viewport_size({"width": 1280, "height": 900})

    attach_device(page)
    log_in(site, page)
    page.get_by_role("link", name="Security").click()
    look("nothing set up")
    page.get_by_role("link", name="Change password").click()
    look("password")
    page.get_by_role("link", name="Back to Security").click()
    page.get_by_role("link", name="Sessions").click()
    log_in(site, new_page())
    page.reload()
    look("sessions")
    page.get_by_role("button", name="Log out all other sessions").click()
    expect(page.get_by_text("1 session logged out.")).to_be_visible()
    page.get_by_role("link", name="Back to Security").click()
    codes = set_up_app(page, look)
    add_passkey(page, look)

    page.get_by_role("button", name="Log out").click()
    log_in(site, page)
    expect(page.get_by_role("heading", name="Second step")).to_be_visible()
    look("second step")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("heading", name="Studies")).to_be_visible()

    page.context.clear_cookies()
    log_in(site, page)
    page.get_by_label("Code of your authenticator app").fill(codes[0])
    page.locator("main").get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Studies")).to_be_visible()

    page.goto(f"{site.url}/account/security/password-again/?next=/account/security/app/remove/")
    look("password again")
    page.get_by_label("Password").fill(site.researcher[1])
    page.get_by_role("button", name="Continue").click()
    look("remove the app")
    page.get_by_role("button", name="Remove app").click()
    expect(page.get_by_text("Your authenticator app is removed.")).to_be_visible()
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_second_step_without_the_passkey_and_after_wrong_codes(
    site: Installation, new_page: Callable[..., Page]
) -> None:
    name = new_account(site, "guarded")
    first = new_page()
    attach_device(first)
    log_in(site, first, name)
    first.get_by_role("link", name="Security").click()
    set_up_app(first)
    add_passkey(first)

    page = new_page()
    attach_device(page)
    log_in(site, page, name)
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_text("The browser got no passkey.")).to_be_visible()
    for number in range(5):
        page.get_by_label("Code of your authenticator app").fill(f"{number}")
        page.locator("main").get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Too many failed attempts")).to_be_visible()
    assert in_both_schemes(page) == []


def test_a_passkey_can_be_asked_for_once_its_scripts_are_there(
    site: Installation, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    attach_device(page)
    log_in(site, page, new_account(site, "early"))
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/onload*.js", hold)
    page.goto(f"{site.url}/account/security/passkeys/", wait_until="commit")
    add = page.get_by_role("button", name="Add passkey")
    expect(add).to_be_disabled()
    [script] = held
    script.continue_()
    expect(add).to_be_enabled()
