"""From the database to the tidy tables that the analysis takes, with their hash."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Any

from pandas import DataFrame

from analysis.judges.automatic_metrics import (
    METRIC_SOURCES,
    OTHER_LANGUAGES,
    OUTDATED,
    MetricsData,
)
from analysis.judges.judged import JudgesData
from analysis.manual_decisions import exclusions_in_force
from analysis.measured_languages import MeasuredLanguages
from analysis.metric_labels import LABELS
from analysis.metrics.words import words
from analysis.models import ComputedMetric
from analysis.rehearsal import Rehearsal
from analysis.repeats import one_of_each
from analysis.scorer_frames import scorer_judge_rows, scorer_score_rows
from analysis.study_data import Contrast, ProtocolData, StudyData, exact
from judge.definition import JudgingDefinition
from judge.models import Judging
from judge.queries import GoldScores, gold_scores
from judge.tidy import (
    JUDGE_COLUMNS,
    JUDGE_COMPARISON_COLUMNS,
    JUDGE_EXAMPLE_COLUMNS,
    JUDGE_SCORE_COLUMNS,
    RETURNED_MODEL_COLUMNS,
    gold_rows,
    judge_comparison_rows,
    judge_example_rows,
    judge_rows,
    judge_score_rows,
    response_names,
    returned_model_rows,
)
from survey.definition import StudyDefinition
from survey.definition.questions import ChoiceQuestion
from survey.definition.settings import Settings
from survey.files.csv_text import csv_lines
from survey.models import Participant, Rating, Response, Study
from survey.regions import OTHER, REGIONS
from survey.simulated.crowd import read_content
from survey.simulated.record import crowds_of, simulated_raters
from survey.text_languages import response_languages
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

#: Of every bootstrap about judges, so that the same data give the same intervals.
JUDGES_SEED = 1
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
        name: _Table(columns, rows)
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
            while some := list(islice(rows[name], ROWS_AT_ONCE)):
                self._hashed[name].add(some)
            frames[name] = self._hashed[name].frame([])
        ratings = groupby(rows["ratings"], key=itemgetter(0))
        following = next(ratings, None)
        while people := list(islice(rows["participants"], PEOPLE_AT_ONCE)):
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
    scale = definition.rating.scale if definition.rating else []
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
        scale=[(p.value, p.label) for p in ([scale[0], scale[-1]] if of_means else scale)],
        between=of_means or (definition.rating is not None and definition.rating.kind == "slider"),
        orders=_orders(definition),
        responses=_responses(study),
        whole_blocks=definition.shows_whole_blocks,
        composites=settings.composites,
        parameters={name: about.parameters for name, about in settings.models.items()},
        repeats=one_each.repeats,
    )


def read_protocol(study: Study, sources: Sequence[str], data: StudyData) -> ProtocolData:
    """What tells how the protocol worked out, beside `data`. Call it inside `reading()` too."""
    shown = shown_response_rows(study, sources)
    return ProtocolData(
        data.participants,
        data.ratings,
        data.ranks,
        _frame(PRESENTATION_COLUMNS, presentation_rows(study, sources)),
        _frame(COMMENT_COLUMNS, comment_rows(study, sources)),
        _frame(("participant", *CELL_COLUMNS), dict.fromkeys(row[:5] for row in shown)),
    )


def read_rehearsal(study: Study, sources: Sequence[str]) -> Rehearsal | None:
    """What is known of the study's simulated raters, where they are among the sources. Call it
    inside `reading()` too.
    """
    if Participant.Source.SIMULATED not in sources:
        return None
    content = read_content(study)
    return Rehearsal(content, simulated_raters(study, content, crowds_of(study)))


def read_judges(study: Study, data: StudyData) -> tuple[JudgesData, str]:
    """Everybody's scores of the responses of `data`, and their SHA-256. Call it inside `reading()`
    too.
    """
    scores = _Table(
        JUDGE_SCORE_COLUMNS,
        (
            (*row[:-2], number(row[-2]), row[-1])
            for row in chain(judge_score_rows(study), scorer_score_rows(study))
        ),
    )
    comparisons = _Table(JUDGE_COMPARISON_COLUMNS, judge_comparison_rows(study))
    judging = Judging.objects.filter(study=study).first()
    definition = judging.read_definition() if judging else JudgingDefinition()
    judges = JudgesData(
        judge_scores=scores.frame,
        responses=data.responses,
        judges=_frame(JUDGE_COLUMNS, (*judge_rows(study), *scorer_judge_rows(study))),
        returned_models=_frame(RETURNED_MODEL_COLUMNS, returned_model_rows(study)),
        families=definition.families,
        epsilon=definition.epsilon,
        seed=JUDGES_SEED,
        comparisons=comparisons.frame,
        examples=_frame(JUDGE_EXAMPLE_COLUMNS, judge_example_rows(study)),
    )
    if comparisons.frame.empty:
        return judges, scores.hash
    return judges, hashlib.sha256(f"{scores.hash}{comparisons.hash}".encode()).hexdigest()


def read_metrics(study: Study) -> MetricsData:
    """The automatic metrics that were computed of the study's responses; without values where some
    of these came later. Call it inside `reading()` too.
    """
    names = response_names(cells_of(study))
    order = list(LABELS)
    known = study.computed_metrics.filter(name__in=order).prefetch_related("values")
    found = response_languages(study) if known else {}
    languages = {each: one.language for each, one in found.items()}
    in_languages = Counter(languages.values())
    values: list[Row] = []
    corpus: list[Row] = []
    sources: list[Row] = []
    for metric in sorted(known, key=lambda metric: order.index(metric.name)):
        by_response = {value.response_id: value.value for value in metric.values.all()}
        page = study.definition["language"]
        measured = MeasuredLanguages.of(metric.recorded, page=page, n=len(by_response))
        note = "" if measured.counts == in_languages else OTHER_LANGUAGES
        note = note if names.keys() <= by_response.keys() else OUTDATED
        sources.append((*_recorded(metric), measured.in_words, note))
        if not note:
            reasons = measured.reasons
            values += [
                (metric.name, name, by_response[each], reasons.get(languages[each], ""))
                for each, name in names.items()
            ]
            corpus += [(metric.name, *row) for row in metric.corpus]
    return MetricsData(
        _frame(("metric", "response", "value", "not_for"), values).astype({"value": "float64"}),
        _frame(("metric", "model", "condition", "corpus"), corpus),
        _frame(METRIC_SOURCES.names, sources),
    )


def _recorded(metric: ComputedMetric) -> Row:
    about = metric.recorded
    settings = json.dumps(about["settings"], ensure_ascii=False, sort_keys=True)
    return metric.name, about["meaning"], about["package"], about["version"], settings


def _responses(study: Study) -> DataFrame:
    """What stands at each place: the columns of `CELL`, the `response` there, and its `words`."""
    cells = cells_of(study)
    names = response_names(cells)
    texts = Response.objects.filter(scenario__study=study).values_list("id", "text")
    lengths = {number: float(len(words(text))) for number, text in texts}
    places = (
        (*cell.names, names[response], lengths[response]) for (_, response), cell in cells.items()
    )
    return _frame((*CELL_COLUMNS, "response", "words"), places)


def number(value: float | None) -> float | None:
    """A number that a column of them takes, whole ones too."""
    return None if value is None else float(value)


def _frame(columns: Sequence[str], rows: Iterable[Row]) -> DataFrame:
    return DataFrame(list(rows), columns=list(columns))


class _Table:
    """Rows as a DataFrame, hashed as CSV while they stream in."""

    def __init__(self, columns: Sequence[str], rows: Iterable[Row]) -> None:
        cells: dict[str, list[Any]] = {name: [] for name in columns}
        digest = hashlib.sha256()
        for text in csv_lines(columns, _collected(rows, list(cells.values()))):
            digest.update(text.encode())
        self.hash = digest.hexdigest()
        self.frame = _typed(DataFrame(cells))


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


def _collected(rows: Iterable[Row], columns: list[list[Any]]) -> Iterator[Row]:
    for row in rows:
        for column, value in zip(columns, row, strict=True):
            column.append(value)
        yield row


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
        if isinstance(question, ChoiceQuestion):
            orders[question.name] = question.categories
    return orders
