"""`manage.py themes list|add|rename|export|import STUDY`: codes of open answers."""

from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from analysis.theme_coding import (
    ThemeOptions,
    add_code,
    code_book,
    codes_named,
    rename_code,
)
from dashboard.importing.files import read_file
from dashboard.management.arguments import add_include, add_study
from dashboard.results.open_answers import OpenAnswers
from dashboard.results.themes import CODING_COLUMNS, coding_rows, import_file
from dashboard.shared.access import role_of
from dashboard.shared.roles import Permission
from survey.files.csv_text import csv_lines
from survey.management.option_arguments import chosen_options
from survey.management.refusing import RefusingCommand
from survey.models import Study
from survey.queries import find_study
from survey.tidy import counted_sources, reading


class Command(RefusingCommand):
    help = (
        "Code open answers by themes: show the code book and how far coders are, add or rename a "
        "code, write a file of the answers with a coder's codes, import such a file."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["list", "add", "rename", "export", "import"])
        add_study(parser)
        parser.add_argument("--name", default="", help="add: the code; rename: its present name")
        parser.add_argument("--to", default="", help="rename: the new name")
        parser.add_argument("--definition", help="add, rename: what the code means")
        parser.add_argument("--coder", default="", help="export, import: the coder's account")
        parser.add_argument("--codes", type=Path, metavar="CSV", help="import: the file")
        parser.add_argument("--out", type=Path, metavar="CSV", help="export: the file to write")
        add_include(parser, "experts or test people whose answers are coded too")

    def handle(self, *, action: str, slug: str, **options: Any) -> None:
        study = find_study(slug)
        getattr(self, f"_{action}")(study, counted_sources(options["include"]), options)

    def _list(self, study: Study, sources: list[str], options: dict[str, Any]) -> None:
        for code in code_book(study):
            self.stdout.write(f"{code.name}: {code.definition}" if code.definition else code.name)
        with reading():
            answers = OpenAnswers.of(study, sources)
            for one in answers.coders():
                done = f"{one.done} of {len(answers)}"
                self.stdout.write(f"coder {one.letter} ({one.coder}): {done}")

    def _add(self, study: Study, sources: list[str], options: dict[str, Any]) -> None:
        code = add_code(study, chosen_options(ThemeOptions, options), None)
        self.stdout.write(f"{study}: added the code {code.name!r}")

    def _rename(self, study: Study, sources: list[str], options: dict[str, Any]) -> None:
        (code,) = codes_named(study, [options["name"]])
        given = options["definition"]
        wanted = {
            "name": options["to"] or code.name,
            "definition": code.definition if given is None else given,
        }
        chosen = chosen_options(ThemeOptions, wanted, called={"name": "--to"})
        rename_code(study, code, chosen, None)
        self.stdout.write(f"{study}: the code is {code.name!r} now")

    def _export(self, study: Study, sources: list[str], options: dict[str, Any]) -> None:
        coder, out = _coder(study, options), options["out"]
        if out is None or out.exists():
            raise CommandError("export needs --out with the name of a new file")
        rows = list(coding_rows(study, sources, coder))
        out.write_text("".join(csv_lines(CODING_COLUMNS, rows)), "utf-8", newline="")
        self.stdout.write(f"{study}: {len(rows)} open answers written to {out}")

    def _import(self, study: Study, sources: list[str], options: dict[str, Any]) -> None:
        coder, file = _coder(study, options), options["codes"]
        if file is None:
            raise CommandError("import needs --codes with a file")
        n, notices = import_file(study, sources, coder, read_file(file), str(file))
        self.note(notices)
        self.stdout.write(f"{study}: codes of {n} answers imported as those of {coder}")


def _coder(study: Study, options: dict[str, Any]) -> User:
    """The account whose codes they are. Raises CommandError."""
    name = options["coder"]
    coder = User.objects.filter(username=name).first()
    role = role_of(coder, study.slug) if coder else None
    if coder is None or role is None or not role.may(Permission.CODE):
        raise CommandError(f"--coder {name!r} is no account that may code answers of {study}")
    return coder
