"""`manage.py scorer train|score|card STUDY`: a scorer that learns from ratings."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError, CommandParser

from analysis.metric_options import EndpointModel, MetricOptions
from analysis.models import Scorer
from analysis.scorer_options import TrainingOptions, TrainingSettings
from analysis.scorer_requests import ScorerOptions, options_of, trained_scorer, with_vectors
from dashboard.importing.files import Findings
from dashboard.importing.texts import read_texts
from dashboard.management.arguments import add_include, add_study
from dashboard.management.progress import progress_bar
from dashboard.results.scorer_asking import ask_to_train
from jobs.runner import run_or_take_back
from survey.files.csv_text import csv_lines
from survey.files.problems import read_bytes
from survey.management.option_arguments import add_options, chosen_options
from survey.management.refusing import RefusingCommand
from survey.models import Study
from survey.queries import find_study
from survey.refusals import Conflict

if TYPE_CHECKING:
    from analysis.scorer import FittedScorer

#: Files that --out has.
SCORER, CARD = "scorer.json", "card.md"


class Command(RefusingCommand):
    help = (
        "Train a scorer on a study's ratings, or on rated texts of a file; score texts with it; "
        "show its model card, which says whether it is better than the mean."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["train", "score", "card"])
        add_study(parser)
        add_options(parser, TrainingOptions, about="train: ")
        add_include(parser, "train: experts or test people to learn from too")
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
        getattr(self, action)(find_study(slug), options)

    def train(self, study: Study, options: dict[str, Any]) -> None:
        """Train a new version here, as a worker would."""
        chosen, include = chosen_options(TrainingOptions, options), options["include"]
        if options["out"]:  # before it is trained
            options["out"].mkdir(parents=True, exist_ok=True)
        vectors = _vectors(options) or (MetricOptions() if options["ngrams"] else None)
        scorer, notices = ask_to_train(study, chosen, None, include=include, vectors=vectors)
        self.note(notices)
        with progress_bar("fit") as told:
            scorer = run_or_take_back(scorer, told=told)
        self._write(scorer, options["out"])
        self.stdout.write(scorer.card)
        self.stdout.write(f"Next: manage.py analyze {study.slug}")

    def score(self, study: Study, options: dict[str, Any]) -> None:
        """Score texts: a row per text and dimension, as CSV."""
        from analysis.scorer_making import embedder_of

        texts = [text for text in options["text"] if text.strip()]
        if options["texts"]:
            findings = Findings()
            texts += read_texts(read_bytes(options["texts"]), str(options["texts"]), findings)
            findings.refuse_if_any()
            self.note(findings.all_notices)
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


def _vectors(options: dict[str, Any]) -> MetricOptions | None:
    """The vectors that the command asks for."""
    endpoint = EndpointModel(options["embeddings_endpoint"], options["embeddings_model"])
    if options["model"] is None and endpoint == EndpointModel():
        return None
    return MetricOptions(model=options["model"], embeddings=endpoint)


def _trained(study: Study) -> Scorer:
    """The newest trained scorer. Raises CommandError, which says how to train one."""
    try:
        return trained_scorer(study)
    except Conflict as why:
        raise CommandError(f"{why} (manage.py scorer train {study.slug})") from None


def _scorer(study: Study, options: dict[str, Any]) -> "tuple[FittedScorer, ScorerOptions]":
    """The scorer to score with, and what makes its vectors."""
    from analysis.scorer import read_scorer
    from analysis.scorer_making import fitted_scorer

    path: Path | None = options["scorer"]
    if path is None:
        scorer = _trained(study)
        return fitted_scorer(scorer), options_of(scorer)
    fitted = read_scorer(read_bytes(path), str(path))
    return fitted, with_vectors(TrainingSettings(), _vectors(options) or MetricOptions())
