"""A model of options, field by field."""

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError, model_validator

from survey.definition import parts
from survey.definition.options import (
    FileEndings,
    InCents,
    SentFile,
    ValueLabels,
    options_of,
    problems_of,
)
from survey.definition.parts import Part


class Tea(Part):
    kind: Annotated[Literal["black", "green"], ValueLabels({"black": "Black", "green": "Green"})]
    minutes: int = Field(default=3, ge=1, le=9, description="in hot water")
    sugar: float | None = Field(default=None, title="Spoons of sugar", ge=0, lt=5)
    label: str = Field(default="", max_length=20)
    with_milk: bool = False
    sizes: list[Literal["S", "L"]] = []
    guests: list[Annotated[str, Field(max_length=40)]] = []
    leaves: Annotated[SentFile | None, FileEndings(".csv")] = None

    @model_validator(mode="after")
    def _no_milk_in_green_tea(self) -> "Tea":
        if self.kind == "green" and self.with_milk:
            raise ValueError("green tea has no milk")
        return self


class Order(Part):
    """What a model can have besides."""

    teas: list[str] = Field(min_length=1, title="Names of teas")
    price: Annotated[int, InCents()] = Field(default=150, title="Price of a cup")
    extras: list[Literal["lemon", "honey"]] = ["lemon"]
    strength: float = Field(default_factory=lambda: 2.0, gt=0)
    size: Literal["", "S", "L"] = ""
    cups: Literal[1, 2] = 1
    milk: Literal["oat", "soy"] | None = None
    table: str = Field(default="", max_length=1000)
    note: str = Field(default="", max_length=1001, description="100 % welcome")
    leaves: SentFile | None = None

    @model_validator(mode="after")
    def _one_extra(self) -> "Order":
        if len(self.extras) > 1:
            raise parts.wrong(("extras",), "choose one.")
        return self


def test_each_field_is_read_with_what_pages_commands_and_api_say_of_it() -> None:
    kind, minutes, sugar, label, milk, sizes, guests, leaves = options_of(Tea)
    assert (kind.values, kind.is_required) == ({"black": "Black", "green": "Green"}, True)
    assert (minutes.kind, minutes.least, minutes.most, minutes.default) == (int, 1, 9, 3)
    assert (minutes.label, minutes.help, minutes.is_required) == ("Minutes", "in hot water", False)
    assert (sugar.label, sugar.kind, sugar.least, sugar.most) == ("Spoons of sugar", float, 0, 5)
    assert (label.kind, label.longest, label.default) == (str, 20, "")
    assert (milk.label, milk.kind, milk.many) == ("With milk", bool, False)
    assert (sizes.values, sizes.many) == ({"S": "S", "L": "L"}, True)
    assert (guests.kind, guests.values, guests.many) == (str, None, True)
    assert (leaves.kind, leaves.default, leaves.endings) == (SentFile, None, ".csv")


def test_lists_money_and_computed_defaults_are_read_too() -> None:
    teas, price, extras, strength, size, cups, milk, table, note, _ = options_of(Order)
    assert (teas.kind, teas.many, teas.fewest, teas.is_required) == (str, True, 1, True)
    assert (teas.help, teas.meaning) == ("", "names of teas")
    assert (price.is_money, cups.is_money, price.default) == (True, False, 150)
    assert (extras.many, extras.values) == (True, {"lemon": "lemon", "honey": "honey"})
    assert (strength.least, strength.default) == (0, 2.0)
    assert (list(size.values or ()), list(cups.values or ())) == (["", "S", "L"], [1, 2])
    assert (milk.values, milk.is_required) == ({"oat": "oat", "soy": "soy"}, False)
    assert (table.meaning, note.meaning, note.longest) == ("", "100 % welcome", 1001)


def test_tuple_is_a_list_too() -> None:
    class Blend(BaseModel):
        teas: tuple[str, ...] = ()

    (teas,) = options_of(Blend)
    assert (teas.kind, teas.many) == (str, True)


def test_problems_are_said_by_option_and_those_of_several_by_none() -> None:
    with pytest.raises(ValidationError) as wrong:
        Tea.model_validate({"kind": "red", "minutes": 0})
    assert problems_of(wrong.value, Tea) == {
        "kind": ["It must be 'black' or 'green'."],
        "minutes": ["It must be from 1 to 9."],
    }
    with pytest.raises(ValidationError) as wrong:
        Tea(kind="green", with_milk=True)
    assert problems_of(wrong.value, Tea) == {"": ["Green tea has no milk."]}
    with pytest.raises(ValidationError) as wrong:
        Order(teas=["Assam"], extras=["lemon", "honey"])
    assert problems_of(wrong.value, Order) == {"extras": ["Choose one."]}


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("minutes", 10, "It must be from 1 to 9."),
        ("sugar", 5.0, "It must be at least 0 and less than 5."),
        ("sugar", float("nan"), "It must be a finite number."),
        ("label", "x" * 21, "It may have at most 20 characters."),
    ],
)
def test_limits_are_said_in_plain_words(option: str, value: object, said: str) -> None:
    with pytest.raises(ValidationError) as wrong:
        Tea.model_validate({"kind": "black", option: value})
    assert problems_of(wrong.value, Tea) == {option: [said]}


def test_file_is_called_by_its_own_name() -> None:
    assert SentFile("/home/ann/leaves.csv", b"").short_name == "leaves.csv"
