"""`manage.py scorer`: from ratings to a trained scorer, its card, scores and tables."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from analysis.execution import finished_run
from analysis.models import Scorer, ScorerScore
from dashboard.shared.stored_tables import StoredTable
from jobs.runner import run_job
from survey.models import Participant, Rating, Response, Study, StudyEvent
from survey.tidy import counted_sources
from survey.withdrawal import withdraw
from tests.dashboard.conftest import likes_tuned
from tests.dashboard.reading import text_of
from tests.factories import add_participant, make_study
from tests.servers.text_endpoint import text_endpoint

# What is computed: the database changes nothing of it.
pytestmark = [pytest.mark.slow, pytest.mark.embedded]


def scorer(*arguments: object) -> str:
    out = StringIO()
    call_command("scorer", *map(str, arguments), stdout=out, stderr=out)
    return out.getvalue()


def refused(*arguments: object) -> str:
    """Why, in one line; nothing is kept."""
    kept = Scorer.objects.count()
    with pytest.raises(CommandError) as problem:
        scorer(*arguments)
    said = str(problem.value).removeprefix("Nothing was changed.\n")
    assert "\n" not in said
    assert Scorer.objects.count() == kept
    return said


@pytest.fixture
def study(db: None) -> Study:
    """Four scenarios, rated by two people who count and one who was too quick."""
    study = make_study(scenarios=["S1", "S2", "S3", "S4"])
    for name in ("ann", "ben"):
        add_participant(study, pseudonym=name, rate=likes_tuned)
    add_participant(study, pseudonym="dot", rate=lambda key: 1, minutes=2)
    return study


def test_trained_on_the_ratings_of_included_raters_it_scores_every_response(study: Study) -> None:
    said = scorer("train", study, "--ngrams")
    assert "## Is it better than the mean?" in said and "Next: manage.py analyze small" in said
    trained = Scorer.objects.get()
    assert (trained.state, trained.name) == (Scorer.State.DONE, "scorer@1")
    assert StudyEvent.objects.filter(action="scorer requested").count() == 1
    kept = json.loads(trained.content)
    assert (kept["low"], kept["high"]) == (1, 5)
    assert kept["trained_on"]["ratings"] == 2 * 20, "of two people; a reference counts once"
    assert set(trained.scores.values_list("is_held_out", flat=True)) == {True}
    assert trained.scores.count() == Response.objects.count() == 20
    assert scorer("card", study).strip() == trained.card.strip()


def test_analysis_has_it_as_a_source_beside_judges_and_metrics(page: Client, study: Study) -> None:
    scorer("train", study, "--ngrams")
    run = finished_run(study=study, sources=counted_sources())
    tables = {
        result.name: StoredTable.from_content(result.content)
        for result in run.results.filter(kind="table")
    }
    (judge,) = {row["judge"] for row in tables["judge_agreement"].rows}
    assert judge == "scorer@1"
    rows = tables["scorer_evaluation"].rows
    assert {(row["head"], row["held_out"]) for row in rows} >= {
        ("ridge", "scenario"), ("linear", "scenario"), ("mean", "scenario"), ("ridge", "nothing"),
        ("ridge", "system"),
    }  # fmt: skip
    assert {row["scorer"] for row in rows} == {"scorer@1"}
    assert run.results.filter(kind="figure", name="scorer_calibration").exists()
    call_command("metrics", str(study), "--metric", "words", stdout=StringIO())
    newer = finished_run(study=study, sources=counted_sources())
    agreement = StoredTable.from_content(newer.results.get(name="score_agreement").content)
    kinds = {row["source"]: row["kind"] for row in agreement.rows}
    assert kinds == {"scorer@1": "scorer", "words": "metric"}


def test_scores_of_texts_are_csv_and_those_of_a_saved_scorer_are_the_same(
    study: Study, tmp_path: Path
) -> None:
    scorer("train", study, "--ngrams", "--out", tmp_path / "kept")
    texts = tmp_path / "texts.csv"
    texts.write_text('text,other\n"Ant tuned answers, S1",x\nBee plain answers S9,y\n')
    scorer("score", study, "--texts", texts, "--out", tmp_path / "scores.csv")
    rows = list(csv.DictReader((tmp_path / "scores.csv").open()))
    assert [row["text"] for row in rows] == ["Ant tuned answers, S1", "Bee plain answers S9"]
    assert all(1 <= float(row["low"]) <= float(row["score"]) <= float(row["high"]) for row in rows)
    again = scorer("score", study, "--texts", texts, "--scorer", tmp_path / "kept" / "scorer.json")
    notice, content = again.split("\n", 1)
    assert notice == f"Note: {texts}, line 1: column 'other' is ignored"
    assert content == (tmp_path / "scores.csv").read_text()
    assert (tmp_path / "kept" / "card.md").read_text() == Scorer.objects.get().card


def test_rated_texts_of_a_file_train_one_too(study: Study, tmp_path: Path) -> None:
    lines = [
        f"{'Kind' if n % 2 else 'Plain'} words number {n},{4 if n % 2 else 1},T{n // 4}"
        for n in range(24)
    ]
    path = tmp_path / "rated.csv"
    path.write_text("\n".join(["text,rating,scenario", *lines, "Kind words number 1,5,T0", ""]))
    said = scorer("train", study, "--ratings", path, "--ngrams")
    assert "- Ratings: the file rated.csv" in said
    assert "24 texts, 6 scenarios, 0 systems, 25 ratings" in said
    assert set(ScorerScore.objects.values_list("is_held_out", flat=True)) == {False}


@pytest.mark.parametrize(
    ("columns", "system"),
    [("system", "Ant plain"), ("system", ""), ("model,condition", "Ant,plain")],
)
def test_systems_of_a_file_are_held_out_too(
    study: Study, tmp_path: Path, columns: str, system: str
) -> None:
    lines = [
        f"{'Kind' if n % 2 else 'Plain'} words number {n},{4 if n % 2 else 1},T{n // 4},"
        + system.replace("Ant", ("Ant", "Bee", "Cat")[n % 3])
        for n in range(24)
    ]
    path = tmp_path / "rated.csv"
    path.write_text("\n".join([f"text,rating,scenario,{columns}", *lines, ""]))
    said = scorer("train", study, "--ratings", path, "--ngrams")
    n = 3 if system else 0
    assert f"24 texts, 6 scenarios, {n} systems, 24 ratings" in said
    assert ("| warmth | ridge | system |" in said) == bool(system)
    assert "ignored" not in said


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            "text,rating,system,model\na,1,x,y\n",
            "rated.csv, line 1: column 'system' repeats 'model': remove one of them",
        ),
        (
            "text,rating,model\na,1,x\n",
            "rated.csv, line 1: column 'condition' is missing beside 'model'; or give one column "
            "'system'",
        ),
        (
            "text,score\na,1\n",
            "rated.csv, line 1: column 'score' is unknown; did you mean 'rating'?",
        ),
        ("text,rating\na,x\n", "rated.csv, line 2: column 'rating': 'x' is not a number"),
        ("text,rating\n,1\n", "rated.csv, line 2: column 'text': is empty"),
        ("text,rating\n", "rated.csv: the file has no rated texts"),
        (
            "text,rating\n" + "".join(f"text {n},3\n" for n in range(20)),
            "rated.csv: all mean ratings of warmth are 3: there is nothing to learn",
        ),
        (
            "text,rating,dimension\na,1,wamth\n",
            "column 'dimension': 'wamth' is unknown; did you mean 'warmth'?",
        ),
    ],
)
def test_file_that_teaches_nothing_is_refused(
    study: Study, tmp_path: Path, content: str, problem: str
) -> None:
    path = tmp_path / "rated.csv"
    path.write_text(content)
    assert problem in refused("train", study, "--ratings", path).replace(f"{tmp_path}/", "")


def test_what_cannot_be_done_is_said_in_one_line(study: Study, tmp_path: Path) -> None:
    untrained = "small@1 has no trained scorer: train one first (manage.py scorer train small)"
    assert refused("card", study) == untrained == refused("score", study, "--text", "a")
    assert "no such folder" in refused("train", study, "--model", tmp_path / "nowhere")
    assert "name the model, too" in refused("train", study, "--embeddings-endpoint", "lab")
    over = refused("train", study, "--confidence", 2)
    assert over == "--confidence 2.0: It must be at least 0.5 and less than 1."
    assert "give texts" in refused("score", study)
    (tmp_path / "file").write_text("")
    taken = tmp_path / "file"
    assert refused("train", study, "--ngrams", "--out", taken) == f"{taken}: File exists"
    (tmp_path / "other.json").write_text("{}")
    other = refused("score", study, "--text", "a", "--scorer", tmp_path / "other.json")
    assert "other.json is no scorer: head: Field required" in other
    Rating.objects.update(value=3)
    constant = "small@1: all mean ratings of warmth are 3: there is nothing to learn"
    assert refused("train", study, "--ngrams") == constant
    Participant.objects.all().update(status=Participant.Status.DECLINED)
    assert refused("train", study) == "small@1 has no ratings of included raters to learn from"


def test_embeddings_of_an_endpoint_are_its_vectors(study: Study, settings: object) -> None:
    with text_endpoint() as server:
        settings.JUDGE_ENDPOINTS = {"lab": server.settings()}  # type: ignore[attr-defined]
        vectors = ("--embeddings-endpoint", "lab", "--embeddings-model", "letters")
        assert "model letters" in scorer("train", study, *vectors)
        assert "warmth" in scorer("score", study, "--text", "hello")
    assert len(json.loads(Scorer.objects.get().content)["dimensions"]["warmth"]["weights"]) == 26


def test_withdrawal_deletes_what_learned_from_the_person_and_has_it_trained_again(
    study: Study,
) -> None:
    scorer("train", study, "--ngrams")
    withdraw(participant=Participant.objects.get(pseudonym="ann"), at=timezone.now())
    waiting = Scorer.objects.get()
    assert (waiting.version, waiting.state, waiting.content) == (2, Scorer.State.WAITING, "")
    assert not ScorerScore.objects.exists()
    assert run_job(Scorer, waiting.pk)
    waiting.refresh_from_db()
    assert json.loads(waiting.content)["trained_on"]["ratings"] == 20


def test_scorer_of_simulated_raters_says_so_in_its_name(study: Study) -> None:
    add_participant(study, pseudonym="robot", source="simulated", rate=likes_tuned)
    scorer("train", study, "--ngrams", "--include", "simulated")
    assert Scorer.objects.get().name == "scorer@1 (simulated raters)"


def test_page_of_results_has_its_tables(page: Client, study: Study) -> None:
    scorer("train", study, "--ngrams")
    finished_run(study=study, sources=counted_sources())
    shown = text_of(page.get("/studies/small/results/scorer/"))
    assert "Does the trained scorer predict ratings that it has not seen?" in shown
    assert "Mean (baseline)" in shown
