"""Raters and their ratings."""

from typing import Any

from rest_framework import serializers

from dashboard.api.serializers.columns import rows_of
from dashboard.api.serializers.results import RunSerializer
from survey.models import Participant, Rating
from survey.tidy import seconds_between


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


class RatersSerializer(serializers.Serializer[object]):
    """The raters of the newest finished analysis; `run` is null where there is none yet."""

    run = RunSerializer(allow_null=True)
    raters = RaterSerializer(many=True)


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
