"""The published rules in plain Python and exact fractions, from rows of tidy tables.

Written apart from `analysis/`, to compare it with: no pandas, no rounding (σ is compared as its
square), one rater at a time.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from pandas import DataFrame

Row = Mapping[str, Any]
Key = tuple[str, str, str, str, str]


def key_of(row: Row) -> Key:
    return (row["scenario"], row["set"], row["model"], row["condition"], row["dimension"])


class Study:
    """Rows of participants and ratings, and exact gold scores by item."""

    def __init__(
        self, participants: Iterable[Row], ratings: Iterable[Row], gold: Mapping[Key, Fraction]
    ) -> None:
        self.participants = list(participants)
        self.gold = gold
        self.ratings: dict[str, list[tuple[Key, int]]] = defaultdict(list)
        for row in ratings:
            self.ratings[row["participant"]].append((key_of(row), row["rating"]))

    def variance(self, participant: str) -> Fraction:
        """σ_r² with n − 1."""
        values = [rating for _, rating in self.ratings[participant]]
        mean = Fraction(sum(values), len(values))
        return sum((x - mean) ** 2 for x in values) / Fraction(len(values) - 1)

    def mae(self, participant: str) -> Fraction:
        given = self.ratings[participant]
        return sum((abs(x - self.gold[key]) for key, x in given), Fraction()) / len(given)

    def broken_rules(self, person: Row) -> set[str]:
        """The rules that match this participant, with the published thresholds."""
        name, seconds = person["participant"], person["duration_seconds"]
        broken = set()
        if seconds is not None and not 600 <= seconds <= 4500:
            broken.add("duration")
        if (person["attention_checks_failed"] or 0) > 0:
            broken.add("attention")
        if person["status"] == "in_progress":
            broken.add("early_exit")
        if len(self.ratings[name]) >= 2 and (
            self.variance(name) < Fraction(36, 100) and self.mae(name) > Fraction(9, 10)
        ):
            broken.add("sigma_mae")
        return broken

    def exclusions(self, order: Sequence[str]) -> dict[str, str]:
        """The first rule in order that matches, by participant; "" for who is included."""
        return {
            person["participant"]: next((r for r in order if r in self.broken_rules(person)), "")
            for person in self.participants
        }

    def remaining(self, order: Sequence[str]) -> list[int]:
        """How many there are at first and after each step."""
        gone = Counter(self.exclusions(order).values())
        counts = [len(self.participants)]
        for rule in order:
            counts.append(counts[-1] - gone[rule])
        return counts

    def alone(self, rule: str) -> int:
        return sum(rule in self.broken_rules(person) for person in self.participants)

    def means(self, raters: Iterable[str]) -> dict[Key, Fraction]:
        """Mean rating of every item."""
        values: dict[Key, list[int]] = defaultdict(list)
        for rater in raters:
            for key, rating in self.ratings[rater]:
                values[key].append(rating)
        return {key: Fraction(sum(x), len(x)) for key, x in values.items()}


def winner(a: Fraction, b: Fraction) -> str:
    return "a" if a > b else "b" if b > a else "tie"


def reference_points(a: Fraction, b: Fraction, reference: Fraction) -> int:
    """Two points above both, one above one of them."""
    return (reference > a) + (reference > b)


def rows_of(table: DataFrame) -> list[dict[str, Any]]:
    """A table as rows in which nothing is None."""
    plain = table.astype(object).where(table.notna(), None)
    names = [str(name) for name in plain.columns]
    return [dict(zip(names, row, strict=True)) for row in plain.to_numpy().tolist()]
