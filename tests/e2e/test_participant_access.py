"""The pages serve everybody: any screen, keyboard alone, no script. And they give nothing away."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.installation import Installation
from tests.e2e.person import OpenPage, Person, somebody
from tests.e2e.studies import open_small

HIGHEST = "Uncharacteristically"  # a long word, to see that it fits
EITHER = pytest.mark.parametrize("javascript", [True, False], ids=["javascript", "no javascript"])
# What a browser makes of HTML and styles: the database behind them cannot matter.
pytestmark = pytest.mark.embedded
FOCUSED = "document.activeElement"
# What shows where the focus is: the element itself, or the label around a radio button.
SHOWS_FOCUS = f"({FOCUSED}.closest('.point') || {FOCUSED})"


@pytest.fixture(scope="module")
def small(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("small")
    return open_small(installation, folder, slug="small-access", highest=HIGHEST)


def at_first_block(installation: Installation, slug: str, page: Page) -> Person:
    person = somebody(installation, slug, page)
    person.begin()
    return person


def every_page(person: Person) -> Iterator[str]:
    """Walk the whole survey, with an error on the way, and stop at each page."""
    person.arrive()
    yield "consent"
    person.press("Take part")
    yield "consent with an error"
    person.page.get_by_role("checkbox").check()
    person.press("Take part")
    yield "instructions"
    person.press("Start")
    for _ in range(5):
        yield f"page {person.number}"
        person.press("Continue")
        yield f"page {person.number} with an error"
        person.answer(*[HIGHEST] * person.items.count())
    yield "questions"
    person.page.get_by_label("How old are you?").fill("7")
    person.press("Finish")
    yield "questions with an error"
    person.page.get_by_label("How old are you?").fill("")
    person.press("Finish")
    yield "end"


def error_summary(page: Page) -> Locator:
    return page.get_by_role("alert", name="There is a problem")


@EITHER
def test_missing_answer_is_named_and_its_link_leads_to_it(
    installation: Installation, small: str, new_page: OpenPage, javascript: bool
) -> None:
    person = at_first_block(installation, small, new_page(phone=True, javascript=javascript))
    person.choose(HIGHEST, item=0)
    person.choose("Somewhat", item=2)
    person.press("Continue")

    page = person.page
    expect(page).to_have_title("Error: Page 2 of 7 – A small study")
    expect(error_summary(page)).to_be_focused()
    assert error_summary(page).get_by_role("link").all_inner_texts() == [
        "Choose a rating for response 2"
    ]
    assert (person.chosen(), person.ratings()) == (["3", "2"], [])

    error_summary(page).get_by_role("link").click()
    expect(person.items.nth(1).get_by_label("Not at all", exact=True)).to_be_focused()
    expect(person.page.locator("[data-response]").nth(1)).to_be_in_viewport(ratio=1)
    person.choose("Not at all", item=1)
    person.press("Continue")
    assert person.number == 3
    assert sorted(value for _, value, _ in person.ratings()) == [1, 2, 3]


@EITHER
def test_consent_without_its_tick_names_the_box(
    installation: Installation, small: str, new_page: OpenPage, javascript: bool
) -> None:
    person = somebody(installation, small, new_page(javascript=javascript))
    person.arrive()
    person.press("Take part")
    expect(error_summary(person.page)).to_be_focused()
    error_summary(person.page).get_by_role("link").click()
    expect(person.page.get_by_role("checkbox")).to_be_focused()
    assert person.status() == "arrived"


def test_wrong_age_is_named_and_the_other_answers_stay(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = at_first_block(installation, small, new_page())
    for _ in range(5):
        person.answer(*[HIGHEST] * person.items.count())
    page = person.page
    page.get_by_label("How old are you?").fill("seven")
    page.get_by_label("Female").check()
    page.get_by_label("Where do you live?").select_option("Ohio")
    person.press("Finish")

    error_summary(page).get_by_role("link").click()
    age = page.get_by_role("textbox", name="How old are you?")
    expect(age).to_be_focused()
    expect(age).to_have_value("seven")
    expect(age).to_have_accessible_description(
        "Error: How old are you? Enter a whole number from 18 to 99, or leave it empty"
    )
    expect(page.get_by_label("Female")).to_be_checked()
    expect(page.get_by_label("Where do you live?")).to_have_value("Ohio")
    age.fill("44")
    person.press("Finish")
    assert person.status() == "completed"


def test_every_rating_is_a_question_of_its_own_that_names_its_response(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    page = at_first_block(installation, small, new_page()).page
    for number in (1, 2, 3):
        name = f"How warm is this response? (response {number} of 3)"
        expect(page.get_by_role("group", name=name).get_by_role("radio")).to_have_count(3)
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)


@EITHER
def test_the_keyboard_is_enough(
    installation: Installation, small: str, new_page: OpenPage, javascript: bool
) -> None:
    person = somebody(installation, small, new_page(javascript=javascript))
    person.arrive()
    page, key = person.page, person.page.keyboard
    key.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport(ratio=1)
    key.press("Enter")
    key.press("Tab")
    expect(page.get_by_role("checkbox")).to_be_focused()
    key.press("Space")
    key.press("Tab")
    expect(page.get_by_role("button", name="Take part", exact=True)).to_be_focused()
    press_enter(page)
    tab_to(page, page.get_by_role("button", name="Start"))
    press_enter(page)

    tab_to(page, person.items.first.get_by_label("Not at all", exact=True))
    key.press("Space")
    key.press("Tab")
    key.press("ArrowDown")  # from the second group's first button, not chosen yet, to its next
    key.press("Tab")
    key.press("Space")
    key.press("ArrowRight")
    key.press("ArrowRight")
    assert person.chosen() == ["1", "2", "3"]
    key.press("Tab")
    expect(page.get_by_role("button", name="Continue")).to_be_focused()
    press_enter(page)
    assert person.number == 3
    assert sorted(value for _, value, _ in person.ratings()) == [1, 2, 3]


def press_enter(page: Page) -> None:
    with page.expect_navigation(wait_until="domcontentloaded"):
        page.keyboard.press("Enter")


def tab_to(page: Page, goal: Locator) -> None:
    """Press Tab until `goal` has the focus; a page has less than 20 stops before it."""
    for _ in range(20):
        page.keyboard.press("Tab")
        if goal.evaluate(f"goal => goal === {FOCUSED}"):
            return
    raise AssertionError(f"Tab never reached {goal}")


@pytest.mark.parametrize("height", [500, 620, 900])
def test_focus_is_always_visible_and_never_under_the_prompt(
    installation: Installation, small: str, new_page: OpenPage, height: int
) -> None:
    person = at_first_block(installation, small, new_page(phone=True))
    page = person.page
    page.set_viewport_size({"width": 360, "height": height})
    for direction in ("Tab", "Shift+Tab"):
        stops = 0
        while page.evaluate(f"{FOCUSED} !== document.body") or stops == 0:
            page.keyboard.press(direction)
            stops += 1
            if page.evaluate(f"{FOCUSED} === document.body"):
                break
            box = page.evaluate(f"{SHOWS_FOCUS}.getBoundingClientRect().toJSON()")
            style = page.evaluate(
                f"(({{outlineStyle, outlineWidth}}) => [outlineStyle, outlineWidth])"
                f"(getComputedStyle({SHOWS_FOCUS}))"
            )
            assert style == ["solid", "3px"]
            in_main = page.evaluate(f"{FOCUSED}.closest('form') !== null")
            assert box["bottom"] <= height and box["top"] >= (covered(page) if in_main else 0)
        assert stops > 5


def covered(page: Page) -> float:
    """How far down the prompt covers the window: nothing where it scrolls away."""
    prompt = page.locator(".prompt")
    if prompt.evaluate("prompt => getComputedStyle(prompt).position") != "sticky":
        return 0
    box = prompt.bounding_box()
    assert box
    return max(0, box["y"] + box["height"])


def test_no_page_scrolls_sideways_on_a_phone_even_with_text_twice_as_large(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = somebody(installation, small, new_page(phone=True))
    widths = {}
    for name in every_page(person):
        widths[name] = [person.page.evaluate("document.documentElement.scrollWidth")]
        person.page.add_style_tag(content=":root { font-size: 34px }")
        widths[name].append(person.page.evaluate("document.documentElement.scrollWidth"))
    assert [name for name, both in widths.items() if both != [360, 360]] == []
    assert len(widths) == 16


def test_everything_to_press_is_large_enough_for_a_finger(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = somebody(installation, small, new_page(phone=True))
    seen, too_small = 0, []
    for name in every_page(person):
        for selector, least in [
            ("input, summary, .buttons a", 24),
            ("label:has(input), button, .button, select, input[type=text]", 44),
        ]:
            for text, width, height in person.page.evaluate(SIZES, selector):
                seen += 1
                if min(width, height) < least:
                    too_small.append((name, text, width, height))
    assert too_small == []
    assert seen > 200


# What is shown of a selector, with its size.
SIZES = """selector => [...document.querySelectorAll(selector)]
    .filter(control => control.checkVisibility() && control.type !== "hidden")
    .map(control => [control.outerHTML, control.getBoundingClientRect()])
    .map(([html, box]) => [html, box.width, box.height])"""


def test_browser_receives_no_name_of_a_model_or_condition(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = somebody(installation, small, new_page())
    received: list[str] = []
    person.page.on("response", lambda reply: received.append(f"{reply.url} {reply.headers}"))
    for _ in every_page(person):
        received.append(person.page.content())
        received += [f"{cookie}" for cookie in person.page.context.cookies()]
    names = re.compile(r"(?<![\w-])(Ant|Bee|Oracle|plain|tuned|reference|S1|S2)(?![\w-])")
    assert [names.findall(text) for text in received if names.search(text)] == []
    assert any("Rate each reply on its own." in text for text in received)


def test_information_can_be_printed_and_is_then_without_buttons(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = somebody(installation, small, new_page())
    person.arrive()
    expect(person.page.get_by_text("Call 988 at any time.")).to_be_hidden()
    person.page.emulate_media(media="print")
    expect(person.page.get_by_text("Call 988 at any time.")).to_be_visible()
    expect(person.page.get_by_text("You will read short replies.")).to_be_visible()
    expect(person.page.get_by_text("I am 18 or older")).to_be_visible()
    expect(person.page.get_by_role("button", name="Take part", exact=True)).to_be_hidden()


@pytest.mark.parametrize(
    ("address", "status", "title"),
    [
        ("/s/nowhere/", 404, "There is no such study"),
        ("/s/small-access/page/2/", 403, "Please open your study link again"),
        ("/s/small-access/?invite=wrong", 400, "This invitation is not valid"),
        ("/s/small-access/?resume=wrong", 400, "This link is not valid"),
        ("/s/small-access/?PROLIFIC_PID=%7B%7B%25", 400, "This link is not complete"),
        ("/s/small-access/nowhere/", 404, "This page does not exist"),
        ("/nowhere/", 404, "This page does not exist"),
    ],
)
def test_address_that_leads_nowhere_says_so_calmly(
    installation: Installation,
    small: str,
    new_page: OpenPage,
    address: str,
    status: int,
    title: str,
) -> None:
    page = new_page(phone=True)
    response = page.goto(installation.url + address)
    assert response and response.status == status
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(page).to_have_title(title)
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_browser_that_refuses_cookies_is_told_what_to_do(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = somebody(installation, small, new_page())
    person.arrive()
    person.page.context.clear_cookies()
    person.press("Take part")
    expect(person.page.get_by_role("heading", level=1)).to_have_text(
        "Your browser did not send its cookie"
    )
