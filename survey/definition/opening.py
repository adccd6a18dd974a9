"""What speaks against opening a study for real people. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from survey.definition import policy
from survey.definition.findings import CHANGE, REFUSE, Finding
from survey.definition.placeholders import doubtful_addresses, doubtful_codes, placeholders
from survey.definition.responses import ResponseRow
from survey.definition.settings import Settings
from survey.definition.study import StudyDefinition
from survey.definition.unblinding import unblinding

GOLD = "Gold scores"


@dataclass(frozen=True)
class Circumstances:
    """What the study's files do not say."""

    #: The address of this site.
    site: str
    #: Whose scores are gold, where no language model made them; else empty.
    stand_in: str = ""
    #: Whether a stand-in may be gold all the same.
    stand_in_allowed: bool = False


def against_opening(
    definition: StudyDefinition,
    settings: Settings,
    *,
    rows: Sequence[ResponseRow],
    translations: Sequence[StudyDefinition] = (),
    begun: bool = False,
    circumstances: Circumstances | None = None,
) -> list[Finding]:
    """What speaks against opening: what refuses it first, then what to change or to look at.

    Without circumstances it is what the files alone say. Where real people have `begun`, what they
    read can't change any more, and is no reason to refuse.
    """
    prolific = policy.on_prolific(settings)
    found = [*placeholders(definition, translations)]
    if prolific is not None:
        found += doubtful_codes(prolific)
    if begun:
        found = [replace(finding, state=CHANGE) for finding in found]
    if circumstances is not None:
        if prolific is not None:
            found += doubtful_addresses(prolific, circumstances.site)
        found += _gold(circumstances)
    prompts = [text for row in rows for text in (row.prompt, row.context)]
    rules = policy.findings(definition, settings, translations=translations, prompts=prompts)
    found += [finding for finding in rules if finding.state == CHANGE]
    found += unblinding(definition, rows, translations)
    return sorted(found, key=lambda finding: finding.state != REFUSE)


def _gold(circumstances: Circumstances) -> Iterator[Finding]:
    if circumstances.stand_in:
        yield Finding(
            GOLD,
            CHANGE if circumstances.stand_in_allowed else REFUSE,
            f"They are those of {circumstances.stand_in}, a stand-in and no language model. Have a "
            "real judge score the responses: write JUDGE_API_KEY into .env.",
        )
