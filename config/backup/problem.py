"""What can be wrong with a backup or with the place for one."""

from survey.refusals import Conflict


class BackupProblem(Conflict):
    """Why a backup can't be made or restored, in one line. Nothing was changed."""
