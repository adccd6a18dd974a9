"""Which dialogues of a corpus become scenarios. Pure."""

import numpy as np

from corpus.problems import CorpusProblem


class SampleTooLarge(CorpusProblem):
    """More scenarios are asked for than there are; the message says how many there are."""


def drawn(n: int, *, first: int | None, at_random: int | None, seed: int) -> list[int]:
    """Positions from 0 among `n` dialogues, in the order drawn: of the `first` so many (else of
    all), `at_random` so many (else all).

    The same rows as pandas' `DataFrame.head(first).sample(at_random, random_state=seed)`. Raises
    SampleTooLarge.
    """
    among = n if first is None else first
    if among > n:
        raise SampleTooLarge(f"there are {n} dialogues, fewer than the first {among}")
    if at_random is None:
        return list(range(among))
    if at_random > among:
        raise SampleTooLarge(f"there are {among} dialogues to draw from, fewer than {at_random}")
    # The generator of pandas' integer seeds; numpy keeps its stream frozen.
    positions = np.random.RandomState(seed).choice(among, size=at_random, replace=False)
    return [int(position) for position in positions]
