"""A model in a local folder, and what may be missing."""

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from analysis.metrics import METRICS, MetricSettings
from analysis.metrics.onnx_model import OnnxModel
from analysis.not_computed import NotComputed


def test_a_sentence_is_the_mean_of_its_tokens_with_length_1(model_folder: Path) -> None:
    model = OnnxModel(model_folder)
    vectors = model.sentence(["You feel tired.", "Rest."])
    mean = model.tokens("Rest.").vectors.mean(axis=0)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1)
    np.testing.assert_allclose(vectors[1], mean / np.linalg.norm(mean), rtol=1e-6)


def test_a_text_has_special_tokens_at_its_ends(model_folder: Path) -> None:
    tokens = OnnxModel(model_folder).tokens("You feel tired")
    assert tokens.vectors.shape == (5, 16)
    assert tokens.special.tolist() == [True, False, False, False, True]
    assert OnnxModel(model_folder).tokens("").special.all()


def test_a_long_text_is_cut(model_folder: Path) -> None:
    assert len(OnnxModel(model_folder, max_tokens=8).tokens("rest " * 50).vectors) == 8


def test_another_layer_can_be_chosen(model_folder: Path) -> None:
    first = OnnxModel(model_folder, output="first_layer")
    assert not np.allclose(first.sentence(["rest"]), OnnxModel(model_folder).sentence(["rest"]))


def test_all_that_the_vectors_depend_on_is_recorded(model_folder: Path) -> None:
    model = OnnxModel(model_folder)
    recorded = METRICS["bertscore_f1"].recorded(MetricSettings(token_model=model))["settings"]
    assert isinstance(recorded, dict)
    assert len(recorded["model_sha256"]) == len(recorded["tokenizer_sha256"]) == 64
    assert recorded["output"] == "last_hidden_state"
    assert {"onnxruntime", "tokenizers", "max_tokens", "idf", "rescaled"} <= set(recorded)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotComputed, match="nowhere: there is no such folder"):
        OnnxModel(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(model_folder: Path, tmp_path: Path, name: str) -> None:
    folder = shutil.copytree(model_folder, tmp_path / "model")
    (folder / name).unlink()
    with pytest.raises(NotComputed, match=f"model: {name} is missing"):
        OnnxModel(folder)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_file_that_is_something_else_is_named(
    model_folder: Path, tmp_path: Path, name: str
) -> None:
    folder = shutil.copytree(model_folder, tmp_path / "model")
    (folder / name).write_text("version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(NotComputed, match=f"{name} is no"):
        OnnxModel(folder)


@pytest.mark.parametrize("output", ["layer_17", "pooled"])
def test_an_output_without_vectors_of_tokens_is_refused(model_folder: Path, output: str) -> None:
    with pytest.raises(NotComputed, match="it has last_hidden_state, first_layer"):
        OnnxModel(model_folder, output=output)


def test_a_missing_package_says_what_installs_it(
    model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(NotComputed, match=r"onnxruntime .*pip install -r requirements-models\.txt"):
        OnnxModel(model_folder)
