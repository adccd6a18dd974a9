"""What people of a crowded study leave besides ratings, so that no list of it is empty.

Django has to be set up. Everything that one person has more or less of grows with the people; the
analysis is computed of a few of them and its rows are repeated for the others.
"""

from collections.abc import Iterator
from datetime import timedelta
from itertools import cycle, islice
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.utils import timezone

from analysis.execution import finished_run
from analysis.models import (
    AnalysisRun,
    Coding,
    Exclusion,
    ManualDecision,
    RaterQuality,
    Result,
    ThemeCode,
)
from analysis.runs import fingerprint
from analysis.table_parts import chosen_by, cut
from benchmarks.crowded.recruiting import recruit_those_here
from dashboard.payments.facts import endings_by_code
from dashboard.payments.orders import Chosen, confirm
from dashboard.prolific.pay_terms import change_terms
from dashboard.prolific.terms import Terms
from dashboard.raters.models import SubmissionOnProlific
from survey.batched import batched
from survey.models import (
    AttentionCheck,
    DemographicAnswer,
    FreeAnswer,
    Identity,
    Invitation,
    Participant,
    Presentation,
    RefusedArrivals,
    Study,
    StudyEvent,
    Withdrawal,
)
from survey.models.arrivals import interval_of
from survey.tidy import counted_sources

AT_ONCE = 1000
#: The number of people whose ratings are analysed.
ANALYSED = 40
Source = Participant.Source


def add_belongings(study: Study, researcher: User) -> AnalysisRun:
    """Add everything, and an analysis of the people as they are then."""
    people = list(study.participants.order_by("id").values_list("id", "pseudonym"))
    _store(_checks(people))
    _store(_answers(people))
    _store(_comments(study))
    _store(_demographics(people))
    recruit_those_here(study, codes=list(endings_by_code(study)))
    _pay(study, researcher)
    _store(_withdrawals(study, len(people) // 4))
    _store(_log(study, researcher, people))
    _store(Invitation(study=study, label=name) for _, name in people)
    _store(_refusals(study, min(len(people), 2000)))
    _code(study, researcher)
    _store(
        ManualDecision(participant_id=pk, excluded=True, reason="test", author=researcher)
        for pk, _ in people[::5]
    )
    return analysed_by_few(study)


def _pay(study: Study, author: User) -> None:
    """Promise what is usual, and confirm something about every second submission."""
    change_terms(study=study, terms=Terms(reward=150, completed_bonus=20), author=author)
    rows = SubmissionOnProlific.objects.filter(study=study).order_by("id")
    chosen = [
        Chosen(pk, "approve", "reward", "They completed the survey.")
        for pk in rows.values_list("id", flat=True)[::2]
    ]
    confirm(study=study, decisions=chosen, author=author, by_hand=True, at=timezone.now())


def analysed_by_few(study: Study) -> AnalysisRun:
    """A finished analysis of everybody, though only some were read: its rows are repeated."""
    others = study.participants.filter(source=Source.PROLIFIC).order_by("id")
    few = list(others.values_list("id", flat=True)[:ANALYSED])
    apart = others.exclude(pk__in=few)
    apart.update(source=Source.SIMULATED)
    sources = counted_sources()
    run = finished_run(study=study, sources=sources)
    Participant.objects.filter(study=study, source=Source.SIMULATED).update(source=Source.PROLIFIC)
    _repeat(run, study.participants.order_by("id").exclude(pk__in=few))
    run.started_at = run.finished_at = timezone.now() - timedelta(days=1)  # another may be due
    run.fingerprint = fingerprint(study, sources, run.rule_set, run.recipe_set, at=timezone.now())
    run.save()
    return run


def _repeat(run: AnalysisRun, others: QuerySet[Participant]) -> None:
    """Give everybody else the rows of one of those who were analysed."""
    rest = list(others.values_list("id", "pseudonym"))
    rated = list(run.rater_quality.order_by("id"))
    left = {each.participant_id: each for each in run.exclusions.all()}
    pairs = [(pk, like) for (pk, _), like in zip(rest, cycle(rated), strict=False)]
    _store(
        RaterQuality(run=run, participant_id=pk, included=like.included, indices=like.indices)
        for pk, like in pairs
    )
    _store(
        Exclusion(
            run=run, participant_id=pk, rule=why.rule, value=why.value, threshold=why.threshold
        )
        for pk, like in pairs
        if (why := left.get(like.participant_id))
    )
    for result in Result.objects.filter(run=run, kind=Result.Kind.TABLE):
        columns, rows = result.content["columns"], result.content["rows"]
        if rows and "participant" in columns:
            whose = columns.index("participant")
            of_one = len(rows) // len(rated)
            models = cycle(list(rows))
            for _, name in rest:
                for row in islice(models, of_one):
                    rows.append([*row[:whose], name, *row[whose + 1 :]])
            _as_computed(rows, chosen_by(result.name, columns))
            result.save()
            for name, content in cut(result.name, result.content).items():
                Result.objects.create(run=run, kind=Result.Kind.PAGE, name=name, content=content)


def _as_computed(rows: list[list[Any]], places: list[int]) -> None:
    """Put rows that are alike in these columns together, as an analysis does."""
    order: dict[tuple[Any, ...], int] = {}
    rows.sort(key=lambda row: order.setdefault(tuple(row[place] for place in places), len(order)))


def _store(rows: Iterator[Model]) -> None:
    for batch in batched(rows, AT_ONCE):
        type(batch[0])._default_manager.bulk_create(batch)


def _checks(people: list[tuple[int, str]]) -> Iterator[Model]:
    for number, (pk, _) in enumerate(people):
        for place in (1, 2):
            yield AttentionCheck(
                participant_id=pk,
                name=f"check_{place}",
                page=100 + place,
                after_block=place,
                answer=2,
                passed=bool(number % 20 or place == 1),
            )


def _answers(people: list[tuple[int, str]]) -> Iterator[Model]:
    for pk, _ in people:
        yield FreeAnswer(participant_id=pk, name="remarks", text="The replies felt honest.")


def _comments(study: Study) -> Iterator[Model]:
    """Every third person's about the first page that they saw."""
    first = Presentation.objects.filter(participant__study=study, position=1).order_by("id")
    for pk, whose in first.values_list("id", "participant_id")[::3]:
        yield FreeAnswer(participant_id=whose, presentation_id=pk, name="why", text="It is kind.")


def _code(study: Study, researcher: User) -> None:
    """Two coders go through the answers; the first has nearly ended, and some codes differ."""
    codes = [
        ThemeCode.objects.create(study=study, name=name, author=researcher)
        for name in ("care", "length")
    ]
    other = User.objects.create_user("other coder")
    answers = list(
        FreeAnswer.objects.filter(participant__study=study)
        .order_by("name", "participant_id")
        .values_list("id", flat=True)
    )
    end = len(answers) * 9 // 10
    _store(Coding(answer_id=pk, coder=researcher) for pk in answers[:end])
    _store(Coding(answer_id=pk, coder=other) for pk in answers[: end // 2])
    of_code = Coding.codes.through
    _store(
        of_code(coding_id=pk, themecode=codes[coder == other.pk and answer % 50 == 0])
        for pk, coder, answer in Coding.objects.order_by("id").values_list(
            "id", "coder_id", "answer_id"
        )
    )


def _demographics(people: list[tuple[int, str]]) -> Iterator[Model]:
    for number, (pk, _) in enumerate(people):
        yield DemographicAnswer(participant_id=pk, name="age", value=18 + number % 60)
        yield DemographicAnswer(participant_id=pk, name="sex", value=("Female", "Male")[number % 2])


def _withdrawals(study: Study, n: int) -> Iterator[Model]:
    for number in range(n):
        yield Withdrawal(
            study=study,
            source=Source.PROLIFIC,
            slug=study.slug,
            kind=Identity.Kind.PROLIFIC,
            key=f"f{number:023x}",
            key_kept_until=timezone.now() + timedelta(days=90),
        )


def _log(study: Study, author: User, people: list[tuple[int, str]]) -> Iterator[Model]:
    for _, name in people:
        shown = StudyEvent.IDENTITY_SHOWN
        yield StudyEvent(study=study, author=author, action=shown, detail={"rater": name})


def _refusals(study: Study, n: int) -> Iterator[Model]:
    start = interval_of(timezone.now())
    for number in range(n):
        at = start - number * timedelta(minutes=10)
        yield RefusedArrivals(study=study, reason="no_id", start=at, n=1)
