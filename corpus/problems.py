"""What can't be done with a corpus. Pure."""

from survey.refusals import RequestRefused


class CorpusProblem(RequestRefused):
    """What is asked of a corpus can't be done; the message says what to change."""
