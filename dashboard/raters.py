"""The raters of an analysis run, chosen and sorted as a researcher asks for."""

from typing import Any

from django.db.models import Case, F, FilteredRelation, Q, QuerySet, Value, When

from analysis.models import AnalysisRun, RaterQuality
from dashboard.tables import Row
from survey.models import Participant

Raters = QuerySet[RaterQuality, dict[str, Any]]

#: What raters can be sorted by; the numbers are among their indices.
TEXTS = {"participant": "participant__pseudonym", "source": "participant__source"}
NUMBERS = ("n_ratings", "duration_seconds", "sigma", "mae")


def raters_of(
    run: AnalysisRun,
    *,
    included: bool | None = None,
    rule: str = "",
    status: str = "",
    sort: str = "",
) -> Raters:
    """The raters of a run, each with what excluded them, in one query; see `rater_row`.

    All of them, or those who are `included` or not, excluded by `rule`, of this `status`. `sort`
    is a name in TEXTS or NUMBERS, with a minus in front for the largest first; who has no number
    comes last either way.
    """
    found = run.rater_quality.annotate(
        excluded=FilteredRelation(
            "participant__exclusions", condition=Q(participant__exclusions__run=run)
        ),
        rule=F("excluded__rule"),
        value=F("excluded__value"),
        threshold=F("excluded__threshold"),
    )
    if included is not None:
        found = found.filter(included=included)
    if rule:
        found = found.filter(rule=rule)
    if status:
        found = found.filter(indices__status=status)
    columns = (
        "participant_id",
        *TEXTS.values(),
        "indices",
        "included",
        "rule",
        "value",
        "threshold",
    )
    rows: Raters = found.order_by(*_order(sort), "id").values(*columns)
    return rows


def _order(sort: str) -> list[Any]:
    name = sort.removeprefix("-")
    if not name:
        return []
    by = F(TEXTS.get(name, f"indices__{name}"))
    order: list[Any] = [by.desc() if sort.startswith("-") else by.asc()]
    if name in NUMBERS:  # databases differ in where they put JSON's null
        is_null = When(**{f"indices__{name}": None}, then=Value(1))
        order.insert(0, Case(is_null, default=Value(0)))
    return order


def rater_row(rater: dict[str, Any]) -> Row:
    """A rater with their indices, and the rule that took them out with what it measured."""
    source = rater["participant__source"]
    return {
        "id": rater["participant_id"],
        "participant": rater["participant__pseudonym"],
        "source": source,
        "is_counted": source not in Participant.NOT_COUNTED,
        **rater["indices"],
        "included": rater["included"],
        "exclusion": rater["rule"] or "",
        "value": rater["value"],
        "threshold": rater["threshold"],
    }
