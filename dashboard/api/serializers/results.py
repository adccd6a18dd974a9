"""Analyses with their tables, sentences and figures; metrics and multiverses."""

from rest_framework import serializers

from analysis.metric_choice import MetricsToCompute
from analysis.models import AnalysisRun, ComputedMetric, MetricsRequest, Multiverse
from analysis.size import AnalysisOptions
from analysis.text.cells import plain
from dashboard.api.option_serializers import OptionsSerializer
from dashboard.api.serializers.columns import rows_of
from dashboard.shared.findings import ShownFinding
from dashboard.shared.newest_analysis import NewestAnalysis

#: What a job's `state` and `error` may say.
STATES = "`waiting`, `running`, `done`, `failed` or `stopped`"
ERROR = "why it failed, or who stopped it; else empty"


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


class AskForAnalysisSerializer(OptionsSerializer):
    """What is to be computed."""

    options = AnalysisOptions


class StateOfRunSerializer(RunSerializer):
    """An analysis, done or not."""

    state = serializers.CharField(help_text=STATES)
    error = serializers.CharField(help_text=ERROR)

    class Meta(RunSerializer.Meta):
        fields = [*RunSerializer.Meta.fields, "state", "error"]


class MetricsRequestSerializer(serializers.ModelSerializer[MetricsRequest]):
    """A request to compute metrics."""

    requested_at = serializers.DateTimeField(source="created_at", read_only=True)
    error = serializers.CharField(read_only=True, help_text=ERROR)

    class Meta:
        model = MetricsRequest
        fields = ["id", "state", "percent", "error", "metrics", "requested_at", "finished_at"]


class ComputedMetricSerializer(serializers.ModelSerializer[ComputedMetric]):
    """A stored metric; the tables of the next analysis have its values by system."""

    n = serializers.IntegerField(read_only=True, help_text="responses with a value")

    class Meta:
        model = ComputedMetric
        fields = ["name", "n", "computed_at", "recorded"]


class MetricsSerializer(serializers.Serializer[object]):
    """The newest request, null where none was made, and the metrics that are stored."""

    request = MetricsRequestSerializer(allow_null=True)
    metrics = ComputedMetricSerializer(many=True)


class MetricsAskedSerializer(MetricsSerializer):
    """The request, and what is worth knowing of the file."""

    notices = serializers.ListField(child=serializers.CharField())


class MetricsToComputeSerializer(OptionsSerializer):
    """Which metrics are computed, and from what of the study's own."""

    options = MetricsToCompute


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


class NewestSerializer(serializers.Serializer[NewestAnalysis]):
    """The newest analysis of those who count and those included by name, and what came since."""

    include = serializers.ListField(child=serializers.CharField())
    run = RunSerializer(allow_null=True, help_text="null: none has finished yet")
    raters = serializers.IntegerField(source="n_raters")
    included = serializers.IntegerField(source="n_included")
    changed = serializers.BooleanField(help_text="whether data, rules or software are newer")
    pending = StateOfRunSerializer(allow_null=True)
    failed = StateOfRunSerializer(allow_null=True)


class SubjectInListSerializer(serializers.Serializer[object]):
    """A subject of results."""

    subject = serializers.CharField()
    title = serializers.CharField()
    url = serializers.URLField()


class AnswerSerializer(serializers.Serializer[ShownFinding]):
    """What a table says in sentences: with raters and items as units, and as published."""

    title = serializers.CharField()
    dimension = serializers.CharField()
    sound = serializers.SerializerMethodField()
    paper = serializers.SerializerMethodField()
    exploratory = serializers.BooleanField(help_text="made otherwise than planned")

    def get_sound(self, answer: ShownFinding) -> list[str]:
        return [plain(sentence) for sentence in answer.sound]

    def get_paper(self, answer: ShownFinding) -> list[str]:
        return [plain(sentence) for sentence in answer.paper]


class QuestionSerializer(serializers.Serializer[object]):
    """A question, the table that answers it, and how it was computed."""

    question = serializers.CharField()
    table = serializers.CharField()
    title = serializers.CharField()
    says = serializers.CharField(help_text="how to read the table")
    observations = serializers.CharField(help_text="what counts as one")
    methods = serializers.DictField(child=serializers.CharField(), help_text="by recipe")
    answers = AnswerSerializer(many=True)
    url = serializers.URLField(allow_null=True, help_text="of the table; null: it has no rows")


class SubjectSerializer(serializers.Serializer[object]):
    """A subject of results: its questions, and tables that are not available."""

    run = RunSerializer(allow_null=True)
    subject = serializers.CharField()
    title = serializers.CharField()
    questions = QuestionSerializer(many=True)
    absent = serializers.DictField(child=serializers.CharField(), help_text="why, by table")


class FigureInListSerializer(serializers.Serializer[object]):
    """A figure of an analysis."""

    figure = serializers.CharField()
    title = serializers.CharField()
    table = serializers.CharField(help_text="that has its numbers; empty for none")
    url = serializers.URLField(help_text="Plotly’s JSON")
    svg = serializers.URLField(allow_null=True, help_text="null: no zip with images was prepared")


class FiguresSerializer(serializers.Serializer[object]):
    """The figures of the newest finished analysis."""

    run = RunSerializer(allow_null=True)
    figures = FigureInListSerializer(many=True)


class FigureSerializer(serializers.Serializer[object]):
    """A figure as Plotly draws it."""

    data = serializers.ListField(child=serializers.DictField())  # type: ignore[assignment]  # a field by this name
    layout = serializers.DictField()


class MultiverseRequestSerializer(serializers.ModelSerializer[Multiverse]):
    """A request to compute the multiverse of an analysis."""

    run = serializers.IntegerField(source="run_id", help_text="id of the analysis")
    state = serializers.CharField(help_text=STATES)
    error = serializers.CharField(help_text=ERROR)
    requested_at = serializers.DateTimeField(source="created_at")

    class Meta:
        model = Multiverse
        fields = ["id", "run", "state", "percent", "error", "requested_at", "finished_at"]


class MultiverseSerializer(serializers.Serializer[object]):
    """The multiverse of the newest finished analysis; null where none was asked for. Its rows are
    in the tables `multiverse_summary` and `multiverse`.
    """

    multiverse = MultiverseRequestSerializer(allow_null=True)
