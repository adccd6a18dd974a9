"""Raw records of analyses for people with an account: to be read, never edited."""

from django.contrib import admin

from analysis.models import (
    AnalysisRun,
    Exclusion,
    LockedPlan,
    ManualDecision,
    MetricsRequest,
    Multiverse,
    RaterQuality,
    RecipeSet,
    Result,
    RuleSet,
)
from survey.admin import ReadOnly
from survey.bounded_lists import BoundedValues


@admin.register(RuleSet, RecipeSet, LockedPlan)
class VersionAdmin(ReadOnly):
    list_display = ("study", "version", "author", "created_at")
    list_select_related = ("study", "author")
    list_filter = ("study",)


@admin.register(AnalysisRun)
class AnalysisRunAdmin(ReadOnly):
    list_display = (
        "id",
        "study",
        "state",
        "rule_set",
        "recipe_set",
        "sources",
        "created_at",
        "finished_at",
    )
    list_select_related = ("study", "rule_set__study", "recipe_set__study")
    list_filter = ("state", "study")


@admin.register(Multiverse)
class MultiverseAdmin(ReadOnly):
    list_display = ("run", "state", "percent", "created_at", "finished_at")
    list_select_related = ("run__study",)
    list_filter = ("state",)


@admin.register(MetricsRequest)
class MetricsRequestAdmin(ReadOnly):
    list_display = ("study", "state", "percent", "created_at", "finished_at")
    list_select_related = ("study",)
    list_filter = ("state",)


@admin.register(RaterQuality)
class RaterQualityAdmin(ReadOnly):
    list_display = ("run", "participant", "included", "indices")
    list_select_related = ("run__study", "participant")
    list_filter = ("included",)
    search_fields = ("participant__pseudonym",)


@admin.register(Exclusion)
class ExclusionAdmin(ReadOnly):
    list_display = ("run", "participant", "rule", "value", "threshold")
    list_select_related = ("run__study", "participant")
    list_filter = (("rule", BoundedValues),)
    search_fields = ("participant__pseudonym",)


@admin.register(ManualDecision)
class ManualDecisionAdmin(ReadOnly):
    list_display = ("participant", "excluded", "reason", "author", "at")
    list_select_related = ("participant", "author")
    list_filter = ("excluded", "participant__study")
    search_fields = ("participant__pseudonym",)


@admin.register(Result)
class ResultAdmin(ReadOnly):
    list_display = ("run", "kind", "name")
    list_select_related = ("run__study",)
    list_filter = ("kind", "name")
