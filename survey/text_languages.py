"""The languages of a study's texts."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from survey.definition.responses import LANGUAGE
from survey.definition.text_language import TextLanguage, in_words, language_of
from survey.models import Response, Study


@dataclass
class StudyLanguages:
    """What a study's files say about the language of its texts."""

    study: Study
    pages: Sequence[str] = field(init=False)
    stated: str = field(init=False)

    def __post_init__(self) -> None:
        # In one order on every database: PostgreSQL does not keep that of keys.
        self.pages = [self.study.definition["language"], *sorted(self.study.translations)]
        self.stated = self.study.settings.get(LANGUAGE) or ""

    def of_response(self, text: str, stated: str = "") -> TextLanguage:
        """That of a response: `stated` is what its own line states, if it does."""
        return language_of(text, pages=self.pages, stated=stated or self.stated)

    def of_prompt(self, text: str) -> TextLanguage:
        """That of a prompt; files state nothing about it."""
        return language_of(text, pages=self.pages)


def response_languages(study: Study) -> dict[int, TextLanguage]:
    """The language of each response of a study, by its id."""
    languages = StudyLanguages(study)
    responses = Response.objects.filter(scenario__study=study).order_by("id")
    return {
        number: languages.of_response(text, stated)
        for number, text, stated in responses.values_list("id", "text", "language")
    }


def prompt_languages(study: Study) -> list[TextLanguage]:
    """The language of each prompt of a study."""
    languages = StudyLanguages(study)
    prompts = study.scenarios.order_by("position").values_list("prompt", flat=True)
    return [languages.of_prompt(prompt) for prompt in prompts]


def languages_in_words(study: Study) -> list[str]:
    """How many responses are in which language and how that is known, the most frequent first."""
    return in_words(response_languages(study).values())
