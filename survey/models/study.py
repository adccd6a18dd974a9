"""Studies and what they show.

Content (scenario, system, response, block) is written once when a study is loaded and frozen by
the first consent.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from survey.models.ids import new_order_seed, new_public_id
from survey.origin import API, COMMAND, WEB, WORKER, current_origin


class Study(models.Model):
    """One version of one evaluation.

    `definition` is what raters see (frozen); `settings` is what may change while it runs
    (ways in, completion codes). Judges and quality rules are versioned rows of their own apps.
    """

    class State(models.TextChoices):
        DRAFT = "draft"
        OPEN = "open"
        PAUSED = "paused"
        CLOSED = "closed"

    slug = models.SlugField(max_length=80)
    version = models.PositiveIntegerField(default=1)
    title = models.CharField(max_length=300)
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    pilot = models.BooleanField(default=False)
    definition = models.JSONField(help_text="In the main language")
    translations = models.JSONField(default=dict, help_text="Definitions in the further languages")
    settings = models.JSONField(default=dict)
    is_rehearsal = models.BooleanField(
        default=False, help_text="Open as a rehearsal: every participant is a test person"
    )
    random_codes = models.JSONField(
        default=dict, help_text="Completion code by ending, the same in all versions"
    )
    content_hash = models.CharField(
        max_length=64, help_text="SHA-256 of everything that raters see"
    )
    loaded_at = models.DateTimeField(
        default=timezone.now, help_text="When the content was last loaded"
    )
    frozen_at = models.DateTimeField(null=True, help_text="First consent of a real participant")
    languages_at = models.DateTimeField(
        null=True, help_text="When the stated languages of its responses last changed"
    )
    design_seed = models.BigIntegerField(
        default=new_order_seed, help_text="Seed of the balanced orders"
    )

    class Meta:
        verbose_name_plural = "studies"
        ordering = ["slug", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["slug", "version"], name="study_slug_version"),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "open", "paused", "closed"]), name="study_state"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.slug}@{self.version}"

    @property
    def is_rehearsing(self) -> bool:
        """Whether it is open and everyone who comes is a test person."""
        return self.is_rehearsal and self.state == self.State.OPEN

    @property
    def doing(self) -> str:
        """Its state in one word: `rehearsal`, or the state."""
        return "rehearsal" if self.is_rehearsing else str(self.state)


class StudyEvent(models.Model):
    """A line of the audit log: what was done with a study or an account, by whom, when, from where.

    Lines are added and never removed. A withdrawal takes the pseudonym out of them.
    """

    class Origin(models.TextChoices):
        WEB = WEB, "page"
        API = API, "API"
        COMMAND = COMMAND, "command line"
        WORKER = WORKER, "worker"

    IDENTITY_SHOWN = "identity shown"
    IMPORTED = "imported"
    DEMOGRAPHICS_IMPORTED = "demographics"

    study = models.ForeignKey(
        Study,
        models.CASCADE,
        related_name="events",
        null=True,
        help_text="Null for what was done with an account",
    )
    at = models.DateTimeField(default=timezone.now)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    action = models.CharField(max_length=40)
    detail = models.JSONField(default=dict)
    via = models.CharField(
        max_length=10,
        choices=Origin,
        default=current_origin,
        blank=True,
        help_text="Where it was done; empty for lines of earlier versions of Fivefold",
    )

    class Meta:
        ordering = ["at", "id"]
        # Find the newest events of a kind, or of an author, in a study with tens of thousands.
        indexes = [
            models.Index(fields=["study", "action"], name="event_kind"),
            models.Index(fields=["study", "author"], name="event_author"),
        ]

    def __str__(self) -> str:
        return f"{self.study or 'account'}: {self.action}"


class Scenario(models.Model):
    """A user input that the models answered."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="scenarios")
    name = models.CharField(max_length=100)
    position = models.PositiveIntegerField()
    prompt = models.TextField()
    context = models.TextField(blank=True)

    class Meta:
        ordering = ["study", "position"]
        constraints = [models.UniqueConstraint(fields=["study", "name"], name="scenario_name")]

    def __str__(self) -> str:
        return self.name


class System(models.Model):
    """A language model in a condition: what is compared."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="systems")
    model = models.CharField(max_length=200)
    condition = models.CharField(max_length=100)

    class Meta:
        ordering = ["study", "id"]
        constraints = [
            models.UniqueConstraint(fields=["study", "model", "condition"], name="system_name")
        ]

    def __str__(self) -> str:
        return f"{self.model} ({self.condition})"


class Response(models.Model):
    """One system's text for one scenario. A browser only gets its `public_id`."""

    scenario = models.ForeignKey(Scenario, models.CASCADE, related_name="responses")
    system = models.ForeignKey(System, models.CASCADE, related_name="responses")
    text = models.TextField()
    text_hash = models.CharField(max_length=64)
    language = models.CharField(
        max_length=20, blank=True, help_text="As responses.csv states it; empty where it does not"
    )
    public_id = models.CharField(max_length=16, default=new_public_id, unique=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["scenario", "system", "text_hash"], name="response_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.scenario}: {self.system}"


class Block(models.Model):
    """One scenario × one set: the responses of one page."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="blocks")
    scenario = models.ForeignKey(Scenario, models.CASCADE, related_name="blocks")
    set_name = models.CharField(max_length=100, blank=True)
    position = models.PositiveIntegerField()
    responses = models.ManyToManyField(Response, through="BlockResponse", related_name="blocks")

    class Meta:
        ordering = ["study", "position"]
        constraints = [
            models.UniqueConstraint(fields=["scenario", "set_name"], name="block_once"),
        ]

    def __str__(self) -> str:
        return f"{self.scenario} × {self.set_name or 'the only set'}"


class BlockResponse(models.Model):
    """A response's position in a block, in file order (not the order on a page)."""

    block = models.ForeignKey(Block, models.CASCADE)
    response = models.ForeignKey(Response, models.CASCADE)
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["block", "position"]
        constraints = [
            models.UniqueConstraint(fields=["block", "response"], name="block_response_once"),
            models.UniqueConstraint(fields=["block", "position"], name="block_position_once"),
        ]

    def __str__(self) -> str:
        return f"{self.block} #{self.position}"
