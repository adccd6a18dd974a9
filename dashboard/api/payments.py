"""Submissions, proposals and payments by the API: what the pages show and do."""

from functools import partial

from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_200_OK, HTTP_201_CREATED

from dashboard.api.pagination import Computed, Keyset, Stored, in_pages
from dashboard.api.parameters import STUDY, read_sent, sent_by, user_of
from dashboard.api.prolific import taken_from_files
from dashboard.api.refusals import checked
from dashboard.api.routes import ListRoute, Route
from dashboard.api.serializers.payments import (
    CaseSerializer,
    ConfirmSerializer,
    DecideSerializer,
    DecisionSerializer,
    PaymentsSerializer,
    ProgressSerializer,
    ProposalSerializer,
    ProposalsQuery,
    SettleSerializer,
    SubmissionSerializer,
    TermsSerializer,
)
from dashboard.api.serializers.prolific import SubmissionListsSerializer, SubmissionsReadSerializer
from dashboard.payments.bonus_cost import bonus_cost
from dashboard.payments.case import MISMATCHES, is_chosen
from dashboard.payments.case_index import ListedPlaces, index_of
from dashboard.payments.cases import case_or_404, cases_at, row_or_404
from dashboard.payments.confirming import confirm_screen
from dashboard.payments.forms import SubmissionFilter
from dashboard.payments.models import PaymentOrder
from dashboard.payments.progress import order_or_404, orders_of, progress, progress_of
from dashboard.payments.proposals import RULES
from dashboard.payments.proposing import lines_of, proposed_of
from dashboard.payments.screen import Line, Selection
from dashboard.payments.settling import LISTS, ChosenLines, download, settle_chosen
from dashboard.payments.single import decide_by_hand
from dashboard.prolific.pay_terms import promise, terms_of
from dashboard.shared.access import study_or_404
from dashboard.shared.csv_files import csv_file
from dashboard.shared.pages import try_to_wake
from dashboard.shared.roles import Needs, Permission

SUBMISSION = OpenApiParameter("submission", int, OpenApiParameter.PATH)
ORDER = OpenApiParameter("order", int, OpenApiParameter.PATH)


# ── Submissions ──────────────────────────────────────────────────────────────────────────────────


class CaseList(ListRoute):
    """Every submission that was read beside its person, and people without one."""

    needs = Needs(Permission.IDENTIFY, Permission.IDENTIFY)
    parser_classes = [MultiPartParser]

    @extend_schema(
        responses=CaseSerializer(many=True),
        parameters=[
            STUDY,
            OpenApiParameter("mismatch", str, enum=["any", "none", *MISMATCHES]),
            OpenApiParameter("status", str, description="on Prolific, such as `APPROVED`"),
        ],
    )
    def get(self, request: Request, name: str) -> Response:
        form = checked(SubmissionFilter(request.query_params))
        chosen = form.cleaned_data["mismatch"], form.cleaned_data["status"]
        study = study_or_404(name)
        places = index_of(study).places_by_id(lambda case: is_chosen(case, *chosen))
        return in_pages(request, Computed(places), CaseSerializer, made=partial(cases_at, study))

    @extend_schema(
        operation_id="studies_submissions_upload",
        parameters=[STUDY],
        request={"multipart/form-data": SubmissionListsSerializer},
        responses={200: SubmissionsReadSerializer, 202: SubmissionsReadSerializer},
    )
    def post(self, request: Request, name: str) -> Response:
        """Take in lists of submissions that were exported on Prolific: all of them, or nothing
        where a line is wrong. The same once more changes nothing. Long lists are left to a worker
        (202).
        """
        return taken_from_files(request, name)


class CaseDetail(Route):
    """A submission beside its person."""

    needs = Needs(Permission.IDENTIFY)

    @extend_schema(
        operation_id="studies_submission_retrieve",
        parameters=[STUDY, SUBMISSION],
        responses=SubmissionSerializer,
    )
    def get(self, request: Request, name: str, submission: int) -> Response:
        study = study_or_404(name)
        case, row = case_or_404(study, submission), row_or_404(study, submission)
        history = DecisionSerializer(row.decisions.order_by("-id"), many=True)
        return Response({**CaseSerializer(case).data, "history": history.data})


class Decide(Route):
    """Decisions by hand about one submission."""

    needs = Needs(change=Permission.RECRUIT)

    @extend_schema(
        parameters=[STUDY, SUBMISSION],
        request=DecideSerializer,
        responses={201: ProgressSerializer},
    )
    def post(self, request: Request, name: str, submission: int) -> Response:
        """Decide by hand: approve, reject, pay a bonus, ask for a return or in a message. The same
        once more is refused: a bonus or a message is for what its reason or text says.
        """
        study = study_or_404(name)
        case = case_or_404(study, submission)
        options = read_sent(request, DecideSerializer).chosen
        order = decide_by_hand(
            study=study, case=case, options=options, author=user_of(request), at=timezone.now()
        )
        return _confirmed(order)


# ── Proposals ────────────────────────────────────────────────────────────────────────────────────


class Payments(Route):
    """What may be done about submissions."""

    needs = Needs(Permission.RECRUIT, Permission.RECRUIT)

    @extend_schema(parameters=[STUDY], responses=PaymentsSerializer)
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        screen = proposed_of(study).screen()
        content = {
            "currency": screen.terms.currency,
            "hourly_pay": screen.hourly.in_words if screen.hourly else None,
            "groups": [
                {
                    "rule": group.rule,
                    "kind": group.about.kind,
                    "heading": group.heading,
                    "text": group.text,
                    "proposals": group.n,
                    "chosen": group.n_picked,
                    "cents": group.cents,
                    "sum_cents": group.sum_cents,
                }
                for group in screen.groups
            ],
            "bonus_cents": screen.bonus_cents,
            "reward_cents": screen.reward_cents,
            "cost": bonus_cost(study, user_of(request), screen.bonus_cents),
        }
        return Response(PaymentsSerializer(content).data)

    @extend_schema(
        parameters=[STUDY], request=ConfirmSerializer, responses={201: ProgressSerializer}
    )
    def post(self, request: Request, name: str) -> Response:
        """Confirm proposals by their keys, all or none. A worker carries them out with the token
        of the caller's account; without one, they are carried out by hand. 400 says why nothing
        was confirmed: the same request once more, for example.
        """
        study, sent = study_or_404(name), read_sent(request, ConfirmSerializer)
        options, selection = sent.chosen, Selection(chosen=set(sent.validated_data["decisions"]))
        proposed = proposed_of(study)
        screen = proposed.screen(selection, texts=options.texts, amounts=options.amounts)
        author = user_of(request)
        return _confirmed(confirm_screen(study, screen, options, author, at=timezone.now()))


class ProposalList(ListRoute):
    """What the rules propose, by rule and submission."""

    needs = Needs(Permission.RECRUIT)

    @extend_schema(parameters=[STUDY, ProposalsQuery], responses=ProposalSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        study, query = study_or_404(name), ProposalsQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        screen, rules = proposed_of(study).screen(), list(RULES)
        # Number of the rule and submission: a place that stays when other proposals are decided.
        places = ListedPlaces(
            [
                (rules.index(group.rule), group.submissions)
                for group in screen.groups
                if asked.get("rule", group.rule) == group.rule
            ]
        )
        pages = Keyset()
        page = pages.page_of(Computed(places), request)
        shown: dict[str, list[int]] = {}
        for number, pk in page:
            shown.setdefault(rules[number], []).append(pk)
        lines = lines_of(study, screen, shown)
        return pages.answer(ProposalSerializer(map(_shown, lines), many=True).data)


def _shown(line: Line) -> dict[str, object]:
    return {
        "key": line.proposal.key,
        "submission": line.proposal.submission,
        "participant": line.case.pseudonym,
        "rule": line.proposal.rule,
        "kind": line.proposal.kind,
        "cents": line.proposal.cents,
        "why": line.proposal.why,
        "is_chosen": line.is_chosen,
    }


class PayTermsDetail(Route):
    """What the study promises its participants: proposals go by it."""

    renamed = TermsSerializer.called
    needs = Needs(Permission.RECRUIT, Permission.RECRUIT)

    @extend_schema(parameters=[STUDY], responses=TermsSerializer)
    def get(self, request: Request, name: str) -> Response:
        terms = terms_of(study_or_404(name)).model_dump()
        called = TermsSerializer.called
        return Response({called.get(key, key): value for key, value in terms.items()})

    @extend_schema(parameters=[STUDY], request=TermsSerializer, responses=TermsSerializer)
    def put(self, request: Request, name: str) -> Response:
        """Promise this in place of what was promised."""
        study, sent = study_or_404(name), read_sent(request, TermsSerializer)
        promise(study, sent.chosen, user_of(request))
        return self.get(request, name)


# ── What was confirmed ───────────────────────────────────────────────────────────────────────────


def _as_sent(order: PaymentOrder, status: int = HTTP_200_OK) -> Response:
    return Response(ProgressSerializer(progress(order)).data, status=status)


def _confirmed(order: PaymentOrder) -> Response:
    """Have a worker carry it out, unless it is done by hand."""
    if not order.by_hand:
        try_to_wake("dashboard.pay", order.pk)
    return _as_sent(order, status=HTTP_201_CREATED)


class PaymentOrderList(ListRoute):
    """What was confirmed, the newest first."""

    needs = Needs(Permission.RECRUIT)

    @extend_schema(parameters=[STUDY], responses=ProgressSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        return in_pages(
            request,
            Stored(orders_of(study_or_404(name)), ["-pk"]),
            ProgressSerializer,
            made=progress_of,
        )


class PaymentOrderDetail(Route):
    """What was confirmed at once, and how far it is."""

    needs = Needs(Permission.RECRUIT)

    @extend_schema(
        operation_id="studies_payment_orders_retrieve",
        parameters=[STUDY, ORDER],
        responses=ProgressSerializer,
    )
    def get(self, request: Request, name: str, order: int) -> Response:
        return _as_sent(order_or_404(study_or_404(name), order))


class PaymentDecisionList(ListRoute):
    """What was confirmed at once, decision by decision."""

    needs = Needs(Permission.RECRUIT)

    @extend_schema(parameters=[STUDY, ORDER], responses=DecisionSerializer(many=True))
    def get(self, request: Request, name: str, order: int) -> Response:
        decisions = order_or_404(study_or_404(name), order).decisions.all()
        return in_pages(request, Stored(decisions, ["pk"]), DecisionSerializer)


class Settle(Route):
    """Decisions whose outcome is not known, or that are carried out by hand."""

    needs = Needs(change=Permission.RECRUIT)

    @extend_schema(
        parameters=[STUDY, ORDER], request=SettleSerializer, responses=ProgressSerializer
    )
    def post(self, request: Request, name: str, order: int) -> Response:
        """Say what became of decisions: `done`; `not_done`, so they are asked for again, unless
        Prolific's record says that a bonus was paid; or `cancel` what nobody was asked for yet.
        """
        study = study_or_404(name)
        row, sent = order_or_404(study, order), sent_by(request, SettleSerializer)
        what, lines = sent["what"], ChosenLines(frozenset(sent["decisions"]))
        author = user_of(request)
        settle_chosen(order=row, lines=lines, what=what, author=author, at=timezone.now())
        if what == "not_done" and not row.by_hand:
            try_to_wake("dashboard.pay", row.pk)
        return _as_sent(order_or_404(study, order))


class PaymentList(Route):
    """Lists of an order by hand, to paste into Prolific."""

    needs = Needs(change=Permission.RECRUIT)

    @extend_schema(
        operation_id="studies_payment_lists_create",
        parameters=[
            STUDY,
            ORDER,
            OpenApiParameter("file", str, OpenApiParameter.PATH, enum=list(LISTS)),
        ],
        request=None,
        responses={(200, "text/csv"): OpenApiTypes.STR},
    )
    def post(self, request: Request, name: str, order: int, file: str) -> HttpResponseBase:
        """The list, as CSV. It has Prolific's IDs, so the log records it; what is in it counts as
        asked for from now on.
        """
        study = study_or_404(name)
        row = order_or_404(study, order)
        text = download(order=row, name=file, author=user_of(request), at=timezone.now())
        return csv_file(f"{study.slug}-{row.pk}-{file}", [text])
