"""Simulated raters that a worker sends."""

from django.conf import settings
from django.db import models

from jobs.models import Job
from survey.models import Study


class Simulation(Job):
    """Simulated raters that a researcher wants a worker to send through a study."""

    TASK = "dashboard.simulate"
    WORK = "dashboard.rehearsal.simulations.send"
    NAME, WHAT = "simulation", "sending of the simulated raters"

    study = models.ForeignKey(Study, models.CASCADE, related_name="simulations")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    participants = models.PositiveIntegerField()
    seed = models.PositiveIntegerField()
    profile = models.JSONField(help_text="A SimulationProfile")
    profile_name = models.CharField(max_length=200)
    from_prolific = models.BooleanField(help_text="They come from the local Prolific")
    ended = models.PositiveIntegerField(default=0, help_text="Raters who came to their end")
    summary = models.JSONField(default=list, help_text="What became of them, line by line")

    class Meta(Job.Meta):
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"simulation {self.pk} of {self.study}"

    @property
    def percent(self) -> int:
        """How much of it is done."""
        return 100 * self.ended // self.participants

    @property
    def status(self) -> str:
        if self.state == self.State.WAITING:
            return super().status
        return f"{self.ended} of {self.participants} simulated raters have finished."
