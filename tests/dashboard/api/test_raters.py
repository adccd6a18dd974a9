"""Raters by the API: records, decisions, thresholds and rules."""

from typing import Any

import pytest
from django.test import Client

from analysis.models import AnalysisRun
from analysis.quality_rules import SETTINGS
from analysis.rule_sets import current_rules
from dashboard.shared.roles import Role
from survey.models import Study
from tests.dashboard.api.asking import Bad, Change, ask, check_bad, check_change, read
from tests.dashboard.conftest import Woken
from tests.dashboard.reading import text_of

pytestmark = pytest.mark.embedded  # what pages do by the same functions, on every database

EXCLUDE = {"raters": ["ann", "ben"], "excluded": True, "reason": "they told us so"}
USE = {"settings": {"duration_minimum": 1}, "instead_of": 1}


def decided(study: Study, *names: str) -> bool:
    """Whether the newest decisions exclude exactly these raters."""
    newest = {
        person.pseudonym
        for person in study.participants.all()
        if (last := person.manual_decisions.last()) and last.excluded
    }
    return newest == set(names)


CHANGES = [
    Change(
        "decisions/",
        EXCLUDE,
        201,
        Role.EDITOR,
        lambda study, said: (
            decided(study, "ann", "ben")
            and said["changed"] == ["ann", "ben"]
            and said["run"]["state"] == "waiting"
        ),
    ),
    Change(
        "thresholds/",
        USE,
        202,
        Role.EDITOR,
        lambda study, said: (
            SETTINGS["duration_minimum"].of(current_rules(study)) == 1 and said["version"] == 2
        ),
    ),
]
BAD = [
    Bad("post", "decisions/", EXCLUDE | {"raters": ["ann", "zoe"]}, {
        "raters": ["small@1 has no rater zoe."]
    }),
    Bad("post", "decisions/", EXCLUDE | {"raters": []}, {
        "raters": ["This list may not be empty."]
    }),
    Bad("post", "decisions/", EXCLUDE | {"reason": " "}, {
        "reason": ["This field may not be blank."]
    }),
    Bad("post", "decisions/", {"raters": ["ann"], "reason": "x"}, {
        "excluded": ["This field is required."]
    }),
    Bad("post", "thresholds/", {"settings": {"duration_minimum": 1}}, {
        "instead_of": ["This field is required."]
    }),
    Bad("post", "thresholds/", USE | {"instead_of": 7}, {
        "detail": "Nothing was changed: rules version 1 came into force meanwhile. "
        "Check its thresholds first."
    }),
    Bad("post", "thresholds/", USE | {"settings": {}}, {
        "detail": "These thresholds are in force already. Nothing was changed."
    }),
    Bad("post", "thresholds/", USE | {"settings": {"duration_minimum": "many"}}, {
        "duration_minimum": ["Enter a number."]
    }),
    Bad("get", "raters/?included=perhaps", {}, {
        "included": ["Select a valid choice. perhaps is not one of the available choices."]
    }),
    Bad("get", "decisions/?rater=zoe", {}, {"raters": ["small@1 has no rater zoe."]}),
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.path)
def test_change(study: Study, run: AnalysisRun, woken: Woken, change: Change) -> None:
    check_change(study, change)
    newest = study.analysis_runs.latest("id")
    assert newest != run and woken == [("analysis.run", newest.pk)]


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: f"{bad.path}{bad.sent}")
def test_bad_input(page: Client, study: Study, run: AnalysisRun, woken: Woken, bad: Bad) -> None:
    ask(page, "get", "thresholds/")  # which stores the rules in force
    check_bad(page, bad)
    assert woken == []


def test_what_is_no_threshold_is_named_with_those_there_are(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    asked = page.get("/api/studies/small/thresholds/?minimum=1")
    sent = ask(page, "post", "thresholds/", {"settings": {"minimum": 1}, "instead_of": 1})
    for answer, field, why in (
        (asked, "minimum", "This route has no parameter 'minimum'; there are "),
        (sent, "settings", "'minimum' is no threshold of small@1; there are: "),
    ):
        assert answer.status_code == 400
        [said] = answer.json()[field]
        assert said.startswith(why) and "duration_minimum" in said


def test_expert_is_not_excluded(page: Client, study: Study, run: AnalysisRun) -> None:
    study.participants.filter(pseudonym="ann").update(source="panel", panel="experts")
    answer = ask(page, "post", "decisions/", EXCLUDE)
    assert answer.status_code == 400
    assert "ann is an expert of a panel and no rater" in answer.json()["detail"]
    assert decided(study)


def test_rater_with_a_slash_in_an_imported_name_is_found(page: Client, study: Study) -> None:
    study.participants.filter(pseudonym="ann").update(pseudonym="wave 1/ann")
    assert read(page, "raters/wave%201%2Fann/")["participant"] == "wave 1/ann"
    ask(page, "post", "raters/wave%201%2Fann/identity/")
    assert study.events.filter(action="identity shown").exists()
    assert page.get("/studies/small/raters/wave%201%2Fann/").status_code == 302


def test_decision_is_listed_and_taken_back(page: Client, study: Study, run: AnalysisRun) -> None:
    ask(page, "post", "decisions/", EXCLUDE)
    ask(page, "post", "decisions/", {"raters": ["ann"], "excluded": False, "reason": "a mistake"})
    listed = read(page, "decisions/")["results"]
    assert [(row["rater"], row["excluded"], row["author"]) for row in listed] == [
        ("ann", False, "ada"), ("ben", True, "ada"), ("ann", True, "ada"),
    ]  # fmt: skip
    assert len(read(page, "decisions/?rater=ben")["results"]) == 1
    assert decided(study, "ben")


def test_raters_are_chosen_and_come_in_pages(page: Client, study: Study, run: AnalysisRun) -> None:
    kept = read(page, "raters/?included=true")["results"]
    assert [row["participant"] for row in kept] == ["ann", "ben", "cat"]
    assert [r["participant"] for r in read(page, "raters/?rule=duration")["results"]] == ["dot"]
    first = read(page, "raters/?limit=3")
    assert first["run"]["id"] == run.pk and first["previous"] is None
    second = page.get(first["next"]).json()
    assert [row["participant"] for row in second["results"]] == ["dot"]
    assert second["next"] is None
    assert page.get(second["previous"]).json()["results"] == first["results"]


def test_record_of_a_rater_is_that_of_the_page(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    dot = study.participants.get(pseudonym="dot")
    record = read(page, "raters/dot/")
    assert (record["participant"], record["included"], record["excluded_by"]) == (
        "dot", False, "duration",
    )  # fmt: skip
    assert record["run"]["id"] == run.pk and record["indices"]["n_ratings"] == 12
    shown = text_of(page.get(f"/studies/small/raters/{dot.pk}/"))
    assert [row["verdict"] for row in record["verdicts"]].count("excluded by this rule") == 1
    assert all(row["excludes"] in shown for row in record["verdicts"])
    assert len(record["answers"]) == 12 and record["answers"][0]["value"] == "3"
    assert [row["name"] for row in record["pages"]][:1] == ["Consent"]
    assert record["checks"][0] | {"statement": ""} == {
        "check": "check_1", "statement": "", "answer": "label 2", "right": "label 2",
        "passed": True, "revisions": 0,
    }  # fmt: skip
    missing: Any = page.get("/api/studies/small/raters/zoe/")
    assert missing.status_code == 404
    assert missing.json()["detail"].startswith("small@1 has no rater zoe.")


def test_other_thresholds_are_tried_as_on_the_page_and_nothing_is_decided(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    tried = read(page, "thresholds/?duration_minimum=1")
    assert tried["version"] == 1 and tried["run"]["id"] == run.pk
    assert (tried["joining"], tried["leaving"]) == (["dot"], [])
    assert (tried["before"]["kept"], tried["after"]["kept"]) == (3, 4)
    [moved] = [s for s in tried["settings"] if s["in_force"] != s["tried"]]
    assert (moved["name"], moved["in_force"], moved["tried"]) == ("duration_minimum", 10.0, 1.0)
    [said] = tried["changes"]
    assert said.endswith("10 → 1")
    assert study.rule_sets.count() == 1
    versions = read(page, "rules/")["results"]
    assert [(row["version"], row["changes"]) for row in versions] == [(1, ["first version"])]
