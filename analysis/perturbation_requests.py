"""Requests to perturb a study's responses: made, found again. `perturbation_making` carries them
out, in a worker.

Nothing here loads what computing needs, so web processes may ask too.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from pydantic import TypeAdapter

from analysis.metric_options import MetricOptions, installed_options
from analysis.models import PerturbationRun
from analysis.perturbation_labels import TASK_LABELS
from analysis.perturbation_options import OF_ALL, RESPONSES
from analysis.scorer_requests import trained_scorer
from jobs import leases
from jobs.asking import refuse_other
from judge.models import Judge
from judge.queries import GoldSource, current_judges, gold_sources
from survey.files.suggestions import did_you_mean
from survey.models import Study
from survey.refusals import RequestRefused

State = PerturbationRun.State
#: Metrics that a single new text has no value of, or that may cost.
NOT_OF_ONE_TEXT = (OF_ALL, "perplexity")
NO_SOURCE = "Nothing would score the texts: train a scorer, compute metrics, or name a judge"
#: What other metrics need that an installation may lack: one of these `MetricOptions`.
NEEDS = {
    "meteor_synonyms": ("wordnet",),
    "stock_phrases": ("phrases",),
    "embedding_cosine": ("model", "embeddings"),
    "bertscore_precision": ("model",),
    "bertscore_recall": ("model",),
    "bertscore_f1": ("model",),
}


@dataclass(frozen=True)
class RewriterOptions:
    """The model that rewrites texts and its endpoint, by name; empty if there is none."""

    endpoint: str = ""
    model: str = ""
    #: US dollars for a million tokens that the model reads and writes.
    price: tuple[float, float] | None = None


class NotPerturbed(RequestRefused):
    """Nothing can be perturbed, or scored, as it was asked for; the text says why."""


class JudgeNotAskable(NotPerturbed):
    """A judge that cannot be asked about changed texts, or not by this person."""

    about = "judges"


@dataclass(frozen=True)
class PerturbationOptions:
    """What is perturbed, how, and whose scores are compared.

    `responses` is how many, None for all. `judges` go by key, such as `llama@2`; each of their
    scores is a request, which may cost. Rewriting asks `model` at `endpoint`.
    """

    perturbations: tuple[str, ...]
    seed: int = 1
    responses: int | None = RESPONSES
    scorer: bool = True
    metrics: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    endpoint: str = ""
    model: str = ""
    #: US dollars for a million tokens that the model reads and writes.
    price: tuple[float, float] | None = None


OPTIONS = TypeAdapter(PerturbationOptions)


def installed_rewriter() -> RewriterOptions:
    """What this installation rewrites texts with."""
    return RewriterOptions(settings.REWRITER_ENDPOINT, settings.REWRITER_MODEL)


def check_options(study: Study, options: PerturbationOptions) -> None:
    """Raise NotPerturbed for options that a study and its installation have not all for."""
    for name in options.perturbations:
        if name in TASK_LABELS and not (options.endpoint and options.model):
            raise NotPerturbed(
                f"{name} is made by a language model: name its endpoint and its model, or set "
                "REWRITER_ENDPOINT and REWRITER_MODEL"
            )
    if options.scorer:
        trained_scorer(study)
    judges_called(study, options.judges)
    if not (options.scorer or options.metrics or options.judges):
        raise NotPerturbed(NO_SOURCE)


def judges_called(study: Study, keys: Sequence[str]) -> list[Judge]:
    """The judges with these keys, such as `llama@2`, which are asked about single responses. Raises
    NotPerturbed.
    """
    known = {
        source.key: source.judge for source in gold_sources(study) if _is_askable(source.judge)
    }
    for key in keys:
        if key not in known:
            raise JudgeNotAskable(
                f"{study} has no judge {key!r} of single responses"
                f"{did_you_mean(key, list(known))}; it has: {', '.join(known) or 'none'}"
            )
    return [judge for key in keys if (judge := known[key])]


def askable_judges(study: Study) -> list[str]:
    """The current judges that can be asked about changed texts, by key."""
    judges = current_judges(study).order_by("name")
    return [GoldSource(judge=judge).key for judge in judges if _is_askable(judge)]


def _is_askable(judge: Judge | None) -> bool:
    return judge is not None and judge.read_configuration().presentation == "single"


def default_metrics(study: Study) -> tuple[str, ...]:
    """The metrics that were computed of the study's responses and that a changed text can have:
    neither imported ones nor those that depend on other texts, nor those whose model was named when
    they were computed and is none of this installation.
    """
    here, nothing = installed_options(), MetricOptions()
    lacking = [
        name
        for name, needs in NEEDS.items()
        if all(getattr(here, need) == getattr(nothing, need) for need in needs)
    ]
    stored = study.computed_metrics.exclude(name__in=[*NOT_OF_ONE_TEXT, *lacking])
    return tuple(stored.order_by("id").values_list("name", flat=True))


@transaction.atomic
def request_perturbations(study: Study, options: PerturbationOptions) -> PerturbationRun:
    """A waiting run in place of an earlier one; the same one that is under way; or the same one
    that failed, whose texts and scores are kept. The caller wakes a worker. Raises AskedOtherwise.
    """
    asked = OPTIONS.dump_python(options, mode="json")
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    run = perturbation_run_of(study)
    if run is not None and run.is_under_way:
        refuse_other(run, options=asked)
        return run
    has_failed = run is not None and run.state in run.WITHOUT_RESULT
    if run is not None and has_failed and options_of(run) == options:
        leases.wait_again(run, percent=0)
        return run
    if run is not None:
        run.delete()
    return PerturbationRun.objects.create(study=study, options=asked)


def options_of(run: PerturbationRun) -> PerturbationOptions:
    """What was asked for."""
    return OPTIONS.validate_python(run.options)


def perturbation_run_of(study: Study) -> PerturbationRun | None:
    """The study's run, whatever became of it."""
    return PerturbationRun.objects.filter(study=study).first()


def finished_perturbations(study: Study) -> PerturbationRun | None:
    """The study's run, if it is done."""
    return PerturbationRun.objects.filter(study=study, state=State.DONE).first()


def not_given(run: PerturbationRun) -> list[tuple[str, str, int]]:
    """Texts that a language model did not give: perturbation, why, and how many."""
    empty = run.texts.filter(text="").order_by("id").values_list("perturbation", "provenance")
    counted = Counter((name, str(how.get("why_none", ""))) for name, how in empty)
    return [(name, why, n) for (name, why), n in counted.items() if why]
