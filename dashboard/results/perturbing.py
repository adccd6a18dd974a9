"""What a page or the API may have perturbed, with all that this installation has for it."""

from collections.abc import Sequence

from analysis.perturbation_labels import RULE_LABELS, TASK_LABELS, UNCHANGED
from analysis.perturbation_requests import (
    PerturbationOptions,
    default_metrics,
    installed_rewriter,
)
from analysis.scorer_requests import current_scorer
from judge.queries import GoldSource, current_judges
from survey.models import Study

NO_SOURCE = "Nothing would score the texts: train a scorer, or compute metrics first."


def askable_judges(study: Study) -> list[str]:
    """The judges that can be asked about changed texts, by key."""
    return [
        GoldSource(judge=judge).key
        for judge in current_judges(study).order_by("name")
        if judge.read_configuration().presentation == "single"
    ]


def options_for(study: Study, *, responses: int, judges: Sequence[str]) -> PerturbationOptions:
    """Every perturbation and source that there is; of judges those that are named. Raises
    ValueError where nothing would score the texts.
    """
    endpoint, model = installed_rewriter()
    rewritten = TASK_LABELS if model else ()
    options = PerturbationOptions(
        perturbations=(*RULE_LABELS, *rewritten, *((UNCHANGED,) if judges else ())),
        responses=responses,
        scorer=current_scorer(study) is not None,
        metrics=default_metrics(study),
        judges=tuple(judges),
        endpoint=endpoint,
        model=model,
    )
    if not (options.scorer or options.metrics or options.judges):
        raise ValueError(NO_SOURCE)
    return options
