"""The languages of a study's texts: stated when it is loaded or later, and marked on its pages."""

import pytest

from survey.content import content_of
from survey.definition.text_language import TextLanguage
from survey.loading import Loaded, load_study
from survey.models import Participant, Response, Study, StudyEvent
from survey.text_languages import languages_in_words, prompt_languages, response_languages
from tests.survey import small_study
from tests.survey.small_study import stating

pytestmark = pytest.mark.django_db

CHINESE = small_study.CSV.replace("Try again.", "推开门的那一下，一定很扎心。")


def loaded(csv: str = small_study.CSV, **settings: object) -> Loaded:
    return load_study(
        definition=small_study.definition(),
        settings=small_study.SETTINGS.model_copy(update=settings),
        rows=small_study.rows(csv),
    )


def language_of(text: str, study: Study) -> TextLanguage:
    return response_languages(study)[Response.objects.get(text__startswith=text).pk]


def test_a_response_is_in_the_language_of_its_line_then_of_the_study_then_of_its_script() -> None:
    study = loaded(stating("de"), responses_language="fr").study
    assert language_of("Try again.", study) == TextLanguage("de", "stated")
    assert language_of("That hurts", study) == TextLanguage("fr", "stated")
    study = loaded(CHINESE).study
    assert language_of("推开门", study) == TextLanguage("zh", "script")
    assert language_of("That hurts", study) == TextLanguage("en", "page")
    assert set(prompt_languages(study)) == {TextLanguage("en", "page")}
    assert languages_in_words(study) == [
        "9 responses in English (en), the language of the pages",
        "1 response in Chinese (zh), by its script",
    ]


def test_a_study_of_an_earlier_version_has_the_languages_that_its_scripts_say() -> None:
    study = small_study.load(csv=CHINESE)
    del study.settings["responses_language"]
    study.save()
    assert language_of("推开门", Study.objects.get()) == TextLanguage("zh", "script")
    assert loaded(CHINESE).outcome == "unchanged"


def test_a_language_is_stated_after_people_took_part_without_a_new_version() -> None:
    study = small_study.load()
    Participant.objects.create(study=study, source="link")
    before = Study.objects.get().loaded_at
    again = loaded(stating("de", "de"))
    assert (again.study.pk, again.outcome) == (study.pk, "settings")
    assert Study.objects.count() == 1
    assert Study.objects.get().loaded_at == before, "nothing that raters see was loaded"
    assert language_of("Try again.", again.study) == TextLanguage("de", "stated")
    assert StudyEvent.objects.get(action="languages").detail == {"responses": 2}
    assert loaded(stating("de", "de")).outcome == "unchanged"
    assert loaded().outcome == "settings", "and it can be taken back"
    assert not Response.objects.exclude(language="").exists()


def test_a_draft_that_is_replaced_has_the_languages_of_the_new_file() -> None:
    loaded(stating("de"))
    study = loaded(stating("fr").replace("Find a hobby.", "Rest."))
    assert study.outcome == "replaced"
    assert language_of("Try again.", study.study) == TextLanguage("fr", "stated")


def test_pages_have_a_language_as_soon_as_it_is_stated() -> None:
    def on_pages(study: Study) -> set[str]:
        blocks = content_of(Study.objects.get(pk=study.pk)).blocks.values()
        return {one.language for block in blocks for one in block.responses.values()}

    assert on_pages(loaded().study) == {"en"}
    assert on_pages(loaded(responses_language="fr").study) == {"fr"}
    assert on_pages(loaded(stating("de"), responses_language="fr").study) == {"de", "fr"}
