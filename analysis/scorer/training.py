"""Training a scorer on rated texts, and finding out on held-out ones what it is worth."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas import DataFrame, Series

from analysis.metrics.metric import Matrix, SentenceEmbedder
from analysis.not_computed import NotComputed
from analysis.scorer.evaluation import calibration, evaluated, fitted_to, half_width
from analysis.scorer.fitted import FittedHead, FittedScorer
from analysis.scorer.heads import HEADS, LinearFit
from analysis.scorer_options import TrainingSettings
from analysis.stats.threads import on_one_thread

COLUMNS = ("text", "scenario", "system", "dimension", "rating", "raters", "sd")
#: What is held out: each scenario, each system, or nothing, as in the paper.
SCENARIO, SYSTEM, NOTHING = "scenario", "system", "nothing"
#: Fewer say nothing about other scenarios; fewer texts give no model at all.
FEWEST_SCENARIOS, FEWEST_TEXTS = 3, 10
#: With more scenarios, they are held out some at a time.
MOST_FOLDS = 50

Progress = Callable[[int, int], None]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Trained:
    """A scorer, and what held-out texts say of it.

    `evaluation`: a row per dimension, head and `held_out`, with the values of
    `evaluation.evaluated`. `calibration`: `dimension` and the columns of `evaluation.calibration`.
    `held_out`: `text`, `dimension`, `rating`, `predicted` with its scenario held out, `scenario`.
    """

    scorer: FittedScorer
    evaluation: DataFrame
    calibration: DataFrame
    held_out: DataFrame


@on_one_thread
def train(
    ratings: DataFrame,
    embedder: SentenceEmbedder,
    settings: TrainingSettings,
    *,
    scale: tuple[float, float],
    about: Mapping[str, Any],
    progress: Progress = lambda done, of: None,
) -> Trained:
    """Fit a scorer to `ratings`, which has `COLUMNS`: a row per text and dimension, with the mean
    rating, how many `raters` gave one, and their SD (NaN where unknown). `system` may be empty.

    Scores stay inside `scale`. `about` is kept with the scorer. `progress` is told how many fits
    are done, and may raise. Raises NotComputed for ratings from which nothing can be learned.
    """
    checked = _checked(ratings)
    texts = list(dict.fromkeys(checked["text"]))
    vectors = embedder.sentence(texts)
    place = {text: number for number, text in enumerate(texts)}
    parts = {str(name): part for name, part in checked.groupby("dimension", sort=False)}
    plans = {name: list(_plans(part, settings.seed)) for name, part in parts.items()}
    total = sum(len(folds) * len(HEADS) for plan in plans.values() for _, folds in plan)
    done = 0

    def told() -> None:
        nonlocal done
        done += 1
        progress(done, total)

    evaluation, bins, held_out = [], [], []
    heads: dict[str, FittedHead] = {}
    for name, part in parts.items():
        own = vectors[[place[text] for text in part["text"]]]
        final = HEADS[settings.head](own, part["rating"].to_numpy(float), settings.seed)
        for what, folds in plans[name]:
            predicted = _predicted(part, own, folds, settings.seed, told)
            for head in HEADS:
                known = _with(part, predicted, head, scale)
                row = evaluated(known, confidence=settings.confidence, seed=settings.seed)
                evaluation.append({"dimension": name, "head": head, "held_out": what} | row)
            if what == SCENARIO:
                chosen = _with(part, predicted, settings.head, scale)
                bins.append(calibration(chosen, seed=settings.seed).assign(dimension=name))
                held_out.append(chosen)
                error = (chosen["rating"] - chosen["predicted"]).to_numpy(float)
                heads[name] = _kept(final, half_width(error, settings.confidence), len(part))
        row = fitted_to(part.assign(predicted=np.clip(final.of(own), *scale)))
        about_seen = {"dimension": name, "head": settings.head, "held_out": NOTHING}
        evaluation.append(about_seen | row)
    low, high = scale
    scorer = FittedScorer(
        head=settings.head,
        confidence=settings.confidence,
        low=low,
        high=high,
        vectors=json.loads(json.dumps(dict(embedder.settings))),
        dimensions=heads,
        fingerprint=fingerprint(checked, embedder, settings),
        trained_on={
            **about,
            "texts": len(texts),
            "scenarios": int(checked["scenario"].nunique()),
            "systems": int(checked["system"].replace("", np.nan).nunique()),
            "ratings": int(checked["raters"].sum()),
            "seed": settings.seed,
            "software": _software(),
        },
    )
    columns = ["text", "scenario", "dimension", "rating", "predicted"]
    return Trained(
        scorer,
        DataFrame(evaluation),
        pd.concat(bins, ignore_index=True),
        pd.concat(held_out, ignore_index=True)[columns],
    )


def fingerprint(ratings: DataFrame, embedder: SentenceEmbedder, settings: TrainingSettings) -> str:
    """SHA-256 of the ratings in their order, the vectors, the settings and the software."""
    rows = ratings[["text", "scenario", "system", "dimension", "rating"]].to_numpy().tolist()
    chosen = settings.model_dump(include=set(TrainingSettings.model_fields))
    whole = [rows, dict(embedder.settings), chosen, _software()]
    return hashlib.sha256(json.dumps(whole, ensure_ascii=False).encode()).hexdigest()


def _software() -> dict[str, str]:
    return {name: version(name) for name in ("scikit-learn", "numpy")}


def _checked(ratings: DataFrame) -> DataFrame:
    """The ratings in an order of their own. Raises NotComputed."""
    if ratings.empty:
        raise NotComputed("there are no ratings to learn from")
    for name, part in ratings.groupby("dimension", sort=False):
        n, scenarios = part["text"].nunique(), part["scenario"].nunique()
        if part["rating"].nunique() < 2:
            value = part["rating"].iloc[0]
            raise NotComputed(
                f"all mean ratings of {name} are {value:g}: there is nothing to learn"
            )
        if scenarios < FEWEST_SCENARIOS:
            raise NotComputed(
                f"{name} has ratings in {scenarios} scenario{'s' * (scenarios != 1)}; a scorer "
                f"needs at least {FEWEST_SCENARIOS}, because each is held out in turn"
            )
        if n < FEWEST_TEXTS:
            raise NotComputed(f"{name} has {n} rated texts; a scorer needs at least {FEWEST_TEXTS}")
    keys = ["dimension", "scenario", "system", "text"]
    order = {name: place for place, name in enumerate(dict.fromkeys(ratings["dimension"]))}
    placed = ratings.assign(place=ratings["dimension"].map(order))
    return placed.sort_values(["place", *keys[1:]], ignore_index=True)[list(COLUMNS)]


def _plans(part: DataFrame, seed: int) -> Iterator[tuple[str, list[Mask]]]:
    """What is held out, and the rows of each fold as a mask."""
    yield SCENARIO, _folds(part["scenario"], seed)
    if part["system"].nunique() >= FEWEST_SCENARIOS and (part["system"] != "").all():
        yield SYSTEM, _folds(part["system"], seed)


def _folds(groups: "Series[str]", seed: int) -> list[Mask]:
    """A mask for each group, or for as many sets of whole groups as there may be folds."""
    names = np.array(sorted(groups.unique()))
    if len(names) > MOST_FOLDS:
        names = np.random.default_rng(seed).permutation(names)
    sets = np.array_split(names, min(len(names), MOST_FOLDS))
    return [groups.isin(each).to_numpy() for each in sets]


def _predicted(
    part: DataFrame, vectors: Matrix, folds: list[Mask], seed: int, told: Callable[[], None]
) -> dict[str, Matrix]:
    """What each head says of every text while its fold is held out. A text that is in a fold and
    elsewhere is not learned from either.
    """
    ratings = part["rating"].to_numpy(float)
    predicted = {head: np.full(len(part), np.nan) for head in HEADS}
    for out in folds:
        learned = ~out & ~part["text"].isin(part["text"][out]).to_numpy()
        for head, fit in HEADS.items():
            if learned.any():
                fitted = fit(vectors[learned], ratings[learned], seed)
                predicted[head][out] = fitted.of(vectors[out])
            told()
    return predicted


def _with(
    part: DataFrame, predicted: Mapping[str, Matrix], head: str, scale: tuple[float, float]
) -> DataFrame:
    """The texts that were predicted, with what one head says of them, inside the scale."""
    inside = np.clip(predicted[head], *scale)
    known = part.assign(predicted=inside, baseline=predicted["mean"])
    return known.dropna(subset=["predicted"])


def _kept(fit: LinearFit, half: float | None, texts: int) -> FittedHead:
    return FittedHead(
        weights=fit.weights.tolist(),
        intercept=fit.intercept,
        penalty=fit.penalty,
        half_width=half,
        texts=texts,
    )
