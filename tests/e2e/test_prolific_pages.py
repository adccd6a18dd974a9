"""A study is put on Prolific in a browser: connect, draft, publish; axe-core finds nothing."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from examples.local_prolific import TOKEN
from examples.local_prolific.server import LocalProlific, local_prolific
from tests.e2e.axe import in_both_schemes
from tests.e2e.installation import Installation, running_installation
from tests.e2e.studies import WAYS_IN
from tests.e2e.test_judge_pages import is_too_wide, log_in
from tests.prolific import prolific_id
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


#: A person from Prolific who completed the study that is given.
COMPLETED = """
from django.utils import timezone
from survey.models import Identity, Participant, Study
now, slug = timezone.now(), "{}"
who = Participant.objects.create(study=Study.objects.get(slug=slug), source="prolific",
    status="completed", consented_at=now, finished_at=now)
Identity.objects.create(participant=who, slug=slug, kind="prolific", key="{}")
"""


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
    there = next(iter(prolific.world.studies.values()))
    assert there["status"] == "ACTIVE"
    assert f"{site.url}/s/small/?PROLIFIC_PID=" in there["external_study_url"]


def test_researcher_invites_a_second_wave_and_reads_what_prolific_knows_of_it(
    site: Installation,
    prolific: LocalProlific,
    new_page: Callable[..., Page],
    tmp_path: Path,
) -> None:
    """The page of the first study is connected already, whichever test runs first."""
    later = small_study.YAML.replace("slug: small", "slug: later").replace(
        "{name: age, kind", "{name: age, source: prolific, kind"
    )
    (tmp_path / "study.yaml").write_text(later + WAYS_IN, encoding="utf-8")
    (tmp_path / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
    person = prolific_id("ann")
    site.manage_all(
        ("load_study", tmp_path),
        ("set_study", "later", "open", "--rehearsal"),
        ("shell", "-c", COMPLETED.format("small", person)),
    )
    page, found = new_page(), {}
    log_in(site, page)
    page.goto(f"{site.url}/account/prolific/")
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name=re.compile("Connect|Replace")).click()
    page.goto(f"{site.url}/studies/later/prolific/")
    page.get_by_label("Study", exact=True).and_(page.locator("select")).select_option("small@1")
    page.get_by_role("button", name="Show how many").click()
    expect(page.get_by_text("1 of the people of small@1 can be invited")).to_be_visible()
    found["chosen"] = in_both_schemes(page)
    page.get_by_label("Reward per participant (GBP)").fill("1.50")
    page.get_by_role("button", name="Create draft on Prolific").click()
    expect(page.get_by_text("Prolific lets in 1 of them.")).to_be_visible()
    found["second wave"] = in_both_schemes(page)
    page.get_by_label(re.compile("Spend up to")).check()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("The study is published on Prolific.")).to_be_visible()

    *_, newest = prolific.world.studies
    assert prolific.world.start(newest).participant == person
    site.manage_all(("shell", "-c", COMPLETED.format("later", person)))
    page.goto(f"{site.url}/studies/later/raters/")
    page.get_by_role("link", name="Prolific demographics").click()
    page.get_by_role("button", name="Read from Prolific").click()
    expect(page.get_by_text("1 participant found. Answers: 1 added.")).to_be_visible()
    found["demographics"] = in_both_schemes(page)
    page.set_viewport_size({"width": 390, "height": 800})
    assert not is_too_wide(page)
    assert {name: one for name, one in found.items() if one} == {}
