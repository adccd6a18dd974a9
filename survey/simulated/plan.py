"""The simulated raters and what each will do. Pure: profile, study and seed in.

Every draw has its own key (seed, rater, purpose). So nothing depends on the order of the pages, on
later raters, or on an earlier run's progress.
"""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction

from survey.definition.tasks import TextTask
from survey.simulated import answers
from survey.simulated.answers import draw
from survey.simulated.content import BlockTexts, Content, RatingKey, Text
from survey.simulated.profile import Behaviour, SimulationProfile, Times

#: Duration of a page relative to a block; the seconds come from the profile's minutes.
WEIGHTS = {"consent": 1.0, "instructions": 0.5, "check": 0.3, "demographics": 1.0}
#: Pages that only some studies have.
WEIGHTS |= {"screening": 0.4, "closing": 1.0}
PAGE_SPREAD = 0.4
#: Time between two arrivals, on average.
MEAN_GAP = timedelta(minutes=2)
#: Device class → usual width and height of the window in CSS pixels.
WINDOWS = {"phone": (390, 844), "tablet": (820, 1180), "desktop": (1440, 900)}


@dataclass(frozen=True)
class RaterPlan:
    """One rater with all answers decided.

    `blocks` is the number of blocks they answer; `seconds` how long each page stays open (blocks by
    their position in the rater's order); `after` the arrival after the first rater's; `seen` each
    response's position in their view; `writes` their share of optional free-text questions
    answered.
    """

    number: int
    person: str
    behaviour: Behaviour
    order_seed: int
    seed: int
    language: str
    device: str
    blocks: int
    after: timedelta
    seconds: dict[str, float]
    seen: dict[RatingKey, float]
    ratings: dict[RatingKey, float]
    checks: dict[str, float]
    screening: dict[str, str]
    demographics: dict[str, list[str]]
    writes: float

    @property
    def minutes(self) -> float:
        """From arrival to the last page."""
        return sum(self.seconds.values()) / 60

    @property
    def until(self) -> timedelta:
        """The latest time of their last page, counted like `after`."""
        return self.after + timedelta(minutes=self.minutes)

    @property
    def leaves(self) -> bool:
        """Whether they close the browser before the end."""
        return self.behaviour is Behaviour.EARLY_EXIT

    def places(
        self, block: BlockTexts, texts: Sequence[Text], dimensions: Sequence[str]
    ) -> list[float]:
        """Each text's position in the rater's view, all `dimensions` together."""
        return [
            sum(
                self.seen[RatingKey(*block.name, text.model, text.condition, d)] for d in dimensions
            )
            for text in texts
        ]

    def remark(self, task: TextTask, *place: str) -> str:
        """Their free-text answer, in the block at `place` or at the end."""
        key = (self.seed, self.number, "text", *place)
        return answers.remark(task, *key, language=self.language, share=self.writes)


@dataclass(frozen=True)
class SimulatedRater:
    """What was decided of a rater who came: how they behave, and what they say of themselves, by
    question; with the profile that decided it.
    """

    behaviour: Behaviour
    said: Mapping[str, list[str]]
    profile: SimulationProfile


def plan_raters(
    *, profile: SimulationProfile, content: Content, participants: int, seed: int
) -> list[RaterPlan]:
    """Decide everything about `participants` raters. The same input gives the same plans."""
    behaviours = behaviours_of(
        profile=profile, content=content, participants=participants, seed=seed
    )
    plans, after = [], timedelta()
    for number, behaviour in enumerate(behaviours, start=1):
        plans.append(_plan_rater(profile, content, seed, number, behaviour, after))
        after += draw(seed, number, "gap").expovariate(1) * MEAN_GAP
    return plans


def behaviours_of(
    *, profile: SimulationProfile, content: Content, participants: int, seed: int
) -> list[Behaviour]:
    """How each of `participants` raters behaves, in the order of their numbers."""
    shares = profile.behaviours.shares()
    if not content.definition.screening:
        del shares[Behaviour.SCREENED_OUT]
    counts = exact_counts(shares, participants)
    behaviours = [behaviour for behaviour, count in counts.items() for _ in range(count)]
    draw(seed, "behaviours").shuffle(behaviours)
    return behaviours


def person_key(version: int, seed: int, number: int) -> str:
    """The ID with which a rater arrives at a version of a study."""
    return f"sim-v{version}-{seed}-{number:04d}"


def exact_counts(shares: Mapping[Behaviour, Fraction], people: int) -> dict[Behaviour, int]:
    """Numbers of raters nearest to the shares (largest remainder); the others are careful."""
    careful = 1 - sum(shares.values(), Fraction())
    quotas = {b: share * people for b, share in {**shares, Behaviour.CAREFUL: careful}.items()}
    counts = {behaviour: math.floor(quota) for behaviour, quota in quotas.items()}
    by_remainder = sorted(quotas, key=lambda b: quotas[b] - counts[b], reverse=True)
    for behaviour in by_remainder[: people - sum(counts.values())]:
        counts[behaviour] += 1
    return counts


def _plan_rater(
    profile: SimulationProfile,
    content: Content,
    seed: int,
    number: int,
    behaviour: Behaviour,
    after: timedelta,
) -> RaterPlan:
    drawn = draw(seed, number, "person")
    order_seed = drawn.getrandbits(62)
    blocks = content.blocks_shown
    if behaviour is Behaviour.EARLY_EXIT:
        blocks = drawn.randint(min(1, blocks - 1), blocks - 1)
    elif behaviour in (Behaviour.DECLINER, Behaviour.SCREENED_OUT):
        blocks = 0
    seconds = _seconds(profile.minutes, content, draw(seed, number, "time"), behaviour, blocks)
    seen = answers.positions(profile, content, seed, number, behaviour)
    return RaterPlan(
        number=number,
        person=person_key(content.version, seed, number),
        behaviour=behaviour,
        order_seed=order_seed,
        seed=seed,
        language=_language(profile, content, seed, number),
        device=_one_of(dict(profile.devices), "desktop", draw(seed, number, "device")),
        blocks=blocks,
        after=after,
        seconds=seconds,
        seen=seen,
        ratings=answers.ratings(seen, content, seed, number, behaviour),
        checks=answers.checks(content, seed, number, behaviour),
        screening=answers.screening(content, seed, number, behaviour),
        demographics=answers.demographics(profile.demographics, content, seed, number),
        writes=profile.writes,
    )


def _language(profile: SimulationProfile, content: Content, seed: int, number: int) -> str:
    main, *others = content.languages
    shares = {language: profile.languages.get(language, 0.0) for language in others}
    return _one_of(shares, main, draw(seed, number, "language"))


def _one_of(shares: Mapping[str, float], rest: str, drawn: random.Random) -> str:
    """One of the names by their shares; `rest` for the remaining share."""
    place = drawn.random()
    for name, share in shares.items():
        place -= share
        if place < 0:
            return name
    return rest


def _seconds(
    times: Times, content: Content, drawn: random.Random, behaviour: Behaviour, blocks: int
) -> dict[str, float]:
    """Seconds on each page: log-normal around its weight, scaled to the rater's whole time."""
    least, most = times.speeder if behaviour is Behaviour.SPEEDER else times.careful
    total = drawn.uniform(least, most) * 60
    study = content.definition
    block_pages = [block_page(place) for place in range(1, blocks + 1)]
    check_pages = [check_page(c.name) for c in study.attention_checks if c.kind == "item"]
    weights = {"consent": WEIGHTS["consent"]}
    if behaviour not in (Behaviour.DECLINER, Behaviour.SCREENED_OUT):
        weights["instructions"] = WEIGHTS["instructions"]
        weights |= dict.fromkeys(block_pages, 1.0) | dict.fromkeys(check_pages, WEIGHTS["check"])
        weights["demographics"] = WEIGHTS["demographics"]
        if study.closing:
            weights["closing"] = WEIGHTS["closing"]
    if study.screening and behaviour is not Behaviour.DECLINER:
        weights["screening"] = WEIGHTS["screening"]
    weights = {
        page: weight * drawn.lognormvariate(0, PAGE_SPREAD) for page, weight in weights.items()
    }
    if not study.asked_demographics:
        weights.pop("demographics", None)
    if behaviour is Behaviour.EARLY_EXIT:
        # The server draws which checks come before they leave: the remaining pages get that time.
        for page in ("demographics", "closing"):
            weights.pop(page, None)
        whole = sum(weight for page, weight in weights.items() if page not in check_pages)
    elif not blocks:
        whole = content.blocks_shown
    else:
        whole = sum(weights.values())
    seconds = {page: total * weight / whole for page, weight in weights.items()}
    if behaviour is Behaviour.STALLER:
        seconds[drawn.choice(block_pages)] += drawn.uniform(*times.staller_pause) * 60
    return seconds


def block_page(place: int) -> str:
    """The key of the `place`-th block's page in `seconds`."""
    return f"block {place}"


def check_page(name: str) -> str:
    """The key of an attention check's page in `seconds`."""
    return f"check {name}"
