"""Gold scores: where they come from, choosing a source, and what that changes."""

from rest_framework import serializers

from dashboard.api.option_serializers import OptionsSerializer
from dashboard.api.serializers.results import (
    RunSerializer,
    StateOfRunSerializer,
    TableInListSerializer,
)
from dashboard.judges.gold_changes import Beside, Changes, RaterChange
from dashboard.judges.gold_choice import GoldChoice, why_not_gold
from dashboard.judges.gold_rows import GoldRow
from dashboard.judges.gold_sets import GoldFileOptions
from dashboard.judges.label_drawing import DrawOptions
from dashboard.judges.sources import FileState, JudgeState, JuryState, PanelState
from judge.models import GoldDecision
from judge.queries import GoldSource


class GoldSourceSerializer(serializers.Serializer[object]):
    """A source of gold scores: a judge, a file, a panel of experts or a jury of judges."""

    source = serializers.CharField(source="source.key", help_text="names it in a POST")  # type: ignore[assignment]  # a field by this name
    kind = serializers.CharField(source="source.kind", help_text="`judge`, `file`, `panel`, `jury`")
    is_gold = serializers.BooleanField()
    why_not_gold = serializers.SerializerMethodField(help_text="empty: its scores may be gold")

    def get_why_not_gold(self, state: JudgeState | FileState | PanelState | JuryState) -> str:
        return why_not_gold(self.context["study"], state.source)


class GoldDecisionSerializer(serializers.ModelSerializer[GoldDecision]):
    """A choice of the source of gold scores; null: none."""

    source = serializers.SerializerMethodField()  # type: ignore[assignment]  # as above
    author = serializers.CharField(
        source="author.username", default=None, allow_null=True, help_text="null: a command"
    )

    class Meta:
        model = GoldDecision
        fields = ["at", "source", "author", "why"]

    def get_source(self, decision: GoldDecision) -> str | None:
        if decision.is_for_none:
            return None
        return GoldSource(
            judge=decision.judge,
            gold_set=decision.gold_set,
            jury=decision.jury,
            panel=decision.panel,
        ).key


class GoldSerializer(serializers.Serializer[object]):
    """Where gold scores may come from, and which source is gold."""

    gold = serializers.CharField(source="gold.key", allow_null=True, default=None)
    sources = GoldSourceSerializer(many=True)


class ChooseGoldSerializer(serializers.Serializer[object]):
    """The source to make gold."""

    source = serializers.CharField(max_length=200)  # type: ignore[assignment]  # as above


class GoldChosenSerializer(serializers.Serializer[GoldChoice]):
    """The analysis by the gold scores from before, and the one that the choice asks for."""

    before = serializers.IntegerField(source="before.pk", allow_null=True, default=None)
    run = StateOfRunSerializer(source="after")


class ResponseDrawSerializer(OptionsSerializer):
    """How many responses to draw, and the seed."""

    options = DrawOptions


class GoldFileSerializer(OptionsSerializer):
    """Gold scores from a file (CSV, TSV or .xlsx), and what to call them."""

    options = GoldFileOptions


class GoldAddedSerializer(serializers.Serializer[object]):
    """The source that was added; it is not gold until it is chosen."""

    source = serializers.CharField()  # type: ignore[assignment]  # as above
    scores = serializers.IntegerField()
    notices = serializers.ListField(child=serializers.CharField())


class GoldScoreSerializer(serializers.Serializer[GoldRow]):
    """A response on one dimension, with its gold score and the single scores behind it."""

    scenario = serializers.CharField(source="response.scenario.name")
    model = serializers.CharField(source="response.system.model")
    condition = serializers.CharField(source="response.system.condition")
    response = serializers.IntegerField(source="response.pk")
    dimension = serializers.CharField()
    gold = serializers.FloatField(source="value", allow_null=True, help_text="null: not scored yet")
    calls = serializers.ListField(child=serializers.FloatField(allow_null=True))


class RaterChangeSerializer(serializers.Serializer[RaterChange]):
    """A rater whom only one of two analyses includes."""

    participant = serializers.CharField()
    sigma = serializers.FloatField(allow_null=True)
    mae_before = serializers.FloatField(allow_null=True)
    mae_after = serializers.FloatField(allow_null=True)
    rule = serializers.CharField(help_text="that excludes them")


class BesideSerializer(serializers.Serializer[Beside]):
    """A row of a table as it was and as it is; null where it was not there."""

    name = serializers.CharField()
    before = serializers.DictField(allow_null=True)
    after = serializers.DictField(allow_null=True)


class GoldChangesSerializer(serializers.Serializer[Changes]):
    """What differs between two analyses by other gold scores."""

    newly_excluded = RaterChangeSerializer(many=True)
    included_again = RaterChangeSerializer(many=True)
    same_answers = serializers.BooleanField()
    same_rules = serializers.BooleanField()
    kept_before = serializers.IntegerField()
    kept_after = serializers.IntegerField()
    funnel = BesideSerializer(many=True)
    wins = BesideSerializer(many=True)
    scores = serializers.IntegerField(source="gold.n", help_text="places with both gold scores")
    mean_change = serializers.FloatField(source="gold.mean", allow_null=True)
    largest_change = serializers.FloatField(source="gold.largest", allow_null=True)


class GoldChangedSerializer(serializers.Serializer[object]):
    """An analysis beside an earlier one."""

    run = StateOfRunSerializer()
    before = serializers.IntegerField(allow_null=True, help_text="null: there is no earlier one")
    changes = GoldChangesSerializer(allow_null=True, help_text="null: not before both are done")


class RemarkSerializer(serializers.Serializer[object]):
    """What there is to know about gold scores, of one kind."""

    what = serializers.CharField()
    details = serializers.ListField(child=serializers.CharField())


class RemarksSerializer(serializers.Serializer[object]):
    """Warnings about judges and gold scores, and the tables that they are from."""

    run = RunSerializer(allow_null=True)
    warnings = RemarkSerializer(many=True)
    notes = RemarkSerializer(many=True)
    tables = TableInListSerializer(many=True)
