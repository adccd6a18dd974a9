"""Pages of lists, with links to the next and the previous one."""

from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param
from rest_framework.views import APIView

from dashboard.api.ratings import Place, Ratings


class Pagination(LimitOffsetPagination):
    """Pages by `limit` and `offset`."""

    max_limit = 10_000


class RatingsPagination(Pagination):
    """Pages of ratings that go on `after` a rating, or end `before` one; the links know which.

    A number of ratings to skip (`offset`) is still understood; the links of such a page go on after
    its last rating. Pages name whose ratings they are and who made the gold scores.
    """

    def page_of(self, ratings: Ratings, request: Request, **named: Any) -> list[Any]:
        """One page of `ratings`; `named` is part of the answer."""
        self.request, self.named = request, named
        self.url = request.build_absolute_uri()
        limit = self.get_limit(request)
        assert limit is not None
        after, before = (_place(request, name) for name in ("after", "before"))
        if after and before:
            raise ValidationError({"before": ["Give after or before, not both."]})
        self.count = ratings.count()
        skipped = 0
        if before is not None:
            page = ratings.before(before, limit + 1)
            is_first, page = len(page) <= limit, page[-limit:]
            is_last = False
        else:
            skipped = 0 if after else min(self.get_offset(request), self.count)
            page = (
                ratings.skipping(skipped, limit + 1) if skipped else ratings.after(after, limit + 1)
            )
            is_first, is_last = after is None and not skipped, len(page) <= limit
            page = page[:limit]
        self.following = self._link("after", page[-1]) if page and not is_last else None
        self.preceding = self._link("before", page[0]) if page and not is_first else None
        return page

    def _link(self, name: str, rating: Any) -> str:
        """This address with another place."""
        url = self.url
        for other in ("after", "before", self.offset_query_param):
            url = remove_query_param(url, other)
        return str(replace_query_param(url, name, str(Place.of(rating))))

    def get_next_link(self) -> str | None:
        return self.following

    def get_previous_link(self) -> str | None:
        return self.preceding

    def get_paginated_response(self, data: Any) -> Response:
        response = super().get_paginated_response(data)
        response.data = self.named | response.data
        return response

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        described = super().get_paginated_response_schema(schema)
        url = "http://api.example.org/accounts/?limit=100&{}=12.345.6789"
        for link, name in (("next", "after"), ("previous", "before")):
            described["properties"][link]["example"] = url.format(name)
        described["properties"] |= {
            "sources": {"type": "array", "items": {"type": "string"}},
            "gold": {"type": "string", "description": "Where the gold scores come from"},
        }
        return described

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        places = {
            "after": "Ratings after this one: part of the link `next`",
            "before": "Ratings before this one: part of the link `previous`",
        }
        return [
            *super().get_schema_operation_parameters(view),
            *(
                {
                    "name": name,
                    "required": False,
                    "in": "query",
                    "description": about,
                    "schema": {"type": "string"},
                }
                for name, about in places.items()
            ),
        ]


def _place(request: Request, name: str) -> Place | None:
    text = request.query_params.get(name)
    if text is None:
        return None
    try:
        return Place.read(text)
    except (TypeError, ValueError):
        said = f"{text[:80]!r} is no place in the list: take it from the links next and previous."
        raise ValidationError({name: [said]}) from None
