"""The services of docker-compose.yml work together when started as processes."""

import os
from collections.abc import Callable

import requests
from playwright.sync_api import Page, expect

from tests.e2e.installation import Installation


def test_site_answers_with_its_login_page(installation: Installation) -> None:
    answer = requests.get(f"{installation.url}/", timeout=30)
    assert (answer.status_code, answer.url) == (200, f"{installation.url}/login/?next=/")


def test_database_is_that_of_the_shape(installation: Installation) -> None:
    expected = "postgresql" if os.environ.get("DATABASE_URL") else "sqlite"
    assert installation.environment["DATABASE_URL"].partition(":")[0] == expected
    assert installation.query("SELECT username FROM auth_user WHERE is_staff = %s", [True]) == [
        ("researcher",)
    ]


def test_researcher_logs_in(installation: Installation, new_page: Callable[..., Page]) -> None:
    page = new_page()
    page.goto(installation.url)
    name, password = installation.researcher
    page.locator("input[name=username]").fill(name)
    page.locator("input[name=password]").fill(password)
    page.locator("form:has(input[name=password]) button").click()
    expect(page).to_have_url(f"{installation.url}/")
