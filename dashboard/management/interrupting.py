"""A command that is asked to end cleans up first."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from django.core.management.base import CommandError


@contextmanager
def told_when_interrupted(left: str) -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and a closed terminal end the block with one line about what is left."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    names = (signal.SIGTERM, signal.SIGHUP)
    before = {name: signal.signal(name, stop) for name in names}
    try:
        yield
    except KeyboardInterrupt:
        raise CommandError(f"Interrupted. {left}") from None
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
