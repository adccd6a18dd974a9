"""`manage.py scorer train|score|card STUDY`: a scorer that learns from ratings."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analysis.metric_options import EndpointModel, MetricOptions, installed_options
from analysis.models import Scorer
from analysis.scorer_labels import HEAD_LABELS
from analysis.scorer_requests import (
    ScorerOptions,
    current_scorer,
    options_of,
    request_scorer,
    with_vectors,
)
from dashboard.importing.files import Findings, ImportRefused, read_file
from dashboard.importing.rated_texts import read_rated_texts
from dashboard.importing.texts import read_texts
from dashboard.management.progress import progress_bar
from dashboard.shared.log import record
from jobs.runner import NotDone, run_at_once
from survey.files.csv_text import csv_lines
from survey.models import Participant, Study
from survey.queries import StudyNotFound, find_study
from survey.tidy import counted_sources, definition_of, dimensions_of

if TYPE_CHECKING:
    from analysis.scorer import FittedScorer

#: Files that --out has.
SCORER, CARD = "scorer.json", "card.md"


class Command(BaseCommand):
    help = (
        "Train a scorer on a study's ratings, or on rated texts of a file; score texts with it; "
        "show its model card, which says whether it is better than the mean."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["train", "score", "card"])
        parser.add_argument("slug", metavar="STUDY", help="slug or slug@version")
        parser.add_argument(
            "--ratings",
            type=Path,
            metavar="CSV",
            help="train: rated texts (text, rating; dimension, scenario, system) in place of the "
            "study's own ratings",
        )
        parser.add_argument(
            "--include",
            nargs="+",
            action="extend",
            default=[],
            choices=[str(source) for source in Participant.NOT_COUNTED],
            help="train: experts or test people to learn from too",
        )
        parser.add_argument("--head", choices=list(HEAD_LABELS), default="ridge", help="train")
        parser.add_argument(
            "--confidence", type=float, default=0.95, help="train: of prediction intervals"
        )
        parser.add_argument("--seed", type=int, default=1, help="train: of everything random")
        parser.add_argument(
            "--model", type=Path, metavar="DIR", help="vectors: model.onnx and tokenizer.json"
        )
        parser.add_argument(
            "--embeddings-endpoint", default="", metavar="NAME", help="vectors: an endpoint"
        )
        parser.add_argument(
            "--embeddings-model", default="", metavar="NAME", help="the model to ask for there"
        )
        parser.add_argument(
            "--ngrams",
            action="store_true",
            help="vectors: n-grams, even where this installation has embeddings",
        )
        parser.add_argument("--text", action="append", default=[], help="score: a text")
        parser.add_argument(
            "--texts", type=Path, metavar="CSV", help="score: a file with the column text"
        )
        parser.add_argument(
            "--scorer", type=Path, metavar="JSON", help="score: a scorer.json of another study"
        )
        parser.add_argument(
            "--out",
            type=Path,
            metavar="PATH",
            help=f"train, card: a folder for {SCORER} and {CARD}; score: a CSV file",
        )

    def handle(self, *, action: str, slug: str, **options: Any) -> None:
        from analysis.metric_settings import NOT_COMPUTED

        actions: dict[str, Callable[[Study, dict[str, Any]], None]] = {
            "train": self.train,
            "score": self.score,
            "card": self.card,
        }
        try:
            actions[action](find_study(slug), options)
        except (StudyNotFound, *NOT_COMPUTED) as problem:
            raise CommandError(str(problem)) from None
        except ImportRefused as problem:
            raise CommandError(f"Nothing was changed.\n{problem}") from None

    def train(self, study: Study, options: dict[str, Any]) -> None:
        """Train a new version here, as a worker would."""
        from analysis.scorer import TrainingSettings

        chosen = _options(options)
        TrainingSettings(chosen.head, chosen.confidence, chosen.seed).check()
        given = self._rated_texts(study, options["ratings"]) if options["ratings"] else None
        sources = [] if given is not None else counted_sources(options["include"])
        scorer = request_scorer(study, chosen, sources=sources, given=given)
        try:
            with progress_bar("fit") as told:
                scorer = run_at_once(scorer, told=told)
        except NotDone as why:
            # Without a version that was never there; a worker may have taken over meanwhile.
            Scorer.objects.filter(pk=scorer.pk, state__in=Scorer.WITHOUT_RESULT).delete()
            raise CommandError(str(why)) from None
        record(study, None, "scorer requested", name=scorer.name)
        self._write(scorer, options["out"])
        self.stdout.write(scorer.card)
        self.stdout.write(f"Next: manage.py analyze {study.slug}")

    def _rated_texts(self, study: Study, path: Path) -> list[dict[str, Any]]:
        data, findings = read_file(path), Findings()
        dimensions = dimensions_of(definition_of(study))
        rows = read_rated_texts(data, str(path), findings, dimensions=dimensions)
        findings.refuse_if_any()
        if not rows:
            raise ImportRefused(f"{path}: the file has no rated texts")
        for notice in findings.all_notices:
            self.stderr.write(f"Note: {notice}")
        return rows

    def score(self, study: Study, options: dict[str, Any]) -> None:
        """Score texts: a row per text and dimension, as CSV."""
        from analysis.scorer_making import embedder_of

        texts = [text for text in options["text"] if text.strip()]
        if options["texts"]:
            findings = Findings()
            texts += read_texts(read_file(options["texts"]), str(options["texts"]), findings)
            findings.refuse_if_any()
            for notice in findings.all_notices:
                self.stderr.write(f"Note: {notice}")
        if not texts:
            raise CommandError("give texts: --text TEXT, or --texts CSV with the column text")
        fitted, vectors = _scorer(study, options)
        with embedder_of(vectors) as embedder:
            table = fitted.scores(texts, embedder)
        table["text"] = [texts[place] for place in table["text"]]
        rows = table.astype(object).where(table.notna(), None).itertuples(index=False, name=None)
        content = "".join(csv_lines([str(name) for name in table], rows))
        if options["out"] is None:
            self.stdout.write(content, ending="")
            return
        options["out"].write_text(content, encoding="utf-8")
        self.stdout.write(f"{len(texts)} texts scored: {options['out']}")

    def card(self, study: Study, options: dict[str, Any]) -> None:
        """Show the model card of the newest trained scorer."""
        scorer = _trained(study)
        self._write(scorer, options["out"])
        self.stdout.write(scorer.card)

    def _write(self, scorer: Scorer, folder: Path | None) -> None:
        if folder is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        (folder / SCORER).write_text(scorer.content, encoding="utf-8")
        (folder / CARD).write_text(scorer.card, encoding="utf-8")
        self.stdout.write(f"{SCORER} and {CARD} written to {folder}")


def _trained(study: Study) -> Scorer:
    scorer = current_scorer(study)
    if scorer is None:
        raise CommandError(f"{study} has no trained scorer: manage.py scorer train {study.slug}")
    return scorer


def _options(options: dict[str, Any]) -> ScorerOptions:
    """What the command says; where it says nothing of vectors, those of the installation."""
    chosen = ScorerOptions(
        head=options["head"],
        confidence=options["confidence"],
        seed=options["seed"],
        file=options["ratings"].name if options["ratings"] else "",
    )
    vectors = _vectors(options)
    if vectors is None:
        vectors = MetricOptions() if options["ngrams"] else installed_options()
    return with_vectors(chosen, vectors)


def _vectors(options: dict[str, Any]) -> MetricOptions | None:
    """The vectors that the command asks for."""
    endpoint = EndpointModel(options["embeddings_endpoint"], options["embeddings_model"])
    if options["model"] is None and endpoint == EndpointModel():
        return None
    return MetricOptions(model=options["model"], embeddings=endpoint)


def _scorer(study: Study, options: dict[str, Any]) -> "tuple[FittedScorer, ScorerOptions]":
    """The scorer to score with, and what makes its vectors."""
    from analysis.scorer import read_scorer
    from analysis.scorer_making import fitted_scorer

    path: Path | None = options["scorer"]
    if path is None:
        scorer = _trained(study)
        return fitted_scorer(scorer), options_of(scorer)
    fitted = read_scorer(read_file(path), str(path))
    return fitted, with_vectors(ScorerOptions(), _vectors(options) or MetricOptions())
