"""The documentation knows every key of a study file, and what it names exists."""

import re
from argparse import ArgumentParser, _SubParsersAction
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from django.core.management import get_commands, load_command_class
from pydantic import BaseModel
from ruamel.yaml import YAML

from analysis.quality_rules import QualityRules
from dashboard.shared.roles import IN_A_STUDY, Role
from judge.definition import JudgingDefinition
from survey.definition import StudyDefinition
from survey.definition.settings import Settings
from survey.interface import PAGES

ROOT = Path(__file__).parents[1]
AT_THE_TOP = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
DOCUMENTS = [*AT_THE_TOP, *sorted((ROOT / "docs").rglob("*.md"))]
DOCS = (ROOT / "docs" / "study-files.md").read_text()


def keys_of(schema: type[BaseModel]) -> Iterator[str]:
    for name, field in schema.model_fields.items():
        yield name
        yield from keys_inside(field.annotation)


def keys_inside(annotation: Any) -> Iterator[str]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield from keys_of(annotation)
    for part in get_args(annotation):
        yield from keys_inside(part)


@pytest.mark.parametrize("schema", [StudyDefinition, Settings, JudgingDefinition, QualityRules])
def test_every_key_is_documented(schema: type[BaseModel]) -> None:
    undocumented = sorted(
        {key for key in keys_of(schema) if not any(mark in DOCS for mark in marks(key))}
    )
    assert undocumented == []


def marks(key: str) -> list[str]:
    """How a key stands in the text: as `key`, `key: …`, or inside `{…}` and `[…]`."""
    return [f"`{key}`", f"`{key}:", f"{{{key}}}", f"{{{key},", f", {key}}}"]


def test_the_filter_that_holds_without_a_section_is_documented() -> None:
    section = re.search(r"(?m)^    quality:\n(?:      .+\n)+", DOCS)
    assert section
    written = YAML(typ="safe").load(section[0])["quality"]
    assert written == QualityRules().model_dump(mode="json")


#: `manage judge my-slug --wait`, in the text or in a block; a quoted shell command ends it.
WRITTEN = re.compile(r"(?<![\w/-])manage(?:\.py)? ([a-z_]+)((?: +[^`|;&\n]*)?)")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_commands_in_the_text_exist_with_their_options(document: Path) -> None:
    apps = get_commands()
    for name, rest in WRITTEN.findall(document.read_text().replace("\\\n", " ")):
        if name not in apps and not rest.strip():
            continue  # prose
        command = load_command_class(str(apps[name]), name)
        known = options_of(command.create_parser("manage.py", name))
        assert set(re.findall(r"(?<!\S)--[a-z-]+", rest)) <= known, name


def options_of(parser: ArgumentParser) -> set[str]:
    """The options of a command, and of the actions that it has."""
    known = set(parser._option_string_actions)
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            known.update(*map(options_of, action.choices.values()))
    return known


#: `survey/answers.py`, `views/pages.py: page`, `analysis/stats/`: a path, and a name in the file.
NAMED = re.compile(r"`((?:[\w.-]+/)*(?:[\w-]+\.py|[\w-]+/))(?:: (\w+))?`")
LINK = re.compile(r"\]\(([^)#:\s]+)\)")


@pytest.fixture(scope="module")
def modules() -> dict[str, str]:
    """The content of every module of the repository, by its path."""
    folders = [folder for folder in ROOT.iterdir() if folder.is_dir() and folder.name[0] != "."]
    paths = [*ROOT.glob("*.py"), *(path for folder in folders for path in folder.rglob("*.py"))]
    return {f"/{path.relative_to(ROOT)}": path.read_text() for path in paths}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_modules_and_names_in_the_text_exist(document: Path, modules: dict[str, str]) -> None:
    """A path may begin below the folder that the text is about."""
    for path, name in NAMED.findall(document.read_text()):
        if path.endswith(".py"):
            named = [module for at, module in modules.items() if at.endswith(f"/{path}")]
            assert named, path
            definition = re.compile(rf"(?m)^ *(?:def|class) {name}\b|^{name} ?[:=]")
            assert not name or any(map(definition.search, named)), f"{path}: {name}"
        elif (ROOT / path.partition("/")[0]).is_dir() and not path.startswith("data/"):
            assert (ROOT / path).is_dir(), path


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_links_lead_to_files(document: Path) -> None:
    links = LINK.findall(document.read_text())
    assert [link for link in links if not (document.parent / link).exists()] == []


@pytest.mark.parametrize("document", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_names_for_developers_are_those_of_the_code(document: str, modules: dict[str, str]) -> None:
    names = set(
        re.findall(r"`(?:\w+\.)?([A-Z][a-z]\w+|[a-z]+_\w+)`", (ROOT / document).read_text())
    )
    code = "\n".join(text for at, text in modules.items() if not at.startswith("/tests/"))
    assert names - set(re.findall(r"\w+", code)) == set()


def test_a_name_finds_one_class(modules: dict[str, str]) -> None:
    """Searching for a class finds one. Django has the exceptions once in each module."""
    apps = ("/survey/", "/judge/", "/analysis/", "/dashboard/", "/config/")
    product = "\n".join(text for at, text in modules.items() if at.startswith(apps))
    classes = Counter(re.findall(r"^class (\w+)", product, re.MULTILINE))
    assert {name for name, n in classes.items() if n > 1} <= {"Command", "Migration"}


def test_table_of_roles_is_that_of_the_code() -> None:
    rows = [
        f"| {each.what} | {' | '.join('yes' if role.may(each) else 'no' for role in Role)} |"
        for each in IN_A_STUDY
    ]
    head = f"| a role may | {' | '.join(role.label.lower() for role in Role)} |"
    table = "\n".join([head, "|---|---|---|---|---|", *rows])
    assert table in (ROOT / "docs" / "accounts.md").read_text()


def test_versions_of_the_interface_are_those_of_the_program() -> None:
    text = (ROOT / "docs" / "study-files.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", text.partition("| interface | pages |")[2], re.M)
    assert {int(version): new for version, new in rows[: len(PAGES)]} == PAGES
