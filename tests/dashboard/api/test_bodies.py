"""What a body says is honoured or refused: every route that changes something, field by field."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import resolve

from analysis.models import AnalysisRun
from dashboard.api.routes import BODIES, Route
from survey.models import Study, StudyEvent
from tests.dashboard.addresses import ADDRESSES, OF_CORPORA
from tests.dashboard.conftest import Woken

# What is refused before anything is stored.
pytestmark = pytest.mark.embedded


def changing() -> list[tuple[str, str]]:
    """Each route's methods that may have a body; those of corpora need one that is there."""
    found = []
    for each in ADDRESSES:
        if not each.name.startswith("api:") or each.name == "api:schema":
            continue
        view = resolve(each.path).func.cls  # type: ignore[attr-defined]
        assert issubclass(view, Route), each.name
        if each.name in OF_CORPORA and each.name != "api:corpora":
            continue
        found += [(method.lower(), each.path) for method in BODIES if hasattr(view, method.lower())]
    return found


def test_every_method_refuses_a_field_that_it_does_not_have(
    page: Client, study: Study, woken: Woken
) -> None:
    before = StudyEvent.objects.count()
    got: dict[tuple[str, str], Any] = {}
    for method, path in changing():
        view = resolve(path).func.cls  # type: ignore[attr-defined]
        kinds = [parser.media_type for parser in view.parser_classes]
        sent: dict[str, Any] = {"data": {"recipies": "paper"}}
        if "application/json" in kinds:
            sent["content_type"] = "application/json"
        elif method != "post":
            continue
        answer = getattr(page, method)(path, **sent)
        said = answer.json().get("recipies", [""]) if answer.status_code == 400 else [""]
        if not said[0].startswith("There is no field 'recipies' here; "):
            got[method, path] = (answer.status_code, answer.content)
    assert len(changing()) > 40 and got == {}
    assert StudyEvent.objects.count() == before and woken == []


def post(page: Client, route: str, sent: Any) -> tuple[int, Any]:
    path = f"/api/studies/small/{route}"
    answer = page.post(path, sent, content_type="application/json")
    return answer.status_code, answer.json()


def test_analysis_is_not_asked_for_by_a_body_of_which_it_takes_no_notice(
    page: Client, study: Study, woken: Woken
) -> None:
    for sent, said in (
        ({"recipe": "paper"}, "There is no field 'recipe' here; there is everything."),
        (
            {"include": ["simulated"]},
            "There is no field 'include' here; it belongs in the address: ?include=….",
        ),
    ):
        assert post(page, "analysis/", sent) == (400, {next(iter(sent)): [said]})
    assert post(page, "analysis/", [1])[0] == 400
    assert not AnalysisRun.objects.exists() and woken == []
    assert post(page, "analysis/", {})[0] == 202


def test_fields_within_lists_are_refused_too(page: Client, study: Study) -> None:
    decisions = [{"answer": 1, "codes": []}, {"answer": 2, "codes": [], "code": "kind"}]
    said = "There is no field 'decisions.1.code' here; there are answer, codes."
    assert post(page, "themes/codings/", {"decisions": decisions}) == (400, {"decisions": [said]})


def test_route_without_a_body_says_so(page: Client, study: Study, woken: Woken) -> None:
    said = "There is no field 'recipe' here; this route takes no body."
    assert post(page, "multiverse/", {"recipe": "paper"}) == (400, {"recipe": [said]})
    assert post(page, "multiverse/", [1]) == (400, {"detail": ["This route takes no body."]})


def test_method_that_a_route_lacks_is_named_whatever_the_body(page: Client, study: Study) -> None:
    answer = page.post(
        "/api/studies/small/members/", {"person": "ben"}, content_type="application/json"
    )
    assert answer.status_code == 405
    assert "GET, PUT" in answer.headers["Allow"]


def test_role_is_checked_before_the_body(client: Client, study: Study) -> None:
    client.force_login(User.objects.create_user("nobody", is_staff=True))
    assert post(client, "analysis/", {"recipe": "paper"})[0] == 404
