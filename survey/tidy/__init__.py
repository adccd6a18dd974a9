"""The tidy tables of a study as rows, in the order of their columns, straight from the database.

Analyses, exports and the API read them. Large tables are streamed; the number of queries does not
depend on the number of people. Several tables that must agree are read inside `reading()`.
"""

from survey.tidy.answers import (
    CHECK_COLUMNS,
    COMMENT_COLUMNS,
    RANK_COLUMNS,
    RATING_COLUMNS,
    RATING_TASKS,
    SHOWN_COLUMNS,
    WRITING_COLUMNS,
    check_rows,
    comment_rows,
    rank_rows,
    rating_count,
    rating_rows,
    written_rows,
)
from survey.tidy.attempts import (
    COMPREHENSION_COLUMNS,
    TRAINING_COLUMNS,
    ComprehensionOutcomes,
    comprehension_outcomes,
    comprehension_rows,
    training_rows,
)
from survey.tidy.pages import PAGE_TIME_COLUMNS, page_time_rows
from survey.tidy.panels import panel_ratings, panels_of
from survey.tidy.participants import (
    DEMOGRAPHIC_COLUMNS,
    PARTICIPANT_COLUMNS,
    TAKING_PART_COLUMNS,
    active_participants,
    columns_about_people,
    participant_columns,
    participant_rows,
)
from survey.tidy.shown import (
    PRESENTATION_COLUMNS,
    SHOWN_RESPONSE_COLUMNS,
    presentation_rows,
    shown_response_rows,
)
from survey.tidy.study import (
    CELL_COLUMNS,
    GOLD_COLUMNS,
    NamedResponse,
    Row,
    cells_of,
    comparison_in,
    counted_sources,
    definition_of,
    dimensions_of,
    not_counted_among,
    people_of,
    reading,
    response_rows,
)
from survey.tidy.times import seconds_between

__all__ = [
    "CELL_COLUMNS",
    "CHECK_COLUMNS",
    "COMMENT_COLUMNS",
    "COMPREHENSION_COLUMNS",
    "DEMOGRAPHIC_COLUMNS",
    "GOLD_COLUMNS",
    "PAGE_TIME_COLUMNS",
    "PARTICIPANT_COLUMNS",
    "PRESENTATION_COLUMNS",
    "RANK_COLUMNS",
    "RATING_COLUMNS",
    "RATING_TASKS",
    "SHOWN_COLUMNS",
    "SHOWN_RESPONSE_COLUMNS",
    "TAKING_PART_COLUMNS",
    "TRAINING_COLUMNS",
    "WRITING_COLUMNS",
    "ComprehensionOutcomes",
    "NamedResponse",
    "Row",
    "active_participants",
    "cells_of",
    "check_rows",
    "columns_about_people",
    "comment_rows",
    "comparison_in",
    "comprehension_outcomes",
    "comprehension_rows",
    "counted_sources",
    "definition_of",
    "dimensions_of",
    "not_counted_among",
    "page_time_rows",
    "panel_ratings",
    "panels_of",
    "participant_columns",
    "participant_rows",
    "people_of",
    "presentation_rows",
    "rank_rows",
    "rating_count",
    "rating_rows",
    "reading",
    "response_rows",
    "seconds_between",
    "shown_response_rows",
    "training_rows",
    "written_rows",
]
