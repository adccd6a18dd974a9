"""What a participant saw and answered."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from survey.definition.comprehension import MOST_ATTEMPTS
from survey.models.participant import Participant
from survey.models.points import PointField
from survey.models.study import Block, Response


class Presentation(models.Model):
    """A block as shown to a participant.

    `response_order` has the response ids in the order of the page, top first. Imported ratings may
    come without an order: then `position` and `response_order` are null. A participant may judge
    the same responses several times (`repeat`), and see those of one block on several pages
    (`part`).
    """

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="presentations")
    block = models.ForeignKey(Block, models.PROTECT, related_name="presentations")
    repeat = models.PositiveIntegerField(
        default=1, help_text="1 where they judged these responses for the first time"
    )
    part = models.PositiveIntegerField(
        default=1, help_text="1 for the first page of this block and repeat"
    )
    page = models.PositiveIntegerField(null=True, help_text="Page of the survey")
    position = models.PositiveIntegerField(null=True, help_text="1 for the first block shown")
    response_order = models.JSONField(null=True)
    has_check = models.BooleanField(default=False, help_text="The page also has an attention check")
    shown_at = models.DateTimeField(null=True)
    interface = models.PositiveSmallIntegerField(
        null=True, help_text="Version of the page as shown (survey.interface); empty: not shown"
    )
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
            models.UniqueConstraint(
                fields=["participant", "block", "repeat", "part"], name="presentation_once"
            ),
            models.CheckConstraint(
                condition=Q(repeat__gte=1, part__gte=1), name="presentation_numbered_from_1"
            ),
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
        # Most are passed.
        indexes = [
            models.Index(
                fields=["participant"], condition=Q(passed=False), name="attention_check_failed"
            )
        ]

    def __str__(self) -> str:
        return f"{self.participant}: {self.name}"


class ComprehensionAttempt(models.Model):
    """One attempt at the comprehension check. It is never changed.

    `answers` has the chosen option of each question by its name, in the study's main language.
    """

    participant = models.ForeignKey(
        Participant, models.CASCADE, related_name="comprehension_attempts"
    )
    number = models.PositiveIntegerField(help_text="1 for the first attempt")
    answers = models.JSONField()
    passed = models.BooleanField(help_text="Every answer was right")
    answered_at = models.DateTimeField()

    class Meta:
        ordering = ["participant", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["participant", "number"], name="comprehension_attempt_once"
            ),
            models.CheckConstraint(
                condition=Q(number__gte=1, number__lte=MOST_ATTEMPTS),
                name="comprehension_attempt_allowed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.participant}: comprehension check, attempt {self.number}"


class TrainingAttempt(models.Model):
    """One try at a training item. It is never changed, and its ratings never count as ratings.

    `ratings` has the points given to each response of the item, in its order, by dimension.
    """

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="training_attempts")
    name = models.CharField(max_length=100, help_text="Name of the training item")
    number = models.PositiveIntegerField(help_text="1 for the first try")
    ratings = models.JSONField()
    within = models.BooleanField(help_text="Every rating was within its expected range")
    answered_at = models.DateTimeField()

    class Meta:
        ordering = ["participant", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["participant", "name", "number"], name="training_attempt_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.participant}: training item {self.name}, try {self.number}"


class PageTime(models.Model):
    """When a page without its own table was shown and answered.

    Presentations and attention checks store their own times. Those of consent are the participant's
    `arrived_at` and `consented_at` (or `finished_at`, if they declined).
    """

    class Kind(models.TextChoices):
        SCREENING = "screening"
        INSTRUCTIONS = "instructions"
        COMPREHENSION = "comprehension", "Comprehension check"
        TRAINING = "training"
        CLOSING = "closing"
        DEMOGRAPHICS = "demographics"

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="page_times")
    kind = models.CharField(max_length=20, choices=Kind)
    page = models.PositiveIntegerField(help_text="Page of the survey")
    shown_at = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True, help_text="First complete answer")

    class Meta:
        ordering = ["participant", "page"]
        constraints = [
            models.UniqueConstraint(fields=["participant", "page"], name="page_time_page")
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
    # Counted by the page's script if the study records writing; null if it did not run. Never a key
    # or a pasted text. Characters and steps are those that arrived, even if deleted later.
    keystrokes = models.PositiveIntegerField(null=True, help_text="Keys pressed in the field")
    typed_characters = models.PositiveIntegerField(
        null=True, help_text="Characters typed, dictated or corrected"
    )
    deletions = models.PositiveIntegerField(null=True, help_text="Steps that deleted something")
    pastes = models.PositiveIntegerField(null=True, help_text="Pastes from outside the page")
    pasted_characters = models.PositiveIntegerField(null=True)
    own_pastes = models.PositiveIntegerField(
        null=True, help_text="Pastes and drops of text copied or dragged on the same page"
    )
    drops = models.PositiveIntegerField(null=True, help_text="Drops from outside the page")
    dropped_characters = models.PositiveIntegerField(null=True)
    autofills = models.PositiveIntegerField(
        null=True, help_text="Times that the browser or an extension filled in text"
    )
    autofilled_characters = models.PositiveIntegerField(null=True)
    largest_insertion = models.PositiveIntegerField(
        null=True, help_text="Most characters that appeared in one step, own pastes aside"
    )
    returned_characters = models.PositiveIntegerField(
        null=True, help_text="Characters pasted or dropped as the first thing after a return"
    )
    focus_losses = models.PositiveIntegerField(
        null=True, help_text="Times the page was left while the question was on screen"
    )
    focus_seconds = models.FloatField(null=True, help_text="Seconds with the cursor in the field")
    typing_seconds = models.FloatField(
        null=True, help_text="Seconds between typed characters, at most 10 for each pause"
    )
    away_seconds = models.FloatField(null=True, help_text="Seconds away after these losses")

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
