"""Results and thresholds as a researcher meets them in a browser.

One study and one walk; axe-core finds nothing to object to, by day and by night, and no page is
wider than a phone.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.axe import in_both_schemes, violations
from tests.e2e.installation import Installation, running_installation
from tests.e2e.studies import WAYS_IN
from tests.e2e.test_judge_pages import is_too_wide, log_in, open_everything
from tests.survey import small_study

# What a browser makes of HTML, styles and scripts.
pytestmark = pytest.mark.embedded
STUDY = "/studies/small"
RESULTS = [
    *("", "systems/", "groups/", "mixed-models/", "rankings/", "raters/", "order/"),
    *("metrics/", "printed/", "differences/", "themes/", "flags/"),
]
OTHERS = [
    *("", "submissions/", "raters/", "thresholds/", "figures/"),
    *("texts/", "pages/", "pages/information/", "pages/2/", "versions/", "downloads/"),
]
#: Raters need seconds for these pages, and the rules ask for minutes.
RULES = "\nquality: {duration_minutes: {minimum: 0, maximum: 75}}\n"
#: Its longest word is wider than a phone.
TITLE = "A small study of Rindfleischetikettierungsüberwachungsaufgaben"
#: The corners of an element that something else covers, or that are scrolled out of view.
UNSEEN = """element => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const corners = [left + 3, right - 3].flatMap(x => [top + 3, bottom - 3].map(y => [x, y]));
    return corners.filter(([x, y]) => !element.contains(document.elementFromPoint(x, y)));
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An installation with a few simulated raters and an analysis."""
    folder = tmp_path_factory.mktemp("results")
    with running_installation(folder / "site", worker=False) as running:
        text = small_study.YAML.replace("A small study", TITLE) + WAYS_IN + RULES
        (folder / "study.yaml").write_text(text, encoding="utf-8")
        (folder / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
        running.manage_all(
            ("load_study", folder),
            ("set_study", "small", "open", "--rehearsal"),
            ("simulate", "small", "--participants", "8", "--seed", "1"),
            ("metrics", "small"),
            ("themes", "add", "small", "--name", "Warmth", "--definition", "Called kind"),
            ("analyze", "small", "--out", folder, "--include", "simulated", "--no-images"),
        )
        running.start("worker")  # not before: it would analyse, too
        yield running


@pytest.fixture(scope="module")
def session(site: Installation, browser: Browser) -> list[Any]:
    """Cookies of a researcher: to hash a password once more takes as long as some pages."""
    context = browser.new_context()
    page = context.new_page()
    log_in(site, page)
    expect(page).to_have_url(f"{site.url}/")
    cookies = context.cookies()
    context.close()
    return list(cookies)


@pytest.fixture
def new_page(new_page: Callable[..., Page], session: list[Any]) -> Callable[..., Page]:
    """Open a page in a browser in which a researcher has logged in."""

    def open_page(**browser: bool) -> Page:
        page = new_page(**browser)
        page.context.add_cookies(session)
        return page

    return open_page


def test_analysis_on_the_command_line_has_images_of_every_figure(site: Installation) -> None:
    """Of people who are no test people: nobody, so it is the one of who came and left."""
    out = site.folder.parent / "out"
    site.manage("analyze", "small", "--out", out)
    assert json.loads((out / "manifest.json").read_text("utf-8"))["images"] == ""
    figures = {path.stem for path in out.glob("*.json")} - {"manifest"}
    assert figures == {"consort"}
    for ending in ("svg", "png"):
        assert figures <= {path.stem for path in out.glob(f"*.{ending}")}


def test_thresholds_are_tried_with_a_slider_and_then_used(
    site: Installation, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    page.goto(f"{site.url}{STUDY}/thresholds/?include=simulated")
    summary = page.locator("#summary")
    expect(summary).to_contain_text("these are the current thresholds")
    slider = page.get_by_role("slider", name="Shortest time, slider")
    slider.focus()
    slider.press("End")
    number = page.get_by_role("spinbutton", name="Shortest time (minutes)")
    expect(number).not_to_have_value("0.0")
    expect(summary).to_contain_text("0 raters would be included")
    expect(page.locator("#outcome")).to_contain_text("Newly excluded:")
    page.locator("#outcome").get_by_role("link", name="Minutes").click()
    expect(page.get_by_role("columnheader", name="Minutes")).to_have_attribute(
        "aria-sort", "ascending"
    )
    expect(summary).to_contain_text("0 raters would be included")
    assert "duration_minimum=" in page.url
    open_everything(page)
    found = {"thresholds": in_both_schemes(page)}

    page.reload()
    expect(summary).to_contain_text("0 raters would be included")
    page.get_by_role("button", name="Use these thresholds…").click()
    expect(page.get_by_text("Use these thresholds from now on?")).to_be_visible()
    found["use"] = in_both_schemes(page)
    page.go_back()
    number.fill("0.01")  # nobody was so quick: whoever looks at results next finds some
    expect(summary).to_contain_text("these are the current thresholds")
    page.get_by_role("button", name="Use these thresholds…").click()
    page.get_by_role("button", name="Use these thresholds").click()
    expect(page.get_by_text("A worker is computing the results.")).to_be_visible()
    expect(page.locator(".run details")).to_contain_text("rules version 2", timeout=60_000)
    assert {name: objections for name, objections in found.items() if objections} == {}


def test_worker_computes_metrics_at_the_press_of_a_button(
    site: Installation, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    page.goto(f"{site.url}{STUDY}/results/metrics/?include=simulated")
    expect(page.locator("#metric_means .wins").first).to_contain_text("Tuned")
    before = site.query("SELECT max(computed_at) FROM analysis_computedmetric")
    page.get_by_role("button", name="Compute again").click()
    expect(page.get_by_role("button", name="Compute again")).to_be_visible(timeout=60_000)
    assert site.query("SELECT max(computed_at) FROM analysis_computedmetric") > before
    assert site.query("SELECT state FROM analysis_metricsrequest") == [("done",)]


def test_what_a_slider_does_is_in_view_on_a_phone(
    site: Installation, new_page: Callable[..., Page]
) -> None:
    page = new_page(phone=True)
    page.goto(f"{site.url}{STUDY}/thresholds/?include=simulated")
    summary = page.locator("#summary")
    last = page.get_by_role("slider").last
    last.focus()
    expect(last).to_be_in_viewport()
    expect(summary).to_be_in_viewport(ratio=1)
    number = page.get_by_role("spinbutton", name="Shortest time (minutes)")
    number.fill("-1")
    expect(summary).to_contain_text("Not shown: Shortest time (minutes):")
    number.fill("1000")
    expect(summary).to_contain_text("Minimum is greater than maximum.")
    number.fill("0")
    expect(summary).to_contain_text("these are the current thresholds")


def test_what_gets_the_focus_in_a_table_is_in_view_on_a_phone(
    site: Installation, new_page: Callable[..., Page]
) -> None:
    page = new_page(phone=True)
    page.goto(f"{site.url}{STUDY}/thresholds/?include=simulated&duration_maximum=0.1")
    page.get_by_role("group", name="Raters whose decision changes").focus()
    unseen = {}
    for key in [*["Tab"] * 7, *["Shift+Tab"] * 6]:
        page.keyboard.press(key)
        heading = page.locator(":focus")
        unseen[key, heading.inner_text()] = heading.evaluate(UNSEEN)
    assert len(unseen) == 13
    assert {what: corners for what, corners in unseen.items() if corners} == {}


def test_headings_and_numbers_of_pages_are_large_enough_for_fingers(
    site: Installation, new_page: Callable[..., Page]
) -> None:
    page = new_page(phone=True)
    parts = {
        "raters/?include=simulated": ".scroll thead a",
        "results/groups/?include=simulated&raters=*&condition=*&scenario=*": ".pager a",
    }
    small = {}
    for part, targets in parts.items():
        page.goto(f"{site.url}{STUDY}/{part}")
        assert page.locator(targets).count() > 2
        for target in page.locator(targets).all():
            box = target.bounding_box()
            assert box
            if min(box["width"], box["height"]) < 24:
                small[part, target.inner_text()] = box
    assert small == {}


def test_buttons_of_figures_show_the_focus_by_night(
    site: Installation, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    page.emulate_media(color_scheme="dark")
    page.goto(f"{site.url}{STUDY}/figures/?include=simulated")
    page.wait_for_load_state("networkidle")  # a figure that is drawn once more drops the focus
    button = page.get_by_role("button", name="Download plot as a PNG").first
    button.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(button).to_be_focused()
    accent = page.locator(".switch [aria-current]").evaluate("a => getComputedStyle(a).color")
    expect(button).to_have_css("outline-color", accent)
    muted = page.locator(".studyhead .muted").evaluate("one => getComputedStyle(one).color")
    expect(button.locator("path")).to_have_css("fill", muted)


def test_wide_figures_scroll_by_keyboard_on_a_phone_and_have_no_bar_above_them(
    site: Installation, new_page: Callable[..., Page]
) -> None:
    page = new_page(phone=True)
    page.goto(f"{site.url}{STUDY}/figures/?include=simulated")
    page.wait_for_load_state("networkidle")
    figures = page.locator(".figure")
    wide = [
        one for one in figures.all() if one.evaluate("one => one.scrollWidth > one.clientWidth")
    ]
    assert 0 < len(wide) < figures.count()
    for one in wide:
        expect(one).to_have_role("group")
        expect(one).to_have_accessible_name(re.compile(r"Scrolls sideways\. ."))
        one.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function("one => one.scrollLeft > 0", arg=one.element_handle())
    expect(page.locator(".modebar")).to_have_count(0)


@pytest.mark.parametrize(
    ("part", "filtered"), [("results/systems/", "Model"), ("raters/", "Status")]
)
def test_filters_say_what_is_shown_after_going_back(
    site: Installation, new_page: Callable[..., Page], part: str, filtered: str
) -> None:
    page = new_page()
    page.goto(f"{site.url}{STUDY}/{part}?include=simulated")
    if part.startswith("results/"):
        page.get_by_text("Filter the tables").click()
    chosen = page.get_by_label(filtered, exact=True)
    before = chosen.input_value()
    chosen.select_option(index=1)
    after = chosen.input_value()
    assert after != before
    page.get_by_role("button", name="Show", exact=True).click()
    page.wait_for_url("**&*")
    expect(chosen).to_have_value(after)
    page.go_back()
    expect(chosen).to_have_value(before)


def test_thresholds_work_without_scripts(site: Installation, new_page: Callable[..., Page]) -> None:
    page = new_page(javascript=False)
    page.goto(f"{site.url}{STUDY}/thresholds/?include=simulated")
    expect(page.get_by_role("slider")).to_have_count(0)
    number = page.get_by_role("spinbutton", name="Failed attention checks allowed")
    number.fill("3")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(number).to_have_value("3")
    assert "include=simulated" in page.url
    assert "failures_allowed=3" in page.url


def open_when_done(page: Page, address: str) -> None:
    """Open a page. One that waits for a worker loads itself again when the worker is done."""
    page.goto(address)
    expect(page.locator("[data-live][data-every='2']")).to_have_count(0, timeout=60_000)


def test_results_pages_are_accessible_and_no_wider_than_a_phone(
    site: Installation, new_page: Callable[..., Page]
) -> None:
    page, phone = new_page(), new_page(phone=True)
    page.goto(f"{site.url}{STUDY}/results/?include=simulated")
    expect(page.locator(".wins tbody tr")).to_have_count(2)  # there is something to look at
    found, wide = {}, []
    for part in [*(f"results/{subject}" for subject in RESULTS), *OTHERS]:
        address = f"{site.url}{STUDY}/{part}?include=simulated"
        open_when_done(page, address)
        page.wait_for_load_state("networkidle")  # scripts draw figures
        found[part] = in_both_schemes(page)
        open_when_done(phone, address)
        if is_too_wide(phone):
            wide.append(part)
        if part == "figures/":  # scripts draw these, and not alike for fingers
            phone.wait_for_load_state("networkidle")
            expect(phone.locator(".js-plotly-plot").last).to_be_visible()
            found["figures on a phone"] = violations(phone)
    page.goto(f"{site.url}{STUDY}/raters/?include=simulated")
    page.locator("tbody th a").first.click()
    phone.goto(page.url)
    open_everything(page)
    found["a rater"] = in_both_schemes(page)
    wide += ["a rater"] if is_too_wide(phone) else []
    page.get_by_role("link", name="(replay)").first.click()
    expect(page.get_by_text("It is read-only.")).to_be_visible()
    found["replay"] = in_both_schemes(page)
    assert {part: objections for part, objections in found.items() if objections} == {}
    assert wide == []


@pytest.mark.parametrize(("width", "height", "above"), [(1280, 800, 400), (390, 844, 600)])
def test_first_number_of_results_is_in_view_at_once(
    site: Installation, new_page: Callable[..., Page], width: int, height: int, above: int
) -> None:
    page = new_page()
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{site.url}{STUDY}/results/?include=simulated")
    page.locator("h1").evaluate("h1 => (h1.textContent = 'Empathy in replies to people')")
    first = page.locator(".answer .first a").first.bounding_box()
    assert first
    assert first["y"] + first["height"] < above


def test_overview_refreshes_itself_and_leaves_open_what_is_open(
    site: Installation, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    page.clock.install()
    page.goto(f"{site.url}{STUDY}/")
    table = page.locator("#over-time-table")
    table.locator("summary").click()
    page.get_by_role("heading", level=1).click()  # what has the focus is not replaced
    live = page.locator("[data-live]")
    live.evaluate(
        "region => region.append(Object.assign(document.createElement('i'), {id: 'old'}))"
    )
    page.clock.fast_forward(6000)
    expect(page.locator("#old")).to_have_count(0)
    expect(table).to_have_attribute("open", "")


def test_a_tile_leads_on_wherever_it_is_touched(
    site: Installation, new_page: Callable[..., Page]
) -> None:
    page = new_page(phone=True)
    page.goto(f"{site.url}{STUDY}/?include=simulated")
    tile = page.locator(".tiles > div", has_text="excluded by a rule")
    box = tile.bounding_box()
    assert box
    tile.click(position={"x": box["width"] - 4, "y": box["height"] - 4})
    expect(page).to_have_url(re.compile(r"/raters/\?.*rule=any"))


def test_first_column_stays_with_its_lines_while_a_phone_scrolls(
    site: Installation, new_page: Callable[..., Page]
) -> None:
    page = new_page(phone=True)
    page.goto(f"{site.url}{STUDY}/results/?include=simulated")
    box = page.locator(".scroll:has(.wins)")
    box.scroll_into_view_if_needed()
    before = box.locator("th[scope=row]").first.bounding_box()
    assert box.evaluate("box => (box.scrollLeft = 40)") == box.evaluate("box => box.scrollLeft")
    assert box.locator("th[scope=row]").first.bounding_box() == before
    first = [box.get_by_role("columnheader", name="Model"), *box.locator("th[scope=row]").all()]
    assert [cell.evaluate(UNSEEN) for cell in first] == [[]] * 7
    # Chromium paints collapsed lines with the table, and what is sticky then lies over half of them
    expect(box.locator("table")).to_have_css("border-collapse", "separate")
