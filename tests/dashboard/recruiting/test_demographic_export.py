"""Prolific's demographic export: answers that participants are not asked for."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from analysis.execution import finished_run
from analysis.runs import request_run
from dashboard.overview.events import events
from dashboard.prolific.demographics import ImportedAnswers, import_demographics
from examples.local_prolific.server import LocalProlific
from survey.definition import StudyDefinition
from survey.definition.policy import findings
from survey.definition.settings import Prolific, Settings
from survey.files.problems import DefinitionError
from survey.models import DemographicAnswer, Participant, Study, StudyEvent
from survey.participants import Arrival
from survey.tidy import counted_sources, definition_of
from survey.withdrawal import withdraw
from tests.dashboard.reading import text_of
from tests.dashboard.recruiting.conftest import DRAFT, Post
from tests.factories import DEMOGRAPHICS, make_study, newcomer, study_definition
from tests.prolific import prolific_id

pytestmark = [pytest.mark.embedded]

SEX = ["Female", "Male", "Prefer not to say"]
ASKED = [one for one in DEMOGRAPHICS if one["name"] == "race"]
FROM_PROLIFIC: list[dict[str, Any]] = [
    {"name": "age", "kind": "integer", "question": "Age", "minimum": 18, "maximum": 110},
    {"name": "sex", "kind": "single", "question": "Sex", "options": SEX},
    {"name": "student", "kind": "single", "question": "Student?", "options": ["Yes", "No"]},
]
FROM_PROLIFIC = [one | {"source": "prolific"} for one in FROM_PROLIFIC]
FROM_PROLIFIC[-1]["column"] = "Student status"
HEADER = "Submission id,Participant id,Status,Age,Sex,Student status"
FILE = "export.csv"
RECRUITING = Settings(ways_in=["prolific"], prolific=Prolific(completion_code="DONE1"))


@pytest.fixture
def study(db: None) -> Study:
    return make_study(slug="small", demographics=[*ASKED, *FROM_PROLIFIC])


def came(study: Study, name: str, **fields: Any) -> Participant:
    """A person from Prolific with a submission, who agreed to take part."""
    arrival = Arrival(
        study=study,
        source="prolific",
        at=timezone.now(),
        kind="prolific",
        key=prolific_id(name),
        session_id=prolific_id(f"s-{name}"),
    )
    person = newcomer(arrival)
    now = timezone.now()
    given = {"status": "completed", "finished_at": now, "consented_at": now, "pseudonym": name}
    Participant.objects.filter(pk=person.pk).update(**given | fields)
    return person


def row(name: str, *answers: str, submission: str | None = None) -> str:
    session = prolific_id(f"s-{name}") if submission is None else submission
    return ",".join([session, prolific_id(name), "APPROVED", *answers])


def export(*rows: str) -> bytes:
    return "\n".join([HEADER, *rows]).encode()


def take_in(study: Study, *rows: str, mapping: str = "") -> ImportedAnswers:
    done, _ = import_demographics(
        study=study,
        export=(FILE, export(*rows)),
        at=timezone.now(),
        mapping=("map.yaml", mapping.encode()) if mapping else None,
    )
    return done


def answers(name: str) -> dict[str, Any]:
    given = DemographicAnswer.objects.filter(participant__pseudonym=name)
    return dict(given.values_list("name", "value"))


# ── Questions ────────────────────────────────────────────────────────────────────────────────


def test_participants_are_asked_only_for_what_does_not_come_from_prolific(study: Study) -> None:
    asked = definition_of(study).asked_demographics
    assert [question.name for question in asked] == ["race"]


def test_study_with_answers_from_prolific_alone_has_no_page_for_them() -> None:
    definition = study_definition(demographics=FROM_PROLIFIC)
    assert definition.asked_demographics == []
    assert [one.name for one in definition.prolific_demographics] == ["age", "sex", "student"]


def test_standard_question_may_come_from_prolific_by_its_name() -> None:
    given = [{"name": "sex", "source": "prolific", "options": SEX}, "age"]
    definition = StudyDefinition.model_validate(
        study_definition().model_dump() | {"demographics": given}
    )
    [from_prolific] = definition.prolific_demographics
    assert from_prolific.question.startswith("What is your sex")
    assert from_prolific.options == SEX  # type: ignore[union-attr]
    assert [one.name for one in definition.asked_demographics] == ["age"]


def test_stored_studies_stay_the_same() -> None:
    dumped = study_definition().model_dump()
    assert all({"source", "column"}.isdisjoint(one) for one in dumped["demographics"])


def test_column_without_the_source_is_refused() -> None:
    with pytest.raises(ValueError, match="column is only for questions with source: prolific"):
        study_definition(demographics=[DEMOGRAPHICS[0] | {"column": "Age"}])


def test_policy_asks_to_tell_participants() -> None:
    definition = study_definition(demographics=FROM_PROLIFIC)

    def said(settings: Settings) -> str:
        found = findings(definition, settings)
        return next(one.text for one in found if one.rule == "Demographics from Prolific")

    assert "take these from their Prolific profile" in said(RECRUITING)
    assert "does not recruit there" in said(Settings(ways_in=["link"]))


# ── Matching and storing ─────────────────────────────────────────────────────────────────────


def test_people_are_found_by_submission_else_by_id_and_by_nothing_else(study: Study) -> None:
    for name in ("ann", "ben", "cat"):
        came(study, name)
    other = row("gil", "61", "Male", "No", submission=prolific_id("s-cat"))
    done = take_in(
        study,
        row("ann", "３０", "Female", "No"),
        row("ben", "41.0", "Male", "Yes", submission=prolific_id("another")),
        row("eve", "50", "Female", "No"),
        other,
    )
    assert answers("ann") == {"age": 30, "sex": "Female", "student": "No"}
    assert answers("ben") == {"age": 41, "sex": "Male", "student": "Yes"}
    assert answers("cat") == {}
    assert (done.people, done.added, done.unknown, done.contradictory) == (2, 6, 1, 1)


def test_row_of_the_submission_that_a_person_came_with_wins(study: Study) -> None:
    came(study, "ann")
    take_in(
        study,
        row("ann", "30", "Female", "No"),
        row("ann", "31", "Female", "No", submission=prolific_id("returned later")),
    )
    assert answers("ann")["age"] == 30


def test_nothing_is_stored_about_people_who_did_not_agree(study: Study) -> None:
    came(study, "ann", status="declined", finished_at=None, consented_at=None)
    assert take_in(study, row("ann", "30", "Female", "No")).without_consent == 1
    assert answers("ann") == {}


def test_missing_answers_are_not_stored_and_a_revoked_one_is_removed(study: Study) -> None:
    came(study, "ann")
    take_in(study, row("ann", "30", "Female", "DATA_EXPIRED"))
    assert answers("ann") == {"age": 30, "sex": "Female"}
    done = take_in(study, row("ann", "", "CONSENT_REVOKED", ""))
    assert answers("ann") == {"age": 30}
    assert (done.removed, done.added, done.replaced) == (1, 0, 0)


def test_same_file_changes_nothing_and_a_changed_answer_is_replaced_and_recorded(
    study: Study,
) -> None:
    came(study, "ann")
    first = row("ann", "30", "Female", "No")
    take_in(study, first)
    assert take_in(study, first).unchanged == 3
    assert len(events([study])) == 2  # loaded, imported
    take_in(study, row("ann", "31", "Female", "No"))
    assert answers("ann")["age"] == 31
    assert events([study])[0].what == "Prolific demographics imported: 1 replaced"


def test_answer_that_a_person_gave_is_never_replaced(study: Study) -> None:
    person = came(study, "ann")
    DemographicAnswer.objects.create(participant=person, name="sex", value="Male")
    done = take_in(study, row("ann", "30", "Female", "No"))
    assert (answers("ann")["sex"], done.own) == ("Male", 1)
    take_in(study, row("ann", "30", "CONSENT_REVOKED", "No"))
    assert answers("ann")["sex"] == "Male"


def test_withdrawal_deletes_imported_answers(study: Study) -> None:
    person = came(study, "ann")
    take_in(study, row("ann", "30", "Female", "No"))
    withdraw(participant=person, at=timezone.now())
    assert not DemographicAnswer.objects.exists()
    assert take_in(study, row("ann", "30", "Female", "No")).unknown == 1


def test_wrong_answers_are_listed_with_their_line_and_nothing_is_stored(study: Study) -> None:
    came(study, "ann")
    came(study, "ben")
    with pytest.raises(DefinitionError) as refused:
        take_in(
            study,
            row("ann", "30", "Femal", "No"),
            row("ben", "old", "Male", "No"),
            row("cat", "17", "Male", "Maybe"),
            row("ann", "31", "Female", "No"),
        )
    said = str(refused.value)
    assert "export.csv, line 5: Submission id is that of line 2" in said
    assert "export.csv, line 2: column 'Sex': 'Femal' is unknown; did you mean 'Female'?" in said
    assert "export.csv, line 3: column 'Age': 'old' is not a whole number" in said
    assert "export.csv, line 4: column 'Age': 17 is not between 18 and 110" in said
    assert "line 4: column 'Student status': 'Maybe' is unknown" in said
    assert prolific_id("ann") not in said
    assert not DemographicAnswer.objects.exists()


def test_mapping_file_gives_answers_the_words_of_the_study(study: Study) -> None:
    came(study, "ann")
    take_in(study, row("ann", "30", "F", "No"), mapping="values: {sex: {F: Female}}\n")
    assert answers("ann")["sex"] == "Female"
    with pytest.raises(DefinitionError, match=r"map\.yaml.*'Femal' is unknown"):
        take_in(study, row("ann", "30", "F", "No"), mapping="values: {sex: {F: Femal}}\n")


def test_file_without_the_columns_is_refused(study: Study) -> None:
    with pytest.raises(DefinitionError, match="Submission id"):
        import_demographics(study=study, export=(FILE, b"Age,Sex\n30,Male\n"), at=timezone.now())
    header = b"Submission id,Ages\ns,30\n"
    with pytest.raises(DefinitionError, match=r"no column 'age', .* did you mean 'Ages'"):
        import_demographics(study=study, export=(FILE, header), at=timezone.now())


def test_import_makes_a_new_analysis_due_which_sees_the_answers(study: Study) -> None:
    came(study, "ann")
    before = finished_run(study=study, sources=counted_sources())
    take_in(study, row("ann", "30", "Female", "No"))
    assert request_run(study=study, sources=counted_sources()).pk != before.pk


# ── By command, by page, by Prolific's API ───────────────────────────────────────────────────


def test_command_imports_and_says_what_it_did(study: Study, tmp_path: Path) -> None:
    came(study, "ann")
    file = tmp_path / FILE
    file.write_bytes(export(row("ann", "30", "Female", "No")))
    out = StringIO()
    call_command("import_demographics", "small", str(file), stdout=out)
    assert "1 participant found. Answers: 3 added." in out.getvalue()
    with pytest.raises(CommandError, match="Nothing was changed"):
        call_command("import_demographics", "small", str(tmp_path / "none.csv"))


def test_page_imports_an_upload_with_its_author(
    page: Client, researcher: User, study: Study
) -> None:
    came(study, "ann")
    file = SimpleUploadedFile(FILE, export(row("ann", "30", "Female", "No")))
    said = text_of(page.post("/studies/small/demographics/", {"file": file}, follow=True))
    assert "1 participant found. Answers: 3 added." in said
    assert "by ada" in said
    stored = DemographicAnswer.objects.get(name="age")
    assert stored.imported_by == researcher
    wrong = SimpleUploadedFile(FILE, export(row("ann", "x", "Female", "No")))
    said = text_of(page.post("/studies/small/demographics/", {"file": wrong}, follow=True))
    assert "line 2: column 'Age': 'x' is not a whole number" in said
    assert "Nothing was changed." in said
    said = text_of(page.post("/studies/small/demographics/", follow=True))
    assert "Choose the file that you exported from Prolific." in said


@pytest.mark.parametrize("preview", [False, True])
def test_same_export_is_taken_by_page_api_and_command(
    page: Client, study: Study, tmp_path: Path, preview: bool
) -> None:
    came(study, "ann")
    content, mapping = export(row("ann", "30", "F", "No")), b"values: {sex: {F: Female}}\n"

    def sent() -> dict[str, Any]:
        return {
            "file": SimpleUploadedFile(FILE, content),
            "map": SimpleUploadedFile("map.yaml", mapping),
            **({"preview": "on"} if preview else {}),
        }

    def by_command() -> str:
        (tmp_path / FILE).write_bytes(content)
        (tmp_path / "map.yaml").write_bytes(mapping)
        out = StringIO()
        given = ["--map", str(tmp_path / "map.yaml"), *(["--preview"] if preview else [])]
        call_command("import_demographics", "small", str(tmp_path / FILE), *given, stdout=out)
        return out.getvalue()

    surfaces: dict[str, Callable[[], str]] = {
        "page": lambda: text_of(page.post("/studies/small/demographics/", sent(), follow=True)),
        "api": lambda: str(page.post("/api/studies/small/demographics/", sent()).json()),
        "command": by_command,
    }
    for name, take in surfaces.items():
        said = take()
        logged = StudyEvent.objects.filter(action=StudyEvent.DEMOGRAPHICS_IMPORTED)
        if preview:
            assert (answers("ann"), logged.count()) == ({}, 0)
            assert ("'preview': True" if name == "api" else "nothing is stored") in said
            continue
        assert answers("ann") == {"age": 30, "sex": "Female", "student": "No"}
        assert logged.get().detail == {"added": 3}
        logged.delete()
        DemographicAnswer.objects.all().delete()


def test_no_export_is_refused_by_page_and_api(page: Client, study: Study) -> None:
    why = "Choose the file that you exported from Prolific."
    said = text_of(page.post("/studies/small/demographics/", follow=True))
    assert f"{why} Nothing was changed." in said
    answer = page.post("/api/studies/small/demographics/", {"preview": "true"})
    assert (answer.status_code, answer.json()) == (400, {"detail": [why]})


@pytest.mark.e2e
def test_page_reads_the_export_from_prolific(
    post: Post, page: Client, prolific: LocalProlific, study: Study
) -> None:
    Study.objects.update(settings=study.settings | RECRUITING.model_dump(mode="json"))
    post("create", **DRAFT)
    [there] = prolific.world.studies
    prolific.world.move_study(there, "PUBLISH")
    person = prolific.world.start(there)
    prolific.world.told[person.participant] = {"Age": "33", "Sex": "CONSENT_REVOKED"}
    arrived = newcomer(
        Arrival(
            study=study,
            source="prolific",
            at=timezone.now(),
            kind="prolific",
            key=person.participant,
            session_id=person.id,
        )
    )
    Participant.objects.filter(pk=arrived.pk).update(
        status="in_progress", consented_at=timezone.now(), pseudonym="ann"
    )
    sent = {"from_prolific": "on"}
    said = text_of(page.post("/studies/small/demographics/", sent, follow=True))
    assert "1 participant found. Answers: 2 added." in said
    assert answers("ann")["age"] == 33
    assert "sex" not in answers("ann")
