"""Files that workers prepare for researchers."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import models

from analysis.models import AnalysisRun
from jobs.models import Job


class Package(Job):
    """An analysis and the data behind it, for sharing, as one zip.

    Both are of one snapshot. Where data change before they can be read, another run takes the
    place of `run`. It is deleted with its run, and that when a participant withdraws who was
    counted in it.
    """

    TASK = "dashboard.package"
    WORK = "dashboard.share.package_making.pack"
    NAME, WHAT = "zip", "preparation of the zip"
    STUDY = "run__study"
    LIMIT = "PACKAGE_MAX_MINUTES"

    class Stage(models.TextChoices):
        DATA = "data", "Writing data"
        ANALYSIS = "analysis", "Computing the analysis of these data"
        TABLES = "tables", "Writing tables and report"
        IMAGES = "images", "Drawing figures"
        ZIP = "zip", "Packing the zip"

    run = models.ForeignKey(AnalysisRun, models.CASCADE, related_name="packages")
    recipe = models.CharField(max_length=100, help_text="A recipe's name, or `both`")
    images = models.BooleanField(help_text="Whether figures are included as SVG and PNG")
    stage = models.CharField(max_length=10, choices=Stage, blank=True)
    percent = models.PositiveSmallIntegerField(default=0, help_text="Progress")
    size = models.BigIntegerField(null=True, help_text="Bytes of the zip")
    notes = models.JSONField(default=list, help_text="What to know before sharing it, in sentences")

    class Meta(Job.Meta):
        ordering = ["-id"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(fields=["run", "recipe", "images"], name="package_once"),
        ]

    def __str__(self) -> str:
        return f"package {self.pk} of {self.run}"

    @property
    def status(self) -> str:
        if self.state == self.State.RUNNING:
            stage = self.Stage(self.stage).label if self.stage else "Starting"
            return f"{stage}: {self.percent} % done"
        if self.stage == self.Stage.ANALYSIS:
            return "Waiting for the analysis that a worker is computing"
        return super().status

    @property
    def in_log(self) -> dict[str, Any]:
        return {"run": self.run_id, "name": self.recipe}

    @property
    def path(self) -> Path:
        """Where its file is, once it is done."""
        return settings.PACKAGES_DIR / f"{self.pk}.zip"

    @property
    def file_name(self) -> str:
        """What the file is called where it is saved."""
        study = self.run.study
        return f"{study.slug}-{study.version}-run{self.run_id}-{self.recipe}.zip"
