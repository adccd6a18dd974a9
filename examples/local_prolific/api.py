"""The calls of the API that there are, each with what it does to the world."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

from examples.local_prolific.demographics import export_of
from examples.local_prolific.webhooks import Webhooks
from examples.local_prolific.world import ApiError, Json, World, missing, new_id

#: Takes the world and what a request has: the ids of its path, its query, its JSON, and who asks.
Call = Callable[["Asked"], tuple[int, Any]]
#: Longer pages are not given, whatever is asked for.
LONGEST_PAGE = 50
CALLS: list[tuple[str, re.Pattern[str], Call]] = []


class Asked:
    """A request to the API."""

    def __init__(
        self, world: World, hooks: Webhooks, who: Json, ids: list[str], query: str, body: Json
    ) -> None:
        self.world, self.hooks, self.who, self.ids, self.body = world, hooks, who, ids, body
        self.query = {name: values[-1] for name, values in parse_qs(query).items()}
        #: Headers of the answer.
        self.headers: dict[str, str] = {}

    @property
    def id(self) -> str:
        return self.ids[0]

    def page_of(self, rows: list[Any], *, size: int) -> Json:
        """The asked page of rows."""
        try:
            number = int(self.query.get("page", 1))
            size = min(LONGEST_PAGE, int(self.query.get("page_size", size)))
        except ValueError:
            raise ApiError(400, "Bad Request", "page takes a number") from None
        if number > 1 and (number - 1) * size >= len(rows):
            raise ApiError(404, "Not Found", "Invalid page.")
        shown = rows[(number - 1) * size : number * size]
        return {"results": shown, "meta": {"count": len(rows)}}


def call(method: str, path: str) -> Callable[[Call], Call]:
    """A call of the API by its path, in which {} is an id."""

    def known(function: Call) -> Call:
        pattern = re.escape(path).replace(r"\{\}", r"([^/]+)")
        CALLS.append((method, re.compile(pattern), function))
        return function

    return known


def answer(
    world: World, hooks: Webhooks, *, method: str, path: str, query: str, body: Any, token: str
) -> tuple[int, Any, dict[str, str]]:
    """Status, JSON and headers. Raises ApiError."""
    who = world.tokens.get(token)
    if who is None:
        raise ApiError(401, "Authentication failed", "Invalid token.")
    if not isinstance(body, dict):
        raise ApiError(400, "Bad Request", "The body is no JSON object")
    other = False
    for known, pattern, function in CALLS:
        if match := pattern.fullmatch(path):
            if known == method:
                asked = Asked(world, hooks, who, list(match.groups()), query, body)
                with world.lock:
                    return (*function(asked), asked.headers)
            other = True
    if other:
        raise ApiError(405, "Method not allowed", method)
    raise missing(path)


@call("GET", "users/me/")
def who_am_i(asked: Asked) -> tuple[int, Any]:
    return 200, asked.who


@call("GET", "workspaces/")
def workspaces(asked: Asked) -> tuple[int, Any]:
    here = {"id": asked.world.workspace, "title": "Local workspace", "owner": asked.who["id"]}
    return 200, {"results": [here]}


@call("GET", "workspaces/{}/balance/")
def balance(asked: Asked) -> tuple[int, Any]:
    world = asked.world
    if asked.id != world.workspace:
        raise missing(f"workspace {asked.id}")
    return 200, {
        "currency_code": world.currency,
        "total_balance": world.balance - world.spent,
        "available_balance": world.available,
    }


@call("GET", "projects/{}/")
def project(asked: Asked) -> tuple[int, Any]:
    if asked.id != asked.world.project:
        raise missing(f"project {asked.id}")
    return 200, {"id": asked.id, "title": "Local project", "workspace": asked.world.workspace}


@call("POST", "study-cost-calculator/")
def cost(asked: Asked) -> tuple[int, Any]:
    given = asked.body
    numbers = [given.get(name) for name in ("reward", "total_available_places")]
    reward, places = (n if isinstance(n, int | float) and n > 0 else None for n in numbers)
    if reward is None or places is None:
        raise ApiError(400, "Validation error", {"reward": ["reward and places: above 0"]})
    return 200, {"total_cost": asked.world.cost(reward, places)}


@call("GET", "studies/")
def studies(asked: Asked) -> tuple[int, Any]:
    return 200, asked.page_of([asked.world.study(each) for each in asked.world.studies], size=1000)


@call("POST", "studies/")
def create_study(asked: Asked) -> tuple[int, Any]:
    return 201, asked.world.create_study(asked.body)


@call("GET", "studies/{}/")
def study(asked: Asked) -> tuple[int, Any]:
    return 200, asked.world.study(asked.id)


@call("PATCH", "studies/{}/")
def change_study(asked: Asked) -> tuple[int, Any]:
    return 200, asked.world.change_study(asked.id, asked.body)


@call("DELETE", "studies/{}/")
def delete_study(asked: Asked) -> tuple[int, Any]:
    if asked.world.study(asked.id)["status"] != "UNPUBLISHED":
        raise ApiError(400, "Bad Request", "Only drafts can be deleted")
    del asked.world.studies[asked.id]
    return 204, None


@call("POST", "studies/{}/transition/")
def move_study(asked: Asked) -> tuple[int, Any]:
    return 200, asked.world.move_study(asked.id, str(asked.body.get("action")))


@call("POST", "studies/{}/demographic-export/")
def demographic_export(asked: Asked) -> tuple[int, Any]:
    asked.world.study(asked.id)
    return 200, export_of(asked.world, asked.id)


@call("GET", "studies/{}/submissions/counts/")
def counts(asked: Asked) -> tuple[int, Any]:
    there = asked.world.of_study(asked.id)
    numbers = dict.fromkeys(("ACTIVE", "APPROVED", "AWAITING REVIEW", "RETURNED"), 0)
    for one in there:
        numbers[one.status] = numbers.get(one.status, 0) + 1
    return 200, {**numbers, "TOTAL": len(there)}


@call("GET", "studies/{}/submissions/")
def submissions_of_study(asked: Asked) -> tuple[int, Any]:
    return 200, {"results": [one.listed() for one in asked.world.of_study(asked.id)]}


@call("GET", "submissions/")
def submissions(asked: Asked) -> tuple[int, Any]:
    rows = asked.world.of_study(asked.query.get("study", ""))
    wanted = asked.query.get("status", "").upper().replace("_", " ")
    shown = [one.listed() for one in rows if wanted in ("", one.status)]
    return 200, asked.page_of(shown, size=20)


@call("GET", "submissions/{}/")
def submission(asked: Asked) -> tuple[int, Any]:
    one = asked.world.submission(asked.id)
    return 200, {**one.detail(), "bonus_payments": asked.world.bonuses_of(one)}


@call("POST", "submissions/bulk-approve/")
def bulk_approve(asked: Asked) -> tuple[int, Any]:
    ids = asked.body.get("submission_ids")
    if not isinstance(ids, list) or not ids:
        raise ApiError(400, "Validation error", {"submission_ids": ["This field is required."]})
    for one in [asked.world.submission(str(each)) for each in ids]:
        asked.world.approve(one)
    return 200, "The request to bulk approve has been made successfully."


@call("POST", "submissions/bonus-payments/")
def set_up_bonuses(asked: Asked) -> tuple[int, Any]:
    given = asked.body
    lines = str(given.get("csv_bonuses", ""))
    return 201, asked.world.set_up_bonuses(str(given.get("study_id", "")), lines)


@call("POST", "bulk-bonus-payments/{}/pay/")
def pay_bonuses(asked: Asked) -> tuple[int, Any]:
    asked.world.pay_bonuses(asked.id)
    return 202, "Payment accepted"


@call("POST", "submissions/{}/transition/")
def move_submission(asked: Asked) -> tuple[int, Any]:
    one, given = asked.world.submission(asked.id), asked.body
    if given.get("action") == "APPROVE":
        asked.world.approve(one)
    elif given.get("action") == "REJECT":
        category = str(given.get("rejection_category") or "")
        asked.world.reject(one, str(given.get("message", "")), category)
    elif given.get("action") == "RETURN":
        asked.world.leave(one, "RETURNED")
    else:
        raise ApiError(400, "Validation error", {"action": ["is none of the local Prolific's"]})
    return 200, one.detail()


@call("POST", "submissions/{}/request-return/")
def request_return(asked: Asked) -> tuple[int, Any]:
    one = asked.world.submission(asked.id)
    if not asked.body.get("request_return_reasons"):
        needed = {"request_return_reasons": ["This field is required."]}
        raise ApiError(400, "Validation error", needed)
    asked.world.request_return(one)
    return 200, one.detail()


@call("POST", "messages/")
def send_message(asked: Asked) -> tuple[int, Any]:
    asked.world.messages.append(asked.body)
    return 204, None


@call("GET", "participant-groups/")
def groups(asked: Asked) -> tuple[int, Any]:
    return 200, {"results": list(asked.world.groups.values())}


@call("POST", "participant-groups/")
def create_group(asked: Asked) -> tuple[int, Any]:
    given = asked.body
    if not given.get("name"):
        raise ApiError(400, "Validation error", {"name": ["This field is required."]})
    if given.get("workspace_id") != asked.world.workspace:
        raise ApiError(400, "Validation error", {"workspace_id": ["There is no such workspace."]})
    group = {"id": new_id(), "name": given["name"], "workspace_id": given["workspace_id"]}
    asked.world.groups[group["id"]] = group
    asked.world.set_members(group["id"], given.get("participant_ids", []))
    return 201, group


@call("PATCH", "participant-groups/{}/")
def change_group(asked: Asked) -> tuple[int, Any]:
    group = asked.world.group(asked.id)
    group |= {name: asked.body[name] for name in ("name",) if name in asked.body}
    if "participant_ids" in asked.body:
        asked.world.set_members(asked.id, asked.body["participant_ids"])
    return 200, group


@call("GET", "participant-groups/{}/participants/")
def members_of_group(asked: Asked) -> tuple[int, Any]:
    members = asked.world.members(asked.id)
    return 200, {"results": [{"participant_id": member} for member in members]}


@call("POST", "participant-groups/{}/participants/")
def add_to_group(asked: Asked) -> tuple[int, Any]:
    more = asked.body.get("participant_ids", [])
    asked.world.set_members(asked.id, [*asked.world.members(asked.id), *more])
    return members_of_group(asked)


@call("GET", "hooks/secrets/")
def secrets(asked: Asked) -> tuple[int, Any]:
    return 200, {"results": [_secret(asked)] if asked.hooks.secret else []}


@call("POST", "hooks/secrets/")
def create_secret(asked: Asked) -> tuple[int, Any]:
    asked.hooks.secret = new_id()
    return 201, _secret(asked)


def _secret(asked: Asked) -> Json:
    return {"id": "secret", "value": asked.hooks.secret, "workspace_id": asked.world.workspace}


@call("GET", "hooks/subscriptions/")
def subscriptions(asked: Asked) -> tuple[int, Any]:
    return 200, {"results": asked.hooks.listed()}


@call("POST", "hooks/subscriptions/")
def subscribe(asked: Asked) -> tuple[int, Any]:
    given = asked.body
    kind, target = (str(given.get(name, "")) for name in ("event_type", "target_url"))
    if not asked.hooks.secret:
        raise ApiError(400, "Bad Request", "Create a secret first")
    if not target.startswith(("http://", "https://")):
        raise ApiError(400, "Validation error", {"target_url": ["Enter a valid URL."]})
    subscription, asked.headers["X-Hook-Secret"] = asked.hooks.subscribe(kind, target)
    return 201, subscription


@call("DELETE", "hooks/subscriptions/{}/")
def unsubscribe(asked: Asked) -> tuple[int, Any]:
    if asked.hooks.subscriptions.pop(asked.id, None) is None:
        raise missing(f"subscription {asked.id}")
    return 204, None


@call("POST", "hooks/subscriptions/{}/")
def confirm(asked: Asked) -> tuple[int, Any]:
    if not asked.hooks.confirm(asked.id, str(asked.body.get("secret", ""))):
        raise ApiError(400, "Bad Request", "The secret is not the one that was sent")
    return 200, {"id": asked.id, "is_enabled": True}
