"""What a mapping file (`--map`) may name in a study: before it is loaded, and after. Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from dashboard.importing.checks import CELL, RANKS, RATINGS
from dashboard.importing.gold import GOLD
from dashboard.importing.people import STATUSES, Vocabulary, asked_of_people
from survey.definition import StudyDefinition, responses
from survey.definition.mapping import FileName, Known
from survey.files.table_file import Columns

#: What such a file is, for who may give one.
ABOUT_MAPS = "mapping file for tables of other shapes and names (docs/importing.md)"


def known_in(vocabulary: Vocabulary) -> Known:
    """What mapping files of a loaded study may name."""
    of_cells = zip(CELL, zip(*vocabulary.cells, strict=True), strict=True)
    names: dict[str, Sequence[str]] = {
        **{column: list(dict.fromkeys(filter(None, known))) for column, known in of_cells},
        "dimension": [*vocabulary.dimensions, *vocabulary.rank_dimensions],
        "rating": [str(value) for value in vocabulary.scale],
        **{column: list(kind.words) for column, kind in vocabulary.placing.items() if kind.words},
        "status": STATUSES,
        "source": vocabulary.sources,
        "way_in": vocabulary.ways_in,
        "ending": vocabulary.endings,
        "device": vocabulary.devices,
        "clock_stepped": ["true", "false"],
    }
    systems = {(model, condition) for _, _, model, condition in vocabulary.cells}
    return Known(_columns(vocabulary.questions), names, systems)


def known_before(definition: StudyDefinition, *, some_models: Collection[str] = ()) -> Known:
    """What a mapping file may name before the study has responses: their file says which scenarios
    there are, and which models if study.yaml does not, which may speak of some.
    """
    names: dict[str, Sequence[str]] = {"condition": definition.conditions, "status": STATUSES}
    if definition.sets is not None:
        names["set"] = list(definition.sets)
    if (models := responses.models_of(definition)) is not None:
        names["model"] = models
    if definition.rating is not None:
        names["rating"] = [str(value) for value in definition.rating.values]
    questions = [question.name for question in (*definition.screening, *definition.demographics)]
    return Known(_columns(questions), names, some_models=some_models)


def _columns(questions: Iterable[str]) -> Mapping[FileName, Columns]:
    return {
        "participants": asked_of_people(questions),
        "ratings": RATINGS,
        "ranks": RANKS,
        "gold": GOLD,
        "responses": responses.COLUMNS,
    }
