"""Random names and seeds."""

import secrets


def new_public_id() -> str:
    """An opaque name for something a participant's browser may see (48 random bits)."""
    return secrets.token_hex(6)


def new_pseudonym() -> str:
    """What a participant is called in exports; random, so it can't be guessed from an id."""
    return "p" + secrets.token_hex(6)


def new_secret() -> str:
    """What a participant's cookie holds."""
    return secrets.token_urlsafe(24)


def new_order_seed() -> int:
    """Seed of a participant's random orders, or of a study's balanced ones."""
    return secrets.randbits(62)
