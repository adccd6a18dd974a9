"""Every table that a recipe asks for, with the raters that it names."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import pandas as pd
import plotly.graph_objects as go
from pandas import DataFrame

from analysis.absent import Absent
from analysis.collected import Collected
from analysis.definition import QualityRules
from analysis.figures.choices import best_worst_shares
from analysis.figures.dimensions import dimension_means, dimension_radar
from analysis.figures.forest import contrast_forest, systems_forest
from analysis.figures.regions import region_map
from analysis.recipe import Raters, Recipe, Scale
from analysis.study_data import Contrast, plain
from analysis.tables.agreement import agreement
from analysis.tables.anova import anova, pairwise
from analysis.tables.choices import choice_tests, choices
from analysis.tables.contrasts import contrasts, paired
from analysis.tables.group_tests import answered, group_tests, why_nobody, why_unanswered
from analysis.tables.mixed_models import Fits, mixed_models
from analysis.tables.order_effects import order_effects
from analysis.tables.positions import positions
from analysis.tables.rankings import ranking_pairs, ranking_tests, rankings
from analysis.tables.replication import replication
from analysis.tables.sensitivity import sensitivity
from analysis.tables.systems import systems, to_reference
from analysis.tables.wins_tests import wins_tests

Tables = dict[str, DataFrame]
RATERS: tuple[Raters, ...] = ("included", "all")
NOBODY = "no rater is included"


@dataclass(frozen=True)
class Answers:
    """What some of the raters answered, as `study_data.check` gives it, and who they are.

    `unrated` says why there are no ratings, where there are none.
    """

    ratings: DataFrame
    ranks: DataFrame
    people: DataFrame
    unrated: str


@dataclass(frozen=True)
class Everybody:
    """All ratings, everybody who consented, all items with their gold scores, what the study is
    about, and the rules: what is analysed anew from other raters starts here. `fits` are the mixed
    models that tables have in common.
    """

    ratings: DataFrame
    people: DataFrame
    known: DataFrame
    contrast: Contrast
    rules: QualityRules
    fits: Fits = field(default_factory=Fits)


@dataclass(frozen=True)
class Asked:
    """A recipe, and the answers it is applied to."""

    recipe: Recipe
    raters: Raters
    answers: Answers
    study: Everybody


def _group_tests(asked: Asked) -> Tables:
    answers = asked.answers
    table = group_tests(answers.ratings, answers.people, asked.recipe, raters=asked.raters)
    return {"group_tests": table}


def _anova(asked: Asked) -> Tables:
    answers = asked.answers
    table = anova(answers.ratings, answers.people, asked.recipe, raters=asked.raters)
    return {"anova": table}


def _games_howell(asked: Asked) -> Tables:
    answers = asked.answers
    table = pairwise(answers.ratings, answers.people, asked.recipe, raters=asked.raters)
    return {"games_howell": table}


def _systems(asked: Asked) -> Tables:
    ratings, known = asked.answers.ratings, asked.study.known
    return {"systems": systems(ratings, asked.recipe, raters=asked.raters, known=known)}


def _to_reference(asked: Asked) -> Tables:
    ratings, study = asked.answers.ratings, asked.study
    table = to_reference(
        ratings, study.contrast, asked.recipe, raters=asked.raters, known=study.known
    )
    return {"to_reference": table}


def _contrasts(asked: Asked) -> Tables:
    ratings, study = asked.answers.ratings, asked.study
    table = contrasts(ratings, study.contrast, asked.recipe, raters=asked.raters, known=study.known)
    return {"contrasts": table}


def _paired(asked: Asked) -> Tables:
    ratings, study = asked.answers.ratings, asked.study
    table = paired(ratings, study.contrast, asked.recipe, raters=asked.raters, known=study.known)
    return {"paired": table}


def _mixed_models(asked: Asked) -> Tables:
    ratings = asked.answers.ratings
    study = asked.study
    found = mixed_models(
        ratings, study.contrast, asked.recipe, raters=asked.raters, fits=study.fits
    )
    return {
        "mixed_models": found.models,
        "mixed_systems": found.estimates,
        "mixed_contrasts": found.contrasts,
        "mixed_shares": found.shares,
    }


def _wins(asked: Asked) -> Tables:
    study = asked.study
    found = wins_tests(
        asked.answers.ratings,
        study.people,
        study.known,
        study.contrast,
        asked.recipe,
        raters=asked.raters,
    )
    if asked.recipe.unit == "rating":  # counts of means, and no differences within raters
        return {"wins_tests": found.tests}
    return {"wins_tests": found.tests, "win_differences": found.differences}


def _order_effects(asked: Asked) -> Tables:
    found = order_effects(
        asked.answers.ratings, asked.study.contrast, asked.recipe, raters=asked.raters
    )
    return {"order_conclusions": found.conclusions, "order_effects": found.effects}


def _positions(asked: Asked) -> Tables:
    found = positions(asked.answers.ranks, asked.recipe, raters=asked.raters)
    return {
        "position_conclusions": found.conclusions,
        "position_tests": found.tests,
        "position_effects": found.effects,
    }


def _sensitivity(asked: Asked) -> Tables:
    study = asked.study
    table = sensitivity(
        study.ratings,
        study.people,
        study.known,
        study.contrast,
        study.rules,
        asked.recipe,
        fits=study.fits,
    )
    return {"sensitivity": table}


def _ranks(make: Callable[..., DataFrame]) -> Callable[[Asked], Tables]:
    """What makes a table of ranks or choices, which is called as it."""

    def made(asked: Asked) -> Tables:
        return {make.__name__: make(asked.answers.ranks, asked.recipe, raters=asked.raters)}

    return made


def _agreement(asked: Asked) -> Tables:
    answers = asked.answers
    if asked.raters == "included" and answers.people.empty:
        raise Absent(NOBODY)
    table = agreement(answers.ratings, answers.ranks, asked.recipe, raters=asked.raters)
    return {"agreement": table}


@dataclass(frozen=True)
class Maker:
    """What makes some tables: by participants alone, or whatever the recipe's unit is; of ratings,
    or also without; of the recipe's raters, or of everybody at once.
    """

    names: tuple[str, ...]
    make: Callable[[Asked], Tables]
    of_participants: bool = True
    of_ratings: bool = True
    of_everybody: bool = False


#: Tables that differ by recipe, in the order in which they are read.
OF_RECIPES = [
    Maker(("wins_tests", "win_differences"), _wins, of_participants=False),
    Maker(("systems",), _systems),
    Maker(("contrasts",), _contrasts),
    Maker(("to_reference",), _to_reference),
    Maker(("mixed_contrasts", "mixed_systems", "mixed_shares", "mixed_models"), _mixed_models),
    Maker(("group_tests",), _group_tests, of_participants=False),
    Maker(("anova",), _anova, of_participants=False),
    Maker(("games_howell",), _games_howell),
    *(
        Maker((make.__name__,), _ranks(make), of_ratings=False)
        for make in (rankings, ranking_tests, ranking_pairs, choices, choice_tests)
    ),
    Maker(("order_conclusions", "order_effects"), _order_effects),
    Maker(
        ("position_conclusions", "position_tests", "position_effects"),
        _positions,
        of_ratings=False,
    ),
    Maker(("sensitivity",), _sensitivity, of_everybody=True),
]
#: Tables that are the same in every recipe: of the included raters, and `…_all` of all.
OF_RATERS = [
    Maker(("paired",), _paired),
    Maker(("agreement",), _agreement, of_ratings=False),
]
FIGURES = [
    "region_map", "systems_forest", "contrasts_forest", "dimension_means", "dimension_radar",
    "best_worst_shares",
]  # fmt: skip
NAMES = [
    *(name for maker in OF_RECIPES for name in maker.names),
    *(name + suffix for maker in OF_RATERS for name in maker.names for suffix in ("", "_all")),
    "replication",
]


def analyse_by_recipe(
    found: Collected,
    answers: Mapping[Raters, Answers],
    study: Everybody,
    scale: Scale,
    recipes: Sequence[Recipe],
) -> None:
    """Add each table, with the rows of all recipes, and what is drawn from them to what was found.

    There is one recipe at least. Raises MarginOutsideScale.
    """
    recipes = [recipe.on(scale) for recipe in recipes]
    made = _Made(ranked=not answers["all"].ranks.empty)
    for recipe in recipes:
        makers = [m for m in OF_RECIPES if recipe.unit == "participant" or not m.of_participants]
        for raters in recipe.raters:
            asked = Asked(recipe, raters, answers[raters], study)
            for maker in makers:
                if not maker.of_everybody:
                    made.make(maker, asked, where=f"{recipe.name}, {raters} raters")
        for maker in makers:
            if maker.of_everybody:
                made.make(maker, Asked(recipe, "all", answers["all"], study), where=recipe.name)
    first = _first_by_participants(recipes)
    for raters in RATERS:
        suffix = "" if raters == "included" else "_all"
        for maker in OF_RATERS:
            made.make(maker, Asked(first, raters, answers[raters], study), suffix=suffix)
    tables = made.tables()
    found.tables |= {name: tables[name] for name in NAMES if name in tables}
    found.absent |= made.absent()
    found.absent |= _unanswered(found, answers, recipes)
    found.table("replication", lambda: _replications(found, recipes))
    _draw(found, answers["included"], study, scale, first)


def _unanswered(
    found: Collected, answers: Mapping[Raters, Answers], recipes: Iterable[Recipe]
) -> dict[str, str]:
    """Why tables that are there lack groups that a recipe names."""
    absent = {}
    everybody = answers["all"].people
    for recipe in recipes:
        asked = [("group_tests", name, group.column) for name, group in recipe.groups.items()]
        asked += [(table, f, f) for table, f in product(("anova", "games_howell"), recipe.anova)]
        for raters, (table, name, column) in product(recipe.raters, asked):
            if table not in found.tables:
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


def _replications(found: Collected, recipes: Iterable[Recipe]) -> DataFrame:
    """Printed numbers of every recipe that quotes some beside ours."""
    quoting = [recipe for recipe in recipes if recipe.replication]
    if not quoting:
        raise Absent("no recipe quotes printed numbers")
    tables = [replication(found.tables, recipe, found.absent) for recipe in quoting]
    return pd.concat(tables, ignore_index=True)


def _first_by_participants(recipes: Sequence[Recipe]) -> Recipe:
    return next((recipe for recipe in recipes if recipe.unit == "participant"), recipes[0])


def _draw(
    found: Collected, included: Answers, study: Everybody, scale: Scale, recipe: Recipe
) -> None:
    """The figures that show tables of a recipe, or the answers of the included raters by it."""
    tables, rated = found.tables, not included.ratings.empty

    def of(name: str) -> DataFrame:
        if name not in tables:
            raise Absent(found.absent.get(name, f"the recipe {recipe.name} makes no {name}"))
        return tables[name]

    def map_of_regions() -> go.Figure:
        if not rated:
            raise Absent(included.unrated)
        return region_map(
            included.ratings, included.people, recipe, scale.points, tables.get("anova")
        )

    mixed_means, mixed_contrasts = tables.get("mixed_systems"), tables.get("mixed_contrasts")
    found.figure("region_map", map_of_regions)
    found.figure(
        "systems_forest",
        lambda: systems_forest(of("systems"), mixed_means, study.contrast, recipe),
    )
    found.figure(
        "contrasts_forest", lambda: contrast_forest(of("contrasts"), mixed_contrasts, recipe)
    )
    found.figure("dimension_means", lambda: dimension_means(of("systems"), recipe, scale.points))
    found.figure(
        "dimension_radar",
        lambda: dimension_radar(of("systems"), recipe, scale.points, between=scale.between),
    )
    found.figure("best_worst_shares", lambda: best_worst_shares(of("choices"), recipe))


def _why_empty(name: str, made: Tables, asked: Asked) -> str:
    """What tables that were made together say of what could not be estimated, each once."""
    models = asked.recipe.mixed_models
    if name == "mixed_shares" and models is not None and set(models.fitted) == {"linear"}:
        return "linear models have no shares of the points of the scale"
    notes = [note for table in made.values() if "note" in table for note in table["note"]]
    reasons = dict.fromkeys(note for note in notes if note.startswith("not estimable"))
    if not reasons and asked.study.contrast.condition_a is None:
        return "the study names no two conditions to compare"
    return "; ".join(reasons) or "it has no rows"


class _Made:
    """Tables as they are made, part by part, and why parts of them were not; `ranked` says whether
    anybody gave ranks or choices.
    """

    def __init__(self, *, ranked: bool) -> None:
        self._ranked = ranked
        self._parts: dict[str, list[DataFrame]] = {}
        self._reasons: dict[str, dict[str, str]] = {}

    def make(self, maker: Maker, asked: Asked, *, where: str = "", suffix: str = "") -> None:
        try:
            if maker.of_ratings and asked.answers.ratings.empty:
                raise Absent(asked.answers.unrated)
            if self._ranked and not maker.of_ratings and asked.answers.people.empty:
                raise Absent(NOBODY)
            made = maker.make(asked)
        except Absent as reason:
            for name in maker.names:
                self._reasons.setdefault(name + suffix, {})[where] = str(reason)
            return
        for name, table in made.items():
            if table.empty:  # nothing of it was estimable, and another table says why
                self._reasons.setdefault(name + suffix, {})[where] = _why_empty(name, made, asked)
                continue
            is_of_recipe = bool(where)
            part = table if is_of_recipe else table.drop(columns="recipe")
            self._parts.setdefault(name + suffix, []).append(part)

    def tables(self) -> Tables:
        return {
            name: plain(pd.concat(parts, ignore_index=True)) for name, parts in self._parts.items()
        }

    def absent(self) -> dict[str, str]:
        """Reasons by table; `table (recipe, raters)` where it is there but for these."""
        absent: dict[str, str] = {}
        for name, reasons in self._reasons.items():
            if name not in self._parts:
                absent[name] = "; ".join(dict.fromkeys(reasons.values()))
            else:
                absent |= {f"{name} ({where})": reason for where, reason in reasons.items()}
        return absent
