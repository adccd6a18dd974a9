"""Who the simulated raters are and what each will do. Pure: profile, study and seed in.

Every draw has its own key (seed, rater, what it is for), so that nothing depends on the order
in which pages come, on other raters, or on how far an earlier run got.
"""

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction

from survey.definition.questions import IntegerQuestion, Question, StateQuestion
from survey.regions import STATES
from survey.simulated.content import Cell, Content
from survey.simulated.profile import Answers, Behaviour, Demographics, Profile, Times

#: How long a page takes, compared with a block; the seconds come from the profile's minutes.
WEIGHTS = {"consent": 1.0, "instructions": 0.5, "check": 0.3, "demographics": 1.0}
PAGE_SPREAD = 0.4
DAYS_SPREAD = timedelta(days=2)
SILENT_AT_LEAST = timedelta(hours=3)


@dataclass(frozen=True)
class RaterPlan:
    """One rater, decided to the last answer.

    `blocks` is how many blocks they answer; `seconds` how long each page stays open (blocks by
    their place in the rater's order); `before` how long before the run they arrived.
    """

    number: int
    person: str
    behaviour: Behaviour
    order_seed: int
    blocks: int
    before: timedelta
    seconds: dict[str, float]
    ratings: dict[Cell, int]
    checks: dict[str, int]
    demographics: dict[str, list[str]]

    @property
    def minutes(self) -> float:
        """From arrival to the last page."""
        return sum(self.seconds.values()) / 60

    @property
    def leaves(self) -> bool:
        """Whether they close the browser before the end."""
        return self.behaviour is Behaviour.EARLY_EXIT


def plan_raters(
    *, profile: Profile, content: Content, participants: int, seed: int
) -> list[RaterPlan]:
    """Decide everything about `participants` raters. The same input gives the same plans."""
    counts = exact_counts(profile.behaviours.shares(), participants)
    behaviours = [behaviour for behaviour, count in counts.items() for _ in range(count)]
    _draw(seed, "behaviours").shuffle(behaviours)
    return [
        _plan_rater(profile, content, seed, number, behaviour)
        for number, behaviour in enumerate(behaviours, start=1)
    ]


def exact_counts(shares: Mapping[Behaviour, Fraction], people: int) -> dict[Behaviour, int]:
    """Whole numbers of people nearest to the shares (largest remainder); the rest is careful."""
    careful = 1 - sum(shares.values(), Fraction())
    quotas = {b: share * people for b, share in {**shares, Behaviour.CAREFUL: careful}.items()}
    counts = {behaviour: math.floor(quota) for behaviour, quota in quotas.items()}
    by_remainder = sorted(quotas, key=lambda b: quotas[b] - counts[b], reverse=True)
    for behaviour in by_remainder[: people - sum(counts.values())]:
        counts[behaviour] += 1
    return counts


def _draw(*key: object) -> random.Random:
    return random.Random(repr(key))  # noqa: S311  to be reproducible, not secret


def _plan_rater(
    profile: Profile, content: Content, seed: int, number: int, behaviour: Behaviour
) -> RaterPlan:
    draw = _draw(seed, number, "person")
    order_seed = draw.getrandbits(62)
    blocks = len(content.blocks)
    if behaviour is Behaviour.EARLY_EXIT:
        blocks = draw.randint(min(1, blocks - 1), blocks - 1)
    elif behaviour is Behaviour.DECLINER:
        blocks = 0
    seconds = _seconds(profile.minutes, content, _draw(seed, number, "time"), behaviour, blocks)
    latest = timedelta(seconds=sum(seconds.values())) + SILENT_AT_LEAST
    before = latest + draw.random() * max(DAYS_SPREAD - latest, timedelta())
    return RaterPlan(
        number=number,
        person=f"sim-v{content.version}-{seed}-{number:04d}",
        behaviour=behaviour,
        order_seed=order_seed,
        blocks=blocks,
        before=before,
        seconds=seconds,
        ratings=_ratings(profile, content, seed, number, behaviour),
        checks=_checks(content, seed, number, behaviour),
        demographics=_demographics(profile.demographics, content, seed, number),
    )


def _seconds(
    times: Times, content: Content, draw: random.Random, behaviour: Behaviour, blocks: int
) -> dict[str, float]:
    """Seconds on each page: log-normal around its weight, scaled to the rater's whole time."""
    least, most = times.speeder if behaviour is Behaviour.SPEEDER else times.careful
    total = draw.uniform(least, most) * 60
    block_pages = [block_page(place) for place in range(1, blocks + 1)]
    check_pages = [check_page(check.name) for check in content.definition.attention_checks]
    weights = {"consent": WEIGHTS["consent"]}
    if behaviour is not Behaviour.DECLINER:
        weights["instructions"] = WEIGHTS["instructions"]
        weights |= dict.fromkeys(block_pages, 1.0) | dict.fromkeys(check_pages, WEIGHTS["check"])
        weights["demographics"] = WEIGHTS["demographics"]
    weights = {
        page: weight * draw.lognormvariate(0, PAGE_SPREAD) for page, weight in weights.items()
    }
    if behaviour is Behaviour.EARLY_EXIT:
        # Which checks come before they leave is the server's draw: their time goes to the rest.
        del weights["demographics"]
        whole = sum(weight for page, weight in weights.items() if page not in check_pages)
    elif behaviour is Behaviour.DECLINER:
        whole = len(content.blocks)
    else:
        whole = sum(weights.values())
    seconds = {page: total * weight / whole for page, weight in weights.items()}
    if behaviour is Behaviour.STALLER:
        seconds[draw.choice(block_pages)] += draw.uniform(*times.staller_pause) * 60
    return seconds


def block_page(place: int) -> str:
    """What the page of the `place`-th block is called in `seconds`."""
    return f"block {place}"


def check_page(name: str) -> str:
    """What the page of an attention check is called in `seconds`."""
    return f"check {name}"


def _ratings(
    profile: Profile, content: Content, seed: int, number: int, behaviour: Behaviour
) -> dict[Cell, int]:
    if content.definition.rating is None:
        return {}
    scale = content.definition.rating.values
    if behaviour is Behaviour.STRAIGHT_LINER:
        value = _draw(seed, number, "line").choice([scale[0], scale[-1]])
        return dict.fromkeys(content.cells(), value)
    if behaviour is Behaviour.RANDOM_CLICKER:
        return {cell: _draw(seed, number, "click", cell).choice(scale) for cell in content.cells()}
    rater = _draw(seed, number, "rater").gauss(0, profile.effects.rater_sd)
    return {
        cell: rating_at(
            item_position(profile, seed, cell)
            + rater
            + _draw(seed, number, "rating", cell).gauss(0, profile.effects.residual_sd),
            scale,
        )
        for cell in content.cells()
    }


def item_position(profile: Profile, seed: int, cell: Cell) -> float:
    """Where a response stands on the latent scale: planted shifts and its own deviation.

    A response shown in several sets has one position.
    """
    effects = profile.effects
    item = _draw(seed, "item", cell.scenario, cell.model, cell.condition, cell.dimension)
    return (
        effects.centre
        + effects.conditions.get(cell.condition, 0.0)
        + sum(
            system.shift
            for system in effects.systems
            if (system.model, system.condition) == (cell.model, cell.condition)
        )
        + effects.scenarios.get(cell.scenario, 0.0)
        + effects.dimensions.get(cell.dimension, 0.0)
        + item.gauss(0, effects.item_sd)
    )


def rating_at(position: float, scale: list[int]) -> int:
    """The point of the scale at a latent position: equal shares of 0…1, ends beyond."""
    return scale[min(max(math.floor(position * len(scale)), 0), len(scale) - 1)]


def _checks(content: Content, seed: int, number: int, behaviour: Behaviour) -> dict[str, int]:
    answers = {}
    for check in content.definition.attention_checks:
        scale = [point.value for point in content.definition.check_scale(check)]
        draw = _draw(seed, number, "check", check.name)
        if behaviour is Behaviour.ATTENTION_FAILER:
            answers[check.name] = draw.choice(
                [value for value in scale if value != check.right_answer]
            )
        elif behaviour is Behaviour.RANDOM_CLICKER:
            answers[check.name] = draw.choice(scale)
        else:
            answers[check.name] = check.right_answer
    return answers


def _demographics(
    demographics: Demographics, content: Content, seed: int, number: int
) -> dict[str, list[str]]:
    answers = {}
    for question in content.definition.demographics:
        draw = _draw(seed, number, "demographics", question.name)
        if draw.random() >= demographics.skip:
            given = demographics.answers.get(question.name)
            answers[question.name] = _answer(question, given, draw)
    return answers


def _answer(question: Question, given: Answers | None, draw: random.Random) -> list[str]:
    if isinstance(question, IntegerQuestion):
        if given is None or given.mean is None or given.sd is None:
            return [str(draw.randint(question.minimum, question.maximum))]
        number = round(draw.gauss(given.mean, given.sd))
        return [str(min(max(number, question.minimum), question.maximum))]
    options = options_of(question)
    shares = {o: given.shares[o] for o in options if given and given.shares.get(o)}
    shares = shares or dict.fromkeys(options, 1.0)
    first = draw.choices(list(shares), list(shares.values()))[0]
    others = [option for option in shares if option != first]
    if question.kind == "multiple" and given and others and draw.random() < given.second:
        return [first, draw.choices(others, [shares[option] for option in others])[0]]
    return [first]


def options_of(question: Question) -> list[str]:
    """What can be chosen; nothing for a number."""
    if isinstance(question, IntegerQuestion):
        return []
    return list(STATES) if isinstance(question, StateQuestion) else question.offered


def unmatched(profile: Profile, content: Content) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Names in a profile that this study does not have, each with its place in the file.

    They have no effect. One profile may serve several studies, so they are worth a notice.
    """
    rated = list(content.cells())
    names: dict[str, tuple[Mapping[str, float], set[str]]] = {
        "conditions": (profile.effects.conditions, {cell.condition for cell in rated}),
        "scenarios": (profile.effects.scenarios, {cell.scenario for cell in rated}),
        "dimensions": (profile.effects.dimensions, {cell.dimension for cell in rated}),
    }
    for key, (named, known) in names.items():
        for name in named:
            if name not in known:
                yield ("effects", key, name), f"the study has no such {key[:-1]}"
    systems = {(cell.model, cell.condition) for cell in rated}
    for place, system in enumerate(profile.effects.systems):
        if (system.model, system.condition) not in systems:
            yield ("effects", "systems", place), "the study has no such system"
    questions = {question.name: question for question in content.definition.demographics}
    for name, given in profile.demographics.answers.items():
        path = ("demographics", "answers", name)
        question = questions.get(name)
        if question is None:
            yield path, "the study has no such question"
        elif isinstance(question, IntegerQuestion) == bool(given.shares):
            yield path, f"the study's question is of kind {question.kind}"
        else:
            for option in given.shares:
                if option not in options_of(question):
                    yield (*path, "shares", option), "the study's question has no such option"
