"""Answers that no group of a recipe knows, such as Female where a group is Woman. Pure.

Said when ratings are imported, in the report and on the page of groups; always in these words.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from analysis.recipe import Recipe

Part = TypeVar("Part")


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
    found: dict[Ungrouped, list[str]] = {}
    for recipe in recipes:
        for factor, grouping in recipe.groups.items():
            unknown = tuple(filter(grouping.is_unknown, answers.get(grouping.column, ())))
            groups = (grouping.a.label, grouping.b.label)
            if unknown:
                same = Ungrouped(factor, grouping.column, groups, unknown, ())
                found.setdefault(same, []).append(recipe.name)
    return [replace(same, recipes=tuple(names)) for same, names in found.items()]


def sentences(found: Ungrouped, counted: Mapping[str, Part]) -> tuple[str | Part, ...]:
    """What follows for people who gave these answers, and what to do. `counted` says how many gave
    each; a number may be more than text, such as a link.
    """
    recipes = f"recipe{'s' if len(found.recipes) > 1 else ''} {_listed(found.recipes)}"
    answers = "these answers" if len(found.answers) > 1 else "this answer"
    files = _listed([f"recipes/{name}.yaml" for name in found.recipes])
    return (
        f"{found.factor}: ",
        *in_no_group({answer: counted[answer] for answer in found.answers}),
        f" of the {recipes} ({' / '.join(found.groups)}), so these people are left out of tests of "
        f"{found.factor}. Add {answers} to a group, or to left_out, in {files} of the study's "
        "folder, and load the folder again.",
    )


def in_no_group(counted: Mapping[str, Part]) -> tuple[str | Part, ...]:
    """ "'Female' (67) and 'Male' (49) are in no group"; nothing of no answer."""
    parts: list[str | Part] = []
    more = len(counted) - LISTED
    for place, (answer, n) in enumerate(list(counted.items())[:LISTED]):
        is_last = more <= 0 and place == len(counted) - 1
        between = "" if not place else " and " if is_last else ", "
        parts += [f"{between}{answer!r} (", n, ")"]
    if more > 0:
        parts.append(f" and {more} other {'answers' if more > 1 else 'answer'}")
    verb = "is" if len(counted) == 1 else "are"
    return (*parts, f" {verb} in no group") if parts else ()


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
