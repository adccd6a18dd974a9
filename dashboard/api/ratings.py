"""The ratings that the API gives, page by page.

A page goes on after a rating, not at a number: the last page of millions costs what the first does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Self

from django.db.models import F, Q, QuerySet

from dashboard.shared.chunk_counts import MANY, counted_in_chunks
from survey.models import Participant, Rating, Study
from survey.tidy import RATING_TASKS

#: People whose ratings are read at once: at first, and at most where most have none.
FIRST_PEOPLE, MOST_PEOPLE = 8, 512
#: No survey has as many pages.
MOST_PAGES = 1_000_000


class Place(NamedTuple):
    """Where a rating is in the order of the API."""

    participant: int
    presentation: int
    rating: int

    @classmethod
    def of(cls, rating: Rating) -> Self:
        return cls(rating.presentation.participant_id, rating.presentation_id, rating.pk)

    @classmethod
    def read(cls, text: str) -> Self:
        """As `str` writes it. Raises ValueError."""
        numbers = text.split(".")
        if len(numbers) != len(cls._fields):
            raise ValueError(text)
        place = cls(*map(int, numbers))
        if not all(0 <= number < 2**63 for number in place):
            raise ValueError(text)
        return place

    def __str__(self) -> str:
        return ".".join(map(str, self))

    def beyond(self, direction: str) -> Q:
        """Ratings after this one (`gt`), or before it (`lt`)."""
        return (
            Q(**{f"presentation__participant_id__{direction}": self.participant})
            | Q(
                presentation__participant_id=self.participant,
                **{f"presentation_id__{direction}": self.presentation},
            )
            | Q(presentation_id=self.presentation, **{f"id__{direction}": self.rating})
        )


@dataclass(frozen=True)
class Ratings:
    """Ratings of everybody from `sources`, with all that a row of ratings.csv says."""

    study: Study
    sources: list[str]

    def after(self, place: str | None, most: int) -> list[Rating]:
        """Up to `most` ratings after that place, or from the first one on. Raises ValueError."""
        return self._beyond(None if place is None else Place.read(place), most, "gt")

    def before(self, place: str, most: int) -> list[Rating]:
        """Up to `most` ratings right before that place, in their order. Raises ValueError."""
        return self._beyond(Place.read(place), most, "lt")[::-1]

    def place_of(self, rating: Rating) -> str:
        return str(Place.of(rating))

    def count(self, *, store_from: int = MANY) -> int:
        """The number of ratings. Each answered page moves the participant's `pages_done`."""
        total = 0
        for source in self.sources:
            total += counted_in_chunks(
                self.study,
                f"ratings, {source}",
                self._people([source]),
                partial(self._count, source),
                state=F("id") * MOST_PAGES + F("pages_done"),
                store_from=store_from,
            )["ratings"]
        return total

    def _count(self, source: str, ids: range) -> Mapping[str, int]:
        people = self._people([source]).filter(id__gte=ids.start, id__lt=ids.stop)
        ratings = Rating.objects.filter(presentation__participant__in=people, task__in=RATING_TASKS)
        return {"ratings": ratings.count()}

    def _people(self, sources: list[str]) -> QuerySet[Participant]:
        return Participant.objects.filter(study=self.study, source__in=sources)

    def _beyond(self, place: Place | None, most: int, direction: str) -> list[Rating]:
        """Ratings in that direction, the nearest first. It reads a few people at a time, so that
        the database never sorts more than their ratings.
        """
        sign = "-" if direction == "lt" else ""
        people = self._people(self.sources).order_by(f"{sign}id").values_list("id", flat=True)
        if place is not None:
            people = people.filter(**{f"id__{direction}e": place.participant})
        ratings: list[Rating] = []
        at_once = FIRST_PEOPLE
        while len(ratings) < most and (ids := list(people[:at_once])):
            whose = Q(presentation__participant_id__in=ids)
            if place is not None:
                whose &= place.beyond(direction)
            ratings += _in_order(whose, sign)[: most - len(ratings)]
            people = people.filter(**{f"id__{direction}": ids[-1]})
            at_once = min(2 * at_once, MOST_PEOPLE)
        return ratings


def _in_order(whose: Q, sign: str) -> QuerySet[Rating]:
    return (
        Rating.objects.filter(whose, task__in=RATING_TASKS)
        .select_related(
            "presentation__participant",
            "presentation__block",
            "response__scenario",
            "response__system",
        )
        .order_by(f"{sign}presentation__participant_id", f"{sign}presentation_id", f"{sign}id")
    )
