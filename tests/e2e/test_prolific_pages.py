"""A study is put on Prolific in a browser: connect, draft, publish; axe-core finds nothing."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from examples.local_prolific import TOKEN
from examples.local_prolific.server import LocalProlific, local_prolific
from tests.e2e.axe import in_both_schemes
from tests.e2e.installation import Installation, running_installation
from tests.e2e.studies import WAYS_IN
from tests.e2e.test_judge_pages import is_too_wide, log_in
from tests.survey import small_study

pytestmark = pytest.mark.embedded  # what a browser makes of pages


@pytest.fixture(scope="module")
def prolific() -> Iterator[LocalProlific]:
    with local_prolific() as server:
        yield server


@pytest.fixture(scope="module")
def site(
    prolific: LocalProlific, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    """An installation that uses the local Prolific, with a study that is rehearsed."""
    folder = tmp_path_factory.mktemp("recruiting")
    with running_installation(
        folder / "site", worker=False, PROLIFIC_URL=prolific.api_url
    ) as running:
        (folder / "study.yaml").write_text(small_study.YAML + WAYS_IN, encoding="utf-8")
        (folder / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
        running.manage_all(("load_study", folder), ("set_study", "small", "open", "--rehearsal"))
        yield running


def test_researcher_connects_drafts_and_publishes(
    site: Installation, prolific: LocalProlific, new_page: Callable[..., Page]
) -> None:
    page, found = new_page(), {}
    log_in(site, page)
    page.goto(f"{site.url}/studies/small/")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Prolific").click()
    page.get_by_role("link", name="Connect to Prolific").click()
    found["not connected"] = in_both_schemes(page)
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Connect").click()
    expect(page.get_by_role("status")).to_contain_text("Connected to researcher@")
    found["connected"] = in_both_schemes(page)

    page.goto(f"{site.url}/studies/small/prolific/")
    page.get_by_label("Places").fill("3")
    page.get_by_label("Reward per participant (GBP)").fill("0.10")
    page.get_by_role("button", name="Create draft on Prolific").click()
    expect(page.get_by_text("less than Prolific's minimum")).to_be_visible()
    page.get_by_label("Reward per participant (GBP)").fill("1.50")
    page.get_by_role("button", name="Create draft on Prolific").click()
    expect(page.get_by_text("The draft is on Prolific.")).to_be_visible()
    found["draft"] = in_both_schemes(page)

    page.get_by_label(re.compile("Spend up to GBP 6.12 on 3")).check()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("The study is published on Prolific.")).to_be_visible()
    expect(page.get_by_role("button", name="Stop events")).to_be_visible()
    found["published"] = in_both_schemes(page)
    page.set_viewport_size({"width": 390, "height": 800})
    assert not is_too_wide(page)
    assert {name: one for name, one in found.items() if one} == {}
    [there] = prolific.world.studies.values()
    assert there["status"] == "ACTIVE"
    assert f"{site.url}/s/small/?PROLIFIC_PID=" in there["external_study_url"]
