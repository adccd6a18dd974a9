"""Every kind of task in a real Chromium, by mouse, by touch and by keyboard alone, with and without
JavaScript, in both languages: the database holds exactly what was clicked, response by response.
"""

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.installation import Installation
from tests.e2e.person import OpenPage, Person, somebody
from tests.e2e.studies import open_every_task, open_tasks
from tests.survey import task_studies

StudyOf = Callable[..., str]
#: What a browser and its script make of a page: the database behind it cannot matter.
SCRIPTED = pytest.mark.embedded
KINDS = ["mouse", "touch", "keyboard"]
#: Every hand sends the same form: what a database makes of it is seen with one of them.
HANDS = [kind if kind == "mouse" else pytest.param(kind, marks=SCRIPTED) for kind in KINDS]
EITHER = pytest.mark.parametrize(
    "javascript",
    [pytest.param(True, id="javascript"), pytest.param(False, id="no javascript", marks=SCRIPTED)],
)


@pytest.fixture(scope="module")
def study_of(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> StudyOf:
    """The slug of a study of `task_studies` in a language."""
    open_every_task(installation, tmp_path_factory.mktemp("tasks"), "tasks", "en", "zh-hans")
    return lambda name, language="en": f"tasks-{name}-{language}"


def at_block(installation: Installation, slug: str, page: Page) -> Person:
    """Somebody for whom the block is open, whatever the language."""
    person = somebody(installation, slug, page)
    person.arrive()
    page.locator("#agree").check()
    for _ in range(2):
        go_on(page)
    return person


def go_on(page: Page) -> None:
    with page.expect_navigation(wait_until="domcontentloaded"):
        page.locator(".buttons button").first.click()


@dataclass
class Hand:
    """How somebody answers: with a mouse, a finger, or keys alone."""

    page: Page
    kind: str
    javascript: bool

    def choose(self, name: str, value: str) -> None:
        if self.kind == "keyboard":
            self._choose_with_keys(name, value)
            return
        label = self.page.locator(f"label:has(#{name}-{value})")
        label.tap() if self.kind == "touch" else label.click()

    def _choose_with_keys(self, name: str, value: str) -> None:
        self._tab_to(name)
        values = [str(one.get_attribute("value")) for one in self._inputs(name)]
        for _ in range(len(values) + 1):
            focused = self.page.evaluate("[document.activeElement.name, document.activeElement.id]")
            assert focused[0] == name
            if focused[1] == f"{name}-{value}":
                break
            self.page.keyboard.press("ArrowDown")
        self.page.keyboard.press("Space")

    def _inputs(self, name: str) -> list[Any]:
        return self.page.locator(f"input[name='{name}']").all()

    def _tab_to(self, name: str) -> None:
        for _ in range(150):
            if self.page.evaluate("document.activeElement.name") == name:
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab never reached {name}")

    def slide(self, name: str, value: int) -> int:
        """Set a slider to `value`, as nearly as the hand can; what it says then."""
        number = self.page.locator(f"[id='{name}']")
        line = self.page.locator(f".slider:has([id='{name}']) input[type=range]")
        if not self.javascript:
            expect(line).to_be_hidden()
            self._type(number, name, str(value))
        elif self.kind == "keyboard":
            while not line.evaluate("line => line === document.activeElement"):
                self.page.keyboard.press("Tab")
            self.page.keyboard.press("Home")
            for _ in range(value // 10):
                self.page.keyboard.press("PageUp")
            for _ in range(value % 10):
                self.page.keyboard.press("ArrowRight")
        else:
            line.scroll_into_view_if_needed()
            box = line.bounding_box()
            assert box
            thumb = 1.7 * 17
            x = thumb / 2 + (box["width"] - thumb) * value / 100
            place: Any = {"x": x, "y": box["height"] / 2}
            if self.kind == "touch":
                line.tap(position=place)
            else:
                line.click(position=place)
        said = int(number.input_value())
        assert abs(said - value) <= 1
        return said

    def write(self, name: str, text: str) -> None:
        self._type(self.page.locator(f"textarea[name='{name}']"), name, text)

    def _type(self, field: Locator, name: str, text: str) -> None:
        if self.kind == "keyboard":
            self._tab_to(name)
        elif self.kind == "mouse":
            field.click()
        else:
            # The page scrolls between two fields, so the second may come to lie where the first
            # was. Tapping that place twice in 300 ms, as only a test can, would be a double tap:
            # it selects the word that is there and, in an empty field, leaves no caret.
            self.page.locator(".prompt").tap()
            field.tap()
        expect(field).to_be_focused()
        self.page.keyboard.type(text)

    def go_on(self) -> None:
        button = self.page.locator("main form .buttons button")
        with self.page.expect_navigation(wait_until="domcontentloaded"):
            if self.kind == "keyboard":
                while not button.evaluate("button => button === document.activeElement"):
                    self.page.keyboard.press("Tab")
                self.page.keyboard.press("Enter")
            elif self.kind == "touch":
                button.tap()
            else:
                button.click()


@dataclass
class Meant:
    """What somebody means to answer on a block's page, drawn at random."""

    shown: list[str]
    ratings: dict[tuple[str, str, str], int] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    check: list[int] = field(default_factory=list)

    def answer(self, hand: Hand, study: dict[str, Any], draw: random.Random) -> None:
        tasks = {task["kind"]: task for task in study["tasks"]}
        page_order = hand.page.locator("article.item").evaluate_all(
            "items => items.map(i => i.querySelector('[data-response]')?.dataset.response ?? '')"
        )
        for response in page_order:
            if not response:
                if "slider" in tasks:
                    self.check = [hand.slide("check", 20)]
                else:
                    hand.choose("check", "2")
                    self.check = [2]
                continue
            for kind in ("likert", "slider"):
                for dimension in tasks.get(kind, {}).get("dimensions", []):
                    name = f"r-{response}-{dimension['name']}"
                    if kind == "likert":
                        value = draw.choice([p["value"] for p in tasks[kind]["scale"]])
                        hand.choose(name, str(value))
                    else:
                        value = hand.slide(name, draw.randint(0, 100))
                    self.ratings[kind, dimension["name"], response] = value
        if "ranking" in tasks:
            self._rank(hand, tasks["ranking"], draw)
        if "best_worst" in tasks:
            best, worst = draw.sample(self.shown, 2)
            hand.choose("best", best)
            hand.choose("worst", worst)
            self.ratings["best_worst", "warmth", best] = 1
            self.ratings["best_worst", "warmth", worst] = -1
        for name in ["why"] * ("text" in tasks) + ["comment"] * ("comment" in study):
            self.texts[name] = f"It listens, 很好 {draw.randint(0, 99)}"
            hand.write(f"text-{name}", self.texts[name])

    def _rank(self, hand: Hand, task: dict[str, Any], draw: random.Random) -> None:
        ranks = list(range(1, len(self.shown) + 1))
        if task.get("ties"):
            ranks = draw.choices(ranks, k=len(self.shown))
        draw.shuffle(ranks)
        for response, rank in zip(self.shown, ranks, strict=True):
            hand.choose(f"rank-{response}", str(rank))
            self.ratings["ranking", "", response] = rank


@EITHER
@pytest.mark.parametrize("kind", HANDS)
@pytest.mark.parametrize("name", task_studies.STUDIES)
def test_database_holds_exactly_what_was_clicked(
    installation: Installation,
    study_of: StudyOf,
    new_page: OpenPage,
    name: str,
    kind: str,
    javascript: bool,
) -> None:
    # Each study is taken in both languages, and each hand and either kind of page, too.
    language = ("en", "zh-hans")[(KINDS.index(kind) + javascript) % 2]
    page = new_page(phone=kind == "touch", javascript=javascript)
    person = at_block(installation, study_of(name, language), page)
    expect(page.locator("html")).to_have_attribute("lang", language)
    shown = page.locator("[data-response]").evaluate_all("all => all.map(r => r.dataset.response)")
    assert person.stored_orders() == [[text_of(person, public_id) for public_id in shown]]
    expect(page.locator("input[type=radio]:checked")).to_have_count(0)

    meant = Meant(shown)
    draw = random.Random(f"{name} {kind} {javascript}")
    meant.answer(Hand(page, kind, javascript), task_studies.STUDIES[name], draw)
    Hand(page, kind, javascript).go_on()
    expect(page).to_have_url(re.compile(r"/page/3/$"))
    assert ratings(person) == {cell: (value, 0) for cell, value in meant.ratings.items()}
    assert texts(person) == meant.texts
    assert checks(person) == meant.check
    measured = measurements(person)
    assert (measured["visible_seconds"] is not None) == javascript


def text_of(person: Person, public_id: str) -> str:
    rows = person.installation.query(
        "SELECT text FROM survey_response WHERE public_id = %s", [public_id]
    )
    return str(rows[0][0])


def ratings(person: Person) -> dict[tuple[str, str, str], tuple[int, int]]:
    """Value and number of changes, by task, dimension and the response's public id."""
    rows = person.about_me(
        "SELECT task, dimension, public_id, value, revisions FROM survey_rating"
        " JOIN survey_presentation ON survey_presentation.id = presentation_id"
        " JOIN survey_response ON survey_response.id = response_id"
        " JOIN survey_identity"
        " ON survey_identity.participant_id = survey_presentation.participant_id"
        " WHERE key = %s"
    )
    return {(row[0], row[1], row[2]): (row[3], row[4]) for row in rows}


def texts(person: Person) -> dict[str, str]:
    return dict(
        person.about_me(
            "SELECT name, text FROM survey_freeanswer JOIN survey_identity"
            " ON survey_identity.participant_id = survey_freeanswer.participant_id WHERE key = %s"
        )
    )


def checks(person: Person) -> list[int]:
    rows = person.about_me(
        "SELECT answer FROM survey_attentioncheck JOIN survey_identity"
        " ON survey_identity.participant_id = survey_attentioncheck.participant_id WHERE key = %s"
    )
    return [answer for (answer,) in rows]


MEASURED = [
    "visible_seconds",
    "hidden_seconds",
    "first_answer_seconds",
    "last_answer_seconds",
    "changes",
    "response_seconds",
]


def measurements(person: Person) -> dict[str, Any]:
    rows = person.about_me(
        f"SELECT {', '.join(MEASURED)} FROM survey_presentation JOIN survey_identity"
        " ON survey_identity.participant_id = survey_presentation.participant_id WHERE key = %s"
    )
    return dict(zip(MEASURED, rows[0], strict=True))


def shown_on(page: Page) -> list[str]:
    ids: list[str] = page.locator("[data-response]").evaluate_all(
        "all => all.map(r => r.dataset.response)"
    )
    return ids


def so_far(page: Page) -> list[str]:
    return page.locator(".so-far li").all_inner_texts()


@SCRIPTED
@pytest.mark.parametrize("kind", KINDS)
def test_a_rank_taken_from_another_response_leaves_it_without_one_and_says_so(
    installation: Installation, study_of: StudyOf, new_page: OpenPage, kind: str
) -> None:
    page = new_page(phone=kind == "touch")
    person = at_block(installation, study_of("ranking"), page)
    hand, shown = Hand(page, kind, javascript=True), shown_on(page)
    assert so_far(page) == ["–"] * 5
    hand.choose(f"rank-{shown[0]}", "1")
    hand.choose(f"rank-{shown[1]}", "2")
    assert so_far(page) == ["Response 1", "Response 2", "–", "–", "–"]
    hand.choose(f"rank-{shown[2]}", "1")
    if kind == "keyboard":
        page.keyboard.press("Tab")
    status = page.get_by_role("status")
    expect(status).to_have_text("Response 1 has no rank now: another response took it.")
    assert so_far(page) == ["Response 3", "Response 2", "–", "–", "–"]
    expect(page.locator(f"[name=rank-{shown[0]}]:checked")).to_have_count(0)
    hand.choose(f"rank-{shown[3]}", "4")
    hand.choose(f"rank-{shown[4]}", "5")
    if kind == "keyboard":
        page.keyboard.press("Tab")
    expect(status).to_have_text("")
    page.locator(f"label:has(#rank-{shown[0]}-3)").click()
    go_on(page)
    assert [ratings(person)["ranking", "", response][0] for response in shown] == [3, 2, 1, 4, 5]
    # Response 1 had rank 1 and got rank 3: one answer was changed before sending.
    assert measurements(person)["changes"] == 1


@SCRIPTED
def test_arrow_keys_on_their_way_take_no_rank_from_another_response(
    installation: Installation, study_of: StudyOf, new_page: OpenPage
) -> None:
    page = new_page()
    at_block(installation, study_of("ranking"), page)
    hand, shown = Hand(page, "keyboard", javascript=True), shown_on(page)
    for rank, response in enumerate(shown, start=1):  # each passes over all ranks before its own
        hand.choose(f"rank-{response}", str(rank))
    assert so_far(page) == [f"Response {number}" for number in range(1, 6)]
    expect(page.get_by_role("status")).to_have_text("")


@SCRIPTED
def test_the_worst_can_not_stay_the_best(
    installation: Installation, study_of: StudyOf, new_page: OpenPage
) -> None:
    page = new_page()
    person = at_block(installation, study_of("best-worst"), page)
    hand, shown = Hand(page, "mouse", javascript=True), shown_on(page)
    hand.choose("best", shown[1])
    hand.choose("worst", shown[1])
    expect(page.get_by_role("status")).to_have_text("Choose again: Which response is the warmest?")
    expect(page.locator("[name=best]:checked")).to_have_count(0)
    hand.choose("best", shown[0])
    hand.write("text-why", "It listens.")
    go_on(page)
    assert ratings(person) == {
        ("best_worst", "warmth", shown[0]): (1, 0),
        ("best_worst", "warmth", shown[1]): (-1, 0),
    }


@SCRIPTED
@EITHER
def test_ties_and_the_same_response_twice_are_refused_without_a_script_too(
    installation: Installation, study_of: StudyOf, new_page: OpenPage, javascript: bool
) -> None:
    page = new_page(javascript=javascript)
    person = at_block(installation, study_of("ranking"), page)
    shown = shown_on(page)
    for response in shown:
        page.locator(f"#rank-{response}-1").check()
    go_on(page)
    links = page.get_by_role("alert").get_by_role("link").all_inner_texts()
    if javascript:  # only the last one still has its rank
        assert links == [f"Choose a rank for response {number}" for number in range(1, 5)]
    else:
        assert links == [
            f"Response {number} has rank 1, which another response has" for number in range(2, 6)
        ]
    assert ratings(person) == {}
    page.get_by_role("alert").get_by_role("link").last.click()
    name = page.evaluate("document.activeElement.name")
    assert name == f"rank-{shown[3 if javascript else 4]}"


@SCRIPTED
def test_a_slider_starts_unset_and_a_tap_on_its_middle_counts(
    installation: Installation, study_of: StudyOf, new_page: OpenPage
) -> None:
    page = new_page()
    person = at_block(installation, study_of("slider"), page)
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


@SCRIPTED
@pytest.mark.parametrize(
    ("key", "value"),
    [
        *[("ArrowRight", "50"), ("ArrowLeft", "50"), ("ArrowUp", "50"), ("PageDown", "50")],
        *[("Home", "0"), ("End", "100")],
    ],
)
def test_the_first_key_on_an_unset_slider_begins_at_its_middle_or_at_an_end(
    installation: Installation, study_of: StudyOf, new_page: OpenPage, key: str, value: str
) -> None:
    page = new_page()
    at_block(installation, study_of("slider"), page)
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


@SCRIPTED
@EITHER
def test_a_slider_says_its_range_and_how_to_answer(
    installation: Installation, study_of: StudyOf, new_page: OpenPage, javascript: bool
) -> None:
    page = new_page(javascript=javascript)
    at_block(installation, study_of("slider-check"), page)
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


MARKDOWN = """# Heading\n\n**Bold**, *soft* and `code`.\n\n> A quotation.\n
- one\n- two\n\n1. first\n\n```\na block of code\n```\n\n---\n\nThe end."""


@SCRIPTED
def test_no_formatting_makes_a_response_larger_or_louder_than_another(
    installation: Installation,
    new_page: OpenPage,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(task_studies, "TEXTS", [MARKDOWN, *task_studies.TEXTS[1:]])
    folder = tmp_path_factory.mktemp("calm")
    slug = open_tasks(installation, folder, "likert", slug="calm", response_format="markdown")
    page = new_page()
    at_block(installation, slug, page)
    response = page.locator(".response:has(blockquote)")
    looks = response.evaluate(
        "all => [...all.querySelectorAll('*')].map(one => [one.localName,"
        " getComputedStyle(one).fontSize, getComputedStyle(one).fontWeight])"
    )
    own = float(response.evaluate("one => getComputedStyle(one).fontSize").removesuffix("px"))
    assert [look for look in looks if float(look[1].removesuffix("px")) > own] == []
    bold = [response.locator(".heading").evaluate("one => one.localName"), "strong"]
    assert [name for name, _, weight in looks if weight != "400"] == bold
    assert {name for name, _, _ in looks} >= {"blockquote", "li", "code", "pre", "hr", "em"}


@SCRIPTED
def test_characters_are_counted_while_writing(
    installation: Installation, study_of: StudyOf, new_page: OpenPage
) -> None:
    page = new_page()
    at_block(installation, study_of("best-worst"), page)
    area = page.get_by_role("textbox", name="Why did you choose so?")
    expect(area).to_have_accessible_description("A sentence or two. From 5 to 60 characters")
    area.fill("很好 😀 ")
    expect(page.get_by_text("From 5 to 60 characters (4)")).to_be_visible()
    area.fill("x" * 61)
    too_long = page.get_by_text("From 5 to 60 characters (61)")
    expect(too_long).to_have_attribute("aria-live", "polite")


def test_what_a_page_measures_is_stored_and_adds_up_over_visits(
    installation: Installation, study_of: StudyOf, new_page: OpenPage
) -> None:
    page = new_page(phone=True)
    # Chromium's own clock, so that nobody has to wait.
    page.clock.install()
    person = at_block(installation, study_of("eleven"), page)
    shown = shown_on(page)
    page.clock.run_for(3_000)
    for response in shown:
        for dimension in ("resonance", "advice"):
            page.locator(f"label:has(#r-{response}-{dimension}-5)").tap()
    page.clock.run_for(2_000)
    page.locator(f"label:has(#r-{shown[0]}-advice-6)").tap()
    go_on(page)
    first = measurements(person)
    assert 3 <= first["first_answer_seconds"] < first["last_answer_seconds"]
    assert first["last_answer_seconds"] - first["first_answer_seconds"] >= 2
    assert first["last_answer_seconds"] <= first["visible_seconds"]
    assert (first["hidden_seconds"], first["changes"]) == (0, 1)
    seconds = as_dict(first["response_seconds"])
    assert sorted(seconds) == sorted(ids_of(person, shown))
    assert all(0 <= value <= first["visible_seconds"] for value in seconds.values())
    # The first response was in full view from the start.
    assert seconds[ids_of(person, shown)[0]] >= 3

    page.go_back()
    page.clock.run_for(4_000)
    page.locator(f"label:has(#r-{shown[0]}-advice-7)").tap()
    go_on(page)
    second = measurements(person)
    assert second["first_answer_seconds"] == first["first_answer_seconds"]
    assert second["visible_seconds"] >= first["visible_seconds"] + 4
    assert second["last_answer_seconds"] >= first["visible_seconds"] + 4
    assert second["changes"] == 2
    rows = person.about_me(
        "SELECT device, viewport_width, viewport_height FROM survey_participant"
        " JOIN survey_identity ON survey_identity.participant_id = survey_participant.id"
        " WHERE key = %s"
    )
    assert rows == [("phone", 360, 740)]


def as_dict(value: Any) -> dict[str, float]:
    """A JSON column: PostgreSQL gives a dictionary, SQLite text."""
    return dict(json.loads(value) if isinstance(value, str) else value)


def ids_of(person: Person, public_ids: list[str]) -> list[str]:
    rows = dict(person.installation.query("SELECT public_id, id FROM survey_response"))
    return [str(rows[public_id]) for public_id in public_ids]
