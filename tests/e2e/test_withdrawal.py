"""Somebody withdraws in a browser, and the running site forgets them everywhere."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.installation import Installation, running_installation
from tests.e2e.person import OpenPage, Person, somebody
from tests.e2e.studies import open_small

# What databases may do differently is in the modules' tests of withdrawal, on both shapes.
pytestmark = pytest.mark.embedded


@pytest.fixture(scope="module")
def small(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> str:
    return open_small(installation, tmp_path_factory.mktemp("small"), slug="small-withdrawal")


def finished(installation: Installation, slug: str, page: Page) -> Person:
    """Somebody who has taken the survey, in front of its end."""
    person = somebody(installation, slug, page)
    person.begin()
    for _ in range(5):
        person.answer(*["Somewhat"] * person.items.count())
    person.press("Finish")
    expect(person.page.locator("output")).to_have_text("DONE1")
    return person


def pseudonym(person: Person) -> str:
    rows = person.about_me(
        "SELECT pseudonym FROM survey_participant JOIN survey_identity"
        " ON survey_identity.participant_id = survey_participant.id WHERE key = %s"
    )
    return str(rows[0][0])


def results_with(installation: Installation, name: str) -> int:
    """How many stored results name this rater."""
    rows = installation.query(
        "SELECT content FROM analysis_result JOIN analysis_analysisrun"
        " ON analysis_analysisrun.id = run_id WHERE state = 'done' AND name = 'raters'"
    )
    return sum(name in str(content) for (content,) in rows)


def wait_for_results(installation: Installation, *, with_: str, without: str = "") -> None:
    """Until a worker has stored results with one rater and none with the other are left."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if results_with(installation, with_) and not (
            without and results_with(installation, without)
        ):
            return
        time.sleep(0.1)
    raise AssertionError("no worker stored such results in a minute")


def confirm(person: Person) -> None:
    heading = person.page.get_by_role("heading", level=1)
    expect(heading).to_have_text("Delete everything about you?")
    person.page.get_by_role("button", name="Delete everything").dblclick()
    expect(heading).to_have_text("Your data are deleted")
    expect(person.page.get_by_text("Help and support")).to_be_visible()


@pytest.mark.parametrize("javascript", [True, False], ids=["javascript", "no javascript"])
def test_private_link_deletes_in_any_browser(
    installation: Installation, small: str, new_page: OpenPage, javascript: bool
) -> None:
    person = finished(installation, small, new_page(javascript=javascript))
    link = person.page.get_by_role("link", name="/withdraw/").get_attribute("href")
    person.page.context.close()

    person.page = new_page(phone=True, javascript=javascript)
    person.page.goto(str(link))
    confirm(person)
    person.page.reload()
    expect(person.page.get_by_role("heading", level=1)).to_have_text("Your data are deleted")
    assert person.ratings() == []
    person.arrive()
    person.agree()
    expect(person.page.get_by_role("heading", level=1)).to_have_text("Your data are deleted")


def test_stopping_and_deleting_midway_asks_before_and_can_be_called_off(
    installation: Installation, small: str, new_page: OpenPage
) -> None:
    person = somebody(installation, small, new_page())
    person.begin()
    person.answer(*["Somewhat"] * person.items.count())
    person.follow("Stop here")
    person.follow("Continue the survey")
    assert person.number == 3
    person.follow("Stop here")
    person.follow("Stop and delete my answers")
    person.follow("Keep my answers")
    assert person.number == 3
    person.follow("Stop here")
    person.follow("Stop and delete my answers")
    confirm(person)
    person.page.go_back()
    person.page.reload()
    expect(person.page.get_by_role("heading", level=1)).not_to_have_text("Do you want to stop?")
    person.arrive()
    person.agree()
    expect(person.page.get_by_role("heading", level=1)).to_have_text("Your data are deleted")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Installation]:
    """An installation of its own, with a worker that has nothing else to do."""
    with running_installation(tmp_path / "site", SWEEP_SECONDS="2") as running:
        yield running


def test_no_file_of_the_site_holds_a_trace_and_results_are_computed_anew(
    site: Installation, tmp_path: Path, new_page: OpenPage
) -> None:
    """Database, its log of writes, broker, logs: byte by byte."""
    small = open_small(site, tmp_path, slug="small-withdrawal")
    stays = pseudonym(finished(site, small, new_page()))
    person = finished(site, small, new_page())
    goes = pseudonym(person)
    wait_for_results(site, with_=goes)
    assert person.prolific_id not in all_bytes(site.folder / "logs")
    assert person.prolific_id not in all_bytes(site.folder / "broker")
    person.page.get_by_role("link", name="/withdraw/").click()
    confirm(person)
    wait_for_results(site, with_=stays, without=goes)
    deadline = time.monotonic() + 60
    while goes in all_bytes(site.folder):  # the sweep clears the log of writes
        assert time.monotonic() < deadline, "still there after a minute"
        time.sleep(0.2)
    [line] = site.query("SELECT key FROM survey_withdrawal WHERE key = %s", [person.prolific_id])
    assert line == (person.prolific_id,)  # until the retention date


def all_bytes(folder: Path) -> str:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return b"".join(path.read_bytes() for path in files if path.exists()).decode("latin-1")
