"""Which files of an export are not there, and why."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dashboard.share.waves import earlier_wave
from judge.models import Attempt, Call, GoldScore
from survey.definition import StudyDefinition
from survey.models import (
    AttentionCheck,
    ComprehensionAttempt,
    FreeAnswer,
    Participant,
    Presentation,
    Rating,
    Study,
    StudyEvent,
    TrainingAttempt,
)
from survey.tidy import RATING_TASKS, people_of

#: Names of files with reasons.
Absent = Iterator[tuple[str, str]]


def absent_files(
    study: Study,
    sources: Sequence[str],
    definition: StudyDefinition,
    *,
    has_gold: bool,
    sharing: bool,
) -> dict[str, str]:
    """The files of people from `sources`, and of judges, that there are not, and why; `sharing`
    also leaves out what may tell who somebody is.
    """
    whose = {"participant__study": study, "participant__source__in": sources}
    absent: dict[str, str] = {}
    if definition.rating is None:
        absent |= dict.fromkeys(["ratings.csv", "ratings_all.csv"], "the study has no ratings")
    if not has_gold:
        absent["gold.csv"] = "there are no gold scores"
    absent.update(_of_judges(study))
    absent.update(_of_ranks(study, definition, whose))
    absent.update(_of_comments(definition, whose, sharing=sharing))
    absent.update(_of_pages(study, sources, whose))
    absent.update(_of_attempts(definition, whose))
    absent.update(_of_waves(study, sharing=sharing))
    return absent


def _of_judges(study: Study) -> Absent:
    ended = Call.objects.filter(judge__study=study, state__in=("answered", "failed"))
    if not (
        ended.exclude(response=None, block=None).exists()
        or GoldScore.objects.filter(gold_set__study=study).exists()
    ):
        yield "judge_scores.csv", "no judge and no file has scores"
    if not ended.exclude(pair="").exists():
        yield "judge_comparisons.csv", "no judge compares pairs"
    if not Attempt.objects.filter(call__judge__study=study).exists():
        yield "judge_attempts.csv", "no judge was asked anything"


def _of_ranks(study: Study, definition: StudyDefinition, whose: Mapping[str, Any]) -> Absent:
    shown = {f"presentation__{key}": value for key, value in whose.items()}
    # Only ranking tasks and imports give ranks. Without them, the search through all ratings,
    # which takes long, is skipped.
    if not (definition.comparing or _has_imported_ranks(study)):
        yield "ranks.csv", "the study asks for no ranks and no choices"
    elif not Rating.objects.filter(**shown).exclude(task__in=RATING_TASKS).exists():
        yield "ranks.csv", "nobody ranked or chose responses"


def _has_imported_ranks(study: Study) -> bool:
    imports = study.events.filter(action=StudyEvent.IMPORTED).values_list("detail", flat=True)
    return any(detail.get("ranks") for detail in imports)


def _of_comments(definition: StudyDefinition, whose: Mapping[str, Any], *, sharing: bool) -> Absent:
    if not FreeAnswer.objects.filter(**whose).exists():
        asked = definition.block_remarks or definition.closing
        why = "nobody wrote anything" if asked else "the study asks for no free text"
        yield "comments.csv", why
    elif sharing:
        yield "comments.csv", "free text may tell who wrote it, so it is not shared"


def _of_pages(study: Study, sources: Sequence[str], whose: Mapping[str, Any]) -> Absent:
    if not Presentation.objects.filter(**whose).exists():
        for name in ("presentations.csv", "shown_responses.csv", "certificate.csv"):
            yield name, "nobody was shown a page of responses"
    if not AttentionCheck.objects.filter(**whose).exists():
        yield "attention_checks.csv", "no attention check was shown here"
    people = people_of(study, sources)
    if not people.exclude(source=Participant.Source.IMPORT).exists():
        yield "page_times.csv", "nobody was shown a page here"


def _of_attempts(definition: StudyDefinition, whose: Mapping[str, Any]) -> Absent:
    """Of what comes before the first block."""
    if definition.comprehension is None:
        yield "comprehension.csv", "the study has no comprehension check"
    elif not ComprehensionAttempt.objects.filter(**whose).exists():
        yield "comprehension.csv", "nobody has answered the questions about the instructions"
    if definition.training is None:
        yield "training.csv", "the study has no training items"
    elif not TrainingAttempt.objects.filter(**whose).exists():
        yield "training.csv", "nobody has rated a training item"


def _of_waves(study: Study, *, sharing: bool) -> Absent:
    if earlier_wave(study) is None:
        yield "waves.csv", "the study invites no people of an earlier one"
    elif sharing:
        yield "waves.csv", "it links what a person said in two studies, so it is not shared"
