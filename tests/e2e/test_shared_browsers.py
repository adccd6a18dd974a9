"""Several people in one browser, by turns or side by side: nobody answers for another."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests.e2e.installation import Installation
from tests.e2e.person import OpenPage, Person, somebody
from tests.e2e.small import answer, at_last_page, choose, values_and_revisions
from tests.e2e.studies import open_small
from tests.prolific import prolific_id

# What a browser makes of its cookies; test_other_browsers.py is about the database.
pytestmark = pytest.mark.embedded


@pytest.fixture(scope="module")
def small(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> str:
    return open_small(installation, tmp_path_factory.mktemp("small"), slug="small-shared")


def in_another_tab(person: Person) -> Person:
    """Somebody with another Prolific ID in a new tab of the same browser."""
    return replace(after(person), page=person.page.context.new_page())


def after(person: Person) -> Person:
    """Somebody with another Prolific ID who comes in the same browser."""
    return replace(person, prolific_id=prolific_id(f"after {person.prolific_id}"))


def expect_somebody_else(person: Person) -> None:
    expect(person.page.get_by_role("heading", level=1)).to_have_text(
        "Another person has opened the study in this browser"
    )


@pytest.mark.parametrize("javascript", [True, False], ids=["javascript", "no javascript"])
def test_page_left_open_is_not_recorded_for_the_person_who_came_after(
    installation: Installation, small: str, new_page: OpenPage, javascript: bool
) -> None:
    first = somebody(installation, small, new_page(javascript=javascript))
    first.begin()
    choose(first, "3")
    second = in_another_tab(first)
    second.begin()
    first.press("Continue")
    expect_somebody_else(first)
    expect(first.page.get_by_text("Help and support")).to_be_visible()
    assert (first.ratings(), second.ratings()) == ([], [])
    answer(second, "1")  # goes on undisturbed
    assert second.number == 3
    first.arrive()
    first.agree()
    assert (first.number, first.chosen()) == (2, [])  # what was not sent is nobody else's to see
    choose(first, "3")
    first.press("Continue")
    assert values_and_revisions(first) == [(3, 0)] * 3
    assert values_and_revisions(second) == [(1, 0)] * 3
    second.press("Continue")  # now it is the second whose page is left open
    expect_somebody_else(second)
    second.arrive()
    second.agree()
    assert second.number == 3


def test_consent_left_open_is_neither_given_nor_declined_for_the_person_who_came_after(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    for button in ("Take part", "I do not want to take part"):
        first = somebody(installation, small, new_page())
        first.arrive()
        first.page.get_by_role("checkbox").check()
        second = in_another_tab(first)
        second.arrive()
        first.press(button)
        expect_somebody_else(first)
        assert (first.status(), second.status()) == ("arrived", "arrived")
        second.begin()
        first.arrive()
        first.press("I do not want to take part")
        assert (first.status(), second.status()) == ("declined", "in_progress")


def test_stopping_on_a_page_left_open_deletes_nothing_of_the_person_who_came_after(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    first = somebody(installation, small, new_page())
    first.begin()
    second = in_another_tab(first)
    second.begin()
    first.follow("Stop here")
    expect_somebody_else(first)
    first.arrive()
    first.agree()
    first.follow("Stop here")
    first.follow("Stop and delete my answers")
    second.arrive()
    second.agree()
    first.press("Delete everything")  # asked for with the first one's own link
    assert second.status() == "in_progress"
    assert first.about_me("SELECT 1 FROM survey_identity WHERE key = %s") == []
    second.page.reload()
    assert second.number == 2


def test_person_after_person_at_one_computer_each_gets_their_own_pages(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    first = at_last_page(somebody(installation, small, new_page()))
    first.press("Finish")
    second = after(first)
    second.begin()
    answer(second, "1")
    first.arrive()
    first.agree()
    expect(first.page.locator("output")).to_have_text("DONE1")
    second.arrive()
    second.agree()
    assert second.number == 3
    assert first.stored_orders() != [] != second.stored_orders()
    assert (first.status(), second.status()) == ("completed", "in_progress")
    assert [value for _, value, _ in second.ratings()] == [1, 1, 1]


def test_invited_person_and_somebody_from_prolific_are_two_in_either_order(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    page = new_page()
    person = somebody(installation, small, page)
    earlier, later = installation.manage("invite", small, "--count", "2").stdout.split()
    for link, blocks in ((earlier, 1), (person.link, 2), (later, 3)):
        page.goto(link)
        page.get_by_role("checkbox").check()
        person.press("Take part")
        person.press("Start")
        for _ in range(blocks):
            answer(person, "1")
    for link, number in ((earlier, 3), (person.link, 4), (later, 5)):
        page.goto(link)
        if link == person.link:
            person.agree()
        assert person.number == number


def test_open_link_leads_to_whom_the_browser_knows(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = somebody(installation, small, new_page())
    person.begin()
    other = person.page.context.new_page()
    other.goto(f"{installation.url}/s/{small}/")
    assert replace(person, page=other).number == 2
    answer(person, "3")  # the same person in both tabs
    assert person.number == 3
