"""A random draw of responses for labels by the authors: blind, shuffled, ready to be filled in."""

import random
from collections.abc import Iterator
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import StreamingHttpResponse

from dashboard.shared.csv_files import csv_file
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


class DrawForm(forms.Form):
    """How many responses to draw, and the seed."""

    n = forms.IntegerField(required=False, min_value=1, max_value=10**6)
    seed = forms.IntegerField(
        required=False, validators=[MinValueValidator(0), MaxValueValidator(LARGEST_SEED)]
    )

    @property
    def chosen(self) -> tuple[int | None, int]:
        """Number and seed: no number and the usual seed where nothing is said."""
        n, seed = self.cleaned_data["n"], self.cleaned_data["seed"]
        return n, USUAL_SEED if seed is None else seed


def draw_responses(study: Study, *, n: int | None, seed: int) -> Iterator[tuple[Any, ...]]:
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
    if n is None:
        n = min(USUAL_NUMBER, len(ids))
    if not 1 <= n <= len(ids):
        raise NotDrawn(f"n is {n}, but {study} has {len(ids)} responses to draw from")
    drawn = random.Random(seed).sample(ids, n)  # noqa: S311  a sample, no secret
    return _rows(drawn, dimensions)


def drawn_response(
    study: Study, *, n: int | None, seed: int, for_excel: bool = False
) -> StreamingHttpResponse:
    """The draw as a CSV download (`csv_file`). Raises NotDrawn."""
    rows = draw_responses(study, n=n, seed=seed)
    file = f"{study.slug}-{study.version}-drawn-{seed}.csv"
    return csv_file(file, csv_lines(COLUMNS, rows), for_excel=for_excel)


def _rows(drawn: list[int], dimensions: list[str]) -> Iterator[tuple[Any, ...]]:
    texts = Response.objects.select_related("scenario").in_bulk(drawn)
    for number, key in enumerate(drawn, start=1):
        one = texts[key]
        about = (one.scenario.context, one.scenario.prompt, one.text)
        for dimension in dimensions:
            yield (number, one.public_id, dimension, "", *about)
