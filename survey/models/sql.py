"""Times and values of JSON in SQL: the database computes with them, so that no rows are read."""

from typing import Any

from django.db.models import BigIntegerField, FloatField, Func, TextField
from django.db.models.sql.compiler import SQLCompiler


class Milliseconds(Func):
    """Whole milliseconds from the year 2000 to a time."""

    arity = 1
    output_field = BigIntegerField()
    template = "CAST((JULIANDAY(%(expressions)s) - 2451544.5) * 86400000 AS BIGINT)"

    def as_postgresql(self, compiler: SQLCompiler, connection: Any, **context: Any) -> Any:
        # EXTRACT would compute with decimals, which takes longer.
        template = "CAST((DATE_PART('EPOCH', %(expressions)s) - 946684800) * 1000 AS BIGINT)"
        return self.as_sql(compiler, connection, template=template, **context)


class SecondsBetween(Func):
    """About the seconds from the second time to the first, to sort by; indexes can have it."""

    arity = 2
    output_field = FloatField()
    arg_joiner = ") - JULIANDAY("
    template = "((JULIANDAY(%(expressions)s)) * 86400.0)"

    def as_postgresql(self, compiler: SQLCompiler, connection: Any, **context: Any) -> Any:
        template = "CAST(EXTRACT(EPOCH FROM (%(expressions)s)) AS DOUBLE PRECISION)"
        return self.as_sql(compiler, connection, template=template, arg_joiner=" - ", **context)


class TimeText(Func):
    """The first characters of a time in UTC as text, up to a minute: `2026-05-04 13:59`."""

    output_field = TextField()
    template = "SUBSTR(%(expressions)s, 1, %(characters)s)"

    def __init__(self, time: Any, characters: int) -> None:
        super().__init__(time, characters=characters)

    def as_postgresql(self, compiler: SQLCompiler, connection: Any, **context: Any) -> Any:
        utc = "TO_CHAR(%(expressions)s AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')"
        template = f"SUBSTR({utc}, 1, %(characters)s)"
        return self.as_sql(compiler, connection, template=template, **context)


class JsonValue(Func):
    """A number or text of a JSON object by its name, null where it is null or absent; indexes can
    have it, unlike a key of Django's, whose name is a parameter.
    """

    arity = 1
    template = "JSON_EXTRACT(%(expressions)s, '$.%(name)s')"

    def __init__(self, column: str, name: str, output_field: Any) -> None:
        if not name.isidentifier():
            raise ValueError(name)
        super().__init__(column, name=name, output_field=output_field)

    def as_postgresql(self, compiler: SQLCompiler, connection: Any, **context: Any) -> Any:
        kind = self.output_field.cast_db_type(connection)
        template = f"CAST(%(expressions)s ->> '%(name)s' AS {kind})"
        return self.as_sql(compiler, connection, template=template, **context)
