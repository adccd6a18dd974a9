"""Studies: their people in numbers, their state, and their versions."""

from rest_framework import serializers

from dashboard.api.option_serializers import OptionsSerializer
from dashboard.api.serializers.columns import help_of
from dashboard.design.versions import DiffLine, VersionDifference
from dashboard.overview.drop_off import PageReached
from dashboard.overview.durations import Durations, Timing
from dashboard.overview.endings import Ending
from dashboard.overview.events import in_words
from dashboard.overview.links import Link
from dashboard.overview.live_warnings import Warned
from dashboard.overview.opening import StateOptions
from dashboard.overview.over_time import Interval, OverTime
from dashboard.overview.refused import RefusalCount
from survey.models import Participant, Refusal, Study, StudyEvent
from survey.slots import SlotCounts


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


class WarnedSerializer(serializers.Serializer[Warned]):
    """Something that needs attention."""

    what = serializers.CharField()
    do = serializers.CharField(help_text="what to do about it")


class SlotsSerializer(serializers.Serializer[SlotCounts]):
    """The slots of a pool, and who has them."""

    pool = serializers.CharField()
    maximum = serializers.IntegerField(allow_null=True, help_text="null: no limit")
    completed = serializers.IntegerField()
    active = serializers.IntegerField()
    inactive = serializers.IntegerField(help_text="the next arrival may get these slots")
    free = serializers.IntegerField(allow_null=True)
    to_refill = serializers.IntegerField(help_text="left by a participant, and not taken yet")
    over_quota_completed = serializers.IntegerField()
    over_quota_in_progress = serializers.IntegerField()
    withdrawn = serializers.IntegerField()


class IntervalSerializer(serializers.Serializer[Interval]):
    """Arrivals and completions from `start` on, and all until its end."""

    start = serializers.DateTimeField()
    arrived = serializers.IntegerField()
    completed = serializers.IntegerField()
    all_arrived = serializers.IntegerField()
    all_completed = serializers.IntegerField()


class OverTimeSerializer(serializers.Serializer[OverTime]):
    """Intervals of one length."""

    step_seconds = serializers.FloatField()
    intervals = IntervalSerializer(many=True)


class PageReachedSerializer(serializers.Serializer[PageReached]):
    """A page of the survey: how many reached it, left at it, and are at it now."""

    number = serializers.IntegerField(help_text="0 is consent")
    name = serializers.CharField()
    reached = serializers.IntegerField()
    left = serializers.IntegerField()
    here = serializers.IntegerField()


class DurationsSerializer(serializers.Serializer[Durations]):
    """Quartiles of the minutes that `n` people took."""

    n = serializers.IntegerField()
    lower = serializers.FloatField()
    median = serializers.FloatField()
    upper = serializers.FloatField()


class TimingSerializer(serializers.Serializer[Timing]):
    """Minutes of all who completed, and of the newest of many."""

    everybody = DurationsSerializer(allow_null=True)
    newest = DurationsSerializer(allow_null=True)


class RefusedSerializer(serializers.Serializer[RefusalCount]):
    """Arrivals that were refused for one reason; a person who tries twice counts twice."""

    reason = serializers.ChoiceField(choices=Refusal.choices)
    label = serializers.CharField(help_text="the reason in words")  # type: ignore[assignment]  # a field by this name, not Field.label
    n = serializers.IntegerField()
    in_last_hour = serializers.IntegerField()
    last_at = serializers.DateTimeField(help_text="to ten minutes")
    what_to_do = serializers.CharField()


class EndingSerializer(serializers.Serializer[Ending]):
    """A way in which the survey ends for raters, with its code on Prolific."""

    ending = serializers.CharField(source="label")
    people = serializers.IntegerField(allow_null=True, help_text="null: not stored")
    code = serializers.CharField(
        allow_null=True, help_text="null: there is none, or it is not for viewers"
    )
    code_type = serializers.CharField()
    action = serializers.CharField(help_text="recommended on Prolific")


class LinkSerializer(serializers.Serializer[Link]):
    """A link that leads participants into the study."""

    way = serializers.CharField()
    url = serializers.CharField()
    note = serializers.CharField()


class LiveSerializer(serializers.Serializer[object]):
    """The study now, of those who count and those included by name."""

    at = serializers.DateTimeField(source="live.counts.at")
    include = serializers.ListField(source="live.include", child=serializers.CharField())
    warnings = WarnedSerializer(source="live.warnings", many=True)
    slots = SlotsSerializer(source="live.slots", many=True)
    over_time = OverTimeSerializer(
        source="live.over_time", allow_null=True, help_text="null: no one arrived here"
    )
    pages = PageReachedSerializer(source="live.pages", many=True, help_text="where people left")
    minutes = TimingSerializer(source="live.times")
    refused = RefusedSerializer(
        source="live.refused", many=True, help_text="arrivals that were refused, by reason"
    )
    endings = EndingSerializer(many=True)
    links = LinkSerializer(many=True)


class StateSerializer(OptionsSerializer):
    """The state that a study is to go to."""

    options = StateOptions


class VersionSerializer(serializers.ModelSerializer[Study]):
    """A version of the study."""

    name = serializers.CharField(source="__str__", read_only=True, help_text="slug@version")
    raters = serializers.IntegerField(source="people", read_only=True, help_text="who began it")

    class Meta:
        model = Study
        fields = [
            *("name", "version", "title", "state", "pilot"),
            *("loaded_at", "frozen_at", "content_hash", "raters"),
        ]


class DiffLineSerializer(serializers.Serializer[DiffLine]):
    """A line of a difference."""

    sign = serializers.CharField(
        trim_whitespace=False, help_text="`+`, `-`, a space, or `@` where lines are left out"
    )
    text = serializers.CharField()


class DifferenceSerializer(serializers.Serializer[VersionDifference]):
    """What changed in one part of what participants see."""

    part = serializers.CharField()
    summary = serializers.CharField()
    lines = DiffLineSerializer(many=True)


class DifferencesSerializer(serializers.Serializer[object]):
    """What participants see otherwise in this version than in another."""

    compared = serializers.CharField(allow_null=True, help_text="slug@version; null: no other one")
    differences = DifferenceSerializer(many=True)


class ChangeSerializer(serializers.ModelSerializer[StudyEvent]):
    """What was changed, when and by whom."""

    study = serializers.CharField(help_text="slug@version")
    person = serializers.CharField(
        source="author.username", default=None, allow_null=True, help_text="null: a command"
    )
    what = serializers.SerializerMethodField(help_text="in words")

    class Meta:
        model = StudyEvent
        fields = ["id", "at", "study", "person", "what"]

    def get_what(self, event: StudyEvent) -> str:
        return in_words(event)
