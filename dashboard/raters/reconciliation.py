"""Prolific's lists of submissions compared with the people who came here, to find forged ids.

Anyone who knows a study's link can come with an invented id. The lists show people without a row,
people with another submission, and people with a code of another ending. The comparison changes
nothing. It names people by pseudonym, and rows without a participant here by line.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC

from analysis.manual_decisions import exclusions_in_force
from dashboard.raters.submission_lists import SubmissionLists
from dashboard.raters.submissions import Matched, from_prolific, match
from survey.definition.labels import words
from survey.definition.settings import ENDINGS, Prolific
from survey.models import Identity, Participant, Study, Withdrawal

Status = Participant.Status
Kind = Identity.Kind

NOT_LISTED, OTHER_SUBMISSION, WRONG_CODE = "not_listed", "other_submission", "wrong_code"
#: What may be wrong about people: in a heading, and what to know before anything is decided.
FINDINGS = {
    NOT_LISTED: (
        "Not in the lists",
        "Lists lack people who arrived after the export. If several studies on Prolific recruit "
        "for this one, upload all their lists. Otherwise Prolific did not send this ID.",
    ),
    OTHER_SUBMISSION: (
        "In the lists with another submission",
        "Is a list missing, or from another study? Their returns and codes were not read.",
    ),
    WRONG_CODE: (
        "Entered the completion code of another ending",
        "Compared with all codes that the study has or had.",
    ),
}
#: People with these endings are not stored, so their codes can't be checked.
NOT_STORED = ("full", "withdrawn")
#: What a status is called, where that is not its name.
STANDING: dict[str, str] = {Status.ARRIVED: "arrived, no consent yet"}


@dataclass(frozen=True)
class Reported:
    """A person with a finding."""

    person: Participant
    is_excluded: bool

    @property
    def arrived(self) -> str:
        return f"{self.person.arrived_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


@dataclass(frozen=True)
class ReportedGroup:
    """People of one finding who have something more in common."""

    finding: str
    what: str
    people: list[Reported]

    @property
    def counting(self) -> list[Participant]:
        """Those who are not excluded by a decision yet."""
        return [reported.person for reported in self.people if not reported.is_excluded]


@dataclass(frozen=True)
class Reconciliation:
    """How the lists and the people here match. `never_came` are lines by file."""

    groups: list[ReportedGroup] = field(default_factory=list)
    never_came: dict[str, list[int]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def of(self, finding: str) -> list[ReportedGroup]:
        """The groups of one finding."""
        return [group for group in self.groups if group.finding == finding]

    def people_with(self, findings: Collection[str]) -> list[Participant]:
        """Each person with one of these findings, once."""
        groups = [group for group in self.groups if group.finding in findings]
        people = {one.person.pk: one.person for group in groups for one in group.people}
        return list(people.values())


def reconcile(study: Study, lists: SubmissionLists) -> Reconciliation:
    """Compare the lists with who came to this version of the study from Prolific."""
    matched = match(study, lists.submissions)
    codes = codes_by_ending(study)
    came = from_prolific(study).order_by("arrived_at", "id")
    people = {person.pk: person for person in came}
    wrong = _wrong_codes(people, matched, codes) if codes else {}
    reported: list[tuple[str, str, Iterable[int]]] = [
        *_by_standing(NOT_LISTED, people, matched.not_listed),
        *_by_standing(OTHER_SUBMISSION, people, matched.elsewhere),
        *((WRONG_CODE, what, who) for what, who in wrong.items()),
    ]
    excluded = {decision.participant_id for decision in exclusions_in_force(study)}
    groups = [
        ReportedGroup(finding, what, [Reported(people[one], one in excluded) for one in who])
        for finding, what, who in reported
    ]
    return Reconciliation(groups, _never_came(study, matched, codes), _notes(study, lists, codes))


def codes_by_ending(study: Study) -> dict[str, set[str]]:
    """The codes that people see or saw at each ending, in capitals; nothing without Prolific.

    Codes may change while a study runs; its record of changes has those from before.
    """
    changes = study.events.filter(action="settings").values_list("detail", flat=True)
    settings = [study.settings, *(detail["from"] for detail in changes)]
    codes: dict[str, set[str]] = {}
    for prolific in (each.get("prolific") for each in settings):
        if prolific:
            shown = Prolific.model_validate(prolific)
            for ending in ENDINGS:
                if code := shown.code_shown(ending):
                    codes.setdefault(ending, set()).add(code.strip().upper())
    return codes


def _by_standing(
    finding: str, people: dict[int, Participant], who: Collection[int]
) -> Iterator[tuple[str, str, list[int]]]:
    """People by status, in the order of `Status`, the earliest arrival first."""
    asked = set(who)
    for status in Status:
        standing = [pk for pk, one in people.items() if pk in asked and one.status == status]
        if standing:
            yield finding, _in_words(status), standing


def _in_words(ending: str) -> str:
    """An ending, or a status without one."""
    return STANDING.get(ending, words(ending))


def _wrong_codes(
    people: dict[int, Participant], matched: Matched, codes: dict[str, set[str]]
) -> dict[str, list[int]]:
    """People who entered a wrong code, by what they did, in order of arrival."""
    wrong: dict[str, list[int]] = {}
    for pk, person in people.items():
        own = matched.sessions[pk]
        for row in matched.here.get(pk, []):
            if row.code and (not own or row.id in own):
                what = _wrong(person, row.code, codes)
                if what and pk not in wrong.setdefault(what, []):
                    wrong[what].append(pk)
    return wrong


def _wrong(person: Participant, code: str, codes: dict[str, set[str]]) -> str:
    """What is wrong about a code; empty for a right one.

    People who met a full study may have come back with another submission.
    """
    ending = person.ending or person.status
    if any(code in codes.get(right, ()) for right in (ending, "full")):
        return ""
    of = [name for name in ENDINGS if code in codes.get(name, ())]
    which = f"the code of {_in_words(of[0])}" if of else "a code that the study never had"
    return f"{_in_words(ending)} here, entered {which}"


def _never_came(study: Study, matched: Matched, codes: dict[str, set[str]]) -> dict[str, list[int]]:
    """The lines of rows with a code whose people never came, to no version of the study.

    People who met a full study or withdrew have no row here, but may have entered a code.
    """
    here = {"slug": study.slug, "kind": Kind.PROLIFIC}
    known = set(Identity.objects.filter(**here).values_list("key", flat=True))
    known |= set(Withdrawal.objects.filter(**here).values_list("key", flat=True))
    harmless = set().union(*(codes.get(ending, ()) for ending in NOT_STORED))
    lines: dict[str, list[int]] = {}
    for row in matched.unknown:
        if row.code and row.code not in harmless and row.participant not in known:
            lines.setdefault(row.file, []).append(row.line)
    return {file: sorted(lines[file]) for file in sorted(lines)}


def _notes(study: Study, lists: SubmissionLists, codes: dict[str, set[str]]) -> list[str]:
    """What could not be compared, and why."""
    notes = []
    if not codes:
        notes.append("Completion codes were not compared: the study has none.")
    elif lists.without_codes:
        files = ", ".join(lists.without_codes)
        notes.append(f'Completion codes were not compared: no column "Completion code" in {files}.')
    erased = study.withdrawals.filter(key="", kind=Kind.PROLIFIC).count()
    if erased:
        notes.append(
            f"{erased} {'person' if erased == 1 else 'people'} withdrew and the IDs are erased: "
            "their rows may be among those without a participant here."
        )
    return notes


def reconciled_in_words(reconciliation: Reconciliation) -> list[str]:
    """The findings, line by line."""
    lines: list[str] = []
    for finding, (heading, advice) in FINDINGS.items():
        groups = reconciliation.of(finding)
        if not groups:
            continue
        lines.append(f"{heading} ({finding}). {advice}")
        for group in groups:
            names = ", ".join(
                f"{one.person.pseudonym} (arrived {one.arrived}"
                f"{', excluded already' if one.is_excluded else ''})"
                for one in group.people
            )
            lines.append(f"  {group.what}: {len(group.people)}: {names}")
    if reconciliation.never_came:
        lines.append("Rows with a completion code but without a participant here:")
        lines += [
            f"  {file}, line{'' if len(numbers) == 1 else 's'} {', '.join(map(str, numbers))}"
            for file, numbers in reconciliation.never_came.items()
        ]
    return [*lines, *reconciliation.notes]
