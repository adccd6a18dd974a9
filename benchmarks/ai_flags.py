"""How often do the rules of writing flag simulated raters who write themselves, and how often those
who do not?

    .venv/bin/python benchmarks/ai_flags.py [--answers 5000] [--save]

The ways of writing are those of `survey/simulated/writing.py`. They are simulated: no rate here is
one of people.
"""

import argparse
import csv
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from scipy.stats import binomtest

from analysis.writing_rules import WritingRules, WrittenAnswer
from benchmarks.running.tables import reported
from survey.simulated.writing import HONEST, WITH_AI, Way, written

RESULTS = Path(__file__).parent / "results" / "ai_flags.csv"
RULES = WritingRules()
ANY = "any"
#: Characters of an answer: from a sentence to a paragraph.
SHORTEST, LONGEST = 50, 600
SEED = 20260


@dataclass(frozen=True)
class Rate:
    """How many of so many answers written in a way a rule flags, with a 95 % interval (Wilson)."""

    writer: str
    way: str
    rule: str
    answers: int
    flagged: int
    rate: float
    ci_low: float
    ci_high: float


def rates_of(
    way: Way, *, writer: str, answers: int, rules: WritingRules = RULES, seed: int = SEED
) -> Iterator[Rate]:
    """The rate of each rule among answers written in one way, and of any of them."""
    raised: Counter[str] = Counter()
    for number in range(answers):
        drawn = random.Random(repr((seed, way.__name__, number)))
        characters = drawn.randint(SHORTEST, LONGEST)
        flags = rules.flags(WrittenAnswer(characters, written(way, characters, drawn)))
        raised.update([*flags, *([ANY] if flags else [])])
    for rule in [*(rule.name for rule in rules.rules), ANY]:
        interval = binomtest(raised[rule], answers).proportion_ci(method="wilson")
        yield Rate(
            writer,
            way.__name__,
            rule,
            answers,
            raised[rule],
            raised[rule] / answers,
            round(float(interval.low), 6),
            round(float(interval.high), 6),
        )


def measured(answers: int) -> list[Rate]:
    """The rates of all ways, honest ones first."""
    ways = [("honest", way) for way in HONEST] + [("with AI", way) for way in WITH_AI]
    return [rate for who, way in ways for rate in rates_of(way, writer=who, answers=answers)]


def report(rates: Sequence[Rate], answers: int) -> None:
    """The rates of any rule in percent, and the rules that flag at least one answer in 100."""
    title = f"Flagged, of {answers:,} answers of each way"
    with reported(title, "writer", "way", "flagged", "95 % interval", "by") as add:
        for rate in rates:
            if rate.rule != ANY:
                continue
            by = [r.rule for r in rates if r.way == rate.way and r.rule != ANY and r.rate >= 0.01]
            interval = f"{100 * rate.ci_low:.2f} to {100 * rate.ci_high:.2f} %"
            add(rate.writer, rate.way, f"{100 * rate.rate:.2f} %", interval, ", ".join(by))


def save(rates: Sequence[Rate], path: Path) -> None:
    """All rates as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(Rate)])
        writer.writerows(astuple(rate) for rate in rates)


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--answers", type=int, default=5000, help="simulated answers of each way")
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name}")
    return parser.parse_args(given)


def main() -> None:
    asked = arguments()
    rates = measured(asked.answers)
    report(rates, asked.answers)
    if asked.save:
        save(rates, RESULTS)


if __name__ == "__main__":
    main()
