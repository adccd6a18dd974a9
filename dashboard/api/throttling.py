"""How many requests the API answers."""

import hashlib

from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle


class RequestsOfToken(SimpleRateThrottle):
    """So many requests a minute for each token, or for each researcher in a browser. What is more
    gets 429, with the seconds to wait in `Retry-After`.
    """

    scope = "api"

    def get_cache_key(self, request: Request, view: object) -> str:
        """Names the token by its hash: keys of the cache may be seen in its files."""
        token = getattr(request.auth, "pk", None)
        who = f"user {request.user.pk}" if token is None else f"token {token}"
        return f"api {hashlib.sha256(who.encode()).hexdigest()}".replace(" ", "-")
