"""Which dialogues of a corpus train a model, validate and test it. Pure."""

import hashlib
import random
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from corpus.dialogues import Dialogue
from corpus.problems import CorpusProblem

#: The parts, by the names of their files, as `mlx-lm` wants them.
PARTS = ("train", "valid", "test")


class SplitWrong(CorpusProblem):
    """The parts can't be that large; the message says how many dialogues there are."""


@dataclass(frozen=True)
class Split:
    """How many dialogues, or which share of them (below 1), validate and test; others train.

    Dialogues of one conversation are in one part: the later ones have the earlier as context. With
    `together`, so are those of one context. `held_out` rows are always in test.
    """

    valid: float
    test: float
    seed: int
    together: bool = False
    held_out: Collection[int] = ()

    def parts(self, dialogues: Iterable[Dialogue]) -> list[int]:
        """The number of the part of each dialogue, in their order. Raises SplitWrong."""
        groups: dict[object, list[int]] = {}
        held_out = set()
        n, line, group = 0, 0, object()
        for n, dialogue in enumerate(dialogues, start=1):
            if dialogue.line != line:  # else it continues the conversation of the one before
                line, group = dialogue.line, n
                if self.together and dialogue.context:
                    group = hashlib.sha256(dialogue.context.encode("utf-8", "replace")).digest()
            groups.setdefault(group, []).append(n - 1)
            if dialogue.row in self.held_out:
                held_out.add(group)
        wanted = [_number(size, n) for size in (self.valid, self.test)]
        if sum(wanted) >= n:
            raise SplitWrong(f"there are {n} dialogues, and {sum(wanted)} are not to train")
        part = [0] * n
        order = sorted((group for group in groups if group not in held_out), key=groups.__getitem__)
        random.Random(self.seed).shuffle(order)  # noqa: S311  a draw that can be repeated
        in_test = [number for group in held_out for number in groups[group]]
        for number in in_test:
            part[number] = 2
        left = [wanted[0], wanted[1] - len(in_test)]
        for group in order:
            chosen = next((which for which in (1, 0) if left[which] > 0), None)
            if chosen is None:
                break
            for number in groups[group]:
                part[number] = chosen + 1
            left[chosen] -= len(groups[group])
        return part


def _number(size: float, n: int) -> int:
    return round(size * n) if size < 1 else int(size)
