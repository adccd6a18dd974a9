"""A study on a local Prolific with submissions of people who came here, and money to pay them."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from dashboard.accounts.prolific import connect
from dashboard.payments.carrying_out import carry_out
from dashboard.payments.models import PaymentOrder
from dashboard.payments.orders import Chosen, confirm
from dashboard.prolific.pay_terms import change_terms
from dashboard.prolific.submissions import as_listed
from dashboard.prolific.terms import Terms
from dashboard.raters.models import SubmissionOnProlific
from dashboard.raters.submissions import apply_submissions
from examples.local_prolific import TOKEN
from examples.local_prolific.server import LocalProlific, local_prolific
from examples.local_prolific.world import Submission
from survey.models import Study
from survey.prolific.client import ProlificClient
from tests.dashboard.paying import came
from tests.prolific import prolific_id
from tests.survey import small_study

REWARD = 150
THERE = {
    "name": "A study",
    "description": "Rate replies.",
    "external_study_url": "https://ratings.lakeside.edu/s/small/",
    "prolific_id_option": "url_parameters",
    "total_available_places": 50,
    "estimated_completion_time": 10,
    "reward": REWARD,
}


@pytest.fixture
def prolific(settings: Settings, db: None) -> Iterator[LocalProlific]:
    with local_prolific() as server:
        settings.PROLIFIC_URL = server.api_url
        yield server


@pytest.fixture
def study(db: None) -> Study:
    return small_study.load()


class There:
    """The study on Prolific, and what a test does with it."""

    def __init__(self, server: LocalProlific, study: Study, author: User) -> None:
        self.server, self.study, self.author = server, study, author
        self.world = server.world
        self.id = self.world.create_study(THERE)["id"]
        self.world.move_study(self.id, "PUBLISH")
        change_terms(study=study, terms=Terms(reward=REWARD), author=author)

    def add(self, *names: str, status: str = "completed", code: str | None = "DONE1") -> None:
        """People who took the survey, and entered a code on Prolific."""
        for name in names:
            one = Submission(self.id, prolific_id(name), id=prolific_id(f"session of {name}"))
            self.world.submissions[one.id] = one
            self.world.enter_code(one, code)
            came(self.study, name, status=status)
        self.read()

    def read(self) -> None:
        with ProlificClient(TOKEN, base_url=self.server.api_url) as client:
            listed = [as_listed(one, self.id) for one in client.submissions(self.id)]
        apply_submissions(study=self.study, submissions=listed, at=timezone.now())

    def submission(self, name: str) -> Submission:
        return self.world.submissions[prolific_id(f"session of {name}")]

    def decide(self, kind: str, *names: str, cents: int | None = None, **more: str) -> PaymentOrder:
        """Confirm one decision about each of these people."""
        purpose = more.pop("purpose", {"approve": "reward", "reject": "reward"}.get(kind, kind))
        rows = dict(SubmissionOnProlific.objects.values_list("submission_id", "pk"))
        return confirm(
            study=self.study,
            decisions=[
                Chosen(
                    rows[prolific_id(f"session of {name}")],
                    kind,
                    purpose,
                    "a test",
                    cents=cents,
                    **more,
                )
                for name in names
            ],
            author=self.author,
            by_hand=False,
            at=timezone.now(),
        )

    def work(self, order: PaymentOrder, *, turns: int = 1) -> str:
        """Let a worker take turns, with enough time between them: why it goes no further."""
        for _ in range(turns):
            carry_out(order.pk, at=timezone.now() + timedelta(hours=1))
        order.refresh_from_db()
        return order.problem

    def paid(self) -> list[tuple[str, int]]:
        """Every payment, in the order of the ledger."""
        return [(one.submission, one.cents) for one in self.world.ledger]

    def due(self, cents: int, *names: str) -> list[tuple[str, int]]:
        """Payments as the ledger has them."""
        return [(prolific_id(f"session of {name}"), cents) for name in names]


@pytest.fixture
def there(prolific: LocalProlific, study: Study, researcher: User) -> There:
    connect(user=researcher, token=TOKEN)
    return There(prolific, study, researcher)


def states(order: PaymentOrder) -> list[str]:
    return list(order.decisions.order_by("id").values_list("state", flat=True))


def answers(order: PaymentOrder) -> list[str]:
    return list(order.decisions.order_by("id").values_list("answer", flat=True))
