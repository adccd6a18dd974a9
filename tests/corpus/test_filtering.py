"""Filters over a whole corpus: what goes, why, and what stays."""

import csv
import json
import random
from itertools import pairwise
from pathlib import Path

import pytest
from pydantic import ValidationError

from corpus.dialogues import Dialogue
from corpus.filtering import filter_dialogues
from corpus.filters import CORPUS, REMOVED, Filters
from tests.corpus.raw_corpora import alike, dialogue

VOCABULARY = [f"word{number}" for number in range(500)]


def run(dialogues: list[Dialogue], folder: Path, **filters: object) -> dict[str, tuple[int, ...]]:
    """Step → before, removed, changed, left."""
    counts = filter_dialogues(dialogues, Filters(**filters), folder, has_responses=True)  # type: ignore[arg-type]
    return {c.step: (c.before, c.removed, c.changed, c.left) for c in counts}


def removed(folder: Path) -> list[dict[str, str]]:
    with (folder / REMOVED).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def kept_rows(folder: Path) -> list[int]:
    return [json.loads(line)["row"] for line in (folder / CORPUS).open(encoding="utf-8")]


def test_each_step_has_its_count_and_each_removal_its_reason(tmp_path: Path) -> None:
    prompt, response = dialogue(random.Random(1))
    texts = [
        (prompt, response),
        (prompt, "  "),
        (f"{prompt} www.example.org", response),
        (prompt, f"{response} 🙂"),
        ("I am so sad", response),
        (prompt, response),
        (prompt, alike(response)),
        (f"{prompt} Write to a@b.org", "Well, that is another matter altogether, I think."),
    ]
    given = [Dialogue(n, n + 1, text[0], "", text[1]) for n, text in enumerate(texts, start=1)]
    counts = run(given, tmp_path)
    assert counts == {
        "width": (8, 0, 1, 8),
        "blank": (8, 1, 0, 7),
        "anonymize": (7, 0, 1, 7),
        "url": (7, 1, 0, 6),
        "emoji": (6, 1, 0, 5),
        "short": (5, 1, 0, 4),
        "duplicate": (4, 1, 0, 3),
        "near_duplicate": (3, 1, 0, 2),
    }
    rows = removed(tmp_path)
    assert [(r["row"], r["step"], r["same_as_row"]) for r in rows] == [
        ("2", "blank", ""),
        ("3", "url", ""),
        ("4", "emoji", ""),
        ("5", "short", ""),
        ("6", "duplicate", "1"),
        ("7", "near_duplicate", "1"),
    ]
    assert rows[1]["reason"] == "'www.example.org' in the prompt"
    assert rows[3]["reason"] == "4 tokens in the prompt"
    assert kept_rows(tmp_path) == [1, 8]
    assert (tmp_path / "anonymized.csv").read_text().splitlines()[1] == "8,9,1,0,0,0"


def test_steps_are_left_out_and_duplicates_may_be_of_the_prompt(tmp_path: Path) -> None:
    given = [Dialogue(n, n, "Why am I so tired?", "", f"Answer {n} 🙂") for n in (1, 2, 3)]
    counts = run(given, tmp_path, steps=("duplicate",), same="prompt")
    assert counts == {"duplicate": (3, 2, 0, 1)}
    assert kept_rows(tmp_path) == [1]


def test_planted_near_duplicates_are_found_and_none_invented(tmp_path: Path) -> None:
    """Pairs of every likeness; what must go is computed here, pair by pair, from the texts."""
    draw = random.Random(7)
    texts: list[str] = []
    for _ in range(300):
        words = [draw.choice(VOCABULARY) for _ in range(40)]
        texts.append(" ".join(words))
        changed = [draw.choice(VOCABULARY) if draw.random() < 0.12 else word for word in words]
        texts.append(" ".join(changed))
    given = [Dialogue(n, n, text, "", "x") for n, text in enumerate(texts, start=1)]
    run(given, tmp_path, steps=("near_duplicate",), same="prompt", near=0.7)

    pairs = [set(pairwise(text.split())) for text in texts]
    expected = [
        number
        for number in range(1, len(texts), 2)
        if len(pairs[number] & pairs[number - 1]) / len(pairs[number] | pairs[number - 1]) >= 0.7
    ]
    assert 40 < len(expected) < 260
    assert [int(row["row"]) - 1 for row in removed(tmp_path)] == expected


@pytest.mark.parametrize("steps", [("blank",), ("blank", "near_duplicate")])
def test_progress_goes_on_while_texts_are_compared(tmp_path: Path, steps: tuple[str, ...]) -> None:
    given = [Dialogue(n, n, f"text {n}" if n % 5 else "", "", "x") for n in range(1, 1202)]
    told: list[int] = []
    filters = Filters(steps=steps)  # type: ignore[arg-type]
    filter_dialogues(given, filters, tmp_path, has_responses=True, progress=told.append)
    assert sum(told) == 1201
    assert len(told) == (3 if len(steps) == 1 else 5), "comparing 960 of them is told in two steps"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("anonymized.csv", "corpus.jsonl", "removed.csv", "steps.csv"),
    ]


def test_a_corpus_of_one_word_texts_has_no_near_duplicates_of_nothing(tmp_path: Path) -> None:
    given = [Dialogue(n, n, text, "", "") for n, text in enumerate(("…", "…", "a", "a"), start=1)]
    counts = run(given, tmp_path, steps=("near_duplicate",), same="prompt")
    assert counts["near_duplicate"] == (4, 1, 0, 3), "texts without a word are compared with none"


@pytest.mark.parametrize("bad", [{"near": 0.2}, {"min_tokens": 0}, {"steps": ("blank", "other")}])
def test_filters_that_cannot_be(bad: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Filters(**bad)  # type: ignore[arg-type]


def test_a_dialogue_in_json_stays_one_and_no_address_of_it_is_kept(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "Ｉ’m ＂fine＂＼o＼.\nann@example.org\n13812345678", "at": 3},
        {"role": "assistant", "content": [{"type": "text", "text": "My name is Ann Lee.\tOK"}]},
        {"role": "tool", "content": "我叫王芳，电话13812345678"},
    ]
    for context in (json.dumps(messages), json.dumps(messages, ensure_ascii=False, indent=1)):
        given = [Dialogue(1, 1, "Dear Ann, really?", context, "Yes, 王芳.")]
        run(given, tmp_path, steps=("width", "anonymize"))
        (kept,) = map(json.loads, (tmp_path / CORPUS).open(encoding="utf-8"))
        assert json.loads(kept["context"]) == [
            {"role": "user", "content": 'I’m "fine"\\o\\.\n[mail]\n[phone]', "at": 3},
            {"role": "assistant", "content": [{"type": "text", "text": "My name is [name]. OK"}]},
            {"role": "tool", "content": "我叫[name],电话[phone]"},
        ]
        assert (kept["prompt"], kept["response"]) == ("Dear [name], really?", "Yes, [name].")
