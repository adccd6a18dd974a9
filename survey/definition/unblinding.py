"""Texts that reveal who wrote a response, and responses that are mixed up. Pure."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
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
#: Words that name systems of many studies and no model: they say nothing in a text.
_COMMON = """
adapted answer assistant author base baseline best candidate chat clinician coach condition control
default doctor expert few final fine finetuned first friend generated gold group human humans
instruct instruction large learner long machine model none normal nurse one option original other
others output partner peer person physician plain prompt prompted random real reference response
robot sample second short small source standard student system target teacher test text therapist
three truth tuned two user variant version volunteer writer zero
"""
COMMON = frozenset(_COMMON.split())
#: Names of models, however they are written elsewhere.
NEVER_COMMON = frozenset(("claude", "gemini", "llama", "mistral", "copilot", "bard", "grok"))
#: Length of the shortest name of letters alone.
SHORT_NAME = 3
_WORD = regex.compile(r"\b\p{L}+\b")


def unblinding(
    definition: StudyDefinition,
    rows: Sequence[ResponseRow],
    translations: Sequence[StudyDefinition] = (),
) -> Iterator[StudyFinding]:
    """What to check in the texts and responses of a study."""
    texts = [text for _, text in visible_texts(definition, translations)]
    names = _names((row.model for row in rows), common=_lower_words([*texts, *_written(rows)]))
    yield from _texts_that_name(definition, translations, names)
    yield from _responses_that_name(rows, names)
    yield from _differing_references(definition, rows)
    yield from _same_texts(rows)


def _written(rows: Sequence[ResponseRow]) -> Iterator[str]:
    for row in rows:
        yield row.prompt
        yield row.text


def _lower_words(texts: Iterable[str]) -> set[str]:
    """The words that are somewhere written without a capital."""
    every = (word for text in texts for word in _WORD.findall(one_name(text)))
    return {word for word in every if word.islower()}


def _names(models: Iterable[str], *, common: Collection[str] = ()) -> Any:
    """The models' names, and their first words if these are names too: Claude, Qwen. A letter or a
    number is none, nor is a `common` word.
    """
    patterns = set()
    for model in dict.fromkeys(models):
        plain = model.isalpha()  # a word may be common: case must match
        if not _is_common(model, common):
            patterns.add(re.escape(model) if plain else f"(?i:{re.escape(model)})")
        first = re.match(r"[A-Za-z]+", model)
        is_name = first and len(first[0]) >= LONG_WORD and not first[0].islower()
        if first and is_name and not _is_common(first[0], common):
            patterns.add(re.escape(first[0]))
    if not patterns:
        return None
    longest_first = sorted(patterns, key=len, reverse=True)
    return regex.compile(rf"{BEGINS}(?:{'|'.join(longest_first)}){ENDS}")


def _is_common(name: str, common: Collection[str]) -> bool:
    """Whether a name stands in many texts that are not about the model: A, 12, Human, Hope."""
    if name.isascii() and (name.isdigit() or (name.isalpha() and len(name) < SHORT_NAME)):
        return True
    word = name.lower()
    if not name.isalpha() or word in NEVER_COMMON:
        return False
    return word in COMMON or (word != name and word in common)


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
