"""Prolific's demographic export by the API: shown first, then stored, all of it or nothing."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from survey.models import DemographicAnswer, Study
from tests.dashboard.reading import text_of
from tests.dashboard.recruiting.test_demographic_export import (
    FROM_PROLIFIC,
    answers,
    came,
    export,
    row,
)
from tests.factories import make_study

pytestmark = [pytest.mark.embedded]

API = "/api/studies/small/demographics/"


@pytest.fixture
def study(db: None) -> Study:
    return make_study(slug="small", demographics=FROM_PROLIFIC)


def sent(page: Client, *rows: str, **more: Any) -> tuple[int, Any]:
    file = SimpleUploadedFile("export.csv", export(*rows))
    answer = page.post(API, {"file": file, **more})
    return answer.status_code, answer.json()


def imports(study: Study) -> int:
    """How many the log has."""
    return study.events.filter(action="demographics").count()


def test_preview_says_what_would_change_and_stores_nothing(page: Client, study: Study) -> None:
    came(study, "ann")
    rows = row("ann", "30", "Female", "No"), row("nobody", "40", "Male", "Yes")
    status, would = sent(page, *rows, preview="true")
    assert (status, would["preview"], would["added"], would["unknown"]) == (200, True, 3, 1)
    assert not DemographicAnswer.objects.exists() and not imports(study)
    status, done = sent(page, *rows)
    assert (status, {**done, "preview": True}, imports(study)) == (200, would, 1)
    assert answers("ann") == {"age": 30, "sex": "Female", "student": "No"}
    assert sent(page, *rows)[1]["unchanged"] == 3
    shown = page.get(API).json()
    assert [one["imported"] for one in shown["questions"]] == [1, 1, 1]
    assert (shown["questions"][2]["column"], shown["imported_by"]) == ("Student status", "ada")


def test_page_has_the_preview_too(page: Client, study: Study) -> None:
    came(study, "ann")
    file = SimpleUploadedFile("export.csv", export(row("ann", "30", "Female", "No")))
    address = "/studies/small/demographics/"
    shown = text_of(page.post(address, {"file": file, "preview": "on"}, follow=True))
    assert "3 added" in shown and "This is a preview: nothing is stored." in shown
    assert not DemographicAnswer.objects.exists()


def test_wrong_export_changes_nothing(page: Client, study: Study) -> None:
    came(study, "ann")
    status, said = sent(page, row("ann", "30", "Female", "No"), row("ann", "old", "Female", "No"))
    assert status == 400
    assert "export.csv, line 3" in said["file"][0] and said["file"][-1] == "Nothing was changed."
    assert page.post(API, {}).json() == {
        "detail": ["Choose the file that you exported from Prolific."]
    }
    answer = page.post(API, {"from_prolific": True}, content_type="application/json")
    assert (answer.status_code, "not connected" in answer.json()["detail"]) == (400, True)
    assert not DemographicAnswer.objects.exists()
