"""Embeddings and perplexity asked of llama.cpp's own server."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from analysis.metrics import METRICS
from analysis.models import ComputedMetric
from analysis.perturbation_requests import NEEDS, NOT_OF_ONE_TEXT, default_metrics
from survey.models import Study
from tests.servers.independent_judge import KEY, MODEL, IndependentJudge, independent_judge
from tests.survey import small_study

# What the server says; values are stored on every database.
pytestmark = pytest.mark.embedded


@pytest.fixture
def study(db: None, settings: Settings) -> Study:
    settings.JUDGE_BACKOFF_SECONDS, settings.JUDGE_STAND_IN = 0.01, False
    return small_study.load()


def use(settings: Settings, server: IndependentJudge) -> None:
    """Make a server the endpoint `lab`."""
    about = {"base_url": server.base_url, "api_key": KEY, "model": MODEL, "concurrency": 1}
    settings.JUDGE_ENDPOINTS = {"lab": about}


def test_embeddings_of_llama_cpp_give_cosines(
    study: Study, settings: Settings, tmp_path: Path
) -> None:
    options = ["--embeddings-endpoint", "lab", "--embeddings-model", MODEL]
    with independent_judge(tmp_path, embeddings=True) as server:
        use(settings, server)
        call_command("metrics", "small", "--metric", "embedding_cosine", *options)
    stored = ComputedMetric.objects.get()
    assert stored.recorded["settings"]["dimensions"] == 32
    values = [each.value for each in stored.values.all() if each.value is not None]
    assert len(values) == 8 and len(set(values)) == 8
    assert all(-1 <= value < 1 for value in values)
    assert default_metrics(study) == (), "perturbed texts are asked of models of the installation"
    settings.METRICS_EMBEDDINGS_ENDPOINT = "lab"
    assert default_metrics(study) == ("embedding_cosine",)
    assert set(NEEDS) == {m.name for m in METRICS.values() if m.needs} - {*NOT_OF_ONE_TEXT}


def test_llama_cpp_that_ignores_echo_is_refused(
    study: Study, settings: Settings, tmp_path: Path
) -> None:
    options = ["--perplexity-endpoint", "lab", "--perplexity-model", MODEL]
    with independent_judge(tmp_path) as server:
        use(settings, server)
        with pytest.raises(CommandError, match="it ignores `echo`"):
            call_command("metrics", "small", *options)
    assert not ComputedMetric.objects.exists()
