"""Raw records can be looked at and not touched."""

from collections.abc import Callable

import pytest
from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from judge.calls import record_scores
from judge.gold import add_gold_set
from judge.models import (
    Attempt,
    Batch,
    Call,
    EndpointTrait,
    GoldDecision,
    GoldScore,
    GoldSet,
    Judge,
    Score,
    StructuredOutput,
)
from judge.parsing import Scored
from judge.queries import Gold
from survey.models import Response
from tests.judge.judging import claim_one, reply_of

pytestmark = pytest.mark.embedded  # raw records, read by Django's own pages

RECORDS = [
    Judge,
    Call,
    Score,
    Attempt,
    Batch,
    EndpointTrait,
    StructuredOutput,
    GoldSet,
    GoldScore,
    GoldDecision,
]


def test_every_table_of_records_is_here() -> None:
    shown = {model for model in admin.site._registry if model._meta.app_label == "judge"}
    assert shown == set(RECORDS)


@pytest.mark.parametrize("table", RECORDS)
def test_records_are_shown_and_never_added(
    table: type[Model], admin_client: Client, queued: Callable[..., Judge]
) -> None:
    judge = queued()
    Batch.objects.create(judge=judge, key="k")
    EndpointTrait.objects.create(endpoint=judge.endpoint, model="m", trait="no_seed", said="no")
    claimed = claim_one(judge)
    record_scores(claimed, reply_of("{}"), [Scored(2, "Warm.")])
    gold = Gold(Response.objects.earliest("pk").pk, "warmth", 2.0, [])
    add_gold_set(judge.study, name="experts", made_by="", scores=[gold])
    name = table._meta.model_name
    record = table._default_manager.all()[0]
    assert admin_client.get(reverse(f"admin:judge_{name}_changelist")).status_code == 200
    change = reverse(f"admin:judge_{name}_change", args=[record.pk])
    assert admin_client.get(change).status_code == 200
    assert admin_client.post(change, {}).status_code == 403
    assert admin_client.get(reverse(f"admin:judge_{name}_add")).status_code == 403
    delete = reverse(f"admin:judge_{name}_delete", args=[record.pk])
    assert admin_client.post(delete, {"post": "yes"}).status_code == 403
