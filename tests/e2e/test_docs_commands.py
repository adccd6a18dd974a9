"""Every command of the README and of docs/ runs as it is written there, in one clone, in order."""

import csv
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from config.processes import ROOT, free_port
from tests.e2e.installation import Installation, running_installation

pytestmark = [pytest.mark.e2e, pytest.mark.embedded]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
#: Commands that can't run here, by how they begin.
CANNOT = {
    "make": "starts the site, or the tests themselves",
    "docker compose": "needs Docker",
    "(umask 077; for name in": "writes keys for Docker",
    "echo SITE_URL=": "is the address of a public host",
    "sudo ": "changes the machine",
    "manage reset_second_factor": "needs an account with a second factor",
    "manage restore": "is refused while Fivefold runs",
    "python3 bootstrap.py": "installs packages",
    ".venv/bin/celery": "runs until it is stopped",
    ".venv/bin/python -m examples.local_prolific": "runs until it is stopped",
    ".venv/bin/python examples/api/study_by_api.py": "needs a token: see test_api_example.py",
    "Rscript": "needs R",
    "manage set_study my-slug open\n": "is refused until placeholders are replaced",
    "manage metrics my-slug --": "needs an endpoint, or values from elsewhere",
    "manage corpus generate": "needs an endpoint",
    "manage corpus responses": "needs generated texts",
    **dict.fromkeys(
        (
            "cp examples/corpora/study.yaml generated/",
            "manage load_study generated",
            "manage simulate generated",
            "manage judge generated",
            "manage metrics generated",
            "manage scorer train generated",
            "manage perturb generated",
            "manage analyze generated",
        ),
        "needs generated texts: see tests/corpus/test_to_a_study.py",
    ),
    "manage draw_responses my-slug --n 100": "needs a hundred responses",
    "manage import_gold my-slug --gold labels.csv": "needs labels by hand",
    "manage themes import": "needs codes by hand",
    "manage pay my-slug --confirm": "needs submissions to pay",
    "manage set_study my-slug paused": "ends a real study",
    "manage analyze my-slug --out results": "needs real raters",
}
#: What a reader replaces, and the command that finds a value for it here.
PLACEHOLDERS = {
    "PARTICIPANT": "sed -n 2p simulated/raters.csv | cut -d, -f1",
    "PERSON": "sed -n 3p simulated/raters.csv | cut -d, -f1",
}
ALIAS = "alias manage='.venv/bin/python manage.py'"
MANAGE = ("manage ", ".venv/bin/python manage.py ")
#: Runs [place, command] pairs as one shell would, and prints the exit code of each. Commands of
#: manage.py run in this process: Django starts once.
SHELL = r"""
import json, re, shlex, subprocess, sys, traceback
import django
from django.core.management import execute_from_command_line
django.setup()
placeholders, manage, commands = json.load(sys.stdin)
for place, command in commands:
    for name, finder in placeholders.items():
        if re.search(rf"\b{name}\b", command):
            value = subprocess.run(finder, shell=True, stdout=subprocess.PIPE, text=True).stdout
            command = re.sub(rf"\b{name}\b", value.strip(), command)
    prefix = next((one for one in manage if command.startswith(one)), None)
    code = 0
    if prefix is None:
        code = subprocess.run(["bash", "-c", command]).returncode
    else:
        try:
            words = command.removeprefix(prefix).replace("\\\n", " ")
            execute_from_command_line(["manage.py", *shlex.split(words)])
        except SystemExit as end:
            code = end.code
        except BaseException:
            traceback.print_exc()
            code = 1
    print(f"== {place}: {code}", flush=True)
"""
SUBMISSIONS = (
    "Submission id,Participant id,Status,Completion code\n"
    "6a0000000000000000000001,5a0000000000000000000001,APPROVED,C0DE\n"
)


@dataclass(frozen=True)
class Command:
    """A command, and where it is written."""

    place: str
    text: str

    @property
    def can_run(self) -> bool:
        return not f"{self.text}\n".startswith(tuple(CANNOT))


def commands_of(document: Path) -> Iterator[Command]:
    """The commands of the document's shell blocks; one may have several lines."""
    place, text = "", ""
    inside = False
    for number, line in enumerate(document.read_text().splitlines(), start=1):
        if line.startswith("```"):
            inside = line == "```sh"
        elif inside and line.strip():
            place = place if text else f"{document.relative_to(ROOT)} line {number}"
            text += line
            if line.endswith(("\\", "|")) or text.count("(") > text.count(")"):
                text += "\n"
                continue
            yield Command(place, re.sub(r" +# .*", "", text))
            text = ""


def shorten(file: Path, text: str, instead: str) -> None:
    """Put a shorter text in the place of one that the file has."""
    whole = file.read_text()
    assert text in whole
    file.write_text(whole.replace(text, instead))


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository in a folder that commands may write to."""
    folder = tmp_path_factory.mktemp("docs") / "clone"
    not_cloned = shutil.ignore_patterns(".*", "data", "tests", "node_modules")
    shutil.copytree(ROOT, folder, ignore=not_cloned)
    (folder / ".venv").symlink_to(sys.prefix)
    # A fourth of the example's responses, and the models that take least time.
    example = folder / "examples" / "empathy"
    shorten(example / "study.yaml", '\n  "3": [Sorrel 0.5B, Foxglove 1.5B]', "")
    shorten(example / "study.yaml", '\n  "4": [Plover 3B, Plover 1B]', "")
    shorten(example / "study.yaml", "after_blocks: [8, 16]", "after_blocks: [2, 3]")
    shorten(example / "study.yaml", "in_blocks: [3, 21]", "in_blocks: [2, 5]")
    with (example / "responses.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    with (example / "responses.csv").open("w", newline="") as file:
        csv.writer(file).writerows(
            [head, *(row for row in rows if row[0] <= "S3" and row[1] <= "2")]
        )
    sound = folder / "analysis/recipes/sound.yaml"
    shorten(sound, "mixed_models: {}", "mixed_models: {links: [linear]}")
    shorten(sound, "raters: [included, all]", "raters: [included]")
    shorten(sound, "resamples: 2000", "resamples: 200")
    for name in ("submissions.csv", "second.csv"):
        (folder / name).write_text(SUBMISSIONS)
    return folder


@pytest.fixture(scope="module")
def site(clone: Path) -> Iterator[Installation]:
    port = str(free_port())
    judge = {
        "JUDGE_STAND_IN": "true",
        "JUDGE_BASE_URL": f"http://127.0.0.1:{port}/v1",
        "JUDGE_MODEL": "stand-in",
        "JUDGE_API_KEY": "stand-in",
        "SWEEP_SECONDS": "3600",  # the commands analyse: nobody has to do so beside them
    }
    with running_installation(clone / "data", worker=True, **judge) as site:
        command = [sys.executable, "-m", "judge.standin", "--port", port]
        site.processes.start("stand-in-judge", command)
        yield site


def test_every_command_runs_as_written(clone: Path, site: Installation) -> None:
    commands = [command for document in DOCUMENTS for command in commands_of(document)]
    runnable = [command for command in commands if command.can_run]
    pairs = [(command.place, command.text) for command in runnable]
    done = subprocess.run(
        [sys.executable, "-c", SHELL],
        cwd=clone,
        # Without a browser `analyze` draws no images, which other tests do.
        env=site.environment | {"CHROMIUM": "/nowhere"},
        input=json.dumps([PLACEHOLDERS, MANAGE, pairs]),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=1500,
        check=False,
    )
    codes = re.findall(r"^== (.+): (\d+)$", done.stdout, re.MULTILINE)
    assert [place for place, _ in codes] == [command.place for command in runnable], done.stdout
    assert {place: code for place, code in codes if code != "0"} == {}, done.stdout


def test_every_exception_is_written_somewhere() -> None:
    texts = [f"{command.text}\n" for document in DOCUMENTS for command in commands_of(document)]
    unused = [start for start in CANNOT if not any(text.startswith(start) for text in texts)]
    assert unused == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_document_says_what_its_commands_need(document: Path) -> None:
    texts = [command.text for command in commands_of(document)]
    used = [text for text in texts if text.startswith("manage ")]
    assert not used or ALIAS in texts[: texts.index(used[0])]
