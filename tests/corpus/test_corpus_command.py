"""`manage.py corpus`: import, filter, sample; and what is refused."""

import json
import re
from pathlib import Path

import fastparquet
import pandas as pd
import pytest

from corpus.models import Corpus, Sample
from tests.corpus import raw_corpora
from tests.corpus.conftest import Corpus as Manage

pytestmark = pytest.mark.django_db

CLEAN = ("width", "blank", "anonymize", "url", "emoji", "short", "duplicate", "near_duplicate")


def steps_of(name: str) -> dict[str, int]:
    """What each step removed or changed, where it did."""
    filtered = Corpus.objects.get(name=name).filtered
    assert filtered is not None
    assert [step["step"] for step in filtered["steps"]] == list(CLEAN)
    return {
        s["step"]: s["removed"] or s["changed"]
        for s in filtered["steps"]
        if s["removed"] or s["changed"]
    }


@pytest.mark.parametrize("make", [raw_corpora.tide, raw_corpora.haleas, raw_corpora.liu])
def test_raw_corpora_of_the_published_shapes_are_cleaned(
    make: "type", tmp_path: Path, manage: Manage, corpora: Path
) -> None:
    planted = make(tmp_path)
    name = make.__name__
    (file,) = tmp_path.glob(f"{name}.*")
    where = ["--where", "topic=emotion"] if name == "liu" else []
    manage("import", file, "--name", name, "--preset", name, *where)
    said = manage("filter", name)
    assert f"{name}: {planted.clean} dialogues left" in said
    assert steps_of(name) == planted.steps
    assert re.search(r"near_duplicate +\d+ +\d+ +0 +", said)
    lines = (corpora / name / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == planted.clean
    first = json.loads(lines[0])
    assert first["prompt"] and first["response"]
    assert bool(first["context"]) is (name == "tide")
    assert "，" not in first["prompt"]


def test_a_parquet_file_is_read_row_group_by_row_group(tmp_path: Path, manage: Manage) -> None:
    frame = pd.DataFrame(
        {"q": ["one?", None, "three?"], "a": ["1", "2", "3"], "n": [1.0, 2.0, 3.0]}
    )
    fastparquet.write(str(tmp_path / "c.parquet"), frame, row_group_offsets=[0, 2])
    parts = ["--column", "prompt=q", "--column", "response=a", "--column", "context=n"]
    manage("import", tmp_path / "c.parquet", "--name", "c", *parts)
    manage("filter", "c", "--skip", "short")
    assert steps_of_rows(tmp_path) == [("one?", "1.0", "1"), ("three?", "3.0", "3")]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_columns_and_values_are_found_however_their_accents_are_written(
    tmp_path: Path, manage: Manage, kind: str
) -> None:
    file, composed, decomposed = tmp_path / f"c.{kind}", "R\u00e9ponse", "Re\u0301ponse"
    frame = pd.DataFrame({"q": ["one?", "two?"], decomposed: [decomposed, "no"]})
    match kind:
        case "csv":
            frame.to_csv(file, index=False)
        case "jsonl":
            frame.to_json(file, orient="records", lines=True, force_ascii=False)
        case _:
            fastparquet.write(str(file), frame)
    parts = ["--column", "prompt=q", "--column", f"response={composed}"]
    manage("import", file, "--name", "c", *parts, "--where", f"{composed}={composed}")
    manage("filter", "c", "--skip", "short")
    assert steps_of_rows(tmp_path) == [("one?", "", decomposed)], "texts keep their characters"


def steps_of_rows(folder: Path) -> list[tuple[str, str, str]]:
    lines = (folder / "corpora" / "c" / "corpus.jsonl").read_text().splitlines()
    return [(d["prompt"], d["context"], d["response"]) for d in map(json.loads, lines)]


def test_a_sample_has_the_rows_that_pandas_draws(tmp_path: Path, manage: Manage) -> None:
    raw_corpora.haleas(tmp_path)
    manage("import", tmp_path / "haleas.csv", "--name", "h", "--preset", "haleas")
    manage("filter", "h")
    said = manage("sample", "h", "--name", "ten", "--first", "30", "--random", "10")
    assert "ten: 10 scenarios of h" in said
    frame = pd.DataFrame({"row": range(1, 41)})
    expected = frame.head(30).sample(10, random_state=42)["row"].tolist()
    scenarios = Sample.objects.get(name="ten").scenarios.all()
    assert [each.row for each in scenarios] == expected
    assert [each.name for each in scenarios] == [f"S{n}" for n in range(1, 11)]
    assert all(each.prompt and each.reference for each in scenarios)
    manage("sample", "h", "--name", "first", "--first", "3")
    assert [e.row for e in Sample.objects.get(name="first").scenarios.all()] == [1, 2, 3]


def test_filters_can_be_applied_again_and_start_from_what_was_imported(
    tmp_path: Path, manage: Manage
) -> None:
    raw_corpora.tide(tmp_path)
    manage("import", tmp_path / "tide.jsonl", "--name", "t", "--preset", "tide")
    manage("filter", "t")
    cleaned = Corpus.objects.get().filtered
    manage("filter", "t", *(f"--skip={step}" for step in CLEAN))
    assert Corpus.objects.get().dialogues == Corpus.objects.get().source["dialogues"]
    manage("filter", "t")
    assert Corpus.objects.get().filtered == cleaned, "the same filters leave the same, byte by byte"
    assert "60 dialogues left" in manage("show", "t")


FILES = {
    "wrong_column.csv": ("question,response\nWhy?,So\n", "column 'prompt' is unknown"),
    "short_row.csv": ("prompt,response\nWhy?\n", "line 2: 1 cells where the header has 2"),
    "quotes.csv": ('prompt,response\n"Why,So\n', "line 2: not valid CSV"),
    "no.jsonl": ('{"prompt": "Why?"}\n{"prompt": \n', "line 2: not a JSON object on one line"),
    "long.jsonl": (f'{{"prompt": "{"a" * 10**7}"}}\n', "line 1: the line is longer than 10,000"),
    "list.jsonl": ('["Why?"]\n', "line 1: not a JSON object on one line"),
    "broken.parquet": ("PAR1 and then nothing", "can't be read as Parquet"),
    "none.parquet": ("prompt,response\n", "it is not a Parquet file"),
    "empty.csv": ("prompt,response\n", "there are no dialogues in it"),
    "nothing.csv": ("", "the file is empty"),
    "table.xlsx": ("", "ends with one of .csv, .tsv, .jsonl, .parquet"),
}


@pytest.mark.parametrize("name", FILES)
def test_files_that_cannot_be_read(
    name: str, tmp_path: Path, refused: Manage, corpora: Path
) -> None:
    content, said = FILES[name]
    (tmp_path / name).write_text(content)
    message = refused("import", tmp_path / name, "--name", "c")
    assert name in message and said in message
    assert not Corpus.objects.exists()
    assert not list(corpora.glob("*")), "no files are left behind"


def test_other_bad_input(tmp_path: Path, manage: Manage, refused: Manage, corpora: Path) -> None:
    raw_corpora.haleas(tmp_path)
    file = tmp_path / "haleas.csv"
    assert "no name of a corpus" in refused("import", file, "--name", "My corpus")
    assert "can't be read: No such file" in refused("import", "none.csv", "--name", "c")
    assert "'promt' is unknown; did you mean 'prompt'?" in refused(
        "import", file, "--name", "c", "--column", "promt=Context"
    )
    assert "column 'Contxt' is unknown; did you mean 'Context'?" in refused(
        "import", file, "--name", "c", "--column", "prompt=Contxt"
    )
    assert "there is no corpus 'c'; there is no corpus yet" in refused("filter", "c")
    manage("import", file, "--name", "c", "--preset", "haleas")
    assert "already" in refused("import", file, "--name", "c", "--preset", "haleas")
    assert "--near 0.2" in refused("filter", "c", "--near", "0.2")
    assert "there are 46 dialogues, fewer than the first 100" in refused(
        "sample", "c", "--name", "s", "--first", "100"
    )
    assert "Give the first, a number at random, or both." in refused("sample", "c", "--name", "s")
    manage("sample", "c", "--name", "s", "--first", "2")
    file_of = corpora / "c" / "raw.jsonl"
    whole = file_of.read_bytes()
    file_of.write_bytes(whole + whole)
    assert "is not what was imported" in refused("sample", "c", "--name", "t", "--first", "2")
    assert "has samples (s); delete them first" in refused("delete", "c")
    manage("delete", "s", "--sample")
    manage("delete", "c")
    assert not Corpus.objects.exists()
