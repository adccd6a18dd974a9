"""`manage.py corpus chats`."""

from argparse import Namespace
from pathlib import Path

from django.core.management.base import BaseCommand, CommandParser

from corpus.chats import PLAIN, scenario_rows, write_chats
from corpus.definition import GenerationDefinition
from corpus.folders import find_corpus
from corpus.problems import CorpusProblem
from corpus.splitting import Split, check_size
from survey.files.yaml_file import YamlFile


def chats_arguments(parser: CommandParser) -> None:
    """The arguments of `chats`."""
    parser.add_argument("corpus", help="name of a corpus")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write")
    for part in ("valid", "test"):
        parser.add_argument(
            f"--{part}",
            type=float,
            default=0.1,
            metavar="SIZE",
            help="a number of dialogues, or a share below 1 (default: 0.1)",
        )
    parser.add_argument("--seed", type=int, default=42, help="of the draw (default: 42)")
    parser.add_argument(
        "--together", action="store_true", help="dialogues of one context are in one part"
    )
    parser.add_argument(
        "--ask-as", type=Path, metavar="FILE", help="ask as this generation file asks"
    )
    parser.add_argument("--condition", help="its condition (default: the first)")


def chats(command: BaseCommand, options: Namespace) -> None:
    """Write the chats of a corpus, for training, validation and test."""
    corpus = find_corpus(options.corpus)
    for part in ("valid", "test"):
        check_size(f"--{part}", getattr(options, part))
    definition, condition = PLAIN, "plain"
    if options.ask_as:
        file = YamlFile.read(options.ask_as)
        definition = file.check(GenerationDefinition, file.plain())
        try:
            condition = definition.condition(options.condition or "")
        except CorpusProblem as problem:
            raise CorpusProblem(f"--condition: {problem}") from None
    split = Split(
        valid=options.valid,
        test=options.test,
        seed=options.seed,
        together=options.together,
        held_out=scenario_rows(corpus),
    )
    sizes = write_chats(corpus, split, options.out, definition=definition, condition=condition)
    for name, n in sizes.items():
        command.stdout.write(f"{options.out / name}.jsonl: {n} chats")
    if split.held_out:
        command.stdout.write(
            f"{len(split.held_out)} dialogues are scenarios of samples, so they are in test."
        )
