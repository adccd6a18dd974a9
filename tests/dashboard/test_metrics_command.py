"""`manage.py metrics`: from responses to stored values, tables and pages."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from analysis.execution import finished_run
from analysis.judges.automatic_metrics import OUTDATED
from analysis.models import ComputedMetric, MetricsRequest, MetricValue
from dashboard.shared.stored_tables import StoredTable
from survey.models import Response, Study
from survey.tidy import counted_sources
from tests.dashboard.reading import text_of
from tests.factories import add_participant, make_study
from tests.survey import small_study

# What is computed from files: the database changes nothing of it.
pytestmark = [pytest.mark.slow, pytest.mark.embedded]


def compute(study: Study, *options: str) -> str:
    out = StringIO()
    call_command("metrics", str(study), *options, stdout=out)
    return out.getvalue()


@pytest.fixture
def study(db: None) -> Study:
    return make_study()


def test_values_are_stored_with_what_they_depend_on(study: Study) -> None:
    said = compute(study, "--metric", "rouge_l", "--metric", "distinct_1")
    assert "rouge_l: 8 of 10 responses have a value" in said  # the reference has none
    assert "distinct_1: 10 of 10 responses have a value" in said
    distinct = ComputedMetric.objects.get(name="distinct_1")
    assert set(distinct.recorded) == {"meaning", "package", "version", "settings", "languages"}
    systems = [tuple(row[:2]) for row in distinct.corpus]
    assert ("Oracle", "reference") in systems and len(systems) == len(set(systems))


def test_metric_that_is_computed_again_replaces_its_values(study: Study) -> None:
    compute(study, "--metric", "words")
    compute(study, "--metric", "words")
    assert MetricValue.objects.count() == 10


def test_analysis_has_means_and_agreement_on_a_page_of_results(page: Client, study: Study) -> None:
    add_participant(study, pseudonym="flo", rate=lambda key: 3)
    before = finished_run(study=study, sources=counted_sources())
    why = before.manifest["absent"]["metric_means"]
    assert why == "no automatic metric was computed: see docs/metrics.md"
    compute(study, "--metric", "words", "--metric", "chrf")
    run = finished_run(study=study, sources=counted_sources())
    assert run.pk != before.pk
    stored = set(run.results.filter(kind="table").values_list("name", flat=True))
    assert {"metric_means", "metric_sources", "score_agreement"} <= stored
    shown = text_of(page.get("/studies/small/results/metrics/"))
    assert "What do automatic metrics say of each system?" in shown
    assert "Do metrics and judges order responses as people do?" in shown
    assert "sacrebleu" in shown
    assert "Mean ± SD over the responses of each model: chrF, Words" in shown
    assert "Oracle (Reference)" in shown, "whose words are counted too"
    assert shown.index("chrF") < shown.index("Words"), "in the order of the catalogue"


def test_values_of_responses_that_are_gone_count_no_more(study: Study) -> None:
    compute(study, "--metric", "words")
    response = Response.objects.filter(scenario__study=study).first()
    MetricValue.objects.get(response=response).delete()  # as where a draft's text was replaced
    run = finished_run(study=study, sources=counted_sources())
    tables = {result.name: result.content for result in run.results.filter(kind="table")}
    (row,) = StoredTable.from_content(tables["metric_sources"]).rows
    assert row["note"] == OUTDATED
    assert StoredTable.from_content(tables["metric_means"]).rows == []


def test_phrases_are_counted_and_recorded(study: Study) -> None:
    compute(study, "--metric", "stock_phrases", "--phrase", "answers")
    stored = ComputedMetric.objects.get()
    assert "answers" in json.dumps(stored.recorded["settings"])
    assert set(stored.values.values_list("value", flat=True)) >= {1.0}


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--metric", "rouge"), "There is no metric 'rouge'; did you mean 'rouge_l'?"),
        (("--metric", "rouge_l", "--given-prompt"), "given the prompt needs an endpoint"),
        (("--phrase", " "), "--phrase: It needs 1 or more characters."),
        (("--metric", "stock_phrases"), "stock_phrases needs phrases, which is not given"),
        (("--metric", "meteor_synonyms", "--wordnet", "nowhere"), "nowhere"),
        (("--metric", "bertscore_f1"), "bertscore_f1 needs token_model, which is not given"),
        (("--metric", "bertscore_f1", "--model", "nowhere"), "nowhere: there is no such folder"),
        (("--perplexity", "nowhere.csv"), "nowhere.csv: No such file or directory"),
    ],
)
def test_what_cannot_be_computed_is_said_in_one_line_and_changes_nothing(
    study: Study, options: tuple[str, ...], problem: str
) -> None:
    with pytest.raises(CommandError) as refused:
        compute(study, *options)
    said = str(refused.value).removeprefix("Nothing was changed.\n")
    assert problem in said and "\n" not in said
    assert not ComputedMetric.objects.exists()
    assert not MetricsRequest.objects.exists()


def test_study_without_a_reference_has_the_metrics_that_need_none(db: None) -> None:
    yaml = small_study.YAML.replace("reference: {model: Oracle, condition: reference}\n", "")
    yaml = yaml.replace("tuned, reference]", "tuned]")
    csv = "".join(line for line in small_study.CSV.splitlines(True) if "Oracle" not in line)
    study = small_study.load(yaml=yaml, csv=csv)
    said = compute(study)
    assert "rouge_l" not in said and "words: 8 of 8" in said
    with pytest.raises(CommandError, match="rouge_l compares with a reference, and no scenario"):
        compute(study, "--metric", "rouge_l")


def test_unknown_study_is_named(db: None) -> None:
    with pytest.raises(CommandError, match="no study"):
        call_command("metrics", "nothing")
