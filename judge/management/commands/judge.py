"""`manage.py judge STUDY [--wait] [--dry-run]`."""

import time
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from kombu.exceptions import OperationalError
from tqdm import tqdm

from config.celery import wake
from judge.calls import plan_calls, queue_missing
from judge.configure import JudgeNotReady, check_endpoint, current_judge
from judge.models import Judge
from judge.queries import Progress, failure_reasons, progress
from judge.questions import missing_tokens
from survey.models import Study
from survey.queries import StudyNotFound, find_study

POLL_SECONDS = 0.5
#: How long a worker may take to begin before the command says that there may be none.
PATIENCE_SECONDS = 10.0


class Command(BaseCommand):
    help = (
        "Queue the judge calls that a study still lacks, failed ones included. "
        "A worker makes them; without --wait the command returns at once."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="slug, or slug@version; the newest version by default")
        parser.add_argument(
            "--wait", action="store_true", help="show progress until every call has ended"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would be asked; change nothing"
        )

    def handle(self, *, study: str, wait: bool, dry_run: bool, **options: Any) -> None:
        try:
            found = find_study(study)
            if dry_run:
                self.estimate(found)
                return
            judge = self.queue(found)
        except (StudyNotFound, JudgeNotReady) as problem:
            raise CommandError(f"Nothing was queued: {problem}") from None
        if wait:
            try:
                self.wait(judge)
            except KeyboardInterrupt:
                raise CommandError("Stopped waiting; the worker goes on.") from None
            self.conclude(judge)

    def estimate(self, study: Study) -> None:
        """Say what would be asked, from rows that are taken back."""
        with transaction.atomic():
            judge = current_judge(study)
            plan_calls(judge)
            self.describe(judge)
            tokens = missing_tokens(judge)
            transaction.set_rollback(True)
        self.stdout.write(f"  about {tokens:,} tokens in all (a rough figure); nothing was queued")

    def queue(self, study: Study) -> Judge:
        """Queue what is missing and wake a worker. Raises JudgeNotReady."""
        with transaction.atomic():
            judge = current_judge(study)
            check_endpoint(judge.read_configuration())
            queue_missing(judge)
        self.describe(judge)
        try:
            wake("judge.run", judge.pk)
        except OperationalError as error:
            self.stderr.write(
                f"The broker does not answer ({error}). The calls are queued all the same: a "
                f"worker looks for work every {settings.SWEEP_SECONDS:.0f} s."
            )
        return judge

    def describe(self, judge: Judge) -> None:
        now = progress(judge)
        asked = f"{judge} ({settings.JUDGE_MODEL} at {settings.JUDGE_BASE_URL})"
        if judge.is_stand_in:
            asked = str(judge)  # which says so
        self.stdout.write(
            f"{asked}: {now.total - now.answered} calls to make, "
            f"{now.answered} of {now.total} answered"
        )

    def wait(self, judge: Judge) -> None:
        """Show progress until every call has ended or the judge has stopped."""
        began, now = time.monotonic(), progress(judge)
        sent_before, hinted = now.attempts, False
        with tqdm(total=now.total, unit=" calls", file=self.stderr, dynamic_ncols=True) as bar:
            while True:
                now = progress(judge)
                bar.total, bar.n = now.total, now.answered + now.failed
                bar.set_postfix_str(postfix(now))
                if now.is_over or now.stopped:
                    return
                idle = now.attempts == sent_before and not now.running
                if idle and not hinted and time.monotonic() - began > PATIENCE_SECONDS:
                    hinted = True
                    bar.write(
                        f"No worker has begun within {PATIENCE_SECONDS:.0f} s; "
                        "start one with: celery --app config worker --beat",
                        file=self.stderr,
                    )
                time.sleep(POLL_SECONDS)

    def conclude(self, judge: Judge) -> None:
        """Say how it ended. Raises CommandError unless every call is answered."""
        now = progress(judge)
        self.stdout.write(f"{now.answered} of {now.total} calls answered, {now.attempts} requests")
        if now.stopped:
            raise CommandError(
                f"{judge} was stopped: {now.stopped}\n"
                f"`manage.py judge {judge.study}` goes on from here."
            )
        if now.failed:
            reasons = "\n".join(f"  {n} × {reason}" for reason, n in failure_reasons(judge))
            raise CommandError(
                f"{now.failed} calls failed and have no score:\n{reasons}\n"
                f"`manage.py judge {judge.study}` asks for them once more."
            )


def postfix(now: Progress) -> str:
    """What stands after the bar: what went wrong so far, in a few words."""
    parts = [f"{now.failed} failed"] if now.failed else []
    parts += [f"{now.unknown} unknown"] if now.unknown else []
    parts += [f"last problem: {now.last_error[:80]}"] if now.last_error else []
    return ", ".join(parts)
