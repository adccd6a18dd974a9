"""Text from bytes; other encodings are refused, with what they seem to be."""

import re

from survey.files.problems import DefinitionError, Problem

UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def decode(data: bytes, *, file: str, how: str = "", first_line: int = 1) -> str:
    """Decode UTF-8 (a byte order mark is allowed); name another encoding, the line and column of a
    byte that is not UTF-8, or the line of a NUL, which no database keeps.

    `how` says how to save as UTF-8, where that is known; `first_line` is that of `data` in its
    file. Raises DefinitionError.
    """
    save_as = f"save it as UTF-8{how and f' ({how})'} and try again"
    refuse_utf_16(data, file=file, how=how)
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + first_line
        raise DefinitionError([Problem(file, line, 0, "there is a NUL character; remove it")])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start]
        line = before.count(b"\n") + first_line
        column = len(before) - (before.rfind(b"\n") + 1) + 1
        bad = error.object[error.start]
        message = (
            f"byte 0x{bad:02x} is not UTF-8; the text seems to be in {_likely(data)}: {save_as}"
        )
        raise DefinitionError([Problem(file, line, column, message)]) from None


def refuse_utf_16(start: bytes, *, file: str, how: str = "") -> None:
    """Raise DefinitionError if a text that starts so is in UTF-16."""
    if start.startswith(UTF_16) or _every_second_is_zero(start):
        save_as = f"save it as UTF-8{how and f' ({how})'} and try again"
        raise DefinitionError([Problem(file, 0, 0, f"the text is in UTF-16; {save_as}")])


def _likely(data: bytes) -> str:
    """What a text that is not UTF-8 seems to be in: in Latin scripts, few letters are not ASCII."""
    runs = re.findall(rb"[\x80-\xff]+[\x40-\xff]?", data[:100_000])
    long = sum(len(run) > 3 for run in runs)
    if 2 * long < len(runs):
        return "Latin-1 (Windows-1252)"
    return "an older encoding, such as GB18030, Big5, Shift-JIS, EUC-KR or Windows-1251"


def _every_second_is_zero(data: bytes) -> bool:
    """Whether it is UTF-16 without a byte order mark: plain letters have a zero byte each, always
    the first or always the second one.
    """
    start = data[:200]
    few, many = sorted((start[::2].count(0), start[1::2].count(0)))
    if len(start) > 3 and any(start[::2]) != any(start[1::2]):
        return True
    return many > max(2, 4 * few, len(start) // 20)
