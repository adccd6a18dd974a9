"""Chats to tune a model with: train.jsonl, valid.jsonl and test.jsonl of a corpus."""

import json
from contextlib import ExitStack
from pathlib import Path

from corpus.definition import GenerationDefinition
from corpus.filtering import read_dialogues
from corpus.folders import dialogues_file
from corpus.models import Corpus, SampledScenario
from corpus.problems import CorpusProblem
from corpus.splitting import PARTS, Split, SplitWrong
from corpus.store import check_files, sha256_of
from judge.prompts import Message

SPLIT = "split.json"
#: Without a generation file: the prompt as it is.
PLAIN = GenerationDefinition.model_validate(
    {"conditions": {"plain": {}}, "models": [{"name": "any"}]}
)


def scenario_rows(corpus: Corpus) -> set[int]:
    """The rows of dialogues that are scenarios of a sample of the corpus."""
    scenarios = SampledScenario.objects.filter(sample__corpus=corpus)
    return set(scenarios.values_list("row", flat=True))


def write_chats(
    corpus: Corpus,
    split: Split,
    folder: Path,
    *,
    definition: GenerationDefinition = PLAIN,
    condition: str = "plain",
) -> dict[str, int]:
    """Write a file of chats for each part, and how the parts were drawn; returns their sizes.

    A chat asks as `definition` asks under `condition`, and is answered as in the corpus. Raises
    CorpusProblem.
    """
    if not corpus.source["has_responses"]:
        raise CorpusProblem(f"corpus {corpus} has no responses that a model could learn")
    check_files(corpus)
    path = dialogues_file(corpus)
    try:
        parts = split.parts(read_dialogues(path))
    except SplitWrong as problem:
        raise CorpusProblem(f"corpus {corpus}: {problem}") from None
    sizes = dict.fromkeys(PARTS, 0)
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        files = [
            stack.enter_context((folder / f"{name}.jsonl").open("w", encoding="utf-8"))
            for name in PARTS
        ]
        for part, dialogue in zip(parts, read_dialogues(path), strict=True):
            asked = definition.messages(condition, prompt=dialogue.prompt, context=dialogue.context)
            answer: Message = {"role": "assistant", "content": dialogue.response}
            files[part].write(json.dumps({"messages": [*asked, answer]}, ensure_ascii=False) + "\n")
            sizes[PARTS[part]] += 1
    about = {
        "corpus": corpus.name,
        "sha256": sha256_of(path),
        "seed": split.seed,
        "together": split.together,
        "held_out_rows": sorted(split.held_out),
        "chats": sizes,
    }
    (folder / SPLIT).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    return sizes
