"""The largest differences, case by case: both texts side by side, numbers, and comments on them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django import forms

from dashboard.results.open_answers import comments_by_page
from dashboard.shared.newest_analysis import NewestAnalysis
from dashboard.shared.stored_tables import in_order
from survey.definition.labels import Labels
from survey.models import BlockResponse, Study

TABLE = "largest_differences"
CASES_SHOWN = COMMENTS_SHOWN = 10
Place = tuple[str, str]


@dataclass(frozen=True)
class DifferenceSide:
    """One of the two responses of a case. `text` is empty where the study has it no longer."""

    model: str
    condition: str
    text: str
    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class DifferenceCase:
    """Two responses to one scenario and set, on one dimension, rated by `n` raters."""

    dimension: str
    scenario: str
    set_name: str
    prompt: str
    context: str
    sides: list[DifferenceSide]
    n: int
    difference: float
    low: float | None
    high: float | None
    #: How many cases of this pair there are.
    cases: int
    #: What raters wrote about the page, and which question they answered.
    comments: list[tuple[str, str]] = field(default_factory=list)


class DifferencesForm(forms.Form):
    """Which pair of systems and which dimension; any if not said."""

    pair = forms.ChoiceField(required=False, label="Systems")
    dimension = forms.ChoiceField(required=False, label="Dimension")

    def __init__(self, data: Any, *, rows: Iterable[dict[str, Any]], labels: Labels) -> None:
        super().__init__(data, label_suffix="")
        rows = list(rows)
        names = {pair_of(row): _pair_in_words(row, labels) for row in rows}
        dimensions = in_order(row["dimension"] for row in rows)
        for name, choices in (
            ("pair", list(names.items())),
            ("dimension", [(each, labels.text("dimensions", each)) for each in dimensions]),
        ):
            asked = self.fields[name]
            assert isinstance(asked, forms.ChoiceField)
            asked.choices = [("", "all"), *choices]


def pair_of(row: dict[str, Any]) -> str:
    """A pair of systems as addresses name it."""
    return " / ".join(f"{row[f'model_{side}']} ({row[f'condition_{side}']})" for side in "ab")


def _pair_in_words(row: dict[str, Any], labels: Labels) -> str:
    return " and ".join(
        f"{labels.text('models', row[f'model_{side}'])} "
        f"({labels.text('conditions', row[f'condition_{side}'])})"
        for side in "ab"
    )


def place_of(row: dict[str, Any]) -> Place:
    """The scenario and the set that a row is about."""
    return row["scenario"], row["set"] or ""


def rows_of(analysis: NewestAnalysis) -> list[dict[str, Any]]:
    """The rows of the stored table, the largest of each dimension first."""
    return analysis.tables(TABLE)[TABLE].rows


def cases_of(
    study: Study, analysis: NewestAnalysis, asked: dict[str, str], *, with_comments: bool
) -> list[DifferenceCase]:
    """The largest differences of the pair and dimension `asked` for, with texts; over several
    pairs, the largest of all. Comments are the included raters'.
    """
    rows = [
        row
        for row in rows_of(analysis)
        if asked.get("pair") in (None, "", pair_of(row))
        and asked.get("dimension") in (None, "", row["dimension"])
    ]
    rows.sort(key=lambda row: -abs(row["difference"]))  # stable: equal ones keep their order
    rows = rows[:CASES_SHOWN]
    scenarios = {row["scenario"] for row in rows}
    texts = texts_by_place(study, scenarios)
    about = {s.name: s for s in study.scenarios.filter(name__in=scenarios)}
    blocks = blocks_of(study, (place_of(row) for row in rows)) if with_comments else {}
    told = comments_by_page(analysis.run, blocks.values(), COMMENTS_SHOWN)
    cases = []
    for row in rows:
        place = place_of(row)
        scenario = about.get(place[0])
        sides = []
        for side in "ab":
            system = row[f"model_{side}"], row[f"condition_{side}"]
            numbers = (row[f"mean_{side}{end}"] for end in ("", "_low", "_high"))
            sides.append(DifferenceSide(*system, texts.get((*place, *system), ""), *numbers))
        cases.append(
            DifferenceCase(
                row["dimension"],
                *place,
                scenario.prompt if scenario else "",
                scenario.context if scenario else "",
                sides,
                row["n"],
                row["difference"],
                row["ci_low"],
                row["ci_high"],
                row["cases"],
                told.get(blocks.get(place, 0), []),
            )
        )
    return cases


def blocks_of(study: Study, places: Iterable[Place]) -> dict[Place, int]:
    """The block of each of some scenarios and sets."""
    asked = set(places)
    scenarios = [scenario for scenario, _ in asked]
    blocks = study.blocks.filter(scenario__name__in=scenarios).order_by()
    rows = blocks.values_list("scenario__name", "set_name", "pk")
    return {(name, of_set): pk for name, of_set, pk in rows if (name, of_set) in asked}


def texts_by_place(study: Study, scenarios: Iterable[str]) -> dict[tuple[str, ...], str]:
    """The texts of responses to some scenarios, by scenario, set, model and condition."""
    shown = BlockResponse.objects.filter(
        block__study=study, block__scenario__name__in=list(scenarios)
    ).values_list(
        "block__scenario__name",
        "block__set_name",
        "response__system__model",
        "response__system__condition",
        "response__text",
    )
    return {tuple(place): text for *place, text in shown}


def about_differences(
    study: Study,
    analysis: NewestAnalysis,
    asked: Any,
    labels: Labels,
    *,
    with_comments: bool,
) -> dict[str, Any]:
    """What the page shows in addition to its table."""
    form = DifferencesForm(asked, rows=rows_of(analysis), labels=labels)
    form.is_valid()  # a field with an error chooses nothing
    cases = cases_of(study, analysis, form.cleaned_data, with_comments=with_comments)
    return {"differences": form, "cases": cases, "may_read_comments": with_comments}
