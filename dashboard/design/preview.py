"""Every page of a study as participants see it, without a participant: nothing is recorded.

Blocks and checks come in the order of one participant: that of a slot of the design.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.http import Http404, HttpRequest
from django.urls import reverse

from analysis.labels import labels_of
from dashboard.shared.access import sees_codes
from dashboard.shared.block_labels import block_label
from survey.assignment import Plan, plan_survey
from survey.content import StudyContent, content_of
from survey.definition import StudyDefinition
from survey.definition.codes import possible_endings
from survey.definition.labels import Labels, usual
from survey.definition.settings import Settings
from survey.forms.questions import question_items
from survey.models import AttentionCheck, Participant, Study
from survey.notices import ai_policy, writing_notice
from survey.views.arrival import language_choices
from survey.views.block import block_context
from survey.views.comprehension import comprehension_context
from survey.views.ending import ending_context
from survey.views.pages import check_context, closing_context
from survey.views.training import ShownTraining

#: Slots in which a block is looked for that the chosen one does not show.
SLOTS_SEARCHED = 500
ENDINGS = {
    "completed": "End: completed",
    "failed_attention": "End: attention checks failed",
    "failed_comprehension": "End: comprehension check failed",
    "screened_out": "End: screened out",
    "declined": "End: declined",
    "full": "End: study full",
    "withdrawn": "End: data deleted",
}
CLOSED = {"paused": "Study paused", "closed": "Study closed"}


@dataclass(frozen=True)
class Page:
    """A page: its name in the address, what it is, its template and what fills it.

    `number` is that which participants see, of pages that have one.
    """

    name: str
    label: str
    template: str
    values: Mapping[str, Any]
    number: int | None = None


#: In place of a completion code, for roles that may not see it.
HIDDEN = "••••••••"


@dataclass(frozen=True)
class Preview:
    """The pages of one participant, in one language. `request` tells what a link looks like."""

    study: Study
    request: HttpRequest
    slot: int
    language: str

    @cached_property
    def content(self) -> StudyContent:
        return content_of(self.study)

    @cached_property
    def definition(self) -> StudyDefinition:
        return self.content.in_language(self.language)

    @cached_property
    def languages(self) -> list[tuple[str, str]]:
        """Codes and names, where there is a choice."""
        return language_choices(self.content)

    @cached_property
    def labels(self) -> Labels:
        """What researchers call scenarios, sets and dimensions."""
        return labels_of(self.study)

    @cached_property
    def plan(self) -> Plan:
        """The order of the participant in this slot; of random orders, of one such participant."""
        return self._plan_of(self.slot)

    def _plan_of(self, slot: int) -> Plan:
        return plan_survey(
            self.content.layout,
            self.content.check_ranges,
            slot=slot,
            order_seed=self.study.design_seed + slot,
            first_page=self.content.first_block_page,
        )

    @cached_property
    def pages(self) -> list[Page]:
        """All of them, in the order in which they are met."""
        return [*self._before(), *self._blocks_and_checks(), *self._after(), *self._endings()]

    def elsewhere(self) -> list[tuple[str, int]]:
        """Blocks that this participant does not see, each with a slot that does."""
        missing = set(self.content.blocks) - {block.block for block in self.plan.blocks}
        slots: dict[int, int] = {}
        for slot in range(SLOTS_SEARCHED if missing else 0):
            for block in self._plan_of(slot).blocks:
                if block.block in missing:
                    slots.setdefault(block.block, slot)
            if len(slots) == len(missing):
                break
        labels = self._block_labels
        return [(labels[block], slots[block]) for block in self.content.blocks if block in slots]

    @cached_property
    def _block_labels(self) -> dict[int, str]:
        return {
            block.pk: block_label(self.labels, block.scenario.name, block.set_name)
            for block in self.study.blocks.select_related("scenario")
        }

    def _before(self) -> Iterator[Page]:
        told = {
            "languages": self.languages,
            "ai_policy": ai_policy(self.definition),
            "writing_notice": writing_notice(self.definition),
        }
        yield Page("information", "Information and consent", "consent", told)
        content = self.content
        if content.screening_page is not None:
            items = question_items(content.definition.screening, self.definition.screening, {}, {})
            values = {"items": items, "screening": True}
            yield _numbered(content.screening_page, "Screening", "questions", values)
        link = ""
        if "prolific" not in self.study.settings["ways_in"]:
            address = reverse("survey:arrive", args=[self.study.slug])
            link = self.request.build_absolute_uri(f"{address}?resume=…")
        values = {"resume_link": link, "ai_policy": ai_policy(self.definition)}
        yield _numbered(content.instructions_page, "Instructions", "instructions", values)
        if content.comprehension_page is not None:
            yield from self._comprehension(content.comprehension_page)
        for page in content.training_pages:
            yield from self._training(page)

    def _comprehension(self, page: int) -> Iterator[Page]:
        """Each attempt; the second as after wrong answers to all questions."""
        check = self.content.definition.comprehension
        assert check is not None
        label, template = "Comprehension check", "comprehension"
        for attempt in range(1, check.attempts + 1):
            before = dict.fromkeys((q.name for q in check.questions), "") if attempt > 1 else None
            values = comprehension_context(
                self.content.definition, self.definition, attempt=attempt, before=before
            )
            first = _numbered(page, label, template, values)
            again = replace(first, name=f"{page}-again", label=f"{label}, second attempt")
            yield first if attempt == 1 else again

    def _training(self, page: int) -> Iterator[Page]:
        """The item, a second try if there is one, and feedback within and outside the range."""
        item, shown = (
            self.content.training_item(page),
            ShownTraining(self.content, self.definition, page),
        )
        label = f"Training “{usual(item.name)}”"
        yield _numbered(page, label, "training", shown.form())
        values = shown.rating.values
        within = [{name: ends[0] for name, ends in r.expected.items()} for r in item.responses]
        outside = [
            {
                name: values[0] if ends[0] > values[0] else values[-1]
                for name, ends in r.expected.items()
            }
            for r in item.responses
        ]
        if shown.training.attempts > 1:
            again = _numbered(page, label, "training", shown.form([outside]))
            yield replace(again, name=f"{page}-again", label=f"{label}, second try")
        for how, ratings in (("within", within), ("outside", outside)):
            feedback = _numbered(page, label, "training_feedback", shown.feedback(ratings))
            named = f"{label}: feedback, {how} the expected range"
            yield replace(feedback, name=f"{page}-{how}", label=named)

    def _blocks_and_checks(self) -> Iterator[Page]:
        inside = {check.page: check for check in self.plan.checks if check.place is not None}
        pages = []
        for block in self.plan.blocks:
            label, check = f"Block {block.position}: {self._block_labels[block.block]}", None
            if planned := inside.get(block.page):
                label += f", with attention check “{usual(planned.name)}”"
                check = AttentionCheck(name=planned.name, place=planned.place)
            shown = self.content.blocks[block.block]
            values = block_context(
                self.content, self.definition, shown, block.response_order, check=check
            )
            pages.append(_numbered(block.page, label, "block", values))
        for planned in self.plan.checks:
            if planned.place is None:
                values = check_context(self.definition, self.definition.check(planned.name))
                label = f"Attention check “{usual(planned.name)}”"
                pages.append(_numbered(planned.page, label, "check", values))
        yield from sorted(pages, key=lambda page: page.number or 0)

    def _after(self) -> Iterator[Page]:
        content, shown = self.content, self.definition
        if content.closing_page is not None:
            page = content.closing_page
            yield _numbered(page, "Closing questions", "closing", closing_context(shown))
        if content.demographics_page is not None:
            asked = content.definition.asked_demographics
            items = question_items(asked, shown.asked_demographics, {}, {})
            values = {"items": items}
            yield _numbered(content.demographics_page, "About the participant", "questions", values)

    def _endings(self) -> Iterator[Page]:
        # Researchers who try a study out see the codes that people from Prolific see, if they may.
        source = Participant.Source.PREVIEW
        settings = Settings.model_validate(self.study.settings)
        yield Page(
            "stop",
            "Stopping midway",
            "stop",
            {
                "current_address": self.address(str(self.content.instructions_page)),
                "withdraw_link": self.address("withdrawn"),
                "return_without_code": settings.prolific is not None,
                "is_own": True,
            },
        )
        for ending in possible_endings(self.content.definition, settings):
            values = ending_context(self.request, self.study, ending, source)
            if "code" in values and not sees_codes(self.request.user, self.study):
                values |= {"code": HIDDEN, "return_url": ""}
            yield Page(ending, ENDINGS[ending], "end", values)
        for state, label in CLOSED.items():
            yield Page(state, label, "closed", {"state": state})

    def find(self, name: str) -> int | None:
        """The place of a page among all, by its name; None where there is none."""
        return next((at for at, page in enumerate(self.pages) if page.name == name), None)

    def context(self, place: int) -> dict[str, Any]:
        """What the template of the page at `place` is filled with."""
        page = self.pages[place]
        around = [
            self.address(self.pages[at].name) if 0 <= at < len(self.pages) else ""
            for at in (place - 1, place + 1)
        ]
        return {
            "study": self.definition,
            "language": self.definition.language,
            "slug": self.study.slug,
            "number": page.number,
            "total": self.content.total_pages,
            **self._ways_out(page.number),
            **page.values,
            "researchers_bar": "dashboard/design/_preview.html",
            "preview": {
                "label": page.label,
                "place": place + 1,
                "of": len(self.pages),
                "before": around[0],
                "after": around[1],
                "all": self.address(),
                "languages": [
                    (code, name, replace(self, language=code).address(page.name))
                    for code, name in self.languages
                ],
            },
        }

    def _ways_out(self, number: int | None) -> dict[str, str]:
        """Where “Stop here” and “Back” lead from a numbered page."""
        if number is None:
            return {}
        previous = self.address(str(number - 1)) if self.content.has_previous(number) else ""
        return {"stop_address": self.address("stop"), "previous_address": previous}

    def address(self, name: str = "") -> str:
        """Where a page of this participant is previewed, or the list of all."""
        address = reverse("preview", args=[self.study, name] if name else [self.study])
        return address + self.query

    @property
    def query(self) -> str:
        """What chooses this participant and language in an address."""
        query = f"?participant={self.slot + 1}"
        return query + (f"&language={self.language}" if self.languages else "")


def _numbered(number: int, label: str, template: str, values: Mapping[str, Any]) -> Page:
    return Page(str(number), label, template, values, number)


def preview_or_404(study: Study, request: HttpRequest, *, slot: int, language: str) -> Preview:
    """The pages of the participant of that slot. Raises Http404 for a language without texts."""
    preview = Preview(study, request, slot, language)
    if language and language not in preview.content.languages:
        raise Http404(f"{study} has no texts in {language!r}.")
    return preview
