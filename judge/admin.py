"""Raw records for researchers. Read-only: a judge's answers are never edited."""

from django.contrib import admin

from judge.models import (
    Attempt,
    Batch,
    Call,
    EndpointTrait,
    GoldDecision,
    GoldScore,
    GoldSet,
    Judge,
    Score,
    StructuredOutput,
)
from survey.admin import ReadOnly


@admin.register(Judge)
class JudgeAdmin(ReadOnly):
    list_display = ["study", "name", "version", "model", "is_current", "is_stand_in", "stopped"]
    list_filter = ["is_current", "is_stand_in"]
    list_select_related = ["study"]


@admin.register(StructuredOutput)
class StructuredOutputAdmin(ReadOnly):
    list_display = ["endpoint", "model", "support", "detail", "found_at"]
    list_select_related = ["endpoint"]


@admin.register(EndpointTrait)
class EndpointTraitAdmin(ReadOnly):
    list_display = ["endpoint", "model", "trait", "said", "found_at"]
    list_select_related = ["endpoint"]


@admin.register(Call)
class CallAdmin(ReadOnly):
    list_display = [
        *("id", "judge", "response", "block", "pair", "dimension", "replicate", "state", "error")
    ]
    list_filter = ["state", "judge"]
    list_select_related = [
        "judge",
        "response__scenario",
        "response__system",
        "block__scenario",
        "block__study",
    ]


@admin.register(Score)
class ScoreAdmin(ReadOnly):
    list_display = ["call_id", "response", "value", "reason"]
    list_select_related = ["response__scenario", "response__system"]


@admin.register(Attempt)
class AttemptAdmin(ReadOnly):
    list_display = ["request_id", "call_id", "number", "outcome", "http_status", "cost", "error"]
    list_filter = ["outcome", "http_status", "is_repair"]
    search_fields = ["request_id"]
    list_select_related = [
        "call__judge",
        "call__response__scenario",
        "call__response__system",
        "call__block__scenario",
    ]


@admin.register(Batch)
class BatchAdmin(ReadOnly):
    list_display = ["id", "judge", "state", "remote_id", "said", "sent_at", "ended_at", "error"]
    list_filter = ["state", "judge"]
    list_select_related = ["judge"]


@admin.register(GoldSet)
class GoldSetAdmin(ReadOnly):
    list_display = ["study", "name", "made_by", "created_at"]
    list_select_related = ["study"]


@admin.register(GoldScore)
class GoldScoreAdmin(ReadOnly):
    list_display = ["gold_set", "response", "dimension", "value"]
    list_select_related = ["gold_set", "response__scenario", "response__system"]


@admin.register(GoldDecision)
class GoldDecisionAdmin(ReadOnly):
    list_display = ["study", "judge", "gold_set", "jury", "panel", "author", "why", "at"]
    list_select_related = ["study", "judge", "gold_set", "jury", "author"]
