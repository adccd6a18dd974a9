"""From the database to the tidy tables that the analysis takes, with their hash."""

import hashlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, groupby
from math import nan
from operator import itemgetter
from typing import Any

from pandas import DataFrame, concat

from analysis.manual_decisions import exclusions_in_force
from analysis.metrics.words import words
from analysis.recipe import Scale
from analysis.rehearsal import Rehearsal
from analysis.repeats import one_of_each
from analysis.study_data import Contrast, ProtocolData, StudyData, exact
from judge.queries import GoldScores, gold_scores
from judge.tidy import gold_rows, response_names
from survey.batched import batched
from survey.definition import StudyDefinition
from survey.definition.settings import Settings
from survey.files.csv_text import csv_lines
from survey.models import Participant, Rating, Response, Study
from survey.regions import OTHER, REGIONS
from survey.simulated.crowd import read_content
from survey.simulated.record import crowds_of, simulated_raters
from survey.tidy import (
    CELL_COLUMNS,
    COMMENT_COLUMNS,
    DEMOGRAPHIC_COLUMNS,
    GOLD_COLUMNS,
    PRESENTATION_COLUMNS,
    RANK_COLUMNS,
    RATING_COLUMNS,
    RATING_TASKS,
    SHOWN_COLUMNS,
    WRITING_COLUMNS,
    Row,
    active_participants,
    cells_of,
    comment_rows,
    definition_of,
    dimensions_of,
    participant_columns,
    participant_rows,
    presentation_rows,
    rank_rows,
    rating_rows,
    shown_response_rows,
    written_rows,
)

#: Of a snapshot in chunks.
PEOPLE_AT_ONCE, ROWS_AT_ONCE = 250, 10_000
NUMBERS = (
    *("duration_seconds", "attention_checks_failed"),
    *SHOWN_COLUMNS,
    *WRITING_COLUMNS,
)


@dataclass(frozen=True)
class Snapshot:
    """A study's data at a moment. `hashes` are the SHA-256 of each table as CSV."""

    data: StudyData
    gold: GoldScores
    hashes: dict[str, str]

    @property
    def hash(self) -> str:
        """SHA-256 of the tables' hashes."""
        return _hash_of(self.hashes)


def _hash_of(hashes: Mapping[str, str]) -> str:
    """SHA-256 of the tables' hashes, one per line in the order of their names."""
    lines = "".join(f"{name} {digest}\n" for name, digest in sorted(hashes.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def read_snapshot(study: Study, sources: Sequence[str], *, seen_since: datetime) -> Snapshot:
    """The data of everybody from `sources`, with the reasons of the researchers' decisions; who was
    seen since then and goes on is active.

    Call it inside `survey.tidy.reading()`, so that the tables agree.
    """
    gold = gold_scores(study)
    tables = {
        name: HashedTable(columns, rows)
        for name, (columns, rows) in _tables(study, sources, gold, seen_since).items()
    }
    frames = {name: table.frame for name, table in tables.items()}
    return Snapshot(
        _study_data(study, frames), gold, {name: table.hash for name, table in tables.items()}
    )


class SnapshotInChunks:
    """The same data as those of `read_snapshot`, with the ratings of some people at a time, so that
    memory does not grow with a study. Ranks, and how free answers were written, are hashed and not
    given.

    Iterate over it once, inside `survey.tidy.reading()`; `hash` is known then.
    """

    def __init__(self, study: Study, sources: Sequence[str], *, seen_since: datetime) -> None:
        self.study, self.sources, self.seen_since = study, sources, seen_since
        self.gold = gold_scores(study)
        self._hashed: dict[str, _HashedRows] = {}

    @property
    def hash(self) -> str:
        """That of the snapshot."""
        return _hash_of({name: table.digest.hexdigest() for name, table in self._hashed.items()})

    def __iter__(self) -> Iterator[StudyData]:
        tables = _tables(self.study, self.sources, self.gold, self.seen_since)
        self._hashed = {name: _HashedRows(columns) for name, (columns, _) in tables.items()}
        rows = {name: iter(rows) for name, (_, rows) in tables.items()}
        frames = {"gold": self._hashed["gold"].frame(list(rows["gold"]))}
        for name in ("ranks", *({"writing"} & rows.keys())):
            for some in batched(rows[name], ROWS_AT_ONCE):
                self._hashed[name].add(some)
            frames[name] = self._hashed[name].frame([])
        ratings = groupby(rows["ratings"], key=itemgetter(0))
        following = next(ratings, None)
        for people in batched(rows["participants"], PEOPLE_AT_ONCE):
            names = {person[0] for person in people}
            theirs: list[Row] = []
            while following is not None and following[0] in names:
                theirs += following[1]
                following = next(ratings, None)
            frames["participants"] = self._hashed["participants"].frame(people)
            frames["ratings"] = self._hashed["ratings"].frame(theirs)
            yield _study_data(self.study, frames)

    def any_rating_has_gold(self) -> bool:
        """Whether anybody rated a response on a dimension on which it has a gold score."""
        scored: dict[str, list[int]] = {}
        for score in self.gold.scores:
            scored.setdefault(score.dimension, []).append(score.response_id)
        whose = Rating.objects.filter(
            presentation__participant__study=self.study,
            presentation__participant__source__in=self.sources,
            task__in=RATING_TASKS,
        )
        return any(
            whose.filter(dimension=dimension, response_id__in=responses).exists()
            for dimension, responses in scored.items()
        )


def _tables(
    study: Study, sources: Sequence[str], gold: GoldScores, seen_since: datetime
) -> dict[str, tuple[Sequence[str], Iterable[Row]]]:
    """Columns and rows of each table of a snapshot; `writing` where the study records it."""
    definition = definition_of(study)
    active = active_participants(study, sources, seen_since=seen_since)
    reasons = {d.participant.pseudonym: d.reason for d in exclusions_in_force(study)}
    return {
        "participants": (
            (*participant_columns(definition), "excluded_by_decision", "active"),
            (
                (*row, reasons.get(row[0], ""), row[0] in active)
                for row in participant_rows(study, sources)
            ),
        ),
        "ratings": (RATING_COLUMNS + SHOWN_COLUMNS, rating_rows(study, sources)),
        "gold": (GOLD_COLUMNS, (row for row, _ in gold_rows(study, gold))),
        "ranks": (RANK_COLUMNS + SHOWN_COLUMNS, rank_rows(study, sources)),
    } | ({"writing": _writing(study, sources)} if definition.record_writing else {})


def _writing(study: Study, sources: Sequence[str]) -> tuple[Sequence[str], Iterable[Row]]:
    """How free answers were written, without the texts; of those of which it is known."""
    columns = COMMENT_COLUMNS + WRITING_COLUMNS
    text, counted = columns.index("text"), columns.index("characters") + 1
    return columns[:text] + columns[text + 1 :], (
        row[:text] + row[text + 1 :]
        for row in written_rows(study, sources)
        if any(value is not None for value in row[counted:])
    )


def _study_data(study: Study, frames: Mapping[str, DataFrame]) -> StudyData:
    """What the analysis takes: these tables, and what is known of the study."""
    definition = definition_of(study)
    settings = Settings.model_validate(study.settings)
    reference = definition.reference
    contrast = Contrast(
        definition.condition_a,
        definition.condition_b,
        (reference.model, reference.condition) if reference else None,
    )
    systems = study.systems.order_by("id").values_list("model", flat=True)
    last = reference.model if reference else None
    one_each = one_of_each(frames, settings.repeats)
    of_means = settings.repeats == "mean" and one_each.repeats.ratings > 0
    scale = Scale.of(definition.rating)
    return StudyData(
        participants=_asked(frames["participants"], definition),
        ratings=one_each.ratings,
        gold=frames["gold"],
        ranks=one_each.ranks,
        writing=frames.get("writing"),
        contrast=contrast,
        scenarios=list(study.scenarios.order_by("position").values_list("name", flat=True)),
        models=sorted(dict.fromkeys(systems), key=lambda model: model == last),
        # means lie between the points, as on a slider
        scale=[scale.points[0], scale.points[-1]] if of_means else scale.points,
        between=of_means or scale.between,
        orders=_orders(definition),
        responses=_responses(study),
        whole_blocks=definition.shows_whole_blocks,
        composites=settings.composites,
        parameters={name: about.parameters for name, about in settings.models.items()},
        repeats=one_each.repeats,
    )


def read_protocol(study: Study, sources: Sequence[str], data: StudyData) -> ProtocolData:
    """What tells how the protocol worked out, beside `data`. Call it inside `reading()` too."""
    return ProtocolData(
        data.participants,
        data.ratings,
        data.ranks,
        frame_of(PRESENTATION_COLUMNS, presentation_rows(study, sources)),
        frame_of(COMMENT_COLUMNS, comment_rows(study, sources)),
        _shown(shown_response_rows(study, sources)),
    )


def _shown(rows: Iterable[Row]) -> DataFrame:
    """Each response that each participant was shown, once."""
    whose = groupby((row[:5] for row in rows), key=itemgetter(0))
    columns = ("participant", *CELL_COLUMNS)
    each_once = chain.from_iterable(dict.fromkeys(theirs) for _, theirs in whose)
    return _collected(columns, each_once).astype("str")  # also of nobody


def read_rehearsal(study: Study, sources: Sequence[str]) -> Rehearsal | None:
    """What is known of the study's simulated raters, where they are among the sources. Call it
    inside `reading()` too.
    """
    if Participant.Source.SIMULATED not in sources:
        return None
    content = read_content(study)
    return Rehearsal(content, simulated_raters(study, content, crowds_of(study)))


def _responses(study: Study) -> DataFrame:
    """What stands at each place: the columns of `CELL`, the `response` there, and its `words`."""
    cells = cells_of(study)
    names = response_names(cells)
    texts = Response.objects.filter(scenario__study=study).values_list("id", "text")
    lengths = {number: float(len(words(text))) for number, text in texts}
    places = (
        (*cell.names, names[response], lengths[response]) for (_, response), cell in cells.items()
    )
    return frame_of((*CELL_COLUMNS, "response", "words"), places)


def number(value: float | None) -> float | None:
    """A number that a column of them takes, whole ones too."""
    return None if value is None else float(value)


def frame_of(columns: Sequence[str], rows: Iterable[Row]) -> DataFrame:
    return DataFrame(list(rows), columns=list(columns))


class HashedTable:
    """Rows as a DataFrame, hashed as CSV while they stream in."""

    def __init__(self, columns: Sequence[str], rows: Iterable[Row]) -> None:
        hashed = _HashedRows(columns)
        self.frame = _typed(_collected(columns, rows, also=hashed.add))
        self.hash = hashed.digest.hexdigest()


class _HashedRows:
    """Rows that come some at a time, hashed as one CSV."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = list(columns)
        self._header = "".join(csv_lines(columns, ()))
        self.digest = hashlib.sha256(self._header.encode())

    def add(self, rows: Sequence[Row]) -> None:
        text = "".join(csv_lines(self.columns, rows))
        self.digest.update(text[len(self._header) :].encode())

    def frame(self, rows: Sequence[Row]) -> DataFrame:
        """The rows, which are added."""
        self.add(rows)
        return _typed(DataFrame(list(rows), columns=self.columns))


def _typed(frame: DataFrame) -> DataFrame:
    """Numbers as such, and ratings as exact ones."""
    frame = frame.astype({name: "float64" for name in NUMBERS if name in frame})
    if "rating" in frame:
        frame["rating"] = exact(frame["rating"])
    return frame


def _collected(
    columns: Sequence[str],
    rows: Iterable[Row],
    *,
    also: Callable[[Sequence[Row]], object] | None = None,
) -> DataFrame:
    """Rows as a DataFrame, in little memory: some rows at a time, numbers unboxed, and each column
    is dropped once the frame has it. `also` gets the rows, too.
    """
    cells: dict[str, Any] = {name: array("d") if name in NUMBERS else [] for name in columns}
    for some in batched(rows, ROWS_AT_ONCE):
        for place, name in enumerate(columns):
            values = map(itemgetter(place), some)
            known = (nan if value is None else value for value in values)
            cells[name].extend(known if name in NUMBERS else values)
        if also is not None:
            also(some)
    return concat([DataFrame({name: cells.pop(name)}) for name in columns], axis="columns")


def _asked(people: DataFrame, definition: StudyDefinition) -> DataFrame:
    """Without the usual questions that the study does not ask, unless an import answers them."""
    asked = {question.name for question in (*definition.screening, *definition.demographics)}
    if "state" in asked:
        asked.add("region")  # follows from it
    others = [name for name in DEMOGRAPHIC_COLUMNS if name not in asked]
    return people.drop(columns=[name for name in others if people[name].isna().all()])


def _orders(definition: StudyDefinition) -> dict[str, list[str]]:
    """The study's order of the values of columns."""
    orders = {
        "condition": definition.conditions,
        "dimension": list(
            dict.fromkeys([*dimensions_of(definition), *definition.compared_dimensions])
        ),
        "region": [*REGIONS, OTHER],
    }
    if definition.sets is not None:
        orders["set"] = list(definition.sets)
    for question in definition.demographics:
        if question.categories:
            orders[question.name] = question.categories
    return orders
