"""What the API says and takes of submissions and payments. Amounts are in cents of the currency."""

from rest_framework import serializers

from dashboard.api.option_serializers import OptionsSerializer
from dashboard.payments.bonus_cost import BonusCost
from dashboard.payments.confirming import ConfirmOptions
from dashboard.payments.models import SubmissionDecision
from dashboard.payments.orders import LONGEST_TEXT
from dashboard.payments.proposals import RULES
from dashboard.payments.settling import SAID
from dashboard.payments.single import DecideOptions
from dashboard.prolific.terms import MOST_CENTS, Terms
from survey.definition.policy import SIGNS


class MadeSerializer(serializers.Serializer[object]):
    """A decision about a submission that is in force."""

    kind = serializers.CharField()
    purpose = serializers.CharField()
    state = serializers.CharField()
    cents = serializers.IntegerField(allow_null=True)


class CaseSerializer(serializers.Serializer[object]):
    """A submission on Prolific beside its person here. There are no IDs of Prolific's."""

    submission = serializers.IntegerField(allow_null=True, help_text="null: not on Prolific")
    participant = serializers.CharField(source="pseudonym", help_text="empty: nobody here")
    status = serializers.CharField()
    code = serializers.CharField(help_text="what was entered; empty for none")
    code_of = serializers.CharField(help_text="the ending whose code it is")
    here = serializers.CharField(help_text="the ending here; empty for nobody")
    started_at = serializers.DateTimeField(allow_null=True)
    completed_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True, help_text="here")
    minutes_there = serializers.FloatField(allow_null=True)
    minutes_here = serializers.FloatField(allow_null=True)
    checks_failed = serializers.IntegerField()
    excluded = serializers.CharField(help_text="why the analysis excludes them; empty if not")
    sessions = serializers.IntegerField()
    mismatches = serializers.ListField(child=serializers.CharField())
    decisions = MadeSerializer(source="made", many=True)


class DecisionSerializer(serializers.ModelSerializer[SubmissionDecision]):
    """A decision and its state."""

    class Meta:
        model = SubmissionDecision
        fields = [
            *("id", "order", "submission", "kind", "purpose", "reason", "text", "category"),
            *("cents", "state", "asked_at", "done_at", "answer"),
        ]


class SubmissionSerializer(CaseSerializer):
    """A submission with all decisions about it, also those that were refused; newest first."""

    history = DecisionSerializer(many=True)


class DecideSerializer(OptionsSerializer):
    """A decision by hand about a submission."""

    options = DecideOptions
    called = {"amount": "amount_cents"}


class ProposalSerializer(serializers.Serializer[object]):
    """What a rule proposes about a submission."""

    key = serializers.CharField(help_text="names it in `decisions`")
    submission = serializers.IntegerField()
    participant = serializers.CharField()
    rule = serializers.CharField()
    kind = serializers.CharField()
    cents = serializers.IntegerField(allow_null=True)
    why = serializers.CharField()
    is_chosen = serializers.BooleanField(help_text="whether the page has it ticked")


class ProposalsQuery(serializers.Serializer[object]):
    """Which proposals are asked for."""

    rule = serializers.ChoiceField(choices=list(RULES), required=False)


class ProposalGroupSerializer(serializers.Serializer[object]):
    """The proposals of a rule."""

    rule = serializers.CharField()
    kind = serializers.CharField()
    heading = serializers.CharField()
    text = serializers.CharField(help_text="what participants are told; `texts` changes it")
    proposals = serializers.IntegerField()
    chosen = serializers.IntegerField(help_text="ticked on the page")
    cents = serializers.IntegerField(allow_null=True, help_text="each; `amounts` changes it")
    sum_cents = serializers.IntegerField(help_text="of those that are chosen")


class ProgressSerializer(serializers.Serializer[object]):
    """What was confirmed at once, and what has become of it."""

    # Of an `OrderProgress`.
    order = serializers.IntegerField(source="order.pk")
    confirmed_at = serializers.DateTimeField(source="order.confirmed_at")
    author = serializers.CharField(source="order.author", allow_null=True)
    by_hand = serializers.BooleanField(source="order.by_hand")
    finished_at = serializers.DateTimeField(source="order.finished_at", allow_null=True)
    problem = serializers.CharField(source="order.problem")
    bonus_cents = serializers.IntegerField()
    paid_cents = serializers.IntegerField(help_text="of the bonuses that are done")
    counts = serializers.DictField(
        child=serializers.DictField(child=serializers.IntegerField()),
        help_text="decisions by kind and state",
    )


class BonusCostSerializer(serializers.Serializer[BonusCost]):
    """What the bonuses that are chosen cost, as far as Prolific says."""

    total_cents = serializers.IntegerField(source="total", help_text="with fees and taxes")
    available_cents = serializers.IntegerField(source="available", help_text="the balance")
    currency = serializers.CharField()
    is_enough = serializers.BooleanField()
    problem = serializers.CharField(help_text="why there is nothing of it; else empty")


class PaymentsSerializer(serializers.Serializer[object]):
    """What the rules propose now."""

    currency = serializers.CharField()
    hourly_pay = serializers.CharField(allow_null=True, help_text="the arithmetic")
    groups = ProposalGroupSerializer(many=True)
    bonus_cents = serializers.IntegerField(help_text="of the proposals that are chosen")
    reward_cents = serializers.IntegerField(
        allow_null=True, help_text="of the approvals that are chosen; null without a known reward"
    )
    cost = BonusCostSerializer()


class ConfirmSerializer(OptionsSerializer):
    """Proposals to confirm: their keys, and the sum of their bonuses, as a check."""

    options = ConfirmOptions
    decisions = serializers.ListField(child=serializers.CharField(max_length=100), min_length=1)
    bonus_cents = serializers.IntegerField(min_value=0)
    texts = serializers.DictField(
        child=serializers.CharField(max_length=LONGEST_TEXT),
        required=False,
        help_text="what participants are told, by rule",
    )
    amounts = serializers.DictField(
        child=serializers.IntegerField(max_value=MOST_CENTS, min_value=-MOST_CENTS),
        required=False,
        help_text="cents each, by rule",
    )


class SettleSerializer(serializers.Serializer[object]):
    """What became of decisions whose outcome is not known."""

    what = serializers.ChoiceField(choices=list(SAID))
    decisions = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=10**18),
        min_length=1,
        help_text="their ids",
    )


class TermsSerializer(OptionsSerializer):
    """What the study promises its participants; null promises nothing."""

    options = Terms
    currency = serializers.ChoiceField(choices=list(SIGNS))
    called = {name: f"{name}_cents" for name in Terms.model_fields if name != "currency"}
