"""`manage.py corpus generate` and `responses`."""

from argparse import Namespace
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from kombu.exceptions import OperationalError

from config.celery import wake
from corpus.definition import MissingTexts
from corpus.folders import find_sample
from corpus.models import Generator, Sample
from corpus.options import GenerationOptions
from corpus.planning import (
    PlannedSystem,
    Progress,
    asked_definition,
    failure_reasons,
    not_accepted,
    not_asked_again,
    plan_asked,
    progress,
    queue,
    total_cost,
)
from corpus.responses import write_responses
from judge.asking import outcomes_in_words
from judge.completions import Ended
from judge.management.waiting import Seen, wait_for
from survey.management.option_arguments import add_options, chosen_options


def generate_arguments(parser: CommandParser) -> None:
    """The arguments of `generate`."""
    parser.add_argument("sample", help="name of a sample")
    parser.add_argument(
        "file",
        type=Path,
        nargs="?",
        help="generation file (YAML); the sample's last one by default",
    )
    add_options(parser, GenerationOptions, without=["file"])
    parser.add_argument(
        "--wait", action="store_true", help="show progress until all texts are there"
    )


def generate(command: BaseCommand, options: Namespace) -> None:
    """Plan and queue the texts of a sample; a worker generates them."""
    sample = find_sample(options.sample)
    asked = chosen_options(GenerationOptions, vars(options))
    planned = plan_asked(sample, asked_definition(sample, asked), asked)
    _describe(command, sample, planned)
    if asked.dry_run:
        command.stdout.write("Nothing was queued.")
        return
    for generator in queue(planned, retry=asked.retry):
        _wake(command, generator)
    if options.wait:
        try:
            wait_for(lambda: _seen(progress(sample)), unit="texts", file=command.stderr)
        except KeyboardInterrupt:
            raise CommandError("Stopped waiting; the worker continues.") from None
        _conclude(command, sample)


def _describe(command: BaseCommand, sample: Sample, planned: list[PlannedSystem]) -> None:
    scenarios = sample.scenarios.count()
    command.stdout.write(f"{sample}: {scenarios} scenarios, {len(planned)} systems")
    for each in planned:
        cost = "cost unknown" if each.cost is None else f"about {each.cost:.4f} US dollars"
        cost = "" if each.missing == 0 else f", {cost}"
        command.stdout.write(
            f"  {each.model}, {each.condition} ({each.asked_as}): "
            f"{each.missing} of {each.texts} texts missing{cost}"
        )
    if left := not_asked_again(planned):
        command.stdout.write(
            f"{sum(left.values())} to ask again with --retry ({outcomes_in_words(left)})"
        )
    total = total_cost(planned)
    cost = "cost unknown" if total is None else f"about {total:.4f} US dollars"
    command.stdout.write(f"Total: {cost}")


def _wake(command: BaseCommand, generator: Generator) -> None:
    try:
        wake("corpus.generate", generator.pk)
    except OperationalError as error:
        command.stderr.write(
            f"The broker does not answer ({error}). The texts are queued anyway: workers look "
            f"for work every {settings.SWEEP_SECONDS:.0f} s."
        )


def _seen(now: Progress) -> Seen:
    parts = [f"{now.spent.money:.4f} USD"] if now.spent.money else []
    parts += [f"{now.failed} failed"] if now.failed else []
    parts += [f"last problem: {now.last_error[:80]}"] if now.last_error else []
    return Seen(
        total=now.total,
        done=now.answered + now.failed,
        running=now.running,
        attempts=now.attempts,
        is_over=now.is_over,
        said=", ".join(parts),
    )


def _conclude(command: BaseCommand, sample: Sample) -> None:
    """Say how it ended. Raises CommandError unless every text is there."""
    now = progress(sample)
    money = f", {now.spent.money:.4f} US dollars" if now.spent.money else ""
    command.stdout.write(
        f"{sample}: {now.answered} of {now.total} texts, {now.attempts} requests{money}"
    )
    for ended, n in now.endings.items():
        command.stdout.write(f"  {n} {Ended(ended).in_words}")
    for notice, n in now.notices.items():
        command.stdout.write(f"  {n} × {notice}")
    for line in not_accepted(sample):
        command.stdout.write(f"  {line}")
    problems = [f"It was stopped: {reason}" for reason in now.stopped]
    if now.failed:
        reasons = "\n".join(f"  {n} × {reason}" for reason, n in failure_reasons(sample))
        problems.append(f"{now.failed} texts failed:\n{reasons}")
    left = sum(now.incomplete.values())
    if left:
        again = f"To ask {left} of them again ({outcomes_in_words(now.incomplete)})"
        problems.append(f"{again}: manage.py corpus generate {sample} --retry --wait")
    if now.stopped or now.failed > left:
        problems.append(f"To continue: manage.py corpus generate {sample} --wait")
    if problems:
        if now.answered + now.failed == now.total and now.answered:
            problems.append(
                f"To go on without them: manage.py corpus responses {sample} --leave-out …"
            )
        raise CommandError("\n".join(problems))


def responses_arguments(parser: CommandParser) -> None:
    """The arguments of `responses`."""
    parser.add_argument("sample", help="name of a sample")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="study folder")
    add_options(parser, MissingTexts)


def responses(command: BaseCommand, options: Namespace) -> None:
    """Write the responses of a study, and the record of how each text was generated."""
    missing_texts = chosen_options(MissingTexts, vars(options))
    rows, said = write_responses(find_sample(options.sample), options.out, missing_texts)
    for name, n in rows.items():
        command.stdout.write(f"{options.out / name}: {n} rows")
    for line in said:
        command.stdout.write(f"  {line}")
