"""Training a scorer that was asked for, in a worker or a command, and keeping what it says of the
study's responses.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from django.utils import timezone
from pandas import DataFrame

from analysis.composites import without_composites
from analysis.decisions import snapshot_at
from analysis.execution import content_of
from analysis.metric_settings import metric_settings
from analysis.metrics.metric import SentenceEmbedder
from analysis.models import ScoredText, Scorer, ScorerScore
from analysis.not_computed import NotComputed
from analysis.raters.filtering import filtered
from analysis.rule_sets import current_rule_set, rules_of
from analysis.scorer import (
    FittedScorer,
    NgramVectors,
    Trained,
    card,
    read_scorer,
    train,
)
from analysis.scorer.training import COLUMNS
from analysis.scorer_requests import ScorerOptions, options_of
from analysis.study_data import CELL, plain
from jobs.runner import Store, Taken
from judge.tidy import response_names
from survey.models import Response, Study
from survey.tidy import cells_of, definition_of, dimensions_of, reading


@contextmanager
def embedder_of(
    options: ScorerOptions, before_request: Callable[[], None] = lambda: None
) -> Iterator[SentenceEmbedder]:
    """What makes vectors of texts for a scorer. Raises RequestRefused: NotComputed, or
    what an endpoint refuses.
    """
    if not (options.folder or options.endpoint or options.model):
        yield NgramVectors()
        return
    with metric_settings(options.vectors, before_request) as given:
        assert given.sentence_model is not None
        yield given.sentence_model


def fitted_scorer(scorer: Scorer) -> FittedScorer:
    """The scorer itself. Raises NotComputed where it is not trained."""
    if scorer.state != Scorer.State.DONE:
        raise NotComputed(f"{scorer} is not trained")
    return read_scorer(scorer.content, str(scorer))


def train_scorer(taken: Taken[Scorer]) -> Store:
    """Train a scorer, and score the responses of its study."""
    trained, scores = _trained(taken)
    return partial(_store, taken, trained, scores)


def _trained(taken: Taken[Scorer]) -> tuple[Trained, list[tuple[int, str, float, bool]]]:
    """A scorer, and what it says of the study's responses. Raises Lost and
    RequestRefused.
    """
    scorer = taken.job
    options = options_of(scorer)
    ratings, about = training_data(scorer, options)
    with embedder_of(options, taken.keep) as embedder:
        try:
            trained = train(
                ratings,
                embedder,
                options,
                scale=_scale(scorer.study, ratings),
                about=about,
                progress=taken.step,
            )
        except NotComputed as problem:
            raise NotComputed(f"{options.file or scorer.study}: {problem}") from None
        return trained, _of_responses(scorer.study, trained, embedder)


def training_data(scorer: Scorer, options: ScorerOptions) -> tuple[DataFrame, dict[str, Any]]:
    """The rated texts that a scorer learns from, with the columns of `scorer.training.COLUMNS`, and
    what is kept about them. Raises NotComputed.
    """
    if scorer.given is not None:
        rows = DataFrame(scorer.given, columns=list(COLUMNS))
        rows["sd"] = rows["sd"].astype("float64")
        return rows, {"data": f"the file {options.file}"}
    with reading():
        rule_set = current_rule_set(scorer.study)
        now = timezone.now()
        snapshot = snapshot_at(scorer.study, scorer.sources, rule_set, at=now)
    who = filtered(snapshot.data, rules_of(rule_set))
    included = who.raters["participant"][who.funnel.included]
    ratings = without_composites(who.checked.without_decided().ratings)
    ratings = ratings[ratings["participant"].isin(included)]
    if ratings.empty:
        raise NotComputed(f"{scorer.study} has no ratings of included raters to learn from")
    about = {
        "data": f"{scorer.study}, {len(set(ratings['participant']))} included raters "
        f"({', '.join(scorer.sources)})",
        "snapshot": snapshot.hash,
        "rule_set": rule_set.version,
    }
    return rated_texts(scorer.study, ratings, snapshot.data.responses), about


def rated_texts(study: Study, ratings: DataFrame, responses: DataFrame) -> DataFrame:
    """`ratings` of the responses' texts, averaged: first each rater's of one response, which may
    stand in several sets, then those of all raters.
    """
    places = responses[[*CELL, "response"]].rename(columns={"response": "name"})
    own = plain(ratings[["participant", *CELL, "dimension", "rating"]]).merge(places, on=CELL)
    by_rater = own.groupby(["name", "dimension", "participant"])["rating"].mean()
    means = by_rater.groupby(["name", "dimension"]).agg(rating="mean", raters="count", sd="std")
    cells = cells_of(study)
    names = response_names(cells)
    text = dict(Response.objects.filter(scenario__study=study).values_list("id", "text"))
    about = {
        names[response]: (text[response], cell.names[0], "{2} ({3})".format(*cell.names))
        for (_, response), cell in reversed(cells.items())
    }
    table = means.reset_index()
    for place, column in enumerate(("text", "scenario", "system")):
        table[column] = [about[name][place] for name in table["name"]]
    order = dimensions_of(definition_of(study))
    table["order"] = table["dimension"].map(order.index)
    return table.sort_values(["order", "name"], ignore_index=True)[list(COLUMNS)]


def _scale(study: Study, ratings: DataFrame) -> tuple[float, float]:
    """The ends of the study's scale, or those of the ratings, where these are on another one."""
    low, high = float(ratings["rating"].min()), float(ratings["rating"].max())
    rating = definition_of(study).rating
    if rating is None:
        return low, high
    values = [float(point.value) for point in rating.scale]
    return (min(values), max(values)) if min(values) <= low and high <= max(values) else (low, high)


def _of_responses(
    study: Study, trained: Trained, embedder: SentenceEmbedder
) -> list[tuple[int, str, float, bool]]:
    """Response, dimension, score and whether it is from when the text was held out."""
    held_out = trained.held_out.groupby(["text", "dimension"])["predicted"].mean()
    known: dict[Any, float] = held_out.to_dict()
    responses = list(
        Response.objects.filter(scenario__study=study).order_by("id").values_list("id", "text")
    )
    if not responses:
        return []
    texts = list(dict.fromkeys(text for _, text in responses))
    table = trained.scorer.scores(texts, embedder)
    scores = {
        (texts[text], dimension): score
        for text, dimension, score in zip(
            table["text"], table["dimension"], table["score"], strict=True
        )
    }
    return [
        (response, dimension, known.get((text, dimension), score), (text, dimension) in known)
        for response, text in responses
        for dimension in trained.scorer.dimensions
        for score in [scores[text, dimension]]
    ]


def score_text(taken: Taken[ScoredText]) -> Store:
    """Score a text that a researcher pasted."""
    scorer = taken.job.scorer
    fitted = fitted_scorer(scorer)
    with embedder_of(options_of(scorer), taken.keep) as embedder:
        table = fitted.scores([taken.job.text], embedder)
    rows = table[["dimension", "score", "low", "high"]]
    return partial(taken.finish, scores=content_of(rows)["rows"])


def _store(
    taken: Taken[Scorer], trained: Trained, scores: list[tuple[int, str, float, bool]]
) -> None:
    """Keep what was trained. Raises Lost, also if a participant withdrew."""
    scorer = taken.job
    Study.objects.select_for_update(no_key=True).get(pk=scorer.study_id)
    evaluation = {
        "evaluation": content_of(trained.evaluation),
        "calibration": content_of(trained.calibration),
        "held_out": content_of(trained.held_out[["scenario", "dimension", "rating", "predicted"]]),
    }
    taken.finish(
        percent=100,
        content=trained.scorer.as_json(),
        evaluation=evaluation,
        card=card(trained, scorer.name),
    )
    there = set(
        Response.objects.filter(scenario__study=scorer.study_id).values_list("id", flat=True)
    )
    ScorerScore.objects.bulk_create(
        (
            ScorerScore(
                scorer=scorer, response_id=response, dimension=name, value=value, is_held_out=held
            )
            for response, name, value, held in scores
            if response in there
        ),
        batch_size=1000,
    )
