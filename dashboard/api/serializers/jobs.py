"""Jobs of any kind."""

from rest_framework import serializers

from dashboard.api.serializers.results import ERROR, STATES


class JobSerializer(serializers.Serializer[object]):
    """A job: whether it waits, is under way, or how it ended."""

    id = serializers.IntegerField(source="pk")
    kind = serializers.CharField(source="NAME", help_text="as in the address")
    state = serializers.CharField(help_text=STATES)
    percent = serializers.IntegerField(
        source="progress", allow_null=True, help_text="how much is done; null for kinds without it"
    )
    error = serializers.CharField(help_text=ERROR)
    requested_at = serializers.DateTimeField(source="created_at")
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
