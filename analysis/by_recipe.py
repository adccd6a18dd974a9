"""Every table that a recipe asks for, with the raters that it names."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import product

import pandas as pd
from pandas import DataFrame

from analysis.declarations import ANALYSES, FIGURES, NAMES
from analysis.figures.drawing import Drawing
from analysis.not_available import NotAvailable
from analysis.recipe import Raters, Recipe, Scale
from analysis.results import Results
from analysis.size import AnalysisSize, why_left_for_later
from analysis.study_data import plain
from analysis.tables.group_tests import answered, why_nobody, why_unanswered
from analysis.tables.replication import replication
from analysis.tables.request import NOBODY, AnalysisSpec, Answers, Request, StudyInput, Tables
from survey.definition.labels import Labels

RATERS: tuple[Raters, ...] = ("included", "all")
OF_RECIPES = [analysis for analysis in ANALYSES if analysis.of_recipes]
#: Tables that are the same in every recipe.
OF_RATERS = [analysis for analysis in ANALYSES if not analysis.of_recipes]


def analyse_by_recipe(
    results: Results,
    answers: Mapping[Raters, Answers],
    study: StudyInput,
    scale: Scale,
    recipes: Sequence[Recipe],
    labels: Labels,
    size: AnalysisSize,
) -> None:
    """Add each table, with the rows of all recipes, and what is drawn from them to the results,
    except tables that an analysis of this `size` leaves for later.

    There is one recipe at least. Raises MarginOutsideScale.
    """
    recipes = [recipe.on(scale) for recipe in recipes]
    first = _first_by_participants(recipes)
    made = _Made(size, ranked=not answers["all"].ranks.empty)
    _make_of_recipes(made, answers, study, recipes)
    _make_of_raters(made, answers, study, first)
    tables = made.tables()
    results.tables |= {name: tables[name] for name in NAMES if name in tables}
    results.not_available |= made.not_available()
    results.not_available |= _unanswered(results, answers, recipes)
    add_replication(results, recipes)
    drawing = Drawing(
        results.tables,
        results.not_available,
        answers["included"],
        study.contrast,
        scale,
        first,
        labels,
        quotes=next((recipe.quotes for recipe in recipes if recipe.quotes), {}),
        same_raters=len(answers["included"].people) == len(answers["all"].people),
    )
    for figure in FIGURES.values():
        if figure.draw:
            results.figure(figure.name, partial(figure.draw, drawing))


def _make_of_recipes(
    made: "_Made",
    answers: Mapping[Raters, Answers],
    study: StudyInput,
    recipes: Iterable[Recipe],
) -> None:
    """The tables that each recipe asks for, of the raters that it names."""
    for recipe in recipes:
        analyses = [analysis for analysis in OF_RECIPES if recipe.unit in analysis.of_units]
        for raters in recipe.raters:
            request = Request(recipe, raters, answers[raters], study)
            for analysis in analyses:
                if not analysis.of_all_at_once:
                    made.make(analysis, request, where=f"{recipe.name}, {raters} raters")
        for analysis in analyses:
            if analysis.of_all_at_once:
                made.make(
                    analysis, Request(recipe, "all", answers["all"], study), where=recipe.name
                )


def _make_of_raters(
    made: "_Made", answers: Mapping[Raters, Answers], study: StudyInput, recipe: Recipe
) -> None:
    """The tables that are the same in every recipe."""
    for raters in RATERS:
        suffix = "" if raters == "included" else "_all"
        for analysis in OF_RATERS:
            made.make(analysis, Request(recipe, raters, answers[raters], study), suffix=suffix)


def _unanswered(
    results: Results, answers: Mapping[Raters, Answers], recipes: Iterable[Recipe]
) -> dict[str, str]:
    """Why tables that are there lack groups that a recipe names."""
    absent = {}
    everybody = answers["all"].people
    for recipe in recipes:
        asked = [("group_tests", name, group.column) for name, group in recipe.groups.items()]
        asked += [(table, f, f) for table, f in product(("anova", "games_howell"), recipe.anova)]
        for raters, (table, name, column) in product(recipe.raters, asked):
            if table not in results.tables:
                continue  # which says why
            people, place = (
                answers[raters].people,
                f"{table}.{name} ({recipe.name}, {raters} raters)",
            )
            if not answered(everybody, column):
                absent[f"{table}.{name}"] = why_unanswered(everybody, [column])
            elif not answered(people, column):
                absent[place] = f"none of these raters answered {column}"
            elif table == "group_tests" and (why := why_nobody(people, recipe.groups[name])):
                absent[place] = why
    return absent


def add_replication(results: Results, recipes: Iterable[Recipe]) -> None:
    """Add printed numbers beside those of the tables that there are, or why there are none.

    The judges' tables are made after those of recipes; call it again when they are there.
    """
    results.table("replication", lambda: _replications(results, recipes))


def _replications(results: Results, recipes: Iterable[Recipe]) -> DataFrame:
    """Printed numbers of every recipe that quotes some beside ours."""
    quoting = [recipe for recipe in recipes if recipe.replication]
    if not quoting:
        raise NotAvailable("no recipe quotes printed numbers")
    tables = [replication(results.tables, recipe, results.not_available) for recipe in quoting]
    return pd.concat(tables, ignore_index=True)


def _first_by_participants(recipes: Sequence[Recipe]) -> Recipe:
    return next((recipe for recipe in recipes if recipe.unit == "participant"), recipes[0])


def _why_empty(name: str, made: Tables, request: Request) -> str:
    """What tables that were made together say of what could not be estimated, each once."""
    models = request.recipe.mixed_models
    if name == "mixed_shares" and models is not None and set(models.fitted) == {"linear"}:
        return "linear models have no shares of the points of the scale"
    if name == "order_agreement":
        return "nobody gave ratings and ranks or choices, of the same dimension and two systems"
    if name == "system_pairs" and not made["system_groups"].empty:
        return "there are no two systems to compare"
    notes = [note for table in made.values() if "note" in table for note in table["note"]]
    reasons = dict.fromkeys(note for note in notes if note.startswith("not estimable"))
    if not reasons and request.study.contrast.condition_a is None:
        return "the study names no two conditions to compare"
    return "; ".join(reasons) or "it has no rows"


class _Made:
    """Tables as they are made, part by part, and why parts of them were not; `ranked` says whether
    anybody gave ranks or choices.
    """

    def __init__(self, size: AnalysisSize, *, ranked: bool) -> None:
        self._size = size
        self._ranked = ranked
        self._parts: dict[str, list[DataFrame]] = {}
        self._reasons: dict[str, dict[str, str]] = {}

    def make(
        self, analysis: AnalysisSpec, request: Request, *, where: str = "", suffix: str = ""
    ) -> None:
        try:
            if analysis.for_later and self._size.leaves_some:
                raise NotAvailable(why_left_for_later(self._size.ratings))
            if analysis.of_ratings and request.answers.ratings.empty:
                raise NotAvailable(request.answers.unrated)
            if self._ranked and not analysis.of_ratings and request.answers.people.empty:
                raise NotAvailable(NOBODY)
            made = analysis.make(request)
        except NotAvailable as reason:
            for name in analysis.names:
                self._reasons.setdefault(name + suffix, {})[where] = str(reason)
            return
        for name, table in made.items():
            if table.empty:  # nothing of it was estimable, and another table says why
                self._reasons.setdefault(name + suffix, {})[where] = _why_empty(name, made, request)
                continue
            is_of_recipe = bool(where)
            part = table if is_of_recipe else table.drop(columns="recipe")
            self._parts.setdefault(name + suffix, []).append(part)

    def tables(self) -> Tables:
        return {
            name: plain(pd.concat(parts, ignore_index=True)) for name, parts in self._parts.items()
        }

    def not_available(self) -> dict[str, str]:
        """Reasons by table; `table (recipe, raters)` where it is there but for these."""
        absent: dict[str, str] = {}
        for name, reasons in self._reasons.items():
            if name not in self._parts:
                absent[name] = "; ".join(dict.fromkeys(reasons.values()))
            else:
                absent |= {f"{name} ({where})": reason for where, reason in reasons.items()}
        return absent
