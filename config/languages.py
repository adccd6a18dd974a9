"""The languages of participants' pages: each is a file, locale/<language>/LC_MESSAGES/django.po.

gettext reads a compiled form of these files. Every process updates it before it starts. So no build
step can be forgotten, no page falls back to English, and only Python is needed.
"""

import os
import re
import tempfile
from collections.abc import Callable, Iterable
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.utils import translation

if TYPE_CHECKING:
    from babel.messages.catalog import Message

PARTICIPANTS = "/s/"
NAMED = re.compile(r"%\((\w+)\)")


def catalogs(folder: Path) -> dict[str, Path]:
    """The .po files in a folder of languages, by Django's name of the language: `zh-hans`."""
    files = sorted(folder.glob("*/LC_MESSAGES/django.po"))
    return {path.parts[-3].replace("_", "-").lower(): path for path in files}


def names(codes: Iterable[str]) -> list[tuple[str, str]]:
    """Languages with their own names, for a setting. Raises ImproperlyConfigured."""
    try:
        return [(code, str(translation.get_language_info(code)["name_local"])) for code in codes]
    except KeyError as error:
        raise ImproperlyConfigured(f"locale: {error.args[0]}") from None


def compile_catalogs(source: Path, target: Path) -> None:
    """Write the compiled form of each language of `source` to `target`.

    A compiled file has its source's time, and is not rewritten while both are equal. Raises
    ImproperlyConfigured if a source is not a .po file or would break a page, or if the target can't
    be written.
    """
    for path in catalogs(source).values():
        compiled = (target / path.relative_to(source)).with_suffix(".mo")
        written = path.stat().st_mtime_ns
        if compiled.exists() and compiled.stat().st_mtime_ns == written:
            continue
        data = _compile(path)
        try:
            compiled.parent.mkdir(parents=True, exist_ok=True)
            # Several processes may start at once: each writes its own file, and the last one is
            # kept.
            handle, name = tempfile.mkstemp(dir=compiled.parent, suffix=".mo")
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.utime(name, ns=(written, written))
            Path(name).replace(compiled)
        except OSError as error:
            raise ImproperlyConfigured(f"DATA_DIR can't be written to: {error}") from None


def _compile(path: Path) -> bytes:
    # Imported only if needed: usually the files are up to date.
    from babel.core import UnknownLocaleError
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import PoFileError, read_po

    compiled = BytesIO()
    try:
        with path.open("rb") as file:
            catalog = read_po(file, locale=path.parts[-3], abort_invalid=True)
        for message in catalog:
            if message.id and (fault := _fault(message)):
                raise ImproperlyConfigured(f"{path}, line {message.lineno}: {fault}")
        write_mo(compiled, catalog)
        _read_as_pages_do(compiled.getvalue())
    except PoFileError as error:
        reason = str(error).removesuffix(f" on {error.lineno}")  # it counts from 0
        raise ImproperlyConfigured(f"{path}, line {error.lineno + 1}: {reason}") from None
    except (UnknownLocaleError, ArithmeticError, LookupError, ValueError) as error:
        raise ImproperlyConfigured(f"{path}, header: {error}") from None
    return compiled.getvalue()


def _fault(message: "Message") -> str:
    """Why a page with this translation would fail, if its placeholders don't match; else empty."""
    english = message.id if isinstance(message.id, str) else message.id[-1]
    forms = [message.string] if isinstance(message.string, str) else message.string or []
    unnamed = english.replace("%%", "").count("%s")
    values = dict.fromkeys(NAMED.findall(english), 1) or ("",) * unnamed or {}
    try:
        for form in filter(None, forms):
            form % values
    except KeyError as error:
        return f"the text has no placeholder {error}"
    except (TypeError, ValueError) as error:
        return f"its placeholders can't be filled: {error}"
    return ""


def _read_as_pages_do(compiled: bytes) -> None:
    """Raise the error that a page would get: gettext reads the header's plural rule on
    first use.
    """
    translations = GNUTranslations(BytesIO(compiled))
    for number in range(200):
        translations.ngettext("", "", number)


def language_of_browser(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: participants' pages use the browser's language until a page knows the languages
    of its study. Researchers' pages are in English.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(PARTICIPANTS):
            return get_response(request)
        with translation.override(translation.get_language_from_request(request)):
            return get_response(request)

    return middleware
