"""Submissions, proposals and payments by the API: what the pages show, and confirming it."""

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED
from rest_framework.views import APIView

from dashboard.accounts.prolific import account_of
from dashboard.api.pagination import Pagination
from dashboard.api.parameters import STUDY
from dashboard.payments.case import MISMATCHES, Case, is_chosen
from dashboard.payments.cases import cases_of
from dashboard.payments.forms import SubmissionFilter
from dashboard.payments.models import PaymentOrder, SubmissionDecision
from dashboard.payments.orders import OrderRefused, chosen_of, confirm, terms_of
from dashboard.payments.progress import orders_of, progress
from dashboard.payments.screen import Screen, screen_of
from dashboard.payments.terms import AmountRefused
from dashboard.shared.access import study_or_404
from dashboard.shared.pages import try_to_wake


class MadeSerializer(serializers.Serializer[object]):
    """A decision about a submission that is in force."""

    kind = serializers.CharField()
    purpose = serializers.CharField()
    state = serializers.CharField()
    cents = serializers.IntegerField(allow_null=True)


class CaseSerializer(serializers.Serializer[Case]):
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


class CaseList(APIView):
    """Every submission that was read beside its person, and people without one."""

    pagination_class = Pagination

    @extend_schema(
        responses=CaseSerializer(many=True),
        parameters=[
            STUDY,
            OpenApiParameter("mismatch", str, enum=["any", "none", *MISMATCHES]),
            OpenApiParameter("status", str, description="on Prolific, such as `APPROVED`"),
        ],
    )
    def get(self, request: Request, name: str) -> Response:
        form = SubmissionFilter(request.query_params)
        if not form.is_valid():
            raise ValidationError({name: list(map(str, form.errors[name])) for name in form.errors})
        chosen = form.cleaned_data["mismatch"], form.cleaned_data["status"]
        cases = [case for case in cases_of(study_or_404(name)) if is_chosen(case, *chosen)]
        pages = self.pagination_class()
        page = pages.paginate_queryset(cases, request, view=self) or []
        return pages.get_paginated_response(CaseSerializer(page, many=True).data)  # type: ignore[arg-type]  # a list


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


class ProgressSerializer(serializers.Serializer[object]):
    """What was confirmed at once, and what has become of it."""

    order = serializers.IntegerField()
    confirmed_at = serializers.DateTimeField()
    author = serializers.CharField(allow_null=True)
    by_hand = serializers.BooleanField()
    finished_at = serializers.DateTimeField(allow_null=True)
    problem = serializers.CharField()
    bonus_cents = serializers.IntegerField()
    paid_cents = serializers.IntegerField(help_text="of the bonuses that are done")
    counts = serializers.DictField(
        child=serializers.DictField(child=serializers.IntegerField()),
        help_text="decisions by kind and state",
    )


class PaymentsSerializer(serializers.Serializer[object]):
    """What the rules propose now, and what was confirmed. Amounts are in cents."""

    currency = serializers.CharField()
    hourly_pay = serializers.CharField(allow_null=True, help_text="the arithmetic")
    proposals = ProposalSerializer(many=True)
    bonus_cents = serializers.IntegerField(help_text="of the proposals that are chosen")
    orders = ProgressSerializer(many=True)


class ConfirmSerializer(serializers.Serializer[object]):
    """Proposals to confirm: their keys, and the sum of their bonuses, as a check."""

    decisions = serializers.ListField(child=serializers.CharField(max_length=100), min_length=1)
    bonus_cents = serializers.IntegerField(min_value=0)
    by_hand = serializers.BooleanField(
        required=False, help_text="default: whether the caller's account has no Prolific token"
    )


class DecisionSerializer(serializers.ModelSerializer[SubmissionDecision]):
    """A decision and its state."""

    class Meta:
        model = SubmissionDecision
        fields = [
            *("submission", "kind", "purpose", "reason", "cents", "state"),
            *("asked_at", "done_at", "answer"),
        ]


class OrderSerializer(ProgressSerializer):
    """An order with its decisions."""

    decisions = DecisionSerializer(many=True)


def _progress(order: PaymentOrder) -> dict[str, object]:
    made = progress(order)
    return {
        "order": order.pk,
        "confirmed_at": order.confirmed_at,
        "author": order.author.get_username() if order.author else None,
        "by_hand": order.by_hand,
        "finished_at": order.finished_at,
        "problem": order.problem,
        "bonus_cents": made.bonus_cents,
        "paid_cents": made.paid_cents,
        "counts": made.counts,
    }


def _proposals(screen: Screen) -> Sequence[dict[str, object]]:
    return [
        {
            "key": line.proposal.key,
            "submission": line.proposal.submission,
            "participant": line.case.pseudonym,
            "rule": line.proposal.rule,
            "kind": line.proposal.kind,
            "cents": line.proposal.cents,
            "why": line.proposal.why,
            "is_chosen": line.is_chosen,
        }
        for group in screen.groups
        for line in group.lines
    ]


class Payments(APIView):
    """What may be done about submissions, and what was confirmed."""

    @extend_schema(parameters=[STUDY], responses=PaymentsSerializer)
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        screen = screen_of(cases_of(study), terms_of(study))
        content = {
            "currency": screen.terms.currency,
            "hourly_pay": screen.hourly.in_words if screen.hourly else None,
            "proposals": _proposals(screen),
            "bonus_cents": screen.bonus_cents,
            "orders": [_progress(order) for order in orders_of(study)],
        }
        return Response(PaymentsSerializer(content).data)

    @extend_schema(
        parameters=[STUDY], request=ConfirmSerializer, responses={201: ProgressSerializer}
    )
    def post(self, request: Request, name: str) -> Response:
        """Confirm proposals by their keys, all or none. A worker carries them out with the token
        of the caller's account; without one, they are carried out by hand. 400 says why nothing
        was confirmed.
        """
        study, author = study_or_404(name), request.user
        assert isinstance(author, User)  # the API admits no one else
        form = ConfirmSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        sent = form.validated_data
        screen = screen_of(cases_of(study), terms_of(study), chosen=set(sent["decisions"]))
        if screen.unknown:
            raise ValidationError({"decisions": [f"not proposed: {', '.join(screen.unknown)}"]})
        if sent["bonus_cents"] != screen.bonus_cents:
            raise ValidationError({"bonus_cents": [f"their bonuses are {screen.bonus_cents}"]})
        is_connected = account_of(author) is not None
        try:
            order = confirm(
                study=study,
                decisions=chosen_of(screen),
                author=author,
                by_hand=sent.get("by_hand", False) or not is_connected,
                at=timezone.now(),
            )
        except (OrderRefused, AmountRefused) as refusal:
            raise ValidationError({"decisions": [str(refusal)]}) from None
        if not order.by_hand:
            try_to_wake("dashboard.pay", order.pk)
        return Response(ProgressSerializer(_progress(order)).data, status=HTTP_201_CREATED)


class PaymentOrderDetail(APIView):
    """What was confirmed at once, decision by decision."""

    @extend_schema(
        operation_id="studies_payment_orders_retrieve",
        parameters=[STUDY],
        responses=OrderSerializer,
    )
    def get(self, request: Request, name: str, order: int) -> Response:
        study = study_or_404(name)
        row = orders_of(study).filter(pk=order).first()
        if row is None:
            raise NotFound(f"{study} has no payment order {order}.")
        content = {**_progress(row), "decisions": row.decisions.all()}
        return Response(OrderSerializer(content).data)
