"""Answering a block's page as people do: with a mouse, a finger, or keys alone."""

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page, expect

KINDS = ["mouse", "touch", "keyboard"]


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


def shown_on(page: Page) -> list[str]:
    ids: list[str] = page.locator("[data-response]").evaluate_all(
        "all => all.map(r => r.dataset.response)"
    )
    return ids
