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


#: The parameter that is refused.
_PARAMETER = {
    Trait.NO_TEMPERATURE: "temperature",
    Trait.NO_SEED: "seed",
    Trait.MAX_COMPLETION_TOKENS: "max_tokens",
}
#: What is refused, for people.
REFUSED = {Trait.NO_SYSTEM_ROLE: "system role", **_PARAMETER}
#: What is done instead, for people.
INSTEAD = {
    Trait.NO_SYSTEM_ROLE: "instructions go into the user's message",
    Trait.NO_TEMPERATURE: "no temperature is sent",
    Trait.NO_SEED: "no seed is sent",
    Trait.MAX_COMPLETION_TOKENS: "the limit is sent as max_completion_tokens",
}

_REFUSES = re.compile(
    r"\b(?:not|only|unsupported|unknown|unrecogni[sz]ed|unexpected|invalid|extra|must|cannot"
    r"|forbidden|deprecated|no such|disallowed|ignored|no endpoints|conversation roles)\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)
#: A value or a text of the study is wrong, which its researcher has to correct.
_A_VALUE = re.compile(
    r"[\u2264\u2265]|[<>]=?\s?-?\.?\d|[(\[]\s?-?[\d.]{1,9}\s?,\s?-?[\d.]{1,9}\s?[)\]]"
    # A range, but not from a number to itself: no other value is accepted then.
    r"|(?<![\d.])(\d[\d.]{0,8}?)\s?(?:\.\.\.?|\u2013|~|to)\s?(?!\1(?![\d.]))\d"
    r"|\brange\b(?!\W{1,3}(\d[\d.]{0,8}?)\.\.\2(?![\d.]))"
    r"|\b(?:minimum|maximum)\b(?! (?:\w+ )?version)"
    r"|\b(?:between|(?:less|lower|smaller|greater|higher|larger|more) (?:than|or equal)|at most"
    r"|at least|too (?:large|small|high|low|many|long|short)|exceeds?|context length|bounds"
    r"|positive|(?:non-?)?negative|numeric|integer|empty|blank|pars(?:e|ing)|policy|flagged)\b"
    r"|\b(?:invalid|wrong|expected) type\b"
    r"|\b(?:an?|be|valid|expected|of type)\W{1,2}(?:float|int|number|decimal|string|boolean)\b",
    re.IGNORECASE,
)
#: A sentence ends, or a list of what is accepted begins.
_NEXT = re.compile(
    r"[.;!?]\s|, expected\b|(?<!\bnot )\b(?=(?:supported|allowed|valid|accepted)"
    r" (?:parameter|param|value|field|role)s\b)",
    re.IGNORECASE,
)
#: From here on vLLM repeats the request.
_REPEATED = re.compile(r"'input': |\binput_value=")
_ABOUT = {
    Trait.NO_TEMPERATURE: re.compile(r"\btemperature\b", re.IGNORECASE),
    Trait.NO_SEED: re.compile(r"\b(?:random_)?seed\b", re.IGNORECASE),
    Trait.NO_SYSTEM_ROLE: re.compile(
        r"\bsystem(?:[ _-]|'s )?(?:roles?|messages?|prompts?|instructions?)\b"
        r"|\broles?\b.{0,40}\bsystem\b|['\"`]system['\"`]|developer instruction"
        r"|conversation roles must alternate|\bonly\W{1,3}user\b.{0,40}\broles\b",
        re.IGNORECASE | re.DOTALL,
    ),
}
#: Advice to use max_completion_tokens, as such or in Azure's spelling.
_USE_THE_OTHER_LIMIT = re.compile(
    r"(?<!not )(?<!n't )\b(?:use|using|favou?r of|replaced (?:by|with))"
    r"\W{1,3}max_?completion_?tokens\b"
    r"|\bmax_completion_tokens\W{1,3}(?:instead|(?:must|should) be used)\b",
    re.IGNORECASE,
)
_TRAIT_OF = {parameter: trait for trait, parameter in _PARAMETER.items()}
#: What `parameter` names where a role is refused.
_MESSAGES = {"messages", "role", "system"}
#: Statuses of an endpoint for a request with a part that it does not accept. Some servers fail on
#: a chat template that knows no system role.
_STATUSES, _FAILED = {200, 400, 403, 404, 415, 422, 501}, 500


def traits_of(text: str) -> frozenset[Trait] | None:
    """Those that a value of the environment names, separated by spaces or commas; with `none` there
    are none, and None says that they are to be found out.

    Raises ValueError for an unknown one, and for `none` together with others.
    """
    names = text.replace(",", " ").split()
    known = [NONE, *(trait.value for trait in Trait)]
    for name in names:
        if name not in known:
            raise ValueError(not_among(name, known).format(name))
    if NONE in names and len(set(names)) > 1:
        raise ValueError(f"{NONE!r} can't stand together with others")
    return frozenset(Trait(name) for name in names if name != NONE) if names else None


def trait_behind(status: int, words: str, parameter: str | None = None) -> Trait | None:
    """The trait that a refusal shows: by the `parameter` that it names, or by its words."""
    words = _REPEATED.split(words, maxsplit=1)[0]
    if status not in _STATUSES | {_FAILED} or _A_VALUE.search(words):
        return None
    refusals = [sentence for sentence in _NEXT.split(words) if _REFUSES.search(sentence)]
    path = re.findall(r"\w+", parameter or "")
    if status == _FAILED or _MESSAGES.intersection(path):
        about = {Trait.NO_SYSTEM_ROLE: _ABOUT[Trait.NO_SYSTEM_ROLE]}
    elif path:
        trait = _TRAIT_OF.get(path[-1])
        if trait is Trait.MAX_COMPLETION_TOKENS and "max_completion_tokens" in words:
            return trait if _USE_THE_OTHER_LIMIT.search(words) else None
        return trait if refusals else None
    elif _USE_THE_OTHER_LIMIT.search(words):
        return Trait.MAX_COMPLETION_TOKENS
    else:
        about = _ABOUT
    return next((trait for trait in about if any(map(about[trait].search, refusals))), None)


def is_part_of(trait: Trait, body: Mapping[str, Any]) -> bool:
    """Whether a request's body has the part that a trait refuses."""
    if trait is Trait.NO_SYSTEM_ROLE:
        return any(message["role"] == "system" for message in body["messages"])
    return _PARAMETER[trait] in body


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
