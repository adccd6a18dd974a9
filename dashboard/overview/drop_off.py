"""At which page people left: how many reached each page, and how many got no further."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from dashboard.overview.visits import Unfinished
from survey.content import StudyContent
from survey.models import Participant

Status = Participant.Status
#: By their answers on the page that they sent last.
SENT_AWAY = (Status.SCREENED_OUT, Status.FAILED_COMPREHENSION)
#: What researchers call the pages that are neither blocks nor checks, by kind.
PAGE_NAMES = {
    "screening": "Screening",
    "instructions": "Instructions",
    "comprehension": "Comprehension check",
    "training": "Training",
    "closing": "Closing questions",
    "demographics": "Demographics",
}


@dataclass(frozen=True)
class PageReached:
    """A page: how many reached it, left at it, and are at it now. Page 0 is consent."""

    number: int
    name: str
    reached: int
    left: int
    here: int

    @property
    def share_left(self) -> float:
        """In percent of those who reached it."""
        return 100 * self.left / self.reached if self.reached else 0


def drop_off(
    completed: int, unfinished: Iterable[Unfinished], content: StudyContent
) -> list[PageReached]:
    """Every page in order; none if nobody came.

    Blocks are in another order for each person, so a page of blocks is known by its number.
    People who withdrew are deleted and not counted.
    """
    names = _names(content)
    at: Counter[int] = Counter()
    left: Counter[int] = Counter()
    for people in unfinished:
        page = _furthest(people, len(names) - 1)
        at[page] += people.n
        left[page] += people.n if people.has_left else 0
    reached = completed + at.total()
    if not reached:
        return []
    pages = []
    for number, name in enumerate(names):
        pages.append(PageReached(number, name, reached, left[number], at[number] - left[number]))
        reached -= at[number]
    return pages


def _furthest(people: Unfinished, last: int) -> int:
    """The page that they are at or left at."""
    if people.status in (Status.ARRIVED, Status.DECLINED):
        return 0
    if people.status in SENT_AWAY:
        return max(people.pages_done, 1)
    return min(people.pages_done + 1, last)


def _names(content: StudyContent) -> list[str]:
    """What every page is, from consent on."""
    kinds = content.kinds
    has_checks = any(check.kind == "item" for check in content.definition.attention_checks)
    block = "Block or attention check" if has_checks else "Block"
    pages = range(1, content.total_pages + 1)
    return ["Consent", *(PAGE_NAMES[kinds[n]] if n in kinds else block for n in pages)]
