"""Records of analyses in the admin: shown, never changed."""

import pytest
from django.test import Client

from analysis.execution import finished_run
from survey.tidy import counted_sources
from tests.factories import add_participant, make_study

TABLES = ["ruleset", "analysisrun", "raterquality", "exclusion", "result"]


@pytest.mark.parametrize("table", TABLES)
def test_records_are_listed_and_cannot_be_changed(admin_client: Client, table: str) -> None:
    study = make_study()
    add_participant(study, pseudonym="anna", minutes=1)
    finished_run(study=study, sources=counted_sources())
    address = f"/admin/analysis/{table}/"

    listed = admin_client.get(address)
    assert listed.status_code == 200
    assert 'class="action-select"' not in listed.content.decode()
    assert admin_client.get(f"{address}add/").status_code == 403
