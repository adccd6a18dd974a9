"""What a participant saw and answered."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from survey.models.participant import Participant
from survey.models.points import PointField
from survey.models.study import Block, Response


class Presentation(models.Model):
    """A block as shown to a participant.

    `response_order` has the response ids in the order of the page, top first. Imported ratings may
    come without an order: then `position` and `response_order` are null.
    """

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="presentations")
    block = models.ForeignKey(Block, models.PROTECT, related_name="presentations")
    page = models.PositiveIntegerField(null=True, help_text="Page of the survey")
    position = models.PositiveIntegerField(null=True, help_text="1 for the first block shown")
    response_order = models.JSONField(null=True)
    has_check = models.BooleanField(default=False, help_text="The page also has an attention check")
    shown_at = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True, help_text="First complete answer")
    submitted_at = models.DateTimeField(null=True, help_text="Latest complete answer")
    imported_seconds = models.FloatField(null=True)
    # Measured by the page's script; null if it did not run.
    visible_seconds = models.FloatField(null=True, help_text="Seconds that the page was in view")
    hidden_seconds = models.FloatField(null=True, help_text="Seconds behind another tab or window")
    unfocused_seconds = models.FloatField(null=True, help_text="Seconds in view without the focus")
    focus_losses = models.PositiveIntegerField(
        null=True, help_text="Times that focus went to another window or tab, or to the browser"
    )
    first_answer_seconds = models.FloatField(null=True, help_text="Seconds in view before it")
    last_answer_seconds = models.FloatField(null=True, help_text="Seconds in view before it")
    changes = models.PositiveIntegerField(null=True, help_text="Answers changed before sending")
    response_seconds = models.JSONField(
        null=True, help_text="By response id: seconds on screen with enough of it visible to read"
    )

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

    `task` distinguishes Likert ratings, ranks and choices, so a new kind of task needs no new
    table.
    """

    presentation = models.ForeignKey(Presentation, models.CASCADE, related_name="ratings")
    response = models.ForeignKey(Response, models.PROTECT, related_name="ratings")
    task = models.CharField(max_length=20, default="likert")
    dimension = models.CharField(max_length=100, blank=True)
    value = PointField()
    revisions = models.PositiveIntegerField(default=0, help_text="Times the answer was changed")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["presentation", "response", "task", "dimension"], name="rating_once"
            ),
            models.UniqueConstraint(
                fields=["presentation", "dimension", "value"],
                condition=Q(task="best_worst"),
                name="rating_one_best_one_worst",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.dimension}: {self.value}"


class AttentionCheck(models.Model):
    """An instructed-response item as shown to a participant, and what they answered."""

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="attention_checks")
    name = models.CharField(max_length=100)
    page = models.PositiveIntegerField(help_text="Page of the survey")
    after_block = models.PositiveIntegerField(
        help_text="Number of blocks shown before it, including its own"
    )
    place = models.PositiveIntegerField(
        null=True, help_text="Position among the block's entries; 1 is first"
    )
    shown_at = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True)
    answer = PointField(null=True)
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


class PageTime(models.Model):
    """When a page without its own table was shown and answered.

    Presentations and attention checks store their own times. Those of consent are the participant's
    `arrived_at` and `consented_at` (or `finished_at`, if they declined).
    """

    class Kind(models.TextChoices):
        SCREENING = "screening"
        INSTRUCTIONS = "instructions"
        CLOSING = "closing"
        DEMOGRAPHICS = "demographics"

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="page_times")
    kind = models.CharField(max_length=12, choices=Kind)
    page = models.PositiveIntegerField(help_text="Page of the survey")
    shown_at = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True, help_text="First complete answer")

    class Meta:
        ordering = ["participant", "page"]
        constraints = [
            models.UniqueConstraint(fields=["participant", "kind"], name="page_time_once")
        ]

    def __str__(self) -> str:
        return f"{self.participant}: {self.kind}"


class DemographicAnswer(models.Model):
    """One answered question about the participant, screening included.

    `value` is text (in the study's main language), a number or a list of texts. A researcher may
    have imported it from Prolific's demographic export: only such an answer is ever replaced.
    """

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="demographic_answers")
    name = models.CharField(max_length=100)
    value = models.JSONField()
    imported_at = models.DateTimeField(
        null=True, help_text="When it came from Prolific; empty if the person gave it"
    )
    imported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["participant", "name"], name="demographic_once")
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.value}"


class FreeAnswer(models.Model):
    """A free-text answer, at the end of a block or (without a presentation) of the study."""

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="free_answers")
    presentation = models.ForeignKey(
        Presentation, models.CASCADE, null=True, related_name="free_answers"
    )
    name = models.CharField(max_length=100)
    text = models.TextField()
    revisions = models.PositiveIntegerField(default=0, help_text="Times the answer was changed")

    class Meta:
        ordering = ["participant", "presentation", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["presentation", "name"],
                condition=Q(presentation__isnull=False),
                name="free_answer_once_a_block",
            ),
            models.UniqueConstraint(
                fields=["participant", "name"],
                condition=Q(presentation__isnull=True),
                name="free_answer_once_a_study",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.participant}"
