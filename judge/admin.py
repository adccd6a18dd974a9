"""Raw records for researchers. Read-only: what a judge said is never edited."""

from django.contrib import admin

from judge.models import Attempt, Call, GoldScore, Judge
from survey.admin import ReadOnly


@admin.register(Judge)
class JudgeAdmin(ReadOnly):
    list_display = ["study", "name", "version", "is_gold", "is_stand_in", "stopped", "created_at"]
    list_filter = ["is_gold", "is_stand_in"]
    list_select_related = ["study"]


@admin.register(Call)
class CallAdmin(ReadOnly):
    list_display = ["id", "judge", "response", "dimension", "replicate", "state", "score", "error"]
    list_filter = ["state", "judge"]
    list_select_related = ["judge", "response__scenario", "response__system"]


@admin.register(Attempt)
class AttemptAdmin(ReadOnly):
    list_display = ["request_id", "call_id", "number", "outcome", "http_status", "error"]
    list_filter = ["outcome", "http_status"]
    search_fields = ["request_id"]
    list_select_related = ["call__judge", "call__response__scenario", "call__response__system"]


@admin.register(GoldScore)
class GoldScoreAdmin(ReadOnly):
    list_display = ["study", "response", "dimension", "value", "gold_by"]
    list_select_related = ["study", "response__scenario", "response__system"]
