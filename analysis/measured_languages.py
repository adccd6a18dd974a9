"""Which languages the texts of a metric were in, as its record says."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from survey.definition.text_language import (
    UNKNOWN,
    TextLanguage,
    base,
    count_in_words,
    language_name,
)

#: Languages in which words are found as they were before records had languages.
COUNTED_ALIKE = ("en", "zh")


@dataclass(frozen=True)
class MeasuredLanguages:
    """The rows of a record: `language`, `how` it is known, `n` responses, and `not_for`, why the
    metric has no value for them, if it has none.
    """

    rows: list[dict[str, Any]]

    @classmethod
    def of(cls, recorded: Mapping[str, Any], *, page: str, n: int) -> "MeasuredLanguages":
        """Those of a record. Earlier records say nothing: all of their `n` texts were measured as
        texts in the language of the page. In other languages than these, words are found otherwise
        since then, so that such a record is of no language.
        """
        if base(page) in COUNTED_ALIKE:
            before = [{"language": page, "how": "page", "n": n, "not_for": ""}]
        else:
            before = [{"language": UNKNOWN, "how": "page", "n": n, "not_for": ""}]
        return cls(recorded.get("languages", before))

    @property
    def counts(self) -> Counter[str]:
        """The number of responses in each language."""
        counts: Counter[str] = Counter()
        for row in self.rows:
            counts[row["language"]] += row["n"]
        return counts

    @property
    def in_words(self) -> str:
        """What was done for which language."""
        return "; ".join(
            count_in_words(row["n"], TextLanguage(row["language"], row["how"]))
            + (f" (not available: {row['not_for']})" if row["not_for"] else "")
            for row in self.rows
        )

    @property
    def reasons(self) -> dict[str, str]:
        """Why responses in a language have no value, by language."""
        return {
            row["language"]: f"not available for {language_name(row['language'])}: {row['not_for']}"
            for row in self.rows
            if row["not_for"]
        }
