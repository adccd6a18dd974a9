"""Networks fail, fingers slip, people have several tabs and devices: nothing is lost or doubled."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
import requests
from playwright.sync_api import Page, expect

from tests.e2e.installation import Installation
from tests.e2e.person import OpenPage, Person, somebody
from tests.e2e.small import answer, at_last_page, choose, demographics, values_and_revisions
from tests.e2e.studies import open_small
from tests.prolific import prolific_id
from tests.servers.cutting_proxy import Cut, CuttingProxy

CUTS = pytest.mark.parametrize("cut", list(Cut), ids=[cut.name.lower() for cut in Cut])
#: What a browser makes of a network that fails and of its cookies: no database can matter.
BROWSERS = pytest.mark.embedded


@pytest.fixture(scope="module")
def small(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> str:
    return open_small(installation, tmp_path_factory.mktemp("small"), slug="small-faults")


@pytest.fixture
def network(installation: Installation) -> Iterator[CuttingProxy]:
    with CuttingProxy.before(installation.port) as proxy:
        yield proxy


class Traveller(Person):
    """Somebody who is connected by a network that fails."""

    network: CuttingProxy

    @property
    def link(self) -> str:
        return super().link.replace(self.installation.url, self.network.url)


def traveller(installation: Installation, slug: str, page: Page, network: CuttingProxy) -> Person:
    person = Traveller(**vars(somebody(installation, slug, page)))
    person.network = network
    return person


def lose_connection(person: Person, network: CuttingProxy, button: str, cut: Cut) -> None:
    """Press a button whose request, or the answer to it, is lost on the way."""
    network.cut = cut
    with person.page.expect_event("requestfailed"):
        person.page.get_by_role("button", name=button, exact=True).click()
    person.page.wait_for_url("chrome-error://chromewebdata/")
    network.cut = None


# ── The network ──────────────────────────────────────────────────────────────────────────────


@BROWSERS
@CUTS
@pytest.mark.parametrize("javascript", [True, False], ids=["javascript", "no javascript"])
def test_page_lost_on_the_way_is_sent_again_by_going_back(
    installation: Installation,
    small: str,
    new_page: OpenPage,
    network: CuttingProxy,
    cut: Cut,
    javascript: bool,
) -> None:
    person = traveller(installation, small, new_page(javascript=javascript), network)
    person.begin()
    choose(person, "3")
    lose_connection(person, network, "Continue", cut)
    assert values_and_revisions(person) == ([(3, 0)] * 3 if cut is Cut.AFTER else [])
    person.page.go_back()  # the browser's own page of an error took the place of the block
    person.press("Start")
    kept = javascript or cut is Cut.AFTER
    assert person.chosen() == (["3", "3", "3"] if kept else [])
    if not kept:
        choose(person, "3")
    person.press("Continue")
    assert person.number == 3
    assert values_and_revisions(person) == [(3, 0)] * 3


@BROWSERS
@CUTS
def test_page_lost_on_the_way_is_sent_again_by_loading_it_again(
    installation: Installation, small: str, new_page: OpenPage, network: CuttingProxy, cut: Cut
) -> None:
    person = traveller(installation, small, new_page(), network)
    person.begin()
    choose(person, "1", last="3")
    lose_connection(person, network, "Continue", cut)
    person.page.reload()
    assert person.number == 3
    assert values_and_revisions(person) == [(1, 0), (1, 0), (3, 0)]


@BROWSERS
@CUTS
def test_after_a_lost_page_the_study_link_leads_to_where_the_answers_end(
    installation: Installation, small: str, new_page: OpenPage, network: CuttingProxy, cut: Cut
) -> None:
    person = traveller(installation, small, new_page(), network)
    person.begin()
    choose(person, "2")
    lose_connection(person, network, "Continue", cut)
    person.move_to(new_page(phone=True))
    assert person.number == (3 if cut is Cut.AFTER else 2)


@CUTS
def test_last_page_lost_on_the_way_loses_neither_answers_nor_code(
    installation: Installation, small: str, new_page: OpenPage, network: CuttingProxy, cut: Cut
) -> None:
    person = at_last_page(traveller(installation, small, new_page(), network))
    lose_connection(person, network, "Finish", cut)
    assert person.status() == ("completed" if cut is Cut.AFTER else "in_progress")
    person.page.reload()
    expect(person.page.locator("output")).to_have_text("DONE1")
    assert demographics(person) == [("age", "37"), ("state", '"Ohio"')]


@CUTS
def test_consent_lost_on_the_way_is_given_once(
    installation: Installation, small: str, new_page: OpenPage, network: CuttingProxy, cut: Cut
) -> None:
    person = traveller(installation, small, new_page(), network)
    person.arrive()
    person.page.get_by_role("checkbox").check()
    lose_connection(person, network, "Take part", cut)
    assert person.status() == ("in_progress" if cut is Cut.AFTER else "arrived")
    person.page.reload()
    assert person.status() == "in_progress"
    expect(person.page.get_by_text("Rate each reply on its own.")).to_be_visible()
    assert len(person.stored_orders()) == 4


# ── Buttons of the browser ───────────────────────────────────────────────────────────────────


@BROWSERS
def test_loading_a_page_with_errors_again_shows_the_same_errors(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = somebody(installation, small, new_page())
    person.begin()
    person.choose("Very", item=0)
    person.press("Continue")
    for _ in range(2):
        expect(person.page.get_by_role("alert").get_by_role("link")).to_have_count(2)
        assert (person.chosen(), person.ratings()) == (["3"], [])
        person.page.reload()
    choose(person, "3")
    person.press("Continue")
    assert values_and_revisions(person) == [(3, 0)] * 3


def test_double_click_on_the_last_button_leads_to_the_code(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    for javascript in (True, False):
        person = at_last_page(somebody(installation, small, new_page(javascript=javascript)))
        person.page.get_by_role("button", name="Finish").dblclick()
        expect(person.page.locator("output")).to_have_text("DONE1")
        assert demographics(person) == [("age", "37"), ("state", '"Ohio"')]


def test_double_click_on_the_consent_button_begins_once(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    for javascript in (True, False):
        person = somebody(installation, small, new_page(javascript=javascript))
        person.arrive()
        person.page.get_by_role("checkbox").check()
        person.page.get_by_role("button", name="Take part", exact=True).dblclick()
        expect(person.page.get_by_text("Rate each reply on its own.")).to_be_visible()
        assert len(person.stored_orders()) == 4


@BROWSERS
def test_going_back_from_the_end_changes_nothing_and_leads_to_the_end_again(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = at_last_page(somebody(installation, small, new_page()))
    person.press("Finish")
    person.page.go_back()
    if person.page.get_by_label("How old are you?").is_visible():
        person.page.get_by_label("How old are you?").fill("99")
        person.press("Finish")
    expect(person.page.locator("output")).to_have_text("DONE1")
    assert ("age", "37") in demographics(person)


@BROWSERS
def test_going_back_to_the_consent_page_does_not_begin_again(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = somebody(installation, small, new_page())
    person.begin()
    orders = person.stored_orders()
    person.page.go_back()
    person.page.go_back()
    if person.page.get_by_role("checkbox").is_visible():
        person.press("I do not want to take part")
    assert person.status() == "in_progress"
    expect(person.page.get_by_text(re.compile("Page 2 of 7|Rate each reply"))).not_to_have_count(0)
    assert person.stored_orders() == orders


# ── Tabs and devices ─────────────────────────────────────────────────────────────────────────


def test_two_tabs_on_different_pages_lose_and_double_nothing(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = somebody(installation, small, new_page())
    person.begin()
    answer(person, "1")
    other = replace(person, page=person.page.context.new_page())
    other.page.goto(f"{installation.url}/s/{small}/page/2/")  # goes back in a second tab
    answer(person, "2")  # page 3 in the first
    choose(other, "3")
    other.press("Continue")
    assert other.number == 3
    assert other.chosen() == ["2"] * other.items.count()
    answer(person, "2")  # page 4 in the first
    assert person.number == 5
    changed = [(value, revisions) for _, value, revisions in person.ratings() if revisions]
    assert changed == [(3, 1)] * 3
    assert len(person.ratings()) in (6, 9)  # one of the three pages may be the check


def test_same_page_open_twice_ends_with_what_was_sent_last(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = somebody(installation, small, new_page())
    person.begin()
    other = replace(person, page=new_page(phone=True))
    other.arrive()
    other.agree()
    assert other.number == person.number == 2
    choose(other, "1")
    answer(person, "3")
    other.press("Continue")
    assert other.number == person.number == 3
    assert values_and_revisions(person) == [(1, 1)] * 3


def test_page_that_another_device_has_passed_leads_on(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = at_last_page(somebody(installation, small, new_page()))
    other = replace(person, page=new_page(phone=True))
    other.arrive()
    other.agree()
    person.press("Finish")
    other.page.get_by_label("How old are you?").fill("99")
    other.press("Finish")
    expect(other.page.locator("output")).to_have_text("DONE1")
    assert ("age", "37") in demographics(person)


# ── Cookies ──────────────────────────────────────────────────────────────────────────────────


@BROWSERS
def test_cookies_cleared_midway_are_told_and_the_link_goes_on(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = somebody(installation, small, new_page())
    person.begin()
    answer(person, "1")
    answer(person, "2")
    choose(person, "3")
    stored = person.ratings()
    person.page.context.clear_cookies()
    person.press("Continue")
    heading = person.page.get_by_role("heading", level=1)
    expect(heading).to_have_text("Your browser did not send its cookie")
    person.page.goto(f"{installation.url}/s/{small}/page/4/")
    expect(heading).to_have_text("Please open your study link again")
    person.arrive()
    person.agree()
    assert person.number == 4
    assert person.ratings() == stored


@BROWSERS
def test_expired_cookie_of_the_person_alone_is_told_too(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = somebody(installation, small, new_page())
    person.begin()
    choose(person, "3")
    person.page.context.clear_cookies(name=f"fivefold-{small}")
    person.press("Continue")
    expect(person.page.get_by_role("heading", level=1)).to_have_text(
        "Please open your study link again"
    )
    expect(person.page.get_by_text("Help and support")).to_be_visible()
    assert person.ratings() == []
    person.arrive()
    person.agree()
    answer(person, "3")
    assert values_and_revisions(person) == [(3, 0)] * 3


@BROWSERS
def test_browser_that_refuses_cookies_gets_a_clear_page_and_stores_nothing(
    installation: Installation, small: str
) -> None:
    person = prolific_id(f"{small} refuses")
    link = f"{installation.url}/s/{small}/?PROLIFIC_PID={person}"
    for _ in range(2):
        arrival = requests.get(link, allow_redirects=False, timeout=30)
        page = requests.get(installation.url + arrival.headers["Location"], timeout=30)
        assert page.status_code == 403
        assert "cookies were cleared or refused" in " ".join(page.text.split())
    rows = installation.query(
        "SELECT status FROM survey_participant JOIN survey_identity"
        " ON survey_identity.participant_id = survey_participant.id WHERE key = %s",
        [person],
    )
    assert rows == [("arrived",)]
