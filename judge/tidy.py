"""Gold scores as rows of the tidy table gold.csv."""

from collections.abc import Iterator

from judge.queries import Gold, GoldScores
from survey.models import Study
from survey.tidy import Row, cells_of, definition_of, dimensions_of


def gold_rows(study: Study, gold: GoldScores) -> Iterator[tuple[Row, list[float]]]:
    """Each score in each place where its response is shown, in study order: the columns of
    GOLD_COLUMNS, and the single scores behind it.
    """
    scores: dict[int, list[Gold]] = {}
    for score in gold.scores:
        scores.setdefault(score.response_id, []).append(score)
    dimensions = dimensions_of(definition_of(study))
    for (_, response), cell in cells_of(study).items():
        of_response = {score.dimension: score for score in scores.get(response, [])}
        for dimension in dimensions:
            if dimension in of_response:
                score = of_response[dimension]
                yield (*cell.names, dimension, score.value), score.calls
