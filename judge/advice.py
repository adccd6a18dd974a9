"""What a researcher can do about a failed request to a judge."""

from judge.endpoints import variable_of
from judge.models import Attempt

Outcome = Attempt.Outcome


def advice(failed: Attempt, endpoint: str) -> str:
    """What to check first, with the settings of this endpoint; empty if the error itself
    says it.
    """
    names = ("API_KEY", "BASE_URL", "MODEL", "CONCURRENCY")
    key, address, model, concurrency = (variable_of(endpoint, name) for name in names)
    restart = "in .env, restart the installation, and resume"
    by_status = {
        401: f"The key was not accepted: correct {key} {restart}.",
        402: "The account at the endpoint has no credit left: top it up, and resume.",
        403: f"The key may not do this: check the account, or correct {key} {restart}.",
        404: f"The endpoint knows no such model or address: correct the judge's model in "
        f"study.yaml and load it, or {model} or {address} {restart}.",
        408: "The endpoint is slow: wait a little, and resume.",
        429: f"The endpoint asks for fewer requests: wait a little, or lower {concurrency} "
        f"{restart}.",
    }
    by_outcome = {
        Outcome.NOT_CONNECTED: f"Nothing answers at that address: check the network, or correct "
        f"{address} {restart}.",
        Outcome.GARBLED: f"That is no answer of a model's API: correct {address} {restart}.",
        Outcome.TIMEOUT: "The endpoint is too slow: wait a little, or raise JUDGE_TIMEOUT_SECONDS "
        f"{restart}.",
        Outcome.BROKEN_OFF: "The connection broke: check the network, and resume.",
    }
    status = failed.http_status or 0
    if status in by_status:
        return by_status[status]
    if status >= 500:
        return "The endpoint has trouble of its own: wait a little, and resume."
    if status >= 400:
        return (
            "The endpoint refuses what is sent: look at the raw text of the failure, correct the "
            "judge's options in study.yaml, load it, and resume."
        )
    return by_outcome.get(Outcome(failed.outcome), "")
