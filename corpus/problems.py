"""What can't be done with a corpus. Pure."""


class CorpusProblem(Exception):
    """What is asked of a corpus can't be done; the message says what to change."""
