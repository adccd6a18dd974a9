"""Asking for Prolific's demographic export to be imported, from a file or from Prolific."""

from typing import Self

from django.contrib.auth.models import User
from django.utils import timezone
from pydantic import Field, model_validator

from dashboard.accounts.prolific import client_of
from dashboard.importing.mapping import ABOUT_MAPS
from dashboard.prolific.demographics import ImportedAnswers, NamedFile, import_demographics
from dashboard.prolific.recruiting import demographic_export
from survey.definition.options import SentFile
from survey.definition.parts import Part
from survey.models import Study

#: Said before what an import would do.
IS_PREVIEW = "This is a preview: nothing is stored. The import would do this:"


class DemographicsOptions(Part):
    """A demographic export as a file, or read from Prolific."""

    file: SentFile | None = None
    map: SentFile | None = Field(default=None, description=ABOUT_MAPS)
    from_prolific: bool = Field(default=False, description="read it from Prolific")
    preview: bool = Field(default=False, description="say what would change, and store nothing")

    @model_validator(mode="after")
    def _has_an_export(self) -> Self:
        if self.file is None and not self.from_prolific:
            raise ValueError("Choose the file that you exported from Prolific.")
        return self


def ask_for_demographics(
    study: Study, options: DemographicsOptions, author: User | None
) -> tuple[ImportedAnswers, list[str]]:
    """Import the answers of an export, all or none; what that changed, or would change, and what is
    worth knowing of the file. Prolific is asked with the author's account there. Raises
    ImportRefused, DefinitionError, NotConnected, StepRefused, ProlificError.
    """
    return import_demographics(
        study=study,
        export=_export(study, options, author),
        mapping=_named(options.map) if options.map else None,
        at=timezone.now(),
        author=author,
        preview=options.preview,
    )


def _export(study: Study, options: DemographicsOptions, author: User | None) -> NamedFile:
    if options.file and not options.from_prolific:
        return _named(options.file)
    assert author is not None  # commands give a file
    with client_of(author) as client:
        return demographic_export(study, client)


def _named(file: SentFile) -> NamedFile:
    return file.name, file.content
