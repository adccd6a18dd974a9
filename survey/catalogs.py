"""The texts of participants' pages, for translators: extracted from templates and code, stored in
.po files, and checked. No page needs this module.
"""

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract as extract_from
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[sd]")
TAG = re.compile(r"</?\w[^>]*>")
#: Error pages are outside the folder survey/.
TEMPLATES = ("survey/*.html", "error.html", "[45][0-9][0-9].html")
#: gettext's own header has blanks for a project and a person. Only these lines count.
HEADER = r"""# What participants' pages of Fivefold say, in this language.
# `manage.py update_catalogs` brings this file up to date with them; see docs/languages.md.
msgid ""
msgstr ""
"Language: {language}\n"
"Plural-Forms: {plural_forms}\n"
"Content-Type: text/plain; charset=utf-8\n"

"""


def extract(root: Path) -> Catalog:
    """Every text of participants' pages, and the files (relative to `root`) that contain it."""
    texts = Catalog()
    for path, source in sorted([*_programs(root), *_templates(root)]):
        place = str(path.relative_to(root))
        for _line, message, _comments, context in extract_from("python", BytesIO(source.encode())):
            texts.add(message, locations=[(place, 0)], context=context)
    return texts


def _programs(root: Path) -> Iterator[tuple[Path, str]]:
    for path in (root / "survey").rglob("*.py"):
        yield path, path.read_text(encoding="utf-8")


def _templates(root: Path) -> Iterator[tuple[Path, str]]:
    """Templates converted to code with gettext calls."""
    for pattern in TEMPLATES:
        for path in (root / "templates").glob(pattern):
            calls = templatize(path.read_text(encoding="utf-8"))
            yield path, "\n".join(line.strip() for line in calls.splitlines())


def read(path: Path) -> Catalog:
    """The catalog in a .po file."""
    with path.open("rb") as file:
        return read_po(file, locale=path.parts[-3])


def update(path: Path, texts: Catalog) -> Catalog:
    """Make a .po file contain exactly `texts`, and keep its translations. It need not be there."""
    catalog = read(path) if path.exists() else Catalog(locale=path.parts[-3], fuzzy=False)
    catalog.update(texts, no_fuzzy_matching=True, update_creation_date=False)
    catalog.obsolete.clear()
    write(path, catalog)
    return catalog


def write(path: Path, catalog: Catalog) -> None:
    """Write a .po file; references have no line numbers, so few changes affect it."""
    catalog.charset = "utf-8"
    body = BytesIO()
    write_po(body, catalog, width=100, omit_header=True, sort_by_file=True, include_lineno=False)
    header = HEADER.format(language=path.parts[-3], plural_forms=catalog.plural_forms)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(header + body.getvalue().decode(), encoding="utf-8")


def problems(catalog: Catalog, texts: Catalog) -> list[str]:
    """The problems of a catalog as a translation of `texts`, one line each."""
    lines = []
    for text in texts:
        if not text.id:
            continue  # the header
        message = catalog.get(text.id, text.context)
        if message is None:
            lines.append(f"{_name(text)}: is missing")
        elif not all(_forms(message.string)):
            lines.append(f"{_name(text)}: is not translated")
        else:
            lines += [f"{_name(text)}: {reason}" for reason in _faults(message)]
    for message in catalog:
        if message.id and texts.get(message.id, message.context) is None:
            lines.append(f"{_name(message)}: no page uses this text")
    return lines


def _faults(message: Message) -> Iterator[str]:
    if message.fuzzy:
        yield "is marked as fuzzy"
    for what, pattern in (("placeholders", PLACEHOLDER), ("tags", TAG)):
        wanted = sorted(pattern.findall(_forms(message.id)[-1]))
        if any(sorted(pattern.findall(form)) != wanted for form in _forms(message.string)):
            yield f"its {what} are not those of the text"


def _forms(text: object) -> list[str]:
    """A text, or each plural form of one."""
    return [str(form or "") for form in (text if isinstance(text, list | tuple) else [text])]


def _name(message: Message) -> str:
    return repr(_forms(message.id)[0])
