"""Rehearsals: simulated raters that are sent, and what is found of their effects."""

from typing import Any

from rest_framework import serializers

from dashboard.api.serializers.results import ERROR, STATES, RunSerializer
from dashboard.rehearsal.models import Simulation
from dashboard.rehearsal.profiles import DEFAULT
from survey.simulated.record import Crowd


class SimulationAskedSerializer(serializers.Serializer[object]):
    """Simulated raters to be sent."""

    participants = serializers.IntegerField()
    seed = serializers.IntegerField(
        required=False, help_text="the same seed gives the same raters; default: one not used yet"
    )
    profile = serializers.CharField(
        default=DEFAULT, help_text="one of those in examples/profiles, by its file name"
    )
    file = serializers.FileField(required=False, help_text="a profile of one's own (YAML)")
    from_prolific = serializers.BooleanField(
        default=False, help_text="they come from the local Prolific"
    )


class SimulationSerializer(serializers.ModelSerializer[Simulation]):
    """Simulated raters that a worker sends."""

    state = serializers.CharField(help_text=STATES)
    requested_at = serializers.DateTimeField(source="created_at")
    error = serializers.CharField(help_text=ERROR)
    profile = serializers.CharField(source="profile_name")
    summary = serializers.ListField(
        child=serializers.CharField(), help_text="what became of them, line by line"
    )

    class Meta:
        model = Simulation
        fields = [
            *("id", "state", "error", "requested_at", "finished_at"),
            *("participants", "seed", "profile", "from_prolific", "ended", "summary"),
        ]


class CrowdSerializer(serializers.Serializer[Crowd]):
    """Simulated raters that were sent together."""

    profile = serializers.CharField(source="name")
    seed = serializers.IntegerField()
    participants = serializers.IntegerField()


class RehearsalSerializer(serializers.Serializer[object]):
    """What was planted in simulated raters, and which of it their analysis finds."""

    run = RunSerializer(allow_null=True)
    simulation = SimulationSerializer(allow_null=True, help_text="the newest one asked for here")
    crowds = CrowdSerializer(many=True)
    found = serializers.DictField(
        child=serializers.IntegerField(), help_text="planted effects by what came out"
    )
    planted = serializers.SerializerMethodField(help_text="the rows of table `planted`")

    def get_planted(self, content: dict[str, Any]) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = content["planted"]
        return rows
