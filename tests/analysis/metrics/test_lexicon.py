"""Lexicons: those that are shipped, and files with mistakes."""

from pathlib import Path

import pytest

from analysis.metrics.lexicon import FOLDER, LexiconError, read_lexicon, shipped_lexicons

GOOD = {
    "prescriptive": ["should"],
    "affective": ["i hear you"],
    "imperative_lead_ins": ["please"],
    "imperative_openers": ["rest"],
}


def written(folder: Path, lists: dict[str, list[str]]) -> Path:
    path = folder / "en.yaml"
    path.write_text(
        "".join(
            f"{key}:\n" + "".join(f"  - {one}\n" for one in each) for key, each in lists.items()
        )
    )
    return path


def test_english_and_chinese_are_shipped() -> None:
    assert set(shipped_lexicons()) == {"en", "zh"}
    for lexicon in shipped_lexicons().values():
        for each in (lexicon.lists.prescriptive, lexicon.lists.affective):
            assert 40 <= len(each) <= 120


def test_a_lexicon_is_known_by_its_file(tmp_path: Path) -> None:
    lexicon = read_lexicon(written(tmp_path, GOOD))
    assert lexicon.language == "en"
    changed = read_lexicon(written(tmp_path, GOOD | {"affective": ["i see"]}))
    assert len({lexicon.digest, changed.digest, read_lexicon(FOLDER / "en.yaml").digest}) == 3


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        (GOOD | {"affective": ["i see", "I  see"]}, "line 5, column 5: affective.1: 'i see' is re"),
        (GOOD | {"affective": ["i see", "''"]}, "line 5, column 5: affective.1: "),
        (GOOD | {"affective": ["1"]}, "line 4, column 5: affective.0: "),
        ({**GOOD, "afective": ["i see"]}, "afective: unknown key; did you mean 'affective'?"),
        ({key: GOOD[key] for key in list(GOOD)[1:]}, "prescriptive: is missing"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_file_line_and_key(
    tmp_path: Path, lists: dict[str, list[str]], message: str
) -> None:
    path = written(tmp_path, lists)
    with pytest.raises(LexiconError) as raised:
        read_lexicon(path)
    assert str(raised.value).startswith(str(path))
    assert message in str(raised.value)
    assert isinstance(raised.value, ValueError)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"fr\.yaml: No such file"):
        read_lexicon(tmp_path / "fr.yaml")
