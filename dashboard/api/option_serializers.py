"""What a route takes, made of a model of options (`survey.definition.options`)."""

from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from pydantic import BaseModel, ValidationError
from rest_framework import serializers
from rest_framework.fields import empty

from survey.definition.options import Option, SentFile, options_of, problems_of


class SentNumberField(serializers.FloatField):
    """A number; true and false are none."""

    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool):
            self.fail("invalid")
        return super().to_internal_value(data)


NUMBERS: dict[type, Any] = {int: serializers.IntegerField, float: SentNumberField}


@extend_schema_field(OpenApiTypes.BINARY)
class SentFileInRequest(serializers.FileField):
    """A file; one that is empty is refused by what reads it, which names it."""

    def to_internal_value(self, data: Any) -> Any:
        file = super().to_internal_value(data)
        return SentFile(file.name or "", file.read())


class SentTextField(serializers.CharField):
    """The text of a file, which problems are told of as `file`."""

    def __init__(self, *, file: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.file = file

    def run_validation(self, data: Any = empty) -> Any:
        return SentFile(self.file, super().run_validation(data).encode())


class OptionsSerializer(serializers.Serializer[Any]):
    """The fields of `options`, which checks what is sent, beside those of the route, which may
    stand for an option.
    """

    options: ClassVar[type[BaseModel]]
    #: Whether what is absent has its default; else the route decides what it is.
    has_defaults: ClassVar[bool] = True
    #: The names of fields that are not called as their options.
    called: ClassVar[Mapping[str, str]] = {}
    chosen: Any

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        for option in options_of(self.options):
            name = self.called.get(option.name, option.name)
            if name not in fields:
                fields[name] = request_field(option, has_default=self.has_defaults)
        return fields

    def validate(self, attrs: Any) -> Any:
        """`chosen` is what they make."""
        given = {}
        for name, field in self.options.model_fields.items():
            value = attrs.get(called := self.called.get(name, name))
            if value is not None or (field.is_required() and called in attrs):
                given[name] = value
        try:
            self.chosen = self.options.model_validate(given)
        except ValidationError as wrong:
            problems = {
                self.called.get(name, name) or "detail": said
                for name, said in problems_of(wrong, self.options).items()
            }
            raise serializers.ValidationError(problems) from None
        return attrs


def request_field(option: Option, *, has_default: bool = True) -> Any:
    """What takes an option. The schema has its help, limits and default."""
    shared: dict[str, Any] = {"help_text": option.meaning or None}
    if option.is_required:
        shared["required"] = True
    elif not has_default:
        shared["required"] = False
    elif option.default is None:
        shared |= {"required": False, "allow_null": option.kind is not SentFile}
    else:
        shared["default"] = option.default
    if option.kind is SentFile:
        return SentFileInRequest(max_length=200, allow_empty_file=True, **shared)
    own = {} if option.many else shared
    if option.values is not None:
        labels = [(value, label) for value, label in option.values.items() if value != ""]
        blank = len(labels) < len(option.values)
        one: Any = serializers.ChoiceField(choices=labels, allow_blank=blank, **own)
    elif option.kind is bool:
        one = serializers.BooleanField(**own)
    elif option.kind is str:
        blank = not option.is_required and not option.many
        one = serializers.CharField(max_length=option.longest, allow_blank=blank, **own)
    else:
        one = NUMBERS[option.kind](min_value=option.least, max_value=option.most, **own)
    if not option.many:
        return one
    if option.when_missing:
        shared["error_messages"] = {"min_length": option.when_missing}
    return serializers.ListField(child=one, min_length=option.fewest or None, **shared)
