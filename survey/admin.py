"""Raw records for researchers. They show what raters saw and answered, and cannot be edited here.

Nobody sees participants' secrets. Only superusers see their IDs elsewhere, and completion codes.
"""

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.db import DataError
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from survey import models
from survey.bounded_lists import BoundedAdmin, BoundedValues


class ReadOnly(BoundedAdmin):
    """Shows records, and cannot add, change or delete any."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        try:
            return super().changelist_view(request, extra_context)
        except (OverflowError, DataError):  # filtered by huge numbers or NUL
            raise Http404 from None


@admin.register(models.Study)
class StudyAdmin(ReadOnly):
    list_display = ["title", "slug", "version", "state", "is_rehearsal", "loaded_at", "frozen_at"]
    list_filter = ["state"]

    def get_exclude(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        return [] if _is_superuser(request) else ["settings", "random_codes"]


@admin.register(models.StudyEvent)
class StudyEventAdmin(ReadOnly):
    list_display = ["at", "study", "author", "action", "detail"]
    list_filter = ["study", ("action", BoundedValues)]
    list_select_related = ["study", "author"]

    def get_list_display(self, request: HttpRequest) -> Any:
        hidden = self.get_exclude(request)
        return [name for name in self.list_display if name not in hidden]

    def get_exclude(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        return [] if _is_superuser(request) else ["detail"]  # changed settings have codes


@admin.register(models.Scenario)
class ScenarioAdmin(ReadOnly):
    list_display = ["name", "study", "position", "prompt"]
    list_filter = ["study"]
    list_select_related = ["study"]


@admin.register(models.Response)
class ResponseAdmin(ReadOnly):
    list_display = ["public_id", "scenario", "system", "text"]
    list_filter = ["scenario__study"]
    list_select_related = ["scenario", "system"]
    search_fields = ["public_id", "text"]


@admin.register(models.Participant)
class ParticipantAdmin(ReadOnly):
    list_display = ["pseudonym", "study", "source", "panel", "status", "arrived_at", "finished_at"]
    list_filter = ["study", "source", ("panel", BoundedValues), "status"]
    list_select_related = ["study"]
    search_fields = ["pseudonym"]
    exclude = ["secret"]  # anyone with it can answer in the participant's name


class ForSuperusers(ReadOnly):
    """Participants' IDs elsewhere, such as Prolific IDs."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return _is_superuser(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return _is_superuser(request)


@admin.register(models.Identity)
class IdentityAdmin(ForSuperusers):
    list_display = ["participant", "slug", "kind", "key"]
    list_filter = [("slug", BoundedValues), "kind"]
    list_select_related = ["participant"]
    search_fields = ["key", "participant__pseudonym"]


@admin.register(models.Submission)
class SubmissionAdmin(ForSuperusers):
    list_display = ["participant", "prolific_study_id", "session_id", "is_theirs", "arrived_at"]
    list_filter = ["participant__study"]
    list_select_related = ["participant"]
    search_fields = ["session_id", "participant__pseudonym"]


@admin.register(models.Withdrawal)
class WithdrawalAdmin(ForSuperusers):
    """The keys for paying participants who withdrew, until the retention date."""

    list_display = ["study", "source", "withdrawn_at", "kind", "key", "key_kept_until"]
    list_filter = ["study", "source"]
    list_select_related = ["study"]
    search_fields = ["key", "prolific_session_id"]


def _is_superuser(request: HttpRequest) -> bool:
    return bool(request.user.is_active and request.user.is_superuser)


@admin.register(models.Invitation)
class InvitationAdmin(ReadOnly):
    """Personal links: created here, never changed."""

    list_display = ["label", "study", "panel", "link", "created_at"]
    list_filter = ["study", ("panel", BoundedValues)]
    list_select_related = ["study"]
    fields = ["study", "label", "panel"]

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return admin.ModelAdmin.has_add_permission(self, request)

    @admin.display(description="Link")
    def link(self, invitation: models.Invitation) -> str:
        path = reverse("survey:arrive", args=[invitation.study.slug])
        return f"{settings.SITE_URL}{path}?invite={invitation.token}"


@admin.register(models.Presentation)
class PresentationAdmin(ReadOnly):
    list_display = ["participant", "block", "position", "shown_at", "answered_at"]
    list_filter = ["participant__study"]
    list_select_related = ["participant", "block__scenario"]
    search_fields = ["participant__pseudonym"]


@admin.register(models.Rating)
class RatingAdmin(ReadOnly):
    list_display = ["participant", "response", "dimension", "value", "revisions"]
    list_filter = ["presentation__participant__study", ("dimension", BoundedValues)]
    list_select_related = [
        "presentation__participant",
        "response__scenario",
        "response__system",
    ]
    search_fields = ["presentation__participant__pseudonym"]

    @admin.display(ordering="presentation__participant")
    def participant(self, rating: models.Rating) -> models.Participant:
        return rating.presentation.participant


@admin.register(models.AttentionCheck)
class AttentionCheckAdmin(ReadOnly):
    list_display = ["participant", "name", "after_block", "answer", "passed", "answered_at"]
    list_filter = ["participant__study", "passed"]
    list_select_related = ["participant"]
    search_fields = ["participant__pseudonym"]


@admin.register(models.ComprehensionAttempt)
class ComprehensionAttemptAdmin(ReadOnly):
    list_display = ["participant", "number", "passed", "answered_at"]
    list_filter = ["participant__study", ("number", BoundedValues), "passed"]
    list_select_related = ["participant"]
    search_fields = ["participant__pseudonym"]


@admin.register(models.TrainingAttempt)
class TrainingAttemptAdmin(ReadOnly):
    list_display = ["participant", "name", "number", "within", "answered_at"]
    list_filter = ["participant__study", ("name", BoundedValues), "within"]
    list_select_related = ["participant"]
    search_fields = ["participant__pseudonym"]


@admin.register(models.PageTime)
class PageTimeAdmin(ReadOnly):
    list_display = ["participant", "page", "kind", "shown_at", "answered_at"]
    list_filter = ["participant__study", "kind"]
    list_select_related = ["participant"]
    search_fields = ["participant__pseudonym"]


@admin.register(models.DemographicAnswer)
class DemographicAnswerAdmin(ReadOnly):
    list_display = ["participant", "name", "value"]
    list_filter = ["participant__study", ("name", BoundedValues)]
    list_select_related = ["participant"]
    search_fields = ["participant__pseudonym"]


@admin.register(models.FreeAnswer)
class FreeAnswerAdmin(ReadOnly):
    list_display = ["participant", "name", "text", "revisions"]
    list_filter = ["participant__study", ("name", BoundedValues)]
    list_select_related = ["participant"]
    search_fields = ["participant__pseudonym"]
