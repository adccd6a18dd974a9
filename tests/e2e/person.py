"""Somebody who takes a survey in a real browser, and what the database says about them."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from playwright.sync_api import Locator, Page, expect

from tests.e2e.installation import Installation
from tests.prolific import prolific_id

OpenPage = Callable[..., Page]
#: Where a rating belongs: scenario, set, model, condition.
Place = tuple[str, str, str, str]


@dataclass
class Person:
    """A person with a Prolific ID of their own, and the browser in front of them."""

    installation: Installation
    slug: str
    page: Page
    prolific_id: str

    @property
    def link(self) -> str:
        study, session = prolific_id("study"), prolific_id(f"session of {self.prolific_id}")
        ids = f"PROLIFIC_PID={self.prolific_id}&STUDY_ID={study}&SESSION_ID={session}"
        return f"{self.installation.url}/s/{self.slug}/?{ids}"

    def arrive(self) -> None:
        self.page.goto(self.link)

    def agree(self) -> None:
        """Agree on the information page, which is the first one in every browser."""
        self.page.get_by_role("checkbox").check()
        self.press("Take part")

    def begin(self) -> None:
        """Arrive, consent, and read the instructions: the first block is open."""
        self.arrive()
        self.agree()
        self.press("Start")

    def press(self, button: str) -> None:
        """Press a button and wait for the page that it leads to."""
        with self.page.expect_navigation(wait_until="domcontentloaded"):
            self.page.get_by_role("button", name=button, exact=True).click()

    def follow(self, link: str) -> None:
        """Follow a link and wait for the page that it leads to."""
        with self.page.expect_navigation(wait_until="domcontentloaded"):
            self.page.get_by_role("link", name=link, exact=True).click()

    def move_to(self, page: Page) -> None:
        """Close the browser and open the link in another one."""
        self.page.context.close()
        self.page = page
        self.arrive()
        self.agree()

    @property
    def number(self) -> int:
        """The number that the page says it has; its address has the same."""
        shown = re.fullmatch(r"Page (\d+) of \d+", self.page.locator(".progress").inner_text())
        assert shown
        assert self.page.url.endswith(f"/page/{shown[1]}/")
        return int(shown[1])

    @property
    def items(self) -> Locator:
        """What is to be rated on this page, from top to bottom."""
        return self.page.get_by_role("article")

    def is_at_block(self) -> bool:
        return self.page.get_by_role("heading", name="Response 1", exact=True).is_visible()

    def prompt(self) -> str:
        return self.page.get_by_role("blockquote").inner_text()

    def responses(self) -> list[str]:
        """The texts of the responses, from top to bottom."""
        return self.page.locator("[data-response]").all_text_contents()

    def choose(self, label: str, *, item: int) -> None:
        self.items.nth(item).get_by_label(label, exact=True).check()

    def chosen(self) -> list[str]:
        """The values of the radio buttons that are on, from top to bottom."""
        return [
            str(radio.get_attribute("value"))
            for radio in self.page.locator("input[type=radio]:checked").all()
        ]

    def answer(self, *labels: str) -> None:
        """Choose one label for each item of this page, from top to bottom, and go on."""
        expect(self.items).to_have_count(len(labels))
        for item, label in enumerate(labels):
            self.choose(label, item=item)
        self.press("Continue")

    def about_me(self, sql: str) -> list[tuple[Any, ...]]:
        """Rows of a statement whose only parameter is this person's Prolific ID."""
        return self.installation.query(sql, [self.prolific_id])

    def status(self) -> str:
        rows = self.about_me(
            "SELECT status FROM survey_participant JOIN survey_identity"
            " ON survey_identity.participant_id = survey_participant.id WHERE key = %s"
        )
        return str(rows[0][0])

    def ratings(self) -> list[tuple[Place, int, int]]:
        """Every stored rating: its place, its value, how often it was changed."""
        rows = self.about_me(
            "SELECT survey_scenario.name, set_name, model, condition, value, revisions"
            " FROM survey_rating"
            " JOIN survey_presentation ON survey_presentation.id = presentation_id"
            " JOIN survey_block ON survey_block.id = block_id"
            " JOIN survey_scenario ON survey_scenario.id = survey_block.scenario_id"
            " JOIN survey_response ON survey_response.id = response_id"
            " JOIN survey_system ON survey_system.id = system_id"
            " JOIN survey_identity"
            " ON survey_identity.participant_id = survey_presentation.participant_id"
            " WHERE key = %s"
        )
        return [((row[0], row[1], row[2], row[3]), row[4], row[5]) for row in rows]

    def stored_orders(self) -> list[list[str]]:
        """The responses' texts in the stored order, block by block."""
        rows = self.about_me(
            "SELECT response_order FROM survey_presentation JOIN survey_identity"
            " ON survey_identity.participant_id = survey_presentation.participant_id"
            " WHERE key = %s ORDER BY position"
        )
        texts = dict(self.installation.query("SELECT id, text FROM survey_response"))
        return [[texts[response] for response in as_list(order)] for (order,) in rows]


def as_list(value: Any) -> list[Any]:
    """A JSON column: PostgreSQL gives a list, SQLite text."""
    return list(json.loads(value) if isinstance(value, str) else value)


def somebody(installation: Installation, slug: str, page: Page) -> Person:
    """A new person in front of `page`."""
    return Person(installation, slug, page, prolific_id(uuid4().hex))


def at_block(installation: Installation, slug: str, page: Page) -> Person:
    """Somebody for whom the first block is open, whatever the language."""
    person = somebody(installation, slug, page)
    person.arrive()
    page.locator("#agree").check()
    for _ in range(2):
        go_on(page)
    return person


def go_on(page: Page) -> None:
    """Press the button that leads on, and wait for the next page."""
    with page.expect_navigation(wait_until="domcontentloaded"):
        page.locator("main form .buttons button").first.click()
