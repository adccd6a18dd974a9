"""`manage.py metrics STUDY [--metric NAME …]`, and what metrics need: folders, endpoints, files."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from analysis.measured_languages import MeasuredLanguages
from analysis.metric_choice import MetricsToCompute
from analysis.metric_options import EndpointModel, MetricOptions, installed_options
from analysis.models import ComputedMetric
from dashboard.management.arguments import add_study
from dashboard.management.progress import progress_bar
from dashboard.results.metrics_asking import ask_for_metrics
from jobs.runner import run_or_take_back
from survey.management.option_arguments import add_options, chosen_options
from survey.management.refusing import RefusingCommand
from survey.queries import find_study
from survey.text_languages import languages_in_words

#: Arguments that are called otherwise than their options.
CALLED = {"metrics": "--metric", "phrases": "--phrase"}


class Command(RefusingCommand):
    help = (
        "Compute automatic metrics of a study's responses, such as ROUGE-L. The next analysis has "
        "their means by system, and holds them against people's ratings."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_study(parser)
        add_options(parser, MetricsToCompute, called=CALLED)
        parser.add_argument(
            "--wordnet", type=Path, metavar="DIR", help="a WordNet database, for synonyms in METEOR"
        )
        parser.add_argument(
            "--model",
            type=Path,
            metavar="DIR",
            help="a folder with model.onnx and tokenizer.json, for embeddings and BERTScore",
        )
        _add_endpoint(parser, "embeddings", "embeddings, in place of those of --model")
        _add_endpoint(parser, "perplexity", "perplexity; it must return a prompt's tokens")
        parser.add_argument(
            "--given-prompt",
            action="store_true",
            help="perplexity of a response given its prompt, not of the response alone",
        )

    def handle(self, *, slug: str, **options: Any) -> None:
        study = find_study(slug)
        chosen = chosen_options(MetricsToCompute, options, called=CALLED)
        models = _models(options, has_file=chosen.perplexity is not None)
        asked, notices = ask_for_metrics(study, chosen, None, models=models)
        self.note(notices)
        with progress_bar("value") as told:
            asked = run_or_take_back(asked, told=told)
        for said in languages_in_words(study):
            self.stdout.write(said)
        for metric in study.computed_metrics.filter(name__in=asked.metrics):
            self.stdout.write(_in_words(metric, page=study.definition["language"]))
        self.stdout.write(f"Next: manage.py analyze {study.slug}")


def _in_words(metric: ComputedMetric, *, page: str) -> str:
    """How many responses have a value of a metric, and why others have none."""
    n, of = metric.values.filter(value__isnull=False).count(), metric.values.count()
    why = "; ".join(MeasuredLanguages.of(metric.recorded, page=page, n=of).reasons.values())
    said = f"{metric.name}: {n} of {of} responses have a value"
    return f"{said} ({why})" if why else said


def _add_endpoint(parser: CommandParser, what: str, needed_for: str) -> None:
    parser.add_argument(
        f"--{what}-endpoint",
        default="",
        metavar="NAME",
        help=f"an endpoint of judges, such as default, for {needed_for}",
    )
    parser.add_argument(
        f"--{what}-model", default="", metavar="NAME", help="the model to ask for there"
    )


def _models(options: dict[str, Any], *, has_file: bool) -> MetricOptions:
    """What the command says; where it says nothing, what the installation has. Raises CommandError
    where perplexities have two sources, or none given the prompt.
    """
    here = installed_options()
    perplexity = _model(options, "perplexity", here.perplexity)
    if has_file and (perplexity != here.perplexity or options["given_prompt"]):
        raise CommandError("perplexities come from --perplexity or from an endpoint, not both")
    if options["given_prompt"] and not perplexity.endpoint:
        raise CommandError("perplexity given the prompt needs an endpoint for perplexity")
    return MetricOptions(
        wordnet=options["wordnet"] or here.wordnet,
        model=options["model"] or here.model,
        embeddings=_model(options, "embeddings", here.embeddings),
        perplexity=perplexity,
        given_prompt=options["given_prompt"] or here.given_prompt,
    )


def _model(options: dict[str, Any], what: str, here: EndpointModel) -> EndpointModel:
    said = EndpointModel(options[f"{what}_endpoint"], options[f"{what}_model"])
    return here if said == EndpointModel() else said
