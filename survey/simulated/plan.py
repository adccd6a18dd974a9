"""The simulated raters and what each will do. Pure: profile, study and seed in.

Every draw has its own key (seed, rater, purpose). So nothing depends on the order of the pages, on
later raters, or on an earlier run's progress.
"""

import hashlib
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from fractions import Fraction
from typing import Any, TypeVar

from survey.definition.tasks import RatingTask, TextTask
from survey.definition.training import TrainingItem
from survey.simulated import answers, writing
from survey.simulated.answers import draw
from survey.simulated.content import BlockTexts, Content, RatingKey, Text
from survey.simulated.profile import Behaviour, Deed, SimulationProfile, Times

Kind = TypeVar("Kind", Behaviour, Deed)

#: Duration of a page relative to a block; the seconds come from the profile's minutes.
WEIGHTS = {"consent": 1.0, "instructions": 0.5, "check": 0.3, "demographics": 1.0}
#: Pages that only some studies have.
WEIGHTS |= {"screening": 0.4, "comprehension": 0.4, "training": 0.6, "closing": 1.0}
PAGE_SPREAD = 0.4
#: Who end before the first block.
RATE_NOTHING = (Behaviour.DECLINER, Behaviour.SCREENED_OUT, Behaviour.COMPREHENSION_FAILER)
#: Time between two arrivals, on average.
MEAN_GAP = timedelta(minutes=2)
#: Device class → usual width and height of the window in CSS pixels.
WINDOWS = {"phone": (390, 844), "tablet": (820, 1180), "desktop": (1440, 900)}


@dataclass(frozen=True)
class RaterPlan:
    """One rater with all answers decided.

    `blocks` is the number of blocks they answer; `seconds` how long each page stays open (blocks by
    their position in the rater's order), or each attempt at it; `after` the arrival after the first
    rater's; `seen` each response's position in their view; `writes` their share of optional
    free-text questions answered; `pastes` whether they paste them from elsewhere; `deed` what they
    do on the local Prolific, None if they do not come from there.
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
    comprehension: list[dict[str, str]]
    profile: SimulationProfile
    writes: float
    pastes: bool
    deed: Deed | None = None

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

    def trained(self, item: TrainingItem, task: RatingTask, attempt: int) -> list[dict[str, float]]:
        """Their ratings of a training item at this try."""
        key = (self.seed, self.number, "training", attempt)
        return answers.training(self.profile, item, task, *key)

    def remark(self, task: TextTask, *place: str) -> str:
        """Their free-text answer, in the block at `place` or at the end."""
        key = (self.seed, self.number, "text", *place)
        return answers.remark(task, *key, language=self.language, share=self.writes)

    def writing(self, task: TextTask, *place: str) -> dict[str, Any]:
        """What their page counts while they write that answer."""
        honest = writing.typed if self.device == "desktop" else writing.typed_on_a_phone
        drawn = draw(self.seed, self.number, "writing", *place, task.name)
        characters = len(self.remark(task, *place))
        return writing.written(writing.pasted if self.pastes else honest, characters, drawn)


@dataclass(frozen=True)
class SimulatedRater:
    """What was decided of a rater who came: how they behave, and what they say of themselves, by
    question; with the profile that decided it.
    """

    behaviour: Behaviour
    said: Mapping[str, list[str]]
    profile: SimulationProfile


def plan_raters(
    *,
    profile: SimulationProfile,
    content: Content,
    participants: int,
    seed: int,
    from_prolific: bool = False,
) -> list[RaterPlan]:
    """Decide everything about `participants` raters. The same input gives the same plans."""
    behaviours = behaviours_of(
        profile=profile, content=content, participants=participants, seed=seed
    )
    plans, after = [], timedelta()
    for number, behaviour in enumerate(behaviours, start=1):
        plans.append(_plan_rater(profile, content, seed, number, behaviour, after))
        after += draw(seed, number, "gap").expovariate(1) * MEAN_GAP
    return _at_prolific(plans, profile, content, seed) if from_prolific else plans


def _at_prolific(
    plans: Sequence[RaterPlan], profile: SimulationProfile, content: Content, seed: int
) -> list[RaterPlan]:
    """The same raters with ids of Prolific's form, and what each does there."""
    deeds = _shuffled(profile.prolific.shares(), len(plans), Deed.ENTERS_CODE, seed, "deeds")
    for at, plan in enumerate(plans):
        if plan.leaves and deeds[at] is not Deed.FORGED_IDS:
            drawn = draw(seed, plan.number, "returns").random()
            deeds[at] = Deed.RETURNS if drawn < profile.prolific.returns else Deed.TIMES_OUT
    return [
        replace(plan, person=person_at_prolific(content.version, seed, plan.number), deed=deed)
        for plan, deed in zip(plans, deeds, strict=True)
    ]


def behaviours_of(
    *, profile: SimulationProfile, content: Content, participants: int, seed: int
) -> list[Behaviour]:
    """How each of `participants` raters behaves, in the order of their numbers."""
    shares = profile.behaviours.shares()
    if not content.definition.screening:
        del shares[Behaviour.SCREENED_OUT]
    if not content.definition.comprehension:
        del shares[Behaviour.COMPREHENSION_FAILER]
    return _shuffled(shares, participants, Behaviour.CAREFUL, seed, "behaviours")


def person_key(version: int, seed: int, number: int) -> str:
    """The ID with which a rater arrives at a version of a study."""
    return f"sim-v{version}-{seed}-{number:04d}"


def person_at_prolific(version: int, seed: int, number: int) -> str:
    """The same for a rater from the local Prolific: an id of Prolific's form."""
    key = person_key(version, seed, number)
    return hashlib.sha256(key.encode()).hexdigest()[:24]


def _shuffled(
    shares: Mapping[Kind, Fraction], people: int, rest: Kind, seed: int, purpose: str
) -> list[Kind]:
    counts = exact_counts(shares, people, rest)
    drawn = [kind for kind, count in counts.items() for _ in range(count)]
    draw(seed, purpose).shuffle(drawn)
    return drawn


def exact_counts(shares: Mapping[Kind, Fraction], people: int, rest: Kind) -> dict[Kind, int]:
    """Numbers of people nearest to the shares (largest remainder); `rest` has the others."""
    left = 1 - sum(shares.values(), Fraction())
    quotas = {kind: share * people for kind, share in {**shares, rest: left}.items()}
    counts = {kind: math.floor(quota) for kind, quota in quotas.items()}
    by_remainder = sorted(quotas, key=lambda kind: quotas[kind] - counts[kind], reverse=True)
    for kind in by_remainder[: people - sum(counts.values())]:
        counts[kind] += 1
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
    elif behaviour in RATE_NOTHING:
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
        comprehension=answers.comprehension(profile, content, seed, number, behaviour),
        profile=profile,
        writes=profile.writes,
        pastes=draw(seed, number, "pastes").random() < profile.pastes,
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
    if behaviour not in RATE_NOTHING:
        weights |= dict.fromkeys(block_pages, 1.0) | dict.fromkeys(check_pages, WEIGHTS["check"])
        weights["demographics"] = WEIGHTS["demographics"]
        if study.closing:
            weights["closing"] = WEIGHTS["closing"]
    if study.screening and behaviour is not Behaviour.DECLINER:
        weights["screening"] = WEIGHTS["screening"]
    if study.comprehension and "instructions" in weights:
        weights["comprehension"] = WEIGHTS["comprehension"]
    if behaviour not in RATE_NOTHING:
        weights |= {training_page(item.name): WEIGHTS["training"] for item in study.training_items}
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


def training_page(name: str) -> str:
    """The key of a training item's page in `seconds`."""
    return f"training {name}"


def check_page(name: str) -> str:
    """The key of an attention check's page in `seconds`."""
    return f"check {name}"
