"""docs/security.md has every line of ASVS 5.0.0 that it is about, and names tests that exist."""

import ast
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from django.conf import settings

from dashboard.accounts.passwords import REST, WORDS
from survey.participants import COOKIE_DAYS
from tests.dashboard.addresses import ADDRESSES
from tests.dashboard.test_access import OPEN_TO_ALL

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "security.md").read_text()
SETTINGS = (ROOT / "config" / "settings.py").read_text()
FIELDS = "Fields with rules of their own"

#: The lines of level 1 and of level 2, by section, as in version 5.0.0 of the standard.
LEVEL_1 = {
    *("6.1.1", "6.2.1", "6.2.2", "6.2.3", "6.2.4", "6.2.5", "6.2.6", "6.2.7", "6.2.8"),
    *("6.3.1", "6.3.2", "6.4.1", "6.4.2"),
    *("7.2.1", "7.2.2", "7.2.3", "7.2.4", "7.4.1", "7.4.2"),
    *("8.1.1", "8.2.1", "8.2.2", "8.3.1"),
    *("9.1.1", "9.1.2", "9.1.3", "9.2.1"),
}
LEVEL_2 = {
    *("6.1.2", "6.1.3", "6.2.9", "6.2.10", "6.2.11", "6.2.12", "6.3.3", "6.3.4", "6.4.3", "6.4.4"),
    *("6.5.1", "6.5.2", "6.5.3", "6.5.4", "6.5.5", "6.6.1", "6.6.2", "6.6.3"),
    *("6.8.1", "6.8.2", "6.8.3", "6.8.4"),
    *("7.1.1", "7.1.2", "7.1.3", "7.3.1", "7.3.2", "7.4.3", "7.4.4", "7.4.5"),
    *("7.5.1", "7.5.2", "7.6.1", "7.6.2"),
    *("8.1.2", "8.2.3", "8.4.1"),
    *("9.2.2", "9.2.3", "9.2.4"),
}
#: How a line begins that is met, and one that is not.
MET = ("Met.", "Met,", "Met:", "Met by", "Met for", "Met with a setting", "Partly met:")
NOT_MET = ("Not met:", "Does not apply:", "Met: there are none.")
NO_TEST = "No test"


class Line(NamedTuple):
    """A row of the tables."""

    number: str
    level: str
    asked: str
    answer: str
    tests: str


LINES = [
    Line(*(cell.strip() for cell in row.strip("|").split("|")))
    for row in re.findall(r"(?m)^\| \d+\.\d+\.\d+ \|.*$", TEXT)
]


def section(heading: str) -> str:
    return TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_every_line_of_the_standard_is_there_once_and_none_is_invented() -> None:
    numbers = [(line.number, line.level) for line in LINES]
    expected = {(number, "1") for number in LEVEL_1} | {(number, "2") for number in LEVEL_2}
    assert len(numbers) == len(set(numbers))
    assert set(numbers) == expected


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.number)
def test_line_says_how_it_is_met_and_names_its_tests(line: Line) -> None:
    assert line.asked
    assert line.answer.startswith((*MET, *NOT_MET))
    if line.tests == NO_TEST:
        assert line.answer.startswith(NOT_MET)
        return
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", line.tests)
    assert len(named) == line.tests.count("`") / 2 >= 1
    for file, name in named:
        functions = {
            node.name
            for node in ast.parse((ROOT / file).read_text()).body
            if isinstance(node, ast.FunctionDef)
        }
        assert name in functions, f"{file}::{name}"


def test_words_in_the_text_are_those_of_the_code() -> None:
    [quoted] = re.findall(r"(?m)(?:^> .*\n)+", section("Passwords"))
    assert re.findall(r"\w+", quoted) == sorted(WORDS)
    assert f"fewer than {REST} letters" in " ".join(section("Passwords").split())


def test_limits_in_the_text_are_those_of_the_settings() -> None:
    ways, sessions = section("Ways in"), section("Sessions")
    minutes = settings.AXES_COOLOFF_TIME.total_seconds() / 60
    assert (settings.AXES_FAILURE_LIMIT, minutes) == (5, 5)
    assert "five failures of a name at an address" in ways and "in five minutes" in ways
    assert f"{settings.ADDRESS_FAILURE_LIMIT} of an address" in ways
    [most] = re.findall(r'"API_REQUESTS_PER_MINUTE", (\d+)', SETTINGS)  # tests have no limit
    assert f"{most} requests a minute" in ways
    assert f"after {settings.SESSION_IDLE_HOURS:g} hours (`SESSION_IDLE_HOURS`)" in sessions
    assert f"{settings.SESSION_DAYS:g} days after the login (`SESSION_DAYS`)" in sessions
    assert f"the cookie after {COOKIE_DAYS} days" in sessions
    again = settings.ACCOUNT_REAUTHENTICATION_TIMEOUT // 60
    assert f"asks for the password again after {again} minutes" in " ".join(sessions.split())


def test_every_address_without_a_login_is_in_the_text() -> None:
    described = re.findall(r"(?m)^\| [^|]+ \| `(/[^`]*)` \|", section("Ways in"))
    open_to_all = [each.path for each in ADDRESSES if each.name in OPEN_TO_ALL - {"logout"}]
    assert [path for path in open_to_all if not path.startswith(tuple(described))] == []
    assert {"/api/", "/s/"} < set(described)


def test_fields_with_rules_are_described() -> None:
    rows = re.findall(r"(?m)^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", section(FIELDS))
    assert len(rows) == 14 + 1  # and the heading
    assert all(readers.strip() and writers.strip() for _, readers, writers in rows)
