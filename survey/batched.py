"""What Python 3.12 has as `itertools.batched`."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")


def batched(items: Iterable[Item], most: int) -> Iterator[list[Item]]:
    """The items in their order, up to `most` at a time."""
    iterator = iter(items)
    while batch := list(islice(iterator, most)):
        yield batch
