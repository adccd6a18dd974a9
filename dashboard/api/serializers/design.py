"""Locked plans."""

from rest_framework import serializers

from analysis.locked_plans import PlanComparison
from analysis.models import LockedPlan


class PlanSerializer(serializers.ModelSerializer[LockedPlan]):
    """A locked plan; the newest is the one that analyses are compared with."""

    locked_at = serializers.DateTimeField(source="created_at", read_only=True)
    author = serializers.CharField(
        read_only=True, allow_null=True, help_text="null if a command locked it"
    )
    content = serializers.CharField(
        read_only=True, help_text="JSON as text: the SHA-256 is that of its bytes"
    )
    deviations = serializers.SerializerMethodField(
        help_text="what an analysis would do otherwise now; empty for plans that were replaced"
    )

    class Meta:
        model = LockedPlan
        fields = ["version", "locked_at", "author", "sha256", "content", "deviations"]

    def get_deviations(self, plan: LockedPlan) -> list[str]:
        compared: PlanComparison | None = self.context.get("compared")
        if compared is None or compared.plan != plan:
            return []
        return [f"{each.what} ({each.where})" for each in compared.deviations]
