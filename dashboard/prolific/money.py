"""What a study on Prolific costs, and what money there is for it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from survey.prolific.replies import ProlificStudy

if TYPE_CHECKING:
    from survey.prolific.client import ProlificClient


@dataclass(frozen=True)
class Money:
    """The money of the study's workspace, or of the account's first one. In cents."""

    workspace: str
    currency: str
    available: int
    #: Of all places, with fees and taxes; None without a study.
    cost: int | None = None
    rewards: int | None = None

    @property
    def fees(self) -> int | None:
        """Fees and taxes."""
        return None if self.cost is None or self.rewards is None else self.cost - self.rewards

    @property
    def is_enough(self) -> bool:
        """Whether the balance covers the whole cost."""
        return self.cost is None or self.cost <= self.available

    @property
    def in_words(self) -> dict[str, str]:
        """The amounts with their currency; without a study, only `available`."""
        amounts = {
            "available": self.available,
            "cost": self.cost,
            "rewards": self.rewards,
            "fees": self.fees,
        }
        return {
            name: f"{self.currency} {cents / 100:,.2f}".strip()
            for name, cents in amounts.items()
            if cents is not None
        }


def workspace_of(client: "ProlificClient", theirs: ProlificStudy) -> str:
    """The id of the workspace that a study is in; empty if Prolific does not say it."""
    return client.project(theirs.project).workspace if theirs.project else ""


def money_of(client: "ProlificClient", theirs: ProlificStudy | None) -> Money | None:
    """The balance, and the cost of a study. None if the account has no workspace.

    A new study belongs to the account's first project. Raises ProlificError.
    """
    workspaces = {one.id: one for one in client.workspaces()}
    if not workspaces:
        return None
    workspace = next(iter(workspaces))
    if theirs is not None:
        workspace = workspace_of(client, theirs) or workspace
    balance = client.balance(workspace)
    title = workspaces[workspace].title if workspace in workspaces else workspace
    money = Money(title, balance.currency, balance.available)
    if theirs is None:
        return money
    places, reward = theirs.total_available_places, theirs.reward
    cost = client.cost(reward=reward, places=places)
    return Money(title, balance.currency, balance.available, cost, places * reward)
