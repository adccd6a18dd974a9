"""A Chrome or Chromium of the machine, without a window, on one page of ours."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

PROGRAMS = (
    "chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser",
    "google-chrome", "google-chrome-stable", "chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)  # fmt: skip
# It shows nothing but our own page, so it needs no sandbox, which containers do not offer; and it
# must not look for hosts of its maker.
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-extensions", "--no-proxy-server", "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]  # fmt: skip
# It listens to file 3, which is a pipe from us, and quits where that ends: so even a process that
# is killed leaves none behind.
LISTENS = ["/bin/sh", "-c", 'exec "$@" --remote-debugging-pipe 3<&0 4>/dev/null </dev/null', "sh"]


def find_browser() -> str | None:
    """A Chrome or Chromium: the one that CHROMIUM names, else the first on the machine."""
    named = os.environ.get("CHROMIUM")
    return named or next((found for name in PROGRAMS if (found := shutil.which(name))), None)


@contextmanager
def browsing(program: str, address: str) -> Iterator[Callable[[], str]]:
    """Have the browser open the page; what is given tells why it is over, or nothing if it isn't.

    At the end it is stopped with all that it started.
    """
    if shutil.which(program) is None:
        yield lambda: f"{program} could not be started: it is not there, or no program"
        return
    with tempfile.TemporaryDirectory(prefix="fivefold-", ignore_cleanup_errors=True) as profile:
        try:
            process = subprocess.Popen(  # noqa: S603  # the machine's own browser
                [*LISTENS, program, *FLAGS, f"--user-data-dir={profile}", address],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:  # no memory, too many processes
            why = f"{program} could not be started: {error.strerror}"
            yield lambda: why
            return

        def over() -> str:
            ended = process.poll()
            return "" if ended is None else f"{program} ended with code {ended}"

        try:
            yield over
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
