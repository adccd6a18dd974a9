"""Arguments that several commands take."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable

from survey.models import Participant


def add_study(parser: ArgumentParser) -> None:
    """Add `slug`, which names a study and maybe its version."""
    parser.add_argument("slug", metavar="STUDY", help="slug, or slug@version (default: the newest)")


def add_include(parser: ArgumentParser, about: str) -> None:
    """Add `--include`, with its help."""
    parser.add_argument(
        "--include",
        nargs="+",
        action="extend",
        default=[],
        choices=[str(source) for source in Participant.NOT_COUNTED],
        help=about,
    )


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """The `type` of an argument that takes a whole number of this range."""

    def read(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise ArgumentTypeError(f"{text!r} is no whole number from {least} to {most}")
        return int(text)

    return read
