"""Studies, what they show, and the people who take them.

Content (scenario, system, response, block) is written once when a study is loaded and frozen by
the first consent. Every row about a person hangs on `Participant` by a cascading key.
"""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone


def new_public_id() -> str:
    """An opaque name for something a participant's browser may see (48 random bits)."""
    return secrets.token_hex(6)


def new_pseudonym() -> str:
    """What a participant is called in exports; random, so it can't be guessed from an id."""
    return "p" + secrets.token_hex(6)


def new_secret() -> str:
    """What a participant's cookie holds."""
    return secrets.token_urlsafe(24)


def new_order_seed() -> int:
    """Seed of a participant's block and response orders."""
    return secrets.randbits(62)


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
    definition = models.JSONField()
    settings = models.JSONField(default=dict)
    content_hash = models.CharField(max_length=64, help_text="SHA-256 of all that raters see")
    loaded_at = models.DateTimeField(default=timezone.now, help_text="When content was written")
    frozen_at = models.DateTimeField(null=True, help_text="First consent of a real participant")

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


class StudyEvent(models.Model):
    """Who changed what about a study, and when."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="events")
    at = models.DateTimeField(default=timezone.now)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    action = models.CharField(max_length=40)
    detail = models.JSONField(default=dict)

    class Meta:
        ordering = ["at", "id"]

    def __str__(self) -> str:
        return f"{self.study}: {self.action}"


class Scenario(models.Model):
    """One user input that the models answered."""

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
    """The text that one system gave to one scenario. A browser knows it by `public_id` only."""

    scenario = models.ForeignKey(Scenario, models.CASCADE, related_name="responses")
    system = models.ForeignKey(System, models.CASCADE, related_name="responses")
    text = models.TextField()
    text_hash = models.CharField(max_length=64)
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
    """A response's place in a block, in file order (never the order on a page)."""

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


class Participant(models.Model):
    """A person taking one version of a study. Who they are elsewhere is in `Identity`."""

    class Source(models.TextChoices):
        PROLIFIC = "prolific"
        LINK = "link"
        IMPORT = "import"
        SIMULATED = "simulated"
        PREVIEW = "preview"

    class Status(models.TextChoices):
        ARRIVED = "arrived"
        IN_PROGRESS = "in_progress"
        COMPLETED = "completed"
        SCREENED_OUT = "screened_out"
        DECLINED = "declined"
        WITHDRAWN = "withdrawn"

    #: Sources that never count unless asked for by name.
    TEST_SOURCES = (Source.SIMULATED, Source.PREVIEW)

    study = models.ForeignKey(Study, models.PROTECT, related_name="participants")
    pseudonym = models.CharField(max_length=100, default=new_pseudonym)
    secret = models.CharField(max_length=64, default=new_secret, unique=True)
    source = models.CharField(max_length=10, choices=Source)
    status = models.CharField(max_length=12, choices=Status, default=Status.ARRIVED)
    order_seed = models.BigIntegerField(default=new_order_seed)
    arrived_at = models.DateTimeField(default=timezone.now)
    consented_at = models.DateTimeField(null=True)
    consent_hash = models.CharField(max_length=64, blank=True, help_text="Of the text agreed to")
    started_at = models.DateTimeField(null=True)
    last_seen_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True)
    pages_done = models.PositiveIntegerField(default=0)
    imported_duration_seconds = models.FloatField(null=True)
    imported_checks_failed = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["study", "source", "status"], name="participant_counts")]
        constraints = [
            models.UniqueConstraint(fields=["study", "pseudonym"], name="participant_pseudonym"),
            models.CheckConstraint(
                condition=~Q(status="completed")
                | Q(finished_at__isnull=False)
                | Q(source="import"),
                name="participant_completed_has_time",
            ),
        ]

    def __str__(self) -> str:
        return self.pseudonym


class Identity(models.Model):
    """How a participant is known outside: kept apart from answers, never exported.

    One person has one row per study slug, whatever the version, so arriving twice resumes.
    """

    class Kind(models.TextChoices):
        PROLIFIC = "prolific"
        INVITATION = "invitation"
        SIMULATED = "simulated"
        PREVIEW = "preview"

    participant = models.OneToOneField(Participant, models.CASCADE, related_name="identity")
    slug = models.SlugField(max_length=80)
    kind = models.CharField(max_length=10, choices=Kind)
    key = models.CharField(max_length=200)
    prolific_study_id = models.CharField(max_length=200, blank=True)
    prolific_session_id = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name_plural = "identities"
        constraints = [
            models.UniqueConstraint(fields=["slug", "kind", "key"], name="identity_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.participant}"


class Invitation(models.Model):
    """A personal link for somebody who comes without Prolific."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="invitations")
    token = models.CharField(max_length=64, default=new_secret, unique=True)
    label = models.CharField(max_length=200, blank=True, help_text="Seen by researchers only")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.label or f"invitation {self.pk}"


class Presentation(models.Model):
    """A block as shown to a participant.

    `response_order` holds response ids as they stood on the page, top first. Imported ratings
    may come without an order: then `position` and `response_order` are null.
    """

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="presentations")
    block = models.ForeignKey(Block, models.PROTECT, related_name="presentations")
    page = models.PositiveIntegerField(null=True, help_text="Page of the survey it stood on")
    position = models.PositiveIntegerField(null=True, help_text="1 for the first block shown")
    response_order = models.JSONField(null=True)
    shown_at = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True, help_text="First complete answer")
    submitted_at = models.DateTimeField(null=True, help_text="Latest complete answer")
    imported_seconds = models.FloatField(null=True)

    class Meta:
        ordering = ["participant", "position"]
        constraints = [
            models.UniqueConstraint(fields=["participant", "block"], name="presentation_block"),
            models.UniqueConstraint(
                fields=["participant", "position"], name="presentation_position"
            ),
            models.UniqueConstraint(fields=["participant", "page"], name="presentation_page"),
        ]

    def __str__(self) -> str:
        return f"{self.participant}: {self.block}"


class Rating(models.Model):
    """One value of one dimension for one response in one presentation.

    `task` tells a Likert rating from a rank or a choice, so that a new kind of task needs no
    new table.
    """

    presentation = models.ForeignKey(Presentation, models.CASCADE, related_name="ratings")
    response = models.ForeignKey(Response, models.PROTECT, related_name="ratings")
    task = models.CharField(max_length=20, default="likert")
    dimension = models.CharField(max_length=100, blank=True)
    value = models.IntegerField()
    revisions = models.PositiveIntegerField(default=0, help_text="Times the answer was changed")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["presentation", "response", "task", "dimension"], name="rating_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.dimension}: {self.value}"


class AttentionCheck(models.Model):
    """An instructed-response item as shown to a participant, and what they answered."""

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="attention_checks")
    name = models.CharField(max_length=100)
    page = models.PositiveIntegerField(help_text="Page of the survey it stood on")
    after_block = models.PositiveIntegerField(help_text="How many blocks were shown before it")
    shown_at = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True)
    answer = models.IntegerField(null=True)
    passed = models.BooleanField(null=True)
    revisions = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["participant", "after_block", "id"]
        constraints = [
            models.UniqueConstraint(fields=["participant", "name"], name="attention_check_once"),
            models.UniqueConstraint(fields=["participant", "page"], name="attention_check_page"),
            models.CheckConstraint(
                condition=Q(answer__isnull=True, passed__isnull=True)
                | Q(answer__isnull=False, passed__isnull=False),
                name="attention_check_judged",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.participant}: {self.name}"


class DemographicAnswer(models.Model):
    """One answered demographic question. `value` is text, a number or a list of texts."""

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="demographic_answers")
    name = models.CharField(max_length=100)
    value = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["participant", "name"], name="demographic_once")
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.value}"
