"""Pages of lists: each goes on `after` a row, or ends `before` one; the links say which.

Unlike a number of rows to skip, that costs the same on every page, and rows that come or go
meanwhile shift no page. A list says its order by columns that together name a row.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from django.core.exceptions import ValidationError as FieldProblem
from django.db.models import Field, ForeignKey, Q, QuerySet
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.utils.urls import remove_query_param, replace_query_param
from rest_framework.views import APIView

#: Rows of a page, where the address does not say, and at most.
USUAL_ROWS, MOST_ROWS = 1000, 10_000

Row = TypeVar("Row")


class RowsInOrder(Protocol[Row]):
    """Rows whose order never changes. A place is text; reading another one raises ValueError."""

    def after(self, place: str | None, most: int) -> list[Row]:
        """Up to `most` rows after that place, or from the first one on."""

    def before(self, place: str, most: int) -> list[Row]:
        """Up to `most` rows right before that place, in their order."""

    def place_of(self, row: Row) -> str:
        """Where a row is."""


@dataclass(frozen=True)
class Stored(Generic[Row]):
    """Rows of the database, by columns that together name one: `-version` runs down.

    Columns hold whole numbers or slugs. Rows may be those of `values()`.
    """

    rows: QuerySet[Any, Row]
    order: Sequence[str]

    def after(self, place: str | None, most: int) -> list[Row]:
        rows = self.rows if place is None else self.rows.filter(self._beyond(place, forward=True))
        return list(rows.order_by(*self.order)[:most])

    def before(self, place: str, most: int) -> list[Row]:
        nearest_first = self.rows.filter(self._beyond(place, forward=False)).order_by(
            *(name[1:] if name[0] == "-" else f"-{name}" for name in self.order)
        )
        return list(nearest_first[:most])[::-1]

    def place_of(self, row: Row) -> str:
        return ".".join(str(_value(row, name.removeprefix("-"))) for name in self.order)

    def _beyond(self, place: str, *, forward: bool) -> Q:
        """Rows after a place, or before it: those that differ first in one of the columns."""
        texts = place.split(".")
        if len(texts) != len(self.order):
            raise ValueError(place)
        rows, same = Q(), Q()
        for column, text in zip(self.order, texts, strict=True):
            name = column.removeprefix("-")
            value = _read(_field(self.rows.model, name), text)
            direction = "gt" if forward is (name == column) else "lt"
            rows |= same & Q(**{f"{name}__{direction}": value})
            same &= Q(**{name: value})
        return rows


@dataclass(frozen=True)
class Computed:
    """Sorted pairs of whole numbers. Each is a row and its own place in the list."""

    rows: Sequence[tuple[int, int]]

    def after(self, place: str | None, most: int) -> list[tuple[int, int]]:
        first = 0 if place is None else bisect_right(self.rows, self._read(place))
        return list(self.rows[first : first + most])

    def before(self, place: str, most: int) -> list[tuple[int, int]]:
        end = bisect_left(self.rows, self._read(place))
        return list(self.rows[max(0, end - most) : end])

    def place_of(self, row: tuple[int, int]) -> str:
        return ".".join(map(str, row))

    def _read(self, place: str) -> tuple[int, int]:
        """Raises ValueError for a place that is none in this list."""
        first, second = numbers_of(place)
        return first, second


class Keyset(BasePagination):
    """One page of RowsInOrder, with the links to the next and the previous one."""

    following: str | None = None
    preceding: str | None = None

    #: What answers have besides the rows, by name, as the schema describes it.
    named: ClassVar[dict[str, dict[str, Any]]] = {}

    def page_of(self, rows: RowsInOrder[Row], request: Request) -> list[Row]:
        """The rows that an address asks for. Raises ValidationError."""
        limit = _limit(request)
        places = {name: request.query_params.get(name) for name in ("after", "before")}
        after, before = places.values()
        if after is not None and before is not None:
            raise ValidationError({"before": ["Give after or before, not both."]})
        try:
            if before is not None:
                page = rows.before(before, limit + 1)
                is_first, is_last = len(page) <= limit, False
                page = page[-limit:]
            else:
                page = rows.after(after, limit + 1)
                is_first, is_last = after is None, len(page) <= limit
                page = page[:limit]
        except ValueError:
            name = "after" if before is None else "before"
            place = (places[name] or "")[:80]
            said = f"{place!r} is no place in the list: take it from the links next and previous."
            raise ValidationError({name: [said]}) from None
        url = request.build_absolute_uri()
        if page and not is_last:
            self.following = _link(url, "after", rows.place_of(page[-1]))
        if page and not is_first:
            self.preceding = _link(url, "before", rows.place_of(page[0]))
        return page

    def answer(self, data: Any, **named: Any) -> Response:
        """The page as it is sent, with what answers of this list have besides."""
        links = {"next": self.following, "previous": self.preceding}
        return Response({**named, **links, "results": data})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        link = {"type": "string", "format": "uri", "nullable": True}
        return {
            "type": "object",
            "required": [*self.named, "next", "previous", "results"],
            "properties": {
                **self.named,
                "next": link | {"description": "The page after this one; null at the end"},
                "previous": link | {"description": "The page before this one; null at the start"},
                "results": schema,
            },
        }

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        limits = {"type": "integer", "minimum": 1, "maximum": MOST_ROWS, "default": USUAL_ROWS}
        parameters = {
            "limit": ("Rows of a page", limits),
            "after": ("Rows after this one: part of the link `next`", {"type": "string"}),
            "before": ("Rows before this one: part of the link `previous`", {"type": "string"}),
        }
        return [
            {"name": name, "required": False, "in": "query", "description": about, "schema": schema}
            for name, (about, schema) in parameters.items()
        ]


def in_pages(
    request: Request,
    rows: RowsInOrder[Row],
    form: type[Serializer[Any]],
    *,
    made: Callable[[list[Row]], Iterable[Any]] = iter,
) -> Response:
    """The page of a list that the address asks for: what `form` sends of each row, or of what is
    `made` of the page's rows.
    """
    pages = Keyset()
    page = pages.page_of(rows, request)
    return pages.answer(form(made(page), many=True, context={"request": request}).data)


class RatingsPages(Keyset):
    """Pages of ratings say how many there are, whose they are, and who made the gold scores."""

    named = {
        "count": {"type": "integer", "description": "Of all pages"},
        "sources": {"type": "array", "items": {"type": "string"}},
        "gold": {"type": "string", "description": "Where the gold scores come from"},
    }


class RatersPages(Keyset):
    """Pages of raters name the analysis that they are from; null: none has finished yet."""

    named = {"run": {"allOf": [{"$ref": "#/components/schemas/Run"}], "nullable": True}}


def _limit(request: Request) -> int:
    text = request.query_params.get("limit")
    if text is None:
        return USUAL_ROWS
    if text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= MOST_ROWS:
        return int(text)
    said = f"limit takes a whole number from 1 to {MOST_ROWS}, not {text[:80]!r}."
    raise ValidationError({"limit": [said]})


def _link(url: str, name: str, place: str) -> str:
    """This address with another place."""
    for other in ("after", "before"):
        url = remove_query_param(url, other)
    return str(replace_query_param(url, name, place))


def _value(row: Any, path: str) -> Any:
    """What a row has in a column: of `values()` by its name, else along its relations."""
    if isinstance(row, Mapping):
        return row[path]
    for step in path.split("__"):
        row = getattr(row, step)
    return row


def _field(model: Any, path: str) -> "Field[Any, Any]":
    """What a column of a table, or of a related one, holds."""
    *relations, name = path.split("__")
    for relation in relations:
        model = model._meta.get_field(relation).related_model
    field = model._meta.pk if name == "pk" else model._meta.get_field(name)
    return field.target_field if isinstance(field, ForeignKey) else field


def _read(field: "Field[Any, Any]", text: str) -> Any:
    """A value of that kind. Raises ValueError."""
    if field.get_internal_type() != "SlugField":
        return _number(text)
    try:
        return field.clean(text, None)
    except FieldProblem:
        raise ValueError(text) from None


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) < 2**63):
        raise ValueError(text)
    return int(text)


def numbers_of(place: str) -> tuple[int, ...]:
    """The whole numbers that a place is made of. Raises ValueError."""
    return tuple(map(_number, place.split(".")))
