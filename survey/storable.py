"""Text from an endpoint, as it is stored. Pure."""

#: The stored length of an answer or an error's body, so large ones do not fill the database.
STORED_CHARACTERS = 10_000
#: Replaces the part that is not stored. The end is kept, because the answer comes last.
LEFT_OUT = "\n[…]\n"


def whole(text: str) -> str:
    """`text` as every database accepts it: no NUL, no lone surrogates."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()


def storable(text: str) -> str:
    """`whole` text of limited length."""
    if len(text) > STORED_CHARACTERS:
        half = STORED_CHARACTERS // 2
        text = text[:half] + LEFT_OUT + text[-half:]
    return whole(text)
