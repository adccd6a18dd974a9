"""Progress bars of commands."""

from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm

from jobs.runner import Told


@contextmanager
def progress_bar(unit: str) -> Iterator[Told]:
    """What tells a bar how many steps of how many are done. It is shown in a terminal only."""
    with tqdm(unit=unit, disable=None, dynamic_ncols=True) as bar:

        def told(done: int, of: int) -> None:
            bar.total = of
            bar.update(done - bar.n)

        yield told
