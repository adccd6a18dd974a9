"""`manage.py load_study FOLDER [--responses CSV]`."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.queries import participant_links
from dashboard.study_folder import load_folder, read_folder
from judge.queries import GoldSource, current_judges, keeps_shared_seeds, newer_than_gold
from judge.seeds import KEPT
from survey.definition import DefinitionError
from survey.definition.policy import findings
from survey.models import Study

OUTCOMES = {
    "created": "loaded as a new draft",
    "replaced": "replaced (nobody had arrived at it yet)",
    "unchanged": "unchanged",
}


class Command(BaseCommand):
    help = "Check a study folder and load it as a draft. Loading the same again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="holds study.yaml and responses.csv")
        parser.add_argument("--responses", type=Path, help="take the responses from this CSV")

    def handle(self, *, folder: Path, responses: Path | None, **options: Any) -> None:
        try:
            read = read_folder(folder, responses)
        except DefinitionError as error:
            raise CommandError(
                "\n".join(["Nothing was loaded.", *map(str, error.problems)])
            ) from None
        for notice in read.notices:
            self.stdout.write(f"Notice: {notice}")
        for finding in findings(
            read.definition,
            read.settings,
            translations=read.translations,
            prompts=[text for row in read.rows for text in (row.prompt, row.context)],
        ):
            if finding.state == "change":
                self.stdout.write(f"Notice: {finding.rule}: {finding.text}")
        loaded = load_folder(read)
        outcome = OUTCOMES[loaded.outcome]
        if loaded.updated:
            *others, last = loaded.updated
            updated = f"{', '.join(others)} and {last}" if others else last
            outcome = f"content unchanged; updated: {updated}"
        self.stdout.write(f"{loaded.study}: {outcome}")
        self._describe(loaded.study)

    def _describe(self, study: Study) -> None:
        blocks = study.blocks.count()
        presented = study.blocks.filter(responses__isnull=False).count()
        distinct = sum(scenario.responses.count() for scenario in study.scenarios.all())
        self.stdout.write(
            f"  {study.scenarios.count()} scenarios, {blocks} blocks, {presented} responses shown "
            f"({distinct} distinct), {study.systems.count()} systems"
        )
        if newer := newer_than_gold(study):
            self.stdout.write(
                f"  The gold scores stay those of an earlier version of {newer.name}. When {newer} "
                f'is scored: manage.py gold {study} "{GoldSource(judge=newer).key}"'
            )
        for judge in current_judges(study):
            if keeps_shared_seeds(judge):
                self.stdout.write(f"  {judge} {KEPT}")
        for link in participant_links(study):
            self.stdout.write(f"  {link.way + ':':<11} {link.url}")
        if "invitation" in study.settings["ways_in"]:
            self.stdout.write(f"  Personal:   manage.py invite {study.slug} --count N")
        self.stdout.write(f"  Dashboard:  {settings.SITE_URL}/studies/{study}/")
        if study.state == Study.State.DRAFT:
            self.stdout.write(f"  It is a draft: manage.py set_study {study.slug} open")
