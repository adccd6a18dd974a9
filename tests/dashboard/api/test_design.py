"""Design by the API: texts, pages, planning, order, pilots, locked plans, rehearsals."""

import codecs
from typing import Any

import pytest
from django.test import Client

from dashboard.design.models import PlannedGrid
from dashboard.rehearsal.models import Simulation
from dashboard.shared.roles import Role
from survey.models import Study, StudyEvent
from tests.dashboard.api.asking import Bad, Change, ask, check_bad, check_change, read
from tests.dashboard.conftest import Woken
from tests.dashboard.reading import text_of
from tests.factories import make_study

pytestmark = pytest.mark.embedded  # what pages do by the same functions, on every database

CHANGES = [
    Change(
        "planning/",
        {"raters": 30, "scenarios": 5, "components": "typical"},
        202,
        Role.ANALYST,
        lambda study, said: (
            PlannedGrid.objects.get(study=study).options["raters"]
            == said["plan"]["options"]["raters"]
            == 30
        ),
    ),
    Change(
        "rehearsal/",
        {"participants": 12, "profile": "careless.yaml"},
        202,
        Role.EDITOR,
        lambda study, said: (
            Simulation.objects.get(study=study).participants == said["participants"] == 12
            and (said["seed"], said["profile"], said["state"]) == (1, "careless.yaml", "waiting")
        ),
    ),
]
BAD = [
    Bad(
        "post",
        "planning/",
        {"raters": 0},
        {"raters": ["Ensure this value is greater than or equal to 1."]},
    ),
    Bad(
        "post",
        "planning/",
        {"components": "other"},
        {"components": ['"other" is not a valid choice.']},
    ),
    Bad(
        "post",
        "plans/",
        {"confirmed": False, "note": "x"},
        {"confirmed": ["A locked plan can't be unlocked: send true."]},
    ),
    Bad("post", "rehearsal/", {"participants": 3, "from_prolific": True}, {
        "from_prolific": [
            "PROLIFIC_URL is https://api.prolific.com/api/v1: simulated people only come from a "
            "local Prolific, see docs/prolific.md",
            "Nothing was changed.",
        ]
    }),
    Bad("post", "rehearsal/", {"participants": 0, "profile": "mine.yaml"}, {
        "participants": ["Ensure this value is greater than or equal to 1."],
    }),
    Bad("post", "rehearsal/", {"participants": 3, "profile": "mine.yaml"}, {
        "profile": [
            "There is no profile mine.yaml: default.yaml, careless.yaml, haleas.yaml, liu.yaml, "
            "published.yaml.",
            "Nothing was changed.",
        ],
    }),
    Bad("get", "texts/?participant=0", {}, {
        "participant": ["Ensure this value is greater than or equal to 1."]
    }),
    Bad("get", "order/?pool=all", {}, {
        "pool": ["Select a valid choice. all is not one of the available choices."]
    }),
    Bad("get", "pilot/?version=x", {}, {"version": ["Enter a whole number."]}),
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: str(change.path))
def test_change(study: Study, woken: Woken, change: Change) -> None:
    check_change(study, change)
    tasks = {"planning/": "dashboard.plan", "rehearsal/": "dashboard.simulate"}
    [(task, row)] = woken
    job = PlannedGrid if change.path == "planning/" else Simulation
    assert (task, row) == (tasks[change.path], job.objects.get().pk)
    assert StudyEvent.objects.filter(action__endswith=" requested").count() == 1


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: f"{bad.path}{bad.sent}")
def test_bad_input(page: Client, study: Study, woken: Woken, bad: Bad) -> None:
    check_bad(page, bad)
    assert woken == []


def test_plan_is_locked_once_and_read_as_its_page_gives_it(page: Client, db: None) -> None:
    make_study()
    answer = ask(page, "post", "plans/", {"confirmed": True, "note": "as preregistered"})
    assert answer.status_code == 201, answer.content
    assert answer.json()["version"] == 1 and answer.json()["author"] == "ada"
    again = ask(
        page, "post", "plans/", {"confirmed": True, "note": "as preregistered", "reason": "x"}
    )
    assert again.status_code == 400
    assert "says the same; nothing was locked." in again.json()["detail"]
    for form in ("osf", "aspredicted", "json"):
        text = page.get(f"/api/studies/small/plans/1/{form}/")
        assert text.content == page.get(f"/studies/small/locked-plan/1/{form}/").content
    assert page.get("/api/studies/small/plans/1/word/").status_code == 404
    missing = page.get("/api/studies/small/plans/2/osf/")
    assert (missing.status_code, missing.json()["detail"]) == (404, "small@1 has no locked plan 2.")


def test_plan_is_not_locked_after_the_first_rater(page: Client, study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(frozen_at="2026-03-01T09:00Z")
    answer = ask(page, "post", "plans/", {"confirmed": True})
    assert answer.status_code == 400
    assert answer.json()["detail"].endswith("Nothing was locked.")
    assert not study.locked_plans.exists()


def test_design_is_read_as_the_pages_show_it(page: Client, study: Study) -> None:
    texts = read(page, "texts/")
    assert texts["language"] == "en"
    shown = text_of(page.get("/studies/small/texts/"))
    assert all(section["title"] in shown for section in texts["sections"])
    pages = read(page, "pages/")
    assert pages[0]["name"] == "information"
    first: Any = page.get(pages[0]["url"])
    assert first.status_code == 200 and "I agree" in text_of(first)
    order = read(page, "order/")
    assert (order["pool"], order["people"], order["n_people"]) == ("real", "completed", 4)
    assert {row["table"] for row in order["tables"]} >= {"system_position", "block_slot"}
    pilot = read(page, "pilot/")
    assert [side["study"] for side in pilot["versions"]] == ["small@1"]
    assert read(page, "planning/") == {"plan": None}
    nothing: dict[str, Any] = {
        "run": None,
        "simulation": None,
        "crowds": [],
        "found": {},
        "planted": [],
    }
    assert read(page, "rehearsal/") == nothing
    file: Any = page.get("/api/studies/small/order/certificate.csv")
    of_page = page.get("/studies/small/order/certificate.csv").getvalue()
    assert of_page == codecs.BOM_UTF8 + file.getvalue()


def test_language_without_texts_is_not_found(page: Client, study: Study) -> None:
    answer = page.get("/api/studies/small/texts/?language=fr")
    assert answer.status_code == 404
    assert answer.json() == {"detail": "small@1 has no texts in 'fr'."}
