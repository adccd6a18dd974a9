"""Commands that wait for workers, and show how far they are."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tqdm import tqdm

POLL_SECONDS = 0.5
#: The wait for a worker before the command says that there may be none.
PATIENCE_SECONDS = 10.0


@dataclass(frozen=True)
class Seen:
    """How far workers are: what is done of a total, and the requests that were sent."""

    total: int
    done: int
    running: int
    attempts: int
    is_over: bool
    #: Cost and errors so far.
    said: str


def wait_for(look: Callable[[], Seen], *, unit: str, file: Any) -> None:
    """Show progress until it is over."""
    began, hinted, sent_before = time.monotonic(), False, look().attempts
    with tqdm(unit=f" {unit}", file=file, dynamic_ncols=True) as bar:
        while True:
            now = look()
            bar.total, bar.n = now.total, now.done
            bar.set_postfix_str(now.said)
            if now.is_over:
                return
            idle = now.attempts == sent_before and not now.running
            if idle and not hinted and time.monotonic() - began > PATIENCE_SECONDS:
                hinted = True
                bar.write(
                    f"No worker has begun within {PATIENCE_SECONDS:.0f} s; "
                    "start one with: .venv/bin/celery --app config worker --beat",
                    file=file,
                )
            time.sleep(POLL_SECONDS)
