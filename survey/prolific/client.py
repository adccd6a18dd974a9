"""The client of Prolific's API (v1); `exchange` says how requests are repeated.

Creating a study, setting up bonuses, asking for a return and sending a message are not repeatable:
their `ProlificError` says whether they may have happened, and the caller must look before it asks
again. Paying bonuses is never repeated, whatever the answer: Prolific pays again each time ("not
idempotent", in its description of the call).

A request that changes something has succeeded if its answer is the one that Prolific's description
has for it: the object by its id, a sentence, or status 204. Any other may mean that it was done or
not.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from itertools import count
from typing import Any, Self
from urllib.parse import quote

from survey.batched import batched
from survey.prolific.errors import ProlificError
from survey.prolific.exchange import Exchange, Row, read, unexpected
from survey.prolific.replies import (
    BulkBonus,
    GroupMember,
    HookSecret,
    HookSubscription,
    ListedStudy,
    ParticipantGroup,
    Project,
    ProlificStudy,
    ProlificSubmission,
    ProlificUser,
    ResultPage,
    StudyCost,
    Workspace,
    WorkspaceBalance,
)

REAL_URL = "https://api.prolific.com/api/v1"
PAGE_SIZE = 100
#: As many submissions as Prolific recommends for one request.
MOST_APPROVED = 1000
MOST_BONUSES = 200


class ProlificClient:
    """One account at Prolific. Everything that one client asks for ends within `seconds`."""

    def __init__(
        self,
        token: str,
        *,
        base_url: str = REAL_URL,
        seconds: float = 120.0,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._exchange = Exchange(token, base_url=base_url, seconds=seconds, wait=wait)
        self._ask = self._exchange.ask

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._exchange.close()

    # ── The account ──────────────────────────────────────────────────────────────────────────

    def who_am_i(self) -> ProlificUser:
        """The person whose token it is."""
        return self._one(ProlificUser, "users/me/", about="account")

    def workspaces(self) -> list[Workspace]:
        """The workspaces that the person is a member of."""
        return self._all(Workspace, "workspaces/", about="workspaces", paged=False)

    def balance(self, workspace: str) -> WorkspaceBalance:
        """The money that a workspace has left."""
        path = f"workspaces/{_part(workspace)}/balance/"
        return self._one(WorkspaceBalance, path, about=f"workspace {workspace}")

    def project(self, project: str) -> Project:
        """A project, which says the workspace of its studies."""
        return self._one(Project, f"projects/{_part(project)}/", about=f"project {project}")

    # ── Studies ──────────────────────────────────────────────────────────────────────────────

    def cost(self, *, reward: int, places: int) -> int:
        """What so many submissions cost with fees and taxes; `reward` and result in cents."""
        body = {"reward": reward, "total_available_places": places}
        answer = self._ask(
            "POST", "study-cost-calculator/", body=body, about="cost", repeat="always"
        )
        return round(read(StudyCost, answer, "cost").total_cost)

    def studies(self) -> list[ListedStudy]:
        """All studies of the account."""
        return self._all(ListedStudy, "studies/", about="studies")

    def study(self, study: str) -> ProlificStudy:
        """One study, in its present state."""
        about = f"study {study}"
        return _same(
            self._one(ProlificStudy, f"studies/{_part(study)}/", about=about), study, about
        )

    def create_study(self, draft: Mapping[str, Any]) -> ProlificStudy:
        """Create a draft. Not repeatable: find it by its internal name before asking again."""
        answer = self._ask("POST", "studies/", body=draft, about="new study")
        return read(ProlificStudy, answer, "new study")

    def change_study(self, study: str, **fields: Any) -> ProlificStudy:
        """Change fields of a study. After publishing, places may only grow."""
        about = f"study {study}"
        path = f"studies/{_part(study)}/"
        answer = self._ask("PATCH", path, body=fields, about=about, repeat="always")
        return _same(read(ProlificStudy, answer, about), study, about)

    def move_study(self, study: str, action: str) -> ProlificStudy:
        """PUBLISH, PAUSE, START or STOP a study. The second time Prolific refuses, harmlessly."""
        about = f"study {study}, {action}"
        path = f"studies/{_part(study)}/transition/"
        answer = self._ask("POST", path, body={"action": action}, about=about, repeat="always")
        return _same(read(ProlificStudy, answer, about), study, about)

    def demographics(self, study: str) -> bytes:
        """Prolific's demographic export of a study (CSV): its base columns, no filters.

        The same request may be sent as often as needed.
        """
        path = f"studies/{_part(study)}/demographic-export/"
        about = f"demographics of study {study}"
        return self._exchange.download(path, about=about, body={"filters": []})

    # ── Submissions ──────────────────────────────────────────────────────────────────────────

    def submissions(self, study: str) -> list[ProlificSubmission]:
        """All submissions of a study, each once."""
        about = f"study {study}"
        return self._all(ProlificSubmission, "submissions/", {"study": study}, about=about)

    def counts(self, study: str) -> dict[str, int]:
        """The number of submissions by status; `TOTAL` is all."""
        path, about = f"studies/{_part(study)}/submissions/counts/", f"study {study}"
        answer = self._ask("GET", path, about=about)
        if not isinstance(answer, dict):
            raise unexpected(about)
        return {str(name): int(n) for name, n in answer.items() if isinstance(n, int | float)}

    def submission(self, submission: str) -> ProlificSubmission:
        """One submission."""
        about, path = f"submission {submission}", f"submissions/{_part(submission)}/"
        return _same(self._one(ProlificSubmission, path, about=about), submission, about)

    def move_submission(self, submission: str, action: str, **fields: Any) -> ProlificSubmission:
        """APPROVE, REJECT, … a submission. Prolific ignores the same request a second time."""
        about = f"submission {submission}, {action}"
        path = f"submissions/{_part(submission)}/transition/"
        body = {"action": action, **fields}
        answer = self._ask("POST", path, body=body, about=about, repeat="always")
        return _same(read(ProlificSubmission, answer, about), submission, about)

    def approve(self, submissions: Iterable[str]) -> None:
        """Approve and so pay submissions, at most MOST_APPROVED a request, one after the other.

        Prolific carries it out later. An approved submission is not paid again.
        """
        for ids in batched(submissions, MOST_APPROVED):
            body = {"submission_ids": ids}
            path, about = "submissions/bulk-approve/", "approval"
            _sentence(self._ask("POST", path, body=body, about=about, repeat="always"), about)

    def request_return(self, submission: str, reason: str) -> ProlificSubmission:
        """Ask a participant to return a submission."""
        about = f"submission {submission}, request for a return"
        path = f"submissions/{_part(submission)}/request-return/"
        body = {"request_return_reasons": [reason]}
        answer = self._ask("POST", path, body=body, about=about)
        return _same(read(ProlificSubmission, answer, about), submission, about)

    # ── Bonuses, messages, groups ────────────────────────────────────────────────────────────

    def set_up_bonuses(self, study: str, bonuses: Mapping[str, int]) -> BulkBonus:
        """Set up bonuses in cents by participant or submission; this pays nothing yet.

        Raises ProlificError, also where Prolific has set up another sum; and ValueError for none,
        more than MOST_BONUSES, or an amount that is not positive.
        """
        if not 0 < len(bonuses) <= MOST_BONUSES:
            raise ValueError(f"{len(bonuses)} bonuses; one request takes 1 to {MOST_BONUSES}")
        if wrong := [cents for cents in bonuses.values() if cents <= 0]:
            raise ValueError(f"a bonus of {Decimal(wrong[0]) / 100:.2f} is not more than 0")
        lines = [f"{who},{Decimal(cents) / 100:.2f}" for who, cents in bonuses.items()]
        body = {"study_id": study, "csv_bonuses": "\n".join(lines)}
        about = f"bonuses of study {study}"
        answer = self._ask("POST", "submissions/bonus-payments/", body=body, about=about)
        set_up = read(BulkBonus, answer, about)
        if set_up.amount is not None and round(set_up.amount) != sum(bonuses.values()):
            raise unexpected(about)
        return set_up

    def pay_bonuses(self, bonus: str) -> None:
        """Pay bonuses that were set up. Sent once: a second request would pay them again."""
        path, about = f"bulk-bonus-payments/{_part(bonus)}/pay/", f"payment {bonus}"
        _sentence(self._ask("POST", path, about=about, repeat="never", success=202), about)

    def send_message(self, *, participant: str, study: str, text: str) -> None:
        """Send a participant a message about a study."""
        body = {"recipient_id": participant, "study_id": study, "body": text}
        self._ask("POST", "messages/", body=body, about="message", success=204)

    def participant_groups(self, workspace: str) -> list[ParticipantGroup]:
        """The participant groups of a workspace."""
        query = {"workspace_id": workspace}
        path, about = "participant-groups/", "participant groups"
        return self._all(ParticipantGroup, path, query, about=about, paged=False)

    def create_group(self, *, name: str, workspace: str) -> ParticipantGroup:
        """Create an empty participant group. Not repeatable: find it by its name first."""
        body, about = {"name": name, "workspace_id": workspace}, "new participant group"
        answer = self._ask("POST", "participant-groups/", body=body, about=about)
        return read(ParticipantGroup, answer, about)

    def group_members(self, group: str) -> set[str]:
        """The participant ids of a group."""
        path = f"participant-groups/{_part(group)}/participants/"
        about = f"participant group {group}"
        return {one.id for one in self._all(GroupMember, path, about=about, paged=False)}

    def set_group(self, group: str, participants: Iterable[str]) -> None:
        """Make these people, and nobody else, the members of a group."""
        path, about = f"participant-groups/{_part(group)}/", f"participant group {group}"
        body = {"participant_ids": list(participants)}
        answer = self._ask("PATCH", path, body=body, about=about, repeat="always")
        _same(read(ParticipantGroup, answer, about), group, about)

    def add_to_group(self, group: str, participants: Iterable[str]) -> None:
        """Add people to a group; members are ignored."""
        path, about = (
            f"participant-groups/{_part(group)}/participants/",
            f"participant group {group}",
        )
        body = {"participant_ids": list(participants)}
        read(ResultPage, self._ask("POST", path, body=body, about=about, repeat="always"), about)

    # ── Events ───────────────────────────────────────────────────────────────────────────────

    def hook_secret(self, workspace: str) -> str:
        """The key that signs the events of a workspace. Others may use it too, so one that is
        there is kept: creating one replaces it.
        """
        path, about = "hooks/secrets/", f"secret for events of workspace {workspace}"
        query = {"workspace_id": workspace}
        known = self._all(HookSecret, path, query, about=about, paged=False)
        if known:
            return known[0].value
        answer = self._ask("POST", path, body=query, about=about, repeat="always")
        return read(HookSecret, answer, about).value

    def hook_subscriptions(self, workspace: str) -> list[HookSubscription]:
        """The subscriptions to events of a workspace."""
        query = {"workspace_id": workspace, "limit": str(PAGE_SIZE)}
        about = f"event subscriptions of workspace {workspace}"
        return self._all(HookSubscription, "hooks/subscriptions/", query, about=about, paged=False)

    def subscribe(self, workspace: str, event_type: str, target: str) -> HookSubscription:
        """Have events of a type sent to an https address. They come once it is confirmed."""
        body = {"workspace_id": workspace, "event_type": event_type, "target_url": target}
        about, path = f"subscription to {event_type}", "hooks/subscriptions/"
        answer = self._ask("POST", path, body=body, about=about, header=HookSubscription.HEADER)
        subscription = read(HookSubscription, answer, about)
        if not subscription.secret:
            raise unexpected(about)
        return subscription

    def confirm_subscription(self, subscription: HookSubscription) -> None:
        """Confirm a subscription with the secret that came with it."""
        path = f"hooks/subscriptions/{_part(subscription.id)}/"
        about = f"confirmation of the subscription to {subscription.event_type}"
        body = {"secret": subscription.secret}
        answer = self._ask("POST", path, body=body, about=about, repeat="always")
        _same(read(HookSubscription, answer, about), subscription.id, about)

    def unsubscribe(self, subscription: str) -> None:
        """Delete a subscription; one that is not there any more is no error."""
        path = f"hooks/subscriptions/{_part(subscription)}/"
        try:
            about = f"subscription {subscription}"
            self._ask("DELETE", path, about=about, repeat="always", success=204)
        except ProlificError as error:
            if not error.is_missing:
                raise

    def _one(self, schema: type[Row], path: str, *, about: str) -> Row:
        return read(schema, self._ask("GET", path, about=about), about)

    def _all(
        self,
        schema: type[Row],
        path: str,
        query: Mapping[str, str] | None = None,
        *,
        about: str,
        paged: bool = True,
    ) -> list[Row]:
        """Every row of a list, page by page; a row that moved to another page meanwhile once.

        Prolific may give shorter pages than asked for: only its count, or a page without a new row,
        ends the list.
        """
        rows: dict[str, Row] = {}
        for page in count(1):
            asked = {**(query or {}), "page": str(page), "page_size": str(PAGE_SIZE)}
            try:
                answer = self._ask("GET", path, query=asked if paged else query, about=about)
            except ProlificError as error:
                if error.is_missing and page > 1:  # the page after the last
                    break
                raise
            listed = read(ResultPage, answer, about)
            known = len(rows)
            for result in listed.results:
                row = read(schema, result, about)
                rows[str(row.id)] = row  # type: ignore[attr-defined]  # all that are listed have one
            is_last = listed.meta.count is not None and len(rows) >= listed.meta.count
            if not paged or is_last or len(rows) == known:
                break
        return list(rows.values())


def _same(row: Row, asked: str, about: str) -> Row:
    """An answer that is about what was asked for. Raises ProlificError for another."""
    if row.id != asked:  # type: ignore[attr-defined]  # all that are asked for have one
        raise unexpected(about)
    return row


def _sentence(answer: Any, about: str) -> None:
    """Prolific says in a JSON string that it will do something. Raises ProlificError."""
    if not isinstance(answer, str) or not answer.strip():
        raise unexpected(about)


def _part(name: str) -> str:
    """An id as a part of a path."""
    return quote(name, safe="")
