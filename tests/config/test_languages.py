"""A language of participants' pages is a file, ready for gettext before anything starts."""

import gettext
import os
import re
import shutil
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from config.languages import catalogs, compile_catalogs, names
from config.processes import ROOT

HEADER = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
FRENCH = HEADER + 'msgid "Continue"\nmsgstr "Continuer"\n'


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder of languages that has French."""
    folder = tmp_path / "locale"
    (folder / "fr" / "LC_MESSAGES").mkdir(parents=True)
    (folder / "fr" / "LC_MESSAGES" / "django.po").write_text(FRENCH, encoding="utf-8")
    return folder


def says(target: Path, text: str = "Continue") -> str:
    """What gettext finds for a text, past what it has cached."""
    with (target / "fr" / "LC_MESSAGES" / "django.mo").open("rb") as file:
        return gettext.GNUTranslations(file).gettext(text)


def test_catalog_is_compiled_where_it_is_missing(source: Path, tmp_path: Path) -> None:
    compile_catalogs(source, tmp_path / "data" / "locale")
    assert says(tmp_path / "data" / "locale") == "Continuer"


def test_compiled_catalog_follows_its_source_even_to_an_older_one(
    source: Path, tmp_path: Path
) -> None:
    [path] = catalogs(source).values()
    compile_catalogs(source, tmp_path)
    path.write_text(FRENCH.replace("Continuer", "Suite"), encoding="utf-8")
    os.utime(path, (1, 1))
    compile_catalogs(source, tmp_path)
    assert says(tmp_path) == "Suite"


def test_compiled_catalog_is_left_alone_while_it_is_current(source: Path, tmp_path: Path) -> None:
    compile_catalogs(source, tmp_path)
    [compiled] = tmp_path.glob("fr/LC_MESSAGES/*")
    before = compiled.stat().st_ino
    compile_catalogs(source, tmp_path)
    assert compiled.stat().st_ino == before


@pytest.mark.parametrize(
    ("text", "reason"),
    [('msgid "Continue"\nmsgtr "Continuer"\n', ", line 5: "), ("nonsense\n", ", line 4: ")],
)
def test_file_that_is_no_catalog_stops_the_start_with_its_line(
    source: Path, tmp_path: Path, text: str, reason: str
) -> None:
    [path] = catalogs(source).values()
    path.write_text(HEADER + text, encoding="utf-8")
    with pytest.raises(ImproperlyConfigured) as refused:
        compile_catalogs(source, tmp_path)
    assert str(refused.value).startswith(f"{path}{reason}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("nplurals=2; plural=(n==0 ? 0 : Content-Type: text/plain", "plural form: Content"),
        ("nplurals=2; plural=(n > m)", "invalid token in plural form: m"),
        ("nplurals=2; plural=(n % 0)", "modulo"),
        ("nplurals=many; plural=(n > 1)", "invalid literal for int"),
    ],
)
def test_rule_for_plurals_that_gettext_cannot_follow_stops_the_start_not_a_page(
    source: Path, tmp_path: Path, rule: str, reason: str
) -> None:
    [path] = catalogs(source).values()
    header = HEADER.replace("\n\n", f'\n"Plural-Forms: {rule}\\n"\n\n')
    path.write_text(FRENCH.replace(HEADER, header), encoding="utf-8")
    with pytest.raises(ImproperlyConfigured) as refused:
        compile_catalogs(source, tmp_path)
    said = str(refused.value)
    assert said.startswith(f"{path}, header: ") and reason in said and "\n" not in said


@pytest.mark.parametrize(
    ("text", "string", "reason"),
    [
        ("Page %(number)s", "Page %(numero)s", "the text has no placeholder 'numero'"),
        ("Page %(number)s", "50 %(", "can't be filled"),
        ("Response %s", "Réponse %s de %s", "can't be filled: not enough arguments"),
        ("Response %s", "Réponse", "can't be filled: not all arguments"),
        ("It is full", "C'est plein à %d", "can't be filled"),
    ],
)
def test_translation_that_a_page_cannot_fill_in_stops_the_start_with_its_line(
    source: Path, tmp_path: Path, text: str, string: str, reason: str
) -> None:
    [path] = catalogs(source).values()
    path.write_text(f'{FRENCH}\nmsgid "{text}"\nmsgstr "{string}"\n', encoding="utf-8")
    with pytest.raises(ImproperlyConfigured) as refused:
        compile_catalogs(source, tmp_path)
    assert str(refused.value).startswith(f"{path}, line 7: ") and reason in str(refused.value)


def test_data_folder_that_cannot_be_written_to_stops_the_start(
    source: Path, tmp_path: Path
) -> None:
    (tmp_path / "data").write_text("a file where a folder belongs")
    with pytest.raises(ImproperlyConfigured, match="DATA_DIR can't be written to"):
        compile_catalogs(source, tmp_path / "data")


def test_languages_are_named_in_themselves() -> None:
    assert names(["en", *catalogs(ROOT / "locale")]) == [("en", "English"), ("zh-hans", "简体中文")]


def test_language_that_nobody_knows_stops_the_start(source: Path) -> None:
    shutil.move(source / "fr", source / "xx")
    with pytest.raises(ImproperlyConfigured, match="Unknown language code xx"):
        names(catalogs(source))


@pytest.mark.parametrize(
    ("asked", "language", "title"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh-hans", "此页面不存在"),
        ("zh-TW", "zh-hans", "此页面不存在"),
        ("de,en;q=0.5", "en", "This page does not exist"),
        ("de", "en", "This page does not exist"),
        ("", "en", "This page does not exist"),
        ("\x00;q=x,,zh" + "-a" * 500, "en", "This page does not exist"),
    ],
)
def test_participants_address_that_leads_nowhere_says_so_in_the_browsers_language(
    client: Client, asked: str, language: str, title: str
) -> None:
    html = client.get("/s/small/nowhere/", headers={"accept-language": asked}).content.decode()
    assert f'<html lang="{language}">' in html and f"<h1>{title}</h1>" in html


@pytest.mark.parametrize("address", ["/login/", "/nowhere/"])
def test_researchers_pages_are_in_english_whatever_the_browser_asks_for(
    client: Client, db: None, address: str
) -> None:
    with_chinese = client.get(address, headers={"accept-language": "zh-CN"}).content.decode()
    assert '<html lang="en">' in with_chinese and not re.search("[一-鿿]", with_chinese)


def test_djangos_own_messages_to_researchers_are_in_english(client: Client, db: None) -> None:
    sent = client.post(
        "/login/", {"username": "ada", "password": "x"}, headers={"accept-language": "zh-CN"}
    )
    assert "Please enter a correct username and password" in sent.content.decode()
