"""Counting queries, the rows and characters that they return, and the work of SQLite for them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.backends.utils import CursorWrapper

#: Instructions of SQLite are counted in so many.
AT_ONCE = 100


@dataclass
class Reads:
    """Numbers of queries, of rows that they returned, and of characters in these; on SQLite, of the
    instructions of its virtual machine.
    """

    queries: int = 0
    instructions: int = 0
    rows: int = 0
    characters: int = 0

    def add(self, rows: Any) -> None:
        """Count some rows."""
        self.rows += len(rows)
        self.characters += sum(len(v) for row in rows for v in row if isinstance(v, str | bytes))


@contextmanager
def counted_reads() -> Iterator[Reads]:
    """Count what this thread reads within the block."""
    reads = Reads()

    class Counted(CursorWrapper):
        def fetchone(self) -> Any:
            row = self.cursor.fetchone()
            reads.add([row] if row is not None else [])
            return row

        def fetchmany(self, *size: int) -> Any:
            rows = self.cursor.fetchmany(*size)
            reads.add(rows)
            return rows

        def fetchall(self) -> Any:
            rows = self.cursor.fetchall()
            reads.add(rows)
            return rows

        def __iter__(self) -> Iterator[Any]:
            for row in self.cursor:
                reads.add([row])
                yield row

    def count(execute: Callable[..., Any], *asked: Any) -> Any:
        reads.queries += 1
        return execute(*asked)

    def step() -> int:
        reads.instructions += AT_ONCE
        return 0  # go on

    database: Any = connection
    is_sqlite = database.vendor == "sqlite"
    if is_sqlite:
        database.ensure_connection()
        database.connection.set_progress_handler(step, AT_ONCE)
    usual = database.make_cursor
    database.make_cursor = lambda cursor: Counted(cursor, database)
    try:
        with connection.execute_wrapper(count):
            yield reads
    finally:
        database.make_cursor = usual
        if is_sqlite:
            database.connection.set_progress_handler(None, 0)
