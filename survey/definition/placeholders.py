"""Placeholders in texts and codes, and addresses that others cannot open. Pure.

The lists are short on purpose: a legitimate text must not keep a study from opening.
"""

import re
from collections.abc import Iterator, Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

import regex

from survey.definition.findings import CHANGE, REFUSE, StudyFinding
from survey.definition.settings import ENDINGS, Prolific
from survey.definition.study import StudyDefinition
from survey.definition.visible import visible_texts
from survey.definition.word_edges import BEGINS, ENDS

#: In texts that participants read. Case matters unless a pattern says otherwise.
IN_TEXTS = tuple(
    regex.compile(pattern)
    for pattern in (
        rf"{BEGINS}Example (?:University|College|Institute|Hospital){ENDS}|示例大学",
        r"(?<![\w-])0{3,}[-/]0{2,}(?![\w-])",  # an approval number of zeros alone
        rf"(?i:{BEGINS}example\.(?:org|com|net|edu){ENDS})",  # reserved: they belong to nobody
        r"\[(?:…|\.\.\.)\](?!\()",
        r"(?i:\[(?:your|insert|name of|fill in|placeholder)\b[^\]\n]{0,60}\](?!\())",
        r"\{\{ ?[^\W\d][^{}\n]{0,60}\}\}",  # an unfilled variable
        rf"{BEGINS}(?:TODO|TBD|FIXME|X{{3,}}){ENDS}",
        rf"(?i:{BEGINS}lorem ipsum{ENDS})",
    )
)
#: Codes as in examples and instructions, with a number after them or without.
GENERIC_CODE = re.compile(
    r"(?:(?:your[-_ ]?)?(?:completion[-_ ]?)?code|test|testing|abcd?|example|sample|demo|dummy|"
    r"placeholder|change[-_ ]?me|todo|tbd|empathy|tide|haleas|liu)[-_ ]?\d{0,4}|(.)\1*",
    re.IGNORECASE,
)
#: A code of fewer characters can be guessed.
SHORTEST_CODE = 6


def placeholders(
    definition: StudyDefinition, translations: Sequence[StudyDefinition] = ()
) -> Iterator[StudyFinding]:
    """A finding for each text with placeholders."""
    for key, text in visible_texts(definition, translations):
        matches = [match[0] for pattern in IN_TEXTS for match in pattern.finditer(text)]
        if quotes := list(dict.fromkeys(matches)):
            said = f"{_listed(quotes)}. Replace it with your study's own text."
            yield StudyFinding("Placeholder", REFUSE, said, key, quote=quotes[0])


def _listed(quotes: Sequence[str]) -> str:
    *others, last = [f"“{quote}”" for quote in quotes]
    return f"{', '.join(others)} and {last}" if others else last


def doubtful_codes(prolific: Prolific) -> Iterator[StudyFinding]:
    """A finding for each completion code that is a placeholder or can be guessed."""
    rule = "Completion code"
    for ending in ENDINGS:
        code = prolific.code(ending)
        if code is None:
            continue
        key = ("prolific", prolific.key_of(ending))
        if GENERIC_CODE.fullmatch(code) or "1234567890".startswith(code):
            said = f"“{code}” is a placeholder, and anyone could guess it. {ANOTHER_CODE}"
            yield StudyFinding(rule, REFUSE, said, key, quote=code)
        elif len(code) < SHORTEST_CODE:
            said = f"“{code}” has {len(code)} characters and can be guessed. {ANOTHER_CODE}"
            yield StudyFinding(rule, CHANGE, said, key, quote=code)


ANOTHER_CODE = (
    "Remove all codes to get random ones, or copy the codes of your study on Prolific. Then load "
    "the folder again."
)


def doubtful_addresses(prolific: Prolific, site: str) -> Iterator[StudyFinding]:
    """A finding for the site's address and for the way back to Prolific, if participants can't open
    them.
    """
    if why := why_not_public(site):
        said = f"Prolific would lead people to {site}, {why}. Set SITE_URL to a public address."
        yield StudyFinding("Address of this site", REFUSE, said)
    if why := why_not_public(prolific.return_url):
        said = f"the button would lead participants to {prolific.return_url}, {why}."
        yield StudyFinding("Way back to Prolific", REFUSE, said, ("prolific", "return_url"))


def why_not_public(address: str) -> str:
    """Why participants elsewhere can't use an address; empty if they can."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    try:
        is_here = not ip_address(host).is_global
    except ValueError:
        is_here = "." not in host or host.endswith((".localhost", ".local", ".internal"))
    if is_here:
        return "which no one outside your network can open"
    return "" if parts.scheme == "https" else "which is not encrypted (https)"
