"""Logs hold no private link, and the same failure once in ten seconds."""

import logging
import sys
from io import StringIO
from sqlite3 import OperationalError as SQLiteError
from typing import Any

import pytest
from django.conf import settings
from django.db import IntegrityError, OperationalError
from gunicorn.config import Config

from config.gunicorn_logger import GunicornLogger
from config.logs import MaskingFormatter, OnceInAWhile, masked

TOKEN, PERSON = "Tok3n-of_withdrawal", "5f3e0a1b2c"


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        (f"Not Found: /s/tide/withdraw/{TOKEN}/", "Not Found: /s/tide/withdraw/…/"),
        (f"GET /s/tide/withdraw/{TOKEN}/?a=1 HTTP/1.1", "GET /s/tide/withdraw/…/?… HTTP/1.1"),
        (f"GET /invitations/{TOKEN}/ HTTP/1.1", "GET /invitations/…/ HTTP/1.1"),
        (f'"GET /s/tide/?PID={PERSON}&s=x HTTP/1.1" 302', '"GET /s/tide/?… HTTP/1.1" 302'),
        (f'"https://x.org/s/tide/?resume={PERSON}"', '"https://x.org/s/tide/?…"'),
        (f"<WSGIRequest: GET '/s/tide/?invite={PERSON}'>", "<WSGIRequest: GET '/s/tide/?…'>"),
        (f"/admin/survey/identity/?q={PERSON}", "/admin/survey/identity/?…"),
        (f"DETAIL:  Key (key)=({PERSON}) already exists.", "DETAIL: …"),
        ("GET /studies/tide/raters/?page=2 HTTP/1.1", "GET /studies/tide/raters/?page=2 HTTP/1.1"),
        ("Not Found: /s/tide/page/3/", "Not Found: /s/tide/page/3/"),
        ("Did it end?", "Did it end?"),
    ],
)
def test_private_part_of_an_address_is_masked(written: str, kept: str) -> None:
    assert masked(written) == kept


class Clock:
    """Goes on when it is told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Log:
    """A logger with a handler like that of the settings, and what it wrote."""

    def __init__(self) -> None:
        self.written, self.clock = StringIO(), Clock()
        handler = logging.StreamHandler(self.written)
        handler.setFormatter(MaskingFormatter("%(levelname)s %(message)s"))
        handler.addFilter(OnceInAWhile(self.clock))
        self.logger = logging.Logger("ours")
        self.logger.addHandler(handler)

    def fail(self, error: Exception, message: str = "Internal Server Error: %s") -> None:
        try:
            raise error
        except type(error):
            self.logger.error(message, "/s/tide/", exc_info=True)

    @property
    def lines(self) -> list[str]:
        return self.written.getvalue().splitlines()


def test_outage_is_one_line_and_the_rest_of_it_a_count() -> None:
    log = Log()
    for number in range(5000):
        log.fail(OperationalError(f"connection {number} failed\n\tIs the server running?"))
    assert log.lines == [
        "ERROR Internal Server Error: /s/tide/: OperationalError: connection 0 failed"
    ]
    log.clock.now = 12
    log.fail(OperationalError("the connection is closed"), "Task failed: %s")
    assert log.lines[1:] == [
        "ERROR Task failed: /s/tide/ (4999 more in the last 12 s): "
        "OperationalError: the connection is closed"
    ]


def test_reason_of_an_outage_is_said_once() -> None:
    log = Log()
    log.fail(OperationalError("it is silent"), "Task %s failed: OperationalError('it is silent')")
    assert log.lines == ["ERROR Task /s/tide/ failed: OperationalError('it is silent')"]


def test_failure_of_ours_has_its_traceback_once() -> None:
    log = Log()
    for _ in range(3):
        log.fail(ValueError("a fault of ours"))
    log.fail(KeyError("another one"))
    assert sum(line.startswith("Traceback") for line in log.lines) == 2
    assert sum(line.startswith("ValueError: a fault of ours") for line in log.lines) == 1


def test_statement_that_sqlite_refuses_is_no_outage() -> None:
    log = Log()
    refused = SQLiteError("no such table: survey_study")
    refused.sqlite_errorcode = 1
    error = OperationalError(str(refused))
    error.__cause__ = refused
    log.fail(error)
    assert any(line.startswith("Traceback") for line in log.lines)


def test_values_that_postgresql_repeats_are_masked_in_a_traceback() -> None:
    log = Log()
    log.fail(IntegrityError(f"duplicate key\nDETAIL:  Key (key)=({PERSON}) already exists."))
    assert "Traceback (most recent call last):" in log.lines
    assert PERSON not in log.written.getvalue()


def test_different_messages_are_all_written_and_few_are_remembered() -> None:
    log = Log()
    for number in range(3000):
        log.logger.warning("Not Found: /%d/", number)
    assert len(log.lines) == 3000
    assert len(log.logger.handlers[0].filters[0]._kinds) <= 1000  # type: ignore[union-attr]


def test_every_handler_of_the_settings_masks_and_counts() -> None:
    configured: Any = settings.LOGGING
    console = configured["handlers"]["console"]
    assert console["filters"] == ["once in a while"]
    assert configured["formatters"][console["formatter"]]["()"].endswith("MaskingFormatter")
    django = [logging.getLogger(name) for name in ("django", "django.request")]
    assert [logger.handlers for logger in django] == [[], []]


def test_gunicorn_masks_both_of_its_logs(capfd: pytest.CaptureFixture[str]) -> None:
    config = Config()
    config.set("accesslog", "-")
    log = GunicornLogger(config)
    log.access_log.handlers[0].setStream(sys.stdout)
    atoms = {"r": f"GET /s/tide/withdraw/{TOKEN}/ HTTP/1.1", "f": f"/s/tide/?resume={PERSON}"}
    log.access_log.info('"%(r)s" "%(f)s"', atoms)
    log.error("Error handling request %s", f"/s/tide/?PROLIFIC_PID={PERSON}")
    said = capfd.readouterr()
    assert '"GET /s/tide/withdraw/…/ HTTP/1.1" "/s/tide/?…"' in said.out
    assert "[ERROR] Error handling request /s/tide/?…" in said.err
