"""The row of a job."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone


class Job(models.Model):
    """Work that waits for a worker. The row is the queue: `jobs.leases` hands it out, `jobs.runner`
    does it. A kind of job says the name of its task, and where its work is.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        STOPPED = "stopped"

    UNDER_WAY = (State.WAITING, State.RUNNING)
    #: It has ended, and there is no result.
    WITHOUT_RESULT = (State.FAILED, State.STOPPED)
    #: The Celery task that workers are woken with.
    TASK: ClassVar[str]
    #: Where its `jobs.runner.Work` is, which only workers and commands load.
    WORK: ClassVar[str]
    #: Its name in addresses and in the log: `jobs/plan/7/`, "plan stopped".
    NAME: ClassVar[str]
    #: What is stopped, as in "The computation of the plan was stopped."
    WHAT: ClassVar[str]
    #: The same in one word, for pages that wait for it.
    DOING: ClassVar[str] = "Computing"
    #: How a query reaches its study; empty if it is of none.
    STUDY: ClassVar[str] = "study"
    #: Values that are set when it ends, to erase what it was given.
    ERASED: ClassVar[Mapping[str, Any]] = {}
    #: The setting that says how many minutes a worker may take for one.
    LIMIT: ClassVar[str] = "JOB_MAX_MINUTES"

    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    error = models.TextField(blank=True, help_text="Why it failed, or who stopped it")
    attempts = models.PositiveIntegerField(default=0, help_text="Times that a worker took it")
    lease_token = models.CharField(max_length=32, blank=True, help_text="Of the worker that has it")
    lease_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=["waiting", "running", "done", "failed", "stopped"]),
                name="%(app_label)s_%(class)s_state",
            )
        ]

    @property
    def is_under_way(self) -> bool:
        """Whether it waits for a worker, or a worker is at it."""
        return self.state in self.UNDER_WAY

    @property
    def is_done(self) -> bool:
        """Whether its result is there."""
        return self.state == self.State.DONE

    @property
    def progress(self) -> int | None:
        """Per cent that are done, of kinds that tell."""
        percent: int | None = getattr(self, "percent", None)
        return percent

    @property
    def status(self) -> str:
        """How far one is that is under way, for pages."""
        if self.state == self.State.WAITING:
            return "Waiting for a worker"
        if self.progress is None:
            return f"{self.DOING} …"
        return f"{self.DOING}: {self.progress} % done"

    @property
    def in_log(self) -> dict[str, Any]:
        """What the log says of one."""
        return {}

    @property
    def max_minutes(self) -> float:
        """How long a worker may take for it."""
        return float(getattr(settings, self.LIMIT))
