"""The comprehension check and training items in a real browser, over networks and servers that
fail.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import in_both_schemes
from tests.e2e.installation import Installation, running_installation
from tests.e2e.person import OpenPage, Person, as_list, go_on, somebody
from tests.e2e.studies import open_small
from tests.servers.cutting_proxy import Cut, CuttingProxy
from tests.survey import small_study

BROWSERS = pytest.mark.embedded  # what a browser makes of it: no database can matter
RIGHT = ("Each reply on its own", "A person in need")
TWICE = small_study.TRAINING.replace("training:", "training:\n  attempts: 2")
BOTH = small_study.COMPREHENSION + TWICE


@pytest.fixture(scope="module")
def both(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("both")
    return open_small(installation, folder, slug="small-both", more=BOTH)


def at_questions(installation: Installation, slug: str, page: Page) -> Person:
    """Somebody who has just read the instructions."""
    person = somebody(installation, slug, page)
    person.begin()
    return person


def choose(page: Page, *options: str) -> None:
    for option in options:
        page.get_by_label(option, exact=True).check()


def attempts(person: Person) -> list[tuple[int, bool]]:
    rows = person.about_me(
        "SELECT number, passed FROM survey_comprehensionattempt JOIN survey_identity"
        " ON survey_identity.participant_id = survey_comprehensionattempt.participant_id"
        " WHERE key = %s ORDER BY number"
    )
    return [(number, bool(passed)) for number, passed in rows]


def tries(person: Person) -> list[list[int]]:
    rows = person.about_me(
        "SELECT ratings FROM survey_trainingattempt JOIN survey_identity"
        " ON survey_identity.participant_id = survey_trainingattempt.participant_id"
        " WHERE key = %s ORDER BY survey_trainingattempt.id"
    )
    return [[each["warmth"] for each in as_list(ratings)] for (ratings,) in rows]


def expect_focus_on_the_result(page: Page, says: str) -> None:
    result = page.get_by_role("status").filter(has_text=says)
    expect(result).to_be_focused()
    assert page.evaluate("document.activeElement.getBoundingClientRect().top") >= 0


# ── By hand, with and without a script ───────────────────────────────────────────────────────


@BROWSERS
@pytest.mark.parametrize("javascript", [True, False], ids=["javascript", "no javascript"])
def test_person_on_a_phone_gets_from_the_questions_to_the_first_block(
    installation: Installation, both: str, new_page: OpenPage, javascript: bool
) -> None:
    page = new_page(phone=True, javascript=javascript)
    person = at_questions(installation, both, page)
    choose(page, RIGHT[0], "Nobody")
    person.press("Continue")
    expect(page.get_by_text("Rate each reply on its own.")).to_be_visible()
    if javascript:  # without a script the focus can't be asked for
        expect_focus_on_the_result(page, "Not all of your answers were right")
    page.get_by_role("link", name="Who reads the replies?").click()
    expect(page.get_by_label(RIGHT[0])).to_be_checked()
    expect(page.get_by_label("Nobody")).not_to_be_checked()
    choose(page, RIGHT[1])
    person.press("Continue")
    expect(page.get_by_text("Practice 1 of 2.")).to_be_visible()
    person.answer("Very", "Somewhat")
    if javascript:
        expect_focus_on_the_result(page, "You chose “Very”. This is outside the expected range.")
    expect(page.get_by_text("It passes over the grief.")).to_be_visible()
    assert person.chosen() == ["2"]
    person.answer("Not at all", "Somewhat")
    if javascript:
        expect_focus_on_the_result(page, "All your ratings are within the expected range")
    expect(page.get_by_text("Experts")).to_have_count(2)
    person.press("Continue")
    person.answer("Somewhat")
    person.press("Continue")
    assert person.is_at_block()
    assert person.number == 5
    assert attempts(person) == [(1, False), (2, True)]
    assert tries(person) == [[3, 2], [1, 2], [2]]
    assert person.ratings() == []


@BROWSERS
def test_whole_way_works_by_keyboard(
    installation: Installation, both: str, new_page: OpenPage
) -> None:
    page = new_page()
    person = at_questions(installation, both, page)
    choose(page, *RIGHT)
    person.press("Continue")
    for _ in range(2):
        page.locator("input[type=radio]").first.focus()
        page.keyboard.press("Space")
        groups = page.locator("article fieldset").count()
        for _group in range(1, groups):
            page.keyboard.press("Tab")
            page.keyboard.press("ArrowDown")
        page.get_by_role("button", name="Continue").focus()
        with page.expect_navigation(wait_until="domcontentloaded"):
            page.keyboard.press("Enter")
        expect_focus_on_the_result(page, "the expected range")
        page.keyboard.press("Tab")  # to the next thing
        assert page.evaluate("document.activeElement.textContent") == "Continue"
        with page.expect_navigation(wait_until="domcontentloaded"):
            page.keyboard.press("Enter")
    assert person.is_at_block()


@BROWSERS
@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_axe_finds_nothing_on_any_of_the_pages(
    installation: Installation, both: str, new_page: OpenPage, phone: bool
) -> None:
    page = new_page(phone=phone)
    found: dict[str, list[str]] = {}

    def look(state: str) -> None:
        found[state] = in_both_schemes(page)
        wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not wide, f"{state}: wider than the window"

    person = at_questions(installation, both, page)
    look("questions")
    go_on(page)
    look("questions, not answered")
    choose(page, RIGHT[0], "Nobody")
    go_on(page)
    look("second attempt")
    go_on(page)
    look("second attempt, not answered")
    choose(page, RIGHT[1])
    go_on(page)
    look("item")
    go_on(page)
    look("item, not answered")
    person.answer("Very", "Not at all")
    look("item, second try")
    person.answer("Very", "Somewhat")
    look("feedback")
    other = at_questions(installation, both, new_page(phone=phone))
    page = other.page
    for _ in range(2):
        choose(page, "The best reply only", "Nobody")
        go_on(page)
    look("end")
    assert {state: faults for state, faults in found.items() if faults} == {}


# ── What fails ───────────────────────────────────────────────────────────────────────────────


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


def travelling(installation: Installation, slug: str, page: Page, network: CuttingProxy) -> Person:
    person = Traveller(**vars(somebody(installation, slug, page)))
    person.network = network
    person.begin()
    return person


def lose(person: Person, network: CuttingProxy, cut: Cut) -> None:
    """Press Continue; the request, or the answer to it, is lost on the way."""
    network.cut = cut
    with person.page.expect_event("requestfailed"):
        person.page.get_by_role("button", name="Continue", exact=True).click()
    person.page.wait_for_url("chrome-error://chromewebdata/")
    network.cut = None


@BROWSERS
@pytest.mark.parametrize("cut", list(Cut), ids=[cut.name.lower() for cut in Cut])
def test_attempt_lost_on_the_way_counts_once(
    installation: Installation, both: str, new_page: OpenPage, network: CuttingProxy, cut: Cut
) -> None:
    person = travelling(installation, both, new_page(), network)
    choose(person.page, RIGHT[0], "Nobody")
    lose(person, network, cut)
    assert attempts(person) == ([(1, False)] if cut is Cut.AFTER else [])
    person.page.reload()  # the browser sends the form again
    expect(person.page.get_by_text("This is your last attempt")).to_be_visible()
    assert attempts(person) == [(1, False)]
    # The draft of the first attempt does not come back into the second.
    assert person.chosen() == [RIGHT[0]]
    choose(person.page, RIGHT[1])
    lose(person, network, cut)
    person.page.reload()
    assert attempts(person) == [(1, False), (2, True)]
    assert person.number == 3


@BROWSERS
def test_button_of_the_browser_gives_no_further_attempt(
    installation: Installation, both: str, new_page: OpenPage
) -> None:
    page = new_page()
    person = at_questions(installation, both, page)
    choose(page, RIGHT[0], "Nobody")
    person.press("Continue")
    page.go_back()
    page.go_forward()
    page.reload()
    expect(page.get_by_text("This is your last attempt")).to_be_visible()
    choose(page, "Nobody")
    person.press("Continue")
    expect(page.get_by_role("heading", name="The study ends here")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="The study ends here")).to_be_visible()
    person.move_to(new_page(phone=True))
    expect(person.page.get_by_role("heading", name="Questions about")).to_have_count(0)
    assert attempts(person) == [(1, False), (2, False)]
    assert person.status() == "failed_comprehension"


def test_server_that_is_killed_loses_no_attempt_and_gives_no_third_one(
    tmp_path: Path, new_page: OpenPage
) -> None:
    with running_installation(tmp_path / "own", worker=False) as own:
        (tmp_path / "study").mkdir()
        slug = open_small(own, tmp_path / "study", slug="small-killed", more=BOTH)
        page = new_page()
        person = at_questions(own, slug, page)
        for number in (1, 2):
            choose(page, "The best reply only", "Nobody")
            person.press("Continue")
            own.kill("web")
            assert attempts(person) == [(n, False) for n in range(1, number + 1)]
            own.start("web")
            page.reload()
        expect(page.get_by_role("heading", name="The study ends here")).to_be_visible()
        assert person.status() == "failed_comprehension"
        other = at_questions(own, slug, new_page())
        choose(other.page, *RIGHT)
        other.press("Continue")
        other.answer("Very", "Somewhat")
        own.kill("web")
        own.start("web")
        other.page.reload()
        expect(other.page.get_by_text("This is outside the expected range")).to_be_visible()
        assert tries(other) == [[3, 2]]
