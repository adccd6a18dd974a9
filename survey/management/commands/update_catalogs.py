"""`manage.py update_catalogs`: update the translations of participants' pages."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from babel import Locale, UnknownLocaleError
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from survey import catalogs


class Command(BaseCommand):
    help = (
        "Write every text of participants' pages into the .po file of each language. Translations "
        "are kept; texts that are no longer used are removed. Then list what is left to translate."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "languages",
            nargs="*",
            metavar="LANGUAGE",
            help="name of its folder: fr, pt_BR, zh_Hans; a new one is created (default: all "
            "existing ones)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        root: Path = settings.BASE_DIR
        folders = [path.name for path in sorted((root / "locale").glob("*/"))]
        for language in options["languages"]:
            try:
                Locale.parse(language)
            except (ValueError, UnknownLocaleError):
                raise CommandError(
                    f"{language!r} is no language: give names like fr, pt_BR or zh_Hans"
                ) from None
        texts = catalogs.extract(root)
        for language in options["languages"] or folders:
            path = root / "locale" / language / "LC_MESSAGES" / "django.po"
            try:
                catalog = catalogs.update(path, texts)
            except ValueError as error:
                raise CommandError(f"{language}: {error}") from None
            left = catalogs.problems(catalog, texts)
            self.stdout.write(f"{path.relative_to(root)}: {len(texts)} texts, {len(left)} to do")
            for line in left:
                self.stdout.write(f"  {line}")
