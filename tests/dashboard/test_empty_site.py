"""A site without a study; in a file of its own, as a study is shared by all tests of a file."""

import pytest
from django.test import Client

from tests.dashboard.reading import text_of

# What pages show and say; test_pages.py opens them on every database.
pytestmark = pytest.mark.embedded


def test_studies_without_any_says_how_to_load_one(page: Client) -> None:
    assert "No study yet" in text_of(page.get("/"))
