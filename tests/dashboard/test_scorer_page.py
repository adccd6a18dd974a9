"""A scorer trained from its page, texts that are pasted, and perturbations, all by a worker."""

import csv
from collections.abc import Iterator
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import DjangoDbBlocker

from analysis.models import PerturbationRun, ScoredText, Scorer
from analysis.scored_texts import KEPT
from analysis.scorer_requests import ScorerOptions, request_scorer
from dashboard.shared.models import Membership
from dashboard.shared.roles import Role
from jobs.leases import to_wake
from jobs.runner import run_job
from survey.models import Study, StudyEvent
from survey.tidy import counted_sources
from tests.dashboard.conftest import Woken, likes_tuned
from tests.dashboard.reading import text_of
from tests.factories import add_judge, add_participant, make_study
from tests.shared_rows import undone_after_the_file

PAGE = "/studies/small/results/scorer/"
PERTURBATIONS = "/studies/small/results/perturbations/"
# What is computed and shown: the database changes nothing of it.
pytestmark = [pytest.mark.slow, pytest.mark.embedded]


@pytest.fixture(scope="module")
def trained(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Study]:
    """A study with a trained scorer."""
    with undone_after_the_file(django_db_blocker):
        with django_db_blocker.unblock():
            study = make_study(scenarios=["S1", "S2", "S3", "S4"])
            for name in ("ann", "ben"):
                add_participant(study, pseudonym=name, rate=likes_tuned)
            asked = request_scorer(study, ScorerOptions(), sources=counted_sources())
            run_job(Scorer, asked.pk)
        yield study


@pytest.fixture
def study(trained: Study, db: None) -> Study:
    return Study.objects.get(pk=trained.pk)


def test_button_asks_once_and_a_worker_trains_what_the_page_then_shows(
    page: Client, study: Study, woken: Woken
) -> None:
    study.scorers.all().delete()
    assert "Train a scorer" in text_of(page.get(PAGE))
    for _ in range(2):
        answer = page.post(f"{PAGE}train/", {"head": "ridge"})
        assert answer.headers["Location"] == "/studies/small@1/results/scorer/#scorer-asked"
    asked = Scorer.objects.get()
    assert woken == [("analysis.scorer", asked.pk)] * 2 and to_wake(Scorer) == [asked.pk]
    assert asked.author == User.objects.get(username="ada")
    assert "Waiting for a worker" in text_of(page.get(PAGE))
    assert "X-Finished" not in page.get(f"/studies/small/jobs/scorer/{asked.pk}/state/").headers
    assert run_job(Scorer, asked.pk)
    assert page.get(f"/studies/small/jobs/scorer/{asked.pk}/state/").headers["X-Finished"] == "1"
    shown = text_of(page.get(PAGE))
    assert "Model card of scorer@1" in shown and "Is it better than the mean?" in shown
    assert "Train a new version" in shown


def test_rated_texts_are_uploaded_or_refused_line_by_line(
    page: Client, study: Study, woken: Woken
) -> None:
    bad = SimpleUploadedFile("rated.csv", b"text,rating\na,high\n")
    shown = text_of(page.post(f"{PAGE}train/", {"head": "ridge", "ratings": bad}, follow=True))
    assert "rated.csv, line 2: column 'rating': 'high' is not a number" in shown
    assert "Nothing was changed." in shown and woken == []
    rows = "".join(f"words {n},{n % 5 + 1},T{n % 4}\n" for n in range(20))
    good = SimpleUploadedFile("rated.csv", f"text,rating,scenario\n{rows}".encode())
    page.post(f"{PAGE}train/", {"head": "linear", "ratings": good})
    asked = study.scorers.get(version=2)
    assert run_job(Scorer, asked.pk)
    asked.refresh_from_db()
    assert "Ratings: the file rated.csv" in asked.card and asked.sources == []


def test_failure_is_shown_and_the_earlier_version_stays(page: Client, study: Study) -> None:
    asked = request_scorer(study, ScorerOptions(folder="/nowhere"), sources=counted_sources())
    run_job(Scorer, asked.pk)
    shown = text_of(page.get(PAGE))
    assert "failed" in shown and "/nowhere: there is no such folder of a model" in shown
    assert "Model card of scorer@1" in shown


def test_pasted_text_is_scored_with_its_interval_flagged_and_in_the_file(
    page: Client, study: Study, woken: Woken
) -> None:
    page.post(f"{PAGE}text/", {"text": "Ant tuned answers you"})
    asked = ScoredText.objects.get()
    assert woken == [("analysis.scored_text", asked.pk)] and to_wake(ScoredText) == [asked.pk]
    assert "Waiting for a worker" in text_of(page.get(PAGE))
    assert "X-Finished" not in page.get(f"/studies/small/jobs/text/{asked.pk}/state/").headers
    assert run_job(ScoredText, asked.pk)
    assert page.get(f"/studies/small/jobs/text/{asked.pk}/state/").headers["X-Finished"] == "1"
    asked.refresh_from_db()
    ((dimension, score, low, high),) = asked.scores
    assert dimension == "warmth" and 1 <= low <= score <= high <= 5
    assert f"warmth: {score:.2f} ({low:.2f} to {high:.2f})" in text_of(page.get(PAGE))
    page.post(f"{PAGE}text/{asked.pk}/flag/")
    assert "1 flagged text (CSV)" in text_of(page.get(PAGE))
    answer = page.get(f"{PAGE}flagged.csv")
    (row,) = csv.DictReader(StringIO(b"".join(answer.streaming_content).decode("utf-8-sig")))  # type: ignore[attr-defined]
    assert (row["text"], row["scorer"]) == ("Ant tuned answers you", "scorer@1")
    assert float(row["score"]) == score
    page.post(f"{PAGE}text/{asked.pk}/flag/")
    assert "flagged text" not in text_of(page.get(PAGE))
    actions = set(StudyEvent.objects.values_list("action", flat=True))
    assert {"text scored", "text flagged", "text not flagged"} <= actions


def test_texts_without_a_flag_make_room_and_bad_ones_are_said(
    page: Client, study: Study, woken: Woken
) -> None:
    for n in range(KEPT + 2):
        page.post(f"{PAGE}text/", {"text": f"text {n}"})
        if n == 0:
            ScoredText.objects.update(flagged=True)
    assert ScoredText.objects.count() == KEPT + 1
    assert ScoredText.objects.filter(text="text 0").exists()
    said = text_of(page.post(f"{PAGE}text/", {"text": " "}, follow=True))
    assert "Write the text that is to be scored." in said and "Text:" not in said
    said = text_of(page.post(f"{PAGE}text/", {"text": "x" * 20_001}, follow=True))
    assert "Text: Ensure this value has at most 20000 characters (it has 20001)." in said
    assert page.post(f"{PAGE}text/999999/flag/").status_code == 404


def test_perturbations_are_asked_for_and_a_worker_carries_them_out(
    page: Client, study: Study, woken: Woken
) -> None:
    assert "Perturb responses" in text_of(page.get(PERTURBATIONS))
    page.post(f"{PERTURBATIONS}perturb/", {"responses": 6})
    asked = PerturbationRun.objects.get()
    assert woken == [("analysis.perturbations", asked.pk)]
    assert to_wake(PerturbationRun) == [asked.pk]
    assert "Waiting for a worker" in text_of(page.get(PERTURBATIONS))
    state = f"/studies/small/jobs/perturbations/{asked.pk}/state/"
    assert "X-Finished" not in page.get(state).headers
    assert run_job(PerturbationRun, asked.pk)
    assert page.get(state).headers["X-Finished"] == "1"
    assert "Perturb again" in text_of(page.get(PERTURBATIONS))
    assert asked.texts.values("response").distinct().count() == 6
    assert StudyEvent.objects.filter(action="perturbations requested").exists()


def test_analyst_perturbs_but_asks_no_judge(client: Client, study: Study, woken: Woken) -> None:
    add_judge(study, name="llama")
    vi = User.objects.create_user("vi", is_staff=True)
    Membership.objects.create(slug="small", user=vi, role=Role.ANALYST)
    client.force_login(vi)
    assert "Judges to ask" not in text_of(client.get(PERTURBATIONS))
    client.post(f"{PERTURBATIONS}perturb/", {"responses": 3, "judges": "llama@1"})
    assert not PerturbationRun.objects.exists()
    client.post(f"{PERTURBATIONS}perturb/", {"responses": 3})
    assert PerturbationRun.objects.get().options["judges"] == []


def test_without_a_source_the_page_says_what_to_do(
    page: Client, study: Study, woken: Woken
) -> None:
    study.scorers.all().delete()
    why = "There is nothing to score texts with: train a scorer"
    assert why in text_of(page.get(PERTURBATIONS))
    said = text_of(page.post(f"{PERTURBATIONS}perturb/", {"responses": 3}, follow=True))
    assert "Nothing would score the texts" in said and woken == []
    assert "Responses: Ensure this value is greater than or equal to 1." in text_of(
        page.post(f"{PERTURBATIONS}perturb/", {"responses": 0}, follow=True)
    )


def test_api_trains_scores_a_text_and_perturbs(page: Client, study: Study, woken: Woken) -> None:
    address = "/api/studies/small"
    (first,) = page.get(f"{address}/scorer/").json()["scorers"]
    assert (first["scorer"], first["state"]) == ("scorer@1", "done")
    assert first["card"].startswith("# scorer@1") and '"fingerprint"' in first["content"]
    started = page.post(f"{address}/scorer/", {"head": "linear"})
    assert started.status_code == 202
    assert [each["state"] for each in started.json()["scorers"]] == ["waiting", "done"]
    assert page.post(f"{address}/scorer/", {"head": "best"}).status_code == 400
    asked = page.post(f"{address}/scorer/texts/", {"text": "Ant plain answers"})
    assert asked.status_code == 202
    (text,) = asked.json()["texts"]
    assert run_job(ScoredText, text["id"])
    (text,) = page.get(f"{address}/scorer/texts/").json()["texts"]
    (score,) = text["scores"]
    assert set(score) == {"dimension", "score", "low", "high"} and 1 <= score["score"] <= 5
    assert page.get(f"{address}/perturbations/").json() == {"run": None}
    run = page.post(f"{address}/perturbations/", {"responses": 3})
    assert run.status_code == 202 and run.json()["run"]["options"]["responses"] == 3
    refused = page.post(f"{address}/perturbations/", {"judges": ["nobody@1"]})
    said = ["small@1 has no judge 'nobody@1' of single responses; it has: none"]
    assert refused.json() == {"judges": [*said, "Nothing was changed."]}
    assert [task for task, _ in woken] == [
        "analysis.scorer", "analysis.scored_text", "analysis.perturbations",
    ]  # fmt: skip


def test_api_of_an_analyst_asks_no_judge(client: Client, study: Study, woken: Woken) -> None:
    add_judge(study, name="llama")
    vi = User.objects.create_user("vi", is_staff=True)
    Membership.objects.create(slug="small", user=vi, role=Role.ANALYST)
    client.force_login(vi)
    asked = client.post("/api/studies/small/perturbations/", {"judges": ["llama@1"]})
    assert (asked.status_code, asked.json()) == (
        400,
        {"judges": ["Your role may not have judges asked.", "Nothing was changed."]},
    )
    assert woken == []
