"""Pages of studies of other shapes in a browser: one response, eight of many, one system."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.installation import Installation
from tests.e2e.person import OpenPage, as_list, go_on, somebody
from tests.e2e.studies import open_wide
from tests.survey.wide_study import CHOICES, HALF_STEPS, LIKERT, SLIDER

# What a browser makes of a page: the database behind it cannot matter.
pytestmark = pytest.mark.embedded


def test_one_response_a_page_is_rated_and_stored_as_shown(
    installation: Installation, tmp_path: Path, new_page: OpenPage
) -> None:
    slug = open_wide(
        installation, tmp_path, "systems_per_page: 1", slug="one-a-page", systems=5, tasks=(SLIDER,)
    )
    page = new_page(phone=True)
    person = somebody(installation, slug, page)
    person.begin()
    shown = []
    for value in (70, 20):
        expect(person.items).to_have_count(1)
        shown.append(person.responses())
        page.get_by_role("textbox", name="How warm is this response?").fill(str(value))
        go_on(page)
    assert person.stored_orders() == shown
    assert sorted(value for _, value, _ in person.ratings()) == [20, 70]
    assert person.status() == "completed"


def test_half_points_on_a_slider(
    installation: Installation, tmp_path: Path, new_page: OpenPage
) -> None:
    slug = open_wide(installation, tmp_path, slug="half-points", systems=2, tasks=(HALF_STEPS,))
    page = new_page()
    person = somebody(installation, slug, page)
    person.begin()
    lines = page.get_by_role("slider", name="How warm is this response?")
    numbers = page.get_by_role("textbox", name="How warm is this response?")
    numbers.nth(0).fill("3,5")
    expect(lines.nth(0)).to_have_attribute("aria-valuetext", "3.5")
    lines.nth(1).focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    expect(numbers.nth(1)).to_have_value("4.5")
    go_on(page)
    assert sorted(value for _, value, _ in person.ratings()) == [3.5, 4.5]
    numbers.nth(0).fill("2.3")
    expect(lines.nth(0)).to_have_attribute("aria-valuetext", "No answer yet")
    numbers.nth(1).fill("2")
    go_on(page)
    expect(page.get_by_role("alert").get_by_role("link")).to_have_text(
        ["Response 1: enter a whole or half number from 0 to 5"]
    )


def test_eight_of_fifty_fit_a_phone(
    installation: Installation, tmp_path: Path, new_page: OpenPage
) -> None:
    slug = open_wide(
        installation,
        tmp_path,
        "systems_per_page: 8",
        slug="eight-of-fifty",
        systems=50,
        tasks=(LIKERT, CHOICES),
    )
    page = new_page(phone=True)
    person = somebody(installation, slug, page)
    person.begin()
    assert len(set(person.responses())) == 8
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for item in range(8):
        person.choose("Good" if item else "Bad", item=item)
    options = page.locator("input[name=best]")
    expect(options).to_have_count(8)
    options.nth(1).check()
    page.locator("input[name=worst]").nth(0).check()
    person.press("Continue")
    assert len(person.ratings()) == 8 + 2
    assert [len(order) for order in person.stored_orders()] == [8, 8]


def test_a_person_sees_one_system_throughout(
    installation: Installation, tmp_path: Path, new_page: OpenPage
) -> None:
    slug = open_wide(installation, tmp_path, "between_subjects: system", slug="between", systems=2)
    systems = []
    for _ in range(2):
        person = somebody(installation, slug, new_page())
        person.begin()
        for _ in range(2):
            person.answer("Good")
        ((model, _),) = {(place[2], place[3]) for place, _, _ in person.ratings()}
        systems.append(model)
        rows = person.about_me(
            "SELECT response_order FROM survey_presentation JOIN survey_identity"
            " ON survey_identity.participant_id = survey_presentation.participant_id"
            " WHERE key = %s"
        )
        assert [len(as_list(order)) for (order,) in rows] == [1, 1]
    assert sorted(systems) == ["M1", "M2"]
