"""Gold scores from a file, kept as a source of their own: all of them, or none."""

import hashlib
import re
from pathlib import Path

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from dashboard.importing.files import ImportRefused, read_upload
from dashboard.importing.gold import read_gold
from dashboard.importing.ratings import read_map, vocabulary_of
from judge.gold import add_gold_set
from judge.models import GoldSet
from judge.queries import Gold
from survey.models import Study, StudyEvent

#: What a set may be called, so that commands and files can name it.
SET_NAME = re.compile(r"[^\W_][\w .:@+-]{0,59}")


def import_gold_set(
    study: Study,
    data: bytes,
    *,
    file: str,
    name: str,
    author: User | None = None,
    map_file: Path | None = None,
) -> tuple[GoldSet, list[str]]:
    """Keep the scores of a gold.csv as the set `name`; the set, and what is worth knowing.

    They are not gold until a researcher chooses them. `map_file` says where the file has our
    columns, if not under our names. Raises ImportRefused, having changed nothing.
    """
    if not SET_NAME.fullmatch(name):
        raise ImportRefused(
            f"{name!r} can't be the name of gold scores: use at most 60 letters, digits, spaces "
            "and . : @ + - _, beginning with a letter or a digit"
        )
    notices: list[str] = []
    vocabulary = vocabulary_of(study)
    study_map = read_map(map_file, vocabulary) if map_file else None
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
