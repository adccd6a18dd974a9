"""`manage.py corpus import|filter|show|sample|generate|responses|chats|delete …`."""

from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

from django.core.management.base import CommandParser
from pydantic import ValidationError
from tqdm import tqdm

from corpus.dialogues import PRESETS, Layout, layout_of
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
from corpus.problems import CorpusProblem
from corpus.store import draw_sample, filter_corpus, import_corpus
from survey.files.encoding import decode
from survey.files.problems import read_bytes
from survey.management.refusing import RefusingCommand

#: The seed of published samples, and ours.
SEED = 42


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
        with tqdm(total=total, unit=" dialogues", file=self.stderr, dynamic_ncols=True) as bar:

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
    parser.add_argument("--name", required=True, help="name of the new corpus")
    parser.add_argument("--preset", choices=PRESETS, help="the shape of a published corpus")
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
    layout = _layout(options)
    with command.progress() as progress:
        corpus = import_corpus(
            options.file, options.name, layout, preset=options.preset or "", progress=progress
        )
    command.stdout.write(f"{corpus}: {corpus.dialogues:,} dialogues imported")
    for line in corpus.source["noticed"]:
        command.stdout.write(f"  {line}")
    command.stdout.write(f"  Next: manage.py corpus filter {corpus}")
    command.stdout.write(
        "  On pages only superusers see it, until you give a role: "
        f"manage.py role {corpus} USER owner --corpus"
    )


def _layout(options: Namespace) -> Layout:
    """The layout that a preset and options describe. Raises CorpusProblem."""
    columns = [_split(option, "--column") for option in options.column]
    where = dict(_split(option, "--where") for option in options.where)
    try:
        return layout_of(options.preset or "", columns, where)
    except CorpusProblem as problem:
        raise CorpusProblem(f"--column: {problem}") from None


def _split(option: str, name: str) -> tuple[str, str]:
    left, sign, right = option.partition("=")
    if not (left and sign):
        raise CorpusProblem(f"{name} {option!r} is not of the form NAME=VALUE")
    return left, right


# Filter


def _filter_arguments(parser: CommandParser) -> None:
    parser.add_argument("corpus", help="name of a corpus")
    parser.add_argument(
        "--skip", action="append", default=[], choices=get_args(Step), help="leave out this step"
    )
    parser.add_argument(
        "--checked",
        action="append",
        choices=["prompt", "response"],
        help="text in which URLs, emoji and too few tokens are looked for (default: both)",
    )
    parser.add_argument("--min-tokens", type=int, help="fewest tokens of a text (default: 5)")
    parser.add_argument(
        "--same",
        choices=["dialogue", "prompt"],
        help="what a duplicate repeats: prompt and response, or the prompt alone",
    )
    parser.add_argument(
        "--near", type=float, help="least likeness of near-duplicates, 0.5 to 1 (default: 0.8)"
    )
    parser.add_argument(
        "--names", type=Path, metavar="FILE", help="names to replace, one a line, UTF-8"
    )


def _filter(command: Command, options: Namespace) -> None:
    corpus = find_corpus(options.corpus)
    filters = _filters(corpus, options)
    with command.progress(corpus.source["dialogues"]) as progress:
        filter_corpus(corpus, filters, progress=progress)
    _show_steps(command, corpus)
    command.stdout.write(f"  What was removed, and why: {folder_of(corpus) / 'removed.csv'}")


def _filters(corpus: Corpus, options: Namespace) -> Filters:
    """The filters of a corpus's preset, with what the options change. Raises CorpusProblem."""
    given: dict[str, Any] = {
        "checked": options.checked and tuple(options.checked),
        "min_tokens": options.min_tokens,
        "same": options.same,
        "near": options.near,
        "names": options.names and names_in(options.names),
        "steps": tuple(step for step in get_args(Step) if step not in options.skip),
    }
    try:
        return filters_of(corpus.source["preset"], given)
    except ValidationError as error:
        first = error.errors()[0]
        option = "--" + str(first["loc"][0]).replace("_", "-")
        raise CorpusProblem(f"{option} {first['input']}: {first['msg']}") from None


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
    parser.add_argument("--name", required=True, help="name of the new sample")
    parser.add_argument("--first", type=int, metavar="N", help="of the first N dialogues")
    parser.add_argument("--random", type=int, metavar="N", help="N dialogues at random")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the draw (default: {SEED})")


def _sample(command: Command, options: Namespace) -> None:
    corpus = find_corpus(options.corpus)
    for option in ("first", "random"):
        if getattr(options, option) is not None and getattr(options, option) < 1:
            raise CorpusProblem(f"--{option} must be at least 1")
    if options.first is None and options.random is None:
        raise CorpusProblem("give --first, --random or both")
    if not 0 <= options.seed < 2**32:
        raise CorpusProblem("--seed must be from 0 to 4294967295")
    sample = draw_sample(
        corpus, options.name, first=options.first, at_random=options.random, seed=options.seed
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
