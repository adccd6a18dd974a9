"""Which cases a study has, and the facts of each: lists are filtered, counted and paged by it.

The facts of a large study are kept, with a hash of everything that they are made from. Each request
compares the hash with the data as they are now, and has the database make them again if anything
is different. So an index is always that of the data as they are.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Self, overload

from django.db.models import QuerySet, Subquery

from dashboard.payments.case import Case
from dashboard.payments.facts import (
    Codes,
    case_with,
    endings_by_code,
    people_with_facts,
    submissions_with_facts,
)
from dashboard.raters.models import SubmissionOnProlific
from dashboard.raters.stored_submissions import revision_of
from dashboard.shared.chunk_counts import kept_whole
from dashboard.shared.listed import AllOf, Joined
from dashboard.shared.packed_ids import packed, unpacked
from dashboard.shared.stand_in import prolific_is_local
from survey.models import AttentionCheck, Browser, Participant, Study, Withdrawal, not_ended
from survey.models import Submission as Session
from survey.models.ids import new_secret
from survey.tidy import reading

#: A case of an index: of a submission, or of a person without one, and the row's id.
SUBMISSION, PERSON = 1, 2
Place = tuple[int, int]


@dataclass(frozen=True)
class CaseIndex:
    """Every submission in the order in which they were read, and then people without one in the
    order of arrival. Without any submission there is no case.
    """

    codes: Codes
    #: Another text whenever facts or times are others; what is kept beside an index goes by it.
    name: str
    facts: list[str]
    #: The submissions with each of the facts, in the order in which they were read.
    submissions: list[list[int]]
    #: The people without a submission with each of the facts.
    people: list[list[int]]
    #: The people without a submission, in the order of arrival.
    arrivals: list[int]
    #: How many submissions are erased.
    erased: int

    @classmethod
    def read(cls, codes: Codes, content: dict[str, Any]) -> Self:
        """The index of what is kept, where ids are packed."""
        ids = {name: list(map(unpacked, content[name])) for name in ("submissions", "people")}
        return cls(codes, **content | ids | {"arrivals": unpacked(content["arrivals"])})

    @cached_property
    def kinds(self) -> list[Case]:
        """A case for each of the facts."""
        return [case_with(facts, self.codes) for facts in self.facts]

    def __len__(self) -> int:
        return sum(map(len, self.submissions)) + len(self.arrivals)

    def counted(self, *, of_submissions: bool = False) -> Iterator[tuple[Case, int]]:
        """Each kind of case with how many there are: of all, or of submissions alone."""
        for case, submissions, people in zip(
            self.kinds, self.submissions, self.people, strict=True
        ):
            if n := len(submissions) + (0 if of_submissions else len(people)):
                yield case, n

    def places(self, is_chosen: Callable[[Case], bool]) -> "ListedPlaces":
        """The cases that are chosen by their facts."""
        chosen = set(self.people_with(is_chosen))
        arrivals = [pk for pk in self.arrivals if pk in chosen]
        return ListedPlaces([(SUBMISSION, self.submissions_with(is_chosen)), (PERSON, arrivals)])

    def places_by_id(self, is_chosen: Callable[[Case], bool]) -> "ListedPlaces":
        """The same with people in the order in which they first came."""
        people = self.people_with(is_chosen)
        return ListedPlaces([(SUBMISSION, self.submissions_with(is_chosen)), (PERSON, people)])

    def submissions_with(self, is_chosen: Callable[[Case], bool]) -> list[int]:
        """The submissions that are chosen by their facts, in the order in which they were read."""
        return self._chosen(self.submissions, is_chosen)

    def people_with(self, is_chosen: Callable[[Case], bool]) -> list[int]:
        """The people without a submission that are chosen by their facts, as they first came."""
        return self._chosen(self.people, is_chosen)

    def _chosen(self, ids: list[list[int]], is_chosen: Callable[[Case], bool]) -> list[int]:
        chosen = (each for each, case in zip(ids, self.kinds, strict=True) if is_chosen(case))
        return sorted(chain.from_iterable(chosen))


@dataclass(frozen=True)
class ListedPlaces(Sequence[Place]):
    """The rows of some lists, one list after the other: of each the number of its list and its id.
    They are made only where they are asked for.
    """

    lists: Sequence[tuple[int, Sequence[int]]]

    def __len__(self) -> int:
        return sum(len(ids) for _, ids in self.lists)

    @overload
    def __getitem__(self, which: int) -> Place: ...
    @overload
    def __getitem__(self, which: slice) -> list[Place]: ...
    def __getitem__(self, which: int | slice) -> Place | list[Place]:
        if isinstance(which, slice):
            return [self[number] for number in range(*which.indices(len(self)))]
        place = range(len(self))[which]
        for number, ids in self.lists:
            if place < len(ids):
                return number, ids[place]
            place -= len(ids)
        raise IndexError(which)


def index_of(study: Study) -> CaseIndex:
    """The index of a study as it is now."""
    codes = endings_by_code(study)
    with reading():
        content = kept_whole(
            study, "cases", lambda: _state(study, codes), lambda: _made(study, codes)
        )
    return CaseIndex.read(codes, content)


def _made(study: Study, codes: Codes) -> tuple[dict[str, Any], int]:
    """The content of an index, and how many cases it has."""
    facts: dict[str, tuple[list[int], list[int]]] = {}
    arrivals = []
    for pk, of in _rows(submissions_with_facts(study, codes)):
        facts.setdefault(of, ([], []))[0].append(pk)
    for pk, of in _rows(people_with_facts(study)) if facts else ():
        facts.setdefault(of, ([], []))[1].append(pk)
        arrivals.append(pk)
    submissions = [ids for ids, _ in facts.values()]
    content = {
        "name": new_secret(),
        "facts": list(facts),
        "submissions": list(map(packed, submissions)),
        "people": [packed(ids) for _, ids in facts.values()],
        "arrivals": packed(arrivals),
        "erased": SubmissionOnProlific.objects.filter(study=study).exclude(erased_at=None).count(),
    }
    return content, sum(map(len, submissions)) + len(arrivals)


def _rows(with_facts: QuerySet[Any]) -> Iterator[tuple[int, str]]:
    return with_facts.values_list("pk", "facts").iterator()


def _state(study: Study, codes: Codes) -> str:
    """Another text whenever an index may be another one, or times that are kept beside it.

    Nobody is looked at who can't change any more: of people their number and the newest are enough,
    as only those who withdraw, who are counted, and test people leave. Endings and times change
    with the status.
    """
    people = study.participants.order_by()
    first, last = (people.order_by(order).values("pk")[:1] for order in ("pk", "-pk"))
    #: By their numbers, of whom few are of another study, rather than by a look at each person.
    theirs = {"participant__gte": Subquery(first), "participant__lte": Subquery(last)}
    turned_away = people.filter(status=Participant.Status.ARRIVED).exclude(ending="")
    states = [
        people.count(),
        list(last),
        *not_ended(people).order_by("status").values_list("status").annotate(all=AllOf("pk")),
        turned_away.aggregate(all=AllOf(Joined("pk", "ending"))),
        Withdrawal.objects.filter(study__slug=study.slug).count(),
        revision_of(study),
        # None is changed, and they are deleted with their person alone.
        Session.objects.filter(**theirs).count(),
        *(
            rows.filter(**theirs).order_by().aggregate(all=AllOf("pk"))
            for rows in (
                AttentionCheck.objects.filter(passed=False),
                Browser.objects.filter(goes_on=True),
            )
        ),
    ]
    return "\n".join([repr(codes), str(prolific_is_local()), *map(str, states)])
