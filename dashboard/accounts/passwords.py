"""What is no password here: words of this site, and what was found in breaches elsewhere."""

import re
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError

from dashboard.shared.roles import Role

#: The product, what it is for, and who uses it; docs/security.md lists them.
WORDS = (
    *("fivefold", "prolific", "survey", "study", "research", "researcher", "participant"),
    *("rater", "judge", "password", "admin", "university", *Role.values),
)
#: A password has at least so many characters beside such words, digits and signs.
REST = 8


def words_of_site() -> list[str]:
    """`WORDS`, and the parts of the site's own name; the longest first."""
    host = urlsplit(settings.SITE_URL).hostname or ""
    own = [part for part in re.split(r"[.-]", host.casefold()) if len(part) > 3]
    return sorted({*WORDS, *own}, key=len, reverse=True)


class BreachedPasswordValidator:
    """Refuses the passwords of a text file, one a line; capital and small letters are the same."""

    def __init__(self, *, path: str, shortest: int) -> None:
        """`shortest`: the fewest characters of a password, so that shorter ones take no memory."""
        with Path(path).open(encoding="utf-8", errors="replace") as lines:
            passwords = (line.rstrip("\r\n").casefold() for line in lines)
            self.passwords = {each for each in passwords if len(each) >= shortest}

    def validate(self, password: str, user: object = None) -> None:
        """Raises ValidationError."""
        if password.casefold() in self.passwords:
            raise ValidationError(
                "This password is known from a breach of another site.", code="breached"
            )

    def get_help_text(self) -> str:
        return "Your password can’t be one that is known from a breach."


class SiteWordsValidator:
    """Refuses passwords that are words of this site with digits and signs around them."""

    def validate(self, password: str, user: object = None) -> None:
        """Raises ValidationError."""
        rest = password.casefold()
        found = [word for word in words_of_site() if word in rest]
        for word in found:
            rest = rest.replace(word, "")
        if found and len(re.sub(r"[\W\d_]", "", rest)) < REST:
            raise ValidationError(
                "This password is little more than %(words)s, which is easy to guess here.",
                code="words_of_site",
                params={"words": " and ".join(f"“{word}”" for word in found)},
            )

    def get_help_text(self) -> str:
        return "Your password can’t be made of words of this site, such as its name."
