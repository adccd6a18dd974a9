"""Sliders: unset until somebody answers, and answered by pointer, by keys or in numbers."""

import pytest
from playwright.sync_api import expect

from tests.e2e.installation import Installation
from tests.e2e.person import OpenPage, at_block, go_on
from tests.e2e.stored import ratings
from tests.e2e.studies import open_tasks

# What a browser and its script make of a page: the database behind it cannot matter.
pytestmark = pytest.mark.embedded


@pytest.fixture(scope="module")
def plain(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A study with sliders."""
    return open_tasks(installation, tmp_path_factory.mktemp("plain"), "slider", slug="sliders")


@pytest.fixture(scope="module")
def checked(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A study with sliders and an attention check beside them."""
    folder = tmp_path_factory.mktemp("checked")
    return open_tasks(installation, folder, "slider-check", slug="sliders-checked")


def test_a_slider_starts_unset_and_a_tap_on_its_middle_counts(
    installation: Installation, plain: str, new_page: OpenPage
) -> None:
    page = new_page()
    person = at_block(installation, plain, page)
    lines = page.get_by_role("slider", name="How warm is this response?")
    for line in lines.all():
        expect(line).to_have_attribute("aria-valuetext", "No answer yet")
    lines.nth(0).click()  # the very middle
    expect(lines.nth(0)).to_have_attribute("aria-valuetext", "50")
    numbers = page.get_by_role("textbox", name="How warm is this response?")
    numbers.nth(1).fill("0")
    expect(lines.nth(1)).to_have_attribute("aria-valuetext", "0")
    assert lines.nth(1).input_value() == "0"
    numbers.nth(2).fill("101")
    expect(lines.nth(2)).to_have_attribute("aria-valuetext", "No answer yet")
    go_on(page)
    expect(page.get_by_role("alert").get_by_role("link")).to_have_text(
        ["Response 3: enter a whole number from 0 to 100"]
    )
    expect(page.get_by_role("slider").nth(0)).to_have_attribute("aria-valuetext", "50")
    page.get_by_role("textbox").nth(2).fill("100")
    go_on(page)
    assert [value for value, _ in ratings(person).values()] == [50, 0, 100]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *[("ArrowRight", "50"), ("ArrowLeft", "50"), ("ArrowUp", "50"), ("PageDown", "50")],
        *[("Home", "0"), ("End", "100")],
    ],
)
def test_the_first_key_on_an_unset_slider_begins_at_its_middle_or_at_an_end(
    installation: Installation, plain: str, new_page: OpenPage, key: str, value: str
) -> None:
    page = new_page()
    at_block(installation, plain, page)
    slider = page.locator(".slider").first
    line, number, how = (slider.locator(one) for one in ("[type=range]", "[type=text]", ".how"))
    expect(how).to_be_visible()
    line.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    expect(number).to_have_value("")  # passing by is no answer
    page.keyboard.press(key)
    expect(number).to_have_value(value)
    expect(line).to_have_attribute("aria-valuetext", value)
    expect(how).to_be_hidden()
    if value == "50":
        page.keyboard.press("ArrowRight")
        expect(number).to_have_value("51")
    number.fill("")
    expect(line).to_have_attribute("aria-valuetext", "No answer yet")
    expect(how).to_be_visible()
    line.focus()
    page.keyboard.press("ArrowRight")
    expect(number).to_have_value("50")  # not where it was before


@pytest.mark.parametrize("javascript", [True, False], ids=["javascript", "no javascript"])
def test_a_slider_says_its_range_and_how_to_answer(
    installation: Installation, checked: str, new_page: OpenPage, javascript: bool
) -> None:
    page = new_page(javascript=javascript)
    at_block(installation, checked, page)
    for slider in page.locator(".slider").all():
        expect(slider.get_by_text("0 Not at all", exact=True)).to_be_visible()
        expect(slider.get_by_text("Completely 100", exact=True)).to_be_visible()
        expect(slider.get_by_role("textbox")).to_have_attribute("placeholder", "0…100")
        expect(slider.locator(".how")).to_be_visible(visible=javascript)
    names = "Your answer (One more item)"
    expect(page.get_by_role("textbox", name=names)).to_have_accessible_description(
        "A whole number from 0 (Not at all) to 100 (Completely)"
    )
    expect(page.get_by_role("slider", name=names)).to_have_count(int(javascript))
