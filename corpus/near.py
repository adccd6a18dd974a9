"""Near-duplicates among texts that come one after the other. Pure.

MinHash with locality-sensitive hashing (`rensa`) proposes earlier texts; each proposal is compared
in full, so a text is never called a near-duplicate by a likeness that was only estimated. The index
holds hashes; the texts stay where they are and are read again for a comparison.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from rensa import RMinHash, RMinHashLSH

from corpus.cleaning import tokens

PERMUTATIONS, SEED = 120, 42
#: From which threshold on how many hashes are a band. Fewer propose more: two texts as alike as the
#: threshold are proposed with a probability of 1 − (1 − threshold^hashes)^bands, at least .995.
HASHES_OF_A_BAND = ((0.8, 6), (0.65, 4), (0.0, 3))
#: Texts whose pairs of words are kept for further comparisons.
REMEMBERED = 1000


@dataclass(frozen=True)
class Alike:
    """An earlier text, by its number, and the likeness of both: 0 to 1."""

    number: int
    likeness: float


def pairs_of_words(text: str) -> frozenset[str]:
    """Each two words that follow each other, without case; the only word of a text."""
    words = tokens(text.casefold())
    return frozenset(map(" ".join, pairwise(words)) if len(words) > 1 else words)


def likeness(one: frozenset[str], two: frozenset[str]) -> float:
    """Jaccard's index: what both have, of what either has."""
    either = len(one | two)
    return len(one & two) / either if either else 0.0


class NearDuplicates:
    """Texts without near-duplicates, numbered from 0; `text_of` gives one of them again."""

    def __init__(self, threshold: float, text_of: Callable[[int], str]) -> None:
        self.threshold = threshold
        hashes = next(n for least, n in HASHES_OF_A_BAND if threshold >= least)
        self._index = RMinHashLSH(
            threshold=threshold, num_perm=PERMUTATIONS, num_bands=PERMUTATIONS // hashes
        )
        self._kept = 0
        self._pairs_of = lru_cache(REMEMBERED)(lambda number: pairs_of_words(text_of(number)))

    def add(self, texts: Sequence[str]) -> Iterator[Alike | None]:
        """For each text the most alike of those kept before, or None: then it is kept, too.

        A kept text must be there for `text_of` before the next one is asked for.
        """
        pairs = [pairs_of_words(text) for text in texts]
        sketches = RMinHash.from_token_sets(
            [list(each) for each in pairs], num_perm=PERMUTATIONS, seed=SEED
        )
        for own, sketch in zip(pairs, sketches, strict=True):
            found = self._most_alike(own, self._index.query(sketch)) if own else None
            if found is None:
                if own:
                    self._index.insert(self._kept, sketch)
                self._kept += 1
            yield found

    def _most_alike(self, own: frozenset[str], proposed: Sequence[int]) -> Alike | None:
        compared = ((likeness(own, self._pairs_of(number)), -number) for number in proposed)
        best = max(compared, default=(0.0, 0))
        return Alike(-best[1], best[0]) if best[0] >= self.threshold else None
