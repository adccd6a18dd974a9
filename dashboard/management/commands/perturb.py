"""`manage.py perturb STUDY`: what small changes of texts do to scores."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Count, Q

from analysis.models import PerturbationRun, PerturbedScore
from analysis.perturbation_labels import PERTURBATION_LABELS, RULE_LABELS, TASK_LABELS, UNCHANGED
from analysis.perturbation_requests import (
    RESPONSES,
    PerturbationOptions,
    default_metrics,
    installed_rewriter,
    not_given,
    request_perturbations,
)
from analysis.scorer_requests import current_scorer
from dashboard.management.progress import progress_bar
from dashboard.shared.log import record
from jobs.runner import NotDone, run_at_once
from survey.queries import StudyNotFound, find_study

State = PerturbationRun.State
#: US dollars for a million tokens.
DEAREST = 10_000


class Command(BaseCommand):
    help = (
        "Change responses a little (misspellings, capitals, filler words …), and score them before "
        "and after by the trained scorer, metrics and judges. The next analysis has the tables."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="STUDY", help="slug or slug@version")
        parser.add_argument(
            "--perturbation",
            action="append",
            default=[],
            choices=list(PERTURBATION_LABELS),
            help="only this one; can be repeated (default: those by rule, and those by a language "
            "model where one is given)",
        )
        parser.add_argument(
            "--responses",
            default=str(RESPONSES),
            metavar="N",
            help=f"how many responses, drawn from the scenarios in turn, or all ({RESPONSES})",
        )
        parser.add_argument("--seed", type=int, default=1, help="of the draw and of every change")
        parser.add_argument(
            "--metric",
            action="append",
            default=[],
            metavar="NAME",
            help="score by this metric; can be repeated (default: those computed for the study)",
        )
        parser.add_argument(
            "--judge",
            action="append",
            default=[],
            metavar="NAME@VERSION",
            help="score by this judge too, which asks for each text and may cost; can be repeated",
        )
        parser.add_argument(
            "--no-scorer", action="store_true", help="leave out the study's trained scorer"
        )
        parser.add_argument(
            "--rewriter-endpoint",
            default="",
            metavar="NAME",
            help="an endpoint of judges whose model shortens texts and changes their style",
        )
        parser.add_argument(
            "--rewriter-model", default="", metavar="NAME", help="the model to ask for there"
        )
        parser.add_argument(
            "--rewriter-price",
            type=float,
            nargs=2,
            metavar=("INPUT", "OUTPUT"),
            help="US dollars for a million tokens that it reads and writes, if its endpoint does "
            "not say what an answer costs and the study has a budget in money",
        )

    def handle(self, *, slug: str, **options: Any) -> None:
        from analysis.perturbation_making import (
            NOT_PERTURBED,
            check_options,
        )

        try:
            study = find_study(slug)
            given = options["rewriter_endpoint"], options["rewriter_model"]
            endpoint, model = given if any(given) else installed_rewriter()
            usual = [*RULE_LABELS, *(TASK_LABELS if model else ())]
            usual += [UNCHANGED] if options["judge"] else []
            asked = PerturbationOptions(
                perturbations=tuple(dict.fromkeys(options["perturbation"])) or tuple(usual),
                seed=options["seed"],
                responses=_number(options["responses"]),
                scorer=not options["no_scorer"] and current_scorer(study) is not None,
                metrics=tuple(dict.fromkeys(options["metric"])) or default_metrics(study),
                judges=tuple(dict.fromkeys(options["judge"])),
                endpoint=endpoint,
                model=model,
                price=_price(options["rewriter_price"]),
            )
            check_options(study, asked)
        except (StudyNotFound, *NOT_PERTURBED) as problem:
            raise CommandError(str(problem)) from None
        run = request_perturbations(study, asked)
        try:
            with progress_bar("step") as told:
                run = run_at_once(run, told=told)
        except NotDone as why:
            raise CommandError(str(why)) from None
        record(study, None, "perturbations requested")
        self._tell(run)
        self.stdout.write(f"Next: manage.py analyze {study.slug}")

    def _tell(self, run: PerturbationRun) -> None:
        texts = run.texts.values("response").distinct().count()
        self.stdout.write(f"{texts} responses perturbed, {run.requests} requests to endpoints")
        for name, why, n in not_given(run):
            self.stdout.write(f"  {name}: {n} not given: {why}")
        scored = PerturbedScore.objects.filter(text__run=run).order_by()
        for source, kind, n, valid in scored.values_list("source", "kind").annotate(
            n=Count("id"), valid=Count("id", filter=Q(before__isnull=False, after__isnull=False))
        ):
            self.stdout.write(f"{kind} {source}: {valid} of {n} pairs of scores")


def _price(given: list[float] | None) -> tuple[float, float] | None:
    """The price of the rewriter. Raises ValueError."""
    if given is None:
        return None
    asked, answered = given
    if not all(0 <= each <= DEAREST for each in given):
        raise ValueError(f"--rewriter-price: prices are from 0 to {DEAREST} US dollars")
    return asked, answered


def _number(text: str) -> int | None:
    """How many responses; None for all. Raises ValueError."""
    if text == "all":
        return None
    if not text.isdecimal():
        raise ValueError(f"--responses {text!r} is neither a whole number nor all")
    return int(text)
