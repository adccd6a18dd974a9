"""`manage.py simulate STUDY --participants N --seed S [--profile YAML] [--server URL]`."""

import argparse
import csv
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from tqdm import tqdm

from dashboard.prolific.steps import recruitment_of
from dashboard.shared.stand_in import prolific_is_local
from survey.definition.labels import words
from survey.files.problems import DefinitionError
from survey.files.yaml_file import YamlFile
from survey.models import Identity, Participant, Study
from survey.queries import StudyNotFound, find_study
from survey.simulated.answers import unmatched
from survey.simulated.content import Content
from survey.simulated.crowd import Rota, look_up, read_content, walk_all
from survey.simulated.plan import RaterPlan, plan_raters
from survey.simulated.profile import Behaviour, Deed, SimulationProfile
from survey.simulated.record import Crowd, record_crowd
from survey.simulated.recruiters import FromLocalProlific
from survey.simulated.walker import NotLetIn, Walk, WalkEnding, WalkError
from survey.tidy import definition_of

DEFAULT_PROFILE = Path("examples/profiles/default.yaml")


def _whole_number(least: int, most: int) -> Any:
    def read(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} to {most}")
        return int(text)

    return read


def _address(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError(f"{text!r} does not begin with http:// or https://")
    return text


class Command(BaseCommand):
    help = (
        "Send simulated raters through a study on a running server, page by page. They are "
        "labelled `simulated` and never count unless asked for by name."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "slug", metavar="STUDY", help="slug, or slug@version (default: the newest)"
        )
        parser.add_argument("--participants", type=_whole_number(1, 100_000), required=True)
        parser.add_argument(
            "--seed",
            type=_whole_number(0, 2**31 - 1),
            required=True,
            help="the same seed gives the same raters",
        )
        parser.add_argument(
            "--profile",
            type=Path,
            default=settings.BASE_DIR / DEFAULT_PROFILE,
            help=f"shares of behaviours and planted effects (default: {DEFAULT_PROFILE})",
        )
        parser.add_argument(
            "--server",
            type=_address,
            default=settings.SITE_URL,
            help=f"address of the site (default: SITE_URL, {settings.SITE_URL})",
        )
        parser.add_argument(
            "--from-prolific",
            action="store_true",
            help="they come from the local Prolific at PROLIFIC_URL, where the study is published, "
            "and enter their code there",
        )
        parser.add_argument(
            "--workers", type=_whole_number(1, 64), default=4, help="raters at once (default: 4)"
        )
        parser.add_argument(
            "--plan",
            type=Path,
            help="write each rater's behaviour to this CSV, to compare with the funnel",
        )

    def handle(
        self,
        *,
        slug: str,
        participants: int,
        seed: int,
        profile: Path,
        server: str,
        from_prolific: bool,
        workers: int,
        plan: Path | None,
        **options: Any,
    ) -> None:
        study = _study(slug)
        content = read_content(study)
        recruiter = _local_prolific(study, server, content) if from_prolific else None
        chosen = self._profile(profile, content)
        plans = plan_raters(
            profile=chosen,
            content=content,
            participants=participants,
            seed=seed,
            from_prolific=from_prolific,
        )
        if plan:
            _write_plans(plan, study, plans)
        rota = look_up(study, plans, timezone.now())
        if rota.waiting:
            record_crowd(study, Crowd(chosen, profile.name, seed, participants, from_prolific))
        started = time.monotonic()
        walks: list[Walk] = []
        todo = walk_all(rota, server=server, content=content, workers=workers, recruiter=recruiter)
        try:
            walks.extend(tqdm(todo, total=len(rota.waiting), unit="rater", disable=None))
        except NotLetIn as error:
            raise CommandError(_refusal(study, server, error)) from None
        except WalkError as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped. The same command goes on where each rater was.") from None
        finally:
            if plan:  # again, now that they have arrived and have pseudonyms
                _write_plans(plan, study, plans)
        self._report(study, rota, walks, time.monotonic() - started)

    def _profile(self, path: Path, content: Content) -> SimulationProfile:
        try:
            file = YamlFile.read(path)
            profile = file.check(SimulationProfile, file.plain())
        except DefinitionError as error:
            raise CommandError(str(error)) from None
        if path == settings.BASE_DIR / DEFAULT_PROFILE:
            return profile  # it serves every study, so much of it has no effect on any one
        for place, what in unmatched(profile, content):
            self.stderr.write(f"Notice: {file.problem(place, what)}; no effect")
        return profile

    def _report(self, study: Study, rota: Rota, walks: Sequence[Walk], seconds: float) -> None:
        if rota.already:
            self.stdout.write(f"{study}: {len(rota.already)} already took part")
        if not walks:
            return
        pages = sum(walk.pages for walk in walks)
        self.stdout.write(
            f"{study}: {len(walks)} simulated rater{'s' if len(walks) > 1 else ''}: "
            + words(_counted([walk.ending for walk in walks], WalkEnding))
        )
        self.stdout.write(
            "  behaviours: " + _counted([walk.plan.behaviour for walk in walks], Behaviour)
        )
        if deeds := _counted([walk.plan.deed for walk in walks], Deed):
            self.stdout.write(f"  at Prolific: {deeds}")
        self.stdout.write(
            f"  {sum(len(walk.sent) for walk in walks)} answers on {pages} pages "
            f"in {seconds:.1f} s ({pages / seconds:.0f} pages/s)"
        )


def _counted(values: Iterable[StrEnum | None], kinds: type[StrEnum]) -> str:
    counts = Counter(values)
    return ", ".join(f"{counts[kind]} {kind}" for kind in kinds if counts[kind])


def _study(text: str) -> Study:
    try:
        return find_study(text)
    except StudyNotFound as error:
        raise CommandError(str(error)) from None


def _local_prolific(study: Study, server: str, content: Content) -> FromLocalProlific:
    """The study on the local Prolific. Raises CommandError if it is not published there."""
    api: str = settings.PROLIFIC_URL
    if not prolific_is_local():
        raise CommandError(
            f"PROLIFIC_URL is {api}: simulated people only come from a local Prolific, see "
            "docs/prolific.md"
        )
    recruitment = recruitment_of(study, api)
    if recruitment is None or not recruitment.prolific_study_id:
        raise CommandError(f"{study} is not on the local Prolific: create and publish it there")
    url = api.removesuffix("/api/v1")
    return FromLocalProlific(url, recruitment.prolific_study_id, server, content)


def _refusal(study: Study, server: str, error: NotLetIn) -> str:
    study.refresh_from_db(fields=["state", "is_rehearsal"])
    if study.state in (Study.State.PAUSED, Study.State.CLOSED):
        return (
            f"{study} is {study.state} and takes nobody new: "
            f"manage.py set_study {study} open{' --rehearsal' if study.is_rehearsal else ''}, "
            "then simulate again"
        )
    return (
        f"{server} does not accept simulated raters from here: its SIMULATION_KEY (without one, "
        f"its SECRET_KEY) is another. It said: {error}"
    )


def _write_plans(path: Path, study: Study, plans: Sequence[RaterPlan]) -> None:
    """One row for each rater; `participant` is their pseudonym, once they have arrived."""
    pseudonyms = dict(
        Identity.objects.filter(
            slug=study.slug,
            participant__source=Participant.Source.SIMULATED,
            key__in=[plan.person for plan in plans],
        ).values_list("key", "participant__pseudonym")
    )
    checks = definition_of(study).attention_checks
    rights = {check.name: check.right_answer for check in checks}
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(
                [
                    *("participant", "person", "behaviour", "minutes", "blocks", "checks_failed"),
                    "at_prolific",
                ]
            )
            for plan in plans:
                failed = sum(answer != rights[name] for name, answer in plan.checks.items())
                writer.writerow(
                    [
                        pseudonyms.get(plan.person, ""),
                        plan.person,
                        plan.behaviour,
                        f"{plan.minutes:.2f}",
                        plan.blocks,
                        failed,
                        plan.deed or "",
                    ]
                )
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from None
