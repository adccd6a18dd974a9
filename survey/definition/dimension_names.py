"""What dimensions may be called. Pure."""

import hashlib
import re
import unicodedata
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from survey.definition.parts import NAME_PATTERN
from survey.files.names import one_name

LONGEST = 60
#: Beside letters and digits of any script.
_OTHERS = " _-'’.()&/+"
_MAY_BE = (
    f"may have at most {LONGEST} letters and digits of any script, spaces and {_OTHERS.strip()}, "
    "and begins with a letter or digit"
)


def _named(name: str) -> str:
    name = one_name(" ".join(name.split()))
    fine = all(each in _OTHERS or unicodedata.category(each)[0] in "LMN" for each in name)
    if not (0 < len(name) <= LONGEST and name[0].isalnum() and fine):
        raise ValueError(f"the name of a dimension {_MAY_BE}")
    return name


DimensionName = Annotated[str, StringConstraints(strict=True), AfterValidator(_named)]


def in_forms(name: str) -> str:
    """A dimension's name in the names of inputs, which have no spaces."""
    if re.fullmatch(NAME_PATTERN, name):
        return name
    return "d-" + hashlib.sha256(name.encode()).hexdigest()[:12]
