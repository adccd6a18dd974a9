"""Attention checks: items that say which answer to choose."""

from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, field_validator, model_validator

from survey.definition.parts import Name, Part, Text, refuse_repeats
from survey.definition.points import AsItIs, point_value


def _answer(value: Any) -> float | str:
    if isinstance(value, str):
        if not value.strip():
            raise ValueError("is empty")
        return value.strip()
    try:
        return point_value(value)
    except ValueError:
        raise ValueError("must be a point of the scale or one of the options") from None


class AttentionItem(Part):
    """An instructed item, on a page of its own (`item`) or as one more entry of a block
    (`in_block`), placed at random in a range of blocks.

    `answer` is a point of the study's scale, or one of the item's own `options`.
    """

    name: Name
    kind: Literal["item", "in_block"] = "item"
    statement: Text
    options: list[Text] | None = Field(default=None, min_length=2, max_length=11)
    answer: Annotated[float | Text, PlainValidator(_answer), AsItIs]
    after_blocks: tuple[int, int] | None = None
    in_blocks: tuple[int, int] | None = None

    @property
    def range(self) -> tuple[int, int]:
        """Least and most: blocks before an item on its own page, or the number of its block."""
        chosen = self.in_blocks if self.kind == "in_block" else self.after_blocks
        assert chosen is not None
        return chosen

    @property
    def right_answer(self) -> float:
        """The value that passes; the item's own options are numbered from 1."""
        if self.options is not None:
            return self.options.index(str(self.answer)) + 1
        assert not isinstance(self.answer, str)  # the study's schema checks this
        return self.answer

    @field_validator("after_blocks", "in_blocks", mode="before")
    @classmethod
    def _pair(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value

    @field_validator("after_blocks", "in_blocks")
    @classmethod
    def _rising(cls, value: tuple[int, int] | None) -> tuple[int, int] | None:
        if value is not None and not 1 <= value[0] <= value[1]:
            raise ValueError("give two numbers of blocks, at least 1 and the smaller first")
        return value

    @model_validator(mode="after")
    def _fits_its_kind(self) -> "AttentionItem":
        wanted, other = ("after_blocks", "in_blocks")
        if self.kind == "in_block":
            wanted, other = other, wanted
        if getattr(self, wanted) is None:
            raise ValueError(f"{wanted} is missing")
        if getattr(self, other) is not None:
            raise ValueError(f"{other} is not allowed for an attention check of kind {self.kind}")
        if self.options is None:
            return self
        if self.kind == "in_block":
            raise ValueError("a check inside a block can't have options: it uses the block's scale")
        refuse_repeats("option", self.options)
        if self.answer not in self.options:
            raise ValueError(f"answer {self.answer!r} is not among the options")
        return self
