"""`manage.py corpus chats`."""

from argparse import Namespace
from pathlib import Path

from django.core.management.base import BaseCommand, CommandParser

from corpus.chats import PLAIN, scenario_rows, write_chats
from corpus.folders import find_corpus
from corpus.options import ChatsOptions
from corpus.splitting import Split
from survey.management.option_arguments import add_options, chosen_options


def chats_arguments(parser: CommandParser) -> None:
    """The arguments of `chats`."""
    parser.add_argument("corpus", help="name of a corpus")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write")
    add_options(parser, ChatsOptions)


def chats(command: BaseCommand, options: Namespace) -> None:
    """Write the chats of a corpus, for training, validation and test."""
    corpus = find_corpus(options.corpus)
    chosen = chosen_options(ChatsOptions, vars(options))
    definition, condition = chosen.asked_as() or (PLAIN, "plain")
    split = Split(
        valid=chosen.valid,
        test=chosen.test,
        seed=chosen.seed,
        together=chosen.together,
        held_out=scenario_rows(corpus),
    )
    sizes = write_chats(corpus, split, options.out, definition=definition, condition=condition)
    for name, n in sizes.items():
        command.stdout.write(f"{options.out / name}.jsonl: {n} chats")
    if split.held_out:
        command.stdout.write(
            f"{len(split.held_out)} dialogues are scenarios of samples, so they are in test."
        )
