"""What is chosen and not sent yet outlasts a failed network (see `test_faults`), a reload, and the
way back and forth, in this tab alone. It is gone when it was sent, when the study ends, and when
somebody else comes.
"""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.installation import Installation
from tests.e2e.person import OpenPage, Person, somebody
from tests.e2e.studies import open_small, open_tasks

# What a browser keeps in its own memory: the database behind it cannot matter.
pytestmark = pytest.mark.embedded
LABELS = {"1": "Not at all", "2": "Somewhat", "3": "Very"}
KEPT = "sessionStorage.getItem('fivefold-unsent')"
REFUSED = """Object.defineProperty(window, 'sessionStorage', {
    get() { throw new DOMException('refused', 'SecurityError'); },
});"""
FULL = "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); };"


@pytest.fixture(scope="module")
def small(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> str:
    return open_small(installation, tmp_path_factory.mktemp("small"), slug="small-unsent")


@pytest.fixture(scope="module")
def everything(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("everything")
    return open_tasks(installation, folder, "everything", slug="everything-unsent")


@pytest.fixture(scope="module")
def slider(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> str:
    return open_tasks(
        installation, tmp_path_factory.mktemp("slider"), "slider", slug="slider-unsent"
    )


def at_first_block(installation: Installation, slug: str, page: Page) -> Person:
    person = somebody(installation, slug, page)
    person.begin()
    return person


def choose(person: Person, *values: str) -> None:
    """Choose a value for each item of this page, from the top."""
    for item, value in enumerate(values):
        person.choose(LABELS[value], item=item)


def go_on(person: Person, value: str = "2") -> None:
    choose(person, *[value] * person.items.count())
    person.press("Continue")


def kept_pages(person: Person) -> list[str]:
    """The numbers of the pages of which this tab keeps something."""
    kept = json.loads(person.page.evaluate(KEPT) or '{"pages": {}}')
    return sorted(kept["pages"])


def measured(person: Person, columns: str) -> list[tuple[object, ...]]:
    """Columns of the presentations that were answered."""
    return person.about_me(
        f"SELECT {columns} FROM survey_presentation JOIN survey_identity"
        " ON survey_identity.participant_id = survey_presentation.participant_id"
        " WHERE key = %s AND answered_at IS NOT NULL ORDER BY position"
    )


# ── Nothing is lost ──────────────────────────────────────────────────────────────────────────


def test_page_loaded_again_midway_shows_what_was_chosen_and_counts_no_change(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = at_first_block(installation, small, new_page())
    choose(person, "3", "1")
    for _ in range(2):
        person.page.reload()
        assert person.chosen() == ["3", "1"]
    person.choose("Not at all", item=2)
    person.press("Continue")
    assert sorted((value, revisions) for _, value, revisions in person.ratings()) == [
        (1, 0),
        (1, 0),
        (3, 0),
    ]
    [(changes, first, last)] = measured(
        person, "changes, first_answer_seconds, last_answer_seconds"
    )
    assert changes == 0
    assert isinstance(first, float) and isinstance(last, float) and first < last


def test_change_before_and_after_loading_again_is_counted_once_each(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = at_first_block(installation, small, new_page())
    choose(person, "3", "3", "3")
    person.choose("Somewhat", item=0)
    person.page.reload()
    person.choose("Not at all", item=0)
    person.page.reload()
    person.press("Continue")
    assert measured(person, "changes") == [(2,)]


def test_time_before_loading_again_counts(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    page = new_page()
    page.clock.install()
    person = at_first_block(installation, small, page)
    page.clock.fast_forward(100_000)
    choose(person, "3", "3", "3")
    page.evaluate("dispatchEvent(new Event('blur'))")
    page.clock.fast_forward(20_000)
    page.reload()
    person.press("Continue")
    [(first, visible, unfocused, losses)] = measured(
        person, "first_answer_seconds, visible_seconds, unfocused_seconds, focus_losses"
    )
    assert isinstance(unfocused, float) and 20 <= unfocused < 50
    assert losses == 1
    assert isinstance(first, float) and 100 <= first < 120
    assert isinstance(visible, float) and 120 <= visible < 150


def test_choices_outlast_the_way_back_and_forth(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = at_first_block(installation, small, new_page())
    go_on(person, "2")
    choose(person, "3")
    person.follow("Back")
    assert person.chosen() == ["2", "2", "2"]
    choose(person, "1")
    person.page.go_forward()  # the change on page 2 was not sent
    person.page.goto(f"{installation.url}/s/{small}/page/3/")
    assert person.chosen() == ["3"]
    assert kept_pages(person) == ["2", "3"]
    person.follow("Back")
    assert person.chosen() == ["1", "2", "2"]
    person.press("Continue")
    assert (person.chosen(), kept_pages(person)) == (["3"], ["3"])
    assert sorted((value, revisions) for _, value, revisions in person.ratings()) == [
        (1, 1),
        (2, 0),
        (2, 0),
    ]


def test_page_with_errors_loaded_again_keeps_what_was_sent_and_chosen_since(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = at_first_block(installation, small, new_page())
    choose(person, "3")
    person.press("Continue")
    expect(person.page.get_by_role("alert")).to_be_visible()
    assert person.chosen() == ["3"]
    person.choose("Somewhat", item=1)
    person.page.reload()  # sends again what was sent
    assert (person.chosen(), person.ratings()) == (["3", "2"], [])
    person.page.goto(person.page.url)  # asks for the page anew
    expect(person.page.get_by_role("alert")).to_have_count(0)
    assert person.chosen() == ["3", "2"]
    person.choose("Not at all", item=2)
    person.press("Continue")
    assert sorted(value for _, value, _ in person.ratings()) == [1, 2, 3]
    assert measured(person, "changes") == [(0,)]


def test_what_was_sent_from_another_device_counts_more_than_what_was_not_sent(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = at_first_block(installation, small, new_page())
    choose(person, "1", "1", "1")
    other = Person(installation, small, new_page(phone=True), person.prolific_id)
    other.arrive()
    other.agree()
    go_on(other, "3")
    person.page.reload()
    assert (person.chosen(), kept_pages(person)) == (["3", "3", "3"], [])


def test_every_kind_of_answer_is_restored_and_the_page_says_so(
    installation: Installation, everything: str, new_page: OpenPage
) -> None:
    person = at_first_block(installation, everything, new_page())
    page = person.page
    first, second = (
        page.locator("[data-response]").nth(number).get_attribute("data-response")
        for number in (0, 1)
    )
    page.locator("input[name=check]").first.check()
    person.choose("Somewhat", item=8)
    page.locator(f"#rank-{first}-1").check()
    page.locator(f"#rank-{second}-1").check()  # takes the rank from the first
    page.locator(f"#best-{second}").check()
    page.locator("textarea[name=text-why]").fill("\nIt is\nwarm — 很温暖")
    chosen = person.chosen()
    page.reload()
    assert person.chosen() == chosen
    expect(page.locator(f"input[name=rank-{first}]:checked")).to_have_count(0)
    expect(page.locator(".so-far li").first).to_have_text("Response 2")
    expect(page.locator("textarea[name=text-why]")).to_have_value("\nIt is\nwarm — 很温暖")
    expect(page.locator("#text-why-length")).to_contain_text("(16)")


def test_slider_stands_where_it_was_left(
    installation: Installation, slider: str, new_page: OpenPage
) -> None:
    page = at_first_block(installation, slider, new_page()).page
    first, second = page.locator("input[type=range]").all()[:2]
    first.focus()
    for key in ("Home", "PageUp", "ArrowRight"):
        page.keyboard.press(key)
    page.locator(".slider input[type=text]").nth(1).fill("12x")
    page.reload()
    assert [number.input_value() for number in page.locator(".slider input[type=text]").all()] == [
        "11",
        "12x",
        "",
    ]
    expect(first).to_have_value("11")
    expect(first).to_have_attribute("aria-valuetext", "11")
    expect(second).to_have_attribute("aria-valuetext", "No answer yet")


def test_answers_about_oneself_are_restored_and_are_gone_with_the_end(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = at_first_block(installation, small, new_page())
    for _ in range(5):
        go_on(person)
    page = person.page
    page.get_by_label("How old are you?").fill("37")
    page.get_by_label("Asian").check()
    page.get_by_label("White").check()
    page.get_by_label("Where do you live?").select_option("Ohio")
    page.reload()
    expect(page.get_by_label("How old are you?")).to_have_value("37")
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(2)
    expect(page.get_by_label("Where do you live?")).to_have_value("Ohio")
    assert kept_pages(person) == ["7"]
    person.press("Finish")
    expect(page.locator("output")).to_have_text("DONE1")
    assert page.evaluate(KEPT) is None


# ── Nothing stays for anybody else ───────────────────────────────────────────────────────────


def test_only_this_tab_keeps_anything_and_only_answers(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = at_first_block(installation, small, new_page())
    choose(person, "3")
    [draft] = json.loads(person.page.evaluate(KEPT))["pages"].values()
    assert [value for _, value in json.loads(draft["chosen"])] == ["3"]
    secrets = person.page.locator("[name=csrfmiddlewaretoken]").first.get_attribute("value")
    assert secrets and secrets not in person.page.evaluate(KEPT)
    assert person.page.evaluate("localStorage.length") == 0
    other = Person(installation, small, person.page.context.new_page(), person.prolific_id)
    other.arrive()
    assert (other.number, other.chosen()) == (2, [])


def test_consent_is_given_by_ticking_each_time(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = somebody(installation, small, new_page())
    person.arrive()
    person.page.get_by_role("checkbox").check()
    assert person.page.evaluate(KEPT) is None
    person.arrive()
    expect(person.page.get_by_role("checkbox")).not_to_be_checked()


def test_next_person_in_the_same_tab_finds_nothing_of_the_one_before(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = at_first_block(installation, small, new_page())
    choose(person, "3", "1")
    other = somebody(installation, small, person.page)
    other.arrive()
    assert other.page.evaluate(KEPT) is None
    other.begin()
    assert other.chosen() == []


def test_withdrawing_removes_what_was_not_sent(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = at_first_block(installation, small, new_page())
    choose(person, "3")
    person.follow("Stop here")
    assert kept_pages(person) == ["2"]
    person.follow("Stop and delete my answers")
    person.press("Delete everything")
    expect(person.page.get_by_role("heading", name="Your data are deleted")).to_be_visible()
    assert person.page.evaluate(KEPT) is None


# ── Nothing hangs on it ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("refusal", [REFUSED, FULL], ids=["refused", "full"])
def test_browser_that_keeps_nothing_takes_the_survey_as_ever(
    installation: Installation, small: str, new_page: OpenPage, refusal: str
) -> None:
    page = new_page()
    page.add_init_script(refusal)
    person = at_first_block(installation, small, page)
    choose(person, "3")
    person.press("Continue")
    assert person.chosen() == ["3"]
    for _ in range(5):
        go_on(person)
    person.press("Finish")
    expect(page.locator("output")).to_have_text("DONE1")
    assert measured(person, "changes")[0] == (1,)  # the first became 2


def test_broken_memory_of_the_tab_is_forgotten(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = at_first_block(installation, small, new_page())
    for broken in ("{", "null", "7", '{"whose": 1}'):
        person.page.evaluate("broken => sessionStorage.setItem('fivefold-unsent', broken)", broken)
        person.page.reload()
        assert person.chosen() == []
    choose(person, "3")
    person.page.reload()
    assert person.chosen() == ["3"]
