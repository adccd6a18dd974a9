"""The heading and nouns of a study's pages: its own (`wording` in study.yaml), or neutral ones."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from survey.definition import StudyDefinition
from survey.definition.wording import Wording


@dataclass(frozen=True)
class PageWording:
    """Heading and nouns, in the language of the page."""

    #: The heading over the prompt.
    heading: str
    response: str
    responses: str
    has_letters: bool

    def label(self, number: int) -> str:
        """The label of the response at this position of the page."""
        return chr(ord("A") + number - 1) if self.has_letters else str(number)

    def which(self, number: int, total: int) -> str:
        """A response of a page with so many, within a sentence. A lone one has no label."""
        if total == 1:
            return _("the %(response)s") % {"response": self.response}
        return f"{self.response} {self.label(number)}"

    def title(self, number: int, total: int) -> str:
        """The heading of a response of a page with so many."""
        return capitalized(self.response if total == 1 else self.which(number, total))

    def place(self, number: int, total: int) -> str:
        """Which response a question is about."""
        if total == 1:
            return self.response
        place = _("%(response)s %(number)s of %(total)s")
        if self.has_letters:
            place = _("%(response)s %(label)s, %(number)s of %(total)s")
        said = {"response": self.response, "number": number, "total": total}
        return place % (said | {"label": self.label(number)})


def wording_of(definition: StudyDefinition) -> PageWording:
    """The wording of a study's pages, in the active language."""
    own = definition.wording or Wording()
    return PageWording(
        heading=own.heading or _("Prompt"),
        response=own.response or _("response"),
        responses=own.responses or _("responses"),
        has_letters=definition.response_labels == "letters",
    )


def capitalized(text: str) -> str:
    """A text with a capital first letter, unless its first word has capitals: eBay, mRNA."""
    return text[:1].upper() + text[1:] if text.partition(" ")[0].islower() else text
