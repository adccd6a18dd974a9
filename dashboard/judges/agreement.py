"""Stored tables about judges, reshaped for pages, with what each number means. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from analysis import catalogue
from dashboard.shared.gold_warnings import IN_WORDS, NO_WARNING
from dashboard.shared.stored_tables import Row, StoredTable, in_order

TABLES = (
    "judge_consistency", "judge_item_spread", "judge_scores_shares", "judge_models",
    "judge_positions",
    "judge_pairs", "judge_pair_order",
    "judge_agreement", "judge_bias", "alt_test", "alt_test_raters", "prediction_powered",
    "guard_warnings",
)  # fmt: skip
GUARD = ("guard_funnel", "guard_wins", "guard_systems", "guard_raters", "guard_warnings")
#: Of judge_agreement: what a statistic says, and when to worry.
STATISTICS = {
    "pearson_within": (
        "Whether the judge and people give the responses of a scenario similar scores. Worry if "
        "the interval includes 0."
    ),
    "spearman_within": "The same for ranks.",
    "bias": (
        "Judge minus people, in points of the scale. Worry if the interval excludes 0: an average "
        "rater is then this far from the gold scores."
    ),
    "limits_low": ("About 95 % of the differences between judge and people lie above this one …"),
    "limits_high": (
        "… and below this one. Worry if this is a large part of the scale: scores of single "
        "responses are then imprecise."
    ),
    "own_family_bias": (
        "How much more the judge favours models of its own family than people do. Worry if the "
        "interval lies above 0."
    ),
    "length_spearman": (
        "Whether the judge scores longer responses higher. Worry if this is far above the next "
        "line: people then reward length less."
    ),
    "length_spearman_people": "The same for people.",
    "alpha_raters": (
        "Agreement among people (Krippendorff): 1 is full agreement, 0 is chance. A judge can "
        "hardly agree with people better than they agree among themselves."
    ),
    "alpha_with_judge": "The same with the judge as one more rater. Worry if it is lower.",
}
STATISTIC = catalogue.table("judge_agreement").column("statistic")
#: The most uneven responses that are listed for each judge.
UNEVEN = 5


@dataclass(frozen=True)
class InShort:
    """A source's consistency and agreement with people, a row for each dimension."""

    consistency: list[Row]
    agreement: list[Row]


def in_short(consistency: StoredTable, agreement: StoredTable, source: str) -> InShort:
    """A source's consistency and agreement; r if the analysis has it, else that of ranks."""
    own = [row for row in agreement.rows if row["judge"] == source and row["value"] is not None]
    by_dimension: dict[str, Row] = {}
    for wanted in ("spearman_within", "pearson_within"):
        by_dimension |= {row["dimension"]: row for row in own if row["statistic"] == wanted}
    return InShort(
        [row for row in with_flags(consistency) if row["judge"] == source],
        list(by_dimension.values()),
    )


def grouped(table: StoredTable, *columns: str) -> list[tuple[tuple[Any, ...], list[Row]]]:
    """Rows with the same values in `columns`, together, in order of first appearance."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in table.rows:
        groups.setdefault(tuple(row[name] for name in columns), []).append(row)
    return list(groups.items())


@dataclass(frozen=True)
class Remarks:
    """What there is to know about gold scores by kind: a sentence for each, and its details.
    Warnings are as many as `NewestAnalysis.warnings` counts; a `note` worries nobody.
    """

    warnings: list[tuple[str, list[str]]]
    notes: list[tuple[str, list[str]]]


def remarks(table: StoredTable) -> Remarks:
    """The rows of guard_warnings by kind."""
    remarks_by_kind = Remarks([], [])
    for (kind,), rows in grouped(table, "kind"):
        texts = [row["text"] for row in rows]
        by_kind = remarks_by_kind.notes if kind in NO_WARNING else remarks_by_kind.warnings
        by_kind.append((IN_WORDS.get(kind, texts[0]), texts))
    return remarks_by_kind


def with_flags(consistency: StoredTable) -> list[Row]:
    """The rows of judge_consistency with their flags as lists, except the flag of a stand-in:
    pages mark stand-ins everywhere.
    """
    return [row | {"flag_list": _flags(row["flags"] or "")} for row in consistency.rows]


def _flags(flags: str) -> list[str]:
    return [flag for flag in flags.split("; ") if flag and not flag.startswith("stand-in")]


def statistics(agreement: StoredTable) -> list[tuple[tuple[Any, ...], list[Row]]]:
    """The rows of judge_agreement by source and dimension, each with its label and meaning."""
    groups = []
    for key, rows in grouped(agreement, "judge", "dimension"):
        labelled = []
        for row in rows:
            name = row["statistic"]
            label = STATISTIC.text(name)
            labelled.append(row | {"label": label, "meaning": STATISTICS.get(name, "")})
        groups.append((key, labelled))
    return groups


@dataclass(frozen=True)
class Shares:
    """How often each score was given on a dimension: by people, then by each source."""

    dimension: str
    scores: list[float]
    #: Whose, how many there are, and their shares in percent.
    rows: list[tuple[str, int, list[float | None]]]


def shares(table: StoredTable) -> list[Shares]:
    """judge_scores_shares, laid out with a line for each source and one for people."""
    by_dimension = []
    for (dimension,), rows in grouped(table, "dimension"):
        scores = sorted({row["score"] for row in rows})
        of_people = {
            row["score"]: (row["people_n"], row["people_share"])
            for row in rows
            if row.get("people_share") is not None
        }
        lines = [_line("people", scores, of_people)] if of_people else []
        for judge in in_order(row["judge"] for row in rows):
            own = {r["score"]: (r["n"], r["share"]) for r in rows if r["judge"] == judge}
            lines.append(_line(judge, scores, own))
        by_dimension.append(Shares(dimension, scores, lines))
    return by_dimension


def _line(
    name: str, scores: Sequence[float], given: dict[float, tuple[int, float | None]]
) -> tuple[str, int, list[float | None]]:
    percent = [given.get(score, (0, None))[1] for score in scores]
    n = sum(count or 0 for count, _ in given.values())
    return name, n, [None if share is None else 100 * share for share in percent]


def most_uneven(spread: StoredTable) -> list[Row]:
    """The responses on which each source's own scores differ most."""
    most: list[Row] = []
    for _, rows in grouped(spread, "judge", "dimension"):
        uneven = [row for row in rows if row["sd"]]
        most += sorted(uneven, key=lambda row: -row["sd"])[:UNEVEN]
    return most


def with_unrated(table: StoredTable) -> list[tuple[tuple[Any, ...], list[Row]]]:
    """The rows of prediction_powered in which a judge scored more than people rated."""
    rows = [row for row in table.rows if row["n_judged"] > row["n_rated"]]
    return grouped(StoredTable(table.columns, rows), "judge", "dimension")


@dataclass(frozen=True)
class ThreeWays:
    """A table of the guard: a row for each key, a cell for each way of filtering."""

    ways: list[str]
    rows: list[tuple[tuple[Any, ...], list[Row | None]]]


def three_ways(table: StoredTable, *keys: str) -> ThreeWays:
    """Rows with the same `keys` together, by their way of filtering."""
    ways = in_order(row["way"] for row in table.rows)
    cells = {(*(row[k] for k in keys), row["way"]): row for row in table.rows}
    names = in_order(tuple(row[k] for k in keys) for row in table.rows)
    return ThreeWays(ways, [(name, [cells.get((*name, way)) for way in ways]) for name in names])


@dataclass(frozen=True)
class AltTests:
    """The alternative annotator test: at the study's own ε, then at the others."""

    epsilon: float | None
    own: list[tuple[tuple[Any, ...], list[Row]]]
    #: Whether each passes, at each further ε.
    epsilons: list[float]
    others: list[tuple[tuple[Any, ...], list[Row | None]]]


def alt_tests(table: StoredTable) -> AltTests:
    """The rows of alt_test by dimension, constant judges included."""
    own = StoredTable(table.columns, [row for row in table.rows if row["is_studys"]])
    rest = [row for row in table.rows if not row["is_studys"]]
    epsilons = sorted({row["epsilon"] for row in rest})
    cells = {(row["dimension"], row["judge"], row["epsilon"]): row for row in rest}
    names = in_order((row["dimension"], row["judge"]) for row in rest)
    return AltTests(
        own.rows[0]["epsilon"] if own.rows else None,
        grouped(own, "dimension"),
        epsilons,
        [(name, [cells.get((*name, epsilon)) for epsilon in epsilons]) for name in names],
    )
