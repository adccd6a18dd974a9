"""Designs: texts, pages, planning, order, pilots and locked plans."""

from rest_framework import serializers

from analysis.locked_plans import LockOptions, PlanComparison
from analysis.models import LockedPlan
from dashboard.api.option_serializers import OptionsSerializer
from dashboard.api.serializers.results import JobRow, RunSerializer
from dashboard.design.certificate import Certificate, DesignPart
from dashboard.design.grids import Grid
from dashboard.design.models import PlannedGrid
from dashboard.design.pilot import MeasureRow, Side
from dashboard.design.plan_options import PlanOptions
from dashboard.design.preview import Page
from dashboard.design.texts import Entry, TextSection
from survey.evenness_tests import ChiSquare


class EntrySerializer(serializers.Serializer[Entry]):
    """One thing that participants read, with the answers offered."""

    label = serializers.CharField()  # type: ignore[assignment]  # a field by this name
    text = serializers.CharField()
    options = serializers.ListField(child=serializers.CharField())
    note = serializers.CharField(help_text="what researchers have to know of it")


class TextSectionSerializer(serializers.Serializer[TextSection]):
    """What participants read on one kind of page."""

    title = serializers.CharField()
    page = serializers.CharField(help_text="its name in `pages`")
    entries = EntrySerializer(many=True)


class TextsSerializer(serializers.Serializer[object]):
    """All that participants read."""

    language = serializers.CharField()
    languages = serializers.ListField(child=serializers.CharField())
    sections = TextSectionSerializer(many=True)


class PageSerializer(serializers.Serializer[Page]):
    """A page of the survey, and where a browser shows it as participants see it."""

    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # as above
    number = serializers.IntegerField(allow_null=True, help_text="that participants see")
    url = serializers.SerializerMethodField()

    def get_url(self, page: Page) -> str:
        return str(self.context["address"](page.name))


class PlanAskedSerializer(OptionsSerializer):
    """What a plan is asked for; what is left out comes from the study."""

    options = PlanOptions


class PlannedSerializer(JobRow, serializers.ModelSerializer[PlannedGrid]):
    """A plan: what the study could find with other numbers of raters and scenarios."""

    options = serializers.DictField(help_text="what was asked for")
    rows = serializers.ListField(
        child=serializers.DictField(), help_text="one for each pair of numbers"
    )
    sentences = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = PlannedGrid
        fields = [
            *("id", "state", "error", "requested_at", "finished_at"),
            *("options", "rows", "sentences"),
        ]


class PlanningSerializer(serializers.Serializer[object]):
    """The newest plan; null where none was asked for."""

    plan = PlannedSerializer(allow_null=True)


class DesignPartSerializer(serializers.Serializer[DesignPart]):
    """A part of the design that is complete after every so many people."""

    part = serializers.CharField(source="name")
    every = serializers.IntegerField()
    target = serializers.IntegerField(help_text="people after whom it is complete next")
    missing = serializers.SerializerMethodField(help_text="slots up to it that are not filled yet")

    def get_missing(self, part: DesignPart) -> list[int]:
        certificate: Certificate = self.context["certificate"]
        return certificate.missing(part)


class EvennessTestSerializer(serializers.Serializer[ChiSquare]):
    """A test against uniformly random orders; small p means less even than those."""

    chi_square = serializers.FloatField(source="statistic")
    df = serializers.IntegerField()
    p = serializers.FloatField()


class GridSerializer(serializers.Serializer[Grid]):
    """A table of the certificate in short; `certificate.csv` has its cells."""

    table = serializers.CharField(source="name")
    least = serializers.IntegerField(help_text="the smallest count")
    most = serializers.IntegerField(help_text="the largest count")
    missing = serializers.IntegerField(help_text="until the design is complete")
    test = EvennessTestSerializer(source="tested", allow_null=True)
    untested = serializers.CharField(help_text="why there is no test, or empty")


class CertificateSerializer(serializers.Serializer[object]):
    """How evenly the people of one pool were shown everything."""

    pool = serializers.CharField()
    people = serializers.CharField()
    n_people = serializers.IntegerField()
    parts = DesignPartSerializer(many=True)
    tables = GridSerializer(source="grids", many=True)


class SideSerializer(serializers.Serializer[Side]):
    """One version: what it asks, its newest analysis and remarks."""

    study = serializers.CharField(help_text="slug@version")
    tasks = serializers.CharField()
    run = RunSerializer(source="analysis.run", allow_null=True)
    remarks = serializers.SerializerMethodField(help_text="free texts, the newest first")

    def get_remarks(self, side: Side) -> list[str]:
        return [remark.text for remark in side.remarks]


class MeasureSerializer(serializers.Serializer[MeasureRow]):
    """A measure of the protocol, of each version in their order."""

    measure = serializers.CharField(source="label")
    values = serializers.SerializerMethodField(help_text="null: not known")

    def get_values(self, row: MeasureRow) -> list[float | None]:
        return [value["value"] if value else None for value in row.values]


class PilotSerializer(serializers.Serializer[object]):
    """A version beside another one, such as a pilot."""

    versions = SideSerializer(many=True)
    measures = MeasureSerializer(many=True)


class PlanSerializer(serializers.ModelSerializer[LockedPlan]):
    """A locked plan; the newest is the one that analyses are compared with."""

    locked_at = serializers.DateTimeField(source="created_at", read_only=True)
    author = serializers.CharField(
        read_only=True, allow_null=True, help_text="null if a command locked it"
    )
    content = serializers.CharField(
        read_only=True, help_text="JSON as text: the SHA-256 is that of its bytes"
    )
    deviations = serializers.SerializerMethodField(
        help_text="what an analysis would do otherwise now; empty for plans that were replaced"
    )

    class Meta:
        model = LockedPlan
        fields = ["version", "locked_at", "author", "sha256", "content", "deviations"]

    def get_deviations(self, plan: LockedPlan) -> list[str]:
        compared: PlanComparison | None = self.context.get("compared")
        if compared is None or compared.plan != plan:
            return []
        return [f"{each.what} ({each.where})" for each in compared.deviations]


class LockSerializer(OptionsSerializer):
    """To lock the plan as it is now, which can't be undone."""

    options = LockOptions
    confirmed = serializers.BooleanField(help_text="must be true")

    def validate_confirmed(self, confirmed: bool) -> bool:
        if not confirmed:
            raise serializers.ValidationError("A locked plan can't be unlocked: send true.")
        return confirmed
