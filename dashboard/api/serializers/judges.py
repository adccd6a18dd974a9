"""Judges: how far they have come, and what they cost."""

from rest_framework import serializers

from dashboard.api.serializers.columns import help_of
from judge.models import Judge


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
        source="judge.is_current", help_text=help_of(Judge, "is_current")
    )
    is_gold = serializers.BooleanField()
    is_stand_in = serializers.BooleanField(
        source="judge.is_stand_in", help_text=help_of(Judge, "is_stand_in")
    )
    state = serializers.CharField(help_text="in a word or two")
    stopped = serializers.CharField(source="judge.stopped", help_text=help_of(Judge, "stopped"))
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
