"""How carefully did each rater answer? Further columns of raters.csv beside σ and MAE.

None of these decides anything here: each is weak evidence, and a rule about them would be one of
`analysis.quality_rules`. `analysis.stats.careless` has the formulas. What a rater is compared with
are all who consented and are not excluded by a decision, whatever the rules say.

Where several dimensions are rated, `irv`, `person_total` and `even_odd` are taken within each, and
the mean of those that can be had is the index: a dimension that is rated higher than another says
nothing about care. The others need no such mean: `longstring` follows the answers as they stood on
the pages (the dimensions of a response one below the other), and `retest_sd` and
`consensus_deviation` compare ratings of the same text in the same dimension.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas import DataFrame, Series

from analysis.composites import without_composites
from analysis.raters.quality import NO_RATINGS
from analysis.stats import careless
from analysis.stats.careless import NO_ANSWERS, Index
from analysis.stats.inestimable import Inestimable

Codes = npt.NDArray[np.int64]

BLOCK = ["scenario", "set"]
SYSTEM = ["model", "condition"]
PLACE = ["block_position", "response_position"]
INDICES = [
    "longstring", "irv", "person_total", "even_odd", "retest_sd", "contradictions",
    "contradictions_share", "fast_pages", "duration_z", "duration_outside", "consensus_deviation",
    "indices_note",
]  # fmt: skip
UNKNOWN_ORDER = "the order is unknown"
#: Choices as ranks that they contradict: what is neither best nor worst stands between.
RANK_OF_CHOICE = {"best": 1.0, "": 2.0, "worst": 3.0}


def rater_indices(ratings: DataFrame, ranks: DataFrame, people: DataFrame) -> DataFrame:
    """One row per participant of `people`, in their order: `participant` and `INDICES`.

    The frames are those of `study_data.CheckedData`; answers of others than `people` do not count.
    `contradictions` are pairs of responses whose ratings say the opposite of their ranks, or of
    what was chosen as best or worst, and `contradictions_share` their share of the pairs that
    could be. `fast_pages` is the share of pages left in less than two seconds per response.
    `duration_z` is how many standard deviations a rater who completed the survey is from the mean
    of them, and `duration_outside` whether these are more than three. `indices_note` says why
    anything is empty.
    """
    raters = pd.Index(people["participant"])
    numbers = pd.RangeIndex(len(raters))
    rated = _numbered(without_composites(ratings), raters)
    placed = _numbered(ranks, raters)
    rated["item"] = _codes(rated, ["response", "dimension"])
    opposite = careless.contradictions(_rated_and_ranked(rated, placed), numbers)
    opposed = Index(opposite["share"], opposite["note"])
    duration = _duration(people)
    indices = {
        "longstring": _longstring(rated, numbers),
        "irv": _by_dimension(careless.intra_individual_variability, rated, numbers),
        "person_total": _by_dimension(careless.person_total, rated, numbers),
        "even_odd": _by_dimension(careless.even_odd, _halved(rated), numbers),
        "retest_sd": careless.retest_sd(rated, numbers),
        "contradictions": opposed,
        "fast_pages": careless.share_of_fast_pages(_pages([rated, placed]), numbers),
        "duration_z": duration,
        "consensus_deviation": careless.consensus_deviation(rated, numbers),
    }
    columns = {name: index.values for name, index in indices.items()} | {
        "longstring": indices["longstring"].values.astype("Int64"),
        "contradictions": opposite["contradictions"].astype("Int64").where(opposed.notes == ""),
        "contradictions_share": opposed.values,
        "duration_outside": (duration.values.abs() > 3)
        .astype("boolean")
        .where(duration.values.notna()),
        "indices_note": _notes({name: index.notes for name, index in indices.items()}),
    }
    table = DataFrame({"participant": raters, **columns}, index=numbers)
    return table[["participant", *INDICES]]


def _numbered(answers: DataFrame, raters: "pd.Index[str]") -> DataFrame:
    """The answers of these raters, with each one's number in `rater` and the rating as `value`."""
    number = raters.get_indexer(pd.Index(answers["participant"]))
    return (
        answers.assign(rater=number)[number >= 0]
        .rename(columns={"rating": "value"})
        .reset_index(drop=True)
    )


def _codes(answers: DataFrame, columns: Sequence[str]) -> Codes:
    """A number for each combination of values, in the order of the categories."""
    code = np.zeros(len(answers), dtype=np.int64)
    for name in columns:
        values = answers[name]
        if isinstance(values.dtype, pd.CategoricalDtype):
            of, several = values.cat.codes.to_numpy(np.int64), len(values.cat.categories)
        else:
            of = values.to_numpy(np.int64)
            several = int(of.max(initial=0)) + 1
        code = code * max(several, 1) + of
    return code


def _longstring(rated: DataFrame, numbers: pd.RangeIndex) -> Index:
    """In the order of presentation; a rating that is missing is not in it, and ends no run.

    Nobody's places on a page need to be without gaps: an attention check takes one, too.
    """
    unknown = np.zeros(len(numbers), dtype=bool)
    unknown[rated["rater"][rated[PLACE].isna().any(axis=1)]] = True
    known = rated[~unknown[rated["rater"]]]
    position = [known[name].to_numpy() for name in reversed(PLACE)]
    order = np.lexsort((_codes(known, ["dimension"]), *position, known["rater"].to_numpy()))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    run = careless.longstring(known.assign(place=place), numbers)
    return Index(run.values, run.notes.mask(unknown, UNKNOWN_ORDER))


def _by_dimension(index: "careless.IndexOf", rated: DataFrame, numbers: pd.RangeIndex) -> Index:
    """The mean over a rater's dimensions of what can be had within each."""
    dimension = rated["dimension"].cat
    several = max(len(dimension.categories), 1)
    each = rated.assign(rater=rated["rater"] * several + dimension.codes)
    by_part = index(each, pd.RangeIndex(len(numbers) * several))
    shape = (len(numbers), several)
    values, notes = (of.to_numpy().reshape(shape) for of in (by_part.values, by_part.notes))
    known = ~np.isnan(values)
    n = known.sum(axis=1)
    mean = np.where(known, values, 0).sum(axis=1) / np.where(n > 0, n, np.nan)
    # a reason of its own says more than that a dimension was not rated
    reason = notes[numbers, (notes != NO_ANSWERS).argmax(axis=1)]
    return Index(Series(mean), Series(np.where(n > 0, "", reason), dtype="str"))


def _halved(rated: DataFrame) -> DataFrame:
    """With the `block` of each rating, and its `half`: a block's responses are in each in turn, in
    the order of the study, which is the same for all raters.
    """
    items, whose = np.unique(_codes(rated, [*BLOCK, "dimension", *SYSTEM]), return_inverse=True)
    block = _codes(rated, [*BLOCK, "dimension"])
    of_item = np.empty(len(items), dtype=np.int64)
    of_item[whose] = block
    half = Series(of_item).groupby(of_item).cumcount().to_numpy() % 2
    return rated.assign(block=block, half=half[whose])


def _rated_and_ranked(rated: DataFrame, placed: DataFrame) -> DataFrame:
    """What `careless.contradictions` takes: ranks, and choices as ranks, beside the ratings.

    A ranking that is about no dimension is compared with the mean of them all.
    """
    keys = ["rater", *BLOCK, *SYSTEM]
    ranked = placed[[*keys, "dimension", "rank"]]
    chose = placed["choice"].isin(["best", "worst"])
    block = _codes(placed, ["rater", *BLOCK, "dimension"])
    choices = placed[np.isin(block, block[chose])]
    chosen = choices[[*keys, "dimension"]].assign(rank=choices["choice"].map(RANK_OF_CHOICE))
    both = pd.concat([ranked.assign(asked=0), chosen.assign(asked=1)], ignore_index=True)
    both = both[both["rank"].notna()]
    within = both["dimension"].astype("str") != ""
    means = rated.groupby(keys, observed=True)["value"].mean()
    of_dimension = rated[[*keys, "dimension", "value"]].drop_duplicates([*keys, "dimension"])
    beside = pd.concat(
        [
            both[within].merge(of_dimension, on=[*keys, "dimension"], how="left"),
            both[~within].merge(means.reset_index(), on=keys, how="left"),
        ],
        ignore_index=True,
    )
    block = _codes(beside, ["asked", *BLOCK, "dimension"])
    return beside.assign(block=block).rename(columns={"value": "rating"})


def _pages(answers: Sequence[DataFrame]) -> DataFrame:
    """Each rater's pages: `rater`, `seconds` and the number of responses on it, `items`. Several
    pages of one block are told apart by their positions.
    """
    seen = [
        DataFrame(
            {
                "rater": frame["rater"],
                "page": _codes(frame, BLOCK),
                "position": frame["block_position"].fillna(0),
                "system": _codes(frame, SYSTEM),
                "seconds": frame["block_seconds"],
            }
        )
        for frame in answers
    ]
    shown = pd.concat(seen, ignore_index=True)
    shown = shown.drop_duplicates(["rater", "page", "position", "system"])
    pages = shown.groupby(["rater", "page", "position"])
    return pages.agg(seconds=("seconds", "max"), items=("system", "size")).reset_index()


def _duration(people: DataFrame) -> Index:
    """How many standard deviations from the mean of those who completed the survey."""
    completed = (people["status"] == "completed").to_numpy()
    seconds = Series(people["duration_seconds"].to_numpy(dtype=float)).where(completed)
    bounds = careless.duration_bounds(seconds)
    notes = Series("", index=seconds.index)
    if isinstance(bounds, Inestimable):
        z = Series(np.nan, index=seconds.index)
        notes[:] = bounds.because
    else:
        z = (seconds - bounds.mean) / bounds.sd
    notes = notes.mask(seconds.isna(), "no duration is known")
    return Index(z, notes.mask(~completed, "the survey is not completed"))


def _notes(reasons: Mapping[str, "Series[str]"]) -> "Series[str]":
    """Why indices are empty, each reason once; raters have a few patterns of reasons between them.

    no longstring: the order is unknown; no even_odd, retest_sd: no ratings
    """
    table = DataFrame(dict(reasons))
    patterns = table.drop_duplicates()
    texts = []
    for pattern in patterns.itertuples(index=False):
        named: dict[str, list[str]] = {}
        for name, reason in zip(table, pattern, strict=True):
            if reason:
                why = NO_RATINGS if reason == NO_ANSWERS else str(reason)
                named.setdefault(why, []).append(str(name))
        texts.append("; ".join(f"no {', '.join(n)}: {reason}" for reason, n in named.items()))
    said = patterns.assign(text=texts)
    return table.merge(said, on=list(table), how="left")["text"]
