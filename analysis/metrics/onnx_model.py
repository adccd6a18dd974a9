"""A model in a local folder: `model.onnx` and `tokenizer.json`. Nothing is downloaded.

It runs by onnxruntime and tokenizers, which `requirements-models.txt` has and the core does not.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from analysis.metrics.metric import Matrix, TokenVectors
from analysis.not_computed import NotComputed

MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
PACKAGES = ("onnxruntime", "tokenizers")
#: What a model may ask for, all as `tokenizers` calls it.
INPUTS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
#: Texts whose tokens' vectors are kept, because several metrics take the same.
KEPT = 128


class OnnxModel:
    """Gives vectors by an `output` of the model that has one for each token: its last layer by
    default. A text is cut after `max_tokens`.

    Each text runs alone, so nothing is padded, and its vectors do not depend on other texts.
    Raises NotComputed for a package, folder, file or output that is missing.
    """

    def __init__(
        self, folder: Path, *, output: str = "last_hidden_state", max_tokens: int = 512
    ) -> None:
        check_packages()
        self.folder, self.output, self.max_tokens = folder, output, max_tokens
        if not folder.is_dir():
            raise NotComputed(f"{folder}: there is no such folder of a model")
        self._session = _session(_file(folder, MODEL), output)
        self._tokenizer = _tokenizer(_file(folder, TOKENIZER), max_tokens)
        self.tokens = lru_cache(KEPT)(self._tokens)

    @cached_property
    def settings(self) -> Mapping[str, object]:
        """All that the vectors depend on."""
        return {
            "model_sha256": _digest(self.folder / MODEL),
            "tokenizer_sha256": _digest(self.folder / TOKENIZER),
            "output": self.output,
            "max_tokens": self.max_tokens,
            "pooling": "mean over tokens, length 1",
            **{name: import_module(name).__version__ for name in PACKAGES},
        }

    def sentence(self, texts: Sequence[str]) -> Matrix:
        """The mean of each text's token vectors, special tokens included, with length 1 (n × d)."""
        means = np.array([self.tokens(text).vectors.mean(axis=0, dtype=float) for text in texts])
        unit: Matrix = means / np.linalg.norm(means, axis=1, keepdims=True)
        return unit

    def _tokens(self, text: str) -> TokenVectors:
        encoding = self._tokenizer.encode(text)
        if not encoding.ids:
            message = f"{self.folder / TOKENIZER} gives {text!r} no token, not even a special one"
            raise NotComputed(message)
        feed = {
            given.name: np.array([getattr(encoding, INPUTS[given.name])], dtype=np.int64)
            for given in self._session.get_inputs()
        }
        (hidden,) = self._session.run([self.output], feed)
        return TokenVectors(
            np.asarray(hidden[0]), np.array(encoding.special_tokens_mask, dtype=bool)
        )


def check_packages() -> None:
    """Raise NotComputed for a package that is not installed, with what installs it."""
    if missing := [name for name in PACKAGES if find_spec(name) is None]:
        raise NotComputed(
            f"{' and '.join(missing)} not installed, which models in a folder need: "
            "pip install -r requirements-models.txt"
        )


def _session(path: Path, output: str) -> Any:
    import onnxruntime
    from onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidGraph, InvalidProtobuf

    try:
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    except (Fail, InvalidGraph, InvalidProtobuf) as error:
        raise NotComputed(f"{path} is no model that onnxruntime can run: {error}") from error
    shapes = {each.name: each.shape for each in session.get_outputs()}
    if len(shapes.get(output, [])) != 3:
        by_token = ", ".join(name for name, shape in shapes.items() if len(shape) == 3) or "none"
        message = f"{path} has no output {output!r} with a vector for each token; it has {by_token}"
        raise NotComputed(message)
    if unknown := [each.name for each in session.get_inputs() if each.name not in INPUTS]:
        raise NotComputed(f"{path} wants an input {unknown[0]!r}; known are {', '.join(INPUTS)}")
    return session


def _tokenizer(path: Path, max_tokens: int) -> Any:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except Exception as error:  # tokenizers raises nothing more special
        raise NotComputed(f"{path} is no tokenizer that tokenizers can read: {error}") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def _file(folder: Path, name: str) -> Path:
    if not (folder / name).is_file():
        raise NotComputed(f"{folder}: {name} is missing")
    return folder / name


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
