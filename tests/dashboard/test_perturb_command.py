"""`manage.py perturb`: responses are changed and scored again by every kind of source."""

from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django.fixtures import Settings

from analysis.execution import finished_run
from analysis.models import PerturbationRun, PerturbedScore, PerturbedText
from analysis.perturbation_options import PerturbingOptions
from analysis.perturbation_requests import options_of, request_perturbations
from dashboard.results.perturbing import ask_to_perturb
from dashboard.shared.stored_tables import StoredTable
from judge.models import Judging
from judge.spending import spent_on
from survey.models import Study
from survey.tidy import counted_sources
from tests.dashboard.conftest import likes_tuned
from tests.dashboard.reading import text_of
from tests.factories import add_judge, add_participant, make_study
from tests.servers.chat_endpoint import COST, ChatEndpoint, chat_endpoint

# What is computed: the database changes nothing of it.
pytestmark = [pytest.mark.slow, pytest.mark.embedded]

State = PerturbationRun.State
REWRITER = ("--rewriter-endpoint", "lab", "--rewriter-model", "chat")


def run(command: str, *arguments: object) -> str:
    out = StringIO()
    call_command(command, *map(str, arguments), stdout=out, stderr=out)
    return out.getvalue()


@pytest.fixture
def study(db: None, settings: Settings) -> Study:
    settings.JUDGE_STAND_IN, settings.JUDGE_MAX_ATTEMPTS = False, 1
    study = make_study(scenarios=["S1", "S2", "S3"])
    for name in ("ann", "ben"):
        add_participant(study, pseudonym=name, rate=likes_tuned)
    return study


@pytest.fixture
def lab(settings: Settings) -> Iterator[ChatEndpoint]:
    with chat_endpoint() as server:
        settings.JUDGE_ENDPOINTS = {"lab": server.settings()}
        yield server


def changes_of(source: str) -> dict[str, float]:
    """The mean change of a source's scores, by perturbation."""
    scores = PerturbedScore.objects.filter(source=source).select_related("text")
    by_name: dict[str, list[float]] = {}
    for each in scores:
        assert each.before is not None and each.after is not None
        by_name.setdefault(each.text.perturbation, []).append(each.after - each.before)
    return {name: sum(of) / len(of) for name, of in by_name.items()}


def test_metrics_and_scorer_are_compared_and_the_analysis_has_tables_and_a_figure(
    page: Client, study: Study
) -> None:
    run("scorer", "train", study, "--ngrams")
    said = run("perturb", study, "--metric", "words", "--metric", "characters")
    assert "15 responses perturbed, 0 requests to endpoints" in said
    assert "metric words: " in said and "scorer scorer@1: " in said
    words = changes_of("words")
    assert words.pop("filler") >= 1
    assert words.pop("leetspeak") > 0, "@ ends a word"
    assert set(words.values()) == {0}
    assert changes_of("characters")["case"] == 0
    stored = finished_run(study=study, sources=counted_sources())
    table = StoredTable.from_content(
        stored.results.get(name="perturbation_changes", kind="table").content
    )
    assert {row["source"] for row in table.rows} == {"scorer@1", "words", "characters"}
    # No metric was computed, and the scorer is compared with people all the same.
    compared = stored.results.get(name="score_agreement", kind="table").content
    assert {row["source"] for row in StoredTable.from_content(compared).rows} == {"scorer@1"}
    assert not stored.results.filter(name="metric_means").exists()
    assert stored.results.filter(kind="figure", name="perturbation_changes").exists()
    shown = text_of(page.get("/studies/small/results/perturbations/"))
    assert "Do small changes of a text change its scores?" in shown
    assert "Filler words" in shown


def test_same_seed_gives_the_same_texts_and_draws_from_all_scenarios(study: Study) -> None:
    options = ("--metric", "words", "--responses", 6, "--perturbation", "misspelled")
    texts = []
    for seed in (5, 5, 6):
        run("perturb", study, *options, "--seed", seed)
        texts.append(sorted(PerturbedText.objects.values_list("response", "text")))
        scenarios = PerturbedText.objects.values_list("response__scenario", flat=True)
        assert sorted(map(list(scenarios).count, set(scenarios))) == [2, 2, 2]
    assert texts[0] == texts[1] != texts[2]


def test_other_perturbations_wait_until_those_under_way_are_done(study: Study) -> None:
    for _ in range(2):
        asked = ask_to_perturb(study, PerturbingOptions(metrics=["words"]), None)
    assert PerturbationRun.objects.get() == asked, "the same run"
    with pytest.raises(CommandError, match="is under way, with other options"):
        run("perturb", study, "--metric", "words", "--seed", 2)
    assert options_of(PerturbationRun.objects.get()).seed == 1


def test_language_model_shortens_texts_and_what_made_them_is_kept(
    study: Study, lab: ChatEndpoint
) -> None:
    said = run("perturb", study, "--metric", "words", "--responses", 3, *REWRITER)
    assert "3 responses perturbed, 9 requests to endpoints" in said
    assert changes_of("words")["shortened"] == -1
    how = PerturbedText.objects.filter(perturbation="casual").values_list("provenance", flat=True)
    assert {each["by"] for each in how} == {"chat"}
    assert {each["endpoint"] for each in how} == {lab.base_url}


def test_judge_is_asked_for_each_text_within_the_budget_and_no_text_twice(
    study: Study, lab: ChatEndpoint
) -> None:
    add_judge(study, name="llama", endpoint="lab", replicates=1)
    options = ("--judge", "llama@1", "--responses", 3, "--perturbation", "repeated")
    more = ("--perturbation", "unchanged", "--no-scorer")
    lab.fails_from = 4
    with pytest.raises(CommandError, match="no more"):
        run("perturb", study, *options, *more)
    assert PerturbedScore.objects.count() == 4
    lab.fails_from = None
    run("perturb", study, *options, *more)
    asked = [body["messages"][-1]["content"] for body in lab.asked]
    assert len(asked) == 7 and len(set(asked)) == 6, "only the one that failed is asked again"
    spent = spent_on(study)
    assert spent.requests == 7
    assert float(spent.money) == pytest.approx(6 * COST)
    judging = Judging.objects.get()
    judging.definition["budget"] = {"requests": 7}
    judging.save()
    with pytest.raises(CommandError, match="budget of 7 requests is used up"):
        run("perturb", study, *options, "--seed", 2, "--no-scorer")
    assert len(lab.asked) == 7


def test_requests_that_were_too_many_cost_nothing(
    study: Study, lab: ChatEndpoint, settings: Settings
) -> None:
    settings.JUDGE_MAX_ATTEMPTS, settings.JUDGE_BACKOFF_SECONDS = 4, 0.01
    add_judge(study, name="llama", endpoint="lab", replicates=1)
    lab.limited = 3
    options = ("--judge", "llama@1", "--responses", 2, "--no-scorer", *REWRITER)
    run("perturb", study, *options, "--perturbation", "casual", "--perturbation", "unchanged")
    judging = Judging.objects.get()
    assert judging.past_requests == len(lab.asked) == 3 + 2 + 4
    assert float(judging.past_money) == pytest.approx(6 * COST)
    assert judging.past_unpriced == 0 and judging.past_estimated == 0


def test_rewriting_is_paid_from_the_budget_of_the_study(
    study: Study, lab: ChatEndpoint, settings: Settings
) -> None:
    add_judge(study, name="llama", endpoint="lab", replicates=1)
    judging = Judging.objects.get()
    judging.definition["budget"] = {"money": 2.5 * COST}
    judging.save()
    options = ("--metric", "words", "--responses", 5, "--perturbation", "casual", "--no-scorer")
    with pytest.raises(CommandError, match=r"allows no more calls.*and try again"):
        run("perturb", study, *options, *REWRITER)
    spent = spent_on(study)
    assert len(lab.asked) == spent.requests == 2
    assert float(spent.money) == pytest.approx(2 * COST)
    assert spent.estimated == 0 and PerturbedText.objects.count() == 2
    judging.refresh_from_db()
    judging.definition["budget"] = {"requests": 5}
    judging.save()
    assert "5 responses perturbed" in run("perturb", study, *options, *REWRITER)
    assert spent_on(study).requests == len(lab.asked) == 5
    # A price makes what may be spent known before the first answer.
    settings.REWRITER_ENDPOINT, settings.REWRITER_MODEL = "lab", "chat"
    settings.REWRITER_PRICE_INPUT, settings.REWRITER_PRICE_OUTPUT = 10_000, 10_000
    judging.refresh_from_db()
    judging.definition["budget"] = {"money": 0.1}
    judging.save()
    with pytest.raises(CommandError, match="allows no more calls"):
        run("perturb", study, *options, "--seed", 2)
    assert len(lab.asked) == 5


def test_judge_that_sees_whole_blocks_is_refused(study: Study, lab: ChatEndpoint) -> None:
    add_judge(study, name="llama", endpoint="lab", presentation="block")
    with pytest.raises(
        CommandError, match="has no judge 'llama@1' of single responses; it has: none"
    ):
        run("perturb", study, "--judge", "llama@1")
    assert lab.asked == []


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ((), "Nothing would score the texts"),
        (
            ("--metric", "wrods"),
            "--metric wrods: There is no metric 'wrods'; did you mean 'words'?",
        ),
        (
            ("--metric", "tfidf_cosine"),
            "--metric tfidf_cosine: Tfidf_cosine of a text depends on the other texts",
        ),
        (
            ("--judge", "llama@1"),
            "small@1 has no judge 'llama@1' of single responses; it has: none",
        ),
        (("--metric", "words", "--responses", "few"), "'few' is neither a whole number nor all"),
        (
            ("--metric", "words", "--responses", "0"),
            "--responses 0: It must be from 1 to 100000.",
        ),
        (
            ("--metric", "words", "--perturbation", "casual"),
            "casual is made by a language model: name its endpoint and its model",
        ),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line_and_changes_nothing(
    study: Study, options: tuple[str, ...], problem: str
) -> None:
    with pytest.raises(CommandError) as refused:
        run("perturb", study, *options)
    assert problem in str(refused.value) and "\n" not in str(refused.value)
    assert not PerturbationRun.objects.exists()


def test_options_are_kept_as_they_were_asked(study: Study) -> None:
    run("perturb", study, "--metric", "words", "--responses", "all", "--perturbation", "case")
    kept = PerturbationRun.objects.get()
    options = options_of(kept)
    assert (options.perturbations, options.responses) == (("case",), None)
    assert request_perturbations(study, options).pk != kept.pk, "done: it is made anew"
