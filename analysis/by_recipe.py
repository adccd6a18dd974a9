"""Every table that a recipe asks for, with the raters that it names."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from pandas import DataFrame

from analysis.absent import Absent
from analysis.anova import anova, pairwise
from analysis.contrasts import contrasts, paired
from analysis.group_tests import group_tests
from analysis.mixed_models import mixed_models
from analysis.recipe import Raters, Recipe
from analysis.replication import replication
from analysis.study_data import plain
from analysis.systems import systems, to_reference
from analysis.wins import Contrast

Tables = dict[str, DataFrame]
RATERS: tuple[Raters, ...] = ("included", "all")


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
class Asked:
    """A recipe, the answers it is applied to, and what the study is about."""

    recipe: Recipe
    raters: Raters
    answers: Answers
    contrast: Contrast


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
    return {"systems": systems(asked.answers.ratings, asked.recipe, raters=asked.raters)}


def _to_reference(asked: Asked) -> Tables:
    ratings = asked.answers.ratings
    table = to_reference(ratings, asked.contrast, asked.recipe, raters=asked.raters)
    return {"to_reference": table}


def _contrasts(asked: Asked) -> Tables:
    ratings = asked.answers.ratings
    table = contrasts(ratings, asked.contrast, asked.recipe, raters=asked.raters)
    return {"contrasts": table}


def _paired(asked: Asked) -> Tables:
    ratings = asked.answers.ratings
    return {"paired": paired(ratings, asked.contrast, asked.recipe, raters=asked.raters)}


def _mixed_models(asked: Asked) -> Tables:
    ratings = asked.answers.ratings
    found = mixed_models(ratings, asked.contrast, asked.recipe, raters=asked.raters)
    return {
        "mixed_models": found.models,
        "mixed_systems": found.estimates,
        "mixed_contrasts": found.contrasts,
        "mixed_shares": found.shares,
    }


@dataclass(frozen=True)
class Maker:
    """What makes some tables: by participants alone, or whatever the recipe's unit is; of
    ratings, or also without.
    """

    names: tuple[str, ...]
    make: Callable[[Asked], Tables]
    of_participants: bool = True
    of_ratings: bool = True


#: Tables that differ by recipe, in the order in which they are read.
OF_RECIPES = [
    Maker(("systems",), _systems),
    Maker(("contrasts",), _contrasts),
    Maker(("to_reference",), _to_reference),
    Maker(
        ("mixed_contrasts", "mixed_systems", "mixed_shares", "mixed_models"),
        _mixed_models,
    ),
    Maker(("group_tests",), _group_tests, of_participants=False),
    Maker(("anova",), _anova, of_participants=False),
    Maker(("games_howell",), _games_howell),
]
#: Tables that are the same in every recipe: of the included raters, and `…_all` of all.
OF_RATERS = [Maker(("paired",), _paired)]
NAMES = [
    *(name for maker in OF_RECIPES for name in maker.names),
    *(name + suffix for maker in OF_RATERS for name in maker.names for suffix in ("", "_all")),
    "replication",
]


def analyse_by_recipe(
    answers: Mapping[Raters, Answers], contrast: Contrast, recipes: Sequence[Recipe]
) -> tuple[Tables, dict[str, str]]:
    """Each table with the rows of all recipes; and by name why a table, or part of it, is absent.

    There is one recipe at least.
    """
    found = _Found()
    for recipe in recipes:
        for raters in recipe.raters:
            asked = Asked(recipe, raters, answers[raters], contrast)
            for maker in OF_RECIPES:
                if recipe.unit == "participant" or not maker.of_participants:
                    found.make(maker, asked, where=f"{recipe.name}, {raters} raters")
    first = _first_by_participants(recipes)
    for raters in RATERS:
        suffix = "" if raters == "included" else "_all"
        for maker in OF_RATERS:
            found.make(maker, Asked(first, raters, answers[raters], contrast), suffix=suffix)
    return found.tables(), found.absent()


def replications(
    tables: Mapping[str, DataFrame], recipes: Iterable[Recipe], absent: Mapping[str, str]
) -> DataFrame:
    """Printed numbers of every recipe that quotes some beside ours. Raises Absent."""
    found = [replication(tables, recipe, absent) for recipe in recipes if recipe.replication]
    if not found:
        raise Absent("no recipe quotes printed numbers")
    return pd.concat(found, ignore_index=True)


def _first_by_participants(recipes: Sequence[Recipe]) -> Recipe:
    return next((recipe for recipe in recipes if recipe.unit == "participant"), recipes[0])


def _notes(tables: Iterable[DataFrame]) -> str:
    """What tables say of their rows, each once."""
    notes = [note for table in tables if "note" in table for note in table["note"] if note]
    return "; ".join(dict.fromkeys(notes)) or "it has no rows"


class _Found:
    """Tables as they are made, part by part, and why parts of them were not."""

    def __init__(self) -> None:
        self._parts: dict[str, list[DataFrame]] = {}
        self._reasons: dict[str, dict[str, str]] = {}

    def make(self, maker: Maker, asked: Asked, *, where: str = "", suffix: str = "") -> None:
        try:
            if maker.of_ratings and asked.answers.ratings.empty:
                raise Absent(asked.answers.unrated)
            made = maker.make(asked)
        except Absent as reason:
            for name in maker.names:
                self._reasons.setdefault(name + suffix, {})[where] = str(reason)
            return
        for name, table in made.items():
            if table.empty:  # nothing of it was estimable, and another table says why
                self._reasons.setdefault(name + suffix, {})[where] = _notes(made.values())
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
