"""Which profile and seed made the simulated raters of a study: recorded when they are sent."""

from collections.abc import Sequence
from dataclasses import dataclass

from survey.models import Identity, Participant, Study, StudyEvent
from survey.simulated.answers import demographics
from survey.simulated.content import Content
from survey.simulated.plan import SimulatedRater, behaviours_of, person_at_prolific, person_key
from survey.simulated.profile import SimulationProfile

#: The event that says so.
ACTION = "simulated"


@dataclass(frozen=True)
class Crowd:
    """Raters that were sent together: numbers 1 to `participants` of a seed."""

    profile: SimulationProfile
    name: str
    seed: int
    participants: int
    from_prolific: bool = False


def record_crowd(study: Study, crowd: Crowd) -> None:
    """Record it, unless it is the newest record: the same command again sends who is missing."""
    detail = {
        "name": crowd.name,
        "seed": crowd.seed,
        "participants": crowd.participants,
        "profile": crowd.profile.model_dump(mode="json"),
        "from_prolific": crowd.from_prolific,
    }
    newest = study.events.filter(action=ACTION).last()
    if newest is None or newest.detail != detail:
        StudyEvent.objects.create(study=study, action=ACTION, detail=detail)


def crowds_of(study: Study) -> list[Crowd]:
    """Those that were sent, in order."""
    return [
        Crowd(
            SimulationProfile.model_validate(event.detail["profile"]),
            event.detail["name"],
            event.detail["seed"],
            event.detail["participants"],
            event.detail.get("from_prolific", False),
        )
        for event in study.events.filter(action=ACTION)
    ]


def simulated_raters(
    study: Study, content: Content, crowds: Sequence[Crowd]
) -> dict[str, SimulatedRater]:
    """The simulated raters who came, by pseudonym, as far as a crowd is recorded that has them.

    A rater who came with a crowd stays as it decided, even if a later one has their number, too.
    """
    decided: dict[str, SimulatedRater] = {}
    came = dict(
        Identity.objects.filter(
            participant__study=study,
            participant__source=Participant.Source.SIMULATED,
        ).values_list("key", "participant__pseudonym")
    )
    for crowd in crowds:
        behaviours = behaviours_of(
            profile=crowd.profile,
            content=content,
            participants=crowd.participants,
            seed=crowd.seed,
        )
        key = person_at_prolific if crowd.from_prolific else person_key
        for number, behaviour in enumerate(behaviours, start=1):
            name = came.get(key(content.version, crowd.seed, number))
            if name is not None and name not in decided:
                said = demographics(crowd.profile.demographics, content, crowd.seed, number)
                decided[name] = SimulatedRater(behaviour, said, crowd.profile)
    return decided
