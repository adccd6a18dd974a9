"""WordNet from a local folder."""

import shutil
from pathlib import Path

import pytest

from analysis.metrics import METRICS, MetricSettings, score
from analysis.metrics.wordnet import wordnet_of
from analysis.not_computed import NotComputed
from tests.analysis.metrics.rows import rows


def test_synonyms_are_those_of_the_folder(wordnet: Path) -> None:
    (synset,) = wordnet_of(wordnet).reader.synsets("roads")
    assert synset.lemma_names() == ["road", "path", "way"]


def test_the_folder_is_recorded_by_its_digest(wordnet: Path) -> None:
    recorded = METRICS["meteor_synonyms"].recorded(MetricSettings(wordnet=wordnet))["settings"]
    assert isinstance(recorded, dict)
    assert recorded["wordnet_sha256"] == wordnet_of(wordnet).digest
    assert recorded["matches"] == "exact + stem + synonyms"


def test_a_folder_without_wordnet_is_named(tmp_path: Path) -> None:
    settings = MetricSettings(wordnet=tmp_path)
    with pytest.raises(NotComputed, match=f"{tmp_path} has no WordNet database: lexnames is"):
        score(rows("glad", reference="happy"), ["meteor_synonyms"], settings)


def test_files_that_are_something_else_are_named(wordnet: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(wordnet, tmp_path / "broken")
    (folder / "index.noun").write_text("road n many\n")
    with pytest.raises(NotComputed, match="broken has no WordNet database that nltk can read"):
        wordnet_of(folder)


def test_without_a_folder_there_are_no_synonyms() -> None:
    with pytest.raises(NotComputed, match="meteor_synonyms needs wordnet, which is not given"):
        score(rows("glad", reference="happy"), ["meteor", "meteor_synonyms"])
