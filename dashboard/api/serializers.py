"""What the API sends, and its description in the schema."""

from typing import Any

from django.db.models import Field, Model
from rest_framework import serializers

from analysis import catalogue
from analysis.catalogue.spec import Kind
from analysis.locked_plans import PlanComparison
from analysis.models import AnalysisRun, ComputedMetric, LockedPlan, MetricsRequest
from judge.models import Judge
from survey.models import Participant, Rating, Study
from survey.tidy import seconds_between


def _help(model: type[Model], field: str) -> str:
    """What the table says of its column."""
    column = model._meta.get_field(field)
    assert isinstance(column, Field)
    return str(column.help_text)


class StudySerializer(serializers.ModelSerializer[Study]):
    """A version of a study with its raters; experts and test people are counted separately."""

    name = serializers.CharField(source="__str__", read_only=True, help_text="slug@version")
    is_rehearsal = serializers.BooleanField(
        source="is_rehearsing",
        read_only=True,
        help_text=_help(Study, "is_rehearsal"),
    )
    arrived = serializers.IntegerField(read_only=True)
    in_progress = serializers.IntegerField(read_only=True)
    completed = serializers.IntegerField(read_only=True)
    not_counted = serializers.IntegerField(
        read_only=True, help_text="experts of a panel, and test people"
    )

    class Meta:
        model = Study
        fields = [
            "name",
            "slug",
            "version",
            "title",
            "state",
            "is_rehearsal",
            "loaded_at",
            "frozen_at",
            "content_hash",
            "arrived",
            "in_progress",
            "completed",
            "not_counted",
        ]


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


class ByStatusSerializer(serializers.Serializer[object]):
    """People by status. `arrived` is everyone; `active` and `silent` are in progress."""

    arrived = serializers.IntegerField()
    reading = serializers.IntegerField(help_text="came, but have neither agreed nor declined yet")
    active = serializers.IntegerField(help_text="in progress and seen recently")
    silent = serializers.IntegerField(help_text="in progress, not seen for inactive_minutes")
    completed = serializers.IntegerField()
    declined = serializers.IntegerField()
    failed_comprehension = serializers.IntegerField(
        help_text="failed the comprehension check, before they rated anything"
    )
    screened_out = serializers.IntegerField()
    excluded = serializers.DictField(
        child=serializers.IntegerField(),
        help_text="by rule, in the newest finished analysis",
    )


class SourceCountsSerializer(ByStatusSerializer):
    """The people of one source."""

    source = serializers.ChoiceField(choices=Participant.Source.choices)  # type: ignore[assignment]  # a field by this name, not Field.source
    is_counted = serializers.BooleanField(
        help_text="experts of a panel and test people never are unless included by name"
    )


class CountsSerializer(serializers.Serializer[object]):
    """Live counts. `real` adds up the sources that count; `sources` lists all."""

    at = serializers.DateTimeField()
    inactive_minutes = serializers.FloatField()
    analysed_at = serializers.DateTimeField(allow_null=True, help_text="where excluded comes from")
    real = ByStatusSerializer()
    sources = SourceCountsSerializer(many=True)


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


FIELDS: dict[Kind, type[serializers.Field[Any, Any, Any, Any]]] = {
    "text": serializers.CharField,
    "count": serializers.IntegerField,
    "number": serializers.FloatField,
    "flag": serializers.BooleanField,
}


def rows_of(table: str, *names: str) -> type[serializers.Serializer[object]]:
    """Rows of a table of the analysis, in all of its columns or in these, as the catalogue has
    them.
    """
    spec = catalogue.tables()[table]
    fields = {
        column.name: FIELDS[column.holds](
            help_text=column.meaning, allow_null=column.holds in ("count", "number")
        )
        for column in map(spec.column, names or spec.names)
    }
    return type(f"{table.title().replace('_', '')}Row", (serializers.Serializer,), fields)


class RaterSerializer(
    rows_of(  # type: ignore[misc]  # made from the catalogue
        "raters", "participant", "n_ratings", "duration_seconds", "sigma", "mae", "included",
        "exclusion",
    )
):  # fmt: skip
    """A rater's indices, and the rule that excluded them, if any."""

    source = serializers.ChoiceField(choices=Participant.Source.choices)
    value = serializers.JSONField(help_text="what the rule measured, by name")
    threshold = serializers.JSONField(help_text="what the rule allows, by name")


class WinSerializer(rows_of("wins")):  # type: ignore[misc]  # as above
    """Which condition of a model was rated higher in a scenario."""


class WinSummarySerializer(rows_of("wins_summary")):  # type: ignore[misc]  # as above
    """Wins of a scenario, or over `all`."""


class RatersSerializer(serializers.Serializer[object]):
    """The raters of the newest finished analysis; `run` is null where there is none yet."""

    run = RunSerializer(allow_null=True)
    raters = RaterSerializer(many=True)


class WinsSerializer(serializers.Serializer[object]):
    """The win table of the newest finished analysis; `run` is null where there is none yet."""

    run = RunSerializer(allow_null=True)
    absent = serializers.CharField(help_text="why there is no win table, or empty")
    wins = WinSerializer(many=True)
    summary = WinSummarySerializer(many=True)


class SpentSerializer(serializers.Serializer[object]):
    """Requests, and the known costs in US dollars."""

    requests = serializers.IntegerField()
    money = serializers.FloatField(
        help_text="US dollars, estimates and requests under way included"
    )
    estimated = serializers.FloatField(help_text="the part of money that no endpoint has confirmed")
    unpriced = serializers.IntegerField(help_text="requests of unknown cost")


class BudgetSerializer(serializers.Serializer[object]):
    """The shared budget of all judges of a study; null means no limit."""

    money = serializers.FloatField(allow_null=True, help_text="US dollars")
    requests = serializers.IntegerField(allow_null=True)


class JudgeSerializer(serializers.Serializer[object]):
    """A version of a judge: how far it has come, and at what cost."""

    judge = serializers.CharField(source="source.key", help_text="name@version")
    model = serializers.CharField(source="judge.model")
    endpoint = serializers.CharField(source="judge.endpoint")
    presentation = serializers.ChoiceField(
        source="configuration.presentation", choices=["single", "block", "pair"]
    )
    temperature = serializers.FloatField(source="configuration.temperature", allow_null=True)
    replicates = serializers.IntegerField(source="configuration.replicates")
    is_current = serializers.BooleanField(
        source="judge.is_current", help_text=_help(Judge, "is_current")
    )
    is_gold = serializers.BooleanField()
    is_stand_in = serializers.BooleanField(
        source="judge.is_stand_in", help_text=_help(Judge, "is_stand_in")
    )
    state = serializers.CharField(help_text="in a word or two")
    stopped = serializers.CharField(source="judge.stopped", help_text=_help(Judge, "stopped"))
    calls = serializers.IntegerField(source="total", help_text="that its scores rest on")
    answered = serializers.IntegerField(source="valid")
    failed = serializers.IntegerField()
    running = serializers.IntegerField()
    waiting = serializers.IntegerField()
    not_asked = serializers.IntegerField(help_text="future calls of added responses or replicates")
    spent = SpentSerializer()


class JudgesSerializer(serializers.Serializer[object]):
    """The judges of a study; `gold` is the source of the gold scores, or null."""

    gold = serializers.CharField(source="gold.key", allow_null=True, default=None)
    budget = BudgetSerializer()
    spent = SpentSerializer()
    judges = JudgeSerializer(many=True)


class ScoreSerializer(serializers.Serializer[object]):
    """Whose missing calls to queue."""

    judge = serializers.CharField(
        default="", allow_blank=True, help_text="the name of a judge; without it, all of them"
    )


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


class ExportSerializer(serializers.Serializer[object]):
    """A file that can be downloaded, or why it can't."""

    file = serializers.CharField()
    about = serializers.CharField(help_text="its contents")
    absent = serializers.CharField(help_text="why it is not available, or empty")
    url = serializers.URLField(allow_null=True)


class ExportsSerializer(serializers.Serializer[object]):
    """Export files as the newest finished analysis filtered them; `run` is null before it."""

    run = RunSerializer(allow_null=True)
    files = ExportSerializer(many=True)


class PointsField(serializers.FloatField):
    """Points as the table has them: 4, not 4.0, and halves as halves."""

    def to_representation(self, value: float) -> Any:
        return value


class RatingSerializer(serializers.ModelSerializer[Rating]):
    """One rating, in the columns of ratings.csv."""

    participant = serializers.CharField(
        source="presentation.participant.pseudonym", help_text="pseudonym"
    )
    source = serializers.ChoiceField(  # type: ignore[assignment]  # as above
        source="presentation.participant.source", choices=Participant.Source.choices
    )
    scenario = serializers.CharField(source="response.scenario.name")
    set = serializers.CharField(source="presentation.block.set_name")
    model = serializers.CharField(source="response.system.model")
    condition = serializers.CharField(source="response.system.condition")
    rating = PointsField(source="value")
    gold = serializers.SerializerMethodField()
    block_position = serializers.IntegerField(source="presentation.position", allow_null=True)
    response_position = serializers.SerializerMethodField(help_text="1 at the top of the page")
    block_seconds = serializers.SerializerMethodField(help_text="shown until first answered")

    class Meta:
        model = Rating
        fields = [
            "participant",
            "source",
            "scenario",
            "set",
            "model",
            "condition",
            "dimension",
            "rating",
            "gold",
            "block_position",
            "response_position",
            "block_seconds",
            "revisions",
        ]

    def get_gold(self, rating: Rating) -> float | None:
        scores: dict[tuple[int, str], float] = self.context["scores"]
        return scores.get((rating.response_id, rating.dimension))

    def get_response_position(self, rating: Rating) -> int | None:
        order = rating.presentation.response_order
        return order.index(rating.response_id) + 1 if order else None

    def get_block_seconds(self, rating: Rating) -> float | None:
        shown, answered = rating.presentation.shown_at, rating.presentation.answered_at
        if shown and answered:
            return seconds_between(shown, answered)
        return rating.presentation.imported_seconds
