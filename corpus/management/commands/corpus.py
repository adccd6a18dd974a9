"""`manage.py corpus import|filter|show|sample|generate|responses|chats|delete …`."""

from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

from django.core.management.base import CommandParser
from tqdm import tqdm

from corpus.dialogues import Layout, layout_of
from corpus.filters import Filters, Step, filters_of
from corpus.folders import delete_corpus, delete_sample, find_corpus, find_sample, folder_of
from corpus.management.generating import (
    generate,
    generate_arguments,
    responses,
    responses_arguments,
)
from corpus.management.tuning import chats, chats_arguments
from corpus.models import Corpus, Sample
from corpus.options import ImportOptions, SampleOptions, pair_of
from corpus.problems import CorpusProblem
from corpus.store import draw_sample, filter_corpus, import_corpus
from survey.files.encoding import decode
from survey.files.problems import read_bytes
from survey.management.option_arguments import add_options, chosen_options
from survey.management.refusing import RefusingCommand

#: Options that `--column` and `--where` say.
COLUMNS = ("no_response", "prompt", "response", "context", "messages", "where")


class Command(RefusingCommand):
    nothing = "Nothing was changed"
    help = "Corpora of dialogues: import, filter, draw scenarios, generate responses."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        for name, (about, arguments, _) in ACTIONS.items():
            arguments(actions.add_parser(name, help=about, description=about))

    def handle(self, *, action: str, **options: Any) -> None:
        ACTIONS[action][2](self, Namespace(**options))

    @contextmanager
    def progress(self, total: int | None = None) -> Iterator[Callable[[int], None]]:
        """A bar in the terminal, told how many more dialogues are done."""
        with tqdm(
            total=total, unit=" dialogues", file=self.stderr, disable=None, dynamic_ncols=True
        ) as bar:

            def add(n: int) -> None:
                bar.update(n)

            yield add

    def table(self, rows: list[tuple[object, ...]]) -> None:
        """Rows with the first column left and others right."""
        texts = [[f"{c:,}" if isinstance(c, int) else str(c) for c in row] for row in rows]
        widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
        for first, *others in texts:
            cells = [c.rjust(width) for c, width in zip(others, widths[1:], strict=True)]
            self.stdout.write(f"  {first.ljust(widths[0])}  {'  '.join(cells)}".rstrip())


# Import


def _import_arguments(parser: CommandParser) -> None:
    parser.add_argument("file", type=Path, help="a file of .csv, .tsv, .jsonl or .parquet")
    add_options(parser, ImportOptions, without=COLUMNS)
    parser.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="PART=COLUMN",
        help="where the file has the prompt, response, context (can be repeated) or messages",
    )
    parser.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="COLUMN=VALUE",
        help="only records with this value; can be repeated",
    )


def _import(command: Command, options: Namespace) -> None:
    chosen = chosen_options(ImportOptions, vars(options) | dict.fromkeys(COLUMNS))
    layout = _layout(chosen.preset, options)
    with command.progress() as progress:
        corpus = import_corpus(
            options.file, chosen.name, layout, preset=chosen.preset, progress=progress
        )
    command.stdout.write(f"{corpus}: {corpus.dialogues:,} dialogues imported")
    for line in corpus.source["noticed"]:
        command.stdout.write(f"  {line}")
    command.stdout.write(f"  Next: manage.py corpus filter {corpus}")
    command.stdout.write(
        "  On pages only superusers see it, until you give a role: "
        f"manage.py role {corpus} USER owner --corpus"
    )


def _layout(preset: str, options: Namespace) -> Layout:
    """The layout that a preset and options describe. Raises CorpusProblem."""
    columns = [_pair(option, "--column") for option in options.column]
    where = dict(_pair(option, "--where") for option in options.where)
    try:
        return layout_of(preset, columns, where)
    except CorpusProblem as problem:
        raise CorpusProblem(f"--column: {problem}") from None


def _pair(option: str, name: str) -> tuple[str, str]:
    try:
        return pair_of(option, "of the form NAME=VALUE")
    except ValueError as problem:
        raise CorpusProblem(f"{name} {problem}") from None


# Filter


def _filter_arguments(parser: CommandParser) -> None:
    parser.add_argument("corpus", help="name of a corpus")
    parser.add_argument(
        "--skip", action="append", default=[], choices=get_args(Step), help="leave out this step"
    )
    add_options(parser, Filters, without=["steps", "names"], has_defaults=False)
    parser.add_argument(
        "--names", type=Path, metavar="FILE", help="names to replace, one a line, UTF-8"
    )


def _filter(command: Command, options: Namespace) -> None:
    corpus = find_corpus(options.corpus)
    given = vars(options) | {
        "names": options.names and names_in(options.names),
        "steps": [step for step in get_args(Step) if step not in options.skip],
    }
    chosen = chosen_options(Filters, given).model_dump(exclude_unset=True)
    filters = filters_of(corpus.source["preset"], chosen)
    with command.progress(corpus.source["dialogues"]) as progress:
        filter_corpus(corpus, filters, progress=progress)
    _show_steps(command, corpus)
    command.stdout.write(f"  What was removed, and why: {folder_of(corpus) / 'removed.csv'}")


def names_in(path: Path) -> tuple[str, ...]:
    """The names of a file, one a line. Raises DefinitionError."""
    text = decode(read_bytes(path), file=str(path))
    return tuple(filter(None, map(str.strip, text.splitlines())))


# Show


def _show_arguments(parser: CommandParser) -> None:
    parser.add_argument("corpus", nargs="?", help="name of a corpus; all by default")


def _show(command: Command, options: Namespace) -> None:
    if options.corpus:
        corpus = find_corpus(options.corpus)
        source = corpus.source
        command.stdout.write(f"{corpus}: {source['dialogues']:,} dialogues of {source['file']}")
        if corpus.filtered:
            _show_steps(command, corpus)
        command.stdout.write(f"  Files: {folder_of(corpus)}")
        for sample in corpus.samples.all():
            command.stdout.write(f"  Sample {sample}: {sample.scenarios.count()} scenarios")
        return
    for corpus in Corpus.objects.all():
        command.stdout.write(f"{corpus}: {corpus.dialogues:,} dialogues")
    if not Corpus.objects.exists():
        command.stdout.write("There is no corpus yet.")


def _show_steps(command: Command, corpus: Corpus) -> None:
    assert corpus.filtered is not None
    command.stdout.write(f"{corpus}: {corpus.dialogues:,} dialogues left")
    rows: list[tuple[object, ...]] = [("step", "before", "removed", "changed", "left")]
    rows += [tuple(step.values()) for step in corpus.filtered["steps"]]
    command.table(rows)


# Sample


def _sample_arguments(parser: CommandParser) -> None:
    parser.add_argument("corpus", help="name of a corpus")
    add_options(parser, SampleOptions)


def _sample(command: Command, options: Namespace) -> None:
    corpus = find_corpus(options.corpus)
    chosen = chosen_options(SampleOptions, vars(options))
    sample = draw_sample(
        corpus, chosen.name, first=chosen.first, at_random=chosen.random, seed=chosen.seed
    )
    scenarios = list(sample.scenarios.all())
    command.stdout.write(f"{sample}: {len(scenarios)} scenarios of {corpus}")
    for scenario in scenarios[:10]:
        command.stdout.write(f"  {scenario.name} (row {scenario.row}): {scenario.prompt[:70]!r}")
    if len(scenarios) > 10:
        command.stdout.write(f"  and {len(scenarios) - 10} more")


# Delete


def _delete_arguments(parser: CommandParser) -> None:
    parser.add_argument("name", help="name of a corpus or, with --sample, of a sample")
    parser.add_argument("--sample", action="store_true", help="delete a sample")
    parser.add_argument("--texts", action="store_true", help="with its generated texts")


def _delete(command: Command, options: Namespace) -> None:
    gone: Corpus | Sample
    if options.sample:
        gone = find_sample(options.name)
        delete_sample(gone, with_texts=options.texts)
    else:
        gone = find_corpus(options.name)
        delete_corpus(gone)
    command.stdout.write(f"{options.name} is deleted.")


Arguments = Callable[[CommandParser], None]
#: What each action is about, its arguments, and what it does.
ACTIONS: dict[str, tuple[str, Arguments, Callable[[Any, Namespace], None]]] = {
    "import": ("Read dialogues from a file.", _import_arguments, _import),
    "filter": ("Clean a corpus; each step with its count.", _filter_arguments, _filter),
    "show": ("Corpora, or one of them with its steps and samples.", _show_arguments, _show),
    "sample": ("Draw scenarios from a corpus.", _sample_arguments, _sample),
    "generate": ("Have models answer a sample's scenarios.", generate_arguments, generate),
    "responses": ("Write responses.csv of a study.", responses_arguments, responses),
    "chats": ("Write chats to tune a model with.", chats_arguments, chats),
    "delete": ("Delete a corpus and its files, or a sample.", _delete_arguments, _delete),
}
