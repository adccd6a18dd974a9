"""A model of random weights for tests: 16 numbers a token, which depend on the whole text."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers.models import WordLevel

SPECIAL = ("[UNK]", "[CLS]", "[SEP]")
WIDTH, LONGEST = 16, 600
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def write_model(folder: Path, vocabulary: Sequence[str], *, seed: int = 7) -> Path:
    """Write `model.onnx` and `tokenizer.json` into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    _tokenizer(vocabulary).save(str(folder / "tokenizer.json"))
    onnx.save(_model(len(SPECIAL) + len(vocabulary), seed), folder / "model.onnx")
    return folder


def _tokenizer(vocabulary: Sequence[str]) -> Tokenizer:
    ids = {word: number for number, word in enumerate([*SPECIAL, *vocabulary])}
    tokenizer = Tokenizer(WordLevel(ids, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return tokenizer


def _model(tokens: int, seed: int) -> onnx.ModelProto:
    """tanh(W (embedding + position)), plus the mean over the text."""
    draw = np.random.default_rng(seed)
    weights = {
        "words": draw.normal(0, 1, (tokens, WIDTH)),
        "types": draw.normal(0, 0.1, (2, WIDTH)),
        "positions": draw.normal(0, 0.3, (LONGEST, WIDTH)),
        "W": draw.normal(0, 0.5, (WIDTH, WIDTH)),
    }
    constants: dict[str, np.ndarray] = {
        **{name: value.astype(np.float32) for name, value in weights.items()},
        "one": np.array(1, dtype=np.int64),
        "axis": np.array([1], dtype=np.int64),
    }
    nodes = [
        helper.make_node("Gather", ["words", "input_ids"], ["of_word"]),
        helper.make_node("Gather", ["types", "token_type_ids"], ["of_type"]),
        helper.make_node("CumSum", ["attention_mask", "one"], ["counted"]),
        helper.make_node("Sub", ["counted", "one"], ["place"]),
        helper.make_node("Gather", ["positions", "place"], ["of_place"]),
        helper.make_node("Sum", ["of_word", "of_type", "of_place"], ["first_layer"]),
        helper.make_node("MatMul", ["first_layer", "W"], ["mixed"]),
        helper.make_node("Tanh", ["mixed"], ["bounded"]),
        helper.make_node("ReduceMean", ["bounded", "axis"], ["context"], keepdims=1),
        helper.make_node("Add", ["bounded", "context"], ["last_hidden_state"]),
        helper.make_node("ReduceMean", ["bounded", "axis"], ["pooled"], keepdims=0),
    ]
    layer: list[str | int] = ["batch", "length", WIDTH]
    outputs: dict[str, list[str | int]] = {
        "last_hidden_state": layer,
        "first_layer": layer,
        "pooled": ["batch", WIDTH],
    }
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "length"]) for n in INPUTS],
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in outputs.items()],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model, full_check=True)
    return model
