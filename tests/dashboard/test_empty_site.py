"""A site without a study; in a file of its own, as a study is shared by all tests of a file."""

from django.test import Client

from tests.dashboard.reading import text_of


def test_studies_without_any_says_how_to_load_one(page: Client) -> None:
    assert "No study yet" in text_of(page.get("/"))
