"""Analyses, their tables, and metrics."""

from rest_framework import serializers

from analysis.models import AnalysisRun, ComputedMetric, MetricsRequest
from dashboard.api.serializers.columns import rows_of


class RunSerializer(serializers.ModelSerializer[AnalysisRun]):
    """The analysis that numbers come from."""

    rule_set = serializers.IntegerField(source="rule_set.version", help_text="its version")
    sources = serializers.ListField(
        child=serializers.CharField(), help_text="participant sources that are included"
    )

    gold = serializers.SerializerMethodField(
        help_text="where the gold scores come from; stand-ins are marked"
    )

    class Meta:
        model = AnalysisRun
        fields = [
            "id",
            "sources",
            "gold",
            "snapshot_hash",
            "rule_set",
            "created_at",
            "finished_at",
        ]

    def get_gold(self, run: AnalysisRun) -> str:
        source: str = run.manifest.get("gold", "none")
        return source


class MetricsRequestSerializer(serializers.ModelSerializer[MetricsRequest]):
    """A request to compute metrics."""

    requested_at = serializers.DateTimeField(source="created_at", read_only=True)
    error = serializers.CharField(read_only=True, help_text="why it failed, or empty")

    class Meta:
        model = MetricsRequest
        fields = ["state", "percent", "error", "requested_at", "finished_at"]


class ComputedMetricSerializer(serializers.ModelSerializer[ComputedMetric]):
    """A stored metric; the tables of the next analysis have its values by system."""

    n = serializers.IntegerField(read_only=True, help_text="responses with a value")

    class Meta:
        model = ComputedMetric
        fields = ["name", "n", "computed_at", "recorded"]


class MetricsSerializer(serializers.Serializer[object]):
    """`request` is null where none was made; `manage.py metrics` makes none."""

    request = MetricsRequestSerializer(allow_null=True)
    metrics = ComputedMetricSerializer(many=True)


class WinSerializer(rows_of("wins")):  # type: ignore[misc]  # as above
    """Which condition of a model was rated higher in a scenario."""


class WinSummarySerializer(rows_of("wins_summary")):  # type: ignore[misc]  # as above
    """Wins of a scenario, or over `all`."""


class WinsSerializer(serializers.Serializer[object]):
    """The win table of the newest finished analysis; `run` is null where there is none yet."""

    run = RunSerializer(allow_null=True)
    absent = serializers.CharField(help_text="why there is no win table, or empty")
    wins = WinSerializer(many=True)
    summary = WinSummarySerializer(many=True)


class TableInListSerializer(serializers.Serializer[object]):
    """A table of an analysis."""

    table = serializers.CharField()
    about = serializers.CharField(help_text="its title")
    url = serializers.URLField()


class TablesSerializer(serializers.Serializer[object]):
    """The tables of the newest finished analysis; `run` is null where there is none yet."""

    run = RunSerializer(allow_null=True)
    tables = TableInListSerializer(many=True)
    absent = serializers.DictField(
        child=serializers.CharField(), help_text="why other tables are not available, by name"
    )


class TableSerializer(serializers.Serializer[object]):
    """A table of an analysis: each row by column."""

    run = RunSerializer()
    columns = serializers.ListField(child=serializers.CharField())
    rows = serializers.ListField(child=serializers.DictField())
