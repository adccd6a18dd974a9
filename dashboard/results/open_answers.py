"""Open answers in chunks of people: how many there are, what coders decided, comments on pages.

What a chunk has is kept (`dashboard.shared.chunk_counts`), so that pages read no answers but those
that they show, however many there are.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Self, TypeVar

from django.contrib.auth.models import User
from django.db.models import Count, F, Model, QuerySet, Sum, Value, Window
from django.db.models.functions import RowNumber

from analysis.models import AnalysisRun, Coding
from analysis.theme_coding import answers_to_code, letter
from dashboard.shared.chunk_counts import MANY, chunks_of, in_chunks, states_in_chunks
from dashboard.shared.listed import Joined
from survey.models import FreeAnswer, Study, not_ended
from survey.tidy import reading

Row = TypeVar("Row", bound=Model)
#: Its id, time, coder and codes.
CodingOfAnswer = tuple[int, str, str, frozenset[int]]

SUBJECT = "open answers"
DISAGREEMENTS_SHOWN = 100
#: Stands for a user who has coded nothing and sees the codes of all coders.
ANYBODY = ""


@dataclass
class AnswersOfQuestion:
    """The answers to a question that people of a source and a chunk gave. Coders are known by their
    ids as text.
    """

    source: str
    question: str
    answers: int = 0
    #: Answers that fewer than two coders have coded.
    not_twice: int = 0
    #: How many answers each coder has coded, and which one last: time, coding, answer.
    coded: dict[str, int] = field(default_factory=dict)
    last: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    #: Answers with different codes, by the user who may see them: how many, and the first ones.
    differing: dict[str, int] = field(default_factory=dict)
    first_differing: dict[str, list[int]] = field(default_factory=dict)

    def add(self, answer: int, codings: list[CodingOfAnswer]) -> None:
        """Count an answer with its codings."""
        self.answers += 1
        self.not_twice += len(codings) < 2
        for pk, at, coder, _ in codings:
            self.coded[coder] = self.coded.get(coder, 0) + 1
            self.last[coder] = max(self.last.get(coder, ("", 0, 0)), (at, pk, answer))
        if len({codes for *_, codes in codings}) < 2:
            return
        for viewer in (ANYBODY, *(coder for _, _, coder, _ in codings)):
            self.differing[viewer] = self.differing.get(viewer, 0) + 1
            first = self.first_differing.setdefault(viewer, [])
            if len(first) < DISAGREEMENTS_SHOWN:
                first.append(answer)


@dataclass(frozen=True)
class AnswersOfChunk:
    """What is kept of a chunk of people."""

    questions: list[AnswersOfQuestion]
    #: Each coder's first coding.
    first: dict[str, int]
    #: How many comments there are on each page, by block.
    comments: dict[str, int]

    @classmethod
    def read(cls, content: dict[str, Any]) -> Self:
        questions = [AnswersOfQuestion(**each) for each in content["questions"]]
        return cls(questions, content["first"], content["comments"])


@dataclass(frozen=True)
class CoderProgress:
    """How many open answers a coder has decided about; tables have the letter."""

    letter: str
    coder: User
    done: int


@dataclass(frozen=True)
class OpenAnswers:
    """The open answers of people from `sources`, question by question and person by person."""

    study: Study
    sources: Collection[str]
    chunks: dict[range, AnswersOfChunk]

    @classmethod
    def of(cls, study: Study, sources: Collection[str] = (), *, store_from: int = MANY) -> Self:
        """Those of a study as it is now. Call this, and all methods, inside `reading()`."""
        found = chunks_of(
            study, SUBJECT, _states(study), partial(_count, study), store_from=store_from
        )
        return cls(study, sources, {ids: AnswersOfChunk.read(each) for ids, each in found.items()})

    def __len__(self) -> int:
        return sum(each.answers for each in self._questions())

    def coded(self, coder: User) -> int:
        """How many of them a coder has coded."""
        return sum(each.coded.get(str(coder.pk), 0) for each in self._questions())

    def last_coded(self, coder: User) -> int | None:
        """The answer that a coder has coded last."""
        key = str(coder.pk)
        last = [
            (at, coding, answer)  # kept as a list
            for each in self._questions()
            if key in each.last
            for at, coding, answer in [each.last[key]]
        ]
        return max(last)[2] if last else None

    def coders(self) -> list[CoderProgress]:
        """Who has coded, those who began first first; letters go by all codings of the study."""
        first: dict[str, int] = {}
        for chunk in self.chunks.values():
            for coder, coding in chunk.first.items():
                first[coder] = min(first.get(coder, coding), coding)
        users = User.objects.in_bulk([int(coder) for coder in first])
        in_order = [users[int(coder)] for coder in sorted(first, key=lambda each: first[each])]
        progress = (
            CoderProgress(letter(place), coder, self.coded(coder))
            for place, coder in enumerate(in_order)
        )
        return [one for one in progress if one.done]

    def next_for(self, coder: User) -> FreeAnswer | None:
        """The first answer that a coder has not coded."""
        key = str(coder.pk)
        for question, ids in self._places(lambda each: each.answers > each.coded.get(key, 0)):
            left = self.within(ids).filter(name=question).exclude(codings__coder=coder)
            if answer := left.first():
                return answer
        return None

    def n_compared(self, coder: User) -> int:
        """The number of answers whose codes by others this user may see."""
        return len(self) if self._viewer(coder) == ANYBODY else self.coded(coder)

    def n_differing(self, coder: User) -> int:
        """To how many of these coders gave different codes."""
        viewer = self._viewer(coder)
        return sum(each.differing.get(viewer, 0) for each in self._questions())

    def first_differing(self, coder: User) -> list[FreeAnswer]:
        """The first DISAGREEMENTS_SHOWN of them."""
        viewer = self._viewer(coder)
        first: list[int] = []
        for question, ids in self._places(lambda each: viewer in each.differing):
            there = (each for each in self._questions([ids]) if each.question == question)
            first += (pk for each in there for pk in each.first_differing.get(viewer, []))
            if len(first) >= DISAGREEMENTS_SHOWN:
                break
        # By their ids alone: SQLite may go through all people to find whose they are.
        answers = FreeAnswer.objects.filter(pk__in=first)
        in_order = sorted(answers, key=lambda each: (each.name, each.participant_id, each.pk))
        return in_order[:DISAGREEMENTS_SHOWN]

    def chunks_with_answers(self) -> list[range]:
        """The ids of people some of whom gave answers, chunk by chunk."""
        return [ids for ids in self.chunks if any(each.answers for each in self._questions([ids]))]

    def within(self, ids: range) -> QuerySet[FreeAnswer]:
        """The answers of people with these ids."""
        return _between(answers_to_code(self.study, self.sources), "participant_id", ids)

    def _viewer(self, coder: User) -> str:
        """The key of the comparisons that this user may see: those of answers that they coded. A
        user who has coded none sees all, once two coders have coded each answer.
        """
        waits = self.coded(coder) or any(each.not_twice for each in self._questions())
        return str(coder.pk) if waits else ANYBODY

    def _questions(self, chunks: Iterable[range] | None = None) -> Iterator[AnswersOfQuestion]:
        for ids in self.chunks if chunks is None else chunks:
            yield from (each for each in self.chunks[ids].questions if each.source in self.sources)

    def _places(self, has_some: Callable[[AnswersOfQuestion], bool]) -> list[tuple[str, range]]:
        """Questions and chunks where there is something, in the order of the answers."""
        places = {
            (each.question, ids.start, ids.stop)
            for ids in self.chunks
            for each in self._questions([ids])
            if has_some(each)
        }
        return [(question, range(*ids)) for question, *ids in sorted(places)]


def comments_by_page(
    run: AnalysisRun | None, blocks: Collection[int], most: int
) -> dict[int, list[tuple[str, str]]]:
    """The first comments of a run's included raters on each of some pages, up to `most`, by block;
    each with its question.
    """
    told: dict[int, list[tuple[str, str]]] = defaultdict(list)
    if run is None or not blocks:
        return told
    included = run.rater_quality.filter(included=True).order_by()
    # No index has a block in this form, so SQLite goes from the answers, not from all its pages.
    block_of = F("presentation__block_id") + 0
    place = Window(RowNumber(), partition_by="block", order_by=("participant_id", "id"))
    with reading():
        for ids, chunk in OpenAnswers.of(run.study).chunks.items():
            asked = [
                block
                for block in blocks
                if len(told[block]) < most and chunk.comments.get(str(block))
            ]
            if not asked:
                continue
            comments = (
                _between(FreeAnswer.objects.all(), "participant_id", ids)
                .annotate(block=block_of)
                .filter(
                    participant__in=_between(included, "participant_id", ids).values("participant"),
                    block__in=asked,
                )
                .exclude(text="")
                .annotate(place=place)
                .filter(place__lte=most)
                .order_by("participant_id", "id")
            )
            columns = ("block", "name", "text")
            for block, question, text in comments.values_list(*columns):
                told[block].append((question, text))
    return {block: comments[:most] for block, comments in told.items()}


def _between(rows: QuerySet[Row], column: str, ids: range) -> QuerySet[Row]:
    return rows.filter(**{f"{column}__gte": ids.start, f"{column}__lt": ids.stop})


def _states(study: Study) -> dict[int, str]:
    """Another text of each chunk whenever its answers or codings may be others. Ids of new people
    are larger than all others, so that no sum comes back; each answer moves the `last_seen_at` of
    its person; each decision of a coder moves that of the chunk.
    """
    answering = states_in_chunks(
        not_ended(study.participants.all()), Joined("id", Value(" "), "last_seen_at")
    )
    decisions = dict(study.coded_chunks.order_by().values_list("chunk", "decisions"))
    everybody = in_chunks(study.participants.order_by()).annotate(n=Count("id"), ids=Sum("id"))
    return {
        chunk: f"{n} {ids}\n{answering.get(chunk, '')}\n{decisions.get(chunk, 0)}"
        for chunk, n, ids in everybody
    }


def _count(study: Study, ids: range) -> dict[str, Any]:
    """What is kept of the people with these ids."""
    answers = FreeAnswer.objects.filter(participant__study=study).exclude(text="")
    rows = _between(answers, "participant_id", ids).order_by("name", "participant_id", "id")
    codings = _codings(study, ids)
    questions: dict[tuple[str, str], AnswersOfQuestion] = {}
    comments: Counter[str] = Counter()
    columns = ("id", "participant__source", "name", "presentation__block_id")
    for answer, source, name, block in rows.values_list(*columns):
        question = questions.setdefault((source, name), AnswersOfQuestion(source, name))
        question.add(answer, codings.get(answer, []))
        comments.update([] if block is None else [str(block)])
    first: dict[str, int] = {}
    for each in codings.values():
        for pk, _, coder, _ in each:
            first[coder] = min(first.get(coder, pk), pk)
    kept = AnswersOfChunk(list(questions.values()), first, dict(comments))
    return asdict(kept)


def _codings(study: Study, ids: range) -> dict[int, list[CodingOfAnswer]]:
    """All codings of these people's answers, by answer."""
    whose = "answer__participant_id"
    codings = _between(Coding.objects.filter(answer__participant__study=study), whose, ids)
    of_code = Coding.codes.through.objects.filter(coding__answer__participant__study=study)
    codes: dict[int, set[int]] = defaultdict(set)
    for coding, code in _between(of_code, f"coding__{whose}", ids).values_list(
        "coding_id", "themecode_id"
    ):
        codes[coding].add(code)
    found: dict[int, list[CodingOfAnswer]] = defaultdict(list)
    for pk, at, coder, answer in codings.order_by("id").values_list(
        "id", "at", "coder_id", "answer_id"
    ):
        found[answer].append((pk, at.isoformat(), str(coder), frozenset(codes[pk])))
    return found
