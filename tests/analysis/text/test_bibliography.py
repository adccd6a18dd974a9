"""Works that the methods cite: every key has an entry, and each is cited where it comes first."""

import re

import pytest
from markupsafe import Markup

from analysis.text.bibliography import (
    bibliography,
    cite,
    cited_keys,
    cited_once,
    entries,
    uncited,
)
from analysis.text.sentences import FOLDER

TWICE = Markup("Holm's method [@holm1979] and again [@holm1979; @welch1947], p &lt; .05.")


def test_each_work_is_cited_where_it_comes_first() -> None:
    assert cited_once(TWICE) == "Holm's method [@holm1979] and again [@welch1947], p &lt; .05."
    assert cited_keys([TWICE]) == ["holm1979", "welch1947"]
    assert uncited(TWICE) == "Holm's method and again, p &lt; .05."


def test_work_without_an_entry_cannot_be_cited() -> None:
    assert cite("holm1979", "welch1947") == "[@holm1979; @welch1947]"
    with pytest.raises(LookupError, match="no nobody1999"):
        cite("nobody1999")


def test_every_work_is_cited_by_a_template_and_has_what_a_reference_needs() -> None:
    texts = "".join(path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.j2"))
    cited = {key for keys in re.findall(r"cite\(([^)]*)\)", texts) for key in keys.split('"')[1::2]}
    assert cited == set(entries())
    for key, entry in entries().items():
        assert entry.count("{") == entry.count("}"), key
        assert all(f"  {field} = {{" in entry for field in ("author", "title", "year")), key
        assert key.endswith(re.findall(r"year = \{(\d+)\}", entry)[0])


def test_bibliography_has_the_entries_that_are_asked_for() -> None:
    written = bibliography(["clark1973", "holm1979"])
    assert re.findall(r"^@\w+\{(\w+),", written, re.MULTILINE) == ["clark1973", "holm1979"]
    assert bibliography([]) == ""
