"""Results and thresholds as a researcher meets them in a browser.

One study and one walk; axe-core finds nothing to object to, by day and by night, and no page is
wider than a phone.
"""

import json
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import in_both_schemes, violations
from tests.e2e.installation import Installation, running_installation
from tests.e2e.studies import WAYS_IN
from tests.e2e.test_judge_pages import is_too_wide, log_in, open_everything
from tests.survey import small_study

pytestmark = pytest.mark.embedded  # what a browser makes of HTML, styles and scripts
STUDY = "/studies/small"
RESULTS = ["", "systems/", "groups/", "mixed-models/", "rankings/", "raters/", "order/", "printed/"]
OTHERS = ["raters/", "thresholds/", "figures/"]
#: Raters need seconds for these pages, and the rules ask for minutes.
RULES = "\nquality: {duration_minutes: {minimum: 0, maximum: 75}}\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An installation with a few simulated raters and an analysis."""
    folder = tmp_path_factory.mktemp("results")
    with running_installation(folder / "site") as running:
        (folder / "study.yaml").write_text(small_study.YAML + WAYS_IN + RULES, encoding="utf-8")
        (folder / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
        running.manage_all(
            ("load_study", folder),
            ("set_study", "small", "open"),
            ("simulate", "small", "--participants", "8", "--seed", "1"),
            ("analyze", "small", "--out", folder / "out", "--include", "simulated"),
        )
        yield running


def test_analysis_on_the_command_line_has_images_of_every_figure(site: Installation) -> None:
    out = site.folder.parent / "out"
    assert json.loads((out / "manifest.json").read_text("utf-8"))["images"] == ""
    figures = {path.stem for path in out.glob("*.json")} - {"manifest"}
    assert len(figures) > 5
    for ending in ("svg", "png"):
        assert figures <= {path.stem for path in out.glob(f"*.{ending}")}


def test_thresholds_are_tried_with_a_slider_and_then_used(
    site: Installation, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    log_in(site, page)
    page.goto(f"{site.url}{STUDY}/thresholds/?include=simulated")
    summary = page.locator("#summary")
    expect(summary).to_contain_text("the same as by the rules in force")
    slider = page.get_by_role("slider", name="Shortest time, slider")
    slider.focus()
    slider.press("End")
    number = page.get_by_role("spinbutton", name="Shortest time (minutes)")
    expect(number).not_to_have_value("0.0")
    expect(summary).to_contain_text("0 raters would be kept")
    expect(page.locator("#outcome")).to_contain_text("Would be excluded:")
    page.locator("#outcome").get_by_role("link", name="Minutes").click()
    expect(page.get_by_role("columnheader", name="Minutes")).to_have_attribute(
        "aria-sort", "ascending"
    )
    expect(summary).to_contain_text("0 raters would be kept")
    assert "duration_minimum=" in page.url
    open_everything(page)
    found = {"thresholds": in_both_schemes(page)}

    page.reload()
    expect(summary).to_contain_text("0 raters would be kept")
    page.get_by_role("button", name="Use these thresholds…").click()
    expect(page.get_by_text("Use these thresholds from now on?")).to_be_visible()
    found["use"] = in_both_schemes(page)
    page.get_by_role("button", name="Use these thresholds").click()
    expect(page.get_by_text("Results by it are here")).to_be_visible()
    expect(page.get_by_text("rules version 2 ·")).to_be_visible(timeout=60_000)
    assert {name: objections for name, objections in found.items() if objections} == {}


def test_what_a_slider_does_is_in_view_on_a_phone(
    site: Installation, new_page: Callable[..., Page]
) -> None:
    page = new_page(phone=True)
    log_in(site, page)
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
    expect(summary).to_contain_text("the same as by the rules in force")


def test_thresholds_work_without_scripts(site: Installation, new_page: Callable[..., Page]) -> None:
    page = new_page(javascript=False)
    log_in(site, page)
    page.goto(f"{site.url}{STUDY}/thresholds/?include=simulated")
    expect(page.get_by_role("slider")).to_have_count(0)
    number = page.get_by_role("spinbutton", name="Failed attention checks allowed")
    number.fill("3")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(number).to_have_value("3")
    assert "include=simulated" in page.url
    assert "failures_allowed=3" in page.url


def test_results_pages_are_accessible_and_no_wider_than_a_phone(
    site: Installation, new_page: Callable[..., Page]
) -> None:
    page, phone = new_page(), new_page(phone=True)
    log_in(site, page)
    log_in(site, phone)
    found, wide = {}, []
    for part in [*(f"results/{subject}" for subject in RESULTS), *OTHERS]:
        address = f"{site.url}{STUDY}/{part}?include=simulated"
        page.goto(address)
        found[part] = in_both_schemes(page)
        phone.goto(address)
        if is_too_wide(phone):
            wide.append(part)
        if part == "figures/":  # scripts draw these, and not alike for fingers
            phone.wait_for_load_state("networkidle")
            expect(phone.locator(".js-plotly-plot").last).to_be_visible()
            found["figures on a phone"] = violations(phone)
    assert {part: objections for part, objections in found.items() if objections} == {}
    assert wide == []
