"""Answers of simulated raters. Pure: profile, study, seed and rater in, answers out.

Ratings, ranks and choices of a rater come from one latent position of each response, so they agree
with each other. Every draw has its own key, so nothing depends on the order of the pages.
"""

import math
import random
from collections.abc import Iterator, Mapping, Sequence

from survey.definition.study import StudyDefinition
from survey.definition.tasks import RatingTask, TextTask
from survey.definition.training import TrainingItem
from survey.simulated.content import Content, RatingKey
from survey.simulated.profile import (
    Behaviour,
    Demographics,
    Effects,
    SimulationProfile,
)

#: Free-text answers.
REMARKS = {
    "en": (
        "I looked for the response that stayed with the feeling.",
        "It helped when the words were plain and not a list of tips.",
        "Some of these sounded as if nobody had read the message.",
        "A question at the end made me feel that somebody was listening.",
        "Advice came too early in some of them.",
    ),
    "zh-hans": (
        "我会看哪一条回复真正顾及了对方的感受。",
        "语言朴实、不急着列建议的回复更打动我。",
        "有几条像是没有认真读对方的话。",
        "结尾的提问让人觉得有人在听。",
        "有的回复太早给建议了。",
    ),
}


def draw(*key: object) -> random.Random:
    """Random numbers for `key` only."""
    return random.Random(repr(key))  # noqa: S311  to be reproducible, not secret


def positions(
    profile: SimulationProfile, content: Content, seed: int, number: int, behaviour: Behaviour
) -> dict[RatingKey, float]:
    """Each response's position in rater `number`'s view. Straight-liners see no difference."""
    effects = profile.effects
    if behaviour is Behaviour.STRAIGHT_LINER:
        return dict.fromkeys(content.cells(), 0.5)
    if behaviour is Behaviour.RANDOM_CLICKER:
        return {cell: draw(seed, number, "place", cell).random() for cell in content.cells()}
    rater = draw(seed, number, "rater").gauss(0, effects.rater_sd)
    said = demographics(profile.demographics, content, seed, number)
    groups = [group for group in effects.groups if group.includes(said.get(group.question, []))]
    return {
        cell: item_position(profile, seed, cell)
        + sum(group.shift for group in groups if group.moves(cell))
        + rater
        + draw(seed, number, "rating", cell).gauss(0, effects.residual_sd)
        for cell in content.cells()
    }


def item_position(profile: SimulationProfile, seed: int, cell: RatingKey) -> float:
    """A response's position on the latent scale: planted shifts and its own deviation.

    A response shown in several sets has one position.
    """
    effects = profile.effects
    item = draw(seed, "item", cell.scenario, cell.model, cell.condition, cell.dimension)
    return (
        effects.centre
        + effects.conditions.get(cell.condition, 0.0)
        + sum(system.shift for system in effects.systems if system.moves(cell))
        + effects.scenarios.get(cell.scenario, 0.0)
        + effects.dimensions.get(cell.dimension, 0.0)
        + item.gauss(0, effects.item_sd)
    )


def ratings(
    seen: Mapping[RatingKey, float], content: Content, seed: int, number: int, behaviour: Behaviour
) -> dict[RatingKey, float]:
    """The points of the scale for the `seen` positions; empty if nothing is rated."""
    task = content.definition.rating
    if task is None:
        return {}
    scale = task.values
    rated = {dimension.name for dimension in task.dimensions}
    cells = {cell: position for cell, position in seen.items() if cell.dimension in rated}
    if behaviour is Behaviour.STRAIGHT_LINER:
        return dict.fromkeys(cells, draw(seed, number, "line").choice([scale[0], scale[-1]]))
    if behaviour is Behaviour.RANDOM_CLICKER:
        return {cell: draw(seed, number, "click", cell).choice(scale) for cell in cells}
    return {cell: rating_at(position, scale) for cell, position in cells.items()}


def rating_at(position: float, scale: Sequence[float]) -> float:
    """The scale's point at a latent position: equal shares of 0…1, limited to the ends."""
    return scale[min(max(math.floor(position * len(scale)), 0), len(scale) - 1)]


def ranks(places: Sequence[float]) -> list[int]:
    """The rank of each value, 1 for the highest; ties in order."""
    best_first = sorted(range(len(places)), key=lambda i: -places[i])
    return [best_first.index(i) + 1 for i in range(len(places))]


def remark(task: TextTask, *key: object, language: str, share: float) -> str:
    """A free-text answer of an allowed length, or empty if none is required."""
    drawn = draw(*key, task.name)
    if drawn.random() >= share and not task.required:
        return ""
    sentences = REMARKS.get(language, REMARKS["en"])
    text = drawn.choice(sentences)
    while len(text) < task.minimum:
        text += " " + drawn.choice(sentences)
    return text[: task.maximum].strip()


def checks(content: Content, seed: int, number: int, behaviour: Behaviour) -> dict[str, float]:
    """The answer to each attention check by its name."""
    answers = {}
    for check in content.definition.attention_checks:
        scale = content.definition.check_values(check)
        drawn = draw(seed, number, "check", check.name)
        if behaviour is Behaviour.ATTENTION_FAILER:
            answers[check.name] = drawn.choice(
                [value for value in scale if value != check.right_answer]
            )
        elif behaviour is Behaviour.RANDOM_CLICKER:
            answers[check.name] = drawn.choice(scale)
        else:
            answers[check.name] = check.right_answer
    return answers


def screening(content: Content, seed: int, number: int, behaviour: Behaviour) -> dict[str, str]:
    """The option for each screening question; screened-out raters give one that is not eligible."""
    questions = content.definition.screening
    out = draw(seed, number, "screened out").choice(questions).name if questions else ""
    answers = {}
    for question in questions:
        wrong = behaviour is Behaviour.SCREENED_OUT and question.name == out
        options = [o for o in question.options if (o in question.eligible) != wrong]
        answers[question.name] = draw(seed, number, "screening", question.name).choice(options)
    return answers


def comprehension(
    profile: SimulationProfile, content: Content, seed: int, number: int, behaviour: Behaviour
) -> list[dict[str, str]]:
    """The answers to the comprehension check, attempt by attempt; a failed one has one wrong
    answer.
    """
    check = content.definition.comprehension
    if check is None:
        return []
    again = draw(seed, number, "second attempt").random() < profile.second_attempt
    failed = min(int(again), check.attempts - 1)
    if behaviour is Behaviour.COMPREHENSION_FAILER:
        failed = check.attempts
    attempts = []
    for attempt in range(1, min(failed + 1, check.attempts) + 1):
        answers = {question.name: question.answer for question in check.questions}
        if attempt <= failed:
            drawn = draw(seed, number, "comprehension", attempt)
            missed = drawn.choice(check.questions)
            wrong = [option for option in missed.options if option != missed.answer]
            answers[missed.name] = drawn.choice(wrong)
        attempts.append(answers)
    return attempts


def training(
    profile: SimulationProfile,
    item: TrainingItem,
    task: RatingTask,
    *key: object,
) -> list[dict[str, float]]:
    """The ratings of a training item in one try: within the expected range, or outside where the
    scale has such points.
    """
    misses = draw(*key, item.name, "misses").random() < profile.missed_training
    ratings = []
    for place, response in enumerate(item.responses):
        given = {}
        for dimension, (least, most) in response.expected.items():
            inside = [value for value in task.values if least <= value <= most]
            outside = [value for value in task.values if not least <= value <= most]
            drawn = draw(*key, item.name, place, dimension)
            given[dimension] = drawn.choice((misses and outside) or inside)
        ratings.append(given)
    return ratings


def demographics(
    given: Demographics, content: Content, seed: int, number: int
) -> dict[str, list[str]]:
    """A rater's demographic answers by question; skipped ones are absent."""
    answers = {}
    for question in content.definition.asked_demographics:
        drawn = draw(seed, number, "demographics", question.name)
        if drawn.random() >= given.skip:
            answers[question.name] = question.simulated(given.answers.get(question.name), drawn)
    return answers


def unmatched(
    profile: SimulationProfile, content: Content
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Names in a profile that this study lacks, each with its path in the file.

    They have no effect, and only get a notice, because one profile can serve several studies.
    """
    cells = list(content.cells())
    names: dict[str, tuple[Mapping[str, float], set[str]]] = {
        "conditions": (profile.effects.conditions, {cell.condition for cell in cells}),
        "scenarios": (profile.effects.scenarios, {cell.scenario for cell in cells}),
        "dimensions": (profile.effects.dimensions, {cell.dimension for cell in cells}),
    }
    for key, (named, known) in names.items():
        for name in named:
            if name not in known:
                yield ("effects", key, name), f"the study has no such {key[:-1]}"
    for place, system in enumerate(profile.effects.systems):
        if not any(system.moves(cell) for cell in cells):
            yield ("effects", "systems", place), "the study has no such system"
    for place, group in enumerate(profile.effects.groups):
        if not any(group.moves(cell) for cell in cells):
            yield ("effects", "groups", place), "the study has nothing of these names"
    yield from _unmatched_groups(profile.effects, content)
    yield from _unmatched_before_blocks(profile, content.definition)
    for language in profile.languages:
        if language not in content.languages:
            yield ("languages", language), "the study is not in this language"
    yield from _unmatched_questions(profile.demographics, content)


def _unmatched_before_blocks(
    profile: SimulationProfile, study: StudyDefinition
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if profile.behaviours.screened_out and not study.screening:
        yield ("behaviours", "screened_out"), "the study asks no screening question"
    if not study.comprehension:
        why = "the study has no comprehension check"
        if profile.behaviours.comprehension_failer:
            yield ("behaviours", "comprehension_failer"), why
        if profile.second_attempt:
            yield ("second_attempt",), why
    if profile.missed_training and not study.training:
        yield ("missed_training",), "the study has no training items"


def _unmatched_groups(
    effects: Effects, content: Content
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    questions = {question.name: question for question in content.definition.asked_demographics}
    for place, group in enumerate(effects.groups):
        path = ("effects", "groups", place)
        question = questions.get(group.question)
        if question is None:
            yield (*path, "question"), "the study has no such question"
        elif group.is_numeric and question.number is None:
            yield path, f"the study's question is of kind {question.kind}"
        elif offered := question.offered:
            for number, value in enumerate(group.values):
                if value not in offered:
                    yield (*path, "values", number), "the study's question has no such option"


def _unmatched_questions(
    demographics: Demographics, content: Content
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    questions = {question.name: question for question in content.definition.asked_demographics}
    for name, given in demographics.answers.items():
        path = ("demographics", "answers", name)
        question = questions.get(name)
        if question is None:
            yield path, "the study has no such question"
        elif (question.number is not None) == bool(given.shares):
            yield path, f"the study's question is of kind {question.kind}"
        else:
            for option in given.shares:
                if option not in question.offered:
                    yield (*path, "shares", option), "the study's question has no such option"
