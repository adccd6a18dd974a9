"""A model of random weights, a small WordNet, and rows as metrics take them."""

from pathlib import Path

import pytest

from analysis.metrics import MetricSettings
from analysis.metrics.onnx_model import OnnxModel
from analysis.metrics.perplexity import ImportedPerplexity
from tests.analysis.metrics.oracles.stored import vocabulary
from tests.analysis.metrics.tiny_model import write_model
from tests.analysis.metrics.tiny_wordnet import write_wordnet


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("model"), vocabulary())


@pytest.fixture(scope="session")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_wordnet(tmp_path_factory.mktemp("wordnet"))


@pytest.fixture(scope="session")
def all_given(model_folder: Path, wordnet: Path) -> MetricSettings:
    """All that any metric needs."""
    model = OnnxModel(model_folder)
    return MetricSettings(
        phrases=("take care",),
        wordnet=wordnet,
        sentence_model=model,
        token_model=model,
        perplexity_source=ImportedPerplexity({f"r{n}": 1.5 + n for n in range(100)}),
    )
