"""Judges in exports and in the API: every single score, every request, progress and cost."""

import csv
import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from analysis.models import AnalysisRun
from judge import calls
from judge.models import Attempt, Judge
from judge.plans import plan_calls
from survey.models import Study
from tests.dashboard.judging import add_attempt, answer_calls, describe, fail_call, gold_set
from tests.factories import add_participant

# What is computed from rows that tests/analysis/test_frames.py reads on every database.
pytestmark = pytest.mark.embedded

NAME = "stand-in@1 (stand-in, no language model)"


def export(study: Study, folder: Path, **options: bool) -> Path:
    call_command("export", str(study), out=folder, verbosity=0, **options)
    return folder


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("share", [False, True])
def test_judge_scores_holds_every_single_score_wherever_the_response_stands(
    judge: Judge, tmp_path: Path, share: bool
) -> None:
    answer_calls(judge.calls.all(), lambda response, call: call.replicate + 2)
    gold_set(judge.study, name="mine", calls=(3, 4))
    scores = rows(export(judge.study, tmp_path / "out", share=share) / "judge_scores.csv")
    assert len(scores) == 2 * 12 + 2 * 12
    assert scores[0] == {
        "judge": NAME,
        "scenario": "S1",
        "set": "1",
        "model": "Ant",
        "condition": "plain",
        "dimension": "warmth",
        "response": "S1/1/Ant/plain",
        "replicate": "1",
        "position": "",
        "score": "3",
        "reason": "" if share else "It is 3",  # it may quote the response
    }
    oracle = [row for row in scores if row["response"] == "S1/1/Oracle/reference"]
    assert [(row["judge"], row["set"], row["score"]) for row in oracle[:4]] == [
        (NAME, "1", "3"), (NAME, "2", "3"), (NAME, "1", "4"), (NAME, "2", "4"),
    ]  # fmt: skip
    assert {row["judge"] for row in scores} == {NAME, "file mine"}


def test_call_without_a_usable_score_is_an_empty_cell(judge: Judge, tmp_path: Path) -> None:
    fail_call(judge.calls.get(response__text="Ant plain answers S1", replicate=2), "no number")
    (row,) = rows(export(judge.study, tmp_path / "out") / "judge_scores.csv")
    assert (row["response"], row["replicate"], row["score"]) == ("S1/1/Ant/plain", "2", "")


@pytest.mark.parametrize("share", [False, True])
def test_judge_attempts_holds_every_request_and_for_sharing_no_texts(
    judge: Judge, tmp_path: Path, share: bool
) -> None:
    call = judge.calls.all()[0]
    sent_at = timezone.now()
    add_attempt(
        call,
        "http_error",
        http_status=503,
        error="busy",
        started_at=sent_at,
        cost_is_estimate=True,
        prompt_hash="f" * 64,
        provenance={"provider": "groq"},
    )
    answer_calls([call])
    first, second = rows(export(judge.study, tmp_path / "out", share=share) / "judge_attempts.csv")
    assert first.pop("started_at").startswith(f"{sent_at:%Y-%m-%d}")
    request = first.pop("request")
    if share:
        assert request == ""
    else:
        assert json.loads(request)["messages"][0]["content"] == "How warm is it?"
    assert first == {
        "judge": NAME,
        "scenario": "S1",
        "set": "",
        "model": "Ant",
        "condition": "plain",
        "dimension": "warmth",
        "replicate": "1",
        "attempt": "1",
        "is_repair": "false",
        "outcome": "http_error",
        "ended_at": "",
        "http_status": "503",
        "requested_model": "m",
        "returned_model": "",
        "cost_usd": "",
        "cost_is_estimate": "true",
        "prompt_hash": "f" * 64,
        "raw_text": "",
        **({} if share else {"error": "busy"}),
        "provenance": '{"provider": "groq"}',
        "thinking": "",
    }
    assert (second["attempt"], second["outcome"]) == ("2", "answered")
    assert float(second["cost_usd"]) == 0.005


def test_panels_of_experts_are_in_neither_file(study: Study, judge: Judge, tmp_path: Path) -> None:
    add_participant(study, pseudonym="edda", source="panel", panel="clinicians")
    answer_calls(judge.calls.all()[:1])
    folder = export(study, tmp_path / "out")
    for name in ("judge_scores.csv", "judge_attempts.csv"):
        assert "clinicians" not in (folder / name).read_text(encoding="utf-8")
    assert {row["judge"] for row in rows(folder / "judge_scores.csv")} == {NAME}


def test_codebook_explains_every_column_of_both_files(judge: Judge, tmp_path: Path) -> None:
    answer_calls(judge.calls.all()[:1])
    codebook = rows(export(judge.study, tmp_path / "out") / "codebook.csv")
    meanings = {(row["file"], row["column"]): row["meaning"] for row in codebook}
    (values,) = [
        row["values"]
        for row in codebook
        if (row["file"], row["column"]) == ("judge_attempts.csv", "outcome")
    ]
    ours = {key: m for key, m in meanings.items() if key[0].startswith("judge_")}
    assert len(ours) == 11 + 23
    assert "Not asked in this study" not in ours.values()
    assert {"refused", "filtered", "cut_off"} <= set(values.split(", "))
    assert meanings["judge_attempts.csv", "started_at"] == "When it was sent (ISO 8601, UTC)"
    assert meanings["participants.csv", "started_at"].startswith("When they agreed")


def test_files_about_judges_can_be_downloaded(page: Client, judge: Judge, run: AnalysisRun) -> None:
    answer_calls(judge.calls.all()[:2])
    for name, lines in (("judge_scores.csv", 3), ("judge_attempts.csv", 3)):
        answer = page.get(f"/studies/small/downloads/{name}")
        assert len(answer.getvalue().decode().splitlines()) == lines, name


def test_files_that_are_not_there_say_why(page: Client, judge: Judge, run: AnalysisRun) -> None:
    files = page.get("/api/studies/small/exports/").json()["files"]
    absent = {row["file"]: row["absent"] for row in files}
    assert absent["judge_scores.csv"] == "no judge and no file has scores"
    assert absent["judge_attempts.csv"] == "no judge was asked anything"


# ── API ──────────────────────────────────────────────────────────────────────────────────────


def test_api_tells_progress_and_cost_of_each_judge(page: Client, judge: Judge) -> None:
    describe(
        judge.study, {"name": "stand-in", "replicates": 2}, budget={"money": 2.5, "requests": None}
    )
    first, second, third = judge.calls.all()[:3]
    answer_calls([first])
    fail_call(second, "no number")
    add_attempt(third, "unknown", cost_is_estimate=True)
    calls.stop(judge.pk, "enough")
    spent = {"requests": 3, "money": 0.01, "estimated": 0.0, "unpriced": 1}
    assert page.get("/api/studies/small/judges/").json() == {
        "gold": "stand-in@1",
        "budget": {"money": 2.5, "requests": None},
        "spent": spent,
        "judges": [
            {
                "judge": "stand-in@1",
                "model": judge.model,
                "endpoint": "stand-in",
                "presentation": "single",
                "temperature": 1.0,
                "replicates": 2,
                "is_current": True,
                "is_gold": True,
                "is_stand_in": True,
                "state": "stopped",
                "stopped": "enough",
                "calls": 20,
                "answered": 1,
                "failed": 1,
                "running": 0,
                "waiting": 18,
                "not_asked": 0,
                "spent": spent,
            }
        ],
    }


def test_api_of_a_study_without_judges(page: Client, study: Study) -> None:
    answer = page.get("/api/studies/small/judges/").json()
    assert (answer["gold"], answer["judges"]) == ("file imported", [])
    study.gold_decisions.all().delete()
    assert page.get("/api/studies/small/judges/").json()["gold"] is None


def test_api_does_not_count_the_probe_nor_replicates_asked_for_before(
    page: Client, judge: Judge
) -> None:
    judge.calls.create(replicate=0, state="answered")
    answer_calls(judge.calls.exclude(response=None))
    describe(judge.study, {"name": "stand-in", "replicates": 1})
    (row,) = page.get("/api/studies/small/judges/").json()["judges"]
    assert (row["calls"], row["answered"], row["state"]) == (10, 10, "complete")
    assert Attempt.objects.count() == row["spent"]["requests"] == 20
    plan_calls(judge)
    assert judge.calls.count() == 21
