"""Design → Planning: a worker computes the grid, the page shows it or why there is none."""

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from dashboard.design.forms import PlanForm
from dashboard.design.models import PlannedGrid
from dashboard.design.plan_options import KEPT, PlanOptions, plans_of, request_plan
from jobs.leases import to_wake
from jobs.runner import run_job
from survey.models import Study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    call_command("load_study", "examples/empathy", stdout=StringIO(), stderr=StringIO())
    return Study.objects.get(slug="empathy")


@pytest.fixture
def researcher(client: Client, study: Study) -> Client:
    client.force_login(User.objects.create_superuser("ada"))
    return client


def compute(study: Study, **options: object) -> PlannedGrid:
    plan = request_plan(study=study, options=PlanOptions(**options))  # type: ignore[arg-type]
    assert run_job(PlannedGrid, plan.pk)
    plan.refresh_from_db()
    return plan


def test_a_worker_computes_what_was_asked_for_once(study: Study) -> None:
    plan = request_plan(study=study, options=PlanOptions(raters=8, scenarios=4))
    assert to_wake(PlannedGrid) == [plan.pk]
    assert run_job(PlannedGrid, plan.pk)
    assert not run_job(PlannedGrid, plan.pk)
    plan.refresh_from_db()
    assert plan.state == PlannedGrid.State.DONE
    assert {row["raters"] for row in plan.rows} == {2, 4, 8, 16, 32}
    assert plan.sentences[0].startswith("With 8 raters and 4 scenarios, a true difference of")
    assert to_wake(PlannedGrid) == []


def test_rows_without_numbers_are_stored_with_their_reason(study: Study) -> None:
    plan = compute(study, raters=1, scenarios=1)
    assert plan.sentences[0].startswith("The main result is not estimable")


def test_a_study_without_ratings_says_why_its_pilot_is_no_help(study: Study) -> None:
    plan = compute(study, components="pilot")
    assert plan.state == PlannedGrid.State.FAILED
    assert "there are no ratings yet that a plan could learn from" in plan.error


def test_the_oldest_plans_are_removed(study: Study) -> None:
    for _ in range(KEPT + 2):
        request_plan(study=study, options=PlanOptions())
    assert plans_of(study).count() == KEPT


def test_numbers_may_be_typed_in_any_digits() -> None:
    form = PlanForm({"raters": "８", "difference": "０．５", "pay_per_hour": "٩٫٥"})
    assert form.is_valid()
    assert form.asked == PlanOptions(raters=8, difference=0.5, pay_per_hour=9.5)


@pytest.mark.embedded
def test_page_asks_shows_and_refuses(researcher: Client, study: Study) -> None:
    page = reverse("planning", args=[study])
    assert "Press “Compute” for a first plan." in researcher.get(page).content.decode()
    sent = {"raters": "8", "scenarios": "4", "pay_per_hour": "9"}
    assert researcher.post(page, sent).status_code == 302
    assert "Waiting for a worker" in researcher.get(page).content.decode()
    plan = plans_of(study).get()
    state = reverse("job-state", args=[study, "plan", plan.pk])
    assert "X-Finished" not in researcher.get(state)
    assert run_job(PlannedGrid, plan.pk)
    assert researcher.get(state)["X-Finished"] == "1"
    text = researcher.get(page).content.decode()
    assert "With 8 raters and 4 scenarios, a true difference of" in text
    assert 'value="8"' in text  # the options stay in the form
    refused = researcher.post(page, {"raters": "0"}).content.decode()
    assert "greater than or equal to 1" in refused
    assert plans_of(study).count() == 1
