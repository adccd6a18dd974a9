"""`manage.py withdraw`: deleting for somebody who asks the researchers to do it."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from survey.models import Identity, Participant, Study, Withdrawal
from tests.factories import add_participant, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    study = make_study()
    anna = add_participant(study, pseudonym="anna", source="prolific")
    Identity.objects.create(participant=anna, slug="small", kind="prolific", key="5f3c9a")
    add_participant(study, pseudonym="bert", source="import")
    return study


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("withdraw", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize("person", ["5f3c9a", "anna"])
def test_without_yes_it_only_says_who_it_would_be(study: Study, person: str) -> None:
    assert run("small", person) == (
        "Would delete everything about anna (prolific, completed) of small@1. Add --yes to do it.\n"
    )
    assert Participant.objects.count() == 2


@pytest.mark.parametrize(("person", "key"), [("5f3c9a", "5f3c9a"), ("bert", "")])
def test_with_yes_the_person_is_deleted_and_counted(study: Study, person: str, key: str) -> None:
    assert "is deleted" in run("small", person, "--yes")
    assert Participant.objects.count() == 1
    assert Withdrawal.objects.get().key == key


def test_somebody_unknown_is_refused(study: Study) -> None:
    with pytest.raises(CommandError, match="small has no participant 'carl'"):
        run("small", "carl", "--yes")
    with pytest.raises(CommandError, match="no study 'tiny'"):
        run("tiny", "anna", "--yes")
    assert Participant.objects.count() == 2


def test_name_in_two_versions_needs_the_version(study: Study) -> None:
    second = make_study(scale=(1, 2, 3))
    assert second.version == 2
    add_participant(second, pseudonym="anna")
    with pytest.raises(CommandError, match="small@1, small@2: give the version"):
        run("small", "anna", "--yes")
    run("small@2", "anna", "--yes")
    assert list(Participant.objects.values_list("study__version", flat=True)) == [1, 1]
