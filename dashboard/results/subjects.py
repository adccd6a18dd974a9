"""Which tables a subject of results has in a study, and which of them an analysis has."""

from collections.abc import Sequence

from analysis import catalogue
from analysis.catalogue.spec import OF_ALL
from analysis.catalogue.subjects import FIRST_PAGE, OF_FLAGS, OF_WRITING
from dashboard.results.table_parts import tables_in_parts
from dashboard.shared.newest_analysis import NewestAnalysis
from dashboard.shared.stored_tables import StoredTable
from survey.definition import StudyDefinition

#: Tables that only a request makes.
ON_REQUEST = ("multiverse_summary", "multiverse")
NOT_MADE = "this analysis has no such result"


def tables_of_subject(definition: StudyDefinition, subject: str) -> Sequence[str]:
    """Their names, that of the first answer first."""
    if definition.rating is None and subject == FIRST_PAGE:
        return ()
    names = catalogue.of_subject(subject)
    if not definition.record_writing:
        names = tuple(name for name in names if name not in OF_WRITING)
    if not definition.accepts_or_flags:
        names = tuple(name for name in names if name not in OF_FLAGS)
    return names


def stored_tables(analysis: NewestAnalysis, names: Sequence[str]) -> dict[str, StoredTable]:
    """The tables with rows; a table of the included raters with that of all below it. Of large
    ones, nothing but examples is read: see TableInParts.
    """
    in_parts = tables_in_parts(analysis.run, names)
    whole = [name for name in names if name not in in_parts]
    read = analysis.tables(*whole, *(name + OF_ALL for name in whole if catalogue.has_twin(name)))
    tables: dict[str, StoredTable] = {}
    for name in names:
        if name in in_parts:
            tables[name] = in_parts[name]
            continue
        every = [read[each] for each in (name, name + OF_ALL) if each in read]
        both = [table for table in every if table.rows]
        if both:
            tables[name] = StoredTable(
                both[0].columns, [row for table in both for row in table.rows]
            )
    return tables
