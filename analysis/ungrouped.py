"""Answers that no group of a recipe knows, such as Female where a group is Woman. Pure.

Said when ratings are imported, in the report and on the page of groups; always in the words of
`ungrouped.j2`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from analysis.recipe import Recipe
from analysis.text.cells import Sentence, plain
from analysis.text.sentences import Sentences

say = Sentences("ungrouped.j2")


class _Row(Protocol):
    def __getitem__(self, column: str, /) -> Any: ...


R = TypeVar("R", bound=_Row)
#: The last category of a characteristic in the table of demographics: who gave no answer.
NOT_ANSWERED = "Not answered"
#: So many answers are listed, the first ones.
LISTED = 5


@dataclass(frozen=True)
class Ungrouped:
    """Answers about a factor that are in neither of its groups, nor left out on purpose; and the
    recipes of which this is true.
    """

    factor: str
    column: str
    groups: tuple[str, str]
    answers: tuple[str, ...]
    recipes: tuple[str, ...]


def given_answers(demographics: Iterable[R]) -> dict[str, dict[str, R]]:
    """The rows of the table of demographics by characteristic and answer; numbers have none."""
    rows: dict[str, dict[str, R]] = {}
    for row in demographics:
        if row["category"] and row["category"] != NOT_ANSWERED:
            rows.setdefault(row["characteristic"], {})[row["category"]] = row
    return rows


def ungrouped(recipes: Iterable[Recipe], answers: Mapping[str, Iterable[str]]) -> list[Ungrouped]:
    """What no group knows of these answers, by column; recipes of which the same is true together.

    Answers are as participants.csv writes them.
    """
    recipes_by_group: dict[Ungrouped, list[str]] = {}
    for recipe in recipes:
        for factor, grouping in recipe.groups.items():
            unknown = tuple(filter(grouping.is_unknown, answers.get(grouping.column, ())))
            groups = (grouping.a.label, grouping.b.label)
            if unknown:
                same = Ungrouped(factor, grouping.column, groups, unknown, ())
                recipes_by_group.setdefault(same, []).append(recipe.name)
    return [replace(same, recipes=tuple(names)) for same, names in recipes_by_group.items()]


def sentence(unknown: Ungrouped, counted: Mapping[str, object]) -> Sentence:
    """What follows for people who gave these answers, and what to do. `counted` says how many gave
    each.
    """
    return say("left_out", unknown=unknown, **_first({a: counted[a] for a in unknown.answers}))


def sentences(unknown: Ungrouped, counted: Mapping[str, object]) -> str:
    """The same as plain text, for a page or a message."""
    return plain(sentence(unknown, counted))


def in_no_group(counted: Mapping[str, object]) -> str:
    """ "'Female' (67) and 'Male' (49) are in no group"; nothing of no answer."""
    return plain(say("in_no_group", **_first(counted))) if counted else ""


def _first(counted: Mapping[str, object]) -> dict[str, Any]:
    """The first answers, and how many more there are."""
    first = dict(list(counted.items())[:LISTED])
    return {"first": first, "more": len(counted) - len(first)}
