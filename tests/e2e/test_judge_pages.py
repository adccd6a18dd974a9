"""Judges as a researcher meets them in a browser: asked, compared, chosen as gold, believed or not.

One study and one walk; on the way axe-core finds nothing to object to, by day and by night, and no
page is wider than a phone.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import in_both_schemes
from tests.e2e.installation import Installation, running_installation
from tests.e2e.studies import WAYS_IN
from tests.servers.faulty_judge import FaultyJudge, faulty_judge
from tests.servers.judge_faults import Plan
from tests.survey import small_study

# What a browser makes of pages; judging runs on every database.
pytestmark = pytest.mark.embedded

JUDGES = """
judging:
  budget: {money: 1, requests: 500}
  judges:
    - {name: alone, replicates: 2, reasons: true}
    - {name: blocks, presentation: block, replicates: 2}
"""
#: What pages of judges show comes from no recipe: the worker computes by one without models.
RECIPE = "{name: light, title: Light, unit: participant}"


@pytest.fixture(scope="module")
def server() -> Iterator[FaultyJudge]:
    """A judge that takes its time, and answers two questions in a row without a score."""
    plan = Plan(sequence=["chatter", "chatter"], latency_seconds=0.1, schema="ignore")
    with faulty_judge(plan) as running:
        yield running


@pytest.fixture(scope="module")
def site(server: FaultyJudge, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An installation that asks that judge, one question at a time, with a few raters."""
    folder = tmp_path_factory.mktemp("judged")
    asking = {"JUDGE_BASE_URL": server.base_url, "JUDGE_CONCURRENCY": "1"}
    with running_installation(folder / "site", worker=False, **asking) as running:
        (folder / "study.yaml").write_text(small_study.YAML + WAYS_IN + JUDGES, encoding="utf-8")
        (folder / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
        (folder / "recipes").mkdir()
        (folder / "recipes" / "light.yaml").write_text(RECIPE, encoding="utf-8")
        simulate = ("simulate", "small", "--participants", "6", "--seed", "1")
        rehearsal = ("set_study", "small", "open", "--rehearsal")
        running.manage_all(("load_study", folder), rehearsal, simulate)
        running.start("worker")
        yield running


def log_in(site: Installation, page: Page, name: str = "") -> None:
    """Log the researcher in, or another account with the same password."""
    researcher, password = site.researcher
    page.goto(f"{site.url}/login/")
    page.fill("[name=username]", name or researcher)
    page.fill("[name=password]", password)
    page.click("main form button")


def open_everything(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")


def is_too_wide(page: Page) -> bool:
    # Not innerWidth: a phone zooms out until a page that is too wide fits, which makes both equal.
    assert page.viewport_size is not None
    width: int = page.evaluate("document.documentElement.scrollWidth")
    return width > page.viewport_size["width"]


def test_researcher_scores_compares_chooses_and_sees_what_that_changes(
    site: Installation, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    found: dict[str, list[str]] = {}
    log_in(site, page)

    page.goto(f"{site.url}/studies/small/gold/?include=simulated")
    expect(page.get_by_text("not asked yet")).to_have_count(2)
    found["nothing asked"] = in_both_schemes(page)
    page.get_by_role("button", name="Score alone@1").click()
    expect(page.get_by_text("20 calls are queued.")).to_be_visible()
    expect(page.locator("[data-live]")).to_have_count(1)
    found["judge at work"] = in_both_schemes(page)
    # nobody loads the page again: it does so itself
    expect(page.get_by_text("19 of 20 calls valid")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("What a moving exchange.")).to_be_visible(timeout=60_000)
    open_everything(page)
    found["judge with a failure"] = in_both_schemes(page)
    page.get_by_role("button", name=re.compile(r"Retry \(call")).click()
    expect(page.get_by_text("20 of 20 calls valid")).to_be_visible(timeout=60_000)
    page.locator(".singles a").first.click()
    expect(page.get_by_text("Hash of the messages").first).to_be_visible()
    open_everything(page)
    found["call"] = in_both_schemes(page)

    page.goto(f"{site.url}/studies/small/gold/?include=simulated")
    page.get_by_role("button", name="Score missing responses").click()
    expect(page.get_by_text("8 calls are queued.")).to_be_visible()
    expect(page.get_by_text("8 of 8 valid calls")).to_be_visible(timeout=60_000)
    expect(page.locator("[data-live]")).to_have_count(0, timeout=60_000)
    found["all sources"] = in_both_schemes(page)

    page.goto(f"{site.url}/studies/small/agreement/?include=simulated")
    page.get_by_role("button", name="Compute").click()
    expect(page.locator(".run summary")).to_contain_text("included", timeout=60_000)
    page.goto(f"{site.url}/studies/small/gold/?include=simulated")
    page.get_by_role("button", name=re.compile("Use as gold.*blocks@1")).click()
    expect(page).to_have_url(re.compile("/gold/changes/"))
    expect(page.locator(".tiles")).to_be_visible(timeout=60_000)
    found["what changed"] = in_both_schemes(page)

    page.goto(f"{site.url}/studies/small/agreement/?include=simulated")
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=30_000)
    open_everything(page)
    found["agreement"] = in_both_schemes(page)
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Guard").click()
    expect(
        page.get_by_role("heading", name="Do the results depend on the gold scores?")
    ).to_be_visible()
    open_everything(page)
    found["guard"] = in_both_schemes(page)
    assert {name: objections for name, objections in found.items() if objections} == {}


def test_no_page_is_wider_than_a_phone(site: Installation, new_page: Callable[..., Page]) -> None:
    page = new_page(phone=True)
    log_in(site, page)
    wide = []
    for name in ("gold/", "gold/judges/alone@1/", "gold/judges/blocks@1/", "agreement/", "guard/"):
        page.goto(f"{site.url}/studies/small/{name}?include=simulated")
        if is_too_wide(page):
            wide.append(name)
    assert wide == []


def test_gold_scores_of_a_file_are_uploaded(
    site: Installation, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("scenario,set,model,condition,gold\nS1,1,Ant,plain,2\n", encoding="utf-8")
    page = new_page()
    log_in(site, page)
    page.goto(f"{site.url}/studies/small/gold/")
    page.get_by_label("Name").fill("experts")
    page.get_by_label("File (CSV, TSV or .xlsx)").set_input_files(path)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_text("Imported 1 gold score as experts.")).to_be_visible()
    expect(page.get_by_role("rowheader", name="file experts")).to_be_visible()
