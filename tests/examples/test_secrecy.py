"""Nothing that a browser receives names a model, a condition, a set or a scenario.

Every page of every example study is taken, in each of its languages, with errors on the way. The
names are words that stand nowhere else, so that none can hide in a text.
"""

import base64
import csv
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from config.processes import ROOT
from dashboard.design.study_folder import load_folder, read_folder
from survey.models import Block, Participant, Scenario, Study, System
from tests.analysis import published_study
from tests.hostile.targets import fill
from tests.prolific import arrival

pytestmark = pytest.mark.embedded  # what pages hold

EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/study.yaml"))
NAMING = ("conditions", "condition_a", "condition_b", "reference", "sets")


def load(folder: Path, elsewhere: Path) -> Study:
    """An example in the database; tide, which has no responses of its own, gets those of tests."""
    responses = folder / "responses.csv"
    if not responses.exists():
        responses = published_study.write_responses(elsewhere)
    return load_folder(read_folder(folder, responses)).study


def rename(study: Study) -> list[str]:
    """Give everything that nobody may read a name that stands nowhere else; those names."""
    new: dict[str, str] = {}

    def named(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key if key in ("model", "condition") else named(key): named(item)
                for key, item in value.items()
            }
        if isinstance(value, list):
            return [named(item) for item in value]
        return value and new.setdefault(value, f"Zyx{len(new)}Wvu Name")

    for system in System.objects.filter(study=study):
        System.objects.filter(pk=system.pk).update(
            model=named(system.model), condition=named(system.condition)
        )
    for scenario in Scenario.objects.filter(study=study):
        Scenario.objects.filter(pk=scenario.pk).update(name=named(scenario.name))
    for block in Block.objects.filter(study=study):
        Block.objects.filter(pk=block.pk).update(set_name=named(block.set_name))
    for definition in (study.definition, *study.translations.values()):
        definition.update({key: named(definition[key]) for key in NAMING})
    study.settings["ways_in"] = ["prolific", "link"]
    study.state = Study.State.OPEN
    study.save()
    return list(new.values())


def forms_of(name: str) -> Iterator[bytes]:
    """How a name might be written where it is not meant to be read."""
    raw = name.encode()
    yield from (raw, raw.lower(), quote(name).encode(), raw.hex().encode(), base64.b64encode(raw))
    yield from (name.lower().replace(" ", mark).encode() for mark in "-_")
    for digest in (hashlib.md5, hashlib.sha1, hashlib.sha256):
        yield digest(raw).hexdigest()[:12].encode()


class Browser:
    """A browser that keeps all it receives: status, headers, cookies, bodies."""

    def __init__(self) -> None:
        self.client = Client()
        self.received: list[bytes] = []

    def ask(self, path: str, sent: dict[str, str] | None = None) -> Any:
        answer = self.client.get(path) if sent is None else self.client.post(path, sent)
        head = f"{path} {answer.status_code} {answer.headers} {answer.cookies}"
        self.received += [head.encode(), answer.content]
        if answer.status_code == 302:
            return self.ask(answer["Location"])
        self.path, self.html = answer.request["PATH_INFO"], answer.content.decode()
        return answer

    def take(self, arrival: str, language: str) -> int:
        """The whole survey, with everything that can go wrong on the way; how many pages."""
        self.ask(arrival)
        self.ask(self.path, {"language": language})
        pages = 0
        while not self.path.endswith("/end/"):
            here = self.path
            self.ask(here, {})  # says what is missing, where something has to be answered
            if self.path == here:
                self.ask(here)
                if (answer := self.ask(here, dict(fill(self.html)))).status_code != 200:
                    raise AssertionError(answer.content.decode())
            self.ask(here)  # as it looks to somebody who goes back
            self.ask(here.replace("page", "stop").rsplit("/", 2)[0] + "/")
            self.ask(arrival)
            assert self.path != here, self.html
            pages += 1
        return pages


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.name)
def test_browser_receives_no_name_of_what_is_compared(folder: Path, tmp_path: Path) -> None:
    study = load(folder, tmp_path)
    names = rename(study)
    languages = [study.definition["language"], *study.translations]
    received = []
    for number, language in enumerate(languages):
        browser = Browser()
        root = f"/s/{study.slug}/"
        pages = browser.take(f"{root}{arrival(f'person{number}')}", language)
        browser.ask(f"{root}page/{pages}/")
        for path in ("nowhere/", "withdraw/wrong/", "page/999/"):
            browser.ask(root + path)
        other = Browser()
        other.ask(f"{root}{arrival(f'decliner{number}')}")
        other.ask(other.path, {"decline": "yes"})
        Study.objects.update(state="closed")
        other.ask(f"{root}{arrival(f'late{number}')}")
        Study.objects.update(state="open")
        received += [*browser.received, *other.received]
        assert Participant.objects.filter(status="completed").count() == number + 1
    assert len(received) > 4 * len(languages) * study.blocks.count()
    leaked = [(n, text) for n in names for form in forms_of(n) for text in received if form in text]
    assert leaked == []
    assert len(names) > 4


def test_files_that_browsers_get_name_no_system_of_an_example() -> None:
    names = set()
    for folder in EXAMPLES:
        if (folder / "responses.csv").exists():
            with (folder / "responses.csv").open(newline="", encoding="utf-8") as file:
                names |= {row["model"].encode() for row in csv.DictReader(file)}
    assert len(names) > 10
    files = [path for path in (ROOT / "static" / "survey").rglob("*") if path.is_file()]
    assert len(files) > 1
    assert [(name, file) for file in files for name in names if name in file.read_bytes()] == []
