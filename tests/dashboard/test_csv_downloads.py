"""CSV from pages opens right in Excel; CSV from the API and in exports is text alone."""

import codecs
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from analysis.models import AnalysisRun
from dashboard.share.export_files import write_export
from survey.models import Participant, Study
from survey.tidy import counted_sources
from tests.dashboard.addresses import ADDRESSES
from tests.factories import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

#: Addresses of which this study has a file.
OF_PAGES = {
    "activity-csv",
    "certificate",
    "codings",
    "download",
    "drawn-responses",
    "flagged-texts",
    "log-csv",
    "table",
}
OF_API = {
    "api:account-activity-csv",
    "api:certificate",
    "api:drawn-responses",
    "api:events-csv",
    "api:export",
    "api:table-csv",
}


def test_every_csv_of_a_page_and_none_of_the_api_has_a_byte_order_mark(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    marked: dict[str, bool] = {}
    for name, path, _ in ADDRESSES:
        there = path.replace("/1/", f"/{run.pk}/") if name == "table" else path
        if "csv" not in there and name not in OF_PAGES | OF_API:
            continue
        answer = page.get(there)
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/csv"):
            content = answer.getvalue()
            marked[name] = content.startswith(codecs.BOM_UTF8)
            assert content.count(codecs.BOM_UTF8) == marked[name], name
    assert {name for name, has_mark in marked.items() if has_mark} == OF_PAGES
    assert {name for name, has_mark in marked.items() if not has_mark} == OF_API


def test_export_has_marks_if_asked_for_and_is_imported_all_the_same(
    study: Study, tmp_path: Path
) -> None:
    plain, excel = tmp_path / "plain", tmp_path / "excel"
    call_command("export", str(study), out=plain, verbosity=0)
    call_command("export", str(study), out=excel, excel=True, verbosity=0)
    names = {path.name for path in plain.glob("*.csv")}
    assert {path.name for path in excel.glob("*.csv")} == names
    for name in names:
        assert (excel / name).read_bytes() == codecs.BOM_UTF8 + (plain / name).read_bytes()

    copy = make_study(slug="copy")
    files = {"participants": "participants.csv", "ratings": "ratings_all.csv"}
    given = {name: excel / file for name, file in files.items()}
    call_command("import_ratings", "copy", verbosity=0, **given)
    ours = Participant.objects.filter(study=study, source__in=counted_sources())
    assert copy.participants.count() == ours.count()


def test_data_of_a_zip_have_no_marks(study: Study, tmp_path: Path) -> None:
    write_export(study, counted_sources(), tmp_path, sharing=True)
    assert not any(path.read_bytes().startswith(codecs.BOM_UTF8) for path in tmp_path.iterdir())
