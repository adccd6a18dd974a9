"""The API's schema: what is said of all routes at once."""

from typing import Any

from drf_spectacular.openapi import AutoSchema

Json = dict[str, Any]


class RouteSchema(AutoSchema):
    """Routes are listed by subject: the module that has them."""

    def get_tags(self) -> list[str]:
        module = type(self.view).__module__.rpartition(".")[2]
        return [module.replace("_", " ").capitalize()]


WHY: Json = {
    "type": "object",
    "description": "Why the request was refused",
    "properties": {"detail": {"type": "string"}},
    "required": ["detail"],
}
PROBLEMS: Json = {
    "type": "object",
    "description": "What is wrong, by the name of the field or parameter; `detail` and "
    "`non_field_errors` are about the request as a whole",
    "additionalProperties": {
        "anyOf": [
            {"type": "string"},
            {"type": "array", "items": {}},
            {"type": "object", "additionalProperties": {}},
        ]
    },
}
RETRY_AFTER: Json = {
    "Retry-After": {"description": "seconds to wait", "schema": {"type": "integer"}}
}


def describe_refusals(result: Json, **context: object) -> Json:
    """The schema with what every route may answer instead of what was asked for.

    A hook of drf-spectacular: `result` is the OpenAPI document. What a view says of a status itself
    stays.
    """
    result["components"]["schemas"] |= {"Refusal": WHY, "Problems": PROBLEMS}
    for route in result["paths"].values():
        for method, operation in route.items():
            answers = _refusals(method, operation) | operation["responses"]
            operation["responses"] = dict(sorted(answers.items()))
    return result


def close_bodies(result: Json, **context: object) -> Json:
    """The schema, which now says that requests have no fields but those it names: routes refuse
    others.

    A hook of drf-spectacular, as `describe_refusals`.
    """
    components = result["components"]["schemas"]
    for route in result["paths"].values():
        for operation in route.values():
            for sent in operation.get("requestBody", {}).get("content", {}).values():
                name = sent["schema"]["$ref"].rpartition("/")[2]
                components[name]["additionalProperties"] = False
    return result


def _refusals(method: str, operation: Json) -> Json:
    """By status."""
    places = {parameter["in"] for parameter in operation.get("parameters", ())}
    refusals = {
        "401": _answer("Refusal", "no token and no session, or one that has ended"),
        "403": _answer("Refusal", "more than the role, the token or the session may do"),
        "429": {
            **_answer("Refusal", "too many requests: wait, then ask again"),
            "headers": RETRY_AFTER,
        },
    }
    if "query" in places or method != "get":
        refusals["400"] = _answer("Problems", "not understood, or not possible: nothing changed")
    if "path" in places:
        refusals["404"] = _answer("Refusal", "not there, or in a study without a role for you")
    if method != "get":
        refusals["415"] = _answer("Refusal", "a body of another content type")
    return refusals


def _answer(component: str, about: str) -> Json:
    schema = {"$ref": f"#/components/schemas/{component}"}
    return {"description": about, "content": {"application/json": {"schema": schema}}}
