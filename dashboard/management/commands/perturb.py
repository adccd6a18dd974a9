"""`manage.py perturb STUDY`: what small changes of texts do to scores."""

from dataclasses import replace
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db.models import Count, Q

from analysis.models import PerturbationRun, PerturbedScore
from analysis.perturbation_options import RESPONSES, PerturbingOptions
from analysis.perturbation_requests import RewriterOptions, installed_rewriter, not_given
from dashboard.management.arguments import add_study
from dashboard.management.progress import progress_bar
from dashboard.results.perturbing import ask_to_perturb
from jobs.runner import run_at_once
from survey.management.option_arguments import add_options, chosen_options
from survey.management.refusing import RefusingCommand
from survey.queries import find_study

#: Arguments that are called otherwise than their options.
CALLED = {
    "perturbations": "--perturbation",
    "metrics": "--metric",
    "judges": "--judge",
    "without_scorer": "--no-scorer",
}
#: US dollars for a million tokens.
DEAREST = 10_000


class Command(RefusingCommand):
    help = (
        "Change responses a little (misspellings, capitals, filler words …), and score them before "
        "and after by the trained scorer, metrics and judges. The next analysis has the tables."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_study(parser)
        add_options(
            parser, PerturbingOptions, called=CALLED, without=["responses", "all_responses"]
        )
        parser.add_argument(
            "--responses",
            default=str(RESPONSES),
            metavar="N",
            help=f"how many responses, drawn from the scenarios in turn, or all ({RESPONSES})",
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
        study = find_study(slug)
        given = options | _number(options["responses"])
        chosen = chosen_options(PerturbingOptions, given, called=CALLED)
        run = ask_to_perturb(study, chosen, None, rewriter=_rewriter(options))
        with progress_bar("step") as told:
            run = run_at_once(run, told=told)
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


def _rewriter(options: dict[str, Any]) -> RewriterOptions | None:
    """The model that the command names, or the installation's with another price. Raises
    CommandError.
    """
    price = options["rewriter_price"]
    if price and not all(0 <= each <= DEAREST for each in price):
        raise CommandError(f"--rewriter-price: prices are from 0 to {DEAREST} US dollars")
    given = RewriterOptions(options["rewriter_endpoint"], options["rewriter_model"])
    model = installed_rewriter() if given == RewriterOptions() else given
    return replace(model, price=tuple(price) if price else None)


def _number(text: str) -> dict[str, Any]:
    """How many responses. Raises CommandError."""
    if text == "all":
        return {"responses": None, "all_responses": True}
    if not text.isdecimal():
        raise CommandError(f"--responses {text!r} is neither a whole number nor all")
    return {"responses": int(text), "all_responses": False}
