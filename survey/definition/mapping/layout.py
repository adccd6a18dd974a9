"""Where one file has each of our columns: what a mapping file says, met with the file's header."""

from survey.definition.mapping.column_layout import ColumnLayout
from survey.definition.mapping.map_reader import MapReader
from survey.definition.mapping.schema import OF_SYSTEM, SYSTEM, FileName
from survey.definition.mapping.study_map import StudyMap
from survey.files import qualtrics
from survey.files.problems import DefinitionError
from survey.files.table_file import Columns, TableFile

#: Where an export of Qualtrics has our columns, if a mapping file does not say it.
FROM_QUALTRICS = {
    "participant": qualtrics.RESPONSE,
    "status": qualtrics.FINISHED,
    "started_at": qualtrics.START,
    "finished_at": qualtrics.END,
    "duration_seconds": qualtrics.DURATION,
}


def lay_out(
    table: TableFile, columns: Columns, *, section: FileName | None, study_map: StudyMap | None
) -> ColumnLayout:
    """Where `table` has `columns`, by the section of a mapping file about it, if there is one.

    Raises DefinitionError with the problems of the table's header, or those of the mapping file
    where it does not fit the table.
    """
    layout = ColumnLayout(names_systems=not columns.knows(SYSTEM))
    mapped = study_map.sections.get(section) if study_map and section else None
    if study_map and section and mapped:
        MapReader(table, columns, section, study_map, mapped).fill(layout)
    if study_map and study_map.systems:
        _take_systems(layout, table, columns)
        sides = study_map.sides if layout.has_systems else {}
        layout.sides = {name: of for name, of in sides.items() if of in table.columns}
    if table.qualtrics:
        _take_from_qualtrics(layout, table, columns)
    elsewhere = dict.fromkeys(layout.columns, "") | layout.sources
    others = [name for name in layout.others(table) if name not in elsewhere]
    own = [name for name in others if columns.knows(name)]
    there = {*layout.columns, *own}
    missing = [
        name
        for name in columns.required
        if name not in there and columns.made_from.get(name) not in there
    ]
    if study_map and section and layout.cells and missing:
        message = f"nothing says the {' and the '.join(missing)} of these columns"
        how = "name it in the pattern, or add it to columns or constants"
        problem = study_map.problem((section, "wide"), f"{message}: {how}")
        raise DefinitionError([problem])
    problems, unread = table.header_problems(columns, elsewhere=elsewhere, ignored=layout.ignored)
    if problems:
        raise DefinitionError(problems)
    layout.sources |= {name: name for name in own}
    theirs = layout.theirs
    layout.unread = [name for name in unread if name not in theirs]
    return layout


def _take_systems(layout: ColumnLayout, table: TableFile, columns: Columns) -> None:
    """Read a column `system` as such where nothing else says model and condition."""
    needed = layout.names_systems and all(map(columns.knows, OF_SYSTEM))
    others = layout.others(table)
    said = {*layout.columns, *others}
    is_there = SYSTEM in others and SYSTEM not in layout.columns
    is_said = said.issuperset(OF_SYSTEM) or not {*OF_SYSTEM}.isdisjoint(layout.columns)
    if needed and is_there and not is_said:
        layout.sources[SYSTEM] = SYSTEM


def _take_from_qualtrics(layout: ColumnLayout, table: TableFile, columns: Columns) -> None:
    """Add what Qualtrics says of its own accord, where nobody said otherwise."""
    said, there = layout.columns, layout.others(table)
    for ours, name in FROM_QUALTRICS.items():
        if columns.knows(ours) and ours not in said and name in there:
            layout.sources[ours] = name
            layout.by_default.add(ours)
