"""The page of the largest differences: texts, numbers of the stored table, comments by role."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from analysis.models import AnalysisRun
from dashboard.shared.models import Membership
from dashboard.shared.roles import Role
from survey.models import FreeAnswer, Presentation, Response, Study
from tests.dashboard.reading import text_of

pytestmark = pytest.mark.embedded  # what a page says of a stored table

PAGE = "/studies/small/results/differences/"
API = "/api/studies/small/largest-differences/"


@pytest.fixture
def commented(study: Study, run: AnalysisRun) -> Study:
    """Ann, who counts, and Dot, who is excluded, wrote about every page."""
    for shown in Presentation.objects.filter(participant__pseudonym__in=["ann", "dot"]):
        FreeAnswer.objects.create(
            participant=shown.participant,
            presentation=shown,
            name="why",
            text=f"{shown.participant.pseudonym} was moved",
        )
    return study


def test_cases_have_both_texts_with_the_numbers_of_the_table(
    commented: Study, run: AnalysisRun, page: Client
) -> None:
    told = page.get(API).json()
    assert told["run"] == run.pk
    first = told["cases"][0]
    assert abs(first["difference"]) == max(abs(case["difference"]) for case in told["cases"])
    assert first["n"] == 3
    known = set(Response.objects.filter(scenario__study=commented).values_list("text", flat=True))
    assert {side["text"] for case in told["cases"] for side in case["sides"]} <= known
    assert {"question": "why", "text": "ann was moved"} in first["comments"]
    assert "dot was moved" not in str(told)
    shown = text_of(page.get(PAGE))
    assert "The largest of many differences is overestimated" in shown
    assert all(side["text"] in shown for side in first["sides"])
    assert "ann was moved" in shown
    # one pair, and nothing of the others
    pair = told["pairs"][-1]
    alone = page.get(API, {"pair": pair}).json()["cases"]
    systems = [f"{side['model']} ({side['condition']})" for side in alone[0]["sides"]]
    assert {" / ".join(systems)} == {pair}
    assert len({str(case["sides"][0]["model"]) for case in alone}) == 1
    refused = page.get(API, {"pair": "nobody"})
    assert (refused.status_code, list(refused.json())) == (400, ["pair"])
    assert page.get(PAGE, {"pair": "nobody"}).status_code == 200


def test_viewers_see_texts_and_numbers_but_no_comments(
    commented: Study, run: AnalysisRun, client: Client
) -> None:
    user = User.objects.create_user("vi", is_staff=True)
    Membership.objects.create(slug="small", user=user, role=Role.VIEWER)
    client.force_login(user)
    shown = text_of(client.get(PAGE))
    assert "overestimated" in shown
    assert "ann was moved" not in shown
    assert {str(case["comments"]) for case in client.get(API).json()["cases"]} == {"[]"}


def test_without_an_analysis_there_are_no_cases(study: Study, page: Client) -> None:
    assert page.get(API).json()["cases"] == []
    assert page.get(PAGE).status_code == 200
