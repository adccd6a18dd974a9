"""A zip that is prepared while people answer and an analysis runs, by real workers: what it holds
is of one moment.
"""

import csv
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import requests

from config.processes import ROOT
from tests.e2e.installation import Installation, running_installation
from tests.e2e.studies import open_small

MAKE_TOKEN = """
from pathlib import Path
from django.contrib.auth.models import User
from dashboard.accounts.tokens import create_token
key = create_token(user=User.objects.get(), name="zip", scope="change", expires_at=None)
Path({!r}).write_text(key)
"""
#: No table of a recipe matters here: without them, an analysis takes a second.
WITHOUT_RECIPES = """
from analysis.recipe_sets import set_recipes
from survey.models import Study
set_recipes(study=Study.objects.get(), recipes=[])
"""
#: People who came before, and groups of further ones.
FIRST, GROUPS, GROUP = 4, 3, 4
INCLUDE = "include=simulated"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Installation]:
    with running_installation(
        tmp_path / "site", SWEEP_SECONDS="1", API_REQUESTS_PER_MINUTE="100000"
    ) as running:
        open_small(running, tmp_path, slug="zipped")
        running.manage_all(
            ("shell", "-c", MAKE_TOKEN.format(str(tmp_path / "token"))),
            ("shell", "-c", WITHOUT_RECIPES),
            (
                "simulate",
                "zipped",
                "--participants",
                str(FIRST),
                "--seed",
                "1",
                "--server",
                running.url,
            ),
        )
        yield running


@pytest.fixture
def ask(site: Installation, tmp_path: Path) -> Callable[..., requests.Response]:
    """Ask the API about the study, with a researcher's token."""
    token = (tmp_path / "token").read_text()

    def ask(method: str, path: str, **sent: Any) -> requests.Response:
        answer = requests.request(
            method,
            f"{site.url}/api/studies/zipped/{path}",
            headers={"Authorization": f"Token {token}"},
            timeout=60,
            **sent,
        )
        assert answer.ok, answer.text
        return answer

    return ask


def arriving(site: Installation, seed: int) -> "subprocess.Popen[str]":
    """A group of simulated raters who take the survey while the test goes on."""
    people = ["simulate", "zipped", "--participants", str(GROUP), "--seed", str(seed)]
    return subprocess.Popen(
        [sys.executable, "manage.py", *people, "--server", site.url],
        cwd=ROOT,
        env=site.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def state_at_end(ask: Callable[..., requests.Response], path: str) -> dict[str, Any]:
    """A job as it is once no worker is at it any more."""
    for _ in range(600):
        job: dict[str, Any] = ask("GET", path).json()
        if job["state"] in ("done", "failed"):
            return job
        time.sleep(0.2)
    raise AssertionError(job)


def prepared(ask: Callable[..., requests.Response]) -> ZipFile:
    """The zip that a researcher asks for now."""
    asked = ask("POST", f"packages/?{INCLUDE}", json={"images": False}).json()
    package = state_at_end(ask, f"packages/{asked['id']}/")
    assert package["state"] == "done", package["error"]
    return ZipFile(BytesIO(ask("GET", f"packages/{asked['id']}/zip/").content))


def people_in(zipped: ZipFile) -> int:
    """Refuse a zip whose tables and data disagree; the number of people in it."""
    paths = {name.partition("/")[2]: name for name in zipped.namelist()}

    def rows(pattern: str) -> list[dict[str, str]]:
        [path] = [path for name, path in paths.items() if re.fullmatch(pattern, name)]
        return list(csv.DictReader(StringIO(zipped.read(path).decode())))

    analysis, data = (
        json.loads(zipped.read(paths[name]))
        for name in ("analysis/manifest.json", "data/export.json")
    )
    assert analysis["snapshot_hash"] == data["snapshot_hash"]
    people, raters = rows(r"data/.*-participants_data\.csv"), rows(r"analysis/raters\.csv")
    assert len(people) == analysis["n_participants"]
    assert len(rows(r"data/.*-ratingsAll_data\.csv")) == analysis["n_ratings"]
    decided = [{one["participant"]: one["included"] for one in table} for table in (people, raters)]
    assert decided[0] == decided[1]
    return len(people)


def test_zips_that_are_prepared_while_people_answer_are_each_of_one_moment(
    site: Installation, ask: Callable[..., requests.Response]
) -> None:
    run = ask("POST", f"analysis/?{INCLUDE}").json()
    assert state_at_end(ask, f"analyses/{run['id']}/")["state"] == "done"
    for group in range(GROUPS):
        before = FIRST + group * GROUP
        crowd = arriving(site, seed=2 + group)
        numbers = []
        while crowd.poll() is None:
            ask("POST", f"analysis/?{INCLUDE}")  # one runs, or just has, while the zip is prepared
            numbers.append(people_in(prepared(ask)))
        assert crowd.returncode == 0, crowd.communicate()[0]
        assert numbers == sorted(numbers)
        assert numbers and set(numbers) <= set(range(before, before + GROUP + 1))
        assert people_in(prepared(ask)) == before + GROUP
