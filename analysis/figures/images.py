"""Figures as SVG and PNG, drawn by Kaleido in a Chrome or Chromium of the machine.

It shows nothing but Kaleido's own page with the Plotly of the package, and fetches nothing. When
this process ends, however it ends, the browser loses its pipe and quits.
"""

import asyncio
import os
import shutil
import signal
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from choreographer.errors import ChromeNotFoundError
from kaleido import Kaleido, PageGenerator

from analysis.figures.printed import Image, images_of

NO_BROWSER = (
    "no Chrome or Chromium was found: the figures are in report.html and as JSON; to get SVG and "
    "PNG, install chromium or set CHROMIUM to its path"
)
#: The formats, and pixels of an image to one of its figure.
FORMATS = {"svg": 1, "png": 2}
#: How many images are drawn at a time: half of the time goes into loading the page for each.
TABS = 2
#: Seconds until a browser that neither starts nor draws an image is stopped.
SECONDS = 60.0
#: And until one that does not end when it is asked to.
CLOSING = 10.0
#: Browsers that Kaleido does not look for by itself: the same engine without windows.
SHELLS = ("chromium-headless-shell", "chrome-headless-shell")
#: Where the browser would fetch pages from: nowhere.
NOWHERE = "127.0.0.1:9"
#: Plotly names parts by chance; so the same figures give the same bytes.
SEEDED = """<script>
let seed = 1;
Math.random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
</script>
"""


class BrowserEnded(Exception):
    """There is no browser any more, or never was; the message says what it did."""


class DrawingFailed(Exception):
    """An image could not be drawn; the message says why."""


@dataclass
class WrittenImages:
    """Which files are there, and why others are not."""

    files: set[str] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)


def write_images(
    figures: Mapping[str, dict[str, Any]],
    folder: Path,
    *,
    program: str | None = None,
    seconds: float = SECONDS,
) -> str:
    """Write `<name>.svg` and `<name>.png` of every view of stored figures; what is to say about it.

    Nothing that a browser does or fails to do raises: what is missing, and why, is said in the
    note, which is empty where nothing is. A browser that takes more than `seconds` to start, or
    for one image, is stopped; first views are drawn first.
    """
    images, drawn = images_of(figures), WrittenImages()
    path = program or _browser()
    if images:
        try:
            asyncio.run(_draw(images, folder, drawn, path, seconds))
        except ChromeNotFoundError:
            if path is None:
                return NO_BROWSER
            drawn.failures.append(f"{path} could not be started: it is not there")
    missing = [image for image in images if not {*_files(image)} <= drawn.files]
    if not missing:
        return ""
    there = f"{len(images) - len(missing)} of {len(images)} images could be drawn"
    return f"{there} ({'; '.join(drawn.failures)}); all figures are in report.html and as JSON"


def _browser() -> str | None:
    """The browser that we or Kaleido's settings give, else one without windows; None leaves
    it to Kaleido.
    """
    if named := os.environ.get("CHROMIUM") or os.environ.get("BROWSER_PATH"):
        return shutil.which(named) or named
    return next(filter(None, map(shutil.which, SHELLS)), None)


def _files(image: Image) -> dict[str, dict[str, Any]]:
    """Names of its files, and what Kaleido is told of each."""
    return {f"{image.name}.{f}": {"format": f, "scale": FORMATS[f]} for f in FORMATS}


async def _draw(
    images: Sequence[Image], folder: Path, drawn: WrittenImages, path: str | None, seconds: float
) -> None:
    page = PageGenerator(mathjax=False)
    page.header += SEEDED
    browser = Kaleido(n=TABS, path=path, page_generator=page, proxy_server=NOWHERE, timeout=None)
    todo = ((image, *each) for image in images for each in _files(image).items())

    async def draw_in_a_tab() -> None:
        for image, file, how in todo:
            try:
                content = await _within(seconds, browser, browser.calc_fig(image.figure, how))
                if how["format"] == "png" and not content.startswith(b"\x89PNG"):
                    raise DrawingFailed("too large for PNG")
            except DrawingFailed as why:
                drawn.failures.append(f"{image.name}: {why}")
                continue
            (folder / file).write_bytes(content)
            drawn.files.add(file)

    try:
        await _within(seconds, browser, browser.open())
        await asyncio.gather(*(draw_in_a_tab() for _ in range(TABS)))
    except BrowserEnded as why:
        drawn.failures.append(f"{path or 'the browser'} {why}")
    finally:
        with suppress(BrowserEnded, DrawingFailed):
            await _within(CLOSING, browser, browser.close())


async def _within(seconds: float, browser: Kaleido, doing: Awaitable[Any]) -> Any:
    """What comes of it; a browser that is not done in time is stopped with all that it started.

    Raises BrowserEnded where it is no more, DrawingFailed where it still is.
    """
    timer = asyncio.get_running_loop().call_later(seconds, _stop, browser)
    try:
        # Of a browser that ended by itself nobody may hear, so the wait has an end of its own.
        return await asyncio.wait_for(doing, seconds + CLOSING)
    except (Exception, asyncio.CancelledError) as error:
        task = asyncio.current_task()
        if task and task.cancelling():  # the researcher does not want to wait
            raise
        if not hasattr(browser, "subprocess"):
            raise BrowserEnded(f"could not be started: {error}") from error
        code = browser.subprocess.poll()
        if code is None:
            raise DrawingFailed(str(error) or "no answer") from error
        stopped = f"was stopped after {seconds:g} s" if code == -signal.SIGKILL else "ended"
        raise BrowserEnded(stopped) from error
    finally:
        timer.cancel()


def _stop(browser: Kaleido) -> None:
    with suppress(AttributeError, ProcessLookupError):  # it did not start, or ended
        os.killpg(browser.subprocess.pid, signal.SIGKILL)
