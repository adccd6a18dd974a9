"""Random names and seeds."""

import secrets


def new_public_id() -> str:
    """An opaque name for something that a participant's browser can see (48 random bits)."""
    return secrets.token_hex(6)


def new_pseudonym() -> str:
    """A participant's name in exports; random, so it can't be guessed from an id."""
    return "p" + secrets.token_hex(6)


def new_secret() -> str:
    """The secret in a participant's cookie."""
    return secrets.token_urlsafe(24)


def new_order_seed() -> int:
    """Seed of a participant's random orders, or of a study's balanced ones."""
    return secrets.randbits(62)
