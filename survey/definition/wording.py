"""What a study's pages say in its own words."""

import unicodedata
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, PlainValidator, StringConstraints, model_validator

from survey.definition.parts import Part, StoredPart, Text, wrong


def _text_or_default(value: Any) -> Any:
    """A text, or True for the default one; None for none."""
    if value is None or value is False:
        return None
    if value is True or (isinstance(value, str) and value.strip()):
        return value if value is True else value.strip()
    raise ValueError("write a text, true for the default one, or false for none")


Policy = Annotated[str | Literal[True] | None, PlainValidator(_text_or_default)]


class Texts(StoredPart):
    """What participants read, in Markdown (no raw HTML, no images).

    A missing text is replaced by the interface's default, in the participant's language. Only
    `help` can be false: then there is none. Only `ai_policy` is left out unless it is given: as a
    text, or as true for the default.
    """

    ALWAYS_STORED = frozenset(
        [
            "warning",
            "failed_attention",
            "screened_out",
            "declined",
            "full",
            "withdrawn",
            "closed",
            "help",
        ]
    )

    information: Text
    instructions: Text
    thanks: Text
    warning: Text | None = Field(default=None, description="Sensitive content, before entry")
    failed_attention: Text | None = None
    failed_comprehension: Text | None = None
    screened_out: Text | None = None
    declined: Text | None = None
    full: Text | None = None
    withdrawn: Text | None = None
    closed: Text | None = None
    help: Text | Literal[False] | None = None
    ai_policy: Policy = Field(default=None, description="Whether answers may be made with AI tools")


def _one_line(text: str) -> str:
    # U+202A to U+202E and U+2066 to U+2069 turn the text around them.
    turning = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    for character in text:
        is_control = unicodedata.category(character) in ("Cc", "Zl", "Zp")
        if is_control or unicodedata.bidirectional(character) in turning:
            code = f"U+{ord(character):04X}"
            raise ValueError(f"write one line of text, without control characters (here: {code})")
    return text


Line = Annotated[Text, AfterValidator(_one_line)]


class Wording(Part):
    """What pages and judges call prompts and responses. What is missing is neutral."""

    heading: Annotated[Line, StringConstraints(max_length=100)] | None = Field(
        default=None, description="The heading over the prompt"
    )
    prompt: Annotated[Line, StringConstraints(max_length=50)] | None = None
    response: Annotated[Line, StringConstraints(max_length=50)] | None = None
    responses: Annotated[Line, StringConstraints(max_length=50)] | None = None

    @model_validator(mode="after")
    def _both_numbers(self) -> "Wording":
        if (self.response is None) != (self.responses is None):
            given = "responses" if self.response is None else "response"
            raise wrong((given,), "give response and responses together")
        return self


class Consent(Part):
    """The statement next to the checkbox, and the label of the button that declines."""

    statement: Text
    decline: Text | None = None
