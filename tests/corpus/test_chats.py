"""Chats to tune a model with: seeded parts, what is asked, and scenarios that never train."""

import json
from collections import Counter
from pathlib import Path

import pytest

from corpus.dialogues import Dialogue
from corpus.models import Sample
from corpus.splitting import Split, SplitWrong
from tests.corpus import raw_corpora
from tests.corpus.conftest import Corpus as Manage

GENERATION = """
template: "Patient: {prompt}"
system: Be kind.
conditions: {zero_shot: {}, brief: {system: Be brief.}}
models: [{name: Alder}]
"""


def dialogues(n: int) -> list[Dialogue]:
    return [Dialogue(i, i, f"p{i}", f"persona {i // 4}", f"r{i}") for i in range(1, n + 1)]


def test_parts_have_their_sizes_and_a_seed_repeats_them() -> None:
    split = Split(valid=0.1, test=400, seed=42)
    parts = split.parts(dialogues(1000))
    assert Counter(parts) == {0: 500, 1: 100, 2: 400}
    assert split.parts(dialogues(1000)) == parts
    assert Split(valid=0.1, test=400, seed=43).parts(dialogues(1000)) != parts


def test_a_persona_is_in_one_part_and_held_out_rows_are_in_test() -> None:
    split = Split(valid=0.1, test=0.2, seed=1, together=True, held_out={5, 50})
    given = dialogues(100)
    parts = split.parts(given)
    of_persona: dict[str, set[int]] = {}
    for part, each in zip(parts, given, strict=True):
        of_persona.setdefault(each.context, set()).add(part)
    assert all(len(found) == 1 for found in of_persona.values())
    assert parts[4] == parts[49] == 2
    assert 20 <= Counter(parts)[2] <= 24 and 10 <= Counter(parts)[1] <= 13


def test_more_than_there_is() -> None:
    with pytest.raises(SplitWrong, match="there are 10 dialogues, and 12 are not to train"):
        Split(valid=2, test=10, seed=1).parts(dialogues(10))


def test_chats_are_asked_as_models_are_and_scenarios_never_train(
    tmp_path: Path, manage: Manage, refused: Manage
) -> None:
    raw_corpora.tide(tmp_path)
    manage("import", tmp_path / "tide.jsonl", "--name", "t", "--preset", "tide")
    manage("filter", "t")
    manage("sample", "t", "--name", "s", "--random", "6")
    (tmp_path / "g.yaml").write_text(GENERATION)
    out = tmp_path / "chats"
    options = ["--out", out, "--ask-as", tmp_path / "g.yaml", "--test", "12"]
    said = manage("chats", "t", *options)
    assert "train.jsonl: 42 chats" in said and "6 dialogues are scenarios of samples" in said
    parts = {name: read(out / f"{name}.jsonl") for name in ("train", "valid", "test")}
    assert {name: len(chats) for name, chats in parts.items()} == {
        "train": 42,
        "valid": 6,
        "test": 12,
    }
    tested = {chat[1]["content"] for chat in parts["test"]}
    scenarios = Sample.objects.get().scenarios.all()
    assert {f"Patient: {scenario.prompt}" for scenario in scenarios} <= tested
    scenario = scenarios[0]
    (chat,) = (c for c in parts["test"] if c[1]["content"] == f"Patient: {scenario.prompt}")
    assert chat[0] == {"role": "system", "content": "Be kind."}
    assert chat[2] == {"role": "assistant", "content": scenario.reference}
    before = (out / "train.jsonl").read_bytes()
    manage("chats", "t", *options)
    assert (out / "train.jsonl").read_bytes() == before
    assert json.loads((out / "split.json").read_text())["chats"]["train"] == 42
    assert "did you mean 'brief'?" in refused("chats", "t", *options, "--condition", "breif")
    assert "60 dialogues, and 106 are not" in refused("chats", "t", "--out", out, "--test", "100")


def read(path: Path) -> list[list[dict[str, str]]]:
    return [json.loads(line)["messages"] for line in path.read_text().splitlines()]
