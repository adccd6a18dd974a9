"""`manage.py metrics STUDY [--metric NAME …]`, and what metrics need: folders, endpoints, files."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from analysis.measured_languages import MeasuredLanguages
from analysis.metric_options import EndpointModel, MetricOptions, installed_options
from analysis.models import ComputedMetric
from dashboard.importing.files import Findings, ImportRefused, read_file
from dashboard.importing.perplexity import read_perplexities
from dashboard.importing.ratings import vocabulary_of
from dashboard.management.arguments import add_study
from dashboard.shared.log import record
from survey.management.refusing import RefusingCommand, in_words
from survey.models import Study
from survey.queries import find_study
from survey.text_languages import languages_in_words

if TYPE_CHECKING:
    from analysis.metrics import MetricSettings


class Command(RefusingCommand):
    help = (
        "Compute automatic metrics of a study's responses, such as ROUGE-L. The next analysis has "
        "their means by system, and holds them against people's ratings."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_study(parser)
        parser.add_argument(
            "--metric",
            action="append",
            default=[],
            metavar="NAME",
            help="only this metric; can be repeated (default: all for which everything is given)",
        )
        parser.add_argument(
            "--phrase",
            action="append",
            default=[],
            metavar="TEXT",
            help="a stock phrase to count, for the metric stock_phrases; can be repeated",
        )
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
        parser.add_argument(
            "--perplexity",
            type=Path,
            metavar="CSV",
            help="perplexities from elsewhere: scenario, set, model, condition and perplexity",
        )

    def handle(
        self, *, slug: str, metric: list[str], perplexity: Path | None, **options: Any
    ) -> None:
        from analysis.metric_settings import NOT_COMPUTED, metric_settings
        from analysis.metrics import METRICS

        study = find_study(slug)
        try:
            here = installed_options()
            if metric:  # what other metrics need is not asked for, which may cost
                here = here.only({METRICS[each].needs for each in metric if each in METRICS})
            chosen = _chosen(options, here, has_file=perplexity is not None)
            with metric_settings(chosen) as given:
                settings = self._with_file(study, given, perplexity) if perplexity else given
                stored = _compute(study, metric, settings)
        except NOT_COMPUTED as problem:
            raise CommandError(in_words(problem)) from None
        record(study, None, "metrics requested")
        for said in languages_in_words(study):
            self.stdout.write(said)
        for each in stored:
            n, of = each.values.filter(value__isnull=False).count(), each.values.count()
            page = study.definition["language"]
            measured = MeasuredLanguages.of(each.recorded, page=page, n=of)
            why = "; ".join(measured.reasons.values())
            said = f"{each.name}: {n} of {of} responses have a value"
            self.stdout.write(f"{said} ({why})" if why else said)
        self.stdout.write(f"Next: manage.py analyze {study.slug}")

    def _with_file(self, study: Study, settings: "MetricSettings", path: Path) -> "MetricSettings":
        """The settings with the perplexities of a file. Raises ImportRefused."""
        from analysis.metrics.perplexity import ImportedPerplexity

        if settings.perplexity_source:
            raise ValueError("perplexities come from --perplexity or from an endpoint, not both")
        data, findings = read_file(path), Findings()
        values = read_perplexities(data, str(path), vocabulary_of(study), findings)
        findings.refuse_if_any()
        if not values:
            raise ImportRefused(f"{path}: the file has no perplexities")
        self.note(findings.all_notices)
        about = {"file": path.name, "sha256": hashlib.sha256(data).hexdigest()}
        return replace(settings, perplexity_source=ImportedPerplexity(values, about))


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


def _chosen(options: dict[str, Any], here: MetricOptions, *, has_file: bool) -> MetricOptions:
    """What the command says; where it says nothing, what the installation has."""
    perplexity = _model(options, "perplexity", EndpointModel() if has_file else here.perplexity)
    return MetricOptions(
        phrases=tuple(options["phrase"]),
        wordnet=options["wordnet"] or here.wordnet,
        model=options["model"] or here.model,
        embeddings=_model(options, "embeddings", here.embeddings),
        perplexity=perplexity,
        given_prompt=options["given_prompt"] or (not has_file and here.given_prompt),
    )


def _model(options: dict[str, Any], what: str, here: EndpointModel) -> EndpointModel:
    said = EndpointModel(options[f"{what}_endpoint"], options[f"{what}_model"])
    return here if said == EndpointModel() else said


def _compute(study: Study, metric: list[str], settings: "MetricSettings") -> list[ComputedMetric]:
    from analysis.computed_metrics import compute_metrics, possible_metrics

    names = list(dict.fromkeys(metric)) or possible_metrics(study, settings)
    with tqdm(unit="value", disable=None) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        return compute_metrics(study, names, settings, progress)
