"""A local Prolific, and a client of it that waits for nothing."""

from collections.abc import Callable, Iterator

import pytest

from examples.local_prolific import TOKEN
from examples.local_prolific.server import LocalProlific, local_prolific
from survey.prolific.client import ProlificClient

DRAFT = {
    "name": "How supportive are these replies?",
    "internal_name": "fivefold small@1",
    "description": "Rate replies.",
    "external_study_url": "http://localhost:8000/s/small/?PROLIFIC_PID={{%PROLIFIC_PID%}}"
    "&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
    "prolific_id_option": "url_parameters",
    "total_available_places": 3,
    "estimated_completion_time": 10,
    "reward": 150,
    "completion_codes": [
        {
            "code": "DONE",
            "code_type": "COMPLETED",
            "actor": "participant",
            "actions": [{"action": "AUTOMATICALLY_APPROVE"}],
        },
        {
            "code": "LOOK",
            "code_type": "FAILED_ATTENTION_CHECK",
            "actor": "participant",
            "actions": [{"action": "MANUALLY_REVIEW"}],
        },
    ],
}
Connect = Callable[..., ProlificClient]


@pytest.fixture
def prolific() -> Iterator[LocalProlific]:
    with local_prolific() as server:
        yield server


@pytest.fixture
def waits() -> list[float]:
    """The seconds that the client would have waited."""
    return []


@pytest.fixture
def connect(prolific: LocalProlific, waits: list[float]) -> Iterator[Connect]:
    """Connect an account: `connect(token=…, seconds=…)`."""
    clients: list[ProlificClient] = []

    def connected(token: str = TOKEN, seconds: float = 30.0) -> ProlificClient:
        client = ProlificClient(
            token, base_url=prolific.api_url, seconds=seconds, wait=waits.append
        )
        clients.append(client)
        return client

    yield connected
    for client in clients:
        client.__exit__()


@pytest.fixture
def client(connect: Connect) -> ProlificClient:
    return connect()


@pytest.fixture
def published(client: ProlificClient) -> str:
    """The id of a study that is open for three people."""
    study = client.create_study(DRAFT).id
    client.move_study(study, "PUBLISH")
    return study
