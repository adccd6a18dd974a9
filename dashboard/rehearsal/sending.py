"""Sending simulated raters through a study on a running server: for the command and for workers."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from django.conf import settings
from django.utils import timezone

from dashboard.prolific.steps import recruitment_of
from dashboard.shared.stand_in import prolific_is_local
from survey.definition.labels import words
from survey.models import Study
from survey.refusals import Conflict
from survey.simulated.content import Content
from survey.simulated.crowd import Rota, look_up, read_content, walk_all
from survey.simulated.plan import RaterPlan, plan_raters
from survey.simulated.profile import Behaviour, Deed
from survey.simulated.record import Crowd, record_crowd
from survey.simulated.recruiters import FromLocalProlific
from survey.simulated.walker import NotLetIn, Walk, WalkEnding, WalkError

#: How many take the survey at once.
AT_ONCE = 4


class NotSent(Conflict):
    """Raters can't be sent, or can't go on; the message says why."""


class NotAtProlific(NotSent):
    """The study has no people from the local Prolific."""

    about = "from_prolific"


@dataclass
class Sending:
    """A crowd of simulated raters on its way through a study at `server`."""

    study: Study
    crowd: Crowd
    server: str
    content: Content
    plans: list[RaterPlan]
    rota: Rota
    recruiter: FromLocalProlific | None
    walks: list[Walk] = field(default_factory=list)
    seconds: float = 0.0

    @classmethod
    def of(cls, study: Study, crowd: Crowd, *, server: str) -> "Sending":
        """Decide what each rater does, and look up who came earlier. Raises NotAtProlific."""
        content = read_content(study)
        plans = plan_raters(
            profile=crowd.profile,
            content=content,
            participants=crowd.participants,
            seed=crowd.seed,
            from_prolific=crowd.from_prolific,
        )
        recruiter = local_prolific(study, server, content) if crowd.from_prolific else None
        rota = look_up(study, plans, timezone.now())
        return cls(study, crowd, server, content, plans, rota, recruiter)

    def send(self, at_once: int = AT_ONCE) -> Iterator[Walk]:
        """Send those who have not come yet; yields each as their walk ends. Raises NotSent."""
        if self.rota.waiting:
            record_crowd(self.study, self.crowd)
        began = time.monotonic()
        try:
            for walk in walk_all(
                self.rota,
                server=self.server,
                content=self.content,
                workers=at_once,
                recruiter=self.recruiter,
            ):
                self.walks.append(walk)
                yield walk
        except NotLetIn as error:
            raise NotSent(_refusal(self.study, self.server, error)) from None
        except WalkError as error:
            raise NotSent(str(error)) from None
        finally:
            self.seconds = time.monotonic() - began

    def summary(self) -> Iterator[str]:
        """What became of them, line by line."""
        walks = self.walks
        if self.rota.already:
            yield f"{self.study}: {len(self.rota.already)} already took part"
        if not walks:
            return
        yield (
            f"{self.study}: {len(walks)} simulated rater{'s' if len(walks) > 1 else ''}: "
            + words(_counted([walk.ending for walk in walks], WalkEnding))
        )
        yield "  behaviours: " + _counted([walk.plan.behaviour for walk in walks], Behaviour)
        if deeds := _counted([walk.plan.deed for walk in walks], Deed):
            yield f"  at Prolific: {deeds}"
        pages = sum(walk.pages for walk in walks)
        yield (
            f"  {sum(len(walk.sent) for walk in walks)} answers on {pages} pages "
            f"in {self.seconds:.1f} s ({pages / self.seconds:.0f} pages/s)"
        )


def is_at_local_prolific(study: Study) -> bool:
    """Whether simulated people can come to the study from a local Prolific."""
    try:
        return bool(id_at_local_prolific(study))
    except NotAtProlific:
        return False


def id_at_local_prolific(study: Study) -> str:
    """The study's id on the local Prolific. Raises NotAtProlific if it is not published there."""
    api: str = settings.PROLIFIC_URL
    if not prolific_is_local():
        raise NotAtProlific(
            f"PROLIFIC_URL is {api}: simulated people only come from a local Prolific, see "
            "docs/prolific.md"
        )
    recruitment = recruitment_of(study, api)
    if recruitment is None or not recruitment.prolific_study_id:
        raise NotAtProlific(f"{study} is not on the local Prolific: create and publish it there")
    return recruitment.prolific_study_id


def local_prolific(study: Study, server: str, content: Content) -> FromLocalProlific:
    """The study on the local Prolific. Raises NotAtProlific."""
    url = settings.PROLIFIC_URL.removesuffix("/api/v1")
    return FromLocalProlific(url, id_at_local_prolific(study), server, content)


def _counted(values: Iterable[StrEnum | None], kinds: type[StrEnum]) -> str:
    counts = Counter(values)
    return ", ".join(f"{counts[kind]} {kind}" for kind in kinds if counts[kind])


def _refusal(study: Study, server: str, error: NotLetIn) -> str:
    study.refresh_from_db(fields=["state", "is_rehearsal"])
    if study.state in (Study.State.PAUSED, Study.State.CLOSED):
        return (
            f"{study} is {study.state} and takes nobody new: "
            f"manage.py set_study {study} open{' --rehearsal' if study.is_rehearsal else ''}, "
            "then simulate again"
        )
    return (
        f"{server} does not accept simulated raters from here: its SIMULATION_KEY (without one, "
        f"its SECRET_KEY) is another. It said: {error}"
    )
