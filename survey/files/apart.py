"""Files of researchers read in a process of its own, with limits of computing time and memory.

A web process has threads for the pages of all studies: what one file costs there, everyone waits
for. The code that reads files is bounded, too; the limits here hold for what was not thought of.
"""

import os
import pickle
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any, ParamSpec, TypeVar

from survey.files.problems import DefinitionError, Problem
from survey.refusals import RefusalKind

P = ParamSpec("P")
R = TypeVar("R")

#: Seconds of computing and bytes of memory that a file may take. The largest upload, a list of
#: 470,000 submissions in 50 MB, takes half of both.
SECONDS = 15
MEMORY = 1_500_000_000
#: Files that a process has read at a time. Each keeps a thread that could show a page.
AT_ONCE = 2
#: Pages of participants go first.
NICENESS = 10
ROOT = Path(__file__).resolve().parent.parent.parent
_turns = BoundedSemaphore(AT_ONCE)


def read_apart(file: str, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """What `function` returns, called in a process of its own; what it raises is raised here.

    It is a function of a module without Django, with arguments and results that can be pickled.
    Raises DefinitionError, about `file`, where it takes more than `SECONDS` or `MEMORY`, or while
    other files are being read.
    """
    if not _turns.acquire(blocking=False):
        why = _refused(file, "other files are being read now; send it again in a minute")
        why.kind = RefusalKind.LATER
        raise why
    try:
        ended = subprocess.run(  # noqa: S603  our own module
            [sys.executable, "-m", __name__],
            input=pickle.dumps((function, args, kwargs)),
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env={"PATH": os.environ.get("PATH", ""), "PYTHONHASHSEED": "0"},
            check=False,
        )
    finally:
        _turns.release()
    if ended.returncode or not ended.stdout:
        raise _refused(
            file,
            f"reading it takes more than {SECONDS} seconds of computing or {MEMORY // 10**6:,} MB "
            "of memory; give less at a time",
        )
    is_raised, outcome = pickle.loads(ended.stdout)  # noqa: S301  of our own process
    if is_raised:
        raise outcome
    result: R = outcome
    return result


@contextmanager
def more_memory_at_most(size: int) -> Iterator[None]:
    """For files that a worker reads itself, because they are too long to be handed over: what
    takes `size` more bytes than now in the block raises MemoryError. On Linux alone.
    """
    if sys.platform != "linux":
        yield
        return
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = pages * resource.getpagesize() + size
    resource.setrlimit(resource.RLIMIT_AS, (min(wanted, hard) if hard >= 0 else wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _refused(file: str, message: str) -> DefinitionError:
    return DefinitionError([Problem(file, 0, 0, message)])


def _answer() -> None:
    """Call what standard input names, within limits, and write what came of it."""
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    if sys.platform == "linux":  # elsewhere the limit is not kept, or is refused
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    out, sys.stdout = sys.stdout.buffer, sys.stderr
    function, args, kwargs = pickle.load(sys.stdin.buffer)  # noqa: S301  of our own process
    outcome: tuple[bool, Any]
    try:
        outcome = False, function(*args, **kwargs)
    except MemoryError:
        sys.exit(1)
    except Exception as error:  # noqa: BLE001  whatever it raises is raised by the caller
        outcome = True, error
    with suppress(BrokenPipeError):
        pickle.dump(outcome, out)
        out.flush()


if __name__ == "__main__":
    _answer()
