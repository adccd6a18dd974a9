"""Suggestions for unknown names: the known name that was probably meant."""

import difflib
import re
from collections.abc import Collection
from functools import lru_cache

#: Least likeness (0 to 1) of two names for a suggestion. It is higher for columns, because a table
#: may have further ones.
ALIKE, COLUMNS_ALIKE = 0.6, 0.8
#: Characters of a name for which a similar one is looked for, and names that it is compared with:
#: each comparison takes microseconds, and a file may have many wrong names.
LONGEST, MOST_KNOWN = 200, 1000
#: Names that other tools and papers give to our columns.
SYNONYMS = {
    "scenario": ("item", "item_id", "prompt_id", "question_id", "scenario_id", "id"),
    "set": ("pair", "pairing"),
    "prompt": ("input", "instruction", "question", "query", "user_input", "user_message"),
    "context": ("history", "persona", "system_prompt"),
    "model": ("llm", "system", "engine", "model_name"),
    "condition": ("variant", "treatment", "method", "setting", "arm"),
    "response": ("output", "completion", "answer", "generation", "reply", "text", "model_output"),
    "participant": (
        *("rater", "annotator", "worker", "user", "subject", "respondent", "prolific_pid"),
        *("participant_id", "rater_id", "annotator_id", "worker_id", "user_id", "subject_id", "id"),
    ),
    "dimension": ("criterion", "aspect", "attribute", "metric"),
    "rating": ("score", "value", "likert", "label"),
    "rank": ("ranking", "position"),
    "gold": ("gold_score", "judge_score", "score", "reference_score", "rating", "label"),
    "status": ("state", "outcome", "completion_status"),
    "submission id": ("submission", "session_id", "session"),
    "participant id": ("participant", "prolific_pid", "prolific_id", "pid"),
}


def nearest(name: str, known: Collection[str], *, alike: float = ALIKE) -> str | None:
    """The known name that differs from `name` only in case or punctuation, else the most similar
    one; None if none is similar, or names are too long or too many to compare.
    """
    if len(name) > LONGEST or len(known) > MOST_KNOWN:
        return None
    return _nearest(name, tuple(known), alike)


@lru_cache(maxsize=1000)  # a file may have the same mistake a million times
def _nearest(name: str, known: tuple[str, ...], alike: float) -> str | None:
    by_plain = {_plain(one[:LONGEST]): one for one in known}
    near = difflib.get_close_matches(_plain(name), by_plain, n=1, cutoff=alike)
    return by_plain[near[0]] if near else None


def synonym(name: str, known: Collection[str]) -> str | None:
    """The known column for which `name` is a synonym, if any."""
    plain = _plain(name)
    return next((one for one in known if plain in SYNONYMS.get(one.casefold(), ())), None)


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.strip().casefold()).strip("_")


def did_you_mean(name: str, known: Collection[str]) -> str:
    """The end of a message about an unknown name, which may have placeholders (see
    `survey.files.problems.Problem`); empty if no known name is similar.
    """
    near = nearest(name, known)
    return escaped(f"; did you mean {near!r}?") if near is not None else ""


def not_among(name: str, known: Collection[str]) -> str:
    """Why a name can't be used: a message with a placeholder for the name. It gives the most
    similar known name, else up to eight known names.
    """
    if not name:
        return "is empty"
    near = did_you_mean(name, known)
    if near:
        return "{!r} is unknown" + near
    few = ", ".join(repr(one) for one in list(known)[:8])
    return "{!r} is unknown; known are " + escaped(few) + (", …" if len(known) > 8 else "")


def escaped(text: str) -> str:
    """A text for a message that has placeholders."""
    return text.replace("{", "{{").replace("}", "}}")
