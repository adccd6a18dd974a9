"""Thresholds of the rules: those in force, and what others would do."""

from rest_framework import serializers

from dashboard.api.serializers.results import RunSerializer, StateOfRunSerializer


class ThresholdSerializer(serializers.Serializer[object]):
    """A setting of a rule that may be tried with another value."""

    name = serializers.CharField()
    rule = serializers.CharField()
    about = serializers.CharField()
    in_force = serializers.JSONField()
    tried = serializers.JSONField()
    choices = serializers.ListField(child=serializers.JSONField(), help_text="empty: any number")


class StepSerializer(serializers.Serializer[object]):
    """A step of the funnel."""

    step = serializers.CharField(source="name")
    excluded = serializers.IntegerField()
    remaining = serializers.IntegerField()
    alone = serializers.IntegerField(help_text="whom the rule alone would exclude")


class DimensionResultSerializer(serializers.Serializer[object]):
    """The main results of a dimension: wins of both conditions, and the mean of a minus b."""

    dimension = serializers.CharField()
    a_wins = serializers.IntegerField(source="wins.a")
    b_wins = serializers.IntegerField(source="wins.b")
    ties = serializers.IntegerField(source="wins.ties")
    raters = serializers.IntegerField(source="difference.n")
    mean = serializers.FloatField(source="difference.mean", allow_null=True)
    low = serializers.FloatField(source="difference.low", allow_null=True)
    high = serializers.FloatField(source="difference.high", allow_null=True)


class OutcomeSerializer(serializers.Serializer[object]):
    """What some rules do to the raters of an analysis."""

    kept = serializers.IntegerField(source="n_kept")
    funnel = StepSerializer(source="funnel.steps", many=True)
    results = DimensionResultSerializer(many=True)


class ThresholdsSerializer(serializers.Serializer[object]):
    """The thresholds in force, and what others would do; without an analysis there is none yet."""

    version = serializers.IntegerField(help_text="of the rules in force: `instead_of`")
    run = RunSerializer(allow_null=True)
    settings = ThresholdSerializer(many=True)
    changes = serializers.ListField(
        child=serializers.CharField(), help_text="of the rules by what was tried, in words"
    )
    before = OutcomeSerializer(allow_null=True)
    after = OutcomeSerializer(allow_null=True)
    joining = serializers.ListField(
        child=serializers.CharField(), help_text="raters that only the tried ones keep"
    )
    leaving = serializers.ListField(
        child=serializers.CharField(), help_text="raters that only the tried ones exclude"
    )


class UseThresholdsSerializer(serializers.Serializer[object]):
    """Thresholds to put in force; what is left out stays as it is."""

    settings = serializers.DictField(help_text="values by the names that a GET lists")
    instead_of = serializers.IntegerField(
        help_text="the version of the rules in force that was looked at"
    )


class RulesInForceSerializer(serializers.Serializer[object]):
    """The rules that are in force now, and the analysis that follows them."""

    version = serializers.IntegerField()
    run = StateOfRunSerializer()


class RuleSetSerializer(serializers.Serializer[object]):
    """A version of the study's rules, with what it changed of the one before, in words."""

    version = serializers.IntegerField(source="rule_set.version")
    created_at = serializers.DateTimeField(source="rule_set.created_at")
    author = serializers.CharField(
        source="rule_set.author.username",
        default=None,
        allow_null=True,
        help_text="null: a command, or nobody",
    )
    rules = serializers.DictField(source="rule_set.rules")
    changes = serializers.ListField(child=serializers.CharField())
