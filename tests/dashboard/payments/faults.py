"""What tests of carrying out decisions share: how time passes, and which requests get a fault."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.payments.models import PaymentOrder

PAY, SET_UP = "POST bulk-bonus-payments/*", "POST submissions/bonus-payments/"
APPROVE = "POST submissions/bulk-approve/"
LONG = "You failed both attention checks, each of which stated the answer to choose. " * 2


def hasten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker gives up after a second, as it does after minutes."""
    monkeypatch.setattr("survey.prolific.exchange.ANSWER_SECONDS", 0.3)
    monkeypatch.setattr("dashboard.payments.carrying_out.CLIENT_SECONDS", 1.0)


def later(order: PaymentOrder, **ago: float) -> None:
    """Let time pass since the order's decisions were asked for."""
    past = timezone.now() - timedelta(**ago)
    asked = order.decisions.exclude(asked_at=None)
    asked.update(asked_at=past)
    asked.exclude(accepted_at=None).update(accepted_at=past)


pytestmark = pytest.mark.e2e  # a server answers
