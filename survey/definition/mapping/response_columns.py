"""Which columns of a wide table have responses, where nothing but their cells can tell. Pure."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from unicodedata import east_asian_width

#: What the cells of a column are that has no responses, by what each of them looks like.
_KINDS = {
    "numbers": re.compile(r"[-+]?[\d.,  ]*\d\s*(%|[a-z]{1,3})?"),
    "dates or times": re.compile(
        r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}([T ,]+\d{1,2}:\d{2}\S*( ?[AP]M)?)?"
        r"|\d{1,2}:\d{2}(:\d{2}\S*)?"
    ),
    "addresses": re.compile(r"(https?://|www\.)\S+|[^\s@]+@[^\s@]+\.\w+"),
    "true or false": re.compile(r"true|false", re.IGNORECASE),
    "ids": re.compile(r"(?=.*\d)[A-Za-z0-9_.:#/-]{1,64}"),
    "JSON": re.compile(r"\{.*\}|\[.*\]", re.DOTALL),
}
LABELS, REPEATED = "labels that repeat over rows", "texts that repeat over rows"
EMPTY, SHORTER = "no cells with text", "far shorter cells than the other columns"
ALIEN = "cells unlike those of the other columns"
#: Rows from which on repeats say something, and the length of labels in characters.
FEW_ROWS, LONGEST_LABEL = 4, 60
#: A column of titles has less than this part of the length of responses, if these are texts that
#: have at least so many characters: else a short answer may be one, too.
SHORT, A_TEXT = 1 / 5, 40
#: What columns of a data set have beside the texts of several systems, and no system writes where
#: the others write sentences; in more than this part of the rows, these would have it in them.
_BESIDE_TEXTS = (LABELS, "numbers", "dates or times", "addresses", "true or false")
_IN_TEXTS = 1 / 4
_SENTENCE = re.compile(r"[.!?…。！？؟।]\W*$")


def without_responses(cells: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The columns that plainly have no responses, each with what it has instead.

    `cells` are those of the columns that may have some. A column is compared with the others: where
    all have short answers, numbers or labels, these are the responses.
    """
    filled = {
        name: [text for cell in given if (text := cell.strip())] for name, given in cells.items()
    }
    looks = {name: _look(given) for name, given in filled.items()}
    taken = [name for name, look in looks.items() if not look]
    alike = _largest_alike({name: filled[name] for name, look in looks.items() if look == LABELS})
    if not taken or len(taken) == 1 < len(alike):
        taken = alike or _most_common(looks)
    values = {name: set(given) for name, given in filled.items()}
    reasons = {}
    for name, look in looks.items():
        if name in taken:
            if _is_far_shorter(filled[name], [filled[one] for one in taken if one != name]):
                reasons[name] = SHORTER
        elif look == EMPTY or not any(_share(values[name], values[one]) for one in taken):
            reasons[name] = look or ALIEN
    return reasons


def may_be_answers(cells: Mapping[str, Sequence[str]], without: Mapping[str, str]) -> list[str]:
    """The columns among those `without` responses that can be of a system that answers unlike the
    others.
    """
    taken = [given for name, given in cells.items() if name not in without]
    texts = [given for given in taken if not _are_titles([*filter(str.strip, given)])]
    return [
        name
        for name, why in without.items()
        if why != EMPTY
        and not (len(texts) > 1 and why in _BESIDE_TEXTS and _is_apart(cells[name], texts, why))
    ]


def _is_apart(given: Sequence[str], texts: Sequence[Sequence[str]], why: str) -> bool:
    """Whether labels or numbers are not what the texts of their rows say, too."""
    rows = [(cell.strip(), others) for cell, *others in zip(given, *texts, strict=True)]
    filled = [(cell, others) for cell, others in rows if cell]
    if why == LABELS and len({cell for cell, _ in filled}) == 1:
        return False
    said = 0
    for cell, others in filled:
        as_word = re.compile(rf"(?<!\w){re.escape(cell)}(?!\w)", re.IGNORECASE)
        said += any(map(as_word.search, others))
    return said <= _IN_TEXTS * len(filled)


def _look(given: Sequence[str]) -> str:
    """What a column's cells are by themselves; empty if they may be responses."""
    if not given:
        return EMPTY
    for kind, expression in _KINDS.items():
        if all(map(expression.fullmatch, given)):
            return kind
    counts = Counter(given)
    if len(given) >= FEW_ROWS:
        if len(counts) <= len(given) / 2 and _are_titles(given):
            return LABELS
        if min(counts.values()) > 1:
            return REPEATED
    return ""


def _are_titles(given: Sequence[str]) -> bool:
    """Whether cells are short and most are no sentences."""
    sentences = sum(bool(_SENTENCE.search(text)) for text in given)
    return median(map(_length, given)) <= LONGEST_LABEL and sentences < len(given) / 2


def _is_far_shorter(given: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    if not others or not _are_titles(given):
        return False
    typical = median(median(map(_length, other)) for other in others)
    return typical >= A_TEXT and median(map(_length, given)) < SHORT * typical


def _length(text: str) -> int:
    """Characters, of which those of Chinese and the like say as much as two of others."""
    return len(text) + sum(east_asian_width(character) in "WF" for character in text)


def _share(some: set[str], others: set[str]) -> bool:
    """Whether at least half of the values of one column are in another one, too."""
    return 2 * len(some & others) >= len(some)


def _largest_alike(columns: Mapping[str, Sequence[str]]) -> list[str]:
    """The columns that have most of their values in common with another one."""
    values = {name: set(given) for name, given in columns.items()}
    groups = [[name for name in values if _share(values[name], values[one])] for one in values]
    largest = max(groups, key=len, default=[])
    return largest if len(largest) > 1 else []


def _most_common(looks: Mapping[str, str]) -> list[str]:
    """The columns of the kind that most of those have that are not empty."""
    counts = Counter(look for look in looks.values() if look != EMPTY)
    if not counts:
        return []
    ((kind, _),) = counts.most_common(1)
    return [name for name, look in looks.items() if look == kind]
