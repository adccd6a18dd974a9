"""The raters of an analysis run, chosen and sorted as a researcher asks for."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

import django_filters
from django import forms
from django.db.models import Exists, F, FilteredRelation, OuterRef, Q, QuerySet

from analysis.labels import labels_of
from analysis.models import OF_RATER, AnalysisRun, RaterQuality
from dashboard.shared.newest_analysis import ANY_RULE, NewestAnalysis
from dashboard.shared.stored_tables import Row
from survey.models import Participant, Study
from survey.tidy import definition_of

Raters = QuerySet[RaterQuality]

#: What raters can be sorted by; the numbers are among their indices.
TEXTS = {"participant": "participant__pseudonym", "source": "participant__source"}
NUMBERS = ("n_ratings", "duration_seconds", "sigma", "mae")


def raters_of(run: AnalysisRun) -> QuerySet[RaterQuality, dict[str, Any]]:
    """The raters of a run, each with what excluded them, in one query; see `rater_row`."""
    with_exclusions = run.rater_quality.annotate(
        excluded=FilteredRelation(
            "participant__exclusions", condition=Q(participant__exclusions__run=run)
        ),
        rule=F("excluded__rule"),
        value=F("excluded__value"),
        threshold=F("excluded__threshold"),
    )
    columns = (
        "id",
        "participant_id",
        *TEXTS.values(),
        "indices",
        "included",
        "rule",
        "value",
        "threshold",
    )
    rows: QuerySet[RaterQuality, dict[str, Any]] = with_exclusions.order_by("id").values(*columns)
    return rows


def rater_rows(run: AnalysisRun, raters: Iterable[RaterQuality]) -> list[Row]:
    """These raters, which a list was cut to, as rows in their order."""
    order = [rater.pk for rater in raters]
    rows = {row["id"]: rater_row(row) for row in raters_of(run).filter(pk__in=order)}
    return [rows[pk] for pk in order if pk in rows]  # somebody may withdraw meanwhile


class RaterFilter(django_filters.FilterSet):  # type: ignore[misc]  # it has no types
    """Which raters of a run to show, and in which order. An unknown choice selects nothing.
    `rules` are the steps of the run's funnel, with their labels; a study that does not record how
    free answers are written (`records_writing`) has no flags.

    `sort` is a name in TEXTS or NUMBERS, with a minus in front for the largest first; who has no
    number comes last either way.
    """

    included = django_filters.ChoiceFilter(
        label="Included", choices=[("true", "included"), ("false", "not included")],
        empty_label="all", method="kept",
    )  # fmt: skip
    rule = django_filters.ChoiceFilter(
        label="Excluded by", empty_label="any rule or none", method="excluded_by"
    )
    status = django_filters.ChoiceFilter(
        label="Status",
        choices=[("completed", "completed"), ("in_progress", "in progress")],
        empty_label="any",
        method="with_status",
    )
    flagged = django_filters.ChoiceFilter(
        label="Writing", choices=[("true", "flagged"), ("false", "not flagged")],
        empty_label="flagged or not", method="with_flags",
    )  # fmt: skip
    sort = django_filters.ChoiceFilter(
        choices=[(sign + name, name) for name in (*TEXTS, *NUMBERS) for sign in ("", "-")],
        method="sorted_by",
        widget=forms.HiddenInput,
    )

    def __init__(
        self,
        data: Mapping[str, Any],
        run: AnalysisRun,
        *,
        rules: Mapping[str, str],
        records_writing: bool,
    ) -> None:
        # Without other tables: they are joined to the raters of a page, not to those of a run.
        super().__init__(data, queryset=run.rater_quality.only("run", "participant"))
        self.run = run
        self.filters["rule"].extra["choices"] = [(ANY_RULE, "any rule"), *rules.items()]
        if not records_writing:
            del self.filters["flagged"]
        self.form.label_suffix = ""

    @classmethod
    def of(cls, study: Study, analysis: NewestAnalysis, data: Mapping[str, Any]) -> Self:
        """The raters of an analysis that there is, as `data` asks for them."""
        assert analysis.run
        steps, labels = analysis.tables("funnel")["funnel"].rows, labels_of(study)
        return cls(
            data,
            analysis.run,
            rules={step["step"]: labels.text("rules", step["step"]) for step in steps},
            records_writing=definition_of(study).record_writing,
        )

    @property
    def chosen(self) -> dict[str, str]:
        """What is chosen, by name."""
        self.form.is_valid()
        return {name: value for name, value in self.form.cleaned_data.items() if value}

    def kept(self, raters: Raters, _name: str, value: str) -> Raters:
        return raters.filter(included=value == "true")

    def excluded_by(self, raters: Raters, _name: str, value: str) -> Raters:
        exclusions = self.run.exclusions.filter(participant=OuterRef("participant"))
        return raters.filter(
            Exists(exclusions if value == ANY_RULE else exclusions.filter(rule=value))
        )

    def with_status(self, raters: Raters, _name: str, value: str) -> Raters:
        return raters.annotate(status=OF_RATER["status"]).filter(status=value)

    def with_flags(self, raters: Raters, _name: str, value: str) -> Raters:
        # a run from before there were flags has no such index
        none = ~Q(indices__has_key="flags") | Q(indices__flags="")
        return raters.exclude(none) if value == "true" else raters.filter(none)

    def sorted_by(self, raters: Raters, _name: str, value: str) -> Raters:
        return raters.order_by(*_order(value), "id")


def _order(sort: str) -> list[Any]:
    name = sort.removeprefix("-")
    if not name:
        return []
    by = OF_RATER[name] if name in NUMBERS else F(TEXTS[name])
    return [by.desc(nulls_last=True) if sort.startswith("-") else by.asc(nulls_last=True)]


def rater_row(rater: dict[str, Any]) -> Row:
    """A rater with their indices, and the rule that excluded them with what it measured."""
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
