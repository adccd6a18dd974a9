"""The way of docs/tutorial.md in a browser: from the login to the files for sharing.

    python -m tests.e2e.tutorial [--raters 151]

does what the tutorial says on a site of its own with a local Prolific, and takes its pictures into
docs/pictures/tutorial/. It prints how long each chapter took: hands, and waiting for workers.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, expect, sync_playwright

from config.processes import ROOT, free_port
from examples.local_prolific import TOKEN
from tests import services
from tests.e2e.conftest import FLAGS

PICTURES = ROOT / "docs" / "pictures" / "tutorial"
STUDY = "empathy"
#: What simulated raters may take, in milliseconds; hands wait for nothing else so long.
AT_MOST = 30 * 60_000
PENDING = re.compile("A new analysis (is running|waits for a worker)")
PRINTED = re.compile(r"^ *(Dashboard|User|Password) +(\S+)", re.MULTILINE)


@dataclass
class Site:
    """A site of one's own, as `make run PROLIFIC=local` starts it."""

    address: str
    user: str
    password: str


@contextmanager
def running_site(folder: Path) -> Iterator[Site]:
    """Start it and wait until its login is printed; Ctrl-C at the end."""
    port = free_port()
    command = [sys.executable, "manage.py", "serve", "--port", str(port), "--prolific", "local"]
    environment = {**os.environ, "DATA_DIR": str(folder / "data")}
    for name in ("DATABASE_URL", "CELERY_BROKER_URL", "DJANGO_SETTINGS_MODULE"):
        environment.pop(name, None)
    said = folder / "said.txt"
    with said.open("w") as file:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=file, stderr=subprocess.STDOUT
        )
    try:
        while len(found := dict(PRINTED.findall(said.read_text()))) < 3:
            assert process.poll() is None, said.read_text()
            time.sleep(0.2)
        yield Site(found["Dashboard"], found["User"], found["Password"])
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=120)


@dataclass
class Tutorial:
    """A researcher at work; `folder` gets a picture of what they see, None takes none."""

    page: Page
    site: Site
    raters: int
    folder: Path | None = None
    #: Seconds of each chapter: of hands, and of waiting for workers.
    seconds: dict[str, tuple[float, float]] = field(default_factory=dict)
    waited: float = 0.0

    def walk(self) -> None:
        """All chapters, in the tutorial's order."""
        for chapter in (
            self.log_in,
            self.look_at_the_study,
            self.connect,
            self.create_a_draft,
            self.publish,
            self.send_people,
            self.reconcile,
            self.pay,
            self.read_results,
            self.share,
        ):
            began, self.waited = time.monotonic(), 0.0
            chapter()
            took = time.monotonic() - began
            self.seconds[chapter.__name__] = (took - self.waited, self.waited)

    def log_in(self) -> None:
        self.page.goto(self.site.address)
        self.page.fill("[name=username]", self.site.user)
        self.page.fill("[name=password]", self.site.password)
        self.page.click("main form button")
        self._picture("studies")

    def look_at_the_study(self) -> None:
        self.page.get_by_role("link", name=re.compile("Empathy|empathy")).first.click()
        self._picture("overview")
        self._open("Design", "Policy")
        self._picture("policy")

    def connect(self) -> None:
        self.page.get_by_role("link", name="Prolific", exact=True).first.click()
        self.page.get_by_label("Token").fill(TOKEN)
        self._picture("token")
        self.page.get_by_role("button", name="Connect").click()
        expect(self.page.get_by_text(re.compile("^Connected to "))).to_be_visible()

    def create_a_draft(self) -> None:
        self._open("Overview", "Prolific")
        self.page.get_by_label("Places").fill(str(self.raters))
        self.page.get_by_label(re.compile("^Reward per participant")).fill("6.00")
        self.page.get_by_label("Completed submissions").select_option("all")
        self._picture("draft")
        self.page.get_by_role("button", name="Create draft on Prolific").click()
        expect(self.page.get_by_text("The draft is on Prolific.")).to_be_visible()

    def publish(self) -> None:
        self.page.get_by_label(re.compile("^Spend up to")).check()
        self._picture("cost")
        self.page.get_by_role("button", name="Publish").click()
        expect(self.page.get_by_text("The study is published on Prolific.")).to_be_visible()

    def send_people(self) -> None:
        self._open("Design", "Rehearsal")
        self.page.get_by_role("spinbutton", name="Simulated raters").fill(str(self.raters))
        self.page.get_by_label(re.compile("^They come from the local Prolific")).check()
        self._picture("simulate", "#simulate")
        self.page.get_by_role("button", name="Send").click()
        self._wait_for(f"What the last {self.raters} did")

    def reconcile(self) -> None:
        self._open("Raters", "Submissions")
        self.page.get_by_role("button", name="Read from Prolific").click()
        expect(self.page.get_by_role("heading", name="Submissions and people")).to_be_visible()
        self._picture("submissions")
        self.page.get_by_role("link", name=re.compile("^Any mismatch")).click()
        self._picture("mismatches")

    def pay(self) -> None:
        self.page.get_by_role("link", name="Go to payments").click()
        terms = self.page.locator("details", has_text="What the study promises")
        if terms.get_attribute("open") is None:
            terms.locator("summary").click()
        self.page.get_by_label("Promised pay per hour").fill("12.00")
        self.page.get_by_label("Bonus for passing all attention checks").fill("0.50")
        self.page.get_by_role("button", name="Store").click()
        self._picture("proposals")
        self.page.get_by_role("button", name=re.compile(r"^Confirm \d+ decision")).click()
        self._wait_for("finished")
        self._picture("paid")

    def read_results(self) -> None:
        self._open("Results")
        numbers = self.page.get_by_role("link", name="look at their numbers")
        if numbers.is_visible():  # while a worker computes the first analysis
            numbers.click()
        self._wait_for(re.compile("raters included"))
        self._wait_for_end_of(PENDING)
        if self.page.get_by_text("data changed since").is_visible():
            self.page.get_by_role("button", name="Recompute").click()
            expect(self.page.get_by_text(PENDING)).to_be_visible()
            self._wait_for_end_of(PENDING)
        self._picture("results")

    def share(self) -> None:
        self._open("Share")
        self.page.get_by_role("button", name="Prepare download").click()
        self._wait_for("Read the report")
        self._picture("share")

    def _open(self, subject: str, page: str = "") -> None:
        """One of the study's pages, by the navigation."""
        if f"/studies/{STUDY}" not in self.page.url:
            self.page.goto(self.site.address)
            self.page.get_by_role("link", name=re.compile("Empathy|empathy")).first.click()
        self.page.get_by_role("link", name=subject, exact=True).first.click()
        if page:
            self.page.get_by_role("link", name=page, exact=True).last.click()

    def _wait_for(self, text: str | re.Pattern[str]) -> None:
        began = time.monotonic()
        expect(self.page.get_by_text(text).first).to_be_visible(timeout=AT_MOST)
        self.waited += time.monotonic() - began

    def _wait_for_end_of(self, text: str | re.Pattern[str]) -> None:
        began = time.monotonic()
        expect(self.page.get_by_text(text)).to_be_hidden(timeout=AT_MOST)
        self.waited += time.monotonic() - began

    def _picture(self, name: str, part: str = "") -> None:
        """Of the window, or of a part of the page."""
        if self.folder is None:
            return
        self.page.wait_for_load_state("networkidle")
        path = self.folder / f"{name}.png"
        if part:
            self.page.locator(part).screenshot(path=path)
        else:
            self.page.screenshot(path=path)


@contextmanager
def browser_page() -> Iterator[Page]:
    """A window of 1280 × 800."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=services.CHROMIUM.need(), args=FLAGS)
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        yield page
        chromium.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.e2e.tutorial", description=__doc__)
    parser.add_argument("--raters", type=int, default=151)
    given = parser.parse_args()
    PICTURES.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, running_site(Path(folder)) as site, browser_page() as page:
        tutorial = Tutorial(page, site, given.raters, PICTURES)
        try:
            tutorial.walk()
        finally:
            page.screenshot(path=Path(folder).parent / "tutorial-last.png", full_page=True)
            for chapter, (hands, workers) in tutorial.seconds.items():
                print(f"{chapter:20} {hands:6.1f} s, waiting for workers {workers:6.1f} s")


if __name__ == "__main__":
    main()
