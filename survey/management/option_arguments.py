"""Arguments of a command made of a model of options (`survey.definition.options`)."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from survey.definition.options import Option, OptionsRefused, SentFile, options_of, problems_of
from survey.files.problems import read_bytes

Chosen = TypeVar("Chosen", bound=BaseModel)


def add_options(
    parser: ArgumentParser,
    model: type[BaseModel],
    *,
    about: str = "",
    called: Mapping[str, str] = MappingProxyType({}),
    without: Collection[str] = (),
    has_defaults: bool = True,
) -> None:
    """Add an argument for each option but those that the command adds itself (`without`). `about`
    is said before the help of each; `called` has those whose argument has another name. Without
    `has_defaults`, what is not said is left to the command.
    """
    for option in options_of(model):
        if option.name not in without:
            shown = option if has_defaults else replace(option, default=None)
            flag = _flag(option.name, called)
            parser.add_argument(flag, dest=option.name, **_argument(shown, about))


def _flag(name: str, called: Mapping[str, str]) -> str:
    return called.get(name) or f"--{name.replace('_', '-')}"


def _argument(option: Option, about: str) -> dict[str, Any]:
    more = "; can be repeated" if option.many else ""
    if option.default not in (None, "", False, [], ()):
        more += f" (default: {_said(option.default)})"
    said: dict[str, Any] = {"help": f"{about}{option.meaning}{more}".replace("%", "%%")}
    if option.kind is bool:
        return said | {"action": "store_true", "default": option.default}
    said |= {"required": option.is_required, "default": option.default}
    if option.many:
        said |= {"action": "append", "default": None}
    if option.values is not None:
        return said | {"choices": [value for value in option.values if value != ""]}
    if option.kind is SentFile:
        return said | {"type": Path, "metavar": "FILE"}
    return said | {"type": _NUMBERS.get(option.kind, option.kind)}


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no whole number") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no number") from None


_NUMBERS: Mapping[type, Any] = {int: _whole_number, float: _number}


def chosen_options(
    model: type[Chosen],
    given: Mapping[str, Any],
    *,
    called: Mapping[str, str] = MappingProxyType({}),
) -> Chosen:
    """What a command line says; `called` as `add_options` has it. Raises OptionsRefused, and
    DefinitionError for a file that can't be read.
    """
    values = {
        name: SentFile(str(value), read_bytes(value)) if isinstance(value, Path) else value
        for name, value in given.items()
        if name in model.model_fields and value is not None
    }
    try:
        return model.model_validate(values)
    except ValidationError as wrong:
        said = [
            f"{f'{_flag(name, called)} {_said(given[name])}'.strip()}: {problem}"
            if name
            else problem
            for name, problems in problems_of(wrong, model).items()
            for problem in problems
        ]
        raise OptionsRefused({"": said}) from None


def _said(value: object) -> str:
    text = " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return f"{text[:80]}…" if len(text) > 80 else text
