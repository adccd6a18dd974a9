"""Encryption of the accounts' Prolific tokens (Fernet: AES-128 and HMAC-SHA256). Pure.

A Prolific token never expires and may do everything, so a copy of the database alone must not
give it away.
"""

import base64

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


class TokenLost(Exception):
    """A token that was encrypted with another key."""


def encrypted(token: str, *, key: str) -> str:
    """The token as the database stores it; `key` is any secret text."""
    return _fernet(key).encrypt(token.encode()).decode()


def decrypted(stored: str, *, key: str) -> str:
    """The token of a stored text. Raises TokenLost if another key encrypted it."""
    try:
        return _fernet(key).decrypt(stored.encode()).decode()
    except InvalidToken:
        raise TokenLost from None


def _fernet(key: str) -> Fernet:
    """Of a key that this purpose alone has, even if the secret text serves others, too."""
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"fivefold: Prolific tokens")
    return Fernet(base64.urlsafe_b64encode(derived.derive(key.encode())))
