"""What the methods cite: keys in their sentences, and the entries of `references.bib`. Pure.

A template writes `{{ cite("holm1979") }}`, which is said as [@holm1979]: Pandoc's form of a
citation.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from analysis.text.cells import Sentence
from survey.files.markdown_text import escaped

FILE = Path(__file__).with_name("references.bib")
#: A citation in a text, of one work or several.
CITATION = re.compile(r" ?\[@[\w;@ ]+\]")
KEY = re.compile(r"@(\w+)")


@cache
def entries() -> dict[str, str]:
    """Every work as BibTeX, by its key."""
    texts = re.split(r"\n(?=@)", FILE.read_text(encoding="utf-8"))
    return {re.sub(r"^@\w+\{(\w+),.*", r"\1", text, flags=re.DOTALL): text for text in texts}


def cite(*keys: str) -> str:
    """A citation of these works. Raises LookupError for a key without an entry."""
    if unknown := [key for key in keys if key not in entries()]:
        raise LookupError(f"references.bib has no {unknown[0]}")
    return f"[{'; '.join(f'@{key}' for key in keys)}]"


def is_ours(citation: re.Match[str]) -> bool:
    """Whether a text that looks like a citation is one: names of a study may look so, too."""
    return all(key in entries() for key in KEY.findall(citation[0]))


def cited_keys(texts: Iterable[str]) -> list[str]:
    """The works that texts cite, each once, by key in the order of the alphabet."""
    citations = (found for text in texts for found in CITATION.finditer(str(text)))
    return sorted({key for found in citations if is_ours(found) for key in KEY.findall(found[0])})


def bibliography(keys: Iterable[str]) -> str:
    """These works as a BibTeX file."""
    return "\n".join(entries()[key] for key in keys)


def cited_once(text: Sentence) -> Sentence:
    """A paragraph in which each work is cited where it comes first."""
    said: set[str] = set()

    def first(found: re.Match[str]) -> str:
        if not is_ours(found):
            return found[0]
        keys = [key for key in KEY.findall(found[0]) if key not in said]
        said.update(keys)
        return f"{' ' * found[0].startswith(' ')}{cite(*keys)}" if keys else ""

    return Sentence(CITATION.sub(first, str(text)))


def as_markdown(text: str) -> str:
    """A paragraph whose citations are Pandoc's, and whose other words a renderer shows as they
    are.
    """
    written, end = [], 0
    for found in filter(is_ours, CITATION.finditer(text)):
        written += [escaped(text[end : found.start()]), found[0]]
        end = found.end()
    return re.sub(r"\s+", " ", "".join([*written, escaped(text[end:])]))


def uncited(text: Sentence) -> Sentence:
    """A text without citations, for pages, which have no list of references."""
    return Sentence(CITATION.sub(lambda found: "" if is_ours(found) else found[0], str(text)))
