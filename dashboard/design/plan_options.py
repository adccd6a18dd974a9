"""What a plan may be asked for. Loads nothing that computes, so that web processes may ask."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from dashboard.design.models import PlannedGrid
from dashboard.shared.log import record
from survey.models import Study

#: Components that the study's ratings so far give.
PILOT = "pilot"
#: Plans of a study that are kept; asking for another one removes the oldest.
KEPT = 10


@dataclass(frozen=True)
class PlanOptions:
    """What is asked for; what is None comes from the study."""

    raters: int | None = None
    scenarios: int | None = None
    difference: float | None = None
    power: float = 0.8
    components: str = "typical"
    include: Sequence[str] = field(default_factory=list)
    pay_per_hour: float = 0.0
    fee_percent: float = 0.0

    @property
    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"include": list(self.include)}


@transaction.atomic
def request_plan(*, study: Study, options: PlanOptions, author: User | None = None) -> PlannedGrid:
    """A plan that waits for a worker, whom the caller wakes; the log says that `author` asked."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    plan = PlannedGrid.objects.create(study=study, options=options.as_json)
    old = plans_of(study).values_list("id", flat=True)[KEPT:]
    PlannedGrid.objects.filter(id__in=list(old)).delete()
    record(study, author, "plan requested")
    return plan


def plans_of(study: Study) -> QuerySet[PlannedGrid]:
    """The newest first."""
    return PlannedGrid.objects.filter(study=study).order_by("-id")
