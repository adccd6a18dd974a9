"""What an installation knew of bonuses before it told apart what was paid outside."""

from datetime import timedelta
from importlib import import_module

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone
from pytest_django import Settings

from dashboard.payments.models import SubmissionDecision
from tests.dashboard.payments.conftest import There

module = import_module("dashboard.migrations.0021_bonuses_outside")


@pytest.mark.e2e
@pytest.mark.django_db(transaction=True)  # columns come and go
def test_payments_of_other_decisions_are_no_payments_outside(
    there: There, settings: Settings
) -> None:
    there.add("ann", "ben")
    now = timezone.now()
    bonuses = [
        there.decide("bonus", name, cents=75, purpose=purpose).decisions.get()
        for name in ("ann", "ben")
        for purpose in ("one", "two", "three")
    ]
    settings.MIGRATION_MODULES = {}
    loader = MigrationLoader(connection)
    before = loader.project_state(("dashboard", "0015_corpus_jobs"))
    migration = module.Migration("0021_bonuses_outside", "dashboard")
    with connection.schema_editor() as editor:
        migration.unapply(before.clone(), editor)
    Earlier = before.apps.get_model("dashboard", "SubmissionDecision")
    # Ann: paid one after the other beside one payment by hand; Ben: two at the same time.
    told = [(30, 29, 1), (20, 19, 2), (10, None, 3), (30, 29, 0), (30, None, 0), (None, None, None)]
    for one, (asked, done, paid_before) in zip(bonuses, told, strict=True):
        Earlier.objects.filter(pk=one.pk).update(
            asked_at=asked and now - timedelta(minutes=asked),
            done_at=done and now - timedelta(minutes=done),
            state="done" if done else "asked" if asked else "waiting",
            paid_before=paid_before,
        )
    with connection.schema_editor() as editor:
        migration.apply(before.clone(), editor)
    outside = SubmissionDecision.objects.order_by("id").values_list("paid_outside", flat=True)
    assert list(outside) == [1, 1, 1, 0, 0, None]
