"""Refused arrivals on Overview and by the API: by reason, with what to do."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from dashboard.overview.refused import WHAT_TO_DO
from survey.arrival_counts import count_refusal
from survey.models import Refusal, Study
from tests.dashboard.reading import text_of


def refuse(study: Study, reason: str, n: int, minutes_ago: float) -> None:
    for _ in range(n):
        count_refusal(study, reason, at=timezone.now() - timedelta(minutes=minutes_ago))


def test_overview_lists_refusals_by_reason_most_first(page: Client, study: Study) -> None:
    address = f"/studies/{study}/"
    assert "Refused arrivals" not in text_of(page.get(address))
    refuse(study, "full", 2, minutes_ago=300)
    refuse(study, "no_id", 4, minutes_ago=90)
    refuse(study, "no_id", 3, minutes_ago=5)
    text = text_of(page.get(address))
    assert "Refused arrivals" in text
    assert "The link had no participant ID 7 3" in text
    assert "The study was full 2 0" in text
    assert text.index("The link had no participant ID") < text.index("The study was full")
    assert "arrivals were refused in the last hour" not in text


def test_many_in_an_hour_are_a_warning(page: Client, study: Study) -> None:
    refuse(study, "no_id", 5, minutes_ago=5)
    refuse(study, "took_part", 50, minutes_ago=5)
    text = text_of(page.get(f"/studies/{study}/"))
    assert "5 arrivals were refused in the last hour. The link had no participant ID." in text
    assert "50 arrivals were refused" not in text


def test_api_says_the_same(page: Client, study: Study) -> None:
    refuse(study, "no_id", 5, minutes_ago=5)
    refuse(study, "paused", 1, minutes_ago=500)
    live = page.get(f"/api/studies/{study}/live/").json()
    first, second = live["refused"]
    at = first.pop("last_at")
    assert first == {
        "reason": "no_id",
        "label": "The link had no participant ID",
        "n": 5,
        "in_last_hour": 5,
        "what_to_do": WHAT_TO_DO[Refusal.NO_ID],
    }
    assert at <= timezone.now().isoformat()
    assert (second["reason"], second["n"], second["in_last_hour"]) == ("paused", 1, 0)
    assert any(one["what"].startswith("5 arrivals were refused") for one in live["warnings"])


def test_each_version_counts_its_own(page: Client, study: Study) -> None:
    refuse(study, "no_id", 1, minutes_ago=5)
    other = Study.objects.get(pk=study.pk)
    other.pk, other.version = None, 2
    other.save()
    assert page.get(f"/api/studies/{other}/live/").json()["refused"] == []


@pytest.mark.parametrize("reason", Refusal.values)
def test_every_reason_says_what_to_do(reason: str) -> None:
    assert WHAT_TO_DO[Refusal(reason)].endswith(".")
