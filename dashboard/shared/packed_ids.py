"""Many ids as a short text, which is stored and read in a third of the time of a list. Pure."""

import struct
import zlib
from base64 import b64decode, b64encode
from collections.abc import Sequence
from itertools import accumulate, pairwise

BYTES = 8


def packed(ids: Sequence[int]) -> str:
    """The steps from each id to the next: most are small, and alike."""
    steps = [after - before for before, after in pairwise([0, *ids])]
    return b64encode(zlib.compress(struct.pack(f"<{len(steps)}q", *steps), level=1)).decode()


def unpacked(text: str) -> list[int]:
    """The ids, in their order."""
    data = zlib.decompress(b64decode(text))
    return list(accumulate(struct.unpack(f"<{len(data) // BYTES}q", data)))
