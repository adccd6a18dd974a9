"""The version stands in `config/version.py`; whatever says a version says this one."""

import json
import re
import sys
from pathlib import Path
from zipfile import ZipFile

import django
import pytest
from django.test import Client
from ruamel.yaml import YAML

import manage
from analysis.models import AnalysisRun
from config.processes import ROOT
from config.version import VERSION
from survey.models import Study
from tests.dashboard.test_packages import made

embedded = pytest.mark.embedded  # what pages and files say of no row
CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_newest_version_of_the_changelog_is_this_one() -> None:
    versions = re.findall(r"^## (.+)$", CHANGES, re.MULTILINE)
    assert re.fullmatch(rf"{re.escape(VERSION)} – \d{{4}}-\d\d-\d\d", versions[0])


def test_every_version_says_which_results_change() -> None:
    for version in re.split(r"^## ", CHANGES, flags=re.MULTILINE)[1:]:
        assert "\n### Results that change\n" in version, version.splitlines()[0]


def test_citation_is_of_this_version() -> None:
    cited = YAML(typ="safe").load(ROOT / "CITATION.cff")
    required = {"cff-version", "message", "title", "authors", "version", "date-released", "license"}
    assert required <= cited.keys()
    assert f"\n## {cited['version']} – {cited['date-released']}\n" in CHANGES
    assert cited["version"] == VERSION


def test_security_fixes_go_into_this_version() -> None:
    table = (ROOT / "SECURITY.md").read_text(encoding="utf-8").partition("| version |")[2]
    assert re.findall(r"^\| ([\d.]+) \| yes \|$", table, re.MULTILINE) == [
        VERSION.rpartition(".")[0]
    ]


@pytest.mark.parametrize("argv", [["--version"], ["version"], ["judge", "--version"]])
def test_command_line_says_it_without_any_setting(
    argv: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["manage.py", *argv])
    manage.main()
    assert capsys.readouterr().out == f"Fivefold {VERSION} (Django {django.get_version()})\n"


@embedded
def test_researchers_see_it_at_the_foot_of_a_page_and_nobody_else_does(
    page: Client, study: Study
) -> None:
    for address in ("/", "/studies/small/", "/tokens/", "/account/security/"):
        foot = page.get(address).content.decode().partition("<footer")[2]
        assert f"Fivefold {VERSION}" in foot, address
    for address in ("/login/", "/s/small/"):
        assert VERSION not in Client().get(address, follow=True).content.decode()


@embedded
def test_schema_of_the_api_says_it(page: Client) -> None:
    assert page.get("/api/schema/?format=json").json()["info"]["version"] == VERSION


@embedded
def test_every_manifest_and_the_methods_say_it(run: AnalysisRun) -> None:
    with ZipFile(made(run).path) as packed:
        files = {name.partition("/")[2]: packed.read(name) for name in packed.namelist()}
    manifests = [name for name in files if Path(name).name in ("manifest.json", "export.json")]
    assert len(manifests) == 2
    for name in manifests:
        manifest = json.loads(files[name])
        assert manifest["written_with"] == f"Fivefold {VERSION}"
        assert manifest["software"]["fivefold"] == VERSION
    assert f"Computed with Fivefold {VERSION} (digest" in files["analysis/methods.md"].decode()
    assert f"by Fivefold {VERSION}." in files["README.txt"].decode()
