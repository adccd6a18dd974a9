"""The option of commands that read tables with other names."""

from argparse import ArgumentParser
from pathlib import Path


def add_map_option(parser: ArgumentParser) -> None:
    """Add `--map`."""
    parser.add_argument(
        "--map",
        dest="map_file",
        type=Path,
        metavar="YAML",
        help="mapping file for tables of other shapes and names (docs/importing.md)",
    )
