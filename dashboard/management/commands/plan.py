"""`manage.py plan STUDY`: how many raters and scenarios the main result needs, and their cost."""

from collections.abc import Iterator
from math import isnan
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from dashboard.design.plan_options import COMPONENT_LABELS, PlanOptions
from dashboard.management.arguments import add_study, whole_number
from survey.management.option_arguments import add_options, chosen_options
from survey.management.refusing import RefusingCommand
from survey.queries import find_study

#: Arguments that are called otherwise than their options.
CALLED = {"pay_per_hour": "--pay", "fee_percent": "--fee"}
#: Options whose arguments take more than one value, or a file.
BY_HAND = ("raters", "scenarios", "components", "include")
SHOWN = {
    "raters": "{:.0f}", "scenarios": "{:.0f}", "pages_per_rater": "{:.0f}", "ratings": "{:.0f}",
    "minutes": "{:.0f}", "cost": "{:.2f}", "se": "{:.3f}", "df": "{:.1f}",
    "detectable": "{:.2f}", "power": "{:.0%}", "limited_by": "{}",
}  # fmt: skip


class Command(RefusingCommand):
    unread = ""
    help = (
        "What a study could find with other numbers of raters and scenarios, by its design and by "
        "how much ratings differ: the smallest difference that it detects, and what it costs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_study(parser)
        parser.add_argument(
            "--raters", type=whole_number(1, 10_000), nargs="+", metavar="N",
            help="numbers of raters (default: around the study's places, or 40)",
        )  # fmt: skip
        parser.add_argument(
            "--scenarios", type=whole_number(1, 2_000), nargs="+", metavar="N",
            help="numbers of scenarios (default: around the study's)",
        )  # fmt: skip
        add_options(parser, PlanOptions, called=CALLED, without=BY_HAND)
        parser.add_argument(
            "--components", default="typical", metavar="typical|pilot|FILE",
            help="how much ratings differ: typical values, the study's ratings so far, or a YAML "
            "file of standard deviations",
        )  # fmt: skip
        parser.add_argument(
            "--include", nargs="+", action="extend", default=[], choices=["simulated", "preview"],
            help="with --components pilot: test people to count too",
        )  # fmt: skip
        parser.add_argument(
            "--simulate", type=whole_number(1, 100_000), metavar="STUDIES", default=0,
            help="also simulate so many studies of the design as it is, and analyse each",
        )  # fmt: skip
        parser.add_argument("--seed", type=whole_number(0, 2**31 - 1), default=1)
        parser.add_argument("--out", type=Path, metavar="CSV", help="write the grid to a file")

    def handle(self, *args: Any, **given: Any) -> None:
        from analysis.planning.grid import advice, grid
        from dashboard.design.plan_making import numbers_around, plan_of

        study = find_study(given["slug"])
        options, file = _chosen(given)
        plan = plan_of(study, options, file=file)
        if given["out"] and not given["out"].parent.is_dir():
            raise CommandError(f"{given['out']}: the folder {given['out'].parent} does not exist")
        if given["out"] and given["out"].is_dir():
            raise CommandError(f"{given['out']} is a folder; give the name of a file")
        raters, scenarios = numbers_around(plan)
        table = grid(plan, given["raters"] or raters, given["scenarios"] or scenarios)
        if (reasons := set(table["note"])) and "" not in reasons:
            others = "--raters and --scenarios"
            raise CommandError(f"{study.slug}: {'; '.join(sorted(reasons))}: give other {others}")
        self.stdout.write(f"{study.slug}: what is found at 5 %, in points of the scale")
        for name, sd in plan.components.model_dump().items():
            self.stdout.write(f"  SD {name.replace('_', ' × ')}: {sd:.2f}", ending=";")
        self.stdout.write("")
        for line in _lines(table):
            self.stdout.write(line)
        for sentence in advice(plan):
            self.stdout.write(sentence)
        if given["simulate"]:
            self.stdout.write(self._simulated(study, plan, given["simulate"], given["seed"]))
        if given["out"]:
            table.to_csv(given["out"], index=False)
            self.stdout.write(f"Written: {given['out']}")

    def _simulated(self, study: Any, plan: Any, studies: int, seed: int) -> str:
        from analysis.planning.simulation import simulated_p
        from dashboard.design.plan_making import scale_of

        scale, link = scale_of(study)
        ps = simulated_p(
            plan.design, plan.components, plan.weights, plan.difference, scale,
            link=link, studies=studies, seed=seed,
        )  # fmt: skip
        every = list(tqdm(ps, total=studies, unit="study", file=self.stderr))
        found = sum(p < 0.05 for p in every)
        failed = sum(isnan(p) for p in every)
        rest = f"; in {failed} the model was not estimable" if failed else ""
        return (
            f"Simulated: {found} of {studies} studies ({found / studies:.0%}) found a true "
            f"difference of {plan.difference:g} points (model: {link}){rest}."
        )


def _chosen(given: dict[str, Any]) -> tuple[PlanOptions, Path | None]:
    """The first numbers, and the file of components if there is one. Raises CommandError."""
    first = {name: given[name][0] if given[name] else None for name in ("raters", "scenarios")}
    file = None if given["components"] in COMPONENT_LABELS else Path(given["components"])
    components = None if file else given["components"]
    options = given | first | {"components": components}
    return chosen_options(PlanOptions, options, called=CALLED), file


def _lines(table: Any) -> Iterator[str]:
    yield "  ".join(f"{name.replace('_', ' '):>{max(len(name), 8)}}" for name in SHOWN)
    for row in table.to_dict("records"):
        if row["note"]:
            yield f"{row['raters']:>8}  {row['scenarios']:>9}  {row['note']}"
            continue
        yield "  ".join(
            f"{form.format(row[name]):>{max(len(name), 8)}}" for name, form in SHOWN.items()
        )
