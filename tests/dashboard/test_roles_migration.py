"""What an installation without roles becomes: nobody loses access, and tokens go on for a while."""

import hashlib
from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone

from dashboard.accounts.models import ApiToken
from dashboard.shared.models import Membership
from tests.factories import make_study

migration = import_module("dashboard.migrations.0012_roles_of_accounts")
KEY = "9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b"


@pytest.mark.django_db(transaction=True)  # a table is dropped
def test_active_researchers_own_what_is_there_and_keep_their_token() -> None:
    make_study(slug="one")
    make_study(slug="two")
    ada = User.objects.create_user("ada", is_staff=True)
    User.objects.create_user("left", is_staff=True, is_active=False)
    User.objects.create_user("guest")
    User.objects.create_superuser("root")
    with connection.cursor() as cursor:
        cursor.execute(
            'CREATE TABLE authtoken_token ("key" varchar(40), created timestamp, user_id bigint)'
        )
        cursor.execute(
            "INSERT INTO authtoken_token VALUES (%s, %s, %s)", [KEY, timezone.now(), ada.pk]
        )
    with connection.schema_editor() as editor:
        migration.give_roles(apps, editor)
        migration.move_tokens(apps, editor)
        migration.move_tokens(apps, editor)  # as in an installation that never had any
    given = Membership.objects.values_list("user__username", "slug", "role")
    assert sorted(given) == [("ada", "one", "owner"), ("ada", "two", "owner")]
    client = Client(headers={"authorization": f"Token {KEY}"})
    assert len(client.get("/api/studies/").json()["results"]) == 2
    token = ApiToken.objects.get()
    assert token.digest == hashlib.sha256(KEY.encode()).hexdigest()
    assert token.may_change and token.name == "Token from before the update"
    assert token.expires_at is not None
    assert token.expires_at - timezone.now() > timedelta(days=89)
    assert "authtoken_token" not in connection.introspection.table_names()
