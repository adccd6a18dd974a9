"""Submissions are compared and payments confirmed in a browser; axe-core finds nothing."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import in_both_schemes
from tests.e2e.installation import Installation, running_installation
from tests.e2e.test_judge_pages import is_too_wide, log_in
from tests.prolific import prolific_id
from tests.survey import small_study

pytestmark = pytest.mark.embedded  # what a browser makes of pages

WAYS = "\nways_in: [prolific]\nprolific: {completion_code: DONE1, declined_code: NOPE1}\n"
PEOPLE = """
from survey.models import Study
from tests.dashboard.paying import came
Study.objects.update(state="open")
study = Study.objects.get()
came(study, "ann")
came(study, "ben")
came(study, "cat", status="declined")
came(study, "dan", status="in_progress")
"""
HEADER = "Submission id,Participant id,Status,Completion code,Started at,Completed at"


def row(name: str, status: str, code: str) -> str:
    times = "2026-03-01T09:00:00Z,2026-03-01T09:24:00Z"
    ids = f"{prolific_id(f'session of {name}')},{prolific_id(name)}"
    return f"{ids},{status},{code},{times}"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("paying")
    with running_installation(folder / "site", worker=False) as running:
        (folder / "study.yaml").write_text(small_study.YAML + WAYS, encoding="utf-8")
        (folder / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
        running.manage_all(("load_study", folder), ("shell", "-c", PEOPLE))
        yield running


def test_researcher_compares_confirms_and_pays_by_hand(
    site: Installation, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    rows = [
        row("ann", "AWAITING REVIEW", "DONE1"),
        row("ben", "AWAITING REVIEW", "NOCODE"),
        row("cat", "AWAITING REVIEW", "NOPE1"),
        row("dan", "AWAITING REVIEW", "DONE1"),
        row("eve", "AWAITING REVIEW", "DONE1"),
    ]
    (tmp_path / "list.csv").write_text("\n".join([HEADER, *rows]), encoding="utf-8")
    page, found = new_page(), {}
    log_in(site, page)
    page.goto(f"{site.url}/studies/small/submissions/")
    page.get_by_label("Submissions from Prolific").set_input_files(tmp_path / "list.csv")
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_text("Read: list.csv.")).to_be_visible()
    page.get_by_role("link", name="On Prolific, not here (1)").click()
    expect(page.get_by_text("1–1 of 1 of this kind")).to_be_visible()
    found["submissions"] = in_both_schemes(page)
    page.goto(f"{site.url}/studies/small/submissions/")
    page.get_by_role("link", name="awaiting review", exact=True).first.click()
    expect(page.get_by_role("heading", name="Decide by hand")).to_be_visible()
    found["submission"] = in_both_schemes(page)

    page.goto(f"{site.url}/studies/small/payments/")
    page.get_by_label("Reward", exact=True).fill("1.50")
    page.get_by_role("button", name="Store").click()
    expect(page.get_by_text("£0.90 more for each")).to_be_visible()
    found["payments"] = in_both_schemes(page)
    page.get_by_label("Amount for each (GBP)").fill("0.95")
    page.get_by_role("button", name="Confirm 7 decisions").click()
    expect(page.get_by_role("alert")).to_contain_text("You changed the selection.")
    expect(page.get_by_text("£1.90").first).to_be_visible()
    page.get_by_role("button", name="Confirm 7 decisions").click()
    expect(page.get_by_text("0 of 7 done, 7 waiting")).to_be_visible()
    found["order"] = in_both_schemes(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download bonuses.csv").click()
    lines = download.value.path().read_text().splitlines()
    assert lines == [f"{prolific_id('ann')},0.95", f"{prolific_id('ben')},0.95"]
    page.reload()
    expect(page.get_by_text("This list was downloaded before.")).to_be_visible()
    page.get_by_role("button", name="Mark as done").click()
    expect(page.get_by_text("7 of 7 done")).to_be_visible()

    page.set_viewport_size({"width": 390, "height": 800})
    for name in ("submissions/", "payments/", "payments/1/", "submissions/1/"):
        page.goto(f"{site.url}/studies/small/{name}")
        assert not is_too_wide(page), name
    assert {name: one for name, one in found.items() if one} == {}
