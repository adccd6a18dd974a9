"""`manage.py metrics STUDY [--metric NAME …] [--phrase TEXT …] [--wordnet DIR] [--model DIR]`."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from analysis.computed_metrics import compute_metrics, reference_free, texts_of
from analysis.metrics import CORE, METRICS, MetricSettings
from analysis.metrics.onnx_model import OnnxModel
from survey.queries import StudyNotFound, find_study


class Command(BaseCommand):
    help = (
        "Compute automatic metrics of a study's responses, such as ROUGE-L. The next analysis has "
        "their means by system, and holds them against people's ratings."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="STUDY", help="slug or slug@version")
        parser.add_argument(
            "--metric",
            action="append",
            default=[],
            metavar="NAME",
            help="only this metric; can be repeated (default: all that need no model or folder)",
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

    def handle(
        self,
        *,
        slug: str,
        metric: list[str],
        phrase: list[str],
        wordnet: Path | None,
        model: Path | None,
        **options: Any,
    ) -> None:
        try:
            study = find_study(slug)
            vectors = OnnxModel(model) if model else None
            settings = MetricSettings(
                phrases=tuple(phrase), wordnet=wordnet, sentence_model=vectors, token_model=vectors
            )
            names = list(dict.fromkeys(metric)) or _possible(settings)
            if not metric and texts_of(study)["reference"].isna().all():
                names = reference_free(names)
            with tqdm(unit="value", disable=None) as bar:

                def progress(done: int, total: int) -> None:
                    bar.total = total
                    bar.update(done - bar.n)

                stored = compute_metrics(study, names, settings, progress)
        except (StudyNotFound, ValueError, ImportError, OSError) as problem:
            raise CommandError(str(problem)) from None
        for each in stored:
            n = each.values.filter(value__isnull=False).count()
            self.stdout.write(f"{each.name}: {n} of {each.values.count()} responses have a value")
        self.stdout.write(f"Next: manage.py analyze {study.slug}")


def _possible(settings: MetricSettings) -> list[str]:
    """The metrics for which everything is given."""
    return [name for name, m in METRICS.items() if name in CORE or getattr(settings, m.needs)]
