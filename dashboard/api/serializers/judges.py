"""Judges: how far they have come, what they cost, and their calls."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.api.option_serializers import OptionsSerializer
from dashboard.api.serializers.columns import help_of
from dashboard.judges.judge_record import JudgeRecord
from dashboard.judges.scores import shown_to
from dashboard.judges.sources import key
from judge.models import Attempt, Call, Judge
from judge.queueing import RetryOptions


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


class JudgeDetailSerializer(serializers.Serializer[JudgeRecord]):
    """A version of a judge with its configuration, its failures and its first request."""

    judge = JudgeSerializer(source="state")
    is_working = serializers.BooleanField(
        source="state.is_working", help_text="whether numbers may change by themselves"
    )
    why_not_gold = serializers.CharField(help_text="empty: its scores may be gold")
    not_ready = serializers.CharField(
        source="state.not_ready", help_text="why this installation can't ask it, or empty"
    )
    last_error = serializers.CharField(
        source="state.last_error", help_text="while nothing has been answered since"
    )
    advice = serializers.CharField(source="state.advice", help_text="what to do about it")
    configuration = serializers.SerializerMethodField()
    failures = serializers.SerializerMethodField(help_text="failed calls by reason")
    outcomes = serializers.SerializerMethodField(help_text="requests by what came of them")
    answered_by = serializers.SerializerMethodField(help_text="answers by model, as it says")
    example = serializers.SerializerMethodField(
        help_text="its first request as it would be sent; null: nothing to ask"
    )

    def get_configuration(self, record: JudgeRecord) -> dict[str, Any]:
        return record.configuration.model_dump(mode="json")

    def get_failures(self, record: JudgeRecord) -> dict[str, int]:
        return dict(record.failures)

    def get_outcomes(self, record: JudgeRecord) -> dict[str, int]:
        return dict(record.outcomes)

    def get_answered_by(self, record: JudgeRecord) -> dict[str, int]:
        return dict(record.answered_by)

    def get_example(self, record: JudgeRecord) -> dict[str, Any] | None:
        return record.example.as_sent if record.example else None


class CallSerializer(serializers.ModelSerializer[Call]):
    """A call of a judge: one replicate of one question."""

    judge = serializers.SerializerMethodField(help_text="name@version")
    scenario = serializers.SerializerMethodField(help_text="empty: a test of the endpoint")
    block = serializers.SerializerMethodField(help_text="empty: about one response")
    dimension = serializers.CharField(help_text="empty: all together")
    state = serializers.CharField(help_text="`waiting`, `running`, `answered` or `failed`")
    error = serializers.CharField(help_text="why it failed, or empty")

    class Meta:
        model = Call
        fields = [
            *("id", "judge", "scenario", "block", "dimension", "replicate"),
            *("state", "error", "answered_at", "not_before"),
        ]

    def get_judge(self, call: Call) -> str:
        return key(call.judge)

    def get_scenario(self, call: Call) -> str:
        about = call.response or call.block
        return about.scenario.name if about else ""

    def get_block(self, call: Call) -> str:
        return str(call.block) if call.block else ""


class ScoredSerializer(serializers.Serializer[object]):
    """A response that a call was about, and its score."""

    shown_as = serializers.CharField(help_text="empty: it was shown alone")
    model = serializers.CharField()
    condition = serializers.CharField()
    text = serializers.CharField()
    score = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField()


class AttemptSerializer(serializers.ModelSerializer[Attempt]):
    """A request of a call, exactly as it was sent, and what came back."""

    request = serializers.DictField()
    provenance = serializers.DictField()
    cost = serializers.FloatField(allow_null=True, help_text="US dollars; null: not known")

    class Meta:
        model = Attempt
        fields = [
            *("number", "request_id", "is_repair", "outcome", "started_at", "ended_at"),
            *("http_status", "error", "returned_model", "cost", "cost_is_estimate"),
            *("prompt_hash", "provenance", "raw_text", "thinking", "request"),
        ]


class CallDetailSerializer(CallSerializer):
    """A call with the exact text of every attempt."""

    scores = serializers.SerializerMethodField()
    attempts = serializers.SerializerMethodField()

    class Meta(CallSerializer.Meta):
        fields = [*CallSerializer.Meta.fields, "scores", "attempts"]

    @extend_schema_field(ScoredSerializer(many=True))
    def get_scores(self, call: Call) -> Any:
        rows = [
            {
                "shown_as": letter,
                "model": response.system.model,
                "condition": response.system.condition,
                "text": response.text,
                "score": score.value if score else None,
                "reason": score.reason if score else "",
            }
            for letter, response, score in shown_to(call)
        ]
        return ScoredSerializer(rows, many=True).data

    @extend_schema_field(AttemptSerializer(many=True))
    def get_attempts(self, call: Call) -> Any:
        return AttemptSerializer(call.attempts.order_by("number"), many=True).data


class RetrySerializer(OptionsSerializer):
    """What to ask a judge again."""

    options = RetryOptions


class AskedAgainSerializer(serializers.Serializer[object]):
    """How many calls are queued."""

    queued = serializers.IntegerField()
