"""A researcher's own key to the API."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from rest_framework.authtoken.models import Token

from tests.dashboard.reading import text_of

# What pages show and say; test_pages.py opens them on every database.
pytestmark = pytest.mark.embedded


def test_token_is_made_replaced_and_deleted(page: Client, researcher: User) -> None:
    assert "You have no token yet." in text_of(page.get("/account/token/"))
    page.post("/account/token/", {"action": "renew"})
    first = Token.objects.get(user=researcher).key
    assert first in page.get("/account/token/").content.decode()
    page.post("/account/token/", {"action": "renew"})
    assert Token.objects.get(user=researcher).key != first
    page.post("/account/token/", {"action": "delete"})
    assert not Token.objects.exists()


def test_token_of_somebody_else_is_left_alone(page: Client, db: None) -> None:
    other = Token.objects.create(user=User.objects.create_user("bob", is_staff=True))
    page.post("/account/token/", {"action": "renew"})
    assert other.key not in page.get("/account/token/").content.decode()
    assert Token.objects.filter(pk=other.pk).exists()
