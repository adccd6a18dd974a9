"""Requests to train a scorer: made, found again. `scorer_making` trains it, in a worker.

Nothing here loads what computing needs, so web processes may ask too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from analysis.metric_options import EndpointModel, MetricOptions
from analysis.models import PerturbedScore, Scorer
from analysis.scorer_options import TrainingSettings
from jobs.asking import refuse_other
from survey.models import Participant, Study
from survey.refusals import RefusalKind, RequestRefused

State = Scorer.State


class ScorerOptions(TrainingSettings):
    """What a scorer is trained with. Without a folder and an endpoint its vectors are n-grams."""

    #: A folder with an ONNX model, or an endpoint and its model.
    folder: str = ""
    endpoint: str = ""
    model: str = ""
    #: The name of the file whose texts it learns from, if it is not the study.
    file: str = ""

    @property
    def vectors(self) -> MetricOptions:
        """The same as metrics have it."""
        from pathlib import Path

        return MetricOptions(
            model=Path(self.folder) if self.folder else None,
            embeddings=EndpointModel(self.endpoint, self.model),
        )


class NoScorer(RequestRefused):
    """There is no trained scorer."""

    kind = RefusalKind.CONFLICT


def with_vectors(
    settings: TrainingSettings, here: MetricOptions, *, file: str = ""
) -> ScorerOptions:
    """The settings with the embeddings that this installation has, if it has any."""
    folder = "" if here.embeddings.model else str(here.model or "")
    kept = settings.model_dump(include=set(TrainingSettings.model_fields))
    return ScorerOptions(**kept, **asdict(here.embeddings), folder=folder, file=file)


@transaction.atomic
def request_scorer(
    study: Study,
    options: ScorerOptions,
    *,
    sources: Sequence[str] = (),
    given: Sequence[Mapping[str, Any]] | None = None,
    author: User | None = None,
) -> Scorer:
    """A waiting scorer that learns from the ratings of `sources`, or from the rows of a file; or
    the same one that is under way. One that failed is replaced. The caller wakes a worker. Raises
    AskedOtherwise.
    """
    asked = {
        "options": options.model_dump(),
        "sources": list(sources),
        "given": None if given is None else list(given),
    }
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    under_way = study.scorers.filter(state__in=Scorer.UNDER_WAY).first()
    if under_way is not None:
        refuse_other(under_way, **asked)
        return under_way
    study.scorers.filter(state__in=Scorer.WITHOUT_RESULT).delete()
    last = study.scorers.aggregate(last=Max("version"))["last"] or 0
    return Scorer.objects.create(study=study, version=last + 1, author=author, **asked)


def options_of(scorer: Scorer) -> ScorerOptions:
    """What was chosen for a scorer."""
    return ScorerOptions.model_validate(scorer.options)


def newest_scorer(study: Study) -> Scorer | None:
    """The newest scorer of a study, whatever became of it."""
    return study.scorers.order_by("-version").first()


def current_scorer(study: Study) -> Scorer | None:
    """The newest scorer that is trained: the one that is a source of scores."""
    return study.scorers.filter(state=State.DONE).order_by("-version").first()


def trained_scorer(study: Study) -> Scorer:
    """The newest scorer that is trained. Raises NoScorer."""
    if scorer := current_scorer(study):
        return scorer
    raise NoScorer(f"{study} has no trained scorer: train one first")


def erase_scorers(participant: Participant) -> None:
    """Delete every scorer that learned from the person's ratings, and its scores. One with the same
    settings waits in the place of the newest; the caller wakes the sweep.
    """
    study = participant.study
    learned = [s for s in study.scorers.all() if participant.source in s.sources]
    if not learned:
        return
    newest = learned[-1]
    Scorer.objects.filter(pk__in=[scorer.pk for scorer in learned]).delete()
    PerturbedScore.objects.filter(text__run__study=study, kind="scorer").delete()
    if not study.scorers.filter(version__gt=newest.version).exists():
        Scorer.objects.create(
            study=study,
            version=newest.version + 1,
            options=newest.options,
            sources=newest.sources,
            author=newest.author,
        )
