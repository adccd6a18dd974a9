"""Responses that responses.csv lacks: an incomplete design, which is told and not refused. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

System = tuple[str, str]
Block = tuple[str, str]
#: So many missing responses are named.
NAMED = 3


def notices(
    file: str, have: dict[Block, set[System]], missing: Sequence[tuple[Block, System]]
) -> Iterator[str]:
    """What of the responses is missing, and whether the systems share little; `have` are the
    systems of each block.
    """
    if not missing:
        return
    named = [f"{_of_block(block)} has no response of {name_of(s)}" for block, s in missing[:NAMED]]
    n, all_cells = len(missing), len(missing) + sum(map(len, have.values()))
    if n <= NAMED:
        yield from (f"{file}: {said}" for said in named)
    else:
        yield (
            f"{file}: {n} of {all_cells} responses are missing, in "
            f"{len({block for block, _ in missing})} of {_count(have, missing)} blocks: "
            f"{'; '.join(named)}; and {n - NAMED} more"
        )
    if 2 * n > all_cells:
        yield f"{file}: {_shared(have)}"


def _count(have: dict[Block, set[System]], missing: Sequence[tuple[Block, System]]) -> int:
    return len({*have, *(block for block, _ in missing)})


def _shared(have: dict[Block, set[System]]) -> str:
    """How many scenarios systems have in common."""
    scenarios: dict[System, set[str]] = defaultdict(set)
    for (scenario, _), systems in have.items():
        for system in systems:
            scenarios[system].add(scenario)
    shared = [len(scenarios[a] & scenarios[b]) for a, b in combinations(scenarios, 2)]
    alone = sum(n == 0 for n in shared)
    return (
        f"most responses are missing: {alone} of {len(shared)} pairs of systems have no scenario "
        f"in common, and no pair more than {max(shared, default=0)}. What compares systems on the "
        "same scenarios has little or nothing to compare; are the names of scenarios and models "
        "spelled alike everywhere?"
    )


def _of_block(block: Block) -> str:
    return f"scenario {block[0]!r}{in_set(block[1])}"


def name_of(system: System) -> str:
    """A system in a message: its model and its condition."""
    return f"{system[0]!r} ({system[1]})"


def in_set(set_name: str) -> str:
    """The set of a block in a message, if it has one."""
    return f" in set {set_name!r}" if set_name else ""
