"""A study's data as CSV files: what pages let researchers download and `export` writes.

Pages filter as the analysis did that they show. Everything else is read from the database as it
is. Tables are streamed, so a large one neither fills memory nor makes anybody wait for its first
line.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import Any

from analysis.models import AnalysisRun
from analysis.queries import Decision, rater_decisions
from dashboard.design.certificate import COLUMNS as CERTIFICATE_COLUMNS
from dashboard.design.certificate import certificate_rows
from dashboard.share.absent_files import absent_files
from dashboard.share.codebook import codebook_rows
from dashboard.share.waves import WAVE_COLUMNS, wave_rows
from judge.queries import GoldScores, gold_scores
from judge.tidy import (
    ATTEMPT_COLUMNS,
    JUDGE_COMPARISON_COLUMNS,
    JUDGE_SCORE_COLUMNS,
    attempt_rows,
    gold_rows,
    judge_comparison_rows,
    judge_score_rows,
)
from survey.definition import StudyDefinition
from survey.definition.settings import Settings
from survey.definition.sharing import Sharing
from survey.files.csv_text import ABOUT_TEXTS, csv_lines
from survey.models import (
    Study,
)
from survey.slots import pool_of
from survey.tidy import (
    CHECK_COLUMNS,
    COMMENT_COLUMNS,
    COMPREHENSION_COLUMNS,
    GOLD_COLUMNS,
    PAGE_TIME_COLUMNS,
    PARTICIPANT_COLUMNS,
    PRESENTATION_COLUMNS,
    RANK_COLUMNS,
    RATING_COLUMNS,
    SHOWN_COLUMNS,
    SHOWN_RESPONSE_COLUMNS,
    TRAINING_COLUMNS,
    WRITING_COLUMNS,
    Row,
    check_rows,
    columns_about_people,
    comment_rows,
    comprehension_rows,
    definition_of,
    not_counted_among,
    page_time_rows,
    participant_columns,
    participant_rows,
    people_of,
    presentation_rows,
    rank_rows,
    rating_rows,
    reading,
    shown_response_rows,
    training_rows,
    written_rows,
)

DECISION_COLUMNS = Decision._fields
NO_DECISION = Decision(None, None, included=False, exclusion="", excluded_by_decision="")
#: Columns about people that the form for sharing never has: they may identify a person, together
#: with what others know.
EXACT_TIMES = ("started_at", "finished_at", "shown_at", "answered_at", "submitted_at")
NEVER_SHARED_OF_PEOPLE = frozenset([*EXACT_TIMES, "viewport_width", "viewport_height"])
#: Nor, of any table, an endpoint's message about an error: it may identify an account.
NEVER_SHARED = frozenset(["error"])
#: Columns of judges with the texts of prompts and responses, or with words about them. They are
#: empty where the study does not share its responses.
TEXTS_OF_JUDGES = frozenset(["request", "raw_text", "thinking", "reason"])
#: Exports for sharing list categories with fewer people than this.
SMALL_CELL = 5
ABOUT = {
    "participants.csv": "Everyone who answered the consent page, with the filter's decisions",
    "ratings.csv": "The cleaned ratings: those of the included raters",
    "ratings_all.csv": "The ratings of all raters",
    "gold.csv": "The gold score of every response, with its single scores",
    "judge_scores.csv": "Every single score of every judge and file, gold or not",
    "judge_comparisons.csv": "Every answer of a judge of pairs: which of two responses is better",
    "judge_attempts.csv": "Every request to a judge, with its answer and cost",
    "ranks.csv": "The ranks and choices of all raters",
    "comments.csv": "Free text; not for sharing",
    "presentations.csv": "Each page of responses that a participant saw, with times",
    "shown_responses.csv": "Each response on these pages, with position and time on screen",
    "attention_checks.csv": "Each attention check that a participant saw, with the answer",
    "comprehension.csv": "Each answer about the instructions, right or wrong, by attempt",
    "training.csv": "Each rating of a training item, by try; no ratings of the study",
    "page_times.csv": "Each page that a participant saw, from consent to the end, with times",
    "waves.csv": "The people of the earlier study who took part again: both pseudonyms",
    "certificate.csv": "How evenly responses were shown: counts by position, with tests",
    "codebook.csv": "The meaning of each column",
}


@dataclass(frozen=True)
class ExportTable:
    """Columns, and rows that can be read once."""

    columns: tuple[str, ...]
    rows: Iterator[Row]


@dataclass
class Export:
    """The data of one study, of everybody from `sources`, as `decide` filtered them.

    `sharing` leaves out free text and columns that may identify a person. What a study chooses to
    share or not stays as a column, empty unless it is shared, so that the columns are the same.
    """

    study: Study
    sources: Sequence[str]
    decide: Callable[[], dict[str, Decision]]
    sharing: bool = False

    @cached_property
    def gold(self) -> GoldScores:
        return gold_scores(self.study)

    @cached_property
    def definition(self) -> StudyDefinition:
        return definition_of(self.study)

    @cached_property
    def share(self) -> Sharing:
        return Settings.model_validate(self.study.settings).share

    @cached_property
    def emptied(self) -> frozenset[str]:
        """Columns that are there without their values."""
        if not self.sharing:
            return frozenset()
        texts = frozenset() if self.share.responses else TEXTS_OF_JUDGES
        return self.share.withheld(self.definition) | texts

    @cached_property
    def decisions(self) -> dict[str, Decision]:
        return self.decide()

    @cached_property
    def named(self) -> dict[str, str]:
        """Each participant's source, if people who are no raters are included."""
        if not not_counted_among(self.sources):
            return {}
        people = self.study.participants.filter(source__in=self.sources)
        return dict(people.values_list("pseudonym", "source"))

    def participants(self) -> ExportTable:
        """Everyone who answered the consent page."""
        usual = len(PARTICIPANT_COLUMNS)
        columns = participant_columns(self.definition)
        rows = (
            (*row[:usual], *self._decided(row[0]), *row[usual:])
            for row in participant_rows(self.study, self.sources)
        )
        return self._named(
            ExportTable((*columns[:usual], *DECISION_COLUMNS, *columns[usual:]), rows),
            has_gold=True,
        )

    def _decided(self, name: str) -> Row:
        """What was decided of a person; a reason in researchers' own words may tell who it is."""
        decision = self.decisions.get(name, NO_DECISION)
        if self.sharing:
            return (*decision[:-1], True if decision.excluded_by_decision else None)
        return decision

    def ratings(self) -> ExportTable:
        """The ratings of the included raters: the cleaned data."""
        return self._ratings(lambda row: self.decisions.get(row[0], NO_DECISION).included)

    def ratings_all(self) -> ExportTable:
        """The ratings of all raters."""
        return self._ratings(lambda row: True)

    def _ratings(self, counts: Callable[[Row], bool]) -> ExportTable:
        usual = len(RATING_COLUMNS)
        gold = {row[:-1]: row[-1] for row, _ in gold_rows(self.study, self.gold)}
        rows = (
            (*row[:usual], gold.get(row[1 : usual - 1]), *row[usual:])
            for row in rating_rows(self.study, self.sources)
            if counts(row)
        )
        columns = (*RATING_COLUMNS, "gold", *SHOWN_COLUMNS)
        return self._named(ExportTable(columns, rows), has_gold=True, people=True)

    def ranks(self) -> ExportTable:
        """The ranks and choices of all raters."""
        return self._of_people(RANK_COLUMNS + SHOWN_COLUMNS, rank_rows)

    def comments(self) -> ExportTable:
        """What people wrote, and how, if the study records that."""
        if self.definition.record_writing:
            return self._of_people(COMMENT_COLUMNS + WRITING_COLUMNS, written_rows)
        return self._of_people(COMMENT_COLUMNS, comment_rows)

    def presentations(self) -> ExportTable:
        """Every block that a participant saw."""
        return self._of_people(PRESENTATION_COLUMNS, presentation_rows)

    def shown_responses(self) -> ExportTable:
        """Every response that a participant saw."""
        return self._of_people(SHOWN_RESPONSE_COLUMNS, shown_response_rows)

    def checks(self) -> ExportTable:
        """Every attention check that a participant saw."""
        return self._of_people(CHECK_COLUMNS, check_rows)

    def comprehension(self) -> ExportTable:
        """Every answer about the instructions."""
        return self._of_people(COMPREHENSION_COLUMNS, comprehension_rows)

    def training(self) -> ExportTable:
        """Every rating of a training item."""
        return self._of_people(TRAINING_COLUMNS, training_rows)

    def page_times(self) -> ExportTable:
        """Every page that a participant saw, of any kind."""
        return self._of_people(PAGE_TIME_COLUMNS, page_time_rows)

    def _of_people(
        self,
        columns: tuple[str, ...],
        rows: Callable[[Study, Sequence[str]], Iterator[Row]],
    ) -> ExportTable:
        return self._named(ExportTable(columns, rows(self.study, self.sources)), people=True)

    def waves(self) -> ExportTable:
        """Who took part in the earlier study, too."""
        return ExportTable(WAVE_COLUMNS, wave_rows(self.study, self.sources))

    def certificate(self) -> ExportTable:
        """How evenly everything was shown, experts and test people in pools of their own."""
        pools = list(dict.fromkeys(map(pool_of, self.sources)))
        return ExportTable(CERTIFICATE_COLUMNS, certificate_rows(self.study, pools))

    def gold_table(self) -> ExportTable:
        """Every response's gold score wherever it is shown, with the single scores behind it and
        with who made it, so that it is known again where the file is imported."""
        most = max((len(score.calls) for score in self.gold.scores), default=0)
        rows = (
            (*row, *calls, *[None] * (most - len(calls)), self.gold.made_by)
            for row, calls in gold_rows(self.study, self.gold)
        )
        calls = tuple(f"call_{number}" for number in range(1, most + 1))
        return ExportTable((*GOLD_COLUMNS, *calls, "gold_by"), rows)

    def judge_scores(self) -> ExportTable:
        """Every single score of judges and of files; what experts of a panel gave are ratings, and
        a jury's scores are means of its judges'.
        """
        derived = ("panel ", "jury ")
        rows = (row for row in judge_score_rows(self.study) if not row[0].startswith(derived))
        return self._named(ExportTable(JUDGE_SCORE_COLUMNS, rows))

    def judge_comparisons(self) -> ExportTable:
        """Every answer of every judge of pairs."""
        return self._named(ExportTable(JUDGE_COMPARISON_COLUMNS, judge_comparison_rows(self.study)))

    def judge_attempts(self) -> ExportTable:
        """Every request that was or may have been sent to a judge."""
        return self._named(ExportTable(ATTEMPT_COLUMNS, attempt_rows(self.study)))

    def codebook(self, name_of: Callable[[str], str] = str) -> ExportTable:
        """What each column of the other files means. `name_of` says what these are called."""
        about = {name: table().columns for name, table in self.tables().items()}
        rows = codebook_rows(
            self.definition,
            about,
            gold=self.gold.source,
            empty=self.emptied,
            texts=self.share.responses or not self.sharing,
        )
        named = ((name_of(file), *rest) for file, *rest in rows)
        return ExportTable(("file", "column", "meaning", "values"), chain(named, [ABOUT_TEXTS]))

    def tables(self) -> dict[str, Callable[[], ExportTable]]:
        """The files with data that there are, by name."""
        tables = {
            "participants.csv": self.participants,
            "ratings.csv": self.ratings,
            "ratings_all.csv": self.ratings_all,
            "gold.csv": self.gold_table,
            "judge_scores.csv": self.judge_scores,
            "judge_comparisons.csv": self.judge_comparisons,
            "judge_attempts.csv": self.judge_attempts,
            "ranks.csv": self.ranks,
            "comments.csv": self.comments,
            "presentations.csv": self.presentations,
            "shown_responses.csv": self.shown_responses,
            "attention_checks.csv": self.checks,
            "comprehension.csv": self.comprehension,
            "training.csv": self.training,
            "page_times.csv": self.page_times,
            "waves.csv": self.waves,
            "certificate.csv": self.certificate,
        }
        return {name: table for name, table in tables.items() if name not in self.not_available}

    @cached_property
    def not_available(self) -> dict[str, str]:
        """Files that are not there, and why."""
        return absent_files(
            self.study,
            self.sources,
            self.definition,
            has_gold=bool(self.gold.scores),
            sharing=self.sharing,
        )

    @property
    def _people(self) -> Any:
        return people_of(self.study, self.sources)

    def clock_steps(self) -> int:
        """During how many people's survey the server's clock was set back."""
        return int(self._people.filter(clock_stepped=True).count())

    def small_cells(self) -> list[str]:
        """Answers about themselves, and what follows from them or from how they took part, that
        fewer than `SMALL_CELL` people share: by question, in the order of participants.csv.
        """
        about = {*columns_about_people(self.definition)} - {"age"}
        table = self.participants()
        counts: Counter[tuple[str, str]] = Counter()
        for row in table.rows:
            person = zip(table.columns, row, strict=True)
            answers = ((name, answer) for name, answer in person if name in about)
            counts.update((name, str(answer)) for name, answer in answers if answer is not None)
        places = {name: place for place, name in enumerate(table.columns)}
        rare = [cell for cell, n in counts.items() if n < SMALL_CELL]
        rare.sort(key=lambda cell: (places[cell[0]], cell[1]))
        return [f"{name}: {answer}" for name, answer in rare]

    @property
    def files(self) -> list[tuple[str, str, str]]:
        """Every file: its name, its contents, and why it is not available (empty if it is)."""
        return [(name, about, self.not_available.get(name, "")) for name, about in ABOUT.items()]

    def _named(
        self, table: ExportTable, *, has_gold: bool = False, people: bool = False
    ) -> ExportTable:
        """Add a last column that marks experts, test people and the scores of a stand-in."""
        columns, rows = table.columns, table.rows
        if people and self.named:
            columns, rows = (*columns, "source"), _with_source(rows, self.named)
        if has_gold and self.gold.is_stand_in:
            columns, rows = (*columns, "gold_by"), _with_last(rows, self.gold.made_by)
        never = NEVER_SHARED | (NEVER_SHARED_OF_PEOPLE if "participant" in columns else set())
        if self.sharing and never.intersection(columns):
            kept = [place for place, name in enumerate(columns) if name not in never]
            columns, rows = tuple(columns[place] for place in kept), _only(rows, kept)
        if empty := {place for place, name in enumerate(columns) if name in self.emptied}:
            rows = _without(rows, empty)
        return ExportTable(columns, rows)


def _with_source(rows: Iterable[Row], sources: dict[str, str]) -> Iterator[Row]:
    return ((*row, sources[row[0]]) for row in rows)


def _with_last(rows: Iterable[Row], value: str) -> Iterator[Row]:
    return ((*row, value) for row in rows)


def _only(rows: Iterable[Row], places: Sequence[int]) -> Iterator[Row]:
    return (tuple(row[place] for place in places) for row in rows)


def _without(rows: Iterable[Row], places: Collection[int]) -> Iterator[Row]:
    """The rows with nothing at some places."""
    return (
        tuple(None if place in places else value for place, value in enumerate(row)) for row in rows
    )


def filtered_by(run: AnalysisRun) -> Export:
    """The data as a finished run filtered them."""
    return Export(run.study, run.sources, partial(rater_decisions, run))


def stream_table(run: AnalysisRun, name: str) -> Iterator[str]:
    """One file's text, piece by piece. Raises KeyError for a file that is not there."""
    with reading():
        export = filtered_by(run)
        table = export.codebook() if name == "codebook.csv" else export.tables()[name]()
        yield from csv_lines(table.columns, table.rows)
