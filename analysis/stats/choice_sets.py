"""Rankings, best and worst choices, and pairs as choices among a few alternatives each.

All are conditional logits: of the alternatives of a set, a rater picks one with a probability in
proportion to exp(features · unknowns). The unknowns are the logarithms of systems' strengths and,
of pairs with ties, of how frequent ties are:

- Ranking: each place is a choice among those that are left (R. D. Luce (1959), Individual choice
  behavior; R. L. Plackett (1975), The analysis of permutations).
- Best and worst: the best of all, then the worst of the rest, in which a strength counts the other
  way round (A. A. J. Marley & J. J. Louviere (2005), Some probabilistic models of best, worst, and
  best-worst choices).
- Pairs: i, j or a tie, in proportion to πᵢ, πⱼ and ν√(πᵢπⱼ) (R. R. Davidson (1970), On
  extending the Bradley–Terry model to accommodate ties in paired comparison experiments).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

Codes = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class ChoiceSets:
    """Alternatives in sets: their `features` (alternatives × unknowns, the systems' first), the
    `sets` that they belong to, in order, and how often each rater chose each (`chosen`, raters ×
    alternatives).
    """

    systems: int
    features: csr_array
    sets: Codes
    chosen: csr_array

    @property
    def has_ties(self) -> bool:
        return bool(self.features.shape[1] > self.systems)

    @cached_property
    def of_set(self) -> csr_array:
        """Sets × alternatives: 1 where the one has the other."""
        n = len(self.sets)
        size = (int(self.sets.max(initial=-1)) + 1, n)
        return coo_array((np.ones(n), (self.sets, np.arange(n))), size).tocsr()

    def preferred(self, *, ties: bool = True) -> Flags:
        """Whether each rater chose a system (rows) before another (columns) or, with `ties`, had
        them tie: raters × systems × systems.
        """
        own = self.features[:, : self.systems]
        others = csr_array((self.of_set.T @ (self.of_set @ own)) - own)
        sign = np.sign(np.asarray(own.sum(axis=1)).ravel())
        if self.has_ties and not ties:
            sign = np.where(self.features[:, [self.systems]].toarray()[:, 0] > 0, 0.0, sign)
        before = products(own, others)
        size = (self.chosen.shape[0], self.systems, self.systems)
        table = np.zeros(size, dtype=bool)
        for direction in (1, -1):
            times = self.chosen.multiply(sign == direction).tocsr()
            found = ((times @ before).toarray() > 0).reshape(size)
            table |= found if direction > 0 else found.swapaxes(1, 2)
        return table


def products(one: csr_array, other: csr_array) -> csr_array:
    """Of each row, the products of each value of one table with each of the other: n × (k · m),
    of n × k and n × m.
    """
    of_one = one.tocoo()
    of_other = other[of_one.row].tocoo()
    values = of_one.data[of_other.row] * of_other.data
    columns = of_one.col[of_other.row].astype(np.intp) * other.shape[1] + of_other.col
    size = (one.shape[0], one.shape[1] * other.shape[1])
    return coo_array((values, (of_one.row[of_other.row], columns)), size).tocsr()


class _Stages:
    """Choices of one system among several, each kind of set once."""

    def __init__(self) -> None:
        self._first: dict[tuple[tuple[int, ...], int], int] = {}
        self._rows: list[tuple[int, int]] = []  # system and sign of each alternative
        self._sets: list[int] = []
        self._chosen: list[tuple[int, int]] = []  # rater and alternative

    def add(self, rater: int, among: tuple[int, ...], system: int, sign: int = 1) -> None:
        """A rater's choice `among` systems in ascending order; of the worst where sign is −1."""
        if len(among) < 2:
            return
        first = self._first.get((among, sign))
        if first is None:
            first = self._first[among, sign] = len(self._rows)
            self._rows += [(each, sign) for each in among]
            self._sets += [len(self._first) - 1] * len(among)
        self._chosen.append((rater, first + among.index(system)))

    def sets(self, systems: int, raters: int) -> ChoiceSets:
        of, signs = np.array(self._rows).reshape(-1, 2).T
        features = coo_array((signs.astype(float), (np.arange(len(of)), of)), (len(of), systems))
        who, what = np.array(self._chosen).reshape(-1, 2).T
        chosen = coo_array((np.ones(len(who)), (who, what)), (raters, len(of)))
        return ChoiceSets(
            systems, features.tocsr(), np.array(self._sets, dtype=np.intp), chosen.tocsr()
        )


def of_rankings(
    rankings: Iterable[tuple[int, Sequence[int]]], *, systems: int, raters: int
) -> ChoiceSets:
    """From raters and their rankings, the best system first, without ties.

    A ranking says nothing of systems that are not in it.
    """
    stages = _Stages()
    for rater, ranking in rankings:
        left = tuple(sorted(ranking))
        for system in ranking[:-1]:
            stages.add(rater, left, system)
            left = tuple(each for each in left if each != system)
    return stages.sets(systems, raters)


def of_best_and_worst(
    choices: Iterable[tuple[int, Sequence[int], int | None, int | None]],
    *,
    systems: int,
    raters: int,
) -> ChoiceSets:
    """From raters, the systems that they were shown, and the best and the worst of these if any."""
    stages = _Stages()
    for rater, shown, best, worst in choices:
        left = tuple(sorted(shown))
        if best is not None:
            stages.add(rater, left, best)
            left = tuple(each for each in left if each != best)
        if worst is not None:
            stages.add(rater, left, worst, sign=-1)
    return stages.sets(systems, raters)


def of_pairs(
    rater: Codes, one: Codes, other: Codes, sign: Codes, *, systems: int, raters: int
) -> ChoiceSets:
    """From raters and two different systems each: `sign` is 1 where the first is better, −1 where
    the other is, 0 where they tie. Without any tie there is none among the alternatives.
    """
    low, high = np.minimum(one, other), np.maximum(one, other)
    sign = np.where(one == low, sign, -sign)
    pairs, number = np.unique(low * systems + high, return_inverse=True)
    i, j = np.divmod(pairs, systems)
    ties = bool((sign == 0).any())
    kinds = 3 if ties else 2
    at = np.arange(len(pairs)) * kinds
    entries = [(at, i, 1.0), (at + 1, j, 1.0)]
    if ties:
        entries += [(at + 2, i, 0.5), (at + 2, j, 0.5), (at + 2, np.full(len(at), systems), 1.0)]
    rows, columns = (np.concatenate([entry[part] for entry in entries]) for part in (0, 1))
    values = np.concatenate([np.full(len(row), value) for row, _, value in entries])
    size = (len(pairs) * kinds, systems + ties)
    alternative = number * kinds + np.select([sign > 0, sign < 0], [0, 1], 2)
    chosen = coo_array((np.ones(len(rater)), (rater, alternative)), (raters, size[0]))
    return ChoiceSets(
        systems,
        coo_array((values, (rows, columns)), size).tocsr(),
        np.repeat(np.arange(len(pairs)), kinds),
        chosen.tocsr(),
    )
