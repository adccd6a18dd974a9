"""Training items: rated like real responses, with feedback. Their ratings never count."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import ngettext

from survey import access, attempts
from survey.content import BlockContent, ResponseContent, StudyContent
from survey.definition import StudyDefinition
from survey.definition.text_language import differs, language_of
from survey.forms.attempts import ATTEMPT, read_attempt
from survey.forms.block import read_block
from survey.models import Participant
from survey.page_wording import wording_of
from survey.rendering.responses import look_of
from survey.views.block import block_context, shown_context
from survey.views.participant import last_page, show_page, to_next_page

#: The ratings of each response of an item by dimension, in the order of the item.
Ratings = Sequence[Mapping[str, float]]


def show_training(
    request: HttpRequest, participant: Participant, content: StudyContent, number: int, /
) -> HttpResponse:
    """The item to rate, or the feedback on it; or the record of a try, or of feedback read."""
    training, item = content.definition.training, content.training_item(number)
    assert training is not None
    tries: list[Ratings] = [
        made.ratings
        for made in participant.training_attempts.filter(name=item.name).order_by("number")
    ]
    shown = ShownTraining(content, content.in_language(participant.language), number)
    is_own = access.is_own(request, participant)
    if training.is_done(item, tries):
        if request.method == "POST":
            return _feedback_read(request, participant, content, number)
        values = shown.feedback(tries[-1], is_own=is_own)
        template = "survey/training_feedback.html"
        return show_page(request, template, participant, content, number, values)
    sent: Mapping[str, object] | None = None
    errors: dict[str, str] = {}
    if request.method == "POST":
        if (
            read_attempt(request.POST) != len(tries) + 1
        ):  # it was made before: sent twice, or by Back
            return redirect("survey:page", participant.study.slug, number)
        responses = list(shown.block.responses.values())
        checked = read_block(request.POST, shown.definition, responses)
        sent, errors = checked.sent, checked.errors
        if not errors:
            given: list[dict[str, float]] = [{} for _response in responses]
            for key, value in checked.values.ratings.items():
                given[key.response][key.dimension] = value
            attempts.record_training(
                participant=participant,
                item=item.name,
                attempt=len(tries) + 1,
                ratings=given,
                within=item.is_within(given),
                page=number,
                at=access.time_of(request, participant),
            )
            return redirect("survey:page", participant.study.slug, number)
    values = shown.form(tries, is_own=is_own, sent=sent, errors=errors)
    return show_page(request, "survey/training.html", participant, content, number, values)


def _feedback_read(
    request: HttpRequest, participant: Participant, content: StudyContent, number: int
) -> HttpResponse:
    if "read" not in request.POST:  # ratings that are sent again
        return redirect("survey:page", participant.study.slug, number)
    attempts.record_feedback_read(
        participant=participant,
        page=number,
        last=last_page(participant.study, content),
        at=access.time_of(request, participant),
    )
    return to_next_page(participant, content, number)


class ShownTraining:
    """The training item on a page, in the language of `definition`."""

    def __init__(self, content: StudyContent, definition: StudyDefinition, page: int) -> None:
        place = content.training_pages.index(page)
        assert definition.training is not None
        self.content = content
        self.training = definition.training
        self.item = definition.training_items[place]
        #: As the study's, with ratings alone: no ranking and no remarks.
        self.definition = definition.model_copy(
            update={"tasks": [definition.rated], "comment": None}
        )
        self.rating = definition.rated
        is_translated = self.item != content.definition.training_items[place]
        pages = [definition.language] if is_translated else content.languages
        self._context = shown_context(self.item.context or "", pages, definition.language)
        self.block = BlockContent(
            id=0,
            scenario=self.item.name,
            prompt=self.item.prompt,
            context=self.item.context or "",
            responses={
                number: ResponseContent(
                    number,
                    f"training{number + 1}",
                    response.text,
                    language_of(response.text, pages=pages).language,
                )
                for number, response in enumerate(self.item.responses)
            },
            language=language_of(self.item.prompt, pages=pages).language,
        )
        self._place = {"place": place + 1, "places": len(definition.training_items)}

    def form(
        self,
        tries: Sequence[Ratings] = (),
        *,
        is_own: bool = True,
        sent: Mapping[str, object] | None = None,
        errors: Mapping[str, str] = {},
    ) -> dict[str, Any]:
        """What survey/training.html shows: the item, and what was outside its range before. Ratings
        within the range are chosen again, unless this browser must not show them.
        """
        results = list(self._results(tries[-1], is_own=is_own)) if tries else []
        if sent is None:
            within = [one for one in results if one["within"] and is_own]
            sent = {one["name"]: one["value"] for one in within}
        order = list(self.block.responses)
        values = block_context(
            self.content, self.definition, self.block, order, sent=sent, errors=errors
        )
        return {
            **values,
            **self._context,
            **self._place,
            "attempt_name": ATTEMPT,
            "attempt": len(tries) + 1,
            "tries_left": self.training.attempts - len(tries),
            "title": self._title(results) if results else "",
            "outside": [one for one in results if not one["within"]],
        }

    def feedback(self, ratings: Ratings, *, is_own: bool = True) -> dict[str, Any]:
        """What survey/training_feedback.html shows after the last try: what experts gave, and why;
        what this person gave, unless this browser must not show it.
        """
        results = list(self._results(ratings, is_own=is_own))
        words = wording_of(self.definition)
        responses = [
            {
                "title": words.title(number + 1, len(self.item.responses)),
                "text": response.text,
                "written_in": self._marked(self.block.responses[number].language),
                "why": response.why,
                "results": [one for one in results if one["response"] == number],
            }
            for number, response in enumerate(self.item.responses)
        ]
        return {
            **self._place,
            "scenario": self.block,
            "wording": words,
            **self._context,
            "written_in": self._marked(self.block.language),
            "look": look_of(self.definition),
            "title": self._title(results),
            "all_within": all(one["within"] for one in results),
            "responses": responses,
        }

    def _marked(self, language: str) -> str:
        return differs(language, self.definition.language)

    def _results(self, ratings: Ratings, *, is_own: bool) -> Iterator[dict[str, Any]]:
        """Each rating in the order of the page: what was given, what experts gave, and why."""
        questions = {one.name: one.question for one in self.rating.dimensions}
        pairs = zip(self.item.responses, ratings, strict=True)
        words = wording_of(self.definition)
        for number, (response, given) in enumerate(pairs):
            outside = response.outside(given)
            for dimension, question in questions.items():
                value, (least, most) = given[dimension], response.expected[dimension]
                yield {
                    "response": number,
                    "title": words.title(number + 1, len(ratings)),
                    "question": question,
                    "name": self.rating.input_name(
                        self.block.responses[number].public_id, dimension
                    ),
                    "value": value,
                    "given": self._called(value) if is_own else "",
                    "least": self._called(least),
                    "most": self._called(most) if most != least else "",
                    "within": dimension not in outside,
                    "why": response.why,
                }

    def _called(self, value: float) -> str:
        """A point of the scale as its label says; on a slider, the number."""
        if self.rating.between:
            return str(value)
        return next(point.label for point in self.rating.scale if point.value == value)

    def _title(self, results: Sequence[Mapping[str, Any]]) -> str:
        """All ratings in one sentence."""
        if all(one["within"] for one in results):
            return ngettext(
                "Your rating is within the expected range",
                "All your ratings are within the expected range",
                len(results),
            )
        return ngettext(
            "Your rating is outside the expected range",
            "Not all of your ratings are within the expected range",
            len(results),
        )
