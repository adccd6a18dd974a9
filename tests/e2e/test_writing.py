"""How a free answer is written, in a real Chromium: typed, pasted, moved, dropped, filled in.

What is counted arrives with the answer, also after a failed network and a reload.
"""

import json
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect

from survey.paradata import WRITING
from tests.e2e.installation import Installation
from tests.e2e.person import OpenPage, Person, somebody
from tests.e2e.studies import open_tasks

# What a browser measures; test_writing.py of the survey stores it on every database.
pytestmark = pytest.mark.embedded
OTHERS = "The second response names what hurts before it gives any advice."
CLOSING = {"kind": "text", "name": "wish", "question": "What was missing?"}


@pytest.fixture(scope="module")
def study(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> str:
    return open_tasks(
        installation,
        tmp_path_factory.mktemp("writing"),
        "likert",
        slug="writing",
        comment="Anything to add?",
        closing=[CLOSING],
        record_writing=True,
    )


def at_remark(installation: Installation, slug: str, page: Page) -> Person:
    """Somebody who has rated the responses and may write a remark."""
    person = somebody(installation, slug, page)
    person.begin()
    for item in range(2):
        person.choose("Very", item=item)
    return person


def written(person: Person) -> dict[str, dict[str, Any]]:
    """What is stored of each free answer: its text, and how it was written."""
    names = ("name", "text", *WRITING)
    rows = person.about_me(
        f"SELECT {', '.join(names)} FROM survey_freeanswer JOIN survey_identity"
        " ON survey_identity.participant_id = survey_freeanswer.participant_id WHERE key = %s"
    )
    return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


def remark(page: Page) -> Any:
    return page.get_by_role("textbox", name="Anything to add?")


def copy_elsewhere(page: Page, text: str) -> None:
    """Copy a text on another page of the same browser."""
    other = page.context.new_page()
    other.set_content(f"<textarea>{text}</textarea>")
    other.locator("textarea").select_text()
    other.keyboard.press("Control+C")
    other.close()
    page.bring_to_front()


def leave_for(page: Page, milliseconds: int) -> None:
    """Work in another window. Playwright's pages always have the focus, so events have to do."""
    page.evaluate("dispatchEvent(new Event('blur'))")
    page.clock.run_for(milliseconds)
    page.evaluate("dispatchEvent(new Event('focus'))")


def test_typing_is_counted_with_its_time(
    installation: Installation, study: str, new_page: OpenPage
) -> None:
    page = new_page()
    page.clock.install()
    person = at_remark(installation, study, page)
    remark(page).click()
    for letter in "It listens. 好":
        page.clock.run_for(200)
        page.keyboard.type(letter)
    page.clock.run_for(60_000)  # a thought, of which ten seconds count as typing
    page.keyboard.type("!!")
    page.keyboard.press("Backspace")
    person.press("Continue")
    stored = written(person)["comment"]
    assert stored["text"] == "It listens. 好!"
    counts = {name: stored[name] for name in WRITING if not name.endswith("seconds")}
    assert counts.pop("keystrokes") >= 15  # a letter that no key has is inserted without one
    expected = dict.fromkeys(counts, 0)
    assert counts == expected | {"typed_characters": 15, "deletions": 1, "largest_insertion": 1}
    assert 10 + 2.6 <= stored["typing_seconds"] < 20
    assert 62 <= stored["focus_seconds"] < 90
    assert stored["away_seconds"] == 0


def test_paste_after_leaving_is_told_from_moving_ones_own_words(
    installation: Installation, study: str, new_page: OpenPage
) -> None:
    page = new_page()
    page.clock.install()
    person = at_remark(installation, study, page)
    area = remark(page)
    area.click()
    page.keyboard.type("one two")
    page.keyboard.press("Control+A")
    page.keyboard.press("Control+X")
    page.keyboard.press("Control+V")
    copy_elsewhere(page, OTHERS)
    leave_for(page, 30_000)
    page.keyboard.press("Control+V")
    expect(area).to_have_value("one two" + OTHERS)
    person.press("Continue")
    stored = written(person)["comment"]
    assert stored["text"] == "one two" + OTHERS
    assert (stored["typed_characters"], stored["own_pastes"], stored["deletions"]) == (7, 1, 1)
    assert (stored["pastes"], stored["pasted_characters"]) == (1, len(OTHERS))
    assert stored["largest_insertion"] == stored["returned_characters"] == len(OTHERS)
    assert (stored["focus_losses"], stored["autofills"]) == (1, 0)
    assert 30 <= stored["away_seconds"] < 45


def test_text_that_is_quoted_from_the_page_comes_from_nowhere_else(
    installation: Installation, study: str, new_page: OpenPage
) -> None:
    page = new_page()
    person = at_remark(installation, study, page)
    response = page.locator("[data-response]").first
    response.evaluate("one => getSelection().selectAllChildren(one)")
    page.keyboard.press("Control+C")
    remark(page).click()
    page.keyboard.press("Control+V")
    person.press("Continue")
    stored = written(person)["comment"]
    assert (stored["own_pastes"], stored["pastes"], stored["largest_insertion"]) == (1, 0, 0)


def test_drops_and_what_scripts_fill_in_are_counted(
    installation: Installation, study: str, new_page: OpenPage
) -> None:
    page = new_page()
    person = at_remark(installation, study, page)
    area = remark(page)
    area.click()
    page.keyboard.type("ab")
    # What an extension does, with and without telling the page; and a drop from another program.
    area.evaluate("one => { one.value += 'cdef'; one.dispatchEvent(new Event('input')); }")
    area.evaluate("one => { one.value += 'gh'; }")
    area.evaluate(
        """one => {
            one.dispatchEvent(new InputEvent('beforeinput', {inputType: 'insertFromDrop'}));
            one.value += 'dropped';
            one.dispatchEvent(new InputEvent('input', {inputType: 'insertFromDrop'}));
        }"""
    )
    person.press("Continue")
    stored = written(person)["comment"]
    assert stored["text"] == "abcdefghdropped"
    assert (stored["autofills"], stored["autofilled_characters"]) == (2, 6)
    assert (stored["drops"], stored["dropped_characters"]) == (1, 7)
    assert stored["largest_insertion"] == 7


def test_counts_outlast_a_failed_network_and_a_reload_and_add_up_over_visits(
    installation: Installation, study: str, new_page: OpenPage
) -> None:
    page = new_page()
    person = at_remark(installation, study, page)
    remark(page).click()
    page.keyboard.type("abc")
    address = page.url
    page.context.set_offline(True)
    with page.expect_event("load"):  # the browser's own page says that there is no network
        page.get_by_role("button", name="Continue").click()
    page.context.set_offline(False)
    page.goto(address)
    assert written(person) == {}
    expect(remark(page)).to_have_value("abc")
    remark(page).press("End")
    page.keyboard.type("de")
    page.reload()
    kept = page.evaluate("sessionStorage.getItem('fivefold-unsent')")
    assert json.loads(json.loads(kept)["pages"]["2"]["measured"]["writing-comment"])
    person.press("Continue")
    assert written(person)["comment"]["typed_characters"] == 5

    page.get_by_role("textbox", name="What was missing?").click()
    page.keyboard.type("More time.")
    person.follow("Back")
    remark(page).press("End")
    page.keyboard.type("f")
    person.press("Continue")
    person.press("Continue")
    stored = written(person)
    assert (stored["comment"]["text"], stored["comment"]["typed_characters"]) == ("abcdef", 6)
    assert (stored["wish"]["text"], stored["wish"]["typed_characters"]) == ("More time.", 10)


def test_without_a_script_nothing_is_known_of_the_writing(
    installation: Installation, study: str, new_page: OpenPage
) -> None:
    page = new_page(javascript=False)
    person = at_remark(installation, study, page)
    remark(page).fill("Nothing.")
    person.press("Continue")
    stored = written(person)["comment"]
    assert stored["text"] == "Nothing."
    assert [stored[name] for name in WRITING] == [None] * len(WRITING)


def note_address(addresses: list[str], request: Request) -> None:
    addresses.append(request.url)


def test_script_is_loaded_only_where_participants_are_told(
    installation: Installation,
    study: str,
    new_page: OpenPage,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("quiet")
    quiet = open_tasks(installation, folder, "likert", slug="quiet", comment="Anything to add?")
    for slug, told in ((study, True), (quiet, False)):
        page = new_page()
        loaded: list[str] = []
        page.on("request", partial(note_address, loaded))
        person = somebody(installation, slug, page)
        person.arrive()
        notice = page.get_by_role("heading", name="What is recorded while you write")
        expect(notice).to_have_count(int(told))
        person.agree()
        person.press("Start")
        assert any("writing" in url and url.endswith(".js") for url in loaded) is told
