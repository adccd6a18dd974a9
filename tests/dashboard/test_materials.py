"""study.yaml and responses.csv for others: they load as the same study, without what is private."""

from pathlib import Path

import pytest

from analysis.rule_sets import current_rule_set, rules_of
from config.processes import ROOT
from dashboard.design.study_folder import StudyFolder, load_folder, read_folder
from dashboard.share.materials import write_materials
from survey.files.problems import DefinitionError
from survey.loading import content_hash
from survey.models import Study
from tests.survey import bilingual_study, small_study

pytestmark = pytest.mark.embedded  # what is written to files

EXAMPLES = ["audit", "empathy", "haleas", "liu"]
SHARED = "\nshare: {responses: true}\n"


def loaded(folder: Path) -> Study:
    return load_folder(read_folder(folder)).study


def copied(folder: Path, example: str, more: str = SHARED) -> Path:
    """An example's folder with more in its file."""
    there = ROOT / "examples" / example
    folder.mkdir()
    text = (there / "study.yaml").read_text(encoding="utf-8")
    (folder / "study.yaml").write_text(text + more, encoding="utf-8")
    for name in ("responses.csv", "training.csv"):
        if (there / name).exists():
            (folder / name).write_bytes((there / name).read_bytes())
    return folder


def written(study: Study, folder: Path) -> Path:
    folder.mkdir()
    write_materials(study, rules_of(current_rule_set(study)), folder)
    return folder


def hash_of(folder: StudyFolder) -> str:
    return content_hash(folder.definition, folder.rows, folder.translations)


@pytest.mark.parametrize("example", EXAMPLES)
def test_others_load_the_same_study(example: str, tmp_path: Path, db: None) -> None:
    study = loaded(copied(tmp_path / "ours", example))
    theirs = read_folder(written(study, tmp_path / "theirs"))
    assert hash_of(theirs) == study.content_hash
    assert theirs.quality == rules_of(current_rule_set(study))
    ours = read_folder(tmp_path / "ours")
    assert theirs.judging.judges == ours.judging.judges
    kept = {"labels", "composites", "models", "places", "ways_in", "preregistration", "share"}
    assert theirs.settings.model_dump(include=kept) == ours.settings.model_dump(include=kept)


def test_texts_of_each_language_and_of_training_load_as_they_were(tmp_path: Path, db: None) -> None:
    for name, text in {
        "both": bilingual_study.YAML,
        "everything": small_study.EVERYTHING_YAML,
        "training": small_study.YAML + small_study.TRAINING,
        "slider": small_study.SLIDER_YAML.replace(", scenarios_together: true", ""),
    }.items():
        folder = tmp_path / name
        folder.mkdir()
        shared = text.replace("slug: small", f"slug: {name}") + SHARED
        (folder / "study.yaml").write_text(shared, encoding="utf-8")
        (folder / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
        study = loaded(folder)
        theirs = read_folder(written(study, folder / "theirs"))
        assert hash_of(theirs) == study.content_hash, name


def test_no_judge_is_shared_as_it_was_said(tmp_path: Path, db: None) -> None:
    (tmp_path / "study.yaml").write_text(f"{small_study.YAML}{SHARED}judging: none\n")
    (tmp_path / "responses.csv").write_text(small_study.CSV)
    theirs = written(loaded(tmp_path), tmp_path / "theirs")
    assert "\njudging: none\n" in (theirs / "study.yaml").read_text()
    assert read_folder(theirs).judging.judges == []


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("{response: true}", "share.response: unknown key; did you mean 'responses'?"),
        ("{responses: maybe}", "share.responses: Input should be a valid boolean"),
        (
            "{licence: CC BY 4.0}",
            "share.licence: 'CC BY 4.0' is neither an SPDX licence (https://spdx.org/licenses) nor "
            "an address of the terms; did you mean 'CC-BY-4.0'?",
        ),
        (
            "{withhold: [stat]}",
            "share.withhold.0: 'stat' cannot be withheld; did you mean 'state'?",
        ),
        ("{contact: {mail: a@b.org}}", "share.contact.mail: unknown key; did you mean 'email'?"),
    ],
)
def test_mistake_in_the_section_has_its_line_and_key(
    section: str, said: str, tmp_path: Path
) -> None:
    text = f"{small_study.YAML}share: {section}\n"
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
    with pytest.raises(DefinitionError) as error:
        read_folder(tmp_path)
    line = text.count("\n")
    assert f"study.yaml, line {line}" in str(error.value) or f"study.yaml:{line}" in str(
        error.value
    )
    assert said in str(error.value)


def test_terms_may_be_an_address(tmp_path: Path) -> None:
    terms = "https://example.org/data-use"
    (tmp_path / "study.yaml").write_text(
        f"{small_study.YAML}share: {{licence: {terms}}}\n", encoding="utf-8"
    )
    (tmp_path / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
    assert read_folder(tmp_path).settings.share.licence == terms
