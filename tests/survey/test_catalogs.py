"""Every text of participants' pages is translated into every language that is offered."""

import gettext
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from django.core.management import CommandError, call_command
from pytest_django import Settings

from config.languages import catalogs as files
from config.languages import compile_catalogs
from config.processes import ROOT
from survey import catalogs

TEMPLATE = """{% extends "survey/base.html" %}{% load i18n %}
  {% if a %}<h1>{% translate "It's here" %}</h1>{% endif %}
 {% blocktranslate trimmed count n=n %}
    One page in {{ place }}
  {% plural %}
    {{ n }} pages in {{ place }}
{% endblocktranslate %}
"""
PROGRAM = """from django.utils.translation import gettext as _, pgettext
def f() -> str:
    return _("Two "
             "lines %s") + pgettext("a month", "May")
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A page and a program with four texts."""
    for name, text in {
        "templates/survey/page.html": TEMPLATE,
        "templates/404.html": '{% load i18n %}{% translate "Nowhere" %}',
        "templates/dashboard/page.html": '{% load i18n %}{% translate "For researchers" %}',
        "survey/views/page.py": PROGRAM,
        "dashboard/views.py": PROGRAM.replace("Two", "Ten"),
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_texts_come_from_participants_templates_and_programs_alone(project: Path) -> None:
    found = {
        (m.context, m.id): [place for place, _ in m.locations] for m in catalogs.extract(project)
    }
    del found[None, ""]
    assert found == {
        (None, "It's here"): ["templates/survey/page.html"],
        (None, ("One page in %(place)s", "%(n)s pages in %(place)s")): [
            "templates/survey/page.html"
        ],
        (None, "Nowhere"): ["templates/404.html"],
        (None, "Two lines %s"): ["survey/views/page.py"],
        ("a month", "May"): ["survey/views/page.py"],
    }


@pytest.mark.parametrize("language", files(ROOT / "locale"))
def test_every_text_is_translated(language: str) -> None:
    texts = catalogs.extract(ROOT)
    assert len(texts) > 100
    assert catalogs.problems(catalogs.read(files(ROOT / "locale")[language]), texts) == []


TRANSLATED = re.compile(r"{% blocktranslate.*?{% endblocktranslate %}", re.DOTALL)
OURS = re.compile(r"{#.*?#}|{%.*?%}|{{.*?}}|<style>.*?</style>", re.DOTALL)
MARKUP = re.compile(r'<[^>]*>|\b[\w-]+="[^"]*"')
SPOKEN = re.compile(r'\b(?:aria-label|title|alt|placeholder)="([^"]*)"')


def test_templates_hold_no_words_outside_of_translations() -> None:
    words = {}
    for pattern in catalogs.TEMPLATES:
        for path in (ROOT / "templates").glob(pattern):
            bare = OURS.sub("", TRANSLATED.sub("", path.read_text(encoding="utf-8")))
            said = " ".join([*SPOKEN.findall(bare), MARKUP.sub(" ", bare)])
            words[path.name] = re.findall(r"[^\W\d]{2,}", said)
    assert len(words) > 15
    assert {name: found for name, found in words.items() if found} == {}


def catalog(*translated: tuple[object, object], fuzzy: bool = False) -> Catalog:
    made = Catalog(locale="zh_Hans", fuzzy=False)
    for text, string in translated:
        made.add(text, string, flags=["fuzzy"] if fuzzy else [])  # type: ignore[arg-type]  # pairs
    return made


@pytest.mark.parametrize(
    ("text", "string", "problem"),
    [
        ("Go on", "", "is not translated"),
        ("Page %(number)s", "第页", "its placeholders are not those of the text"),
        ("Page %(number)s", "第 %(n)s 页", "its placeholders are not those of the text"),
        ("Choose: %s", "请选择", "its placeholders are not those of the text"),
        ("<b>Go</b> on", "<i>继续</i>", "its tags are not those of the text"),
    ],
)
def test_translation_that_would_break_a_page_is_named(text: str, string: str, problem: str) -> None:
    [said] = catalogs.problems(catalog((text, string)), catalog((text, "")))
    assert said.startswith(f"{text!r}: ") and problem in said


def test_guess_is_no_translation() -> None:
    said = catalogs.problems(catalog(("Go on", "继续"), fuzzy=True), catalog(("Go on", "")))
    assert said == ["'Go on': is marked as fuzzy"]


def test_missing_and_leftover_texts_are_named() -> None:
    said = catalogs.problems(catalog(("Old", "旧")), catalog(("New", "")))
    assert said == ["'New': is missing", "'Old': no page uses this text"]


def test_update_keeps_what_is_translated_and_begins_new_languages(
    project: Path, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.BASE_DIR = project
    path = project / "locale" / "fr" / "LC_MESSAGES" / "django.po"
    call_command("update_catalogs", "fr")
    assert capsys.readouterr().out.startswith("locale/fr/LC_MESSAGES/django.po: 5 texts, 5 to do\n")
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace('msgid "Nowhere"\nmsgstr ""', 'msgid "Nowhere"\nmsgstr "Nulle part"'),
        encoding="utf-8",
    )
    (project / "survey" / "views" / "page.py").unlink()
    call_command("update_catalogs")
    assert capsys.readouterr().out.startswith("locale/fr/LC_MESSAGES/django.po: 3 texts, 2 to do\n")
    updated = catalogs.read(path)
    assert updated.get("Nowhere").string == "Nulle part"  # type: ignore[union-attr]  # or it fails
    assert len(updated) == 3


@pytest.mark.parametrize("language", ["ar", "cs", "pl", "ru", "uk", "zh_Hans"])
def test_new_language_counts_as_its_speakers_do(
    project: Path, settings: Settings, language: str
) -> None:
    settings.BASE_DIR = project
    call_command("update_catalogs", language)
    compile_catalogs(project / "locale", project / "compiled")
    [compiled] = (project / "compiled").rglob("django.mo")
    with compiled.open("rb") as file:
        rule = gettext.GNUTranslations(file).info()["plural-forms"]
    assert rule == Catalog(locale=language).plural_forms


@pytest.mark.parametrize("language", ["nolang", "../fr", "fr_", ""])
def test_what_is_no_language_is_refused_before_anything_is_written(
    project: Path, settings: Settings, language: str
) -> None:
    settings.BASE_DIR = project
    before = sorted(project.rglob("*"))
    with pytest.raises(CommandError, match="is no language: give names like fr"):
        call_command("update_catalogs", "pt_BR", language)
    assert sorted(project.rglob("*")) == before


def test_update_of_current_files_changes_nothing(project: Path, settings: Settings) -> None:
    settings.BASE_DIR = project
    call_command("update_catalogs", "fr", "zh_Hans")
    written = [path.read_bytes() for path in files(project / "locale").values()]
    call_command("update_catalogs")
    assert [path.read_bytes() for path in files(project / "locale").values()] == written
