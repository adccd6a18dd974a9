"""Texts keep the indentation of their first line."""

import pytest

from survey.files.as_written import as_written


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("    return x\n    y", "    return x\n    y"),
        ("\n \t\n\treturn x  \n\n", "\treturn x"),
        ("\r\n  a\r\n", "  a"),
        ("Words.", "Words."),
        (" Words.", "Words."),
        (" \n ", ""),
        ("", ""),
    ],
)
def test_blank_lines_and_space_at_the_end_go(text: str, kept: str) -> None:
    assert as_written(text) == kept
    assert as_written(kept) == kept
