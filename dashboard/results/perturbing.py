"""Asking for perturbations of a study's responses; the log has who asked."""

from django.contrib.auth.models import User
from django.db import transaction

from analysis.models import PerturbationRun
from analysis.perturbation_labels import RULE_LABELS, TASK_LABELS, UNCHANGED
from analysis.perturbation_options import PerturbingOptions
from analysis.perturbation_requests import (
    JudgeNotAskable,
    PerturbationOptions,
    RewriterOptions,
    check_options,
    default_metrics,
    installed_rewriter,
    request_perturbations,
)
from analysis.scorer_requests import current_scorer
from dashboard.shared.access import role_of
from dashboard.shared.log import record
from dashboard.shared.roles import Permission
from survey.models import Study


def ask_to_perturb(
    study: Study,
    options: PerturbingOptions,
    author: User | None,
    *,
    rewriter: RewriterOptions | None = None,
) -> PerturbationRun:
    """A run that waits, or the same one that is under way. Texts are rewritten by the
    installation's model unless another one is given. The caller wakes a worker, or carries it out.
    Raises RequestRefused: NotPerturbed, NoScorer, or AskedOtherwise.
    """
    model = rewriter or installed_rewriter()
    if options.judges and not _may_have_judges_asked(study, author):
        raise JudgeNotAskable("Your role may not have judges asked.")
    usual = [*RULE_LABELS, *(TASK_LABELS if model.model else ())]
    usual += [UNCHANGED] if options.judges else []
    chosen = PerturbationOptions(
        perturbations=tuple(dict.fromkeys(options.perturbations or usual)),
        seed=options.seed,
        responses=None if options.all_responses else options.responses,
        scorer=not options.without_scorer and current_scorer(study) is not None,
        metrics=tuple(dict.fromkeys(options.metrics)) or default_metrics(study),
        judges=tuple(dict.fromkeys(options.judges)),
        endpoint=model.endpoint,
        model=model.model,
        price=model.price,
    )
    check_options(study, chosen)
    with transaction.atomic():
        run = request_perturbations(study, chosen)
        record(study, author, "perturbations requested")
    return run


def _may_have_judges_asked(study: Study, author: User | None) -> bool:
    """Whether the author may have judges asked, which can cost money. Commands may."""
    role = role_of(author, study.slug) if author else None
    return author is None or (role is not None and role.may(Permission.CHANGE))
