"""Raw records can be looked at and not touched."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from judge.calls import claim
from judge.models import Attempt, Call, GoldScore, Judge


@pytest.mark.parametrize("table", [Judge, Call, Attempt, GoldScore])
def test_records_are_shown_and_never_added(
    table: type[Judge | Call | Attempt | GoldScore],
    admin_client: Client,
    queued: Callable[..., Judge],
) -> None:
    judge = queued()
    claim(judge.pk)
    response = Call.objects.all()[0].response
    GoldScore.objects.create(study=judge.study, response=response, dimension="warmth", value=2)
    name = table._meta.model_name
    record = table._default_manager.all()[0]
    assert admin_client.get(reverse(f"admin:judge_{name}_changelist")).status_code == 200
    change = reverse(f"admin:judge_{name}_change", args=[record.pk])
    assert admin_client.get(change).status_code == 200
    assert admin_client.post(change, {}).status_code == 403
    assert admin_client.get(reverse(f"admin:judge_{name}_add")).status_code == 403
    assert (
        admin_client.post(
            reverse(f"admin:judge_{name}_delete", args=[record.pk]), {"post": "yes"}
        ).status_code
        == 403
    )
