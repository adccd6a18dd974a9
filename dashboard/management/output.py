"""What `analyze` and `export` have in common: files about a study, written into a folder."""

from abc import ABC, abstractmethod
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.checks import Tags

from dashboard.management.arguments import add_include, add_study
from dashboard.share.output_folder import output_folder
from dashboard.shared.log import record
from survey.management.refusing import RefusingCommand
from survey.models import Study
from survey.queries import find_study
from survey.tidy import counted_sources


def _folder(text: str) -> Path:
    """Raises ArgumentTypeError for no name: an empty variable is not this folder."""
    if not text.strip():
        raise ArgumentTypeError("give the name of a folder, or . for this one")
    return Path(text)


class OutputCommand(RefusingCommand, ABC):
    """Writes files about a study as it is now; all of them or none."""

    # All of Django's checks would load every page, which takes longer than most exports.
    requires_system_checks = (Tags.models,)
    #: The file that lists the others, so that a later run recognises its own files.
    manifest: str
    #: What the files are, for the message at the end.
    what: str

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        parser.add_argument("--out", type=_folder, required=True, metavar="DIR")
        add_include(parser, "experts or test people to count too; every file then names them")

    @abstractmethod
    def write(
        self, study: Study, sources: Sequence[str], folder: Path, options: dict[str, Any]
    ) -> dict[str, Any]:
        """Write the files about everyone from `sources` into `folder`. Returns further entries of
        the manifest.
        """

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["slug"])
        with output_folder(options["out"], manifest=self.manifest) as output:
            sources = counted_sources(options["include"])
            output.manifest |= self.write(study, sources, output.path, options)
        whose = " with ".join([self.what, *options["include"]])
        record(study, None, "exported", name=whose)
        absent: dict[str, list[str]] = {}
        for name, reason in output.manifest["absent"].items():
            absent.setdefault(reason, []).append(name)
        for reason, names in absent.items():
            self.stderr.write(f"Note: no {', '.join(names)}: {reason}")
        self.stdout.write(f"{study}: {self.what} written to {options['out']}")
