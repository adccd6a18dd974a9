"""A random draw of responses for labels by the authors: blind, shuffled, ready to be filled in."""

import random
from collections.abc import Iterator
from typing import Any

from django.http import StreamingHttpResponse
from pydantic import Field

from dashboard.shared.csv_files import csv_file
from survey.definition.parts import Part
from survey.files.csv_text import csv_lines
from survey.models import Response, Study
from survey.refusals import RequestRefused
from survey.tidy import definition_of, dimensions_of

#: `gold` is empty. The file says nothing about systems; `import_gold` knows responses by their id.
COLUMNS = ("number", "response_id", "dimension", "gold", "context", "prompt", "response")
USUAL_NUMBER, USUAL_SEED = 100, 42
LARGEST_SEED = 2**63 - 1


class NotDrawn(RequestRefused):
    """Responses that can't be drawn; the message says why."""

    unchanged = ""


class DrawOptions(Part):
    """How many responses to draw, and the seed."""

    n: int | None = Field(
        default=None,
        ge=1,
        le=10**6,
        description=f"how many ({USUAL_NUMBER}, or all of fewer)",
    )
    seed: int = Field(default=USUAL_SEED, ge=0, le=LARGEST_SEED, description="of the draw")


def draw_responses(study: Study, options: DrawOptions) -> Iterator[tuple[Any, ...]]:
    """Rows (COLUMNS) of `n` different responses in random order, one for each dimension; of the
    usual number, or of all where there are fewer, if `n` is None.

    The same seed draws the same responses of a study in the same order. Raises NotDrawn.
    """
    dimensions = dimensions_of(definition_of(study))
    if not dimensions:
        raise NotDrawn(f"{study} asks for no ratings, so its responses have no labels")
    known = Response.objects.filter(scenario__study=study)
    order = ("scenario__position", "system__model", "system__condition", "text_hash")
    ids = list(known.order_by(*order).values_list("id", flat=True))
    n = min(USUAL_NUMBER, len(ids)) if options.n is None else options.n
    if not 1 <= n <= len(ids):
        raise NotDrawn(f"n is {n}, but {study} has {len(ids)} responses to draw from")
    drawn = random.Random(options.seed).sample(ids, n)  # noqa: S311  a sample, no secret
    return _rows(drawn, dimensions)


def drawn_response(
    study: Study, options: DrawOptions, *, for_excel: bool = False
) -> StreamingHttpResponse:
    """The draw as a CSV download (`csv_file`). Raises NotDrawn."""
    rows = draw_responses(study, options)
    file = f"{study.slug}-{study.version}-drawn-{options.seed}.csv"
    return csv_file(file, csv_lines(COLUMNS, rows), for_excel=for_excel)


def _rows(drawn: list[int], dimensions: list[str]) -> Iterator[tuple[Any, ...]]:
    texts = Response.objects.select_related("scenario").in_bulk(drawn)
    for number, key in enumerate(drawn, start=1):
        one = texts[key]
        about = (one.scenario.context, one.scenario.prompt, one.text)
        for dimension in dimensions:
            yield (number, one.public_id, dimension, "", *about)
