import pytest
from django.test import Client

from survey.models import Study
from tests.survey import small_study


@pytest.fixture
def study(db: None) -> Study:
    return small_study.load()


@pytest.fixture
def client() -> Client:
    """A browser of its own for each test, with CSRF checks as in production."""
    return Client(enforce_csrf_checks=False)
