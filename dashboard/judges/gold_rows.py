"""Every response with its gold score."""

from collections.abc import Sequence
from dataclasses import dataclass

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


def gold_rows(study: Study) -> list[GoldRow]:
    """Every distinct response × dimension in study order, scored or not."""
    gold = {(g.response_id, g.dimension): g for g in gold_scores(study).scores}
    dimensions = dimensions_of(content_of(study).definition)
    responses = Response.objects.filter(scenario__study=study).select_related("scenario", "system")
    rows = []
    for response in responses.order_by("scenario__position", "id"):
        for dimension in dimensions:
            score = gold.get((response.pk, dimension))
            calls = score.calls if score else []
            rows.append(GoldRow(response, dimension, calls, score.value if score else None))
    return rows
