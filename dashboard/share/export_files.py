"""The folder that `export` writes: all that can be exported, filtered by the rules as data are now.

It takes no analysis: filtering is all that it needs of one.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from django.utils import timezone

from analysis.decisions import decide
from analysis.models import RuleSet
from analysis.rule_sets import current_rule_set
from dashboard.share.exports import Export
from dashboard.share.output_folder import without_authors
from survey.files.csv_text import csv_lines, marked
from survey.models import Study
from survey.tidy import reading


def write_export(
    study: Study,
    sources: Sequence[str],
    folder: Path,
    *,
    sharing: bool = False,
    for_excel: bool = False,
    rule_set: RuleSet | None = None,
    at: datetime | None = None,
    name_of: Callable[[str], str] = str,
) -> dict[str, Any]:
    """Write every file into `folder`; the manifest that belongs to them. The data are filtered by
    `rule_set`, else by the rules in force, for people who were active at `at`, else now. `name_of`
    says what a file of the export is called there. `for_excel`, the files are `marked`.

    Raises ValueError where the data contradict themselves.
    """
    with reading():
        rules, now = rule_set or current_rule_set(study), at or timezone.now()
        decided = decide(study, sources, rules, at=now)
        export = Export(study, sources, lambda: decided.decisions, sharing)
        files = {name_of(name): table for name, table in export.tables().items()}
        files["codebook.csv"] = partial(export.codebook, name_of)
        for name, make in files.items():
            table = make()
            with (folder / name).open("w", encoding="utf-8", newline="") as file:
                lines = csv_lines(table.columns, table.rows)
                file.writelines(marked(lines) if for_excel else lines)
        about: dict[str, Any] = {
            "form": "for sharing" if sharing else "full",
            "people": flow(study, sources),
            "clock_stepped": export.clock_steps(),
        }
        if sharing:
            about["small_cells"] = export.small_cells()
    manifest = without_authors(decided.manifest) if sharing else decided.manifest
    return manifest | about | {"absent": export.not_available}


#: Statuses of people who are counted in the flow, before those who completed.
OUTSIDE = ("declined", "screened_out", "failed_comprehension", "in_progress")


def flow(study: Study, sources: Sequence[str]) -> dict[str, int]:
    """Everyone who came, and where they are now: what a flow diagram begins with.

    `left_at_information` never agreed nor declined. Withdrawn people are counted, and nothing
    else is left of them.
    """
    people = study.participants.filter(source__in=sources)
    statuses = Counter(people.values_list("status", flat=True))
    withdrawn = study.withdrawals.filter(source__in=sources).count() + statuses["withdrawn"]
    return {
        "came": statuses.total() - statuses["withdrawn"] + withdrawn,
        "left_at_information": statuses["arrived"],
        **{name: statuses[name] for name in OUTSIDE},
        "completed": statuses["completed"],
        "withdrawn": withdrawn,
    }
