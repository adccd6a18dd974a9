"""What all routes of the API have in common."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.views import APIView


class Route(APIView):
    """Refuses parameters that its schema does not describe: a filter with a slip in its name would
    choose every row.
    """

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raises ValidationError."""
        super().initial(request, *args, **kwargs)
        known = _parameters_of(self, str(request.method)) if request.query_params else None
        if known is None:
            return
        for name in request.query_params:
            if name not in known:
                there = f"there are {', '.join(sorted(known))}" if known else "it has none"
                said = f"This route has no parameter {name[:80]!r}; {there}."
                raise ValidationError({name[:80]: [said]})


def _parameters_of(view: Route, method: str) -> set[str] | None:
    """The names that the schema has for a method of a route; None if it takes any."""
    method = "GET" if method == "HEAD" else method
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
        parameters = pages().get_schema_operation_parameters(view)
        names.update(each["name"] for each in parameters)
    return names
