"""What the API says and takes of a study on Prolific. Amounts are in cents of the currency."""

from datetime import datetime
from typing import Any

from rest_framework import serializers

from dashboard.api.option_serializers import OptionsSerializer
from dashboard.api.serializers.results import JobRow
from dashboard.prolific.demographics_asking import DemographicsOptions
from dashboard.prolific.drafts import DraftOptions, PlacesOptions
from dashboard.prolific.models import Recruitment
from dashboard.prolific.money import Money
from dashboard.raters.models import SubmissionUpload
from dashboard.raters.submissions import Applied
from survey.prolific.replies import ProlificStudy


class ProlificAccountSerializer(serializers.Serializer[object]):
    """The caller's account at Prolific. Its token is never sent."""

    is_connected = serializers.BooleanField()
    email = serializers.CharField()
    prolific_id = serializers.CharField(help_text="of the account there")
    address = serializers.CharField(help_text="the API that the token was verified at")
    connected_at = serializers.DateTimeField(allow_null=True)


class ProlificTokenSerializer(serializers.Serializer[object]):
    """A token from Prolific, under Settings › API tokens there."""

    token = serializers.CharField(max_length=500, write_only=True)


class StudyOnProlificSerializer(serializers.Serializer[ProlificStudy]):
    """The study on Prolific, as it answers now."""

    id = serializers.CharField()
    internal_name = serializers.CharField(allow_null=True)
    status = serializers.CharField(help_text="such as `UNPUBLISHED`, `ACTIVE`, `PAUSED`")
    name = serializers.CharField()
    link = serializers.CharField(source="external_study_url", allow_null=True)
    places = serializers.IntegerField(source="total_available_places")
    places_taken = serializers.IntegerField()
    reward_cents = serializers.IntegerField(source="reward")
    minutes = serializers.FloatField(source="estimated_completion_time")


class MoneySerializer(serializers.Serializer[Money]):
    """The balance, and what the study costs with fees and taxes."""

    workspace = serializers.CharField()
    currency = serializers.CharField()
    available_cents = serializers.IntegerField(source="available")
    cost_cents = serializers.IntegerField(
        source="cost", allow_null=True, help_text="publishing asks for it; null without a study"
    )
    rewards_cents = serializers.IntegerField(source="rewards", allow_null=True)
    fees_cents = serializers.IntegerField(source="fees", allow_null=True)
    is_enough = serializers.BooleanField(help_text="whether the balance covers the cost")


class RecruitingSerializer(serializers.Serializer[object]):
    """The study on Prolific, its cost and balance, as far as Prolific answers."""

    is_connected = serializers.BooleanField(help_text="whether the caller’s account is connected")
    problem = serializers.CharField(help_text="why there is less than all of it; else empty")
    study = StudyOnProlificSerializer(allow_null=True)
    is_gone = serializers.BooleanField(help_text="deleted on Prolific, or out of sight")
    money = MoneySerializer(allow_null=True)
    submissions = serializers.DictField(
        child=serializers.IntegerField(), help_text="on Prolific, by status"
    )
    against_publishing = serializers.ListField(child=serializers.CharField())
    gets_events = serializers.BooleanField()
    last_event_at = serializers.DateTimeField(allow_null=True)
    submissions_read_at = serializers.DateTimeField(allow_null=True, help_text="by a worker")
    step = serializers.CharField(help_text="asked for, and not known to be done; empty for none")
    earlier = serializers.CharField(allow_null=True, help_text="whose people are invited")
    who = serializers.CharField(help_text="of its people")
    let_in = serializers.IntegerField(allow_null=True, help_text="people that Prolific lets in")


class DraftSerializer(OptionsSerializer):
    """A draft on Prolific. Its link and codes come from the study here."""

    options = DraftOptions
    called = {"reward": "reward_cents"}


class WaveQuery(serializers.Serializer[object]):
    """People of an earlier study."""

    earlier = serializers.CharField(max_length=100, help_text="slug@version of another study")
    who = serializers.ChoiceField(
        choices=Recruitment.Who.choices, default=Recruitment.Who.COMPLETED.value
    )


class NewDraftSerializer(DraftSerializer):
    """A new draft, for anyone on Prolific or for people of an earlier study."""

    earlier = serializers.CharField(
        max_length=100, default="", allow_blank=True, help_text="slug@version; empty for anyone"
    )
    who = serializers.ChoiceField(
        choices=Recruitment.Who.choices, default=Recruitment.Who.COMPLETED.value
    )


class ShownDraftSerializer(serializers.Serializer[dict[str, Any]]):
    """The draft on Prolific, or what a new one begins with."""

    is_on_prolific = serializers.BooleanField()
    name = serializers.CharField()
    description = serializers.CharField()
    places = serializers.IntegerField(allow_null=True)
    reward_cents = serializers.IntegerField(allow_null=True)
    minutes = serializers.IntegerField()
    devices = serializers.ListField(child=serializers.CharField())
    review = serializers.CharField()
    sensitive = serializers.BooleanField()
    warning = serializers.CharField()


class CostSerializer(serializers.Serializer[object]):
    """The cost that was shown: publishing spends no other."""

    cost_cents = serializers.IntegerField(min_value=0)


class PlacesSerializer(OptionsSerializer):
    """A new total of places."""

    options = PlacesOptions


class ProlificStepSerializer(serializers.Serializer[object]):
    """What a step has changed, and the study on Prolific after it."""

    changed = serializers.BooleanField(help_text="false if Prolific had it already")
    said = serializers.CharField()
    warning = serializers.CharField(help_text="what did not work beside it; else empty")
    study = StudyOnProlificSerializer(source="theirs")


class ReasonSerializer(serializers.Serializer[object]):
    """Why some people are not invited."""

    reason = serializers.CharField()
    people = serializers.IntegerField()


class WaveSerializer(serializers.Serializer[object]):
    """Whom a second wave would invite, as counts."""

    earlier = serializers.CharField()
    who = serializers.CharField()
    invited = serializers.IntegerField(help_text="so many places there can be at most")
    left_out = ReasonSerializer(many=True)
    analysed_at = serializers.DateTimeField(
        allow_null=True, help_text="the analysis that says who is included"
    )


class EarlierStudySerializer(serializers.Serializer[object]):
    """Another study here that people from Prolific took part in."""

    name = serializers.CharField(help_text="slug@version")
    title = serializers.CharField()


class CodeSerializer(serializers.Serializer[object]):
    """An ending of the survey with its code, and what Prolific should do about it."""

    ending = serializers.CharField()
    heading = serializers.CharField()
    people = serializers.IntegerField(allow_null=True, help_text="null: they are not stored")
    code = serializers.CharField(allow_null=True)
    code_type = serializers.CharField()
    action = serializers.CharField(help_text="that we recommend")
    why = serializers.CharField()


class AppliedSerializer(serializers.Serializer[Applied]):
    """What lists of submissions have changed, by pseudonym."""

    returned = serializers.ListField(child=serializers.CharField())
    back = serializers.ListField(
        child=serializers.CharField(), help_text="no longer marked as returned"
    )
    slots_freed = serializers.ListField(child=serializers.CharField(), source="freed")
    slots_given_back = serializers.ListField(child=serializers.CharField(), source="placed")
    timed_out_but_completed = serializers.ListField(
        child=serializers.CharField(), source="completed", help_text="left as they are"
    )
    unknown = serializers.IntegerField(help_text="of the lists, not known here")
    with_another_submission = serializers.IntegerField(source="elsewhere")


class SubmissionsReadSerializer(serializers.Serializer[object]):
    """What was read, and what it has changed."""

    read = serializers.ListField(child=serializers.CharField(), help_text="the lists")
    submissions = serializers.IntegerField(help_text="in the lists")
    notices = serializers.ListField(child=serializers.CharField())
    applied = AppliedSerializer(
        allow_null=True, help_text="null: the lists are long, and a worker takes them in"
    )


class UploadSerializer(JobRow, serializers.ModelSerializer[SubmissionUpload]):
    """Lists of submissions that are left to a worker."""

    read = serializers.SerializerMethodField(help_text="the lists")
    submissions = serializers.IntegerField(help_text="in the lists")
    says = serializers.ListField(child=serializers.CharField(), help_text="what they have changed")

    class Meta:
        model = SubmissionUpload
        fields = [
            *("id", "state", "error", "requested_at", "finished_at"),
            *("read", "submissions", "says"),
        ]

    def get_read(self, upload: SubmissionUpload) -> list[str]:
        """The names of the files."""
        return [name for name, _ in upload.files]


class LongListsSerializer(serializers.Serializer[object]):
    """The newest lists that were left to a worker; null where none were."""

    upload = UploadSerializer(allow_null=True)


class SubmissionListsSerializer(serializers.Serializer[object]):
    """Lists of submissions as Prolific exports them."""

    file = serializers.ListField(child=serializers.FileField(allow_empty_file=True), min_length=1)


class ImportedQuestionSerializer(serializers.Serializer[object]):
    """A question that takes its answers from Prolific."""

    name = serializers.CharField()
    column = serializers.CharField(help_text="of the export")
    imported = serializers.IntegerField(help_text="answers so far")


class DemographicsSerializer(serializers.Serializer[object]):
    """The questions that take their answers from Prolific, and what was imported."""

    questions = ImportedQuestionSerializer(many=True)
    imported_at = serializers.DateTimeField(allow_null=True)
    imported_by = serializers.CharField(allow_null=True, help_text="null also for a command")


class NewDemographicsSerializer(OptionsSerializer):
    """A demographic export as a file, or read from Prolific."""

    options = DemographicsOptions


class ImportedSerializer(serializers.Serializer[object]):
    """What an export has changed, or would change."""

    preview = serializers.BooleanField()
    people = serializers.IntegerField(help_text="found here")
    added = serializers.IntegerField()
    replaced = serializers.IntegerField()
    removed = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    own = serializers.IntegerField(help_text="answered here by the participants: left as they are")
    unknown = serializers.IntegerField(help_text="rows about nobody who came here")
    without_consent = serializers.IntegerField()
    contradictory = serializers.IntegerField(
        help_text="rows whose submission came here with another person"
    )
    notices = serializers.ListField(child=serializers.CharField())


def time_of_events(recruitment: Recruitment | None) -> datetime | None:
    """When Prolific last sent an event of the study's workspace."""
    events = recruitment.events if recruitment else None
    return events.last_event_at if events else None
