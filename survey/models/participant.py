"""The people who take a study. Every row about a person refers to `Participant` by a cascading key.
Only a withdrawal does not: it is no longer about a person.
"""

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from survey.definition.parts import NAME_PATTERN
from survey.models.ids import new_order_seed, new_pseudonym, new_secret
from survey.models.sql import SecondsBetween
from survey.models.study import Study

#: Large studies are counted in chunks of this number of people, by their ids.
PEOPLE_IN_CHUNK = 1000
#: About how long a participant took, and when they ended: for sorting, and for indexes.
SECONDS = Coalesce("imported_duration_seconds", SecondsBetween("finished_at", "started_at"))
ENDED = Coalesce("finished_at", "arrived_at")


class Participant(models.Model):
    """A person taking one version of a study. Their ID elsewhere is in `Identity`."""

    class Source(models.TextChoices):
        PROLIFIC = "prolific"
        LINK = "link"
        IMPORT = "import"
        PANEL = "panel"
        SIMULATED = "simulated"
        PREVIEW = "preview"

    class Status(models.TextChoices):
        ARRIVED = "arrived"
        IN_PROGRESS = "in_progress"
        COMPLETED = "completed"
        FAILED_COMPREHENSION = "failed_comprehension"
        SCREENED_OUT = "screened_out"
        DECLINED = "declined"
        WITHDRAWN = "withdrawn"

    class WayIn(models.TextChoices):
        PROLIFIC = "prolific"
        LINK = "link"
        INVITATION = "invitation"

    class Device(models.TextChoices):
        PHONE = "phone"
        TABLET = "tablet"
        DESKTOP = "desktop"

    #: Who sends nothing any more. Nobody leaves these.
    FINAL = (Status.COMPLETED, Status.FAILED_COMPREHENSION, Status.SCREENED_OUT)
    #: Not real participants: they can also take drafts.
    TEST_SOURCES = (Source.SIMULATED, Source.PREVIEW)
    #: Never counted as raters unless included by name: experts, whose ratings make gold scores, and
    #: test people.
    NOT_COUNTED = (Source.PANEL, *TEST_SOURCES)
    #: Sources of people who never come from Prolific: they need no code, but a personal link.
    WITHOUT_PROLIFIC = (Source.LINK, Source.PANEL)

    study = models.ForeignKey(Study, models.PROTECT, related_name="participants")
    pseudonym = models.CharField(max_length=100, default=new_pseudonym)
    secret = models.CharField(max_length=64, default=new_secret, unique=True)
    source = models.CharField(max_length=10, choices=Source)
    panel = models.CharField(
        max_length=40, blank=True, help_text="An expert's panel; empty for a rater"
    )
    way_in = models.CharField(
        max_length=10, choices=WayIn, blank=True, help_text="Empty for test people"
    )
    status = models.CharField(max_length=20, choices=Status, default=Status.ARRIVED)
    ending = models.CharField(
        max_length=20, blank=True, help_text="The ending whose text and code they saw"
    )
    order_seed = models.BigIntegerField(default=new_order_seed)
    slot = models.PositiveIntegerField(
        null=True, help_text="Position in the study's balanced design"
    )
    held_pool = models.CharField(
        max_length=10,
        blank=True,
        help_text="Pool of the slot that they hold; empty if none",
    )
    language = models.CharField(max_length=20, blank=True, help_text="Language of the pages")
    device = models.CharField(max_length=10, choices=Device, blank=True)
    viewport_width = models.PositiveIntegerField(null=True, help_text="CSS pixels")
    viewport_height = models.PositiveIntegerField(null=True, help_text="CSS pixels")
    returned_at = models.DateTimeField(null=True, help_text="Marked as returned by a researcher")
    arrived_at = models.DateTimeField(default=timezone.now)
    consented_at = models.DateTimeField(null=True)
    consent_hash = models.CharField(
        max_length=64, blank=True, help_text="Hash of the text they agreed to"
    )
    started_at = models.DateTimeField(null=True)
    last_seen_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True)
    clock_stepped = models.BooleanField(
        default=False, help_text="The server's clock was set back while they took part"
    )
    pages_done = models.PositiveIntegerField(default=0)
    imported_duration_seconds = models.FloatField(null=True)
    imported_checks_failed = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ["id"]
        indexes = [
            # Narrow, so that people are counted three times as fast.
            models.Index(fields=["study", "source", "status"], name="participant_states"),
            # The fingerprint of an analysis and counts of people who have not completed read this
            # index and no rows. On PostgreSQL that takes the id, too.
            models.Index(
                fields=[
                    *("study", "source", "status", "last_seen_at", "pages_done", "arrived_at"),
                    *("returned_at", "ending", "clock_stepped", "id"),
                ],
                name="participant_counts",
            ),
            # Finds the median duration, and the newest durations. With the columns that it is
            # computed from, PostgreSQL reads no rows either.
            models.Index(
                *("study", "status", SECONDS, "source", "clock_stepped"),
                *("imported_duration_seconds", "started_at", "finished_at"),
                name="participant_seconds",
            ),
            models.Index("study", "status", ENDED, name="participant_ended"),
            # Finds who holds a slot and was inactive longest, however many people there are.
            models.Index(
                fields=["study", "held_pool", "status", "last_seen_at", "slot"],
                name="participant_inactive",
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["study", "pseudonym"], name="participant_pseudonym"),
            models.CheckConstraint(
                condition=~Q(status="completed")
                | Q(finished_at__isnull=False)
                | Q(source="import"),
                name="participant_completed_has_time",
            ),
            models.CheckConstraint(
                condition=Q(source="panel") & ~Q(panel="") | ~Q(source="panel") & Q(panel=""),
                name="participant_of_a_panel",
            ),
        ]

    def __str__(self) -> str:
        return self.pseudonym


def not_ended(people: "models.QuerySet[Participant]") -> "models.QuerySet[Participant]":
    """Those of the people who may send something yet."""
    others = [status for status in Participant.Status.values if status not in Participant.FINAL]
    # Named are all sources, so that databases find these people without looking through the others.
    return people.filter(source__in=Participant.Source.values, status__in=others)


class Identity(models.Model):
    """A participant's ID elsewhere: stored separately from answers, never exported.

    A person has one row per study slug, for all versions, so a second arrival resumes.
    """

    class Kind(models.TextChoices):
        PROLIFIC = "prolific"
        INVITATION = "invitation"
        SIMULATED = "simulated"
        PREVIEW = "preview"

    participant = models.OneToOneField(Participant, models.CASCADE, related_name="identity")
    slug = models.SlugField(max_length=80, db_index=False)  # indexes have it with the key
    kind = models.CharField(max_length=10, choices=Kind)
    key = models.CharField(max_length=200)

    class Meta:
        verbose_name_plural = "identities"
        constraints = [
            models.UniqueConstraint(fields=["slug", "kind", "key"], name="identity_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.participant}"


class Submission(models.Model):
    """A Prolific submission that a participant came with: the first, or a later one.

    Never overwritten. Prolific's submission id is its SESSION_ID. `is_theirs` means that their own
    browser brought it; such an ID identifies them in any other browser.
    """

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="submissions")
    prolific_study_id = models.CharField(max_length=200, blank=True)
    session_id = models.CharField(max_length=200, help_text="Prolific's SESSION_ID")
    is_theirs = models.BooleanField(default=False)
    arrived_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["participant", "session_id"], name="submission_once")
        ]

    def __str__(self) -> str:
        return f"submission {self.pk} of {self.participant}"


class Browser(models.Model):
    """A browser that opened a Prolific ID known from another browser.

    A Prolific ID is not secret, so it opens nothing alone. This browser first gets the information
    page. After consent there, it can answer the next unanswered page (`goes_on`), and gets the code
    if it sends the last one (`ended_here`). If no browser has consented before, or its submission
    is theirs, it becomes the participant's own browser and this row is deleted. Without a
    participant, the row is about one who has withdrawn.
    """

    secret = models.CharField(max_length=64, default=new_secret, unique=True)
    participant = models.ForeignKey(Participant, models.CASCADE, null=True, related_name="browsers")
    withdrawal = models.ForeignKey(
        "survey.Withdrawal", models.CASCADE, null=True, related_name="browsers"
    )
    prolific_study_id = models.CharField(max_length=200, blank=True)
    session_id = models.CharField(max_length=200, blank=True, help_text="Prolific's SESSION_ID")
    language = models.CharField(
        max_length=20, blank=True, help_text="Language of the information page"
    )
    goes_on = models.BooleanField(default=False)
    ended_here = models.BooleanField(default=False)
    arrived_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(participant__isnull=False, withdrawal__isnull=True)
                | Q(participant__isnull=True, withdrawal__isnull=False),
                name="browser_of_one",
            )
        ]
        indexes = [
            models.Index(fields=["participant"], condition=Q(goes_on=True), name="browser_goes_on")
        ]

    def __str__(self) -> str:
        return f"browser {self.pk}"


class Invitation(models.Model):
    """A personal link for a person without Prolific: a rater, or an expert of a panel."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="invitations")
    token = models.CharField(max_length=64, default=new_secret, unique=True)
    label = models.CharField(max_length=200, blank=True, help_text="Seen by researchers only")
    panel = models.CharField(
        max_length=40,
        blank=True,
        validators=[RegexValidator(NAME_PATTERN)],
        help_text="For an expert: the name of the panel, in a-z, 0-9 and _; empty for a rater",
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"invitation {self.pk}"  # not the label: the admin's log stores this text


class Slot(models.Model):
    """One participant's share of the balanced design, held by one participant at a time.

    Raters, experts, simulated and preview people have pools of their own under the same rules;
    only the experts' has no maximum.
    """

    class Pool(models.TextChoices):
        REAL = "real"
        PANEL = "panel"
        SIMULATED = "simulated"
        PREVIEW = "preview"

    study = models.ForeignKey(Study, models.CASCADE, related_name="slots")
    pool = models.CharField(max_length=10, choices=Pool)
    number = models.PositiveIntegerField()
    participant = models.OneToOneField(
        Participant, models.SET_NULL, null=True, related_name="held_slot"
    )

    class Meta:
        ordering = ["study", "pool", "number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "pool", "number"], name="slot_once"),
        ]
        # Finds the first slot that nobody holds.
        indexes = [
            models.Index(fields=["study", "pool", "participant", "number"], name="slot_left")
        ]

    def __str__(self) -> str:
        return f"{self.study}: {self.pool} slot {self.number}"


class Withdrawal(models.Model):
    """One withdrawal: it is counted, and until the retention date it has the key to pay the person.

    Nothing else about the person is kept.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="withdrawals")
    source = models.CharField(max_length=10, choices=Participant.Source)
    withdrawn_at = models.DateTimeField(default=timezone.now)
    slug = models.SlugField(max_length=80)
    kind = models.CharField(max_length=10, choices=Identity.Kind, blank=True)
    key = models.CharField(max_length=200, blank=True, help_text="Empty once erased")
    prolific_study_id = models.CharField(max_length=200, blank=True)
    prolific_session_id = models.CharField(max_length=200, blank=True)
    key_kept_until = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        indexes = [
            # Those of each source are counted by it: there may be as many as people.
            models.Index(fields=["study", "source"], name="withdrawal_sources")
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["slug", "kind", "key"], condition=~Q(key=""), name="withdrawal_once"
            )
        ]

    def __str__(self) -> str:
        return f"withdrawal {self.pk} from {self.study}"
