"""`manage.py judge STUDY [--judge NAME …] [--retry] [--wait] [--dry-run] [--reread]`."""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from kombu.exceptions import OperationalError

from config.celery import wake
from judge.advice import advice
from judge.asking import ended_incomplete, outcomes_in_words
from judge.configure import move_judges_here
from judge.endpoint_traits import traits_at
from judge.endpoints import endpoint_if_set_up, endpoint_of
from judge.management.waiting import Seen, wait_for
from judge.models import Attempt, Call, Judge, StructuredOutput
from judge.plans import missing_calls, missing_tokens, plan_calls
from judge.probing import structured_output
from judge.queries import (
    Progress,
    failure_reasons,
    keeps_shared_seeds,
    progress,
    wanted_calls,
)
from judge.questions import ABOUT, request_for
from judge.queueing import check_names, queue_all_or_none
from judge.rereading import read_otherwise
from judge.seeds import KEPT
from judge.spending import Spent, expected_cost, spent_on
from survey.management.refusing import RefusingCommand
from survey.models import Study
from survey.queries import find_study


class Command(RefusingCommand):
    nothing = "Nothing was queued"
    to_stand_in: bool
    retry: bool

    help = (
        "Queue the missing calls of a study's judges, failed ones included, but not those whose "
        "answer was refused, filtered or cut off (see --retry). A worker makes them; without "
        "--wait the command returns at once."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="slug, or slug@version; the newest version by default")
        parser.add_argument(
            "--judge",
            action="append",
            default=[],
            metavar="NAME",
            help="only this judge; can be repeated (default: all judges)",
        )
        parser.add_argument(
            "--retry",
            action="store_true",
            help="ask again also where the answer was refused, filtered or cut off",
        )
        parser.add_argument(
            "--wait", action="store_true", help="show progress until every call has ended"
        )
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="show the first prompt, the calls and their estimated cost; change nothing",
        )
        parser.add_argument(
            "--reread",
            action="store_true",
            help="list stored answers that would be read otherwise now; change nothing",
        )
        parser.add_argument(
            "--stand-in",
            action="store_true",
            help="ask the stand-in of `make run`, which costs nothing and whose scores mean "
            "nothing, whatever endpoints are set up",
        )

    def handle(
        self,
        *,
        study: str,
        judge: list[str],
        retry: bool,
        wait: bool,
        dry_run: bool,
        reread: bool,
        stand_in: bool,
        **options: Any,
    ) -> None:
        self.to_stand_in, self.retry = stand_in, retry
        self.named = judge
        chosen = find_study(study)
        if reread:
            self.reread(chosen, judge)
            return
        if dry_run:
            self.estimate(chosen, judge)
            return
        judges = self.queue(chosen, judge)
        if wait:
            try:
                self.wait(judges)
            except KeyboardInterrupt:
                raise CommandError("Stopped waiting; the worker continues.") from None
            self.conclude(chosen, judges)

    def reread(self, study: Study, names: Sequence[str]) -> None:
        """List answers of current and earlier versions that would be read otherwise."""
        check_names(study, names)
        judges = Judge.objects.filter(study=study).order_by("name", "version")
        total = 0
        for judge in judges.filter(name__in=names) if names else judges:
            found = 0
            for each in read_otherwise(judge):
                found += 1
                self.stdout.write(
                    f"{each.attempt.call}, attempt {each.attempt.number}: "
                    f"{each.before} → {each.now}"
                )
            total += found
            self.stdout.write(f"{judge}: {found} answers would be read otherwise")
        if total:
            self.stdout.write("Nothing was changed: scores stand as they were read.")

    def estimate(self, study: Study, names: Sequence[str]) -> None:
        """Show the planned calls, from rows that are rolled back."""
        with transaction.atomic():
            chosen = [judge.name for judge in self.chosen_judges(study, names)]
            transaction.set_rollback(True)
        costs: list[Decimal | None] = []
        for name in chosen:
            with transaction.atomic():  # planning locks its endpoint: one judge at a time
                (judge,) = self.chosen_judges(study, [name])
                plan_calls(judge)
                self.describe(judge)
                costs.append(self.estimate_of(judge))
                self.show_prompt(judge)
                transaction.set_rollback(True)
        spent = spent_on(study)
        known = [cost for cost in costs if cost is not None]
        total = f"about {sum(known):.4f} US dollars" if known else "cost unknown"
        if known and len(known) < len(costs):
            total += ", without judges of unknown cost"
        self.stdout.write(f"Total: {total}; {self.described_spending(study, spent)}")
        self.stdout.write("Nothing was queued.")

    def show_prompt(self, judge: Judge) -> None:
        """Show the first prompt as it would be sent, from planned rows."""
        configuration = judge.read_configuration()
        call = wanted_calls(judge).order_by("id").select_related(*ABOUT).first()
        if call is None:
            return
        here = endpoint_if_set_up(lambda: endpoint_of(configuration))
        traits = traits_at(judge.endpoint, judge.model, here) if here else frozenset()
        structured = structured_output(judge) == StructuredOutput.Support.ENFORCED
        request = request_for(
            call, request_id="", configuration=configuration, structured=structured, traits=traits
        )
        self.stdout.write("  The first prompt:")
        for message in request.body()["messages"]:
            self.stdout.write(indented(f"[{message['role']}]\n{message['content']}"))

    def estimate_of(self, judge: Judge) -> Decimal | None:
        """Show the estimate for a judge's missing calls, from planned rows; returns their cost."""
        configuration = judge.read_configuration()
        calls = missing_calls(judge, retry=self.retry).count()
        asked, answered = missing_tokens(judge, retry=self.retry)
        each = (asked // max(calls, 1), answered // max(calls, 1))
        one = expected_cost(judge, configuration, each)
        probe = structured_output(judge) is None and calls > 0
        self.stdout.write(
            f"  about {asked:,} prompt tokens and {answered:,} answer tokens (rough estimates)"
            + (", and one request to test whether it enforces a JSON schema" if probe else "")
        )
        if one is None:
            self.stdout.write("  cost unknown: give the judge a price in study.yaml")
            return None
        cost = one * calls
        self.stdout.write(f"  about {cost:.4f} US dollars")
        return cost

    def described_spending(self, study: Study, spent: Spent) -> str:
        """The money spent, and the budget."""
        budget = study.judging.read_definition().budget
        limits = [f"{budget.money:g} US dollars"] if budget.money is not None else []
        limits += [f"{budget.requests} requests"] if budget.requests is not None else []
        allowed = f"the budget is {' and '.join(limits)}" if limits else "there is no budget"
        return f"{spent.money:.4f} US dollars spent on {spent.requests} requests; {allowed}."

    def queue(self, study: Study, names: Sequence[str]) -> list[Judge]:
        """Queue what is missing and wake a worker.

        Raises JudgeNotReady, before anything is queued.
        """
        judges = []
        for queued in queue_all_or_none(
            study, names, retry=self.retry, to_stand_in=self.to_stand_in, author=None
        ):
            for judge in queued.ready:
                self.describe(judge)
                self.wake(judge)
            judges += queued.ready
        return judges

    def chosen_judges(self, study: Study, names: Sequence[str]) -> list[Judge]:
        """The study's judges where they are to be asked, or those called `names`.

        Raises JudgeNotReady.
        """
        check_names(study, names)
        return move_judges_here(study, names, to_stand_in=self.to_stand_in)

    def wake(self, judge: Judge) -> None:
        try:
            wake("judge.run", judge.pk)
        except OperationalError as error:
            self.stderr.write(
                f"The broker does not answer ({error}). The calls are queued anyway: workers look "
                f"for work every {settings.SWEEP_SECONDS:.0f} s."
            )

    def describe(self, judge: Judge) -> None:
        wanted = wanted_calls(judge)
        total, answered = wanted.count(), wanted.filter(state=Call.State.ANSWERED).count()
        asked = f"{judge} ({judge.model} at {judge.endpoint})"
        if judge.is_stand_in:
            asked = str(judge)  # which says so
        calls = missing_calls(judge, retry=self.retry).count()
        left = {} if self.retry else ended_incomplete(wanted)
        self.stdout.write(
            f"{asked}: {calls} calls to make, {answered} of {total} answered"
            + (
                f"; {sum(left.values())} to ask again with --retry ({outcomes_in_words(left)})"
                * bool(left)
            )
        )
        if keeps_shared_seeds(judge):
            self.stdout.write(f"  {judge} {KEPT}")

    def wait(self, judges: Sequence[Judge]) -> None:
        """Show progress until every call has ended or every judge has stopped."""

        def look() -> Seen:
            each = [progress(judge) for judge in judges]
            return Seen(
                total=sum(now.total for now in each),
                done=sum(now.answered + now.failed for now in each),
                running=sum(now.running for now in each),
                attempts=sum(now.attempts for now in each),
                is_over=all(now.is_over or now.stopped for now in each),
                said=postfix(each, spent_on(judges[0].study)),
            )

        wait_for(look, unit="calls", file=self.stderr)

    def conclude(self, study: Study, judges: Sequence[Judge]) -> None:
        """Say how it ended. Raises CommandError unless every call is answered."""
        same = " ".join([f"manage.py judge {study}", *(f"--judge {name}" for name in self.named)])
        problems = []
        incomplete: Counter[str] = Counter()
        may_continue = False
        for judge in judges:
            now = progress(judge)
            left = ended_incomplete(wanted_calls(judge))
            incomplete.update(left)
            may_continue |= bool(now.stopped) or now.failed > sum(left.values())
            spent = spent_on(study, judge)
            money = f", {spent.money:.4f} US dollars" if spent.money else ""
            self.stdout.write(
                f"{judge}: {now.answered} of {now.total} calls answered, "
                f"{now.attempts} requests{money}"
            )
            others = sorted(returned_models(judge) - {judge.model})
            if others:
                self.stdout.write(
                    f"  requested model: {judge.model}; answering model: {', '.join(others)}"
                )
            if now.in_batch:
                self.stdout.write(f"  {in_batches(now)}; its answers are recorded when it ends")
            if now.stopped:
                problems.append(f"{judge} was stopped: {now.stopped}\n{what_to_do(judge)}".strip())
            if now.failed:
                reasons = "\n".join(f"  {n} × {reason}" for reason, n in failure_reasons(judge))
                problems.append(f"{judge}: {now.failed} calls failed and have no score:\n{reasons}")
        if incomplete:
            outcomes = outcomes_in_words(incomplete)
            problems.append(
                f"To ask {incomplete.total()} of them again ({outcomes}): {same} --retry"
            )
        if may_continue:
            problems.append(f"To continue: {same}")
        if problems:
            raise CommandError("\n".join(problems))


def indented(text: str) -> str:
    """A text in the terminal, set off from what is said about it."""
    return "".join(f"    {line}".rstrip() + "\n" for line in text.split("\n"))[:-1]


def returned_models(judge: Judge) -> set[str]:
    """The answering models, by their own names."""
    answered = Attempt.objects.filter(call__judge=judge, outcome=Attempt.Outcome.ANSWERED)
    return set(answered.order_by().values_list("returned_model", flat=True).distinct()) - {""}


def what_to_do(judge: Judge) -> str:
    """Advice on the last request, if it failed."""
    last = Attempt.objects.filter(call__judge=judge, ended_at__isnull=False)
    attempt = last.order_by("-ended_at", "-id").first()
    if attempt is None or attempt.outcome == Attempt.Outcome.ANSWERED:
        return ""
    return advice(attempt, judge.read_configuration().endpoint)


def in_batches(now: Progress) -> str:
    """How many calls are in a batch, and since when."""
    since = f" since {now.batch_since:%Y-%m-%d %H:%M} UTC" if now.batch_since else ""
    said = f" ({now.batch_said})" if now.batch_said else ""
    return f"{now.in_batch} in a batch{since}{said}"


def postfix(each: Sequence[Progress], spent: Spent) -> str:
    """The text after the progress bar: cost and errors so far."""
    failed, unknown = sum(now.failed for now in each), sum(now.unknown for now in each)
    errors = [now.last_error for now in each if now.last_error]
    parts = [f"{spent.money:.4f} USD"] if spent.money else []
    parts += [f"{failed} failed"] if failed else []
    parts += [f"{unknown} unknown"] if unknown else []
    parts += [in_batches(now) for now in each if now.in_batch]
    parts += [f"last problem: {errors[-1][:80]}"] if errors else []
    return ", ".join(parts)
