"""Commands that say in few words why they did nothing."""

from collections.abc import Iterable
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError

from config.refusal_codes import CODES
from survey.refusals import NOTHING_CHANGED, RequestRefused


class RefusingCommand(BaseCommand):
    """What is refused ends it with one message, and with the exit code of that kind of refusal."""

    #: Said before a refusal, such as "Nothing was queued"; empty where the refusal says enough.
    nothing: ClassVar[str] = ""
    #: Said in a line before what is wrong in a file, if `nothing` is empty.
    unread: ClassVar[str] = NOTHING_CHANGED

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Raises CommandError with the words of a refusal, or of a file that can't be used."""
        try:
            return super().execute(*args, **options)
        except OSError as error:
            if error.filename is None:
                raise
            raise CommandError(f"{error.filename}: {error.strerror}") from error
        except RequestRefused as why:
            code = CODES[why.kind].exit_code
            raise CommandError(self._in_words(why), returncode=code) from None

    def note(self, notices: Iterable[str]) -> None:
        """Say what is worth knowing of a file."""
        for notice in notices:
            self.stderr.write(f"Note: {notice}")

    def _in_words(self, why: RequestRefused) -> str:
        if why.says_what_was_not_done:
            return str(why)
        if why.about == "file":  # a line for each problem
            first = f"{self.nothing}." if self.nothing else self.unread
            return f"{first}\n{why}" if first else str(why)
        return f"{self.nothing}: {why}" if self.nothing else str(why)
