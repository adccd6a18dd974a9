"""Studies, and how many people they have."""

from rest_framework import serializers

from dashboard.api.serializers.columns import help_of
from survey.models import Participant, Study


class StudySerializer(serializers.ModelSerializer[Study]):
    """A version of a study with its raters; experts and test people are counted separately."""

    name = serializers.CharField(source="__str__", read_only=True, help_text="slug@version")
    is_rehearsal = serializers.BooleanField(
        source="is_rehearsing",
        read_only=True,
        help_text=help_of(Study, "is_rehearsal"),
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
