"""Judges by the API: progress, retries, single calls, gold scores, agreement and guard."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from analysis.models import AnalysisRun
from dashboard.shared.roles import Role
from jobs.runner import run_job
from judge.models import Call, GoldDecision, Judge
from judge.queries import gold_source
from survey.models import Response, Study, StudyEvent
from tests.dashboard.api.asking import Bad, Change, ask, check_bad, check_change, everything, read
from tests.dashboard.conftest import Woken
from tests.dashboard.judging import answer_calls, fail_call, gold_set

pytestmark = pytest.mark.embedded  # what pages do by the same functions, on every database

GOLD = "scenario,set,model,condition,gold\nS1,1,Ant,plain,4\nS1,1,Ant,tuned,2\n"
HERE = "judges/stand-in@1/"


@pytest.fixture
def judged(judge: Judge) -> Judge:
    """The judge with all of its calls answered but one, which failed."""
    first, *others = judge.calls.order_by("id")
    answer_calls(others)
    fail_call(first, "no number in it", "I would rather not say")
    return judge


def failed(study: Study) -> Call:
    return Call.objects.get(judge__study=study, state=Call.State.FAILED)


CHANGES = [
    Change(
        f"{HERE}retry/",
        {},
        202,
        Role.EDITOR,
        lambda study, said: (
            said == {"queued": 1}
            and not Call.objects.filter(judge__study=study, state="failed").exists()
        ),
    ),
    Change(
        "judges/",
        {"judge": "stand-in"},
        202,
        Role.EDITOR,
        lambda study, said: said["judges"][0]["waiting"] == 1,
    ),
]
BAD = [
    Bad("post", f"{HERE}retry/", {"call": "x"}, {"call": ["A valid integer is required."]}),
    Bad("post", "gold/", {}, {"source": ["This field is required."]}),
    Bad("post", "gold/", {"source": "nobody"}, {
        "detail": "'nobody' is no source of gold scores of small@1; there are: stand-in@1. "
        "Nothing was changed."
    }),
    Bad("get", f"{HERE}calls/?state=lost", {}, {
        "state": ["state takes waiting, running, answered, failed, not 'lost'."]
    }),
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.path)
def test_change(study: Study, judged: Judge, woken: Woken, change: Change) -> None:
    check_change(study, change)
    assert woken == [("judge.run", judged.pk)]
    assert StudyEvent.objects.get(action="judges asked").via == "api"


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: f"{bad.path}{bad.sent}")
def test_bad_input(page: Client, study: Study, judged: Judge, woken: Woken, bad: Bad) -> None:
    check_bad(page, bad)
    assert woken == []


def test_one_failed_call_is_asked_again_and_no_other(
    page: Client, study: Study, judged: Judge, woken: Woken
) -> None:
    answered = judged.calls.filter(state="answered").first()
    assert answered is not None
    before = everything()
    answer = ask(page, "post", f"{HERE}retry/", {"call": answered.pk})
    assert answer.status_code == 400
    assert "is answered, and only failed ones are asked again." in answer.json()["detail"]
    assert ask(page, "post", f"{HERE}retry/", {"call": 999999}).status_code == 404
    assert everything() == before and woken == []
    assert ask(page, "post", f"{HERE}retry/", {"call": failed(study).pk}).json() == {"queued": 1}
    assert woken == [("judge.run", judged.pk)]


def test_earlier_version_of_a_judge_is_not_asked_again(
    page: Client, study: Study, judged: Judge, woken: Woken
) -> None:
    Judge.objects.update(is_current=False)
    answer = ask(page, "post", f"{HERE}retry/")
    assert answer.status_code == 400
    assert "nothing was queued, because it is an earlier version" in answer.json()["detail"]
    assert woken == []


def test_judge_with_its_calls_is_read(page: Client, study: Study, judged: Judge) -> None:
    about = read(page, HERE)
    assert (about["judge"]["judge"], about["judge"]["failed"]) == ("stand-in@1", 1)
    assert about["failures"] == {"no number in it": 1}
    assert about["configuration"]["replicates"] == 2
    assert about["example"]["messages"] and about["why_not_gold"] == ""
    total = judged.calls.count()
    first = read(page, f"{HERE}calls/?limit=1&state=failed")
    assert first["next"] is None
    [row] = first["results"]
    assert (row["state"], row["error"], row["judge"]) == ("failed", "no number in it", "stand-in@1")
    assert len(read(page, f"{HERE}calls/?limit={total}")["results"]) == total
    call = read(page, f"calls/{row['id']}/")
    assert call["attempts"][0]["raw_text"] == "I would rather not say"
    assert call["attempts"][0]["request"]["messages"][0]["content"] == "How warm is it?"
    assert [score["score"] for score in call["scores"]] == [None]
    missing: Any = page.get("/api/studies/small/judges/nobody@1/")
    assert missing.json() == {"detail": "small@1 has no judge nobody@1."}


def test_file_of_gold_scores_becomes_a_source_and_then_gold(
    page: Client, study: Study, run: AnalysisRun, woken: Woken
) -> None:
    file = SimpleUploadedFile("gold.csv", GOLD.encode())
    sent = {"name": "mine", "file": file}
    misspelt: Any = page.post("/api/studies/small/gold/files/", sent | {"nmae": "mine"})
    said = "There is no field 'nmae' here; there are name, file, map."
    assert (misspelt.status_code, misspelt.json()) == (400, {"nmae": [said]})
    file.seek(0)
    answer: Any = page.post("/api/studies/small/gold/files/", sent)
    assert answer.status_code == 201, answer.content
    assert answer.json() == {"source": "file mine", "scores": 2, "notices": []}
    sources = {row["source"]: row for row in read(page, "gold/")["sources"]}
    assert (sources["file mine"]["is_gold"], sources["file mine"]["why_not_gold"]) == (False, "")
    chosen = ask(page, "post", "gold/", {"source": "file mine"})
    assert chosen.status_code == 202, chosen.content
    number = chosen.json()["run"]["id"]
    assert (chosen.json()["before"], woken) == (run.pk, [("analysis.run", number)])
    assert read(page, "gold/")["gold"] == "file mine"
    newest = read(page, "gold/decisions/")["results"][0]
    assert (newest["source"], newest["author"], newest["why"]) == (
        "file mine", "ada", "chosen by the API",
    )  # fmt: skip
    changes = f"gold/changes/{number}/?before={run.pk}"
    early = read(page, changes)
    assert (early["run"]["state"], early["before"], early["changes"]) == ("waiting", run.pk, None)
    run_job(AnalysisRun, number)
    assert read(page, changes) == read(page, f"gold/changes/{number}/")
    changed = read(page, changes)["changes"]
    assert changed["same_answers"] is changed["same_rules"] is True
    assert (changed["scores"], changed["largest_change"]) == (2, 1.5)
    assert ask(page, "get", f"gold/changes/{number}/?before=x").status_code == 400


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({}, {"name": ["This field is required."], "file": ["No file was submitted."]}),
        ({"name": "mine", "text": "scenario,gold\nS9,4\n"}, "gold.csv"),
        ({"name": "imported", "text": GOLD}, "already has gold scores called 'imported'"),
        ({"name": "!", "text": GOLD}, {"name": [
            "'!' can't be the name of gold scores: use at most 60 letters, digits, spaces and "
            ". : @ + - _, beginning with a letter or a digit."
        ]}),
    ],
)  # fmt: skip
def test_file_that_is_wrong_adds_nothing(
    page: Client, study: Study, sent: dict[str, str], said: Any
) -> None:
    text = sent.pop("text", None)
    file = {"file": SimpleUploadedFile("gold.csv", text.encode())} if text else {}
    before = everything()
    answer: Any = page.post("/api/studies/small/gold/files/", {**sent, **file})
    assert answer.status_code == 400
    if isinstance(said, dict):
        assert answer.json() == said
    else:
        assert said in answer.json()["file"][0]
        assert answer.json()["file"][-1] == "Nothing was changed."
    assert everything() == before


def test_gold_is_chosen_by_editors_and_not_twice(
    page: Client, study: Study, run: AnalysisRun, woken: Woken
) -> None:
    gold_set(study, name="other")
    GoldDecision.objects.latest("id").delete()  # the one before applies again
    check_change(
        study,
        Change(
            "gold/",
            {"source": "other"},
            202,
            Role.EDITOR,
            lambda study, _: (
                (gold_source(study) or object()).__getattribute__("key") == "file other"
            ),
        ),
    )
    again = ask(page, "post", "gold/", {"source": "other"})
    assert again.json() == {"detail": "file other is already gold. Nothing was changed."}


def test_gold_scores_come_in_pages_of_responses(page: Client, study: Study) -> None:
    first = read(page, "gold/scores/?limit=2")
    assert [(row["gold"], row["calls"]) for row in first["results"]] == [(3.5, [3.0, 4.0])] * 2
    seen, url = len(first["results"]), first["next"]
    while url:
        answer: Any = page.get(url).json()
        seen, url = seen + len(answer["results"]), answer["next"]
    assert seen == Response.objects.filter(scenario__study=study).count()


def test_agreement_and_guard_have_warnings_and_lead_to_tables(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    for path, table in (("agreement/", "judge_consistency"), ("guard/", "guard_funnel")):
        about = read(page, path)
        assert about["run"]["id"] == run.pk
        urls = {row["table"]: row["url"] for row in about["tables"]}
        assert page.get(urls[table]).status_code == 200
        assert all(row["details"] for row in [*about["warnings"], *about["notes"]])
