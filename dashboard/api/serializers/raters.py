"""Raters: their indices, records and ratings, and decisions about them."""

from typing import Any

from rest_framework import serializers

from analysis.manual_decisions import DecisionOptions
from analysis.models import ManualDecision
from dashboard.api.option_serializers import OptionsSerializer
from dashboard.api.serializers.columns import rows_of
from dashboard.api.serializers.results import RunSerializer, StateOfRunSerializer
from dashboard.raters.attempts import AnsweredQuestion, TrainingRating
from dashboard.raters.decisions import DecidedRaters
from dashboard.raters.rater_answers import CheckAnswer, RaterAnswer
from dashboard.raters.rater_record import RaterRecord
from dashboard.raters.timeline import SeenPage
from dashboard.raters.verdicts import Verdict
from dashboard.raters.writing import Written
from survey.models import Participant, Rating
from survey.paradata import WRITING
from survey.tidy import seconds_between


class RaterSerializer(
    rows_of(  # type: ignore[misc]  # made from the catalogue
        "raters", "participant", "n_ratings", "duration_seconds", "sigma", "mae", "included",
        "exclusion",
    )
):  # fmt: skip
    """A rater's indices, and the rule that excluded them, if any."""

    source = serializers.ChoiceField(choices=Participant.Source.choices)
    flags = serializers.CharField(
        default="", help_text="rules by which the writing of free answers is flagged"
    )
    value = serializers.JSONField(help_text="what the rule measured, by name")
    threshold = serializers.JSONField(help_text="what the rule allows, by name")


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
    repeat = serializers.IntegerField(
        source="presentation.repeat", help_text="1 for the first time the response was judged"
    )

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
            "repeat",
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


class SeenPageSerializer(serializers.Serializer[SeenPage]):
    """A page as the rater saw it. Seconds are null where they are not known."""

    page = serializers.IntegerField(allow_null=True, help_text="0 is consent; null: not known")
    name = serializers.CharField()
    shown_at = serializers.DateTimeField(allow_null=True)
    answered_at = serializers.DateTimeField(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)
    median = serializers.FloatField(allow_null=True, help_text="of others who completed")
    visible_seconds = serializers.FloatField(allow_null=True)
    hidden_seconds = serializers.FloatField(allow_null=True)
    focus_losses = serializers.IntegerField(allow_null=True)
    away_before = serializers.FloatField(allow_null=True, help_text="seconds since the page before")
    changes = serializers.IntegerField(allow_null=True, help_text="before the page was sent")
    revisions = serializers.IntegerField(help_text="after it was sent")


class AnsweredQuestionSerializer(serializers.Serializer[AnsweredQuestion]):
    """An answer about the instructions."""

    attempt = serializers.IntegerField()
    question = serializers.CharField()
    answer = serializers.CharField()
    right = serializers.CharField()
    passed = serializers.BooleanField()


class TrainingRatingSerializer(serializers.Serializer[TrainingRating]):
    """A rating in training, which counts in no table."""

    item = serializers.CharField()
    attempt = serializers.IntegerField()
    response = serializers.IntegerField()
    dimension = serializers.CharField()
    rating = serializers.FloatField()
    expected = serializers.ListField(
        child=serializers.FloatField(), help_text="the least and the largest"
    )
    within = serializers.BooleanField()


class CheckAnswerSerializer(serializers.Serializer[CheckAnswer]):
    """An attention check."""

    check = serializers.CharField(source="check.name")
    statement = serializers.CharField()
    answer = serializers.CharField()
    right = serializers.CharField()
    passed = serializers.BooleanField(source="check.passed", allow_null=True)
    revisions = serializers.IntegerField(source="check.revisions")


class RaterAnswerSerializer(serializers.Serializer[RaterAnswer]):
    """A rating, rank or choice; names are labels."""

    block_position = serializers.IntegerField(allow_null=True)
    block = serializers.CharField()
    response_position = serializers.IntegerField(allow_null=True)
    model = serializers.CharField()
    condition = serializers.CharField()
    dimension = serializers.CharField()
    value = serializers.CharField(help_text="such as `4`, `rank 2` or `best`")
    gold = serializers.FloatField(allow_null=True)
    others = serializers.FloatField(allow_null=True, help_text="mean of the other included raters")
    revisions = serializers.IntegerField()


class WrittenSerializer(serializers.Serializer[Written]):
    """A free answer, how it was written, and the rules that flag it. A flag excludes nobody."""

    question = serializers.CharField()
    place = serializers.CharField()
    text = serializers.CharField(source="answer.text")
    is_recorded = serializers.BooleanField(help_text="whether how it was written is known")
    characters = serializers.IntegerField()
    counted = serializers.SerializerMethodField(help_text="what was counted, by name")
    flags = serializers.SerializerMethodField(help_text="names of the rules that flag it")

    def get_counted(self, written: Written) -> dict[str, float | None]:
        return {name: getattr(written.answer, name) for name in WRITING}

    def get_flags(self, written: Written) -> list[str]:
        return [rule.name for rule in written.flags]


class VerdictSerializer(serializers.Serializer[Verdict]):
    """What a rule says of a rater."""

    rule = serializers.CharField()
    measured = serializers.CharField()
    excludes = serializers.CharField(help_text="whom the rule excludes")
    verdict = serializers.CharField()


class DecisionOnRaterSerializer(serializers.ModelSerializer[ManualDecision]):
    """A decision of researchers; the newest one about a rater applies."""

    rater = serializers.CharField(source="participant.pseudonym")
    author = serializers.CharField(
        source="author.username", default=None, allow_null=True, help_text="null: a command"
    )

    class Meta:
        model = ManualDecision
        fields = ["id", "rater", "excluded", "reason", "author", "at"]


class RaterRecordSerializer(serializers.Serializer[RaterRecord]):
    """All that is stored about a rater."""

    participant = serializers.CharField(source="person.pseudonym", help_text="pseudonym")
    source = serializers.ChoiceField(  # type: ignore[assignment]  # a field by this name
        source="person.source", choices=Participant.Source.choices
    )
    status = serializers.CharField(source="person.status")
    arrived_at = serializers.DateTimeField(source="person.arrived_at")
    finished_at = serializers.DateTimeField(source="person.finished_at", allow_null=True)
    returned_at = serializers.DateTimeField(source="person.returned_at", allow_null=True)
    other_browser_at = serializers.DateTimeField(
        allow_null=True,
        help_text="arrival of a browser that went on with the survey by their Prolific ID, and "
        "brought none of their submissions: later pages may be from it; null: there was none",
    )
    device = serializers.CharField(source="person.device")
    language = serializers.CharField(source="person.language")
    slot = serializers.IntegerField(source="person.slot", allow_null=True)
    run = RunSerializer(source="analysed.run", allow_null=True)
    indices = serializers.SerializerMethodField(help_text="in that analysis, by name; or null")
    included = serializers.SerializerMethodField(help_text="in that analysis; null: not in it")
    excluded_by = serializers.CharField(source="analysed.excluded_by", help_text="rule, or empty")
    verdicts = VerdictSerializer(source="analysed.verdicts", many=True)
    is_excluded = serializers.BooleanField(help_text="by a decision, whatever the rules say")
    decisions = DecisionOnRaterSerializer(many=True)
    pages = SeenPageSerializer(many=True)
    comprehension = AnsweredQuestionSerializer(many=True)
    training = TrainingRatingSerializer(many=True)
    checks = CheckAnswerSerializer(many=True)
    answers = RaterAnswerSerializer(many=True)
    texts = WrittenSerializer(many=True)
    about = serializers.SerializerMethodField(help_text="what they said of themselves, by question")

    def get_indices(self, record: RaterRecord) -> dict[str, Any] | None:
        quality = record.analysed.quality
        return quality.indices if quality else None

    def get_included(self, record: RaterRecord) -> bool | None:
        quality = record.analysed.quality
        return quality.included if quality else None

    def get_about(self, record: RaterRecord) -> dict[str, str]:
        return {question: str(answer) for question, answer in record.about}


class DecideOnRatersSerializer(OptionsSerializer):
    """Raters to exclude from every analysis, or to let count again, and why."""

    options = DecisionOptions
    raters = serializers.ListField(
        child=serializers.CharField(max_length=200), allow_empty=False, help_text="pseudonyms"
    )


class DecidedSerializer(serializers.Serializer[DecidedRaters]):
    """Whom a decision changed, and the analysis that follows it."""

    changed = serializers.SerializerMethodField(help_text="pseudonyms")
    run = StateOfRunSerializer()

    def get_changed(self, decided: DecidedRaters) -> list[str]:
        return [person.pseudonym for person in decided.changed]
