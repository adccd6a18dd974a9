"""What a page or the API wants a worker to do with a corpus or a sample."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from corpus.models import Corpus
from jobs.models import Job


class CorpusJob(Job):
    """Work on one corpus or one sample, known by its name; one at a time."""

    TASK = "dashboard.corpus"
    WORK = "dashboard.corpora.making.work"
    NAME, WHAT = "corpus", "work on the corpus or sample"
    STUDY = ""

    class Kind(models.TextChoices):
        IMPORT = "import", "Importing"
        FILTER = "filter", "Filtering"
        CHATS = "chats", "Writing chats"
        SAMPLE = "sample", "Drawing scenarios"
        RESPONSES = "responses", "Writing responses"
        STUDY = "study", "Loading the study"

    class Subject(models.TextChoices):
        CORPUS = "corpus"
        SAMPLE = "sample"

    #: What each kind is about.
    OF_CORPUS = (Kind.IMPORT, Kind.FILTER, Kind.CHATS)

    kind = models.CharField(max_length=10, choices=Kind)
    subject = models.CharField(max_length=10, choices=Subject)
    name = models.CharField(max_length=60, help_text="Of the corpus or sample; it may be a new one")
    options = models.JSONField(default=dict, help_text="What was chosen, as the kind has it")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    done = models.PositiveIntegerField(default=0, help_text="Dialogues")
    total = models.PositiveIntegerField(null=True, help_text="Dialogues; empty if not known")
    said = models.JSONField(default=list, help_text="What came of it, line by line")
    files = models.JSONField(default=dict, help_text="Files to download, with their rows")
    study = models.CharField(max_length=100, blank=True, help_text="The study that was loaded")

    class Meta(Job.Meta):
        ordering = ["-id"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(
                fields=["subject", "name"],
                condition=Q(state__in=["waiting", "running"]),
                name="corpus_job_alone",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.subject} {self.name}"

    @property
    def in_log(self) -> dict[str, Any]:
        return {"name": self.name}

    @property
    def status(self) -> str:
        doing = f"{self.Kind(self.kind).label} {self.name}"
        if self.state == self.State.WAITING:
            return f"{doing}: waiting for a worker."
        if self.percent is not None:
            return f"{doing}: {self.percent} % of {self.total} dialogues done."
        return f"{doing}: {self.done} dialogues read." if self.done else f"{doing} …"

    @property
    def corpus(self) -> Corpus | None:
        """The corpus that it is about or drew from; None if it is gone, or not imported yet."""
        if self.is_of_its_author:
            return None
        if self.subject == self.Subject.CORPUS:
            return Corpus.objects.filter(name=self.name).first()
        if self.kind == self.Kind.SAMPLE:
            return Corpus.objects.filter(name=self.options["corpus"]).first()
        return Corpus.objects.filter(samples__name=self.name).first()

    @property
    def is_of_its_author(self) -> bool:
        """Whether it is an import that made no corpus, or none yet. Another one of its name is not
        of this job.
        """
        return self.kind == self.Kind.IMPORT and self.state != self.State.DONE

    @property
    def folder(self) -> Path:
        """Its upload and its files. No corpus has a name with a dot."""
        return Path(settings.CORPORA_DIR) / f".job-{self.pk}"

    @property
    def upload(self) -> Path:
        """The file that was sent with it."""
        return self.folder / f"upload{self.options.get('suffix', '')}"

    @property
    def percent(self) -> int | None:
        """How much of it is done, if that is known."""
        return min(100, 100 * self.done // self.total) if self.total else None
