"""The page of judges: every source of gold scores side by side, and asking for what is missing."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from kombu.exceptions import OperationalError
from pytest_django import Settings

from analysis.execution import finished_run
from judge import calls
from judge.gold import choose_gold
from judge.models import Call, GoldDecision, GoldScore, Judge, Jury
from judge.plans import plan_calls
from judge.prompts import FORMATS
from judge.queries import GoldSource, gold_source
from survey.models import Study
from survey.tidy import counted_sources
from tests.dashboard.conftest import Woken
from tests.dashboard.importing import bad_tables
from tests.dashboard.judging import (
    add_attempt,
    answer_calls,
    describe,
    fail_call,
    gold_set,
)
from tests.dashboard.reading import tables_of, text_of
from tests.factories import add_participant
from tests.survey import small_study

# What pages show and say; test_pages.py opens them on every database.
pytestmark = pytest.mark.embedded

GOLD = "/studies/small/gold/"


# ── What is shown ────────────────────────────────────────────────────────────────────────────


def test_study_without_judge_says_so_and_asks_for_none(page: Client, study: Study) -> None:
    shown = text_of(page.get(GOLD))
    assert "The study has no judge. To have one, describe it in the section judging" in shown
    assert "Score" not in shown.partition("Gold scores from a file")[0].replace("Scores", "")
    assert "Budget" not in shown
    assert "file imported . The rule “Low variance and far from gold” compares raters" in shown


def test_study_without_ratings_has_no_use_for_gold_scores(page: Client, db: None) -> None:
    small_study.load(yaml=small_study.CHOICES_YAML)
    shown = text_of(page.get(GOLD))
    assert "The study has no ratings, so it needs no judge." in shown
    assert "Gold scores from a file" not in shown


def test_jury_can_be_chosen_once_all_its_judges_have_scores(page: Client, study: Study) -> None:
    jury = {"name": "three", "judges": ["a", "b"]}
    judges = describe(study, {"name": "a"}, {"name": "b"}, juries=[jury])
    assert "jury three@1 mean of a@1, b@1 0 scores" in text_of(page.get(GOLD))
    choose = {"source": "jury three@1"}
    refused = text_of(page.post(f"{GOLD}choose/", choose, follow=True))
    assert "jury three@1 has no scores yet: not all of its judges have" in refused
    for judge in judges:
        plan_calls(judge)
        answer_calls(judge.calls.all())
    assert "jury three@1 mean of a@1, b@1 10 scores" in text_of(page.get(GOLD))
    page.post(f"{GOLD}choose/", choose)
    assert gold_source(study) == GoldSource(jury=Jury.objects.get())


def test_every_source_stands_beside_the_others(
    page: Client, study: Study, settings: Settings
) -> None:
    settings.JUDGE_BASE_URL, settings.JUDGE_MODEL = "https://judges.example/v1", "owl"
    settings.JUDGE_API_KEY = "key"
    single, _ = describe(
        study,
        {"name": "a-single", "reasons": True},
        {"name": "blocks", "presentation": "block", "temperature": None, "replicates": 2},
    )
    plan_calls(single)
    answer_calls(single.calls.all()[:28])
    fail_call(single.calls.all()[28], "no number in it")
    calls.stop(single.pk, "somebody pulled the plug")
    add_participant(study, pseudonym="edda", source="panel", panel="clinicians")
    at = "owl at https://judges.example/v1"
    imported_at = f"{study.gold_sets.get().created_at:%Y-%m-%d %H:%M} UTC"
    assert [row[:2] for row in tables_of(page.get(GOLD))[0][1:]] == [
        [
            f"a-single@1 {at} one response at a time, 3 replicates, temperature 1.0, with reasons",
            "28 of 30 valid calls stopped 1 failed 0.1450 USD",
        ],
        [f"blocks@1 {at} whole blocks, 2 replicates", "not asked yet"],
        [
            f"file imported gold author not stated, imported {imported_at}",
            "10 scores",
        ],
        ["panel clinicians experts who rate in the survey", "1 who has completed"],
    ]


def test_cost_tells_what_is_estimated_and_what_nobody_knows(page: Client, judge: Judge) -> None:
    first, second, third = judge.calls.all()[:3]
    add_attempt(first, "answered", cost="0.5")
    add_attempt(second, "timeout", cost="0.25", cost_is_estimate=True)
    add_attempt(third, "unknown", cost_is_estimate=True)
    answer = page.get(GOLD)
    rests_on = tables_of(answer)[0][1][1]
    assert rests_on.endswith("0.7500 USD 0.2500 of it estimated 1 request of unknown cost")
    assert "0.7500 USD (0.2500 estimated); 1 request of unknown cost" in (text_of(answer))


def test_budget_stands_beside_what_is_spent(page: Client, study: Study) -> None:
    describe(study, budget={"money": 2, "requests": 500})
    assert "Money 0.0000 of 2.00 USD Requests 0 of 500" in text_of(page.get(GOLD))


def test_gold_score_says_how_many_valid_calls_it_rests_on(page: Client, judge: Judge) -> None:
    one = judge.calls.filter(response__text="Ant plain answers S1")
    answer_calls(one, lambda _, call: 3 + call.replicate)
    answer_calls(judge.calls.filter(response__text="Ant tuned answers S1", replicate=1))
    both, half, nothing = tables_of(page.get(GOLD))[-1][1:4]
    assert both[4:] == ["Ant plain answers S1 Ant plain answers S1", "4, 5", "2", "4.50"]
    assert half[5:] == ["3", "1", "3.00"]
    assert nothing[5:] == ["", "–", "–"]


def test_calls_that_are_to_come_are_told_and_can_be_asked_for(page: Client, judge: Judge) -> None:
    answer_calls(judge.calls.all())
    row = tables_of(page.get(GOLD))[0][1]
    assert (row[1], row[-1]) == ("20 of 20 valid calls complete 0.1000 USD", "current gold")
    describe(judge.study, {"name": "stand-in", "replicates": 3})
    row = tables_of(page.get(GOLD))[0][1]
    assert row[1] == "20 of 20 valid calls incomplete 10 not asked yet 0.1000 USD"
    assert row[-1] == "Score stand-in@1 current gold"
    shown = text_of(page.get(f"{GOLD}judges/stand-in@1/"))
    assert "0 failed, 10 not asked yet. incomplete" in shown


def test_single_score_that_is_missing_in_a_file_is_not_counted(page: Client, study: Study) -> None:
    GoldScore.objects.update(calls=[3, None, 4])
    row = tables_of(page.get(GOLD))[-1][1]
    assert row[5:] == ["3, –, 4", "2", "3.50"]


def test_earlier_version_stays_gold_until_somebody_decides(page: Client, judge: Judge) -> None:
    answer_calls(judge.calls.all())
    (newer,) = describe(judge.study, {"name": "stand-in", "rubric": "Weigh warmth."})
    choose_gold(judge.study, judge=judge)
    said = "The gold scores are those of an earlier version. To use stand-in@2"
    shown = text_of(page.get(GOLD))
    assert said in shown
    assert "To use stand-in@2 , press “Score”, then “Use as gold”." in shown
    plan_calls(newer)
    answer_calls(newer.calls.all())
    assert "To use stand-in@2 , press “Use as gold”." in text_of(page.get(GOLD))
    choose_gold(judge.study, judge=newer)
    assert said not in text_of(page.get(GOLD))


def test_decisions_say_who_chose_whom_when_and_why(page: Client, judge: Judge) -> None:
    gold_set(judge.study, name="mine")
    newest, first = tables_of(page.get(GOLD))[1][1:]
    assert newest[1:] == ["mine (imported) gold", "command line", "for a test"]
    assert first[1:] == [
        "stand-in@1 (stand-in, no language model)", "command line", "named in the study's file",
    ]  # fmt: skip


def test_consistency_and_agreement_are_those_of_the_newest_analysis(
    page: Client, judge: Judge
) -> None:
    assert tables_of(page.get(GOLD))[0][1][2:4] == ["–", "–"]
    answer_calls(judge.calls.all(), lambda response, call: (response.pk + call.replicate) % 3 + 2)
    finished_run(study=judge.study, sources=counted_sources())
    consistency, agreement = tables_of(page.get(GOLD))[0][1][2:4]
    assert consistency.startswith("ρ ") and "α " in consistency
    assert agreement.startswith("r ") and agreement.endswith("]")


@pytest.mark.slow
def test_constant_judge_is_shown_for_what_it_is(page: Client, judge: Judge) -> None:
    answer_calls(judge.calls.all(), lambda *_: 3)
    finished_run(study=judge.study, sources=counted_sources())
    assert "constant: every score is 3" in tables_of(page.get(GOLD))[0][1][2]


@pytest.mark.parametrize("act", ["score", "upload", "choose"])
def test_test_people_stay_in_view_after_every_button(page: Client, judge: Judge, act: str) -> None:
    answer = page.post(f"{GOLD}{act}/?include=simulated")
    assert answer["Location"] == f"/studies/{judge.study}/gold/?include=simulated"


def test_progress_alone_says_when_it_is_over(page: Client, judge: Judge) -> None:
    assert "X-Finished" not in page.get(f"{GOLD}progress/")
    answer_calls(judge.calls.all())
    assert page.get(f"{GOLD}progress/")["X-Finished"] == "1"


def test_page_is_kept_up_to_date_while_judges_work(page: Client, judge: Judge) -> None:
    live = 'data-live="/studies/small@1/gold/progress/?include=simulated" data-every="2"'
    assert live in page.get(f"{GOLD}?include=simulated").content.decode()
    calls.stop(judge.pk, "enough")
    assert "data-live" not in page.get(GOLD).content.decode()


# ── Asking ───────────────────────────────────────────────────────────────────────────────────


def test_score_queues_what_is_missing_and_wakes_a_worker(
    page: Client, judge: Judge, woken: Woken
) -> None:
    answer_calls(judge.calls.filter(replicate=1))
    judge.calls.filter(replicate=2).update(state="failed", error="too bad")
    answer = page.post(f"{GOLD}score/", follow=True)
    assert woken == [("judge.run", judge.pk)]
    assert judge.calls.filter(state="waiting").count() == 10
    assert "10 calls are queued." in text_of(answer)


def test_score_with_a_forged_address_does_nothing(page: Client, judge: Judge, woken: Woken) -> None:
    judge.calls.all().delete()
    assert page.post("/studies/small/gold/score/?include=nonsense").status_code == 404
    assert not judge.calls.exists()
    assert woken == []


def test_score_of_one_judge_leaves_the_others_alone(
    page: Client, study: Study, settings: Settings, woken: Woken
) -> None:
    settings.JUDGE_STAND_IN = True
    settings.JUDGE_BASE_URL = "http://127.0.0.1:9/v1"
    one, other = describe(study, {"name": "one"}, {"name": "two"})
    answer = page.post(f"{GOLD}score/", {"judge": "two"})
    assert answer["Location"] == "/studies/small@1/gold/judges/two@1/"
    assert woken == [("judge.run", other.pk)]
    assert not one.calls.exists()


def test_score_of_a_judge_that_is_not_there_says_so(
    page: Client, judge: Judge, woken: Woken
) -> None:
    answer = page.post(f"{GOLD}score/", {"judge": "nobody"}, follow=True)
    assert "small@1 has no judge 'nobody'" in text_of(answer)
    assert woken == []


def test_score_with_nothing_missing_wakes_nobody(page: Client, judge: Judge, woken: Woken) -> None:
    answer_calls(judge.calls.all())
    answer = page.post(f"{GOLD}score/", follow=True)
    assert woken == []
    assert "no scores are missing" in text_of(answer)


def test_score_resumes_a_judge_that_was_stopped(page: Client, judge: Judge, woken: Woken) -> None:
    calls.stop(judge.pk, "the endpoint answered HTTP 401: no such key")
    Judge.objects.update(not_before=timezone.now() + timedelta(hours=1))
    page.post(f"{GOLD}score/", {"judge": "stand-in"})
    judge.refresh_from_db()
    assert (judge.stopped, judge.not_before) == ("", None)
    assert woken == [("judge.run", judge.pk)]


def test_score_without_a_key_says_so_before_and_after_and_queues_nothing(
    page: Client, study: Study, settings: Settings, woken: Woken
) -> None:
    settings.JUDGE_STAND_IN = False
    settings.JUDGE_BASE_URL = "https://judge.example/v1"
    describe(study, {"name": "real"})
    missing = "JUDGE_API_KEY is missing: judge.example needs a key. Set it in the environment"
    assert f"real@1 can't score here. {missing}" in text_of(page.get(GOLD))
    answer = page.post(f"{GOLD}score/", follow=True)
    assert f"real: nothing was queued, because {missing}" in text_of(answer)
    assert (woken, Call.objects.count()) == ([], 0)


def test_judge_of_another_release_can_be_asked_and_becomes_a_new_version(
    page: Client, judge: Judge, woken: Woken
) -> None:
    answer_calls(judge.calls.all())
    judge.configuration["prompt_format"] = FORMATS[-1] - 1
    judge.configuration_hash = judge.read_configuration().fingerprint()
    judge.save()
    assert "can't be asked from here" not in text_of(page.get(GOLD))
    answer = page.post(f"{GOLD}score/", {"judge": "stand-in"}, follow=True)
    assert "20 calls are queued." in text_of(answer)
    assert woken == [("judge.run", Judge.objects.get(name="stand-in", version=2).pk)]


def test_score_asks_those_who_can_be_asked_and_names_the_others(
    page: Client, study: Study, settings: Settings, woken: Woken
) -> None:
    settings.JUDGE_STAND_IN = False
    settings.JUDGE_BASE_URL = "http://127.0.0.1:9/v1"
    describe(study, {"name": "far", "endpoint": "moon"}, {"name": "near"})
    answer = page.post(f"{GOLD}score/", follow=True)
    assert "far: nothing was queued, because the endpoint 'moon' is not set up here" in text_of(
        answer
    )
    assert woken == [("judge.run", Judge.objects.get(name="near").pk)]


def test_score_with_a_silent_broker_says_that_the_work_is_kept(
    page: Client, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(task: str, row: int) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr("dashboard.shared.pages.wake", refuse)
    answer = page.post(f"{GOLD}score/", follow=True)
    assert "The broker does not answer (connection refused)." in text_of(answer)


# ── Gold scores from a file ──────────────────────────────────────────────────────────────────

FILE = "scenario,set,model,condition,gold\nS1,1,Ant,plain,2.5\nS1,1,Ant,tuned,4\n"


def upload(page: Client, folder: Path, text: str, name: str = "mine") -> str:
    path = folder / "scores.csv"
    path.write_text(text, encoding="utf-8")
    with path.open("rb") as file:
        return text_of(page.post(f"{GOLD}upload/", {"name": name, "file": file}, follow=True))


def test_upload_adds_a_source_that_is_not_gold_yet(
    page: Client, study: Study, tmp_path: Path
) -> None:
    said = upload(page, tmp_path, FILE)
    assert "Imported 2 gold scores as mine. To use them, press “Use as gold”." in said
    assert ["file mine author not stated", "2 scores"] in [
        [source.partition(", imported")[0], rests_on]
        for source, rests_on, *_ in tables_of(page.get(GOLD))[0][1:]
    ]
    assert GoldDecision.objects.get().gold_set == study.gold_sets.get(name="imported")
    event = study.events.get(action="gold imported")
    assert (str(event.author), event.detail["gold"]) == ("ada", 2)


def test_one_score_is_told_as_one(page: Client, study: Study, tmp_path: Path) -> None:
    said = upload(page, tmp_path, "".join(FILE.splitlines(keepends=True)[:2]))
    assert "Imported 1 gold score as mine. To use it, press “Use as gold”." in said


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        (FILE + "S1,1,Ant,plane,3\n", "mine", "scores.csv, line 4: column 'condition': 'plane'"),
        (
            FILE.replace("2.5", "9"),
            "mine",
            "scores.csv, line 2: column 'gold': 9 is not between 1 and 5",
        ),
        (FILE.replace("gold", "score"), "mine", "column 'score' is unknown; did you mean 'gold'?"),
        (FILE.splitlines()[0] + "\n", "mine", "scores.csv: the file has no gold scores"),
        (FILE, "imported", "small@1 already has gold scores called 'imported'"),
        (FILE, "-", "'-' can't be the name of gold scores"),
        (FILE, " ", "Give the gold scores a name."),
    ],
)
def test_upload_that_is_not_right_changes_nothing_and_says_where(
    page: Client, study: Study, tmp_path: Path, text: str, name: str, reason: str
) -> None:
    assert reason in upload(page, tmp_path, text, name)
    assert [each.name for each in study.gold_sets.all()] == ["imported"]
    assert not study.events.filter(action="gold imported").exists()


def test_upload_that_is_no_table_changes_nothing_and_says_what_it_is(
    page: Client, study: Study
) -> None:
    for data, reason in bad_tables(FILE):
        file = SimpleUploadedFile("scores.csv", data)
        sent = {"name": "mine", "file": file}
        said = text_of(page.post(f"{GOLD}upload/", sent, follow=True))
        assert f"scores.csv{reason}" in said
        assert "Nothing was changed." in said
    assert [each.name for each in study.gold_sets.all()] == ["imported"]
