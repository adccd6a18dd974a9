"""Text from bytes; other encodings are refused, with what they seem to be."""

from survey.files.problems import DefinitionError, Problem

UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def decode(data: bytes, *, file: str, how: str = "") -> str:
    """Decode UTF-8 (a byte order mark is allowed); name another encoding, the line and column of a
    byte that is not UTF-8, or the line of a NUL, which no database keeps.

    `how` says how to save as UTF-8, where that is known. Raises DefinitionError.
    """
    save_as = f"save it as UTF-8{how and f' ({how})'} and try again"
    if data.startswith(UTF_16) or _every_second_is_zero(data):
        raise DefinitionError([Problem(file, 0, 0, f"the text is in UTF-16; {save_as}")])
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise DefinitionError([Problem(file, line, 0, "there is a NUL character; remove it")])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start]
        line = before.count(b"\n") + 1
        column = len(before) - (before.rfind(b"\n") + 1) + 1
        bad = error.object[error.start]
        message = (
            f"byte 0x{bad:02x} is not UTF-8; the text seems to be in Latin-1 (Windows-1252): "
            f"{save_as}"
        )
        raise DefinitionError([Problem(file, line, column, message)]) from None


def _every_second_is_zero(data: bytes) -> bool:
    """Whether it is UTF-16 without a byte order mark: plain letters have a zero byte each."""
    start = data[:200]
    return len(start) > 3 and any(start[::2]) != any(start[1::2])
