"""The base of every part of study.yaml."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

from annotated_types import MinLen
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
)
from pydantic_core import PydanticCustomError

from survey.files.as_written import as_written

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
#: What a model was given or wrote: its first line keeps its indentation.
WrittenText = Annotated[str, AfterValidator(as_written), MinLen(1)]
NAME_PATTERN = r"^[a-z][a-z0-9_]{0,39}$"


def written_like(pattern: str, how: str) -> AfterValidator:
    """Refuses a text that does not match `pattern`, and says what it has to be: `how`."""

    def checked(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"{text[:80]!r} {how}")
        return text

    return AfterValidator(checked)


Name = Annotated[
    str,
    written_like(
        NAME_PATTERN,
        "is no name: begin with a letter, and use only small letters a to z, digits and _, at most "
        "40 in all",
    ),
]


class Part(BaseModel):
    """A part of the file: unknown keys are errors, values are never coerced silently, numbers are
    finite.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class StoredPart(Part):
    """A part that is stored with studies. A key that is newer than stored studies is left out while
    it has its default, so that they stay the same: every key with a default that is not among
    `ALWAYS_STORED`.
    """

    #: The keys with a default that are stored whatever they have.
    ALWAYS_STORED: ClassVar[frozenset[str]] = frozenset()

    @model_serializer(mode="wrap")
    def _without_newer_defaults(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        dumped: dict[str, Any] = dump(self)
        unset = {
            name
            for name, field in type(self).model_fields.items()
            if not field.is_required() and dumped.get(name) == field.default
        }
        return {n: v for n, v in dumped.items() if n not in unset or n in self.ALWAYS_STORED}


def refuse_repeats(what: str, names: Sequence[str]) -> None:
    """Raise ValueError for a name that is repeated."""
    count = Counter(names)
    for name in names:
        if count[name] > 1:
            raise ValueError(f"{what} {name!r} is repeated")


def with_hint(question: str, hint: str | None) -> str:
    """A question with its hint behind it."""
    return f"{question} ({hint})" if hint else question


def wrong(path: tuple[str | int, ...], message: str) -> PydanticCustomError:
    """A contradiction between parts, reported at `path` (relative to the validated part)."""
    # braces would be read as placeholders, so the message fills one
    return PydanticCustomError("contradiction", "{message}", {"message": message, "path": path})
