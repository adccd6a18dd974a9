"""Fields made from the tables of the database and of the catalogue."""

from typing import Any

from django.db.models import Field, Model
from rest_framework import serializers

from analysis import catalogue
from analysis.catalogue.spec import Kind


def help_of(model: type[Model], field: str) -> str:
    """What the table says of its column."""
    column = model._meta.get_field(field)
    assert isinstance(column, Field)
    return str(column.help_text)


FIELDS: dict[Kind, type[serializers.Field[Any, Any, Any, Any]]] = {
    "text": serializers.CharField,
    "count": serializers.IntegerField,
    "number": serializers.FloatField,
    "flag": serializers.BooleanField,
}


def rows_of(table: str, *names: str) -> type[serializers.Serializer[object]]:
    """Rows of a table of the analysis, in all of its columns or in these, as the catalogue has
    them.
    """
    spec = catalogue.tables()[table]
    fields = {
        column.name: FIELDS[column.holds](
            help_text=column.meaning, allow_null=column.holds in ("count", "number")
        )
        for column in map(spec.column, names or spec.names)
    }
    return type(f"{table.title().replace('_', '')}Row", (serializers.Serializer,), fields)
