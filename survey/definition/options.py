"""A model of options, field by field, as pages, commands and the API show it. Pure.

A field's `title` is its label and its `description` its help. The model alone checks values: what
is read here helps people to give right ones. Lists are `list[…]`; what may be absent is `… | None`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Annotated, Any, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from survey.refusals import RequestRefused


@dataclass(frozen=True)
class SentFile:
    """An uploaded file, or one named on the command line."""

    name: str
    content: bytes

    @property
    def short_name(self) -> str:
        """Its name without folders."""
        return PurePath(self.name).name


@dataclass(frozen=True)
class ValueLabels:
    """What pages call each value of a field that has few."""

    values: Mapping[Any, str]


@dataclass(frozen=True)
class FileEndings:
    """How names of files end that a field takes; browsers offer these."""

    endings: str


@dataclass(frozen=True)
class WhenMissing:
    """What is said where a field that needs a value, or a list that needs some, is empty."""

    words: str


@dataclass(frozen=True)
class InCents:
    """The field is in cents; pages ask for an amount of money."""


@dataclass(frozen=True)
class Option:
    """A field of a model of options. `kind` is the type of a value, `many` whether it is a list."""

    name: str
    label: str
    help: str
    kind: type
    many: bool
    is_required: bool
    default: Any
    #: Where there are few values: each with its label.
    values: Mapping[Any, str] | None = None
    least: float | None = None
    most: float | None = None
    longest: int | None = None
    #: Its help, or else its title within a sentence; empty without either.
    meaning: str = ""
    #: Of a list.
    fewest: int = 0
    #: See `InCents`.
    is_money: bool = False
    #: Of a file: see `FileEndings`.
    endings: str = ""
    #: See `WhenMissing`.
    when_missing: str = ""


class OptionsRefused(RequestRefused):
    """Options that the model does not take: `problems` by the name of the option; those about
    several are under the empty name.
    """

    def __init__(self, problems: Mapping[str, list[str]]) -> None:
        self.problems = problems
        super().__init__("\n".join(said for each in problems.values() for said in each))


def options_of(model: type[BaseModel]) -> list[Option]:
    """The fields of a model, in order."""
    return [_option(name, field) for name, field in model.model_fields.items()]


def plain_number(value: Any) -> Any:
    """A number as people would write it: 0, not 0.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


#: Pydantic's kinds of errors that people meet, in plain words.
_PLAIN = {
    **dict.fromkeys(
        ("greater_than_equal", "greater_than", "less_than_equal", "less_than"),
        "it must be {limits}",
    ),
    "finite_number": "it must be a finite number",
    "string_too_short": "it needs {min_length} or more characters",
    "string_too_long": "it may have at most {max_length} characters",
    "too_long": "there may be at most {max_length}",
    "too_short": "there must be at least {min_length}",
    "literal_error": "it must be {expected}",
}


def problems_of(wrong: ValidationError, model: type[BaseModel]) -> dict[str, list[str]]:
    """What pydantic found in options of `model`, by the name of the option."""
    problems: dict[str, list[str]] = {}
    for item in wrong.errors(include_url=False):
        context = item.get("ctx", {})
        path = item["loc"] or context.get("path", ())  # of `parts.wrong`
        name = str(path[0]) if path else ""
        said = item["msg"].removeprefix("Value error, ")
        if item["type"] in _PLAIN:
            limits = _limits(model.model_fields.get(name), context)
            said = _PLAIN[item["type"]].format(**context, limits=limits)
        end = "" if said.endswith((".", "?", "!")) else "."
        problems.setdefault(name, []).append(f"{said[:1].upper()}{said[1:]}{end}")
    return problems


def _limits(field: FieldInfo | None, broken: Mapping[str, Any]) -> str:
    """Between which limits a number is: those of the field, or the one that was `broken`."""
    limits = dict(broken)
    for each in field.metadata if field else ():
        for name in ("ge", "gt", "le", "lt"):
            limits[name] = getattr(each, name, limits.get(name))
    found = {name: plain_number(value) for name, value in limits.items() if value is not None}
    if {"ge", "le"} <= set(found):
        return f"from {found['ge']} to {found['le']}"
    words = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
    return " and ".join(f"{said} {found[name]}" for name, said in words.items() if name in found)


def _option(name: str, field: FieldInfo) -> Option:
    kind, many, values = _kind(field.annotation)
    labels = next((each.values for each in field.metadata if isinstance(each, ValueLabels)), None)
    limits: dict[str, Any] = {}
    for each in field.metadata:
        if isinstance(each, Ge | Gt):
            limits["least"] = each.ge if isinstance(each, Ge) else each.gt
        elif isinstance(each, Le | Lt):
            limits["most"] = each.le if isinstance(each, Le) else each.lt
        elif isinstance(each, MaxLen):
            limits["longest"] = each.max_length
        elif isinstance(each, MinLen) and many:
            limits["fewest"] = each.min_length
        elif isinstance(each, InCents):
            limits["is_money"] = True
        elif isinstance(each, FileEndings):
            limits["endings"] = each.endings
        elif isinstance(each, WhenMissing):
            limits["when_missing"] = each.words
    title = field.title or ""
    return Option(
        name,
        title or name.replace("_", " ").capitalize(),
        field.description or "",
        kind,
        many,
        field.is_required(),
        None if field.is_required() else field.get_default(call_default_factory=True),
        labels or (dict(zip(values, map(str, values), strict=True)) if values else None),
        meaning=field.description or f"{title[:1].lower()}{title[1:]}",
        **limits,
    )


def _kind(annotation: Any) -> tuple[type, bool, tuple[Any, ...]]:
    """The type of a value, whether there are many, and the values if there are few."""
    inner = get_args(annotation)
    if get_origin(annotation) is Annotated:
        return _kind(inner[0])
    if get_origin(annotation) is Literal:
        return type(inner[0]), False, inner
    if get_origin(annotation) in (list, tuple):
        kind, _, values = _kind(inner[0])
        return kind, True, values
    if type(None) in inner:
        (annotation,) = (each for each in inner if each is not type(None))
        return _kind(annotation)
    return annotation, False, ()
