"""What workers compute for the design of a study."""

from django.db import models

from jobs.models import Job
from survey.models import Study


class PlannedGrid(Job):
    """What a study could find with other numbers of raters and scenarios, for some options."""

    TASK = "dashboard.plan"
    WORK = "dashboard.design.plan_making.plan"
    NAME, WHAT = "plan", "computation of the plan"
    LIMIT = "PLAN_MAX_MINUTES"

    study = models.ForeignKey(Study, models.CASCADE, related_name="planned_grids")
    options = models.JSONField(help_text="The options of `plan`, by name")
    rows = models.JSONField(default=list, help_text="The grid, a row for each pair of numbers")
    sentences = models.JSONField(default=list, help_text="What the grid says")

    class Meta(Job.Meta):
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"plan {self.pk} of {self.study}"
