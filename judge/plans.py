"""A judge's calls: planning, queueing, and making failed ones again."""

import random
from collections.abc import Iterable, Iterator
from itertools import combinations

from django.db.models import QuerySet

from judge.asking import request_again, without_incomplete
from judge.configuration import JudgeConfiguration
from judge.leases import locked
from judge.models import Call, Judge
from judge.queries import asked_calls, scoring_calls, wanted_calls
from judge.questions import ABOUT, tokens_of
from survey.models import BlockResponse, Response


def plan_calls(judge: Judge) -> int:
    """Create a judge's missing calls; returns their number.

    One for every distinct response (or block) × dimension × replicate, replicates next to each
    other.
    """
    configuration = judge.read_configuration()
    calls = {"single": _of_responses, "block": _of_blocks, "pair": _of_pairs}
    wanted = calls[configuration.presentation](judge, configuration)
    with locked(judge.pk):
        before = scoring_calls(judge).count()
        Call.objects.bulk_create(wanted, ignore_conflicts=True)
        return scoring_calls(judge).count() - before


def queue_missing(judge: Judge, *, retry: bool = False) -> int:
    """Queue calls for missing scores: new ones, and failed ones again from the start; those whose
    answer was refused, filtered or cut off only with `retry`.

    Restarts a stopped judge. Returns the number of queued calls.
    """
    plan_calls(judge)
    with locked(judge.pk) as held:
        failed = asked_calls(held).filter(state=Call.State.FAILED)
        request_again(held, failed if retry else without_incomplete(failed))
        return missing_calls(held).count()


def missing_calls(judge: Judge, *, retry: bool = False) -> QuerySet[Call]:
    """The planned calls that `queue_missing` would queue, or has queued."""
    missing = wanted_calls(judge).exclude(state=Call.State.ANSWERED)
    return missing if retry else without_incomplete(missing)


def queue_call(call: Call) -> bool:
    """Queue one failed call again from the start, and restart its judge if stopped. False if the
    call has not failed, or not any more: then nothing is changed.
    """
    with locked(call.judge_id) as held:
        failed = held.calls.filter(pk=call.pk, state=Call.State.FAILED)
        if not failed.exists():
            return False
        request_again(held, failed)
        return True


def missing_tokens(judge: Judge, *, retry: bool = False) -> tuple[int, int]:
    """Approximate tokens of the `missing_calls`: questions, answers."""
    configuration = judge.read_configuration()
    asked, answered = 0, 0
    for call in missing_calls(judge, retry=retry).select_related(*ABOUT):
        tokens = tokens_of(call, configuration)
        asked, answered = asked + tokens[0], answered + tokens[1]
    return asked, answered


def _of_responses(judge: Judge, configuration: JudgeConfiguration) -> Iterator[Call]:
    responses = Response.objects.filter(scenario__study=judge.study)
    for response in responses.order_by("scenario__position", "id").values_list("id", flat=True):
        for dimension in configuration.dimensions_of_calls:
            for replicate in range(1, configuration.replicates + 1):
                yield Call(
                    judge=judge, response_id=response, dimension=dimension, replicate=replicate
                )


def _of_blocks(judge: Judge, configuration: JudgeConfiguration) -> Iterator[Call]:
    for block, names in _blocks(judge).items():
        for dimension in configuration.dimensions_of_calls:
            for replicate in range(1, configuration.replicates + 1):
                yield Call(
                    judge=judge,
                    block_id=block,
                    dimension=dimension,
                    replicate=replicate,
                    order=_permuted(
                        names,
                        f"{judge.configuration_hash}:{dimension}",
                        replicate,
                        both=configuration.orders == "both",
                    ),
                )


def _of_pairs(judge: Judge, configuration: JudgeConfiguration) -> Iterator[Call]:
    """Every two responses of a block; every second replicate turns the two around."""
    for block, names in _blocks(judge).items():
        for pair in combinations(sorted(names, key=names.__getitem__), 2):
            for dimension in configuration.dimensions_of_calls:
                seed = f"{judge.configuration_hash}:{dimension}"
                for replicate in range(1, configuration.replicates + 1):
                    yield Call(
                        judge=judge,
                        block_id=block,
                        pair=pair_of(pair),
                        dimension=dimension,
                        replicate=replicate,
                        order=_permuted(
                            {one: names[one] for one in pair}, seed, replicate, both=True
                        ),
                    )


def pair_of(responses: Iterable[int]) -> str:
    """What names two responses in whatever order: their ids, the smaller first."""
    return "-".join(map(str, sorted(responses)))


def _blocks(judge: Judge) -> dict[int, dict[int, str]]:
    """The responses of each block by id, with keys that are the same in every database."""
    rows = BlockResponse.objects.filter(block__study=judge.study).order_by(
        "block__position", "position"
    )
    blocks: dict[int, dict[int, str]] = {}
    for row in rows.select_related("block__scenario", "response__system"):
        name = f"{row.block.scenario.name}:{row.block.set_name}:{row.response.system}"
        blocks.setdefault(row.block_id, {})[row.response_id] = name
    return blocks


def _permuted(names: dict[int, str], seed: str, replicate: int, *, both: bool) -> list[int]:
    """A random order, rotated by one position with each replicate. Over as many replicates as there
    are responses, every response is at every position equally often.

    With `both`, two replicates have one order and its reverse, and the next two rotate them.
    """
    order = sorted(names, key=names.__getitem__)
    random.Random(f"{seed}:{'|'.join(sorted(names.values()))}").shuffle(order)  # noqa: S311
    turn, is_second = divmod(replicate - 1, 2) if both else (replicate - 1, 0)
    shift = turn % len(order)
    rotated = order[shift:] + order[:shift]
    return rotated[::-1] if is_second else rotated
