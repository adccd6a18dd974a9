"""Completion codes: which endings need one, and random codes if a file has none. Pure."""

import secrets
from collections.abc import Mapping

from survey.definition.settings import ENDINGS, Prolific, Settings
from survey.definition.study import StudyDefinition

#: Capitals and digits, without look-alikes: I, L, O, 0 and 1.
ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
LENGTH = 8


def with_new_codes(known: Mapping[str, str]) -> dict[str, str]:
    """The `known` codes by ending, and a random one for each other ending, all different; 31^8 are
    possible.
    """
    codes = dict(known)
    for ending in ENDINGS:
        while ending not in codes:
            code = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
            if code not in codes.values():
                codes[ending] = code
    return codes


def possible_endings(definition: StudyDefinition, settings: Settings) -> list[str]:
    """The possible endings of this study."""
    places, prolific = settings.places, settings.prolific or Prolific()
    can_happen = {
        "failed_attention": len(definition.attention_checks) >= prolific.failed_attention_from,
        "failed_comprehension": definition.comprehension is not None,
        "screened_out": bool(definition.screening),
        "full": bool(places.limits),
    }
    return [ending for ending in ENDINGS if can_happen.get(ending, True)]


def with_codes(
    settings: Settings, definition: StudyDefinition, random: Mapping[str, str]
) -> Settings:
    """The settings, with `random` codes if the study is on Prolific and its file has none: one for
    each possible ending.
    """
    if not settings.lacks_codes:
        return settings
    prolific = settings.prolific or Prolific()
    codes = {
        prolific.key_of(ending): random[ending] for ending in possible_endings(definition, settings)
    }
    return settings.model_copy(update={"prolific": prolific.model_copy(update=codes)})
