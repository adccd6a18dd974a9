"""Responses of models in a browser: every character, lists of one height, nothing too wide."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.e2e.axe import in_both_schemes, violations
from tests.e2e.installation import Installation
from tests.e2e.person import OpenPage, somebody
from tests.e2e.studies import open_texts
from tests.survey.rendering.responses_of_models import GALLERY
from tests.survey.rendering.test_maths import HOSTILE as HOSTILE_FORMULAS
from tests.survey.rendering.test_responses import HOSTILE, letters, text_of

# What a browser makes of a page: the database behind it cannot matter.
pytestmark = pytest.mark.embedded

WIDTHS = (360, 390, 1280)
#: Elements wider than the page or their card. Tables and formulas scroll within theirs.
OUTSIDE = """() => [...document.querySelectorAll("main *")].filter(one => {
  const box = one.getBoundingClientRect(), room = one.closest(".item")?.getBoundingClientRect();
  const [left, right] = room ? [room.left, room.right] : [0, innerWidth];
  return box.width && !one.closest(".table table, .maths math, .hidden, .prompt")
    && (box.right > right + 1 || box.left < left - 1);
}).map(one => one.outerHTML.slice(0, 200))"""
COPIED = """response => {
  getSelection().selectAllChildren(response);
  return getSelection().toString();
}"""
HEIGHT = "response => response.getBoundingClientRect().height"


@pytest.mark.parametrize("response_format", ["plain", "markdown"])
def test_gallery_is_read_and_copied_as_it_was_written(
    installation: Installation, tmp_path: Path, new_page: OpenPage, response_format: str
) -> None:
    names = sorted(GALLERY)
    names += names[: len(names) % 2]  # two a page
    pairs = list(zip(names[::2], names[1::2], strict=True))
    texts = [(f"{one} and {other}", (GALLERY[one], GALLERY[other])) for one, other in pairs]
    slug = open_texts(
        installation, tmp_path, texts, f"response_format: {response_format}", slug=response_format
    )
    page = new_page()
    person = somebody(installation, slug, page)
    person.begin()
    for _ in pairs:
        prompt = page.locator(".prompt blockquote").inner_text()
        expected = [GALLERY[name] for name in prompt.split(" and ")]
        shown = page.locator("[data-response]")
        copied = shown.evaluate_all(f"all => all.map({COPIED})")
        if response_format == "plain":
            assert sorted(shown.all_text_contents()) == sorted(expected)
            assert sorted(map(as_copied, copied)) == sorted(map(as_copied, expected))
        else:
            read = [
                text_of(html) for html in shown.evaluate_all("all => all.map(r => r.outerHTML)")
            ]
            assert sorted(map(letters, read)) == sorted(map(letters, expected))
        assert page.locator("main :is(a[href^='http'], script, img)").count() == 0
        for width in WIDTHS:
            assert beside(page, width) == []
        assert violations(page) == []
        person.answer("Good", "Good")
    assert person.status() == "completed"


def as_copied(text: str) -> str:
    """Browsers write some spaces and ends of lines as others."""
    return "\n".join(text.split("\n")).replace("\u00a0", " ").rstrip()


def beside(page: Page, width: int) -> list[str]:
    """The elements that stick out at this width of the window."""
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    outside: list[str] = page.evaluate(OUTSIDE)
    return outside


def test_list_is_as_high_with_empty_lines_as_without(
    installation: Installation, tmp_path: Path, new_page: OpenPage
) -> None:
    written = ("tight_list", "loose_list")
    texts = [("Which?", [GALLERY[name] for name in written])]
    slug = open_texts(installation, tmp_path, texts, "response_format: markdown", slug="lists")
    page = new_page(phone=True)
    somebody(installation, slug, page).begin()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        one, other = page.locator("[data-response]").evaluate_all(f"all => all.map({HEIGHT})")
        assert one == pytest.approx(other, rel=0.02)


@pytest.mark.parametrize("response_format", ["plain", "markdown"])
def test_formulas_are_drawn_with_a_font_of_ours(
    installation: Installation, tmp_path: Path, new_page: OpenPage, response_format: str
) -> None:
    texts = [("Solve \\(x^2 = 1\\).", (GALLERY["maths"], GALLERY["wide_maths"]))]
    lines = (f"response_format: {response_format}", "latex: true")
    slug = open_texts(installation, tmp_path, texts, *lines, slug=f"maths-{response_format}")
    page = new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    somebody(installation, slug, page).begin()
    assert page.locator(".prompt math").count() == 1
    assert page.locator("[data-response] math").count() == 6
    assert page.evaluate(
        "document.fonts.ready.then(() => document.fonts.check('1em \"STIX Two Math\"'))"
    )
    assert [url for url in asked if url.endswith(".woff2")]
    box = page.locator(".boxed").evaluate("one => getComputedStyle(one).borderTopWidth")
    assert box == "1px"
    for width in WIDTHS:
        assert beside(page, width) == []
    assert in_both_schemes(page) == []


@pytest.mark.parametrize("response_format", ["plain", "markdown"])
def test_hostile_responses_stay_in_their_box(
    installation: Installation, tmp_path: Path, new_page: OpenPage, response_format: str
) -> None:
    written = [
        "\n\n".join(rf"\({latex}\)" for latex in HOSTILE_FORMULAS),
        "\n\n".join(rf"\[{latex}\]" for latex in HOSTILE_FORMULAS),
        *(text[:5_000] for text in HOSTILE),
    ]
    written += written[: len(written) % 2]  # two a page
    texts = [(f"Which? {place}", written[place : place + 2]) for place in range(0, len(written), 2)]
    lines = (f"response_format: {response_format}", "latex: true")
    slug = open_texts(installation, tmp_path, texts, *lines, slug=f"hostile-{response_format}")
    page = new_page(phone=True)
    person = somebody(installation, slug, page)
    person.begin()
    for _ in texts:
        count = page.locator("[data-response]").count()
        assert page.locator("[data-response] :is(a, script, img, style, iframe)").count() == 0
        for width in WIDTHS:
            assert beside(page, width) == []
        person.answer(*["Good"] * count)
