"""What an endpoint's model does not accept of a request, and what is sent instead. Pure.

Traits are set in the environment (`JUDGE_TRAITS`) or found out (`judge.endpoint_traits`): the first
request that an endpoint refuses for one of them is sent again without it, as are all later ones.
"""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from survey.files.suggestions import not_among

#: Set in place of traits: there are none, and none are found out.
NONE = "none"


class Trait(StrEnum):
    """A part of requests that a model's endpoint refuses."""

    NO_SYSTEM_ROLE = "no_system_role"
    NO_TEMPERATURE = "no_temperature"
    NO_SEED = "no_seed"
    MAX_COMPLETION_TOKENS = "max_completion_tokens"


#: What is done instead, for people.
INSTEAD = {
    Trait.NO_SYSTEM_ROLE: "instructions go into the user's message",
    Trait.NO_TEMPERATURE: "no temperature is sent",
    Trait.NO_SEED: "no seed is sent",
    Trait.MAX_COMPLETION_TOKENS: "the limit is sent as max_completion_tokens",
}

_REFUSES = re.compile(
    r"\b(?:not|n't|only|unsupported|unknown|unrecogni[sz]ed|unexpected|invalid|extra|must|cannot"
    r"|forbidden|deprecated|instead|no such|disallowed|ignored|conversation roles)\b|n't\b",
    re.IGNORECASE,
)
#: A value of the study is out of bounds: that is for its researcher to correct.
_A_LIMIT = re.compile(
    r"[<>\u2264\u2265]|\b(?:between|less than|greater than|at most|at least"
    r"|too (?:large|small|high|low|many)|range|maximum|minimum|exceeds?|context length|integer)\b",
    re.IGNORECASE,
)
_ABOUT = {
    Trait.MAX_COMPLETION_TOKENS: re.compile(r"\bmax_completion_tokens\b"),
    Trait.NO_TEMPERATURE: re.compile(r"\btemperature\b", re.IGNORECASE),
    Trait.NO_SEED: re.compile(r"\b(?:random_)?seed\b", re.IGNORECASE),
    Trait.NO_SYSTEM_ROLE: re.compile(
        r"\bsystem(?:[ _-]|'s )?(?:roles?|messages?|prompts?|instructions?)\b"
        r"|\broles?\b.{0,40}\bsystem\b|['\"`]system['\"`]|developer instruction"
        r"|conversation roles must alternate",
        re.IGNORECASE | re.DOTALL,
    ),
}
_PARAMETERS = {
    "temperature": Trait.NO_TEMPERATURE,
    "seed": Trait.NO_SEED,
    "max_tokens": Trait.MAX_COMPLETION_TOKENS,
}
#: Statuses of an endpoint for a request with a part that it does not accept. Some servers fail on
#: a chat template that knows no system role.
_STATUSES = {200, 400, 404, 415, 422, 500, 501}


def traits_of(text: str) -> frozenset[Trait] | None:
    """Those that a value of the environment names, separated by spaces or commas; with `none` there
    are none, and None says that they are to be found out.

    Raises ValueError for an unknown one.
    """
    names = text.replace(",", " ").split()
    known = [NONE, *(trait.value for trait in Trait)]
    for name in names:
        if name not in known:
            raise ValueError(not_among(name, known).format(name))
    return frozenset(Trait(name) for name in names if name != NONE) if names else None


def trait_behind(status: int, words: str, parameter: object = None) -> Trait | None:
    """The trait that a refusal shows: by the `parameter` that it names, or by its words."""
    if status not in _STATUSES:
        return None
    if not _REFUSES.search(words) or _A_LIMIT.search(words):
        return None
    if isinstance(parameter, str) and parameter in _PARAMETERS:
        return _PARAMETERS[parameter]
    about = (trait for trait, pattern in _ABOUT.items() if pattern.search(words))
    return next(about, None)


def is_part_of(trait: Trait, body: Mapping[str, Any]) -> bool:
    """Whether a request's body has the part that a trait refuses."""
    if trait is Trait.NO_SYSTEM_ROLE:
        return any(message["role"] == "system" for message in body["messages"])
    names = {
        Trait.NO_TEMPERATURE: "temperature",
        Trait.NO_SEED: "seed",
        Trait.MAX_COMPLETION_TOKENS: "max_tokens",
    }
    return names[trait] in body


def adapted(body: Mapping[str, Any], traits: Iterable[Trait]) -> dict[str, Any]:
    """A request's body as an endpoint with these traits accepts it."""
    adapted = dict(body)
    for trait in traits:
        if trait is Trait.NO_TEMPERATURE:
            adapted.pop("temperature", None)
        elif trait is Trait.NO_SEED:
            adapted.pop("seed", None)
        elif trait is Trait.MAX_COMPLETION_TOKENS and "max_tokens" in adapted:
            adapted["max_completion_tokens"] = adapted.pop("max_tokens")
        elif trait is Trait.NO_SYSTEM_ROLE:
            adapted["messages"] = _without_system(adapted["messages"])
    return adapted


def _without_system(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    """The messages, the system's before the text of the first one of the user."""
    said = [message["content"] for message in messages if message["role"] == "system"]
    rest = [dict(message) for message in messages if message["role"] != "system"]
    if not said:
        return rest
    if not rest or rest[0]["role"] != "user":
        return [{"role": "user", "content": "\n\n".join(said)}, *rest]
    rest[0]["content"] = "\n\n".join([*said, rest[0]["content"]])
    return rest
