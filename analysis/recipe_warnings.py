"""What in a recipe can have no effect in a study, too little, or one that hardly anybody means."""

from collections.abc import Collection, Iterator, Mapping
from functools import cache

from analysis.recipe import (
    MOST_CATEGORIES,
    RESAMPLES,
    FactorGroup,
    Grouping,
    Recipe,
    Scale,
    shipped_recipes,
)
from survey.definition.questions import AskedQuestion
from survey.files.suggestions import did_you_mean

#: The question behind each column of raters; columns of other origin have none.
Columns = Mapping[str, AskedQuestion | None]
#: A key, and what is questionable about it.
Warned = tuple[tuple[str | int, ...], str]


def warnings(
    recipe: Recipe, columns: Columns, scale: Scale | None, scenarios: Collection[str]
) -> Iterator[Warned]:
    """Everything questionable in a study of these scenarios whose raters have these columns, and
    who rate on this scale or on none.
    """
    for group, names in recipe.scenario_groups.items():
        for place, name in enumerate(names):
            if name not in scenarios:
                near = did_you_mean(name, list(scenarios))
                yield ("scenario_groups", group, place), f"the study has no scenario {name!r}{near}"
    asked: list[tuple[tuple[str | int, ...], str]] = [
        (("groups", name, "column"), group.column) for name, group in recipe.groups.items()
    ]
    asked += [(("anova", place), name) for place, name in enumerate(recipe.anova)]
    for path, column in asked:
        if column not in columns:
            yield path, f"raters have no column {column!r}, so nobody is in any of its groups"
    for name, grouping in recipe.groups.items():
        question = columns.get(grouping.column)
        if question is not None:
            for path, warning in _of_grouping(grouping, question):
                yield ("groups", name, *path), warning
    yield from warnings_of_shipped(recipe, columns)
    yield from _warnings_of_links(recipe, scale)
    if recipe.bootstrap is not None and recipe.bootstrap.resamples < RESAMPLES:
        yield (
            ("bootstrap", "resamples"),
            f"fewer than {RESAMPLES:,} resamples leave the ends of intervals to chance",
        )
    if recipe.unit == "participant":
        return
    without = f"a recipe whose unit is the {recipe.unit}"
    if recipe.mixed_models is not None:
        yield ("mixed_models",), f"{without} has no mixed models"
    if recipe.margins.reference is not None:
        yield ("margins", "reference"), f"{without} compares no system with the reference"


def warnings_of_shipped(recipe: Recipe, columns: Columns) -> Iterator[Warned]:
    """What is questionable of a recipe that is for any study, too: answers of this study that no
    group knows.
    """
    for name, grouping in recipe.groups.items():
        question = columns.get(grouping.column)
        if question is not None:
            unknown = [answer for answer in question.categories if grouping.is_unknown(answer)]
            if unknown:
                verb, them = ("are", "them") if len(unknown) > 1 else ("is", "it")
                yield (
                    ("groups", name),
                    f"{' and '.join(map(repr, unknown))}, which the question {question.name} "
                    f"offers, {verb} in no group: the tests do not include people who choose "
                    f"{them}. Add {them} to a group, or to left_out",
                )


def _warnings_of_links(recipe: Recipe, scale: Scale | None) -> Iterator[Warned]:
    """Ordinal models of scales for which they are not made."""
    models = recipe.mixed_models
    if scale is None or scale.is_ordinal or models is None or models.links is None:
        return
    for place, link in enumerate(models.links):
        if link != "linear":
            what = "a slider" if scale.between else f"more than {MOST_CATEGORIES} points"
            yield (
                ("mixed_models", "links", place),
                f"an ordinal model of {what} has a threshold between every two ratings given, and "
                "many of these can hardly be estimated: remove links to get a linear model",
            )


def _of_grouping(grouping: Grouping, question: AskedQuestion) -> Iterator[Warned]:
    for side, group in (("a", grouping.a), ("b", grouping.b)):
        for path, warning in _of_group(group, question):
            yield (side, *path), warning
    for place, answer in enumerate(grouping.left_out):
        if not question.may_be(answer) and answer not in _shipped_answers():
            yield ("left_out", place), _is_none(question, answer)


def _of_group(group: FactorGroup, question: AskedQuestion) -> Iterator[Warned]:
    """Answers of a group that nobody can give, and numbers where the answers are none.

    The shipped recipes word an answer in several ways; in a copy of them, one will do.
    """
    fits = any(question.may_be(answer) for answer in group.values)
    known = _shipped_answers() if fits else frozenset()
    for place, answer in enumerate(group.values):
        if not question.may_be(answer) and answer not in known:
            yield ("values", place), f"group {group.label!r}: {_is_none(question, answer)}"
    if group.is_numeric and not question.holds_any(*group.span):
        no_answer = f"no answer to the question {question.name} is such a number"
        yield (), f"group {group.label!r}: {no_answer}: {question.asks}"


def _is_none(question: AskedQuestion, answer: str) -> str:
    return f"{answer!r} is no answer to the question {question.name}: {question.asks}"


@cache
def _shipped_answers() -> frozenset[str]:
    """Answers that the shipped recipes name, which are for any study."""
    return frozenset(
        answer
        for recipe in shipped_recipes().values()
        for grouping in recipe.groups.values()
        for answer in (*grouping.a.values, *grouping.b.values, *grouping.left_out)
    )
