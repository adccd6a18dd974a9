"""The `labels:` section of study.yaml: labels for people, names for files.

Researchers and readers see labels, participants never do, so they may change at any time. Pure.
"""

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Annotated

from pydantic import AfterValidator, StringConstraints, model_validator

from survey.definition.parts import Part, wrong

#: What tables call a row that pools scenarios, models or conditions.
POOLED = "all"
LONGEST = 60  # characters of a label
#: Known names that a message about an unknown one lists.
LISTED = 8


def _one_line(label: str) -> str:
    if any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in label):
        raise ValueError("a label is one line of text, without tabs")
    if label.casefold() == POOLED:
        raise ValueError(f"a label can't be {label!r}: tables use the word")
    return label


Label = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST),
    AfterValidator(_one_line),
]


class GivenLabels(Part):
    """Labels by name; a name without a label gets that of `usual`."""

    conditions: dict[str, Label] = {}
    models: dict[str, Label] = {}
    dimensions: dict[str, Label] = {}
    scenarios: dict[str, Label] = {}
    sets: dict[str, Label] = {}
    characteristics: dict[str, Label] = {}
    rules: dict[str, Label] = {}

    @model_validator(mode="after")
    def _each_label_once(self) -> "GivenLabels":
        for kind, given in self:
            seen: dict[str, str] = {}
            for name, label in given.items():
                other = seen.setdefault(label.casefold(), name)
                if other != name:
                    raise wrong((kind, name), f"{label!r} is the label of {other!r} already")
        return self


#: By kind, every name that a study has, with what it is called unless study.yaml says otherwise.
Known = Mapping[str, Mapping[str, str]]


def words(name: str) -> str:
    """A name in words: `too_fast` → too fast."""
    return name.replace("_", " ").strip()


def usual(name: str) -> str:
    """The label of a name that has none: `zero_shot` → Zero shot. One with a capital or a digit
    is a proper name (GPT-4o, S1) and stays as it is.
    """
    if name != name.lower() or any(character.isdigit() for character in name):
        return name
    label = words(name)
    return label[:1].upper() + label[1:]


def usual_of(names: Collection[str]) -> dict[str, str]:
    """The usual labels of some names."""
    return {name: usual(name) for name in names}


def problems(given: GivenLabels, known: Known) -> Iterator[tuple[tuple[str, str], str]]:
    """Problems of the labels of this study: kind and name, and a message."""
    for kind, labels in given:
        names = known[kind]
        usual_names = {label.casefold(): name for name, label in names.items()}
        for name, label in labels.items():
            other = usual_names.get(label.casefold(), name)
            if name not in names:
                yield (kind, name), _unknown(kind, name, list(names))
            elif other != name and other not in labels:
                message = f"{label!r} is the usual label of {other!r}: give that one a label, too"
                yield (kind, name), message


def _unknown(kind: str, name: str, names: list[str]) -> str:
    said = f"the study has no {kind.removesuffix('s')} {name!r}"
    if close := get_close_matches(name, names, n=1):
        return f"{said}; did you mean {close[0]!r}?"
    if not names:
        return f"{said}; it has no {kind}"
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return f"{said}; there are {', '.join(names[:LISTED])}{more}"


@dataclass(frozen=True, eq=False)
class Labels:
    """What people read for each name of a study, by kind; and conditions a and b, where the study
    compares two. No two names of a kind read alike.
    """

    called: Known = field(default_factory=dict)
    a: str = "condition a"
    b: str = "condition b"

    @classmethod
    def of(
        cls, given: GivenLabels, known: Known, contrast: tuple[str | None, str | None]
    ) -> "Labels":
        """The labels of a study whose names are `known`, and which compares two conditions."""
        called = {kind: _distinct(labels, known.get(kind, {})) for kind, labels in given}
        own = cls(called)
        if contrast[0] is None or contrast[1] is None:
            return own
        return cls(called, *(own.text("conditions", condition or "") for condition in contrast))

    def has_one(self, kind: str) -> bool:
        """Whether the study has one name of a kind, which tells nothing apart."""
        return len(self.called.get(kind, {})) == 1

    def text(self, kind: str, name: str) -> str:
        """The label of a name, also of one that the study no longer has."""
        if name == POOLED:
            return f"All {kind}"
        return self.called.get(kind, {}).get(name) or usual(name)


def _distinct(given: Mapping[str, str], names: Mapping[str, str]) -> dict[str, str]:
    """The label of each name. Where several would read alike, those without one keep their name."""
    labels = {**names, **given}
    alike = Counter(label.casefold() for label in labels.values())
    return {
        name: label if name in given or alike[label.casefold()] == 1 else name
        for name, label in labels.items()
    }
