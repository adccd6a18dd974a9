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
from playwright.sync_api import Page, expect

from tests.e2e.hand import Hand, shown_on
from tests.e2e.installation import Installation
from tests.e2e.person import OpenPage, at_block, go_on
from tests.e2e.stored import as_dict, checks, ids_of, measurements, ratings, text_of, texts
from tests.e2e.studies import open_every_task, open_tasks
from tests.survey import task_studies

# What a browser makes of pages; test_block_tasks.py stores the answers on every database.
pytestmark = pytest.mark.embedded

StudyOf = Callable[..., str]
#: Scripts make a difference to fingers and keys; a mouse clicks what there is.
HANDS = [("touch", True), ("keyboard", True), ("keyboard", False), ("mouse", False)]


@pytest.fixture(scope="module")
def study_of(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> StudyOf:
    """The slug of a study of `task_studies` in a language."""
    open_every_task(installation, tmp_path_factory.mktemp("tasks"), "tasks", "en", "zh-hans")
    return lambda name, language="en": f"tasks-{name}-{language}"


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
        for number, task in _numbered(study, "ranking"):
            self._rank(hand, task, number, draw)
        for number, task in _numbered(study, "best_worst"):
            best, worst = draw.sample(self.shown, 2)
            hand.choose(f"best{number}", best)
            hand.choose(f"worst{number}", worst)
            self.ratings["best_worst", task["dimension"], best] = 1
            self.ratings["best_worst", task["dimension"], worst] = -1
        for name in ["why"] * ("text" in tasks) + ["comment"] * ("comment" in study):
            self.texts[name] = f"It listens, 很好 {draw.randint(0, 99)}"
            hand.write(f"text-{name}", self.texts[name])

    def _rank(self, hand: Hand, task: dict[str, Any], number: str, draw: random.Random) -> None:
        ranks = list(range(1, len(self.shown) + 1))
        if task.get("ties"):
            ranks = draw.choices(ranks, k=len(self.shown))
        draw.shuffle(ranks)
        for response, rank in zip(self.shown, ranks, strict=True):
            hand.choose(f"rank{number}-{response}", str(rank))
            self.ratings["ranking", task.get("dimension", ""), response] = rank


def _numbered(study: dict[str, Any], kind: str) -> list[tuple[str, dict[str, Any]]]:
    """The tasks of a kind, each with what its inputs are numbered by."""
    tasks = [task for task in study["tasks"] if task["kind"] == kind]
    return [("" if n == 1 else str(n), task) for n, task in enumerate(tasks, start=1)]


@pytest.mark.parametrize(("kind", "javascript"), HANDS)
@pytest.mark.parametrize("name", task_studies.STUDIES)
def test_database_holds_exactly_what_was_clicked(
    installation: Installation,
    study_of: StudyOf,
    new_page: OpenPage,
    name: str,
    kind: str,
    javascript: bool,
) -> None:
    language = ("en", "zh-hans")[javascript]  # each study in both
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


MARKDOWN = """# Heading\n\n**Bold**, *soft* and `code`.\n\n> A quotation.\n
- one\n- two\n\n1. first\n\n```\na block of code\n```\n\n---\n\nThe end."""


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


def read_down(page: Page, height: int) -> tuple[float, list[float]]:
    """Scroll steadily past responses of this height, in pixels: the share of the time in view that
    all of them were on screen together, and the seconds of each, from the top.
    """
    page.add_style_tag(content=f".response {{ height: {height}px; overflow: hidden; }}")
    before = measured_so_far(page)
    for y in range(0, page.evaluate("document.body.scrollHeight - innerHeight"), 60):
        page.evaluate("y => { scrollTo(0, y); dispatchEvent(new Event('scroll')); }", y)
        page.clock.run_for(300)
    after = measured_so_far(page)
    seconds = [after["responses"][name] - before["responses"][name] for name in shown_on(page)]
    return sum(seconds) / (after["visible"] - before["visible"]), seconds


def measured_so_far(page: Page) -> dict[str, Any]:
    page.evaluate("document.forms[0].dispatchEvent(new Event('input'))")
    return dict(json.loads(page.locator("input[name=paradata]").input_value()))


def look_elsewhere(page: Page, milliseconds: int) -> None:
    """Leave the page in view and work in another window. Playwright's pages always have the focus,
    so the browser's events have to do.
    """
    page.evaluate("dispatchEvent(new Event('blur'))")
    page.clock.run_for(milliseconds)
    page.evaluate("dispatchEvent(new Event('focus'))")


def test_reading_time_is_that_of_the_responses_on_screen_whatever_their_height(
    installation: Installation, study_of: StudyOf, new_page: OpenPage
) -> None:
    page = new_page()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.clock.install()
    at_block(installation, study_of("eleven"), page)
    for height in (600, 740, 1300):  # lower than what the prompt leaves free, as high, higher
        share, seconds = read_down(page, height)
        assert 0.9 <= share <= 1.1, height
        assert max(seconds) < 1.5 * min(seconds), height
    at_the_end = measured_so_far(page)["responses"]
    page.clock.run_for(5_000)
    later = measured_so_far(page)["responses"]
    on_screen = [later[name] - at_the_end[name] for name in shown_on(page)]
    assert on_screen == [0, 0, pytest.approx(5, abs=1)]


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
    look_elsewhere(page, 1_500)
    go_on(page)
    first = measurements(person)
    assert 3 <= first["first_answer_seconds"] < first["last_answer_seconds"]
    assert first["last_answer_seconds"] - first["first_answer_seconds"] >= 2
    assert first["last_answer_seconds"] <= first["visible_seconds"]
    assert (first["hidden_seconds"], first["changes"]) == (0, 1)
    assert 1.5 <= first["unfocused_seconds"] < first["visible_seconds"]
    assert first["focus_losses"] == 1
    seconds = as_dict(first["response_seconds"])
    assert sorted(seconds) == sorted(ids_of(person, shown))
    assert all(0 <= value <= first["visible_seconds"] for value in seconds.values())
    # The first response was in full view from the start.
    assert seconds[ids_of(person, shown)[0]] >= 3

    page.go_back()
    page.clock.run_for(4_000)
    page.locator(f"label:has(#r-{shown[0]}-advice-7)").tap()
    look_elsewhere(page, 2_000)
    look_elsewhere(page, 0)
    go_on(page)
    second = measurements(person)
    assert second["first_answer_seconds"] == first["first_answer_seconds"]
    assert second["visible_seconds"] >= first["visible_seconds"] + 4
    assert second["last_answer_seconds"] >= first["visible_seconds"] + 4
    assert second["changes"] == 2
    assert second["unfocused_seconds"] >= first["unfocused_seconds"] + 2
    assert (second["focus_losses"], second["hidden_seconds"]) == (3, 0)
    rows = person.about_me(
        "SELECT device, viewport_width, viewport_height FROM survey_participant"
        " JOIN survey_identity ON survey_identity.participant_id = survey_participant.id"
        " WHERE key = %s"
    )
    assert rows == [("phone", 360, 740)]
