"""Lists of raw records that cost the same however many records there are.

Django's admin counts whole tables, sorts by any column and lists every value that a column has.
Here long tables have their newest records first, whatever the order of the table is.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from django.contrib.admin import AllValuesFieldListFilter, ModelAdmin
from django.contrib.admin.views.main import ORDER_VAR, PAGE_VAR, ChangeList
from django.core.paginator import Page, Paginator
from django.db.models import BinaryField, JSONField, QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property

#: How many records are counted beyond the page that is shown, and how many can be sorted.
MOST = 10_000
#: Digits of the number of a page. No table has more pages, and databases refuse larger numbers.
LONGEST_NUMBER = 9


class MoreThan(int):
    def __str__(self) -> str:
        return f"more than {int(self):,}"


class BoundedPaginator(Paginator):  # type: ignore[type-arg]  # of any records
    """Counts at most MOST records beyond the page that is shown: the next pages can be opened."""

    shown = 1

    @cached_property
    def count(self) -> int:
        bound = self.shown * self.per_page + MOST
        records: Any = self.object_list
        found: int = records.order_by()[: bound + 1].count()
        return MoreThan(bound) if found > bound else found

    def page(self, number: int | str) -> "Page[Any]":
        """The page is cut before other tables are joined: databases may join all records first."""
        page = super().page(number)
        records: Any = self.object_list
        shown: Any = page.object_list
        page.object_list = records.filter(pk__in=list(shown.values_list("pk", flat=True)))
        return page


class BoundedValues(AllValuesFieldListFilter):
    """Filters by the values of a column; in a long table by those of its first and last records."""

    def __init__(self, field: Any, *rest: Any, **more: Any) -> None:
        super().__init__(field, *rest, **more)
        table = field.model._default_manager
        if not is_long(table.all()):
            return
        values: set[Any] = set()
        for order, side in (("pk", "lte"), ("-pk", "gte")):
            # Up to a number that is known: with a subquery, PostgreSQL may read the whole table.
            last = table.order_by(order).values_list("pk", flat=True)[MOST - 1]
            end = table.filter(**{f"pk__{side}": last}).order_by()
            values.update(end.values_list(field.name, flat=True).distinct())
        self.lookup_choices: Any = sorted(values - {None})
        self.title = f"{self.title}, of the first and last {MOST:,}"


class BoundedChangeList(ChangeList):
    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        if not self.sortable_by:  # another order would be that of all records
            self.params.pop(ORDER_VAR, None)
            return ["-pk"]
        return super().get_ordering(request, queryset)

    def get_queryset(
        self, request: HttpRequest, exclude_parameters: list[str | None] | None = None
    ) -> QuerySet[Any]:
        """Without long values that the list does not show, of the records and what it joins."""
        records: QuerySet[Any] = super().get_queryset(request, exclude_parameters)
        joined = self.list_select_related
        paths = joined if isinstance(joined, (list, tuple)) else ()
        long = {*_long_values(self.model), *chain(*(_long_values(self.model, p) for p in paths))}
        return records.defer(*(long - set(map(str, self.list_display))))


def _long_values(table: Any, path: str = "") -> Iterator[str]:
    """Columns of any length, by name: of a table, and of those on a path from it."""
    step, _, rest = path.partition("__")
    for field in table._meta.concrete_fields:
        if isinstance(field, (BinaryField, JSONField)):
            yield field.name
    if step:
        names = _long_values(table._meta.get_field(step).related_model, rest)
        yield from (f"{step}__{name}" for name in names)


class BoundedAdmin(ModelAdmin):  # type: ignore[type-arg]  # one base for several models
    show_full_result_count = False

    def get_paginator(
        self, request: HttpRequest, queryset: Any, per_page: int, *rest: Any, **more: Any
    ) -> BoundedPaginator:
        paginator = BoundedPaginator(queryset, per_page, *rest, **more)
        number = request.GET.get(PAGE_VAR, "")
        if number.isdecimal() and len(number) <= LONGEST_NUMBER:
            paginator.shown = int(number)
        return paginator

    def get_changelist(self, request: HttpRequest, **more: Any) -> type[ChangeList]:
        return BoundedChangeList

    def get_sortable_by(self, request: HttpRequest) -> Any:
        return (
            () if is_long(self.model._default_manager.all()) else super().get_sortable_by(request)
        )


def is_long(records: QuerySet[Any]) -> bool:
    return records.order_by()[: MOST + 1].count() > MOST
