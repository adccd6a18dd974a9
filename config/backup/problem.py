"""What can be wrong with a backup or with the place for one."""

from survey.refusals import RefusalKind, RequestRefused


class BackupProblem(RequestRefused):
    """Why a backup can't be made or restored, in one line. Nothing was changed."""

    kind = RefusalKind.CONFLICT
