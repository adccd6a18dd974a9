"""Links that the local Prolific signs, and forgeries of them on request.

The token is that of Prolific's API description (`is_external_study_url_secure`).
"""

import secrets
import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from jwt.algorithms import RSAAlgorithm

ISSUER = "https://www.prolific.com"
SECONDS = 120
#: What may be wrong with a link on request.
FORGERIES = (
    *("unsigned", "expired", "wrong_key", "unknown_key", "alg_none", "hmac"),
    *("swapped_ids", "other_study", "other_issuer"),
)


def _new_key() -> RSAPrivateKey:
    return generate_private_key(public_exponent=65537, key_size=2048)


@dataclass
class Signer:
    """A key of RSA, made when it is needed."""

    key_id: str = field(default_factory=lambda: secrets.token_hex(8))

    @cached_property
    def key(self) -> RSAPrivateKey:
        return _new_key()

    def rotate(self) -> None:
        """From now on sign with another key."""
        self.key_id, self.key = secrets.token_hex(8), _new_key()

    def keys(self) -> dict[str, Any]:
        """The public key, as `/.well-known/study/jwks.json` has it."""
        public = RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return {"keys": [{**public, "kid": self.key_id, "use": "sig", "alg": "RS256"}]}

    def token(self, address: str, ids: dict[str, str], *, session: str, forge: str = "") -> str:
        """The token of a link to `address` with `ids` by their names in it, or a forged one.

        Raises ValueError for an unknown forgery.
        """
        if forge and forge not in FORGERIES:
            raise ValueError(f"no such forgery: {forge}")
        if forge == "unsigned":
            return ""
        if forge == "swapped_ids":
            ids = {name: secrets.token_hex(12) for name in ids}
        now = int(time.time()) - (2 * SECONDS if forge == "expired" else 0)
        claims = {
            "iss": "https://www.prolific.example" if forge == "other_issuer" else ISSUER,
            "iat": now,
            "exp": now + SECONDS,
            "aud": "https://another.example/s/study/" if forge == "other_study" else address,
            "sub": session,
            "prolific": {**ids, "workspace_id": "local"},
        }
        named = {"kid": secrets.token_hex(8) if forge == "unknown_key" else self.key_id}
        if forge == "alg_none":
            return jwt.encode(claims, "", algorithm="none", headers=named)
        if forge == "hmac":
            return jwt.encode(claims, "a secret of at least 32 characters", "HS256", headers=named)
        key = _new_key() if forge in ("wrong_key", "unknown_key") else self.key
        return jwt.encode(claims, key, algorithm="RS256", headers=named)
