"""Links that Prolific signs: the JWT `prolific_token`. Pure.

Source: Prolific's OpenAPI description, `is_external_study_url_secure` and
`/.well-known/study/jwks.json`.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

import jwt
import requests

PARAMETER = "prolific_token"
ISSUER = "https://www.prolific.com"
ALGORITHM = "RS256"
#: Between Prolific's clock and ours.
LEEWAY_SECONDS = 10
#: A person waits for it.
KEY_SERVER_SECONDS = (2.0, 4.0)
LARGEST_KEYS = 100_000


class Fault(StrEnum):
    """What is wrong with a link."""

    UNSIGNED = "unsigned"
    #: Prolific signed it, for other ids or another address.
    OTHER_LINK = "other_link"
    EXPIRED = "expired"


class LinkFault(Exception):
    """A link that Prolific did not sign for these ids, or too long ago."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(fault)


class KeyServerError(Exception):
    """The keys could not be read."""


def key_server(api: str) -> str:
    """The address of the keys that belong to an address of the API."""
    parts = urlsplit(api)
    return f"{parts.scheme}://{parts.netloc}/.well-known/study/jwks.json"


def fetch_keys(address: str) -> dict[str, Any]:
    """The keys as Prolific gives them (JWKS). Raises KeyServerError."""
    session = requests.Session()
    session.trust_env = False
    try:
        with (
            session,
            session.get(address, timeout=KEY_SERVER_SECONDS, allow_redirects=False) as answer,
        ):
            answer.raise_for_status()
            if answer.status_code != requests.codes.ok or len(answer.content) > LARGEST_KEYS:
                raise KeyServerError(f"HTTP {answer.status_code}")
            keys: Any = answer.json()
        jwt.PyJWKSet.from_dict(keys)
    except (requests.RequestException, jwt.PyJWTError, ValueError, AttributeError, TypeError) as e:
        raise KeyServerError(type(e).__name__) from None
    return dict(keys)


def key_id(token: str) -> str:
    """The id of the key that signed a token. Raises LinkFault."""
    try:
        named = jwt.get_unverified_header(token).get("kid")
    except jwt.PyJWTError:
        named = None
    if not isinstance(named, str):
        raise LinkFault(Fault.UNSIGNED)
    return named


def key_of(keys: Mapping[str, Any], named: str) -> Any:
    """The key with this id; None if there is none."""
    try:
        return jwt.PyJWKSet.from_dict(dict(keys))[named].key
    except (jwt.PyJWTError, KeyError):
        return None


def verify(token: str, key: Any, *, address: str, ids: Mapping[str, str], session: str) -> None:
    """Check that Prolific signed a link to `address` with these ids, by the names in the link.

    `key` is None if Prolific has no such key; `session` is the id of the submission. Raises
    LinkFault.
    """
    if key is None:
        raise LinkFault(Fault.UNSIGNED)
    try:
        claims = jwt.decode(
            token,
            key,
            algorithms=[ALGORITHM],
            issuer=ISSUER,
            leeway=LEEWAY_SECONDS,
            options={"require": ["exp", "iss", "aud", "sub"], "verify_aud": False},
        )
    except jwt.ExpiredSignatureError:
        raise LinkFault(Fault.EXPIRED) from None
    except jwt.PyJWTError:
        raise LinkFault(Fault.UNSIGNED) from None
    signed = claims.get("prolific")
    if (
        not isinstance(signed, dict)
        or claims["sub"] != session
        or any(signed.get(name) != value for name, value in ids.items())
        or not _leads_to(claims["aud"], address)
    ):
        raise LinkFault(Fault.OTHER_LINK)


def _leads_to(audience: object, address: str) -> bool:
    """Whether the audience is the study's address or its site; queries make no difference."""
    ours = urlsplit(address)
    for one in audience if isinstance(audience, list) else [audience]:
        try:
            theirs = urlsplit(str(one))
        except ValueError:
            continue
        is_site = (theirs.scheme, theirs.netloc.lower()) == (ours.scheme, ours.netloc.lower())
        if is_site and theirs.path.rstrip("/") in ("", ours.path.rstrip("/")):
            return True
    return False
