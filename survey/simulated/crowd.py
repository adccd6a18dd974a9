"""Many simulated raters at once, over a study that is in the database."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q

from survey.definition import StudyDefinition
from survey.definition.settings import ENDINGS, Parameters, Prolific
from survey.models import BlockResponse, Identity, Participant, Study
from survey.simulated.content import Block, Content, Text
from survey.simulated.plan import RaterPlan
from survey.simulated.walker import Resume, Walk, walk


@dataclass(frozen=True)
class Rota:
    """Who still has to walk, from where, and who has already taken part."""

    waiting: list[tuple[RaterPlan, Resume | None]]
    already: list[RaterPlan]


def read_content(study: Study) -> Content:
    """The study with its systems, which no browser gets to see."""
    members = BlockResponse.objects.filter(block__study=study).select_related(
        "block__scenario", "response__system"
    )
    blocks: dict[int, list[BlockResponse]] = {}
    for member in members.order_by("block__position", "position"):
        blocks.setdefault(member.block_id, []).append(member)
    prolific = study.settings["prolific"]
    prolific = Prolific.model_validate(prolific) if prolific else None
    codes = {ending: prolific.code(ending) for ending in ENDINGS} if prolific else {}
    return Content(
        definition=StudyDefinition.model_validate(study.definition),
        version=study.version,
        codes={ending: code for ending, code in codes.items() if code is not None},
        parameters=prolific.parameters if prolific else Parameters(),
        translations={
            language: StudyDefinition.model_validate(translation)
            for language, translation in study.translations.items()
        },
        blocks=tuple(
            Block(
                scenario=members[0].block.scenario.name,
                set_name=members[0].block.set_name,
                prompt=members[0].block.scenario.prompt,
                texts=tuple(
                    Text(m.response.system.model, m.response.system.condition, m.response.text)
                    for m in members
                ),
            )
            for members in blocks.values()
        ),
    )


def look_up(study: Study, plans: Sequence[RaterPlan]) -> Rota:
    """Tell those who have already taken part, as far as planned, from those who have not."""
    identities = (
        Identity.objects.filter(slug=study.slug, kind=Identity.Kind.SIMULATED)
        .filter(key__in=[plan.person for plan in plans])
        .select_related("participant")
        .annotate(
            answered=Count(
                "participant__presentations",
                filter=Q(participant__presentations__answered_at__isnull=False),
            )
        )
    )
    known = {identity.key: identity for identity in identities}
    rota = Rota([], [])
    under_way = (Participant.Status.ARRIVED, Participant.Status.IN_PROGRESS)
    for plan in plans:
        identity = known.get(plan.person)
        if identity is None:
            rota.waiting.append((plan, None))
            continue
        participant, answered = identity.participant, identity.answered
        left = plan.leaves and answered >= plan.blocks
        if participant.status not in under_way or left:
            rota.already.append(plan)
        else:
            rota.waiting.append((plan, Resume(participant.last_seen_at, answered)))
    return rota


def walk_all(
    rota: Rota, *, server: str, content: Content, now: datetime, workers: int
) -> Iterator[Walk]:
    """Send everybody who is waiting, `workers` at a time; yields each as they end.

    The first WalkError stops the rest: raters under way finish their page.
    """
    with ThreadPoolExecutor(workers) as pool:
        futures = [
            pool.submit(walk, server=server, content=content, plan=plan, now=now, resume=resume)
            for plan, resume in rota.waiting
        ]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
