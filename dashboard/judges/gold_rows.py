"""Every response with its gold score."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from judge.queries import gold_scores
from survey.content import content_of
from survey.models import Response, Study
from survey.tidy import dimensions_of


@dataclass(frozen=True)
class GoldRow:
    """A response on one dimension with its single scores and their mean, if there are any."""

    response: Response
    dimension: str
    calls: Sequence[float | None]
    value: float | None

    @property
    def valid(self) -> int:
        """How many single scores the gold score rests on."""
        return sum(call is not None for call in self.calls)


#: The order of a study's responses.
ORDER = ("scenario__position", "id")


def responses_to_score(study: Study) -> QuerySet[Response]:
    """Every distinct response, in study order."""
    responses = Response.objects.filter(scenario__study=study).select_related("scenario", "system")
    return responses.order_by(*ORDER)


def gold_rows(study: Study, responses: Iterable[Response] | None = None) -> list[GoldRow]:
    """Each of these responses × dimension, scored or not; all responses if none are given."""
    gold = {(g.response_id, g.dimension): g for g in gold_scores(study).scores}
    dimensions = dimensions_of(content_of(study).definition)
    rows = []
    for response in responses_to_score(study) if responses is None else responses:
        for dimension in dimensions:
            score = gold.get((response.pk, dimension))
            calls = score.calls if score else []
            rows.append(GoldRow(response, dimension, calls, score.value if score else None))
    return rows
