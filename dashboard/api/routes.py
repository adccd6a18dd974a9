"""What all routes of the API have in common."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ParseError, ValidationError
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer, ListSerializer, Serializer
from rest_framework.views import APIView

from dashboard.api.pagination import Keyset
from dashboard.shared.roles import Needs

Form = BaseSerializer[Any]
Path = tuple[str, ...]
BODIES = ("POST", "PUT", "PATCH", "DELETE")
#: Of a name that is repeated to the caller.
SHOWN = 80


class Route(APIView):
    """Refuses parameters and fields that its schema does not describe: a filter with a slip in its
    name would choose every row, and what a misspelt field was to change would be left as it is.
    """

    #: Which permissions it needs; nobody may ask a route that does not say it.
    needs: ClassVar[Needs | None] = None
    #: Fields of the API by those of the forms that refusals are about.
    renamed: ClassVar[Mapping[str, str]] = {}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raises ValidationError by name."""
        super().initial(request, *args, **kwargs)
        method = str(request.method)
        if not hasattr(self, method.lower()):
            return  # the answer is 405
        known = _parameters_of(self, method)
        if known is not None:
            for name in request.query_params:
                if name not in known:
                    there = f"there are {', '.join(sorted(known))}" if known else "it has none"
                    said = f"This route has no parameter {name[:SHOWN]!r}; {there}."
                    raise ValidationError({name[:SHOWN]: [said]})
        if method in BODIES:
            _refuse_what_is_no_text(request.data)
            _refuse_unknown_fields(request.data, _form_of(self, method), known or set())


class ListRoute(Route):
    """A list that can grow: it is sent in pages (`pagination.in_pages`)."""

    pagination_class = Keyset


def _schema_of(view: Route, method: str) -> AutoSchema:
    described = getattr(getattr(view, method.lower(), None), "kwargs", {}).get("schema", AutoSchema)
    schema: AutoSchema = described()
    schema.view, schema.method = view, method
    return schema


def _parameters_of(view: Route, method: str) -> set[str] | None:
    """The names that the schema has for a method of a route; None if it takes any."""
    method = "GET" if method == "HEAD" else method
    names: set[str] = set()
    described: list[Any] = _schema_of(view, method).get_override_parameters()
    for each in described:
        if not isinstance(each, OpenApiParameter):  # a serializer, with a field for each
            names.update(each().fields)
        elif each.location != OpenApiParameter.QUERY:
            continue
        elif isinstance(each.type, dict):  # any names
            return None
        else:
            names.add(each.name)
    pages = getattr(view, "pagination_class", None)
    if pages is not None and method == "GET":
        parameters = pages().get_schema_operation_parameters(view)
        names.update(each["name"] for each in parameters)
    return names


def _form_of(view: Route, method: str) -> Form | None:
    """What the schema says that a method takes; None for no body."""
    if method == "DELETE":
        return None
    described: Any = _schema_of(view, method).get_request_serializer()
    if isinstance(described, dict):  # by content type
        [described] = described.values()
    form: Form | None = described() if isinstance(described, type) else described
    return form


def _refuse_what_is_no_text(data: Any) -> None:
    """Refuse halves of characters (`\\ud800`): no answer can repeat them. Raises ParseError."""
    try:
        json.dumps(data, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        raise ParseError("The JSON has a lone surrogate, which is half a character.") from None


def _refuse_unknown_fields(data: Any, form: Form | None, parameters: set[str]) -> None:
    """Raises ValidationError by field, for the first that the form does not have."""
    if form is None and not isinstance(data, Mapping):
        raise ValidationError({"detail": ["This route takes no body."]})
    for path, known in _unknown(data, form, ()):
        name = path[-1]
        if name in parameters and len(path) == 1:
            where = f"it belongs in the address: ?{name}=…"
        elif known:
            where = f"there {'is' if len(known) == 1 else 'are'} {', '.join(known)}"
        else:
            where = "this route takes no body"
        said = f"There is no field {'.'.join(path)[:SHOWN]!r} here; {where}."
        raise ValidationError({path[0][:SHOWN]: [said]})


def _unknown(data: Any, form: Any, above: Path) -> Iterator[tuple[Path, list[str]]]:
    """The path of each field that a form does not have, with the names that there are in its place.

    What is no object or no list where one is needed, the form itself refuses.
    """
    if isinstance(form, ListSerializer) and isinstance(data, list):
        for number, item in enumerate(data):
            yield from _unknown(item, form.child, (*above, str(number)))
    if not isinstance(data, Mapping) or not (form is None or isinstance(form, Serializer)):
        return
    fields = {} if form is None else dict(form.fields)
    known = [name for name, field in fields.items() if not field.read_only]
    for name in data:
        if name not in known:
            yield (*above, str(name)), known
        elif isinstance(fields[name], BaseSerializer):
            yield from _unknown(data[name], fields[name], (*above, str(name)))
