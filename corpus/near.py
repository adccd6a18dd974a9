"""Near-duplicates among texts that come one after the other. Pure.

Exact: two texts whose likeness reaches the threshold share one of their rarest pairs of words (the
prefix filter of Bayardo, Ma and Srikant 2007), so only texts that share some of these are compared.
What every text of a template has is frequent, and proposes nothing. Memory holds numbers alone: the
texts are not read again.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from corpus.cleaning import tokens
from survey.files.names import one_name

#: Pairs of words are counted in so many parts, one after the other, so that less memory is needed.
PARTS = 64
#: Rounding of a product must not shorten what is compared.
ROUNDING = 1e-9
#: Counting each earlier text is quicker than sorting if there are so many times fewer of them.
SPARSE = 8

Numbers = NDArray[np.int32]


@dataclass(frozen=True)
class Alike:
    """An earlier text, by its number, and the likeness of both: 0 to 1."""

    number: int
    likeness: float


def pairs_of_words(text: str) -> frozenset[str]:
    """Each two words that follow each other, without case; the only word of a text."""
    words = tokens(one_name(text).casefold())
    return frozenset(map(" ".join, pairwise(words)) if len(words) > 1 else words)


class PairsOfWords:
    """The pairs of words of texts, numbered from 0, as hashes of 64 bits."""

    def __init__(self) -> None:
        self.hashes, self.sizes = array("q"), array("q")

    def add(self, text: str) -> None:
        """Note the next text."""
        pairs = pairs_of_words(text)
        self.hashes.extend(map(hash, pairs))
        self.sizes.append(len(pairs))


def near_duplicates(pairs: PairsOfWords, threshold: float) -> Iterator[Alike | None]:
    """For each text its most alike kept predecessor, of several the first, or None: the text is
    then kept. Likeness is Jaccard's index of the pairs of words; texts without words are kept.

    Takes the hashes out of `pairs`.
    """
    texts = _Texts(pairs, threshold)
    for number in range(len(texts.sizes)):
        found = texts.most_alike(number)
        if found is None:
            texts.keep(number)
        yield found


class _Texts:
    """Texts as sorted numbers of their pairs of words, the rarest first, and an index of the kept
    ones. Pairs that only one text has are counted alone: these come before all others.
    """

    def __init__(self, pairs: PairsOfWords, threshold: float) -> None:
        self.threshold = threshold
        self.sizes = np.array(pairs.sizes, dtype=np.int64)
        numbers, rarity = _numbered(np.frombuffer(pairs.hashes, dtype=np.int64))
        pairs.hashes = array("q")
        is_shared = numbers >= 0
        ends = np.cumsum(self.sizes)
        starts = ends - self.sizes
        shared = np.array(
            [
                np.count_nonzero(is_shared[start:end])
                for start, end in zip(starts, ends, strict=True)
            ],
            dtype=np.int64,
        )
        self.numbers = rarity[numbers[is_shared]]
        self.ends = np.cumsum(shared)
        self.starts = self.ends - shared
        #: At least so many pairs of a text are those of a text that is near it.
        self.least = np.ceil(threshold * self.sizes - ROUNDING).astype(np.int64)
        lengths = np.clip(self.sizes - self.least + 1 - (self.sizes - shared), 0, shared)
        self.prefix_ends = self.starts + lengths
        in_prefix = np.zeros(len(self.numbers), dtype=np.bool_)
        for start, end, prefix_end in zip(self.starts, self.ends, self.prefix_ends, strict=True):
            self.numbers[start:end].sort()
            in_prefix[start:prefix_end] = True
        room = np.bincount(self.numbers[in_prefix], minlength=len(rarity))
        #: Of each pair, the kept texts that have it in their prefix, from `first` to `last`.
        self.first = np.cumsum(room) - room
        self.last = self.first.copy()
        self.kept: Numbers = np.zeros(int(room.sum()), dtype=np.int32)
        self.is_own = np.zeros(len(rarity), dtype=np.bool_)

    def keep(self, number: int) -> None:
        """Add a text to the index."""
        prefix = self.numbers[self.starts[number] : self.prefix_ends[number]]
        self.kept[self.last[prefix]] = number
        self.last[prefix] += 1

    def most_alike(self, number: int) -> Alike | None:
        """The most alike of the kept texts that are near a text; of several the first."""
        candidates = self._candidates(number)
        if not len(candidates):
            return None
        own = self.numbers[self.starts[number] : self.ends[number]]
        self.is_own[own] = True
        common = np.array(
            [
                np.count_nonzero(self.is_own[self.numbers[self.starts[each] : self.ends[each]]])
                for each in candidates
            ]
        )
        self.is_own[own] = False
        likeness = common / (self.sizes[number] + self.sizes[candidates] - common)
        best = int(np.argmax(likeness))
        if likeness[best] < self.threshold:
            return None
        return Alike(int(candidates[best]), float(likeness[best]))

    def _candidates(self, number: int) -> NDArray[np.int64]:
        """The kept texts that may be near a text, in order."""
        prefix = self.numbers[self.starts[number] : self.prefix_ends[number]]
        first, last = self.first[prefix], self.last[prefix]
        filled = np.flatnonzero(last > first)
        if not len(filled):
            return filled
        lists = [self.kept[first[each] : last[each]] for each in filled]
        candidates, common = _counted(np.concatenate(lists))
        size, sizes = self.sizes[number], self.sizes[candidates]
        needed = self.threshold / (1 + self.threshold) * (size + sizes) - ROUNDING
        # What is common beyond both prefixes is behind the longer one's.
        beyond = np.maximum(self.least[number], self.least[candidates]) - 1
        possible = np.minimum(np.minimum(size, sizes), common + beyond)
        near: NDArray[np.int64] = candidates[possible >= needed]
        return near


def _counted(numbers: Numbers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The different ones of some numbers, in order, and how often each occurs."""
    if len(numbers) * SPARSE < numbers.max():
        different, times = np.unique(numbers, return_counts=True)
        return different.astype(np.int64), times.astype(np.int64)
    counts = np.bincount(numbers)
    # Of truth values, as numpy finds these three times as fast as numbers.
    found = np.flatnonzero(counts > 0)
    return found.astype(np.int64), counts[found].astype(np.int64)


def _numbered(hashes: NDArray[np.int64]) -> tuple[Numbers, Numbers]:
    """A number for each hash, -1 for those that occur once; and by number, the place of its hash if
    the rarest come first.
    """
    numbers = np.full(len(hashes), -1, dtype=np.int32)
    counts: list[NDArray[np.int64]] = []
    n = 0
    # One byte of each hash says which part it is in.
    part_of = hashes.view(np.uint8)[::8] % PARTS
    for part in range(PARTS):
        places = np.flatnonzero(part_of == part)
        _, which, times = np.unique(hashes[places], return_inverse=True, return_counts=True)
        is_shared = times > 1
        own = np.where(is_shared, n + np.cumsum(is_shared) - 1, -1)
        numbers[places] = own[which]
        counts.append(times[is_shared])
        n += len(counts[-1])
    rarity = np.empty(n, dtype=np.int32)
    rarity[np.argsort(np.concatenate(counts), kind="stable")] = np.arange(n, dtype=np.int32)
    return numbers, rarity
