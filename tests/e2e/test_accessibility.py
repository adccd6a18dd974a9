"""axe-core finds nothing to object to on any participant page, in any of its states."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import APPEARANCE, in_both_schemes, violations
from tests.e2e.installation import PUBLIC, Installation
from tests.e2e.person import OpenPage, Person, go_on, somebody
from tests.e2e.studies import open_every_task, open_tasks
from tests.survey import task_studies

# What a browser makes of HTML, styles and scripts: the database behind them cannot matter.
pytestmark = pytest.mark.embedded
StudyOf = Callable[[str], str]
#: A study with every kind of page.
WHOLE: dict[str, Any] = {
    "texts": {
        "information": "# About\n\n[Write to us](mailto:x@example.org).\n\n- one\n- two",
        "instructions": "# How it works\n\n## In short\n\nRead **carefully**.",
        "thanks": "# Thank you",
        "warning": "The texts are about failing an exam.",
    },
    "screening": [
        {
            "name": "english",
            "question": "Is English your first language?",
            "options": ["Yes", "No"],
            "eligible": ["Yes"],
        }
    ],
    "attention_checks": [
        task_studies.CHECK,
        {
            "name": "alone",
            "statement": "Please choose “Blue” here.",
            "options": ["Red", "Blue"],
            "answer": "Blue",
            "after_blocks": [1, 1],
        },
    ],
    "closing": [task_studies.WHY | {"name": "closing"}],
    "demographics": [
        task_studies.AGE,
        {"name": "sex", "kind": "single", "question": "Sex?", "options": ["Female", "Male"]},
        {
            "name": "race",
            "kind": "multiple",
            "question": "Race?",
            "hint": "Select all that apply.",
            "options": ["Asian", "Black", "White"],
            "several": "Two or more",
        },
        {"name": "state", "kind": "us_state", "question": "In which state do you live?"},
    ],
}


@pytest.fixture(scope="module")
def whole(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> StudyOf:
    """A study with every kind of page, in a language."""

    @cache
    def load(language: str) -> str:
        folder, slug = tmp_path_factory.mktemp("whole"), f"whole-{language}"
        return open_tasks(installation, folder, "everything", slug=slug, language=language, **WHOLE)

    return load


@pytest.fixture(scope="module")
def task_of(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> StudyOf:
    """A study of `task_studies`."""
    open_every_task(installation, tmp_path_factory.mktemp("tasks"), "axe", "en")
    return lambda name: f"axe-{name}-en"


def pages_of_a_survey(person: Person) -> Iterator[str]:
    """Walk from the link to the withdrawal, and stop at every page and state."""
    page = person.page
    person.arrive()
    yield "consent"
    go_on(page)
    yield "consent, not ticked"
    page.locator("#agree").check()
    go_on(page)
    yield "screening"
    go_on(page)
    yield "screening, not answered"
    page.locator("input[type=radio]").first.check()
    go_on(page)
    yield "instructions"
    go_on(page)
    yield "block"
    go_on(page)
    yield "block, nothing answered"
    answer_block(page)
    for opened in page.locator("main details, footer details").all():
        opened.locator("summary").click()
    yield "block, answered, everything opened"
    go_on(page)
    yield "check"
    go_on(page)
    yield "check, not answered"
    page.locator("input[type=radio]").last.check()
    page.goto(page.url.replace("/page/4/", "/stop/"))
    yield "stop"
    page.locator("main .buttons a").first.click()
    page.locator("input[type=radio]").last.check()
    go_on(page)
    yield "closing"
    go_on(page)
    yield "closing, not answered"
    page.locator("textarea").fill("It listens.")
    go_on(page)
    yield "questions"
    page.locator("#q-age").fill("7")
    go_on(page)
    yield "questions, a wrong one"
    page.locator("#q-age").fill("")
    go_on(page)
    yield "end"
    page.locator("a[href*='/withdraw/']").click()
    yield "withdraw"
    go_on(page)
    yield "withdrawn"


def answer_block(page: Page) -> None:
    names = page.locator("input[type=radio]").evaluate_all("all => all.map(one => one.name)")
    for number, name in enumerate(dict.fromkeys(names)):
        radios = page.locator(f"input[name='{name}']")
        radios.nth(number % radios.count()).check()
    for choice, number in (("best", 0), ("worst", 1)):
        page.locator(f"input[name={choice}]").nth(number).check()
    ranks = dict.fromkeys(name for name in names if name.startswith("rank-"))
    for number, name in enumerate(ranks):
        page.locator(f"input[name='{name}']").nth(number).check()
    page.locator("#text-why").fill("It listens.")


def test_axe_finds_nothing_on_any_page_of_a_survey(
    installation: Installation, whole: StudyOf, new_page: OpenPage
) -> None:
    page = new_page()
    person = somebody(installation, whole("en"), page)
    found = {}
    for name in pages_of_a_survey(person):
        expect(page.locator("html")).to_have_attribute("lang", "en")
        found[name] = violations(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert {name: one for name, one in found.items() if one} == {}
    assert len(found) == 18


def test_no_page_of_a_survey_looks_wrong_in_chinese_on_a_phone_by_night_or_right_to_left(
    installation: Installation, whole: StudyOf, new_page: OpenPage
) -> None:
    """Right to left as a translation that is written so would be shown."""
    page = new_page(phone=True)
    page.emulate_media(color_scheme="dark")
    person = somebody(installation, whole("zh-hans"), page)
    found = {}
    for name in pages_of_a_survey(person):
        expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
        for direction in ("rtl", "ltr"):
            page.evaluate("direction => (document.documentElement.dir = direction)", direction)
            found[name, direction] = violations(page, APPEARANCE)
            assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert {place: one for place, one in found.items() if one} == {}
    assert len(found) == 2 * 18


@pytest.mark.parametrize("name", [*task_studies.STUDIES])
def test_axe_finds_nothing_on_any_kind_of_task(
    installation: Installation, task_of: StudyOf, new_page: OpenPage, name: str
) -> None:
    person = somebody(installation, task_of(name), new_page(phone=True))
    person.begin()
    assert in_both_schemes(person.page) == []
    person.press("Continue")
    expect(person.page.get_by_role("alert")).to_be_visible()
    assert violations(person.page) == []


def test_axe_finds_nothing_on_pages_that_turn_people_away(
    installation: Installation, whole: StudyOf, new_page: OpenPage
) -> None:
    slug = whole("en")
    page, found = new_page(phone=True), {}
    for address in ("nowhere/", f"{slug}/?invite=x", f"{slug}/page/2/", f"{slug}/nowhere/"):
        page.goto(f"{installation.url}/s/{address}")
        found[address] = in_both_schemes(page)
    declining = somebody(installation, slug, page)
    declining.arrive()
    declining.press("I do not want to take part")
    found["declined"] = in_both_schemes(page)

    screened_out = somebody(installation, slug, new_page())
    page = screened_out.page
    screened_out.arrive()
    page.locator("#agree").check()
    go_on(page)
    page.get_by_label("No", exact=True).check()
    go_on(page)
    found["screened out"] = in_both_schemes(page)
    try:
        for state in ("paused", "closed"):
            installation.manage("set_study", slug, state)
            late = somebody(installation, slug, new_page())
            late.arrive()
            found[state] = in_both_schemes(late.page)
    finally:
        installation.manage_all(("set_study", slug, "open"), **PUBLIC)
    assert {state: one for state, one in found.items() if one} == {}


# Controls that are too small for a finger. What is drawn over a control counts as the control.
TOO_SMALL = """() => [...document.querySelectorAll("main :is(input, button, textarea, summary, a)")]
    .filter(control => control.checkVisibility() && control.type !== "hidden")
    .map(control => [control.outerHTML, control.getBoundingClientRect()])
    .filter(([, box]) => Math.min(box.width, box.height) < 24).map(([html]) => html)"""
# Where the focus is drawn: top, bottom, and what covers the page there.
FOCUS = """async () => {
    await new Promise(requestAnimationFrame);  // the page scrolls with the next picture
    const focused = document.activeElement;
    if (focused === document.body) return null;
    const box = (focused.closest(".point") || focused).getBoundingClientRect();
    const prompt = document.querySelector(".prompt");
    const covered = getComputedStyle(prompt).position === "sticky" && focused.closest("form")
        ? Math.max(0, prompt.getBoundingClientRect().bottom) : 0;
    return {name: focused.id || focused.outerHTML, top: box.top - covered,
            bottom: innerHeight - box.bottom, tall: box.height};
}"""


@pytest.mark.parametrize("name", ["eleven", "slider", "everything"])
def test_every_task_fits_a_phone_and_its_focus_is_never_hidden(
    installation: Installation, task_of: StudyOf, new_page: OpenPage, name: str
) -> None:
    slug = task_of(name)
    person = somebody(installation, slug, new_page(phone=True))
    person.begin()
    page = person.page
    assert page.evaluate(TOO_SMALL) == []
    hidden, stops = [], 0
    for key in ("Tab", "Shift+Tab"):
        for _ in range(200):
            page.keyboard.press(key)
            focus = page.evaluate(FOCUS)
            if focus is None:
                break
            stops += 1
            if focus["tall"] < 300 and min(focus["top"], focus["bottom"]) < 0:
                hidden.append((key, focus))
    assert hidden == []
    assert stops > 10
    for width in (320, 360):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") == width
    page.add_style_tag(content=":root { font-size: 34px }")
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_focused_point_is_in_full_view_wherever_the_window_ends(
    installation: Installation, task_of: StudyOf, new_page: OpenPage
) -> None:
    person = somebody(installation, task_of("eleven"), new_page(phone=True))
    person.begin()
    page, cut = person.page, []
    for height in range(580, 900, 20):
        page.set_viewport_size({"width": 360, "height": height})
        page.reload()
        for _ in range(6):
            page.keyboard.press("Tab")
            focus = page.evaluate(FOCUS)
            if focus["tall"] < 300 and min(focus["top"], focus["bottom"]) < 0:
                cut.append((height, focus))
    assert cut == []


def test_a_long_prompt_stays_in_view_leaves_room_and_scrolls_by_keyboard(
    installation: Installation, new_page: OpenPage, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("long")
    slug = open_tasks(installation, folder, "likert", slug="long-prompt", prompt="I failed. " * 200)
    person = somebody(installation, slug, new_page(phone=True))
    person.begin()
    page = person.page
    prompt = page.get_by_role("region", name="Prompt")
    page.get_by_role("button", name="Continue").scroll_into_view_if_needed()
    expect(prompt).to_be_in_viewport()
    box = prompt.bounding_box()
    assert box is not None
    assert (box["y"], box["height"] <= 0.35 * 740) == (0, True)
    prompt.focus()
    page.keyboard.press("End")
    expect(prompt).not_to_have_js_property("scrollTop", 0)
    assert violations(page) == []


def test_axe_does_find_what_is_wrong(
    installation: Installation, whole: StudyOf, new_page: OpenPage
) -> None:
    person = somebody(installation, whole("en"), new_page())
    person.arrive()
    person.page.evaluate("document.documentElement.removeAttribute('lang')")
    assert [one.partition(":")[0] for one in violations(person.page)] == ["html-has-lang"]


def test_axe_does_find_colours_that_only_fail_by_night(
    installation: Installation, whole: StudyOf, new_page: OpenPage
) -> None:
    person = somebody(installation, whole("en"), new_page())
    person.arrive()
    faint = "@media (prefers-color-scheme: dark) { h1 { color: #333 } }"
    person.page.add_style_tag(content=faint)
    found = [one.split(": ")[:2] for one in in_both_schemes(person.page)]
    assert found == [["dark", "color-contrast"]]
