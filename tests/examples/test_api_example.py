"""A whole study by API, as `examples/api` plays it, on a real site with a local Prolific."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
import requests

from examples.api.notebook import NOTEBOOK, SCRIPT, notebook_of
from examples.local_prolific.server import LocalProlific, local_prolific
from tests.e2e.installation import Installation, running_installation
from tests.survey import small_study

WAYS = "\nways_in: [prolific]\nprolific: {completion_code: DONE1, declined_code: NOPE1}\n"
MAKE_TOKEN = """
from pathlib import Path
from django.contrib.auth.models import User
from dashboard.accounts.tokens import create_token
user = User.objects.get(username="researcher")
key = create_token(user=user, name="example", scope="change", expires_at=None)
Path({!r}).write_text(key)
"""
PEOPLE = 10


def test_notebook_says_what_the_script_says() -> None:
    made = notebook_of(SCRIPT.read_text(encoding="utf-8"))
    assert NOTEBOOK.read_text(encoding="utf-8") == made, "run: python -m examples.api.notebook"


@pytest.fixture
def prolific() -> Iterator[LocalProlific]:
    with local_prolific() as server:
        yield server


@pytest.fixture
def site(prolific: LocalProlific, tmp_path: Path) -> Iterator[Installation]:
    (tmp_path / "study.yaml").write_text(small_study.YAML + WAYS, encoding="utf-8")
    (tmp_path / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
    with running_installation(
        tmp_path / "site",
        worker=True,
        WORKER_PROCESSES="1",
        WEB_CONCURRENCY="1",
        SWEEP_SECONDS="1",
        PROLIFIC_URL=prolific.api_url,
    ) as running:
        make_token = MAKE_TOKEN.format(str(tmp_path / "token"))
        running.manage_all(("load_study", tmp_path), ("shell", "-c", make_token))
        yield running


def play(site: Installation, token: str) -> str:
    """Run the script where Jupyter runs the notebook; what it says."""
    settings = {
        "FIVEFOLD_SITE": site.url,
        "FIVEFOLD_TOKEN": token,
        "STUDY": "small",
        "PLACES": str(PEOPLE),
        "OUT": str(site.folder / "by-api"),
    }
    done = subprocess.run(
        [sys.executable, SCRIPT],
        cwd=SCRIPT.parent,
        env={**site.environment, **settings},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def download(site: Installation, address: str) -> bytes:
    """A file of a page, by a researcher who has logged in."""
    name, password = site.researcher
    with requests.Session() as browser:
        login = f"{site.url}/login/"
        browser.get(login)
        form = {"username": name, "password": password}
        csrf = {"csrfmiddlewaretoken": browser.cookies["csrftoken"]}
        browser.post(login, data=form | csrf, headers={"Referer": login})
        answer = browser.get(f"{site.url}{address}")
    assert answer.status_code == 200
    return answer.content


def test_example_pays_once_and_gets_the_tables_of_the_pages(
    site: Installation, prolific: LocalProlific, tmp_path: Path
) -> None:
    token = (tmp_path / "token").read_text()
    said = play(site, token)

    world = prolific.world
    reviewed = {one.id for one in world.submissions.values() if one.status == "APPROVED"}
    assert len(reviewed) >= PEOPLE / 2, said
    paid = Counter((payment.submission, payment.cents) for payment in world.ledger)
    assert set(paid.values()) == {1}
    paid_to = {cents: {one for one, its in paid if its == cents} for _, cents in paid}
    [there] = world.studies.values()
    assert paid_to.pop(there["reward"]) == paid_to.pop(50) == reviewed
    # Where simulated people are slow, one more lifts everybody's pay per hour.
    assert list(paid_to.values()) in ([], [reviewed]), said

    files = files_of(site.folder / "by-api")
    with ZipFile(BytesIO(download(site, "/studies/small/packages/1/"))) as packed:
        tables = {
            Path(name).name: packed.read(name)
            for name in packed.namelist()
            if "/analysis/" in name and name.endswith(".csv")
        }
    del tables["codebook.csv"]  # what their columns mean
    assert {"wins.csv", "funnel.csv", "contrasts.csv"} < set(tables)
    people = files["demographics.csv"].splitlines(keepends=True)
    states = [line for line in people if line.startswith(b"state,")]  # not in a zip for sharing
    assert tables.pop("demographics.csv") == b"".join(one for one in people if one not in states)
    assert {name: files[name] for name in tables} == tables
    assert files["ratings.csv"].count(b"\n") > 1

    # Once more: nothing is paid, created or computed again, and nothing has another result.
    play(site, token)
    assert Counter((one.submission, one.cents) for one in world.ledger) == paid
    assert len(world.studies) == 1
    assert files_of(site.folder / "by-api") == files
