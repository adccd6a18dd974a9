"""The dashboard's tables, each in the room it belongs to. Here Django looks for them."""

from dashboard.accounts.models import ApiToken, ProlificAccount
from dashboard.corpora.models import CorpusJob
from dashboard.design.models import PlannedGrid
from dashboard.notices.models import Follower, Notice
from dashboard.overview.models import MemberInvitation
from dashboard.payments.models import BonusRequest, PaymentOrder, SubmissionDecision
from dashboard.prolific.models import EventSubscription, PayTerms, ReceivedEvent, Recruitment
from dashboard.raters.models import SubmissionOnProlific, SubmissionsRevision
from dashboard.rehearsal.models import Simulation
from dashboard.share.models import Package
from dashboard.shared.models import ChunkCounts, CorpusMembership, Membership

__all__ = [
    "ApiToken",
    "BonusRequest",
    "ChunkCounts",
    "CorpusJob",
    "CorpusMembership",
    "EventSubscription",
    "Follower",
    "MemberInvitation",
    "Membership",
    "Notice",
    "Package",
    "PayTerms",
    "PaymentOrder",
    "PlannedGrid",
    "ProlificAccount",
    "ReceivedEvent",
    "Recruitment",
    "Simulation",
    "SubmissionDecision",
    "SubmissionOnProlific",
    "SubmissionsRevision",
]
