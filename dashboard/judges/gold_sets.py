"""Gold scores from a file, kept as a source of their own: all of them, or none."""

import hashlib
import re
from typing import Annotated

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from pydantic import Field, field_validator

from dashboard.importing.files import ImportRefused, read_upload
from dashboard.importing.gold import read_gold
from dashboard.importing.mapping import ABOUT_MAPS, known_in
from dashboard.importing.people import Vocabulary
from dashboard.importing.ratings import vocabulary_of
from judge.gold import add_gold_set
from judge.models import GoldSet
from judge.queries import Gold
from survey.definition.mapping import StudyMap
from survey.definition.options import SentFile, WhenMissing
from survey.definition.parts import Part
from survey.files.apart import read_apart
from survey.models import Study, StudyEvent

#: What a set may be called, so that commands and files can name it.
SET_NAME = re.compile(r"[^\W_][\w .:@+-]{0,59}")


class GoldFileOptions(Part):
    """Gold scores from a file, and what to call them."""

    name: Annotated[str, WhenMissing("Give the gold scores a name.")] = Field(
        max_length=60, description="the name of the new source"
    )
    file: Annotated[
        SentFile, WhenMissing("Choose a file with gold scores (CSV, TSV or .xlsx).")
    ] = Field(description="with the columns of gold.csv")
    map: SentFile | None = Field(
        default=None, title="Mapping file (optional)", description=ABOUT_MAPS
    )

    @field_validator("name")
    @classmethod
    def _can_be_named(cls, name: str) -> str:
        if not SET_NAME.fullmatch(name):
            raise ValueError(
                f"{name!r} can't be the name of gold scores: use at most 60 letters, digits, "
                "spaces and . : @ + - _, beginning with a letter or a digit"
            )
        return name


def import_gold_set(
    study: Study, options: GoldFileOptions, author: User | None
) -> tuple[GoldSet, list[str]]:
    """Keep the scores of a file as another set; the set, and what is worth knowing of the file.

    They are not gold until a researcher chooses them. Raises ImportRefused and
    DefinitionError, having changed nothing.
    """
    name, file, data = options.name, options.file.name, options.file.content
    notices: list[str] = []
    vocabulary = vocabulary_of(study)
    study_map = _read_map(options.map, vocabulary) if options.map else None
    scores = read_upload(read_gold, data, file, vocabulary, study_map=study_map, notices=notices)
    if not scores:
        raise ImportRefused(f"{file}: the file has no gold scores")
    try:
        with transaction.atomic():
            added = add_gold_set(
                study,
                name=name,
                made_by=scores[0].gold_by,
                scores=[Gold(g.response, g.dimension, g.value, g.calls) for g in scores],
            )
            detail = {"name": name, "sha256": hashlib.sha256(data).hexdigest(), "gold": len(scores)}
            StudyEvent.objects.create(
                study=study, author=author, action="gold imported", detail=detail
            )
    except (ValueError, IntegrityError):
        raise ImportRefused(
            f"{study} already has gold scores called {name!r}: choose another name"
        ) from None
    return added, notices


def _read_map(sent: SentFile, vocabulary: Vocabulary) -> StudyMap:
    known = known_in(vocabulary)
    return read_apart(sent.name, StudyMap, sent.content, file=sent.name, known=known)
