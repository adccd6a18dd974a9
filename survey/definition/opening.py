"""Reasons not to open a study for real participants. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from survey.definition import policy
from survey.definition.dialogue import texts_of
from survey.definition.findings import CHANGE, OK, REFUSE, StudyFinding
from survey.definition.placeholders import doubtful_addresses, doubtful_codes, placeholders
from survey.definition.responses import ResponseRow
from survey.definition.settings import Settings
from survey.definition.study import StudyDefinition
from survey.definition.unblinding import unblinding

GOLD = "Gold scores"


@dataclass(frozen=True)
class Circumstances:
    """Facts that are not in the study's files."""

    #: The address of this site.
    site: str
    #: The gold source if it is a stand-in; else empty.
    stand_in: str = ""
    #: What depends on the gold scores, each in a clause; nothing: they are not asked for.
    gold_is_used: Sequence[str] = ()
    #: Whether the gold scores may be those of a stand-in.
    stand_in_allowed: bool = False


def against_opening(
    definition: StudyDefinition,
    settings: Settings,
    *,
    rows: Sequence[ResponseRow],
    translations: Sequence[StudyDefinition] = (),
    begun: bool = False,
    circumstances: Circumstances | None = None,
) -> list[StudyFinding]:
    """Reasons not to open the study: first those that refuse it, then what to change or check.

    Without `circumstances`, only the files are checked. If real participants have `begun`, the
    texts can't change any more, and are not a reason to refuse.
    """
    prolific = policy.on_prolific(settings)
    reasons = [*placeholders(definition, translations)]
    if prolific is not None:
        reasons += doubtful_codes(prolific)
    if begun:
        reasons = [replace(finding, state=CHANGE) for finding in reasons]
    if circumstances is not None:
        if prolific is not None:
            reasons += doubtful_addresses(prolific, circumstances.site)
        reasons += _gold(circumstances)
    prompts = [text for row in rows for text in (row.prompt, *texts_of(row.context))]
    rules = policy.findings(definition, settings, translations=translations, prompts=prompts)
    reasons += [
        finding
        for finding in rules
        if finding.state == CHANGE or (finding.rule == policy.NO_OPEN_LINK and finding.state != OK)
    ]
    reasons += unblinding(definition, rows, translations)
    return sorted(reasons, key=lambda finding: finding.state != REFUSE)


def _gold(circumstances: Circumstances) -> Iterator[StudyFinding]:
    if circumstances.stand_in and circumstances.gold_is_used:
        uses = " and ".join(circumstances.gold_is_used)
        yield StudyFinding(
            GOLD,
            CHANGE if circumstances.stand_in_allowed else REFUSE,
            f"They come from {circumstances.stand_in}, a stand-in and not a language model, and "
            f"{uses}. Set JUDGE_API_KEY in .env, and let a real judge score the responses, or do "
            "without (judging: none in study.yaml).",
        )
