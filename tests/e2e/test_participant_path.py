"""A real Chromium takes the survey; what the database holds is what was clicked."""

import csv
import random
import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.installation import PUBLIC, Installation
from tests.e2e.person import OpenPage, Person, Place, somebody
from tests.e2e.studies import EXAMPLE, open_example, open_small

#: What a browser alone decides: no database can matter.
BROWSERS = pytest.mark.embedded
LABELS = {
    "Not empathetic at all": 1,
    "Slightly empathetic": 2,
    "Moderately empathetic": 3,
    "Very empathetic": 4,
    "Extremely empathetic": 5,
}
INSTRUCTION = "Please choose “Slightly empathetic” here."
INSTRUCTION_IN_BLOCK = "Please choose “Very empathetic” here."


@dataclass(frozen=True)
class Intention:
    """What somebody means to answer: for every place in the study a label of the scale."""

    labels: dict[Place, str]
    blocks: dict[tuple[str, frozenset[str]], dict[str, Place]]

    def labels_for(self, prompt: str, responses: list[str]) -> list[str]:
        """The labels for the responses of a block, in the order they have on the page."""
        places = self.blocks[prompt, frozenset(responses)]
        return [self.labels[places[text]] for text in responses]

    def expected_ratings(self) -> list[tuple[Place, int, int]]:
        return sorted((place, LABELS[label], 0) for place, label in self.labels.items())


def example_rows() -> list[dict[str, str]]:
    with (EXAMPLE / "responses.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def intention(seed: int) -> Intention:
    """Answers drawn at random, so that no mix-up of two responses goes unnoticed."""
    draw = random.Random(seed)
    labels: dict[Place, str] = {}
    blocks: dict[tuple[str, str, str], dict[str, Place]] = {}
    for row in example_rows():
        place = (row["scenario"], row["set"], row["model"], row["condition"])
        labels[place] = draw.choice(list(LABELS))
        block = blocks.setdefault((row["scenario"], row["set"], row["prompt"]), {})
        block[row["response"]] = place
    return Intention(
        labels, {(prompt, frozenset(block)): block for (_, _, prompt), block in blocks.items()}
    )


@pytest.fixture(scope="module")
def empathy(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> str:
    return open_example(installation, tmp_path_factory.mktemp("example"), slug="whole-path")


@pytest.fixture(scope="module")
def small(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> str:
    return open_small(installation, tmp_path_factory.mktemp("small"), slug="small-path")


def answer_page(person: Person, answers: Intention) -> None:
    """Answer the block or the attention check of this page."""
    if person.is_at_block():
        labels = answers.labels_for(person.prompt(), person.responses())
        texts = person.items.all_inner_texts()
        if len(texts) > len(labels):  # one of them is no response
            place = next(i for i, text in enumerate(texts) if INSTRUCTION_IN_BLOCK in text)
            labels.insert(place, "Very empathetic")
        person.answer(*labels)
    else:
        expect(person.page.get_by_role("heading", level=1)).to_contain_text(INSTRUCTION)
        person.answer("Slightly empathetic")


def begin_example(person: Person) -> None:
    """Arrive, consent, be among those whom the study is about, and read the instructions."""
    page = person.page
    person.arrive()
    page.get_by_role("checkbox").check()
    person.press("Take part")
    page.get_by_label("English", exact=True).check()
    page.get_by_label("United States", exact=True).check()
    person.press("Continue")
    person.press("Start")


def describe_myself(person: Person) -> None:
    page = person.page
    page.get_by_label("How old are you?").fill("37")
    question = page.get_by_role("group", name="Which of these best describes your gender?")
    question.get_by_label("Non-binary").check()
    question = page.get_by_role("group", name="What is your race?")
    question.get_by_label("Asian", exact=True).check()
    question.get_by_label("Other/Unknown").check()
    page.get_by_label("In which state do you currently live?").select_option("Ohio")
    person.press("Finish")


@BROWSERS
def test_answers_stored_are_those_clicked_through_the_whole_survey(
    installation: Installation, empathy: str, new_page: OpenPage
) -> None:
    """At a desk first, and then on a phone without scripts."""
    answers = intention(seed=1)
    person = somebody(installation, empathy, new_page())
    begin_example(person)
    for number in range(3, 28):
        if number == 14:  # closes the browser and opens the link on the phone
            person.move_to(new_page(phone=True, javascript=False))
        assert person.number == number
        answer_page(person, answers)
    assert person.number == 28
    describe_myself(person)

    expect(person.page.locator("output")).to_have_text(re.compile("^[A-Z2-9]{8}$"))
    assert person.status() == "completed"
    assert sorted(person.ratings()) == answers.expected_ratings()
    assert sorted(attention_checks(person)) == [(2, True, 0), (4, True, 0)]
    assert demographics(person) == {
        ("first_language", '"English"'),
        ("residence", '"United States"'),
        ("age", "37"),
        ("gender", '"Non-binary"'),
        ("race", '["Asian", "Other/Unknown"]'),
        ("state", '"Ohio"'),
    }


def attention_checks(person: Person) -> list[tuple[int, bool, int]]:
    rows = person.about_me(
        "SELECT answer, passed, revisions FROM survey_attentioncheck JOIN survey_identity"
        " ON survey_identity.participant_id = survey_attentioncheck.participant_id"
        " WHERE key = %s"
    )
    return [(answer, bool(passed), revisions) for answer, passed, revisions in rows]


def demographics(person: Person) -> set[tuple[str, str]]:
    rows = person.about_me(
        "SELECT name, CAST(value AS TEXT) FROM survey_demographicanswer JOIN survey_identity"
        " ON survey_identity.participant_id = survey_demographicanswer.participant_id"
        " WHERE key = %s"
    )
    return set(rows)


@BROWSERS
def test_pages_show_the_stored_order_which_is_another_for_everybody(
    installation: Installation, empathy: str, new_page: OpenPage
) -> None:
    def take_three_blocks() -> tuple[list[list[str]], Person]:
        person, shown = somebody(installation, empathy, new_page()), []
        begin_example(person)
        for _ in range(3):
            shown.append(person.responses())
            person.answer(*["Very empathetic"] * person.items.count())
        return shown, person

    (shown, one), (other_shown, other) = take_three_blocks(), take_three_blocks()
    orders, other_orders = one.stored_orders(), other.stored_orders()
    assert (shown, other_shown) == (orders[:3], other_orders[:3])
    assert block_order(orders) != block_order(other_orders)
    assert block_order(orders) != block_order(file_order())
    assert sorted(orders) != sorted(file_order())
    assert set(block_order(orders)) == set(block_order(file_order()))


def file_order() -> list[list[str]]:
    """The responses' texts as they stand in the study's file, block by block."""
    texts = [row["response"] for row in example_rows()]
    return [texts[start : start + 5] for start in range(0, len(texts), 5)]


def block_order(orders: list[list[str]]) -> list[frozenset[str]]:
    return [frozenset(order) for order in orders]


@BROWSERS
@pytest.mark.parametrize("javascript", [True, False], ids=["javascript", "no javascript"])
def test_coming_back_on_another_device_leads_to_the_open_page_with_all_answers_kept(
    installation: Installation, small: str, new_page: OpenPage, javascript: bool
) -> None:
    person = somebody(installation, small, new_page(phone=True, javascript=javascript))
    person.begin()
    answer_small_page(person)
    answer_small_page(person)
    assert person.number == 4
    person.move_to(new_page(javascript=javascript))
    assert person.number == 4
    for number in (3, 2):
        person.follow("Back")
        assert person.number == number
        assert person.chosen() == answers_of_small_page(person)


def answers_of_small_page(person: Person) -> list[str]:
    """The values that somebody chooses who goes down the page: 1, 2, 3; or the check's 2."""
    return ["1", "2", "3"] if person.is_at_block() else ["2"]


def answer_small_page(person: Person) -> None:
    labels = {"1": "Not at all", "2": "Somewhat", "3": "Very"}
    person.answer(*[labels[value] for value in answers_of_small_page(person)])


@BROWSERS
def test_closing_the_browser_before_sending_loses_only_that_page(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = somebody(installation, small, new_page())
    person.begin()
    person.choose("Very", item=0)
    person.move_to(new_page())
    assert (person.number, person.chosen(), person.ratings()) == (2, [], [])


@BROWSERS
def test_open_link_gives_a_personal_link_that_continues_on_another_device(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    page = new_page()
    page.goto(f"{installation.url}/s/{small}/")
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Take part", exact=True).click()
    link = page.get_by_role("link", name="resume=").get_attribute("href")
    page.get_by_role("button", name="Start").click()
    other_device = new_page(phone=True)
    other_device.goto(str(link))
    expect(other_device).to_have_url(f"{installation.url}/s/{small}/page/2/")


def test_double_click_sends_one_page_once(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    for javascript in (True, False):
        person = at_first_block(installation, small, new_page(javascript=javascript))
        choose_first_labels(person)
        person.page.get_by_role("button", name="Continue").dblclick()
        expect(person.page.locator(".progress")).to_have_text("Page 3 of 7")
        assert values_and_revisions(person) == [(1, 0)] * 3


def at_first_block(installation: Installation, slug: str, page: Page) -> Person:
    person = somebody(installation, slug, page)
    person.begin()
    return person


def choose_first_labels(person: Person) -> None:
    for item in range(3):
        person.choose("Not at all", item=item)


def values_and_revisions(person: Person) -> list[tuple[int, int]]:
    return sorted((value, revisions) for _, value, revisions in person.ratings())


@BROWSERS
def test_browser_back_and_sending_again_changes_nothing(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = at_first_block(installation, small, new_page())
    person.answer(*["Not at all"] * 3)
    for _ in range(2):
        person.page.go_back()
        assert (person.number, person.chosen()) == (2, ["1", "1", "1"])
        person.press("Continue")
        assert person.number == 3
    assert values_and_revisions(person) == [(1, 0)] * 3


@BROWSERS
def test_reloading_the_page_after_sending_sends_nothing_again(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = at_first_block(installation, small, new_page())
    person.answer(*["Not at all"] * 3)
    person.page.reload()
    assert person.number == 3
    assert values_and_revisions(person) == [(1, 0)] * 3


@BROWSERS
def test_answer_changed_and_changed_back_stays_as_it_was_first(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = at_first_block(installation, small, new_page())
    person.answer(*["Not at all"] * 3)
    for label in ("Very", "Not at all"):
        person.page.go_back()
        person.choose(label, item=1)
        person.press("Continue")
        assert person.number == 3
    assert values_and_revisions(person) == [(1, 0), (1, 0), (1, 2)]


@BROWSERS
def test_completion_code_is_copied_and_taken_to_prolific(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = complete(somebody(installation, small, new_page()))
    page = person.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    expect(page.locator("output")).to_have_text("DONE1")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "DONE1"
    expect(page.get_by_role("link", name="Return to Prolific")).to_have_attribute(
        "href", "https://app.prolific.com/submissions/complete?cc=DONE1"
    )


def complete(person: Person) -> Person:
    person.begin()
    for _ in range(5):
        answer_small_page(person)
    person.press("Finish")
    assert person.status() == "completed"
    return person


@BROWSERS
def test_completion_code_without_javascript_has_no_button_that_would_do_nothing(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    page = complete(somebody(installation, small, new_page(javascript=False))).page
    expect(page.locator("output")).to_have_text("DONE1")
    expect(page.get_by_role("button")).to_have_count(0)
    expect(page.get_by_role("link", name="Return to Prolific")).to_be_visible()


@BROWSERS
def test_completed_survey_shows_its_code_again_and_can_no_longer_be_changed(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = complete(somebody(installation, small, new_page()))
    person.page.goto(f"{installation.url}/s/{small}/page/2/")
    expect(person.page.locator("output")).to_have_text("DONE1")
    person.move_to(new_page(phone=True))
    expect(person.page.locator("output")).to_have_text("DONE1")


@BROWSERS
def test_somebody_who_declines_gets_a_code_of_their_own(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = somebody(installation, small, new_page())
    person.arrive()
    person.press("I do not want to take part")
    expect(person.page.locator("output")).to_have_text("NOPE1")
    expect(person.page.get_by_role("link", name="Return to Prolific")).to_have_attribute(
        "href", "https://app.prolific.com/submissions/complete?cc=NOPE1"
    )
    assert person.status() == "declined"


def test_stopped_study_turns_new_people_away_while_started_ones_finish(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    started = at_first_block(installation, small, new_page())
    reader = somebody(installation, small, new_page())
    reader.arrive()
    titles = {"paused": "This study is paused", "closed": "This study has ended"}
    try:
        for state, title in titles.items():
            installation.manage("set_study", small, state)
            late = somebody(installation, small, new_page())
            late.arrive()
            expect(late.page.get_by_role("heading", level=1)).to_have_text(title)
            answer_small_page(started)
        reader.page.get_by_role("checkbox").check()
        reader.press("Take part")
        expect(reader.page.get_by_role("heading", level=1)).to_have_text(title)
        for _ in range(3):
            answer_small_page(started)
        started.press("Finish")
        expect(started.page.locator("output")).to_have_text("DONE1")
    finally:
        installation.manage_all(("set_study", small, "open"), **PUBLIC)
