"""What the bonuses that are chosen cost, as Prolific computes it, and the balance."""

from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User

from dashboard.accounts.prolific import NotConnected, client_of
from dashboard.prolific.money import money_of
from dashboard.prolific.steps import recruitment_of
from dashboard.prolific.terms import in_money
from survey.models import Study
from survey.prolific.errors import ProlificError


@dataclass(frozen=True)
class BonusCost:
    """In cents, with fees and taxes, as far as Prolific says; `reward` is that of its study."""

    total: int = 0
    available: int = 0
    currency: str = ""
    reward: int | None = None
    #: Why there is nothing of it.
    problem: str = ""

    @property
    def is_enough(self) -> bool:
        """Whether the balance covers the cost."""
        return self.total <= self.available

    @property
    def in_words(self) -> dict[str, str]:
        """The amounts with their currency."""
        amounts = {"total": self.total, "available": self.available}
        return {name: in_money(cents, self.currency) for name, cents in amounts.items()}


def bonus_cost(study: Study, user: User, bonus_cents: int) -> BonusCost:
    """Ask Prolific what bonuses of so many cents cost. Raises nothing."""
    recruitment = recruitment_of(study, settings.PROLIFIC_URL)
    try:
        with client_of(user) as client:
            theirs = None
            if recruitment is not None and recruitment.prolific_study_id:
                theirs = client.study(recruitment.prolific_study_id)
            money = money_of(client, theirs)
            cost = client.cost(reward=bonus_cents, places=1) if bonus_cents else 0
    except (NotConnected, ProlificError) as why:
        return BonusCost(problem=str(why))
    if money is None:
        return BonusCost(problem="Your account on Prolific has no workspace.")
    return BonusCost(cost, money.available, money.currency, theirs.reward if theirs else None)
