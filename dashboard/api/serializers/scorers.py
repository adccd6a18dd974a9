"""The trained scorer, texts that it scores, and perturbations."""

from typing import Any

from rest_framework import serializers

from analysis.models import PerturbationRun, ScoredText, Scorer
from analysis.perturbation_options import PerturbingOptions
from analysis.scorer_options import TextOptions, TrainingOptions
from dashboard.api.option_serializers import OptionsSerializer
from dashboard.api.serializers.results import ERROR


class ScorerVersionSerializer(serializers.ModelSerializer[Scorer]):
    """A version of the scorer; the newest that is done is a source of scores."""

    scorer = serializers.CharField(source="name", read_only=True, help_text="as tables call it")
    error = serializers.CharField(read_only=True, help_text=ERROR)
    card = serializers.CharField(
        read_only=True, help_text="Markdown: whether it is better than the mean; empty before"
    )
    content = serializers.CharField(
        read_only=True, help_text="the scorer as JSON, as `scorer.json` has it; empty before"
    )
    sources = serializers.ListField(
        child=serializers.CharField(),
        read_only=True,
        help_text="participant sources whose ratings it learns from; none of a file",
    )
    requested_at = serializers.DateTimeField(source="created_at", read_only=True)

    class Meta:
        model = Scorer
        fields = [
            "id",
            "scorer",
            "version",
            "state",
            "percent",
            "error",
            "sources",
            "requested_at",
            "finished_at",
            "card",
            "content",
        ]


class ScorersSerializer(serializers.Serializer[object]):
    """The versions of a study's scorer, newest first."""

    scorers = ScorerVersionSerializer(many=True)


class ScorerAskedSerializer(ScorersSerializer):
    """The versions with the one that is asked for, and what is worth knowing of the file."""

    notices = serializers.ListField(child=serializers.CharField())


class TrainingSerializer(OptionsSerializer):
    """How a scorer is trained, and on what."""

    options = TrainingOptions


class TextScoreSerializer(serializers.Serializer[object]):
    """A score on one dimension, with the ends of its prediction interval."""

    dimension = serializers.CharField()
    score = serializers.FloatField()
    low = serializers.FloatField(allow_null=True, help_text="null with too few texts")
    high = serializers.FloatField(allow_null=True)


class ScoredTextSerializer(serializers.ModelSerializer[ScoredText]):
    """A text and, once a worker has scored it, its scores."""

    scorer = serializers.CharField(source="scorer.name", read_only=True)
    scores = serializers.SerializerMethodField(help_text="empty until it is done")
    error = serializers.CharField(read_only=True, help_text=ERROR)

    class Meta:
        model = ScoredText
        fields = ["id", "text", "scorer", "state", "error", "flagged", "scores"]

    def get_scores(self, text: ScoredText) -> list[dict[str, Any]]:
        names = ("dimension", "score", "low", "high")
        rows = [dict(zip(names, row, strict=True)) for row in text.scores]
        return [dict(TextScoreSerializer(row).data) for row in rows]


class ScoredTextsSerializer(serializers.Serializer[object]):
    """Texts that were scored, newest first: the flagged ones, and the newest others."""

    texts = ScoredTextSerializer(many=True)


class TextToScoreSerializer(OptionsSerializer):
    """A text to be scored by the newest trained scorer."""

    options = TextOptions


class PerturbationRunSerializer(serializers.ModelSerializer[PerturbationRun]):
    """A request to perturb responses; the tables of the next analysis have what came of it."""

    error = serializers.CharField(read_only=True, help_text=ERROR)
    requested_at = serializers.DateTimeField(source="created_at", read_only=True)
    options = serializers.JSONField(
        read_only=True,
        help_text="seed, responses, perturbations, scorer, metrics, judges, rewriter",
    )

    class Meta:
        model = PerturbationRun
        fields = [
            "id",
            "state",
            "percent",
            "error",
            "requests",
            "requested_at",
            "finished_at",
            "options",
        ]


class PerturbationsSerializer(serializers.Serializer[object]):
    """`run` is null where responses were never perturbed."""

    run = PerturbationRunSerializer(allow_null=True)


class PerturbingSerializer(OptionsSerializer):
    """How many responses are perturbed, how, and whose scores are compared. Judges may cost."""

    options = PerturbingOptions
