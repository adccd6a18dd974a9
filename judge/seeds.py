"""The seed of a call. Pure.

A server that honours seeds draws the same random numbers for the same seed. So calls with one seed
share their random errors: all texts would be scored too high, or too low, together, and no mean
over texts would correct that. Therefore each call has its own seed.
"""

import hashlib
import json
from collections.abc import Sequence

from judge.configuration import JudgeConfiguration

#: The first format with own seeds. Before it, replicate n of every text had the seed + n.
OWN_SEEDS_SINCE = 3
#: Servers store a seed as a signed 32-bit number; many refuse 2³¹ or more.
SEEDS = 2**31


def seed_of(
    configuration: JudgeConfiguration, *, about: Sequence[str], dimension: str, replicate: int
) -> int | None:
    """The seed of a judge's call (see `own_seed`); None if the judge has none, and then the
    endpoint decides. A judge in an earlier format keeps its seeds: seed + replicate.
    """
    if configuration.seed is None:
        return None
    if shares_seeds(configuration):
        return configuration.seed + replicate
    return own_seed(configuration.seed, about=about, dimension=dimension, replicate=replicate)


def own_seed(seed: int, *, about: Sequence[str], dimension: str, replicate: int) -> int:
    """A seed for one call only, from 0 to 2³¹ − 1.

    `about` identifies the response or block by the content of the study's files, not by a database
    id: the same study gets the same seeds in every installation. The result is the SHA-256 of the
    JSON of [seed, about, dimension, replicate], modulo 2³¹.
    """
    canonical = json.dumps([seed, list(about), dimension, replicate])
    return int.from_bytes(hashlib.sha256(canonical.encode()).digest()) % SEEDS


def shares_seeds(configuration: JudgeConfiguration) -> bool:
    """Whether a replicate uses one seed for all texts, as before OWN_SEEDS_SINCE."""
    return configuration.seed is not None and configuration.prompt_format < OWN_SEEDS_SINCE


#: A note about a judge with shared seeds, to follow its name.
KEPT = (
    "keeps its earlier seeds (seed + n for replicate n, the same for every text), so that no call "
    "is made twice. To give each call its own seed, change `seed` in study.yaml, load the study "
    "and score it. This makes a new version, and all calls are made and paid for again."
)
