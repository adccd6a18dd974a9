"""What `manage.py serve` says of the example: who may take part in it as it is now."""

from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from dashboard.design import first_start
from dashboard.management.commands.serve import Command
from dashboard.management.public_address import PublicAddress
from judge.configure import move_judges_here
from judge.plans import plan_calls
from survey.models import Study
from tests.judge.judging import describe
from tests.survey import small_study

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.embedded,  # what is printed of one row
]


def said_of_participants(*, public: str = "") -> str:
    """The two lines on participants, as one."""
    command = Command()
    command.public = PublicAddress.read(public) if public else None
    command.password_file = Path("researcher-password.txt")
    links = command.links("http://localhost:8000", None)
    between = links.partition("Participants")[2].partition("  Dashboard")[0]
    return " ".join(between.split())


@pytest.mark.parametrize(
    ("state", "is_rehearsal", "said"),
    [
        ("open", True, "A rehearsal: everyone with an open link or an invitation may begin, as a"),
        ("open", False, "Open. Everyone with a link may begin."),
        ("paused", True, "Paused. New participants are not admitted."),
        ("closed", False, "Closed. Data collection is over"),
        ("draft", False, "Draft. Only previews and simulated raters are admitted."),
    ],
)
def test_example_is_called_what_it_is(state: str, is_rehearsal: bool, said: str) -> None:
    small_study.load()
    Study.objects.update(slug=first_start.EXAMPLE, state=state, is_rehearsal=is_rehearsal)
    expected = f"http://localhost:8000/s/{first_start.EXAMPLE}/ {said}"
    assert said_of_participants().startswith(expected)
    assert first_start.needs_raters() == (state == "open" and is_rehearsal)


@pytest.mark.parametrize("public", ["", "survey.lakeside.edu"])
def test_no_example_is_named_where_there_is_none(public: str) -> None:
    small_study.load()
    if public:
        Study.objects.update(slug=first_start.EXAMPLE, state="open")
    assert "each study's link stands on its page Overview" in said_of_participants(public=public)
    assert first_start.EXAMPLE not in said_of_participants(public=public)


def test_start_never_takes_the_example_from_the_judge_that_a_researcher_asked(
    settings: Settings,
) -> None:
    study = small_study.load()
    describe(study)
    Study.objects.update(slug=first_start.EXAMPLE, state="open", is_rehearsal=True)
    command = Command()
    command.public = None
    (_, _, asked), (name, _, _) = command.first_jobs("http://localhost:8000")
    assert (asked[-1], name) == ("--stand-in", "simulate")

    settings.JUDGE_API_KEY, settings.JUDGE_STAND_IN = "key", False
    (judge,) = move_judges_here(Study.objects.get())
    plan_calls(judge)
    assert [name for name, *_ in command.first_jobs("http://localhost:8000")] == ["simulate"]
