"""Sentences from templates: the words stand in `templates/`, a file for each subject.

A template is text, not HTML. A macro of it is one sentence: Python decides whether it is said and
gives it rows and named conditions, the macro has the words. There, `row.p` is the cell of that
column: its text, or its number, which links to the cell. A line break is a space, several spaces
are one, and none is left at the ends of a macro. A name that does not exist is an error. Pure.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Undefined, UndefinedError
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from markupsafe import Markup, escape

from analysis.catalogue import number_text
from analysis.catalogue.number_text import NARROW
from analysis.recipe import LINK_LABELS
from analysis.text.bibliography import cite
from analysis.text.cells import Cited, Row, Sentence
from survey.definition.labels import POOLED

FOLDER = Path(__file__).parent / "templates"
#: Spaces of a value are kept, unlike those of a template: meanwhile they are other characters.
KEPT = str.maketrans(" \t\n", "\ue000\ue001\ue002")
GIVEN_BACK = {there: here for here, there in KEPT.items()}


class Sentences:
    """The sentences of a template, by the names of its macros."""

    def __init__(self, template: str) -> None:
        self.template = template

    def __call__(self, name: str, /, **values: Any) -> Sentence:
        """The sentence of that name, said of these values.

        Raises LookupError where there is no such sentence, TypeError where it takes no such value,
        and jinja2.UndefinedError where it names a value or a column that there is not.
        """
        macro = getattr(ENVIRONMENT.get_template(self.template).module, name, None)
        if macro is None:
            raise LookupError(f"{self.template} has no sentence {name!r}")
        try:
            text = str(macro(**values))
        except (UndefinedError, TypeError, ValueError, LookupError):
            ENVIRONMENT.handle_exception()  # raises it with the template's line in its traceback
        return Sentence(re.sub(r"[ \t\n]+", " ", text).strip(" ").translate(GIVEN_BACK))


def together(sentences: Iterable[Sentence]) -> Sentence:
    """A paragraph of these sentences."""
    return Sentence(" ").join(sentences)


# ── Numbers ───────────────────────────────────────────────────────────────────────────────────────


def _number(form: Callable[..., str]) -> Callable[..., Any]:
    """A filter that writes a number in this form. Its link stays, and so does an empty cell."""

    def written(number: Any, *options: Any) -> Any:
        if isinstance(number, Undefined):
            return number  # printing it says what is missing
        if not isinstance(number, Cited):
            return form(number, *options)
        if number.value is None:
            return number
        return replace(number, text=form(number.value, *options))

    return written


def _count(number: Any, noun: str = "") -> Any:
    """A whole number: 1,234; with a noun, "1 rater" or "2 raters"."""
    counted = _number(number_text.count)(number)
    return Markup("{} {}").format(counted, _one(number, noun, f"{noun}s")) if noun else counted


def _one(number: Any, one: str, many: str) -> str:
    """What is said of one, or of many."""
    return one if number == 1 else many


def _p(number: Cited) -> Markup:
    """ "p = .004", in which no line ends; the number alone is the link."""
    letter = number_text.p_letter(number.text)
    return Markup("{}{}").format(letter, replace(number, text=number.text.replace(" ", NARROW)))


def _level(confidence: float) -> str:
    """ "95 %" """
    return f"{100 * confidence:g}{NARROW}%"


def _alpha(confidence: float) -> str:
    """ ".05": what p is below where an interval with that confidence excludes zero."""
    return f"{1 - confidence:.3g}".replace("0.", ".")


# ── Words ─────────────────────────────────────────────────────────────────────────────────────────


def listed(names: Iterable[Any]) -> str:
    """One, two and three."""
    *others, last = [str(name) for name in names] or [""]
    return f"{', '.join(others)} and {last}" if others else last


def system(row: Row, prefix: str = "") -> str:
    """Model (condition), as far as the row has them and the study has several conditions; `prefix`
    is that of both columns.
    """
    columns = (f"{prefix}model", f"{prefix}condition")
    model, *condition = [row.text(column) for column in columns if row[column]] or [""]
    tells = condition and not row.table.labels.has_one("conditions")
    return f"{model} ({condition[0]})" if tells else model


def _systems(rows: Iterable[Row]) -> list[str]:
    return [system(row) for row in rows]


def _capital(text: str) -> str:
    """The text as a sentence begins."""
    text = text.strip(" \n")
    return text[:1].upper() + text[1:]


def _clause(note: Any) -> str:
    """A note as part of a sentence; empty where there is none."""
    return note.strip().rstrip(".") if isinstance(note, str) else ""


def _is_over_all(row: Row, column: str) -> bool:
    """Whether a row is over all models, or over all sets."""
    return bool(row[column] == POOLED)


def _called(keys: Iterable[str], names: dict[str, str]) -> list[str]:
    """What keys are called. Raises KeyError for one without a name."""
    return [names[key] for key in keys]


# ── The environment ───────────────────────────────────────────────────────────────────────────────


class _Text(Extension):
    """What stands in a template is escaped, as values are: `p < .05` is no tag."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        for token in stream:
            is_text = token.type == "data"
            yield Token(token.lineno, token.type, escape(token.value)) if is_text else token


class _Environment(Environment):
    """In which `row.p`, or `row["p"]`, is a cell."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        return _cell(obj, attribute) if isinstance(obj, Row) else super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        return _cell(obj, argument) if isinstance(obj, Row) else super().getitem(obj, argument)


def _cell(row: Row, column: str) -> Any:
    """Its text (of a name of the study, its label), its truth value, or its number with a link."""
    if column not in row.table.places:
        return StrictUndefined(f"{row.table.file} has no column {column!r}")
    value = row[column]
    if isinstance(value, str) and row.table.spec.column(column).is_of_study:
        return row.text(column) if value else ""
    return value if isinstance(value, str | bool) else row.cite(column)


def _is_given(number: Any) -> bool:
    """Whether a cell has a number."""
    return isinstance(number, Cited) and number.value is not None


def _is_bounded(row: Row, interval: str = "ci") -> bool:
    """Whether a row has both ends of an interval."""
    return row.has(f"{interval}_low", f"{interval}_high")


def _printed(value: Any) -> Any:
    """What `{{ … }}` prints: a macro without the spaces around it, a text with all of its own."""
    if isinstance(value, Markup):
        return value.strip(" \t\n")
    return value.translate(KEPT) if isinstance(value, str) else value


def _environment() -> Environment:
    made = _Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printed,
        extensions=[_Text],
        auto_reload=False,
    )
    for form in (
        number_text.decimals,
        number_text.degrees,
        number_text.tally,
        number_text.percent,
        number_text.share,
    ):
        made.filters[form.__name__] = _number(form)
    made.filters |= {
        "size": _number(lambda value: number_text.decimals(abs(value))),
        "short": _number(lambda value: f"{value:g}"),
        "count": _count,
        "one": _one,
        "p": _p,
        "level": _level,
        "alpha": _alpha,
        "listed": listed,
        "system": system,
        "systems": _systems,
        "minus": lambda row: " minus ".join(row.sides),
        "capital": _capital,
        "clause": _clause,
        "called": _called,
        "quoted": repr,
    }
    made.tests |= {"given": _is_given, "bounded": _is_bounded, "over_all": _is_over_all}
    made.globals["nnbsp"] = NARROW
    made.globals["cite"] = cite
    made.globals["links"] = LINK_LABELS
    return made


ENVIRONMENT = _environment()
