"""Many simulated raters at once, for a study in the database.

By their simulated clocks they arrive minutes apart and stay for half an hour, so several are always
active at once. Where the order of requests matters, they reach the server in the order of these
clocks.
"""

from collections import deque
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from operator import attrgetter

from django.db.models import Count, Max, Q

from survey.definition import StudyDefinition
from survey.definition.settings import ENDINGS, LinkParameters, Prolific
from survey.models import BlockResponse, Identity, Participant, Study
from survey.simulated.content import BlockTexts, Content, Text
from survey.simulated.plan import RaterPlan
from survey.simulated.recruiters import ByThemselves, Recruiter
from survey.simulated.walker import SimulatedVisit, Start, Walk

#: How long ago the first crowd of a study starts. Later crowds follow it.
DAYS_BACK = timedelta(days=2)
#: How long ago the last one sent their last page: by now all dropouts are inactive.
SILENT_AT_LEAST = timedelta(hours=3)


@dataclass(frozen=True)
class Rota:
    """The raters still to be sent, with their start, and those who already took part."""

    waiting: list[tuple[RaterPlan, Start]]
    already: list[RaterPlan]


def read_content(study: Study) -> Content:
    """The study with its systems, which no browser sees."""
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
        parameters=prolific.parameters if prolific else LinkParameters(),
        silence=_silence(study),
        translations={
            language: StudyDefinition.model_validate(translation)
            for language, translation in study.translations.items()
        },
        blocks=tuple(
            BlockTexts(
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


def _silence(study: Study) -> timedelta:
    """The inactivity after which a rater can lose their place."""
    return timedelta(minutes=study.settings["places"]["stale_minutes"])


def look_up(study: Study, plans: Sequence[RaterPlan], now: datetime) -> Rota:
    """Separate raters who already took part, as far as planned, from the others."""
    identities = (
        Identity.objects.filter(
            slug=study.slug,
            participant__source=Participant.Source.SIMULATED,
            key__in=[plan.person for plan in plans],
        )
        .select_related("participant__held_slot")
        .annotate(
            answered=Count(
                "participant__presentations",
                filter=Q(participant__presentations__answered_at__isnull=False),
            )
        )
    )
    known = {identity.key: identity for identity in identities}
    came = {key: identity.participant.arrived_at for key, identity in known.items()}
    begins = _beginning(study, plans, came, now)
    rota = Rota([], [])
    under_way = (Participant.Status.ARRIVED, Participant.Status.IN_PROGRESS)
    for plan in plans:
        identity = known.get(plan.person)
        if identity is None:
            rota.waiting.append((plan, Start(begins + plan.after)))
            continue
        participant, answered = identity.participant, identity.answered
        left = plan.leaves and answered >= plan.blocks
        if participant.status not in under_way or left:
            rota.already.append(plan)
        else:
            placeless = not hasattr(participant, "held_slot")
            rota.waiting.append((plan, Start(participant.last_seen_at, answered, placeless)))
    return rota


def _beginning(
    study: Study, plans: Sequence[RaterPlan], came: Mapping[str, datetime], now: datetime
) -> datetime:
    """The start of the crowd of `plans`, so that it ends by `now`.

    If some of its raters `came`, the crowd has already started. Otherwise it follows all earlier
    simulated raters, after their dropouts have been inactive so long that their places are free. If
    there is no time for that, it overlaps them or comes earlier: raters who completed lose no place
    to it.
    """
    latest = now - SILENT_AT_LEAST - max(plan.until for plan in plans)
    begun = [came[plan.person] - plan.after for plan in plans if plan.person in came]
    if begun:
        return min(begun[-1], latest)
    seen = study.participants.filter(source=Participant.Source.SIMULATED)
    last = seen.aggregate(last=Max("last_seen_at"))["last"]
    begins = now - DAYS_BACK
    return min(max(begins, last + _silence(study)) if last else begins, latest)


def walk_all(
    rota: Rota, *, server: str, content: Content, workers: int, recruiter: Recruiter | None = None
) -> Generator[Walk]:
    """Send all waiting raters, `workers` at a time; yields each as it ends. Without a recruiter
    they come by themselves.

    Before a request that may take a place, all other raters are advanced to the same simulated
    time, so places depend only on the clocks. The first WalkError stops all, after the requests in
    progress.
    """
    arriving = deque(sorted(rota.waiting, key=lambda waiting: (waiting[1].at, waiting[0].number)))
    under_way: list[SimulatedVisit] = []
    recruiter = recruiter or ByThemselves(server, content)
    with ThreadPoolExecutor(workers) as pool:
        try:
            while arriving or under_way:
                first = min((v for v in under_way if v.in_turn), key=_at, default=None)
                if arriving and (first is None or arriving[0][1].at < first.at):
                    plan, start = arriving.popleft()
                    link = partial(recruiter.link, plan, start.at)
                    first = SimulatedVisit(link=link, content=content, plan=plan, start=start)
                    under_way.append(first)
                _bring_up(pool, under_way, first.at if first else None)
                if first is not None:
                    first.go()
                for visit in [v for v in under_way if v.ended]:
                    under_way.remove(visit)
                    visit.close()
                    recruiter.ended(visit.walk, visit.at)
                    yield visit.walk
        finally:
            pool.shutdown(cancel_futures=True)
            for visit in under_way:
                visit.close()


_at = attrgetter("at")


def _bring_up(
    pool: ThreadPoolExecutor, visits: Sequence[SimulatedVisit], until: datetime | None
) -> None:
    """Let all raters whose order does not matter act until `until`, or to the end.

    Raters who become inactive meanwhile continue too: nobody can have taken their place yet.
    """
    busy = [visit for visit in visits if not visit.in_turn]
    for done in [pool.submit(visit.go_on, until) for visit in busy]:
        done.result()
