"""Overview by the API: live state, opening and closing, versions and changes."""

import pytest
from django.test import Client

from dashboard.overview.opening import against, refused
from dashboard.shared.roles import Role
from survey.models import Study
from tests.dashboard.api.asking import Bad, Change, check_bad, check_change, read
from tests.dashboard.reading import text_of
from tests.factories import make_study

pytestmark = pytest.mark.embedded  # what pages do by the same functions, on every database

CHANGES = [
    Change(
        "state/", {"state": "paused"}, 200, Role.EDITOR, lambda study, _: study.state == "paused"
    ),
    Change(
        "state/", {"state": "closed"}, 200, Role.EDITOR, lambda _, said: said["state"] == "closed"
    ),
    Change("state/", {"state": "draft"}, 200, Role.EDITOR, lambda study, _: study.state == "draft"),
    Change(
        "state/",
        {"state": "open", "rehearsal": True},
        200,
        Role.EDITOR,
        lambda study, said: study.is_rehearsing and said["is_rehearsal"],
    ),
]
BAD = [
    Bad("post", "state/", {}, {"state": ["This field is required."]}),
    Bad("post", "state/", {"state": "x"}, {"state": ['"x" is not a valid choice.']}),
    Bad(
        "post",
        "state/",
        {"state": "paused", "rehearsal": True},
        {"detail": ["A rehearsal goes with open, not with paused."]},
    ),
    Bad("get", "differences/?version=x", {}, {"version": ["Enter a whole number."]}),
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: str(change.sent))
def test_change(study: Study, change: Change) -> None:
    check_change(study, change)


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: f"{bad.path}{bad.sent}")
def test_bad_input(page: Client, study: Study, bad: Bad) -> None:
    check_bad(page, bad)


def test_study_that_would_be_spoiled_is_not_opened(page: Client, study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(state="draft", settings=study.settings | {
        "ways_in": ["prolific"], "prolific": {"completion_code": "K7PQ2XWM"},
    })  # fmt: skip
    study.refresh_from_db()
    reasons = [str(finding) for finding in refused(against(study))]
    assert reasons
    bad = {"detail": f"small@1 was not opened: {' '.join(reasons)} Nothing was changed."}
    check_bad(page, Bad("post", "state/", {"state": "open"}, bad))


def test_live_state_is_that_of_the_page(page: Client, study: Study) -> None:
    live = read(page, "live/")
    shown = text_of(page.get("/studies/small/"))
    assert live["include"] == []
    assert live["slots"][0]["pool"] == "real" and live["slots"][0]["maximum"] is None
    assert sum(row["arrived"] for row in live["over_time"]["intervals"]) == 4
    assert live["pages"][0] == {
        "number": 0, "name": "Consent", "reached": 4, "left": 0, "here": 0,
    }  # fmt: skip
    assert live["minutes"]["everybody"] == {"n": 4, "lower": 15.5, "median": 20.0, "upper": 20.0}
    assert [row["ending"] for row in live["endings"]][:1] == ["Completed"]
    assert {row["way"] for row in live["links"]} == {"Open link", "Preview"}
    assert live["warnings"] and all(row["what"] in shown for row in live["warnings"])
    with_robot = read(page, "live/?include=simulated")
    assert with_robot["minutes"]["everybody"]["n"] == 5


def test_versions_differ_and_changes_are_listed(page: Client, study: Study) -> None:
    make_study(dimensions=["warmth", "tact"])
    versions = read(page, "versions/")["results"]
    assert [(row["name"], row["raters"]) for row in versions] == [("small@2", 0), ("small@1", 4)]
    assert read(page, "differences/")["compared"] == "small@1"
    parts = [row["part"] for row in read(page, "differences/?version=1")["differences"]]
    assert "Tasks" in parts
    assert page.get("/api/studies/small/differences/?version=7").json() == {
        "detail": "small has no version 7 to compare with."
    }
    changes = read(page, "changes/?limit=1")
    assert changes["results"][0]["study"] == "small@2"
    assert changes["results"][0]["what"].startswith("Texts, tasks and responses loaded")
    assert changes["next"]
