"""The signed clock of simulated raters."""

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.core import signing
from pytest_django import Settings

from survey.simulated import clock

NOON = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)


def test_clock_comes_back_as_it_was_signed() -> None:
    header = clock.sign(person="sim-1-0001", at=NOON, order_seed=2**61 + 1)
    assert clock.read(header) == clock.SimulatedClock("sim-1-0001", NOON, 2**61 + 1)


def test_clock_of_another_zone_comes_back_in_utc() -> None:
    eastern = NOON.astimezone(timezone(timedelta(hours=-5)))
    at = clock.read(clock.sign(person="a", at=eastern, order_seed=1)).at
    assert (at, at.tzinfo) == (NOON, UTC)


def test_clock_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        clock.sign(person="a", at=NOON.replace(tzinfo=None), order_seed=1)


def test_clock_fits_a_header() -> None:
    header = clock.sign(person="sim-ü-1", at=NOON, order_seed=2**62)
    assert header.isascii() and header.isprintable() and len(header) < 400


def test_changed_clock_is_refused() -> None:
    header = clock.sign(person="a", at=NOON, order_seed=1)
    changed = ("B" if header[0] != "B" else "C") + header[1:]
    with pytest.raises(clock.ClockError, match="SIMULATION_KEY"):
        clock.read(changed)


@pytest.mark.parametrize("header", ["", ":", "abc", "a:b:c"])
def test_text_that_was_never_signed_is_refused(header: str) -> None:
    with pytest.raises(clock.ClockError):
        clock.read(header)


def test_clock_signed_with_another_key_is_refused(settings: Settings) -> None:
    settings.SIMULATION_KEY = "somebody else's key"
    header = clock.sign(person="a", at=NOON, order_seed=1)
    settings.SIMULATION_KEY = "the server's key"
    with pytest.raises(clock.ClockError):
        clock.read(header)


def test_clock_that_was_signed_too_long_ago_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    header = clock.sign(person="a", at=NOON, order_seed=1)
    later = time.time() + clock.VALID.total_seconds()
    monkeypatch.setattr(signing.time, "time", lambda: later + 5)
    with pytest.raises(clock.ClockError, match="too long ago"):
        clock.read(header)
    monkeypatch.setattr(signing.time, "time", lambda: later - 5)
    assert clock.read(header).at == NOON


def test_another_signature_of_the_same_key_is_refused(settings: Settings) -> None:
    """A session cookie or token signed by Django is no clock."""
    content = {"person": "a", "at": NOON.isoformat(), "order_seed": 1}
    header = signing.Signer(key=settings.SIMULATION_KEY, salt="other").sign_object(content)
    with pytest.raises(clock.ClockError):
        clock.read(header)
