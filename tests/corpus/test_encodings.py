"""A file in another encoding than UTF-8 is refused in one line, with what to do."""

from pathlib import Path

import pytest

from corpus.dialogues import Layout
from corpus.models import Corpus as CorpusRow
from corpus.reading import dialogues_of
from survey.definition.responses import parse_responses
from survey.files.problems import DefinitionError
from tests.corpus.conftest import Corpus
from tests.survey import small_study

OLDER = "an older encoding, such as GB18030, Big5, Shift-JIS, EUC-KR or Windows-1251"
ENCODINGS = [
    ("gb18030", "我很难过，怎么办？", OLDER),
    ("big5", "我很難過，怎麼辦？", OLDER),
    ("shift_jis", "とても悲しいです。", OLDER),
    ("euc_kr", "너무 슬퍼요", OLDER),
    ("cp1251", "Мне очень грустно", OLDER),
    ("cp1252", "Das fällt mir schwer, und müde bin ich", "Latin-1 (Windows-1252)"),
    ("utf-16", "我很难过，怎么办？", "UTF-16"),
    ("utf-16-le", "我很难过，怎么办？", "UTF-16"),
    ("utf-16-be", "我很难过，怎么办？", "UTF-16"),
]


@pytest.mark.parametrize("kind", [".csv", ".jsonl"])
@pytest.mark.parametrize(("encoding", "text", "called"), ENCODINGS)
def test_corpus_is_refused(
    refused: Corpus, tmp_path: Path, kind: str, encoding: str, text: str, called: str
) -> None:
    lines = (
        ["prompt", "Fine", text]
        if kind == ".csv"
        else [f'{{"prompt": "{t}"}}' for t in ("a", text)]
    )
    path = tmp_path / f"corpus{kind}"
    path.write_bytes("\n".join([*lines, ""]).encode(encoding))
    said = refused("import", path, "--name", "talks")
    assert str(path) in said
    assert called in said
    assert "save it as UTF-8" in said
    if called != "UTF-16":
        assert f"line {3 if kind == '.csv' else 2}" in said
    assert not CorpusRow.objects.exists()


@pytest.mark.parametrize(("encoding", "text", "called"), ENCODINGS)
def test_responses_are_refused(encoding: str, text: str, called: str) -> None:
    data = small_study.CSV.replace("Try again.", text).encode(encoding)
    with pytest.raises(DefinitionError) as caught:
        parse_responses(data, small_study.definition(), file="responses.csv")
    (problem,) = caught.value.problems
    assert called in str(problem)
    assert "save it as UTF-8" in str(problem)


def test_first_line_of_a_corpus_may_say_what_is_between_columns(tmp_path: Path) -> None:
    path = tmp_path / "corpus.csv"
    path.write_text("sep=;\nprompt;response\nHi, you, there;Hello\n")
    (dialogue,) = dialogues_of(path, Layout("prompt", response="response"))
    assert (dialogue.line, dialogue.prompt) == (3, "Hi, you, there")
