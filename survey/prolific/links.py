"""The link that Prolific sends people to, the one that leads them back, and its API. Pure."""

from collections.abc import Mapping
from urllib.parse import urlencode, urlsplit

#: What Prolific fills in, by what it is.
PLACEHOLDERS = {"participant": "PROLIFIC_PID", "study": "STUDY_ID", "session": "SESSION_ID"}


def study_link(address: str, names: Mapping[str, str]) -> str:
    """The study's address with Prolific's placeholders, under the study's own `names` of
    `participant`, `study` and `session`. Prolific needs the double braces unescaped.
    """
    query = "&".join(f"{names[part]}={{{{%{name}%}}}}" for part, name in PLACEHOLDERS.items())
    return f"{address}?{query}"


def way_back(return_url: str, code: str) -> str:
    """The link that enters a completion code for the participant."""
    join = "&" if "?" in return_url else "?"
    return f"{return_url}{join}{urlencode({'cc': code})}"


def is_local(api: str) -> bool:
    """Whether an address of the API is on this machine: it pays nobody. Others use https."""
    return urlsplit(api).scheme == "http"
