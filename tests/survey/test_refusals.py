"""What a refusal says, to pages and to programs."""

import builtins
import re
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from config.refusal_codes import CODES
from survey.management.refusing import RefusingCommand
from survey.refusals import NOTHING_CHANGED, RefusalKind, RequestRefused

#: A class that comes straight from one of Python's exceptions.
BUILT_IN = "|".join(name for name in dir(builtins) if name.endswith(("Error", "Exception")))
PLAIN = re.compile(rf"(?m)^class (\w+)\((?:{BUILT_IN})\)")


class NotRead(RequestRefused):
    unchanged = ""


@pytest.mark.parametrize(
    ("why", "sentences", "told"),
    [
        (
            RequestRefused("no study small"),
            f"no study small. {NOTHING_CHANGED}",
            [f"no study small. {NOTHING_CHANGED}"],
        ),
        (
            RequestRefused("There is no judge. Nothing was queued."),
            "There is no judge. Nothing was queued.",
            ["There is no judge. Nothing was queued."],
        ),
        (
            RequestRefused("a.csv, line 2: no\na.csv, line 3: no"),
            f"a.csv, line 2: no. a.csv, line 3: no. {NOTHING_CHANGED}",
            ["a.csv, line 2: no", "a.csv, line 3: no", NOTHING_CHANGED],
        ),
        (NotRead("no study small"), "no study small.", ["no study small."]),
    ],
)
def test_says_why_and_that_nothing_was_changed(
    why: RequestRefused, sentences: str, told: list[str]
) -> None:
    assert (why.sentences, why.told) == (sentences, told)


def test_every_kind_has_its_codes() -> None:
    assert set(CODES) == set(RefusalKind)
    assert [CODES[kind].status for kind in RefusalKind] == [400, 403, 404, 400, 400]
    assert [CODES[kind].exit_code for kind in RefusalKind] == [1, 1, 1, 1, 75]


def test_command_names_a_file_that_it_cannot_use_and_hides_no_other_error(tmp_path: Path) -> None:
    class Writes(RefusingCommand):
        error: OSError | None = None

        def handle(self, *args: object, **options: object) -> None:
            if self.error:
                raise self.error
            (tmp_path / "none" / "scores.csv").write_text("", encoding="utf-8")

    with pytest.raises(CommandError, match=r"none/scores\.csv: No such file or directory$"):
        call_command(Writes())
    command = Writes()
    command.error = ConnectionResetError("the database is gone")
    with pytest.raises(ConnectionResetError):
        call_command(command)


#: Exceptions that nobody reads as an answer to what was asked for.
NO_REFUSALS = {
    "Full", "NotAdmitted", "Withdrawn", "ArrivalRefused", "OutOfOrder",  # participants' pages
    "EventRefused", "LinkFault", "KeyServerError", "NoKeys", "TokenLost",  # links, keys, webhooks
    "ClockError", "WalkError",  # simulated raters
    "Unusable", "_TooLarge", "BatchLost",  # calls of judges
    "NotAvailable", "NotShown", "ModeNotFound", "Refused", "MarginOutsideScale",  # states of tables
    "BrowserEnded", "DrawingFailed",  # images
    "GiveBack", "Lost", "Later", "NoSuchMethod",  # what a worker or a view does next
    "AlreadyServed", "BeingRestored", "InUse", "ProcessError",  # starting the program
}  # fmt: skip


def test_what_people_are_told_is_a_refusal() -> None:
    """A new exception is one, too, or is named above."""
    root = Path(__file__).parent.parent.parent
    found = {
        name
        for app in ("config", "survey", "jobs", "judge", "corpus", "analysis", "dashboard")
        for path in (root / app).rglob("*.py")
        for name in PLAIN.findall(path.read_text(encoding="utf-8"))
    }
    assert found - {"RequestRefused"} == NO_REFUSALS
