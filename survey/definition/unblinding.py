"""Texts that reveal who wrote a response, and responses that are mixed up. Pure."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import regex

from survey.definition.findings import CHANGE, StudyFinding
from survey.definition.responses import ResponseRow
from survey.definition.study import StudyDefinition
from survey.definition.visible import visible_texts
from survey.definition.word_edges import BEGINS, ENDS
from survey.files.names import one_name

#: Names of language models and their makers that a response may reveal, whichever system wrote it.
KNOWN = regex.compile(
    rf"{BEGINS}(?:ChatGPT|GPT-?\d[A-Za-z0-9_.]*|OpenAI|Anthropic|DeepSeek|Qwen){ENDS}"
    r"|通义千问|文心一言"
    rf"|{BEGINS}I(?:'m| am) (?:Claude|Gemini|Llama|Mistral|Copilot|Bard|Grok){ENDS}"
)
#: Texts shown after the last rating: they may say what was compared.
AFTERWARDS = (
    *("thanks", "failed_attention", "failed_comprehension", "screened_out"),
    *("declined", "full", "withdrawn", "closed"),
)
#: Minimum length of a model's first word to be searched alone: Llama, not Phi.
LONG_WORD = 4


def unblinding(
    definition: StudyDefinition,
    rows: Sequence[ResponseRow],
    translations: Sequence[StudyDefinition] = (),
) -> Iterator[StudyFinding]:
    """What to check in the texts and responses of a study."""
    names = _names(row.model for row in rows)
    yield from _texts_that_name(definition, translations, names)
    yield from _responses_that_name(rows, names)
    yield from _differing_references(definition, rows)
    yield from _same_texts(rows)


def _names(models: Iterator[str]) -> Any:
    """The models' names, and their first words if these are names too: Claude, Qwen."""
    patterns = set()
    for model in models:
        plain = model.isalpha()  # a word may be common: case must match
        patterns.add(re.escape(model) if plain else f"(?i:{re.escape(model)})")
        first = re.match(r"[A-Za-z]+", model)
        if first and len(first[0]) >= LONG_WORD and not first[0].islower():
            patterns.add(re.escape(first[0]))
    if not patterns:
        return None
    longest_first = sorted(patterns, key=len, reverse=True)
    return regex.compile(rf"{BEGINS}(?:{'|'.join(longest_first)}){ENDS}")


def _texts_that_name(
    definition: StudyDefinition,
    translations: Sequence[StudyDefinition],
    names: Any,
) -> Iterator[StudyFinding]:
    for key, text in visible_texts(definition, translations):
        if names is None or (key[0] == "texts" and key[1] in AFTERWARDS):
            continue
        if match := names.search(one_name(text)):
            said = f"“{match[0]}” names a model, which raters must not know. Remove it."
            yield StudyFinding("Blinding", CHANGE, said, key, quote=match[0])


def _responses_that_name(rows: Sequence[ResponseRow], names: Any) -> Iterator[StudyFinding]:
    by_name: dict[str, list[ResponseRow]] = defaultdict(list)
    for row in rows:
        text = one_name(row.text)
        match = (names.search(text) if names else None) or KNOWN.search(text)
        if match:
            by_name[match[0]].append(row)
    for name, named in by_name.items():
        first = named[0]
        count = "1 response names" if len(named) == 1 else f"{len(named)} responses name"
        said = (
            f"{count} “{name}”{_first(named)}: {_place(first)}, {_of(first)}. Raters could guess "
            "the system: remove the name from the text."
        )
        yield StudyFinding("Blinding", CHANGE, said, line=first.line)


def _differing_references(
    definition: StudyDefinition, rows: Sequence[ResponseRow]
) -> Iterator[StudyFinding]:
    reference = definition.reference
    if reference is None:
        return
    first_of: dict[str, ResponseRow] = {}
    other: dict[str, ResponseRow] = {}
    for row in rows:
        if row.system != (reference.model, reference.condition):
            continue
        if row.text_hash != first_of.setdefault(row.scenario, row).text_hash:
            other.setdefault(row.scenario, row)
    if other:
        row = next(iter(other.values()))
        scenarios = "1 scenario" if len(other) == 1 else f"{len(other)} scenarios"
        yield StudyFinding(
            "Reference",
            CHANGE,
            f"It has different texts in the sets of {scenarios}{_first(list(other.values()))}: "
            f"{_place(row)} and set {first_of[row.scenario].set_name!r}. Each text would get "
            "its own gold scores. Use the same text in every set.",
            line=row.line,
        )


def _same_texts(rows: Sequence[ResponseRow]) -> Iterator[StudyFinding]:
    writers: dict[tuple[str, str], dict[tuple[str, str], ResponseRow]] = defaultdict(dict)
    for row in rows:
        writers[row.scenario, row.text_hash].setdefault(row.system, row)
    same = [list(systems.values()) for systems in writers.values() if len(systems) > 1]
    if same:
        one, other = same[0][:2]
        texts = "1 text is" if len(same) == 1 else f"{len(same)} texts are"
        yield StudyFinding(
            "Identical responses",
            CHANGE,
            f"{texts} the same for several systems{_first(same)}: scenario {one.scenario!r}, "
            f"{_of(one)} and {_of(other)}. Check how responses.csv was made.",
            line=other.line,
        )


def _first(occurrences: Sequence[object]) -> str:
    return ", first" if len(occurrences) > 1 else ""


def _place(row: ResponseRow) -> str:
    return f"scenario {row.scenario!r}" + (f", set {row.set_name!r}" if row.set_name else "")


def _of(row: ResponseRow) -> str:
    return f"{row.model} ({row.condition})"
