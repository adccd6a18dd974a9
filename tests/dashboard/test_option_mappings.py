"""One model of options, as a form, as arguments of a command and as what a route takes: all three
make the same of it.
"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from django import forms
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from pydantic import Field, field_validator
from rest_framework import serializers

from dashboard.api.option_serializers import OptionsSerializer, SentTextField
from dashboard.shared.option_forms import OptionsForm
from survey.definition.options import OptionsRefused, SentFile, ValueLabels, WhenMissing
from survey.definition.parts import Part
from survey.management.option_arguments import add_options, chosen_options
from tests.survey.test_options import Order, Tea


class TeaForm(OptionsForm[Tea]):
    options = Tea
    shows_help = True


class TeaSerializer(OptionsSerializer):
    options = Tea


class OrderForm(OptionsForm[Order]):
    """An order of the page, which shows what its own field takes."""

    options = Order
    size = forms.ChoiceField(required=False, choices=[("S", "small")], label="How large")
    confirmed = forms.BooleanField(error_messages={"required": "Tick the box."})


class OrderSerializer(OptionsSerializer):
    options = Order
    called = {"price": "price_cents"}
    leaves = SentTextField(file="leaves.csv", required=False)


class Changes(OptionsSerializer):
    options = Tea
    has_defaults = False


def by_page(text: str, **files: bytes) -> Tea:
    sent = [(name, [SimpleUploadedFile(f"{name}.csv", content)]) for name, content in files.items()]
    return TeaForm(QueryDict(text), MultiValueDict(sent)).asked


def by_command(*arguments: str) -> Tea:
    parser = ArgumentParser()
    add_options(parser, Tea, about="tea: ")
    return chosen_options(Tea, vars(parser.parse_args(arguments)))


def by_api(**sent: Any) -> Tea:
    serializer = TeaSerializer(data=sent)
    serializer.is_valid(raise_exception=True)
    chosen: Tea = serializer.chosen
    return chosen


def test_what_is_not_said_has_its_default() -> None:
    tea = Tea(kind="green")
    assert by_page("kind=green&minutes=&sugar=&label=") == tea
    assert by_command("--kind", "green") == tea
    assert by_api(kind="green") == tea
    assert by_api(kind="green", sugar=None) == tea


def test_null_is_a_value_of_what_has_no_default() -> None:
    class Cup(Part):
        saucer: int | None

    class CupSerializer(OptionsSerializer):
        options = Cup
        saucer = serializers.IntegerField(allow_null=True)

    cup = CupSerializer(data={"saucer": None})
    assert cup.is_valid() and cup.chosen == Cup(saucer=None)
    nothing = CupSerializer(data={})
    assert not nothing.is_valid() and list(nothing.errors) == ["saucer"]


def test_every_kind_of_value_arrives(tmp_path: Path) -> None:
    leaves = tmp_path / "leaves.csv"
    leaves.write_bytes(b"a,b\n")
    given: dict[str, Any] = {"minutes": 5, "sugar": 0.5, "label": "ann’s", "with_milk": True}
    tea = Tea(kind="black", sizes=["S", "L"], guests=["ben", "cat"], **given)
    file = SentFile("leaves.csv", b"a,b\n")
    text = "kind=black&minutes=5&sugar=0.5&label=ann’s&with_milk=on&sizes=S&sizes=L"
    assert by_page(f"{text}&guests=ben&guests=cat", leaves=b"a,b\n") == tea.model_copy(
        update={"leaves": file}
    )
    said = "--kind black --minutes 5 --sugar .5 --label ann’s --with-milk --sizes S --sizes L"
    of_command = by_command(*said.split(), "--guests=ben", "--guests=cat", f"--leaves={leaves}")
    assert of_command == tea.model_copy(update={"leaves": SentFile(str(leaves), b"a,b\n")})
    of_api = by_api(
        kind="black", sizes=["S", "L"], guests=["ben", "cat"], leaves=uploaded(), **given
    )
    assert of_api == tea.model_copy(update={"leaves": file})


def uploaded() -> SimpleUploadedFile:
    return SimpleUploadedFile("leaves.csv", b"a,b\n")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("kind", "red"),
        ("minutes", "0"),
        ("minutes", "1.5"),
        ("sugar", "5"),
        ("sugar", "nan"),
        ("label", "x" * 21),
        ("sizes", "M"),
    ],
)
def test_what_the_model_does_not_take_is_refused_by_all(
    option: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sent = {"kind": "black", option: value}
    with pytest.raises(OptionsRefused) as page:
        by_page("&".join(f"{name}={each}" for name, each in sent.items()))
    assert list(page.value.problems) == [option]
    label = TeaForm().fields[option].label
    assert str(page.value).startswith(f"{label}: ")
    serializer = TeaSerializer(data=sent | {"sizes": [value]} if option == "sizes" else sent)
    assert not serializer.is_valid() and list(serializer.errors) == [option]
    with pytest.raises((OptionsRefused, SystemExit)) as command:
        by_command(*(f"--{name}={each}" for name, each in sent.items()))
    assert f"--{option}" in capsys.readouterr().err + str(command.value)


def test_text_in_place_of_a_number_is_no_number(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, said in (
        ("--minutes=1.5", "argument --minutes: '1.5' is no whole number"),
        ("--sugar=much", "argument --sugar: 'much' is no number"),
    ):
        with pytest.raises(SystemExit):
            by_command("--kind=black", arguments)
        assert said in capsys.readouterr().err


def test_option_that_is_given_empty_is_said_without_a_gap() -> None:
    parser = ArgumentParser()
    add_options(parser, Cup)
    with pytest.raises(OptionsRefused) as command:
        chosen_options(Cup, vars(parser.parse_args(["--name", " "])) | {"name": ""})
    assert str(command.value).startswith("--name: ")


def test_true_is_no_number() -> None:
    for option in ("minutes", "sugar"):
        serializer = TeaSerializer(data={"kind": "black", option: True})
        assert not serializer.is_valid() and list(serializer.errors) == [option]


def test_contradiction_of_several_is_said_of_none() -> None:
    said = "Green tea has no milk."
    with pytest.raises(OptionsRefused) as page:
        by_page("kind=green&with_milk=on")
    assert str(page.value) == said
    serializer = TeaSerializer(data={"kind": "green", "with_milk": True})
    assert not serializer.is_valid() and serializer.errors == {"detail": [said]}
    with pytest.raises(OptionsRefused) as command:
        by_command("--kind=green", "--with-milk")
    assert str(command.value) == said


class Cup(Part):
    name: Annotated[str, WhenMissing("Give the cup a name.")] = Field(min_length=1)
    sizes: Annotated[
        tuple[Literal["S", "L"], ...],
        ValueLabels({"S": "Small", "L": "Large"}),
        WhenMissing("Choose a size, or both."),
    ] = Field(default=("S",), strict=False, min_length=1)


def test_option_says_itself_that_it_is_missing() -> None:
    class CupForm(OptionsForm[Cup]):
        options = Cup

    class CupSerializer(OptionsSerializer):
        options = Cup

    with pytest.raises(OptionsRefused) as page:
        _ = CupForm(QueryDict("name=")).asked
    assert page.value.problems == {
        "name": ["Give the cup a name."],
        "sizes": ["Choose a size, or both."],
    }
    serializer = CupSerializer(data={"name": "a", "sizes": []})
    assert not serializer.is_valid()
    assert serializer.errors == {"sizes": ["Choose a size, or both."]}
    assert CupForm(QueryDict("name=a&sizes=L")).asked.sizes == ("L",)


def test_labels_help_and_limits_are_those_of_the_model() -> None:
    form = TeaForm()
    assert [label for _, label in form.fields["kind"].choices] == ["Black", "Green"]  # type: ignore[attr-defined]
    assert (form["sugar"].label, form["minutes"].help_text) == ("Spoons of sugar", "in hot water")
    assert 'accept=".csv"' in str(form["leaves"])
    assert (form.fields["kind"].required, form.fields["minutes"].required) == (True, False)
    assert 'min="1"' in str(form["minutes"]) and 'max="9"' in str(form["minutes"])
    parser = ArgumentParser()
    add_options(parser, Tea, about="tea: ", without=["leaves"])
    said = parser.format_help()
    assert "tea: in hot water" in said and "{black,green}" in said and "--leaves" not in said
    fields: Any = TeaSerializer().fields
    assert (fields["minutes"].min_value, fields["minutes"].max_value) == (1, 9)
    assert (fields["minutes"].default, fields["minutes"].help_text) == (3, "in hot water")
    assert fields["kind"].required and not fields["sugar"].required


def test_page_that_shows_some_options_takes_only_these() -> None:
    class Shown(OptionsForm[Tea]):
        options = Tea
        without = ("label", "leaves")

    assert "label" not in Shown().fields
    assert TeaForm().fields["minutes"].help_text == "in hot water"
    assert not Shown().fields["minutes"].help_text, "its template shows no help"
    assert Shown(QueryDict("kind=black&label=mine")).asked == Tea(kind="black")


def ordered(text: str, **files: bytes) -> Order:
    sent = [(name, [SimpleUploadedFile(f"{name}.csv", content)]) for name, content in files.items()]
    return OrderForm(QueryDict(f"confirmed=on&{text}"), MultiValueDict(sent)).asked


def parsed(*arguments: str, **options: Any) -> dict[str, Any]:
    parser = ArgumentParser()
    add_options(parser, Order, **options)
    return vars(parser.parse_args(arguments))


def test_page_asks_for_money_and_numbers_as_people_write_them() -> None:
    form = OrderForm()
    assert 'value="1.50"' in str(form["price"]) and 'value="2"' in str(form["strength"])
    assert form["size"].label == "How large"
    assert "<textarea" in str(form["note"]) and "<textarea" not in str(form["table"])
    assert 'maxlength="1000"' in str(form["table"])
    assert str(form["price"].label_tag()).endswith(">Price of a cup</label>")
    order = ordered("teas=Assam&price=2.25&cups=2&size=S&milk=oat&extras=honey")
    assert order == Order(teas=["Assam"], price=225, cups=2, size="S", milk="oat", extras=["honey"])


def test_list_of_which_nothing_is_ticked_is_empty_on_the_page_alone() -> None:
    assert ordered("teas=Assam&cups=1").extras == []
    assert chosen_options(Order, parsed("--teas=Assam")).extras == ["lemon"]
    serializer = OrderSerializer(data={"teas": ["Assam"]})
    assert serializer.is_valid() and serializer.chosen.extras == ["lemon"]


def test_empty_file_is_left_to_what_reads_it() -> None:
    assert ordered("teas=Assam&cups=1", leaves=b"").leaves == SentFile("leaves.csv", b"")
    empty = SimpleUploadedFile("leaves.csv", b"")
    assert by_api(kind="black", leaves=empty).leaves == SentFile("leaves.csv", b"")
    serializer = OrderSerializer(data={"teas": ["Assam"], "leaves": "a,b"})
    assert serializer.is_valid() and serializer.chosen.leaves == SentFile("leaves.csv", b"a,b")


def problems(form: forms.Form) -> dict[str, list[str]]:
    assert isinstance(form, OptionsForm)
    with pytest.raises(OptionsRefused) as refused:
        _ = form.asked
    return dict(refused.value.problems)


def test_page_says_each_problem_once_and_where_it_is() -> None:
    wrong = problems(TeaForm(QueryDict("kind=green&with_milk=on&minutes=0")))
    assert [*wrong] == ["minutes"] and len(wrong["minutes"]) == 1, "others follow from it"
    assert problems(TeaForm(QueryDict(""))) == {"kind": ["Kind: This field is required."]}
    wrong = problems(OrderForm(QueryDict("cups=1&extras=lemon&extras=honey&teas=Assam")))
    assert wrong == {"confirmed": ["Tick the box."], "extras": ["Extras: Choose one."]}
    assert problems(OrderForm(QueryDict("confirmed=on&cups=3&teas=Assam"))).keys() == {"cups"}

    class Hidden(OptionsForm[Tea]):
        options = Tea
        without = ("kind",)

    assert problems(Hidden(QueryDict(""))) == {"__all__": ["Field required."]}


def test_arguments_say_what_they_take_and_which_value_is_wrong() -> None:
    parser = ArgumentParser()
    add_options(parser, Order, about="tea: ", called={"teas": "--tea"})
    said = " ".join(parser.format_help().split())
    assert "--tea TEAS" in said and "tea: names of teas; can be repeated" in said
    assert "(default: 150)" in said and "100 % welcome" in said and "{S,L}" in said
    with pytest.raises(OptionsRefused) as refused:
        chosen_options(Order, parsed("--teas=Assam", "--strength=0"))
    assert str(refused.value).startswith("--strength 0.0: It must be more than 0.")
    with pytest.raises(OptionsRefused) as refused:
        chosen_options(Order, parsed("--teas=Assam", "--extras=lemon", "--extras=honey"))
    assert str(refused.value) == "--extras lemon honey: Choose one."
    with pytest.raises(OptionsRefused) as refused:
        chosen_options(Order, parsed("--teas=Assam", f"--table={'x' * 1001}"))
    assert str(refused.value).startswith(f"--table {'x' * 80}…: ")
    assert parsed("--teas=Assam")["price"] == 150
    assert parsed("--teas=Assam", has_defaults=False)["price"] is None


def test_route_calls_options_otherwise_and_takes_what_the_model_takes() -> None:
    serializer = OrderSerializer(
        data={"teas": ["Assam"], "price_cents": 90, "size": "", "table": "", "milk": None}
    )
    assert serializer.is_valid(), serializer.errors
    assert serializer.chosen == Order(teas=["Assam"], price=90)
    fields: Any = serializer.fields
    assert "price" not in fields and fields["teas"].help_text == "names of teas"
    for sent, name in (
        ({"teas": []}, "teas"),
        ({"teas": [""]}, "teas"),
        ({"teas": ["Assam"], "extras": ["lemon", "honey"]}, "extras"),
    ):
        assert [*_errors(sent)] == [name]
    assert TeaSerializer().fields["leaves"].allow_null is False
    assert fields["teas"].min_length == 1, "for the schema"
    changes = Changes(data={"kind": "green"})
    assert changes.is_valid() and changes.validated_data == {"kind": "green"}


def test_route_names_the_field_of_what_the_model_refuses() -> None:
    class Cheap(Order):
        @field_validator("price")
        @classmethod
        def _is_cheap(cls, price: int) -> int:
            if price > 200:
                raise ValueError("a cup is cheaper")
            return price

    class CheapSerializer(OrderSerializer):
        options = Cheap

    serializer = CheapSerializer(data={"teas": ["Assam"], "price_cents": 900})
    assert not serializer.is_valid()
    assert serializer.errors == {"price_cents": ["A cup is cheaper."]}


def _errors(sent: dict[str, Any]) -> dict[str, Any]:
    serializer = OrderSerializer(data=sent)
    assert not serializer.is_valid()
    return dict(serializer.errors)
