"""The option of commands that read tables with other names."""

from argparse import ArgumentParser
from pathlib import Path

from dashboard.importing.mapping import ABOUT_MAPS


def add_map_option(parser: ArgumentParser) -> None:
    """Add `--map`."""
    parser.add_argument(
        "--map",
        dest="map_file",
        type=Path,
        metavar="YAML",
        help=ABOUT_MAPS,
    )
