"""`manage.py judge` for two studies at a time, whose judges are asked at the same endpoints."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from threading import Barrier

import pytest
from django.core.management import call_command
from django.db import connection

from judge import plans, queueing
from judge.management.commands import judge as command
from judge.models import Call, Judge
from tests.factories import make_study
from tests.judge.judging import describe_judging
from tests.servers.faulty_judge import FaultyJudge

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.writers_side_by_side]


@pytest.mark.parametrize(
    ("step", "options"), [("queue_missing", []), ("plan_calls", ["--dry-run"])]
)
def test_commands_of_two_studies_whose_judges_cross_do_not_wait_for_each_other_for_ever(
    step: str,
    options: list[str],
    server_with: Callable[..., FaultyJudge],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server_with("one")
    server_with("two")
    for slug, (first, second) in {"x": ("one", "two"), "y": ("two", "one")}.items():
        judges = [{"name": "a", "endpoint": first}, {"name": "b", "endpoint": second}]
        describe_judging(make_study(slug=slug), judges=judges)
    both_at_work = Barrier(2, timeout=120)
    take_step = getattr(plans, step)

    def take_step_together(judge: Judge, **retry: bool) -> int:
        """Both commands hold the endpoint of their first judge before either goes on."""
        taken: int = take_step(judge, **retry)
        if judge.name == "a":
            both_at_work.wait()
        return taken

    asked_in = queueing if step == "queue_missing" else command
    monkeypatch.setattr(asked_in, step, take_step_together)
    monkeypatch.setattr(command, "wake", lambda task, judge: None)

    def run(slug: str) -> str:
        out = StringIO()
        try:
            call_command("judge", slug, *options, stdout=out, stderr=StringIO())
        finally:
            connection.close()
        return out.getvalue()

    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(run, ["x", "y"]))
    assert [text.count(" calls to make, 0 of ") for text in said] == [2, 2]
    assert Call.objects.exists() == (step == "queue_missing")
