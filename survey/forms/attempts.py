"""Which attempt a form belongs to, on a page that can be answered more than once."""

from django.http import QueryDict

#: Name of the hidden input. No question can have it: names of questions have no hyphen.
ATTEMPT = "attempt-number"


def read_attempt(sent: QueryDict) -> int:
    """The number of the attempt; 0 if the form has none."""
    text = sent.get(ATTEMPT, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 3 else 0
