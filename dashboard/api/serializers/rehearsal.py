"""Rehearsals: simulated raters that are sent, and what is found of their effects."""

from typing import Any

from rest_framework import serializers

from dashboard.api.option_serializers import OptionsSerializer
from dashboard.api.serializers.results import JobRow, RunSerializer
from dashboard.rehearsal.models import Simulation
from dashboard.rehearsal.simulations import CrowdOptions
from survey.simulated.record import Crowd


class SimulationAskedSerializer(OptionsSerializer):
    """Simulated raters to be sent."""

    options = CrowdOptions


class SimulationSerializer(JobRow, serializers.ModelSerializer[Simulation]):
    """Simulated raters that a worker sends."""

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


class SimulationWaitingSerializer(SimulationSerializer):
    """Simulated raters that were asked for."""

    notices = serializers.ListField(
        child=serializers.CharField(), help_text="what has no effect in an own profile"
    )

    class Meta(SimulationSerializer.Meta):
        fields = [*SimulationSerializer.Meta.fields, "notices"]


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
