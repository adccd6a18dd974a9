"""`manage.py load_study FOLDER [--responses CSV]`."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from dashboard.design.shown_pages import pages_in_words
from dashboard.design.study_folder import before_opening, load_folder, read_folder
from dashboard.management.mapping import add_map_option
from dashboard.overview.links import participant_links
from judge.queries import current_judges, keeps_shared_seeds, newer_than_gold
from judge.seeds import KEPT
from survey.definition.labels import words
from survey.definition.policy import on_prolific
from survey.definition.responses import LANGUAGE
from survey.definition.settings import ENDINGS, Settings
from survey.definition.text_language import in_words
from survey.management.refusing import RefusingCommand
from survey.models import Study
from survey.text_languages import response_languages
from survey.tidy import comparison_in, definition_of

OUTCOMES = {
    "created": "loaded as a new draft",
    "replaced": "replaced (nobody had arrived at it yet)",
    "unchanged": "unchanged",
}


class Command(RefusingCommand):
    nothing = "Nothing was loaded"
    help = "Check a study folder and load it as a draft. Loading it again unchanged does nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "folder",
            type=Path,
            help="folder with study.yaml and responses.csv (or .tsv, .xlsx)",
        )
        parser.add_argument(
            "--responses", type=Path, metavar="FILE", help="take the responses from this file"
        )
        add_map_option(parser)

    def handle(
        self, *, folder: Path, responses: Path | None, map_file: Path | None, **options: Any
    ) -> None:
        read = read_folder(folder, responses, map_file)
        for notice in read.notices:
            self.stdout.write(f"Notice: {notice}")
        loaded = load_folder(read)
        harm, rest = before_opening(read, loaded.study)
        for notice in rest:
            self.stdout.write(f"Notice: {notice}")
        for reason in harm:
            self.stdout.write(f"Not ready to open: {reason}")
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
        if comparison := comparison_in(study):
            self.stdout.write(f"  Compares {comparison.in_words}")
        elif reference := definition_of(study).reference:
            named = f"{reference.model}, {reference.condition}"
            self.stdout.write(f"  Compares each system with the reference ({named})")
        found = response_languages(study).values()
        are_stated = all(language.how == "stated" for language in found)
        otherwise = "" if are_stated else f"; set {LANGUAGE} to say otherwise"
        self.stdout.write(f"  {'; '.join(in_words(found))}{otherwise}")
        if pages := pages_in_words(study):
            self.stdout.write(f"  {pages}")
        if newer := newer_than_gold(study):
            self.stdout.write(
                f"  The gold scores stay those of an earlier version. When {newer} is scored: "
                f'manage.py gold {study} "{newer.key}"'
            )
        for judge in current_judges(study):
            if keeps_shared_seeds(judge):
                self.stdout.write(f"  {judge} {KEPT}")
        for link in participant_links(study):
            self.stdout.write(f"  {link.way + ':':<11} {link.url}")
        if "invitation" in study.settings["ways_in"]:
            self.stdout.write(f"  Personal:   manage.py invite {study.slug} --count N")
        self.stdout.write(f"  Dashboard:  {settings.SITE_URL}/studies/{study}/")
        self._tell_codes(Settings.model_validate(study.settings))
        if study.state == Study.State.DRAFT:
            self.stdout.write("  It is a draft, for previews and simulated raters only.")
            if study.frozen_at is None:  # else real people's ratings were imported
                self.stdout.write(
                    f"  Try it out: manage.py set_study {study.slug} open --rehearsal"
                )
            self.stdout.write(f"  For real:   manage.py set_study {study.slug} open")

    def _tell_codes(self, settings: Settings) -> None:
        prolific = on_prolific(settings)
        if prolific is None:
            return
        self.stdout.write("  Codes to enter on Prolific:")
        for ending in ENDINGS:
            if code := prolific.code(ending):
                self.stdout.write(f"    {words(ending) + ':':<17} {code}")
