"""The dashboard's tables, each in the room it belongs to. Here Django looks for them."""

from dashboard.accounts.models import ProlificAccount
from dashboard.design.models import PlannedGrid
from dashboard.payments.models import BonusRequest, PaymentOrder, PayTerms, SubmissionDecision
from dashboard.prolific.models import Recruitment
from dashboard.raters.models import SubmissionOnProlific
from dashboard.share.models import Package
from dashboard.shared.models import ChunkCounts

__all__ = [
    "BonusRequest",
    "ChunkCounts",
    "Package",
    "PayTerms",
    "PaymentOrder",
    "PlannedGrid",
    "ProlificAccount",
    "Recruitment",
    "SubmissionDecision",
    "SubmissionOnProlific",
]
