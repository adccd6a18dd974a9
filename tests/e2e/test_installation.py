"""The services of docker-compose.yml work together when started as processes."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import requests
from playwright.sync_api import Page, expect
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from config.processes import free_port
from tests.e2e.installation import Installation, proxy_before, running_installation


def test_site_answers_with_its_login_page(installation: Installation) -> None:
    answer = requests.get(f"{installation.url}/", timeout=10)
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


@pytest.mark.e2e
def test_researcher_logs_in_over_https(tmp_path: Path) -> None:
    site = f"https://localhost:{free_port()}"
    with (
        running_installation(tmp_path / "data", SITE_URL=site) as secured,
        proxy_before(secured, tmp_path / "proxy") as certificate,
        requests.Session() as session,
    ):
        session.trust_env = False  # a bundle named there would win over the certificate
        session.verify = str(certificate)
        # The proxy makes its certificate when it is already listening.
        session.mount(site, HTTPAdapter(max_retries=Retry(total=12, backoff_factor=0.1)))
        form = session.get(f"{site}/login/", timeout=10)
        token = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', form.text)[0]
        name, password = secured.researcher
        answer = session.post(
            f"{site}/login/",
            data={"csrfmiddlewaretoken": token, "username": name, "password": password},
            headers={"Referer": f"{site}/login/"},
            timeout=10,
        )
        assert (answer.status_code, answer.url) == (200, f"{site}/")
        assert all(cookie.secure for cookie in session.cookies)
        assert answer.headers["Strict-Transport-Security"] == "max-age=2592000"
        assert answer.headers["Content-Encoding"] == "gzip"
