"""Opening a study for real people, after a check for problems that would spoil its data."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, Self

from django.conf import settings as django_settings
from django.contrib.auth.models import User
from pydantic import Field, model_validator

from analysis.labels import labels_of
from analysis.locked_plans import compared_with_plan
from analysis.quality_rules import BY_GOLD, QualityRules, RatedScale
from analysis.recipe_sets import current_recipe_set, recipes_in_force
from analysis.rule_sets import current_rule_set, current_rules
from judge.models import STAND_IN
from judge.queries import current_judges, gold_source
from survey.content import content_of
from survey.definition import ResponseRow, StudyDefinition
from survey.definition.findings import CHANGE, REFUSE, StudyFinding
from survey.definition.opening import GOLD, Circumstances, against_opening
from survey.definition.options import ValueLabels, WhenMissing
from survey.definition.pages import given_by_each
from survey.definition.parts import Part
from survey.definition.settings import Settings
from survey.models import Identity, Participant, Study
from survey.studies import StateError, set_state
from survey.tidy import response_rows


class StateOptions(Part):
    """The state that a study is to go to."""

    state: Annotated[
        Literal["draft", "open", "paused", "closed"],
        ValueLabels(dict(Study.State.choices)),
        WhenMissing("Choose the state that the study is to have."),
    ]
    rehearsal: bool = Field(
        default=False,
        description="with open: try the study out. Everyone is a test person who never counts. "
        "Prolific participants are not admitted, and checks refuse nothing",
    )
    stand_in: bool = Field(
        default=False, description="with open: accept gold scores that no language model made"
    )

    @model_validator(mode="after")
    def _goes_with_open(self) -> Self:
        for given, what in ((self.rehearsal, "a rehearsal"), (self.stand_in, "a stand-in")):
            if given and self.state != "open":
                raise ValueError(f"{what} goes with open, not with {self.state}")
        if self.rehearsal and self.stand_in:
            raise ValueError("a rehearsal always accepts a stand-in: leave it out")
        return self


class NotOpened(StateError):
    """The study was not opened; `findings` give the reasons, and what else to look at."""

    def __init__(self, study: Study, findings: Sequence[StudyFinding]) -> None:
        self.findings = findings
        super().__init__(f"{study} was not opened")

    @property
    def reasons(self) -> list[str]:
        """What prevents opening, each in a line."""
        return [str(finding) for finding in refused(self.findings)]

    @property
    def sentences(self) -> str:
        """All in one line."""
        return f"{self}: {' '.join(self.reasons)} {self.unchanged}"


def against(study: Study, *, stand_in_allowed: bool = False) -> list[StudyFinding]:
    """Problems that a check before opening found, reasons to refuse first."""
    content = content_of(study)
    rows, rules = response_rows(study), current_rules(study)
    findings = against_opening(
        content.definition,
        Settings.model_validate(study.settings),
        rows=rows,
        translations=list(content.translations.values()),
        begun=study.frozen_at is not None,
        circumstances=Circumstances(
            site=django_settings.SITE_URL,
            stand_in=_stand_in(study),
            gold_is_used=_uses_of_gold(study, rules, content.definition),
            stand_in_allowed=stand_in_allowed,
        ),
    )
    findings += warnings_of_filter(
        rules, content.definition, rows, has_gold=gold_source(study) is not None
    )
    return [*findings, *_used_invitations(study), *_unlike_the_plan(study)]


def warnings_of_filter(
    rules: QualityRules,
    definition: StudyDefinition,
    rows: Sequence[ResponseRow],
    *,
    has_gold: bool,
) -> Iterator[StudyFinding]:
    """Rules of the filter that hardly fit the study."""
    scale = None
    if definition.rating is not None:
        values, given = definition.rating.values, given_by_each(definition, rows)
        scale = RatedScale(values[0], values[-1], *given)
    minutes = definition.estimated_minutes
    for key, warning in rules.warnings(minutes=minutes, scale=scale, has_gold=has_gold):
        yield StudyFinding("Filter", CHANGE, warning, key)


def refused(findings: Sequence[StudyFinding]) -> list[StudyFinding]:
    """The findings that prevent opening."""
    return [finding for finding in findings if finding.state == REFUSE]


def only_stand_in(findings: Sequence[StudyFinding]) -> bool:
    """Whether a researcher who wants a stand-in could open the study."""
    return [finding.rule for finding in refused(findings)] == [GOLD]


def change_state(
    study: Study, options: StateOptions, author: User | None
) -> tuple[bool, list[StudyFinding]]:
    """Move a study to another state; before it opens for real people, it is checked. Whether that
    changed anything, and what to look at.

    Raises NotOpened if a finding prevents opening, and StateError; both change nothing.
    """
    findings: list[StudyFinding] = []
    if options.state == "open" and not options.rehearsal:
        if study.state == Study.State.OPEN and not study.is_rehearsal:
            return False, []
        findings = against(study, stand_in_allowed=options.stand_in)
        if refused(findings):
            raise NotOpened(study, findings)
    changed = set_state(
        study=study, state=options.state, rehearsal=options.rehearsal, author=author
    )
    return changed, findings


def _stand_in(study: Study) -> str:
    """The source of the gold scores if no language model made them; else empty."""
    source = gold_source(study)
    if source is None:
        return ""
    if source.gold_set is not None:
        return source.key if STAND_IN in source.gold_set.made_by else ""
    return source.key if source.judge and source.judge.is_stand_in else ""


def _uses_of_gold(study: Study, rules: QualityRules, definition: StudyDefinition) -> list[str]:
    """What depends on the gold scores: the rule that goes by them, recipes that quote printed
    numbers of them, and prompts with them.
    """
    uses, source = [], gold_source(study)
    if BY_GOLD in rules.applied(rated=definition.rating is not None).order:
        label = labels_of(study).text("rules", BY_GOLD)
        uses.append(f"the rule “{label}” compares raters with them")
    uses += [
        f"recipe {recipe.name} compares them with printed numbers"
        for recipe in recipes_in_force(study)
        if any(printed.is_of_gold for printed in recipe.replication)
    ]
    for judge in current_judges(study):
        examples = judge.read_configuration().examples
        if examples is not None and source is not None and examples.source == source.key:
            uses.append(f"judge {judge} has them in its prompt")
    return uses


def _used_invitations(study: Study) -> Iterator[StudyFinding]:
    """Invitations belong to the person who first came with them, in whichever version."""
    used = Identity.objects.filter(
        slug=study.slug,
        kind=Identity.Kind.INVITATION,
        participant__source=Participant.Source.PREVIEW,
    ).count()
    if used:
        were = "1 was" if used == 1 else f"{used} were"
        yield StudyFinding(
            "Invitations",
            CHANGE,
            f"{were} used in the rehearsal. People who use the same link again stay test people. "
            "Send new links to participants who should count.",
        )


def _unlike_the_plan(study: Study) -> Iterator[StudyFinding]:
    """What changed since the plan was locked, while another one can still take its place."""
    if study.frozen_at is not None:
        return
    rules, recipes = current_rule_set(study), current_recipe_set(study)
    compared = compared_with_plan(study, rules, recipes, labels_of(study))
    if compared is not None and compared.deviations:
        changed = "; ".join(deviation.what for deviation in compared.deviations)
        yield StudyFinding(
            "Locked plan",
            CHANGE,
            f"Changed since plan {compared.plan.version} was locked: {changed}. Change it back, or "
            "lock another plan with a reason before the first participant; else results are "
            "exploratory.",
        )
