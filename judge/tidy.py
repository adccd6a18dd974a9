"""Scores of judges, and gold scores, as rows of tidy tables."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from statistics import fmean

from judge.configuration import JudgeConfiguration
from judge.definition import on_scale_of_study
from judge.models import STAND_IN, Attempt, Call, Judge
from judge.queries import (
    Gold,
    GoldScores,
    GoldSource,
    JudgeValue,
    gold_source,
    gold_sources,
    judge_values,
    judges_of,
    scores_of,
    wanted_calls,
)
from survey.files.csv_text import time_text
from survey.models import Response, Study
from survey.tidy import (
    CELL_COLUMNS,
    NamedResponse,
    Row,
    cells_of,
    definition_of,
    dimensions_of,
    panel_ratings,
)

JUDGE_SCORE_COLUMNS = (
    "judge", *CELL_COLUMNS, "dimension", "response", "replicate", "position", "score", "reason",
)  # fmt: skip
JUDGE_COMPARISON_COLUMNS = (
    "judge", "scenario", "set", "dimension", "model_a", "condition_a", "model_b", "condition_b",
    "response_a", "response_b", "replicate", "first", "better", "reason",
)  # fmt: skip
JUDGE_COLUMNS = (
    "judge", "kind", "is_gold", "family", "temperature", "replicates", "comparable", "is_stand_in",
    "presentation",
)  # fmt: skip
#: What can become of an answer that is no score.
NO_SCORE = ("unusable", "cut_off", "refused", "filtered")
RETURNED_MODEL_COLUMNS = (
    "judge", "returned_model", "fingerprint", "calls", "first_at", "last_at", *NO_SCORE,
)  # fmt: skip
JUDGE_EXAMPLE_COLUMNS = ("judge", "response")
ATTEMPT_COLUMNS = (
    "judge", "scenario", "set", "model", "condition", "dimension", "replicate", "attempt",
    "is_repair", "outcome", "started_at", "ended_at", "http_status", "requested_model",
    "returned_model", "cost_usd", "cost_is_estimate", "prompt_hash", "request", "raw_text",
    "error", "provenance", "thinking",
)  # fmt: skip


#: Between the families of a jury's judges.
SEPARATOR = "; "


def gold_rows(study: Study, gold: GoldScores) -> Iterator[tuple[Row, Sequence[float | None]]]:
    """Each score for each place of its response, in study order: the columns of GOLD_COLUMNS, and
    its single scores.
    """
    scores: dict[int, list[Gold]] = {}
    for score in gold.scores:
        scores.setdefault(score.response_id, []).append(score)
    dimensions = dimensions_of(definition_of(study))
    for (_, response), cell in cells_of(study).items():
        of_response = {score.dimension: score for score in scores.get(response, [])}
        for dimension in dimensions:
            if dimension in of_response:
                score = of_response[dimension]
                yield (*cell.names, dimension, score.value), score.calls


def judge_rows(study: Study) -> Iterator[Row]:
    """Every gold source, in the columns of JUDGE_COLUMNS.

    The replicates of a panel are its experts, those of a jury its judges, those of a file its
    single scores.
    """
    chosen = gold_source(study)
    definition = definition_of(study)
    for source in gold_sources(study):
        is_gold = chosen is not None and source.name == chosen.name
        if source.judge is None:
            scored = (replicate for _, _, replicate, _ in _not_asked(study, source))
            replicates = max(scored, default=0)
            members = judges_of(source.jury) if source.jury else []
            families = [judge.read_configuration().family or "" for judge in members]
            stand_in = STAND_IN in source.name or (
                source.gold_set is not None and STAND_IN in source.gold_set.made_by
            )
            family = SEPARATOR.join(families) if all(families) else ""
            about = (family, None, replicates, True, stand_in, "single")
            yield source.name, source.kind, is_gold, *about
            continue
        configuration = source.judge.read_configuration()
        yield (
            source.name,
            source.kind,
            is_gold,
            configuration.family or "",
            _temperature(source.judge, configuration),
            configuration.replicates,
            on_scale_of_study(configuration, definition),
            configuration.stand_in,
            configuration.presentation,
        )


def _temperature(judge: Judge, configuration: JudgeConfiguration) -> float | None:
    """The temperature that a judge's requests have: its own, unless its endpoint refuses one."""
    answered = Attempt.objects.filter(call__judge=judge, outcome=Attempt.Outcome.ANSWERED)
    last = answered.exclude(call__response=None, call__block=None).order_by("-id").first()
    is_sent = last is None or "temperature" in last.request
    return configuration.temperature if is_sent else None


def returned_model_rows(study: Study) -> Iterator[Row]:
    """Which models answered to each judge, and what became of their answers, in the columns of
    RETURNED_MODEL_COLUMNS. A filter of the endpoint may answer in no model's name.
    """
    answered = Attempt.objects.filter(
        call__judge__study=study, outcome__in=Attempt.CAME_BACK
    ).exclude(call__response=None, call__block=None)
    times_of: dict[tuple[int, str, str], list[datetime]] = {}
    became: Counter[tuple[int, str, str, str]] = Counter()
    columns = ("call__judge", "returned_model", "provenance", "started_at", "outcome")
    answered = answered.order_by("started_at", "id")
    for judge, model, provenance, at, outcome in answered.values_list(*columns).iterator():
        # A query for this text alone would make SQLite parse it as JSON and return "123" as a
        # number.
        fingerprint = provenance.get("system_fingerprint") or ""
        times_of.setdefault((judge, model, fingerprint), []).append(at)
        became[judge, model, fingerprint, outcome] += 1
    names = {j.pk: GoldSource(judge=j).name for j in Judge.objects.filter(study=study)}
    for (judge, model, fingerprint), times in sorted(times_of.items()):
        first, last = time_text(times[0]), time_text(times[-1])
        scored, *others = (
            became[judge, model, fingerprint, outcome] for outcome in ("answered", *NO_SCORE)
        )
        yield names[judge], model, fingerprint, scored, first, last, *others


def response_names(cells: Mapping[tuple[int, int], NamedResponse]) -> dict[int, str]:
    """A name for each response id, by its first place: the same in every installation."""
    names: dict[int, str] = {}
    for (_, response), cell in cells.items():
        names.setdefault(response, "/".join(cell.names))
    return names


def judge_score_rows(study: Study) -> Iterator[Row]:
    """Every single score of every gold source, in the columns of JUDGE_SCORE_COLUMNS.

    A response that was scored alone has its scores for each of its places, and the name of the
    first. A call without a usable score has a row with an empty score. Scores without single scores
    have one row, the mean. A replicate of a panel is one of its experts, that of a jury the mean of
    one of its judges; if an expert saw a
    response several times, the ratings are averaged.
    """
    cells = cells_of(study)
    places: dict[int, list[tuple[int, NamedResponse]]] = {}
    for (block, response), cell in cells.items():
        places.setdefault(response, []).append((block, cell))
    names_of = response_names(cells)
    for source in gold_sources(study):
        for response, seen_in, dimension, *single in _single(study, source):
            for place, cell in places.get(response, []):
                if seen_in in (None, place):
                    yield (source.name, *cell.names, dimension, names_of[response], *single)


def _single(
    study: Study, source: GoldSource
) -> Iterator[tuple[int, int | None, str, int, int | None, float | None, str]]:
    """A source's scores: response, block, dimension, replicate, position, score, reason."""
    if source.judge is not None:
        configuration = source.judge.read_configuration()
        if configuration.presentation == "pair":
            yield from _win_rates(source.judge)
            return
        for v in judge_values(source.judge):
            yield (
                v.response_id, v.block_id, v.dimension, v.replicate, v.position, v.value, v.reason
            )  # fmt: skip
        for call in wanted_calls(source.judge).filter(state=Call.State.FAILED).order_by("id"):
            alone = call.response_id is not None
            for at, response in enumerate([call.response_id] if alone else call.order or [], 1):
                position = None if alone else at
                for dimension in configuration.asked_in(call.dimension):
                    yield response, call.block_id, dimension, call.replicate, position, None, ""
        return
    for response, dimension, replicate, score in _not_asked(study, source):
        yield response, None, dimension, replicate, None, score, ""


def _win_rates(judge: Judge) -> Iterator[tuple[int, int | None, str, int, None, float, str]]:
    """How often a judge of pairs prefers a response to the others of its block (a tie counts half),
    as `_single` has it.
    """
    points: dict[tuple[int, int | None, str, int], list[int]] = {}
    for v in judge_values(judge):
        about = (v.response_id, v.block_id, v.dimension, v.replicate)
        points.setdefault(about, []).append(v.value)
    for (response, block, dimension, replicate), values in points.items():
        yield response, block, dimension, replicate, None, fmean(values) / 2, ""


def judge_example_rows(study: Study) -> Iterator[Row]:
    """The responses that were examples of a judge, or of one of a jury's judges, in the columns of
    JUDGE_EXAMPLE_COLUMNS.
    """
    names_of = response_names(cells_of(study))
    ids: dict[tuple[str, str], list[int]] = {}
    for response in Response.objects.filter(scenario__study=study).select_related("scenario"):
        ids.setdefault((response.scenario.name, response.text), []).append(response.pk)
    for source in gold_sources(study):
        members = [source.judge] if source.judge else judges_of(source.jury) if source.jury else []
        drawn = [each for judge in members for each in judge.read_configuration().drawn]
        about = {at for each in drawn for at in ids.get((each.scenario, each.response), [])}
        for at in sorted(about & names_of.keys()):
            yield source.name, names_of[at]


def judge_comparison_rows(study: Study) -> Iterator[Row]:
    """Every answer of every judge of pairs, in the columns of JUDGE_COMPARISON_COLUMNS.

    a and b are the two responses in the order of the block; `first` is the one shown first, and
    `better` is `a`, `b` or `tie`.
    """
    cells = cells_of(study)
    names_of = response_names(cells)
    at = {key: number for number, key in enumerate(cells)}
    for judge in Judge.objects.filter(study=study).order_by("name", "version"):
        if judge.read_configuration().presentation != "pair":
            continue
        calls: dict[tuple[int, str], list[JudgeValue]] = {}
        for v in judge_values(judge):
            calls.setdefault((v.call_id, v.dimension), []).append(v)
        for (_, dimension), both in sorted(calls.items()):
            a, b = sorted(both, key=lambda v: at[v.block_id or 0, v.response_id])
            cell_a, cell_b = (cells[v.block_id or 0, v.response_id] for v in (a, b))
            yield (
                GoldSource(judge=judge).name, *cell_a.names[:2], dimension, *cell_a.names[2:],
                *cell_b.names[2:], names_of[a.response_id], names_of[b.response_id], a.replicate,
                "a" if a.position == 1 else "b", _better(a.value, b.value), a.reason,
            )  # fmt: skip


def _better(a: int, b: int) -> str:
    return "tie" if a == b else "a" if a > b else "b"


def _not_asked(study: Study, source: GoldSource) -> Iterator[tuple[int, str, int, float]]:
    """The scores of a file, panel or jury: response, dimension, replicate, score."""
    if source.jury:
        for verdict in scores_of(study, source).scores:
            for replicate, score in enumerate(verdict.calls, start=1):
                assert score is not None
                yield verdict.response_id, verdict.dimension, replicate, score
        return
    if source.gold_set is not None:
        for gold in source.gold_set.scores.order_by("response_id", "dimension"):
            for replicate, score in enumerate(gold.calls or [gold.value], start=1):
                if score is not None:
                    yield gold.response_id, gold.dimension, replicate, score
        return
    ratings = panel_ratings(study, source.panel)
    experts = sorted({expert for _, _, expert, _ in ratings})
    for (response, dimension, expert), group in groupby(ratings, key=itemgetter(0, 1, 2)):
        score = fmean(value for _, _, _, value in group)
        yield response, dimension, experts.index(expert) + 1, score


def attempt_rows(study: Study) -> Iterator[Row]:
    """Every request that was or may have been sent, in the columns of ATTEMPT_COLUMNS."""
    attempts = (
        Attempt.objects.filter(call__judge__study=study)
        .select_related(
            "call__judge",
            "call__response__scenario",
            "call__response__system",
            "call__block__scenario",
        )
        .order_by("call__judge__name", "call__judge__version", "call_id", "number")
    )
    for attempt in attempts.iterator(chunk_size=500):
        call = attempt.call
        yield (
            GoldSource(judge=call.judge).name,
            *_about(call),
            call.dimension,
            call.replicate,
            attempt.number,
            attempt.is_repair,
            attempt.outcome,
            time_text(attempt.started_at),
            time_text(attempt.ended_at) if attempt.ended_at else "",
            attempt.http_status,
            attempt.request["model"],
            attempt.returned_model,
            attempt.cost,
            attempt.cost_is_estimate,
            attempt.prompt_hash,
            json.dumps(attempt.request, ensure_ascii=False),
            attempt.raw_text,
            attempt.error,
            json.dumps(attempt.provenance, ensure_ascii=False),
            attempt.thinking,
        )


def _about(call: Call) -> tuple[str, str, str, str]:
    """Scenario, set, model and condition of a call, if it has them."""
    if call.block is not None:
        return call.block.scenario.name, call.block.set_name, "", ""
    if call.response is None:
        return "", "", "", ""
    system = call.response.system
    return call.response.scenario.name, "", system.model, system.condition
