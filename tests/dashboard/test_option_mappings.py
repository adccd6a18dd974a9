"""One model of options, as a form, as arguments of a command and as what a route takes: all three
make the same of it.
"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from pydantic import Field

from dashboard.api.option_serializers import OptionsSerializer
from dashboard.shared.option_forms import OptionsForm
from survey.definition.options import OptionsRefused, SentFile, ValueLabels, WhenMissing
from survey.definition.parts import Part
from survey.management.option_arguments import add_options, chosen_options
from tests.survey.test_options import Tea


class TeaForm(OptionsForm[Tea]):
    options = Tea
    shows_help = True


class TeaSerializer(OptionsSerializer):
    options = Tea


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
        without = ("minutes", "leaves")

    assert "minutes" not in Shown().fields
    assert not any(field.help_text for field in Shown()), "its template shows no help"
    assert Shown(QueryDict("kind=black&minutes=9")).asked == Tea(kind="black")
