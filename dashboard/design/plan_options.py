"""What a plan may be asked for. Loads nothing that computes, so that web processes may ask."""

from typing import Annotated, Literal, Self

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from pydantic import Field, model_validator

from dashboard.design.models import PlannedGrid
from dashboard.shared.log import record
from survey.definition.options import ValueLabels
from survey.definition.parts import Part
from survey.models import Study

#: Components that the study's ratings so far give.
PILOT = "pilot"
COMPONENT_LABELS = {"typical": "Typical variances", PILOT: "Variances of the ratings so far"}
#: Plans of a study that are kept; asking for another one removes the oldest.
KEPT = 10


class PlanOptions(Part):
    """What is asked for; what is None comes from the study."""

    raters: int | None = Field(
        default=None, ge=1, le=10_000, description="how many (default: the study's places, or 40)"
    )
    scenarios: int | None = Field(
        default=None, ge=1, le=2_000, description="how many (default: the study's)"
    )
    difference: float | None = Field(
        default=None,
        title="Difference that matters (points)",
        ge=0.001,
        le=1000,
        description="the smallest difference that matters, in points (default: 6.25 % of the "
        "scale)",
    )
    power: float = Field(default=0.8, ge=0.5, le=0.99, description="how often to find it")
    components: Annotated[Literal["typical", "pilot"], ValueLabels(COMPONENT_LABELS)] = Field(
        default="typical",
        title="How much ratings differ",
        description="how much ratings differ: typical values, or those of the ratings so far",
    )
    include: list[Literal["simulated", "preview"]] = Field(
        default=[], description=f"with components {PILOT}: test people to count too"
    )
    pay_per_hour: float = Field(default=0.0, ge=0, le=1000, description="of a rater")
    fee_percent: float = Field(
        default=0.0,
        title="Fee (%)",
        ge=0,
        le=200,
        description="of the platform, in percent of the pay",
    )

    @model_validator(mode="after")
    def _of_the_pilot(self) -> Self:
        if self.include and self.components != PILOT:
            raise ValueError(f"test people are counted with components {PILOT} alone")
        return self


@transaction.atomic
def request_plan(*, study: Study, options: PlanOptions, author: User | None = None) -> PlannedGrid:
    """A plan that waits for a worker, whom the caller wakes; the log says that `author` asked."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    plan = PlannedGrid.objects.create(study=study, options=options.model_dump())
    old = plans_of(study).values_list("id", flat=True)[KEPT:]
    PlannedGrid.objects.filter(id__in=list(old)).delete()
    record(study, author, "plan requested")
    return plan


def plans_of(study: Study) -> QuerySet[PlannedGrid]:
    """The newest first."""
    return PlannedGrid.objects.filter(study=study).order_by("-id")
