"""A session cookie that is none: whoever brings it is nobody in particular."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

NUL = r'"\000{}"'  # as browsers' quoting carries it


@pytest.mark.parametrize(
    "cookie",
    [NUL.format("a" * 31), NUL.format("a" * 10_000), "é" * 32, ""],
    ids=["NUL", "long", "accents", "empty"],
)
def test_cookie_that_no_key_can_be_is_no_session(db: None, cookie: str) -> None:
    client = Client(headers={"cookie": f"sessionid={cookie}"})
    assert client.get("/login/").status_code == 200
    assert client.get("/").headers["Location"] == "/login/?next=/"
    assert client.get("/api/studies/").status_code == 401
    assert client.get("/s/nowhere/?preview").status_code == 404


def test_csrf_cookie_that_is_none_refuses_the_form_alone(db: None) -> None:
    cookie = f"csrftoken={NUL.format('a' * 31)}"
    client = Client(enforce_csrf_checks=True, headers={"cookie": cookie})
    assert client.get("/login/").status_code == 200
    assert client.post("/login/", {"username": "ada"}).status_code == 403


def test_researcher_stays_logged_in(db: None) -> None:
    client = Client()
    User.objects.create_user("ada", password="correct horse", is_staff=True)
    client.post("/login/", {"username": "ada", "password": "correct horse"})
    assert client.get("/").status_code == 200
