"""Refusing parameters that a route does not have."""

from typing import TYPE_CHECKING

from rest_framework.exceptions import ValidationError
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

if TYPE_CHECKING:  # the framework's views load this
    from rest_framework.views import APIView


class KnownParameters(BasePermission):
    """Admits requests whose parameters the schema describes: a filter with a slip in its name would
    choose every row.
    """

    def has_permission(self, request: Request, view: "APIView") -> bool:
        """Raises ValidationError."""
        known = _known(view, request) if request.query_params else None
        if known is None:
            return True
        for name in request.query_params:
            if name not in known:
                there = f"there are {', '.join(sorted(known))}" if known else "it has none"
                said = f"This route has no parameter {name[:80]!r}; {there}."
                raise ValidationError({name[:80]: [said]})
        return True


def _known(view: "APIView", request: Request) -> set[str] | None:
    """The names that the schema has for a request; None if it takes any."""
    from drf_spectacular.openapi import AutoSchema
    from drf_spectacular.utils import OpenApiParameter

    method = "GET" if request.method == "HEAD" else str(request.method)
    described = getattr(getattr(view, method.lower(), None), "kwargs", {}).get("schema", AutoSchema)
    schema = described()
    schema.view, schema.method = view, method
    names: set[str] = set()
    for each in schema.get_override_parameters():
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
        names.update(each["name"] for each in pages().get_schema_operation_parameters(view))
    return names
