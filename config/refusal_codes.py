"""What a refusal is to programs: the status of HTTP, and the exit code of a command."""

from collections.abc import Mapping
from typing import NamedTuple

from survey.refusals import RefusalKind


class EdgeCodes(NamedTuple):
    status: int
    exit_code: int


#: Exit code 75 is EX_TEMPFAIL of sysexits.h: the same may be asked again.
CODES: Mapping[RefusalKind, EdgeCodes] = {
    RefusalKind.BAD_INPUT: EdgeCodes(400, 1),
    RefusalKind.FORBIDDEN: EdgeCodes(403, 1),
    RefusalKind.NOT_FOUND: EdgeCodes(404, 1),
    RefusalKind.CONFLICT: EdgeCodes(400, 1),
    RefusalKind.LATER: EdgeCodes(400, 75),
}
