"""What a command says of a refusal, and the exit code it ends with."""

from io import StringIO
from typing import Any

import pytest
from django.core.management.base import CommandError, OutputWrapper

from config.refusal_codes import CODES
from survey.management.refusing import RefusingCommand
from survey.refusals import Conflict, RefusalKind, RequestRefused


class Refused(RequestRefused):
    def __init__(self, words: str, kind: RefusalKind, about: str = "") -> None:
        super().__init__(words)
        self.kind, self.about = kind, about


class Asked(RefusingCommand):
    requires_system_checks = ()

    def __init__(self, why: RequestRefused) -> None:
        super().__init__()
        self.why = why

    def handle(self, **options: Any) -> None:
        raise self.why


class Queueing(Asked):
    nothing = "Nothing was queued"


class Reading(Asked):
    unread = ""


class Writing(RefusingCommand):
    requires_system_checks = ()

    def handle(self, **options: Any) -> None:
        raise FileExistsError(17, "File exists", "out.csv")


def test_file_that_cannot_be_used_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        Writing().run_from_argv(["manage.py", "writing"])
    assert ended.value.code == 1
    assert capsys.readouterr().err == "CommandError: out.csv: File exists\n"


@pytest.mark.parametrize("kind", RefusalKind)
def test_ends_with_the_exit_code_of_the_kind(
    kind: RefusalKind, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        Asked(Refused("there is no study 'small'", kind)).run_from_argv(["manage.py", "asked"])
    assert ended.value.code == CODES[kind].exit_code
    assert capsys.readouterr().err == "CommandError: there is no study 'small'\n"


@pytest.mark.parametrize(
    ("command", "about", "said"),
    [
        (Asked, "", "no"),
        (Asked, "file", "Nothing was changed.\nno"),
        (Queueing, "", "Nothing was queued: no"),
        (Queueing, "file", "Nothing was queued.\nno"),
        (Reading, "file", "no"),
    ],
)
def test_says_what_was_not_done(command: type[Asked], about: str, said: str) -> None:
    why = Refused("no", RefusalKind.BAD_INPUT, about)
    assert said_by(command(why)) == said
    own = Refused("There is none. Nothing was sent.", RefusalKind.BAD_INPUT, about)
    assert said_by(command(own)) == str(own)


def said_by(command: Asked) -> str:
    with pytest.raises(CommandError) as refused:
        command.execute(force_color=False, no_color=False, skip_checks=True)
    return str(refused.value)


def test_notes_what_is_worth_knowing_beside_what_is_asked_for() -> None:
    command = Reading(Conflict("no"))
    command.stderr = OutputWrapper(StringIO())
    command.note(["two rows are empty", "one column is not read"])
    said = command.stderr.getvalue()
    assert said == "Note: two rows are empty\nNote: one column is not read\n"
