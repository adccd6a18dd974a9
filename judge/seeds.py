"""Which seed a call is asked with. Pure.

A server that honours seeds draws the same random numbers for the same seed. So calls that share
a seed share their chance: all texts would be scored too high, or too low, together, and no mean
over texts would ever balance that. Each call has a seed of its own therefore.
"""

import hashlib
import json
from collections.abc import Sequence

from judge.definition import JudgeConfiguration

#: The format from which on it is so. Before it, replicate n of every text had the seed + n.
OWN_SEEDS_SINCE = 3
#: Servers keep a seed in 32 bits, with a sign; many refuse one of 2³¹ or more.
SEEDS = 2**31


def seed_of(
    configuration: JudgeConfiguration, *, about: Sequence[str], dimension: str, replicate: int
) -> int | None:
    """The seed of a judge's call (see `own_seed`); None where the judge has none, which leaves it
    to the endpoint. A judge of an earlier format keeps the seeds that it began with: seed +
    replicate.
    """
    if configuration.seed is None:
        return None
    if shares_seeds(configuration):
        return configuration.seed + replicate
    return own_seed(configuration.seed, about=about, dimension=dimension, replicate=replicate)


def own_seed(seed: int, *, about: Sequence[str], dimension: str, replicate: int) -> int:
    """A seed for one call alone, from 0 to 2³¹ − 1.

    `about` identifies the response or block by what stands in the study's files, never by an id
    of a database: the same study is asked with the same seeds in every installation. The result
    is the SHA-256 of the JSON of [seed, about, dimension, replicate], modulo 2³¹.
    """
    canonical = json.dumps([seed, list(about), dimension, replicate])
    return int.from_bytes(hashlib.sha256(canonical.encode()).digest()) % SEEDS


def shares_seeds(configuration: JudgeConfiguration) -> bool:
    """Whether a replicate is asked with one seed for all texts, as before OWN_SEEDS_SINCE."""
    return configuration.seed is not None and configuration.prompt_format < OWN_SEEDS_SINCE


#: What to know of a judge that shares seeds, after its name.
KEPT = (
    "keeps the seeds it began with (seed + n for replicate n, the same for every text), so that "
    "nothing is asked twice. To give each call a seed of its own, change `seed` in study.yaml, "
    "load the study and score it: a new version, asked and paid for anew."
)
