"""Figures as SVG and PNG, drawn by the Chrome or Chromium of the machine.

It opens one page, from a server that this process is meanwhile and nobody else can reach, with
the Plotly that the report uses, too, and sends each image back as soon as it is drawn. Plotly's
own exporter (Kaleido) needs the same browser and four packages more, and knows no views.
"""

import html
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from secrets import token_urlsafe
from threading import Event, Thread
from typing import Any, NamedTuple
from urllib.parse import unquote

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
NO_BROWSER = (
    "no Chrome or Chromium was found: the figures are in report.html and as JSON; install "
    "chromium, or name one in CHROMIUM, to get SVG and PNG"
)
SECONDS = 120.0
WIDTH = 1000  # pixels
SCALE = 2  # pixels of a PNG in one of those
FORMATS = ("svg", "png")

PAGE = """<!doctype html><meta charset="utf-8"><body>
<script src="plotly.min.js"></script>
<script>
"use strict";
const send = (name, body) => fetch(name, {method: "POST", body});
const places = {};  // each figure is plotted once, and then turned to its other views
let seed;  // Plotly names parts by chance; so the same figures give the same bytes
Math.random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
async function draw({figure, data, layout, changes}) {
  seed = 1;
  if (!(figure in places)) {
    places[figure] = document.body.appendChild(document.createElement("div"));
    await Plotly.newPlot(places[figure], data, layout, {staticPlot: true});
  }
  if (changes) await Plotly.update(places[figure], ...changes);
  return Plotly.Snapshot.toSVG(places[figure], "svg", 1);
}
async function paint(svg, {width, height}) {
  const image = new Image();
  image.src = "data:image/svg+xml," + encodeURIComponent(svg);
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = SCALE * width;
  canvas.height = SCALE * height;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const png = await new Promise((encoded) => canvas.toBlob(encoded, "image/png"));
  if (!png) throw new Error("too large for PNG");
  return png;
}
(async () => {
  let sent = [];
  for (const image of await (await fetch("images.json")).json()) {
    try {
      const svg = await draw(image);
      await Promise.all(sent);
      sent = [send(`${image.name}.svg`, svg)];
      sent.push(send(`${image.name}.png`, await paint(svg, image.layout)));
    }
    catch (error) { await send("failed", `${image.name}: ${error.message ?? error}`); }
  }
  await Promise.all(sent);
  await send("done", "");
})();
</script>""".replace("SCALE", str(SCALE))


class Image(NamedTuple):
    """A view of a figure; `name` is that of its files without their ending."""

    name: str
    figure: str
    data: list[dict[str, Any]]
    layout: dict[str, Any]
    changes: list[Any] | None


class Outcome:
    """What came back from the browser so far."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.failures: list[str] = []
        self.done = Event()


def write_images(
    figures: Mapping[str, dict[str, Any]],
    folder: Path,
    *,
    program: str | None = None,
    seconds: float = SECONDS,
) -> str:
    """Write `<name>.svg` and `<name>.png` of each figure into `folder`; what is to say about it.

    A figure's first view has the figure's name, further ones `<name>-<view>`. Nothing that a
    browser does or fails to do raises: what is missing, and why, is said in the note, which is
    empty where nothing is. All is over after about `seconds`, first views being drawn first.
    """
    images = images_of(figures)
    if not images:
        return ""
    browser = program or find_browser()
    if browser is None:
        return NO_BROWSER
    outcome = Outcome()
    with _serving(images, folder, outcome) as address:
        why = _run(browser, address, outcome, seconds)
    missing = [i.name for i in images if not {f"{i.name}.{f}" for f in FORMATS} <= outcome.files]
    if not missing:
        return ""
    why = "; ".join([*outcome.failures, *([why] if why else [])]) or "the browser sent nothing"
    drawn = f"{len(images) - len(missing)} of {len(images)} images could be drawn"
    return f"{drawn} ({why}); all figures are in report.html and as JSON"


def find_browser() -> str | None:
    """A Chrome or Chromium: the one that CHROMIUM names, else the first on the machine."""
    named = os.environ.get("CHROMIUM")
    return named or next((found for name in PROGRAMS if (found := shutil.which(name))), None)


def plotly_script() -> Path:
    """Plotly's own script, in the package, which is not imported for it."""
    found = find_spec("plotly")
    assert found and found.submodule_search_locations
    return Path(found.submodule_search_locations[0]) / "package_data" / "plotly.min.js"


def images_of(figures: Mapping[str, dict[str, Any]]) -> list[Image]:
    """Every view of every figure in print: on white, without menus; the first views first."""
    first: list[Image] = []
    others: list[Image] = []
    taken = {name.casefold() for name in figures}
    for figure, content in figures.items():
        layout = _printed(content["layout"])
        menus = content["layout"].get("updatemenus", [])
        buttons = [button for menu in menus for button in menu["buttons"]]
        changes = buttons[0]["args"] if buttons else None
        first.append(Image(figure, figure, content["data"], layout, changes))
        for button in buttons[1:]:
            name = _free(f"{figure}-{_as_file_name(button['label'])}", taken)
            others.append(Image(name, figure, content["data"], layout, button["args"]))
    return first + others


def _printed(layout: dict[str, Any]) -> dict[str, Any]:
    plain = {key: value for key, value in layout.items() if key != "updatemenus"}
    font = {**layout.get("font", {}), "color": "#222222", "family": "Helvetica, Arial, sans-serif"}
    white = {"paper_bgcolor": "#ffffff", "plot_bgcolor": "#ffffff"}
    size = {"width": WIDTH, "height": layout.get("height", 600), "autosize": False}
    return {**plain, **white, **size, "font": font}


def _as_file_name(label: str) -> str:
    return re.sub(r"[^\w.]+", "_", html.unescape(label)).strip("._") or "view"


def _free(name: str, taken: set[str]) -> str:
    """The name, numbered where another view has it; names that differ in case alone are one."""
    number, free = 1, name
    while free.casefold() in taken:
        number += 1
        free = f"{name}_{number}"
    taken.add(free.casefold())
    return free


class _Server(ThreadingHTTPServer):
    """The page and what it needs, below a path that only we know; images sent to it are kept."""

    daemon_threads = False  # so that closing it waits for who still writes a file

    def __init__(self, images: Sequence[Image], folder: Path, outcome: Outcome) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.path = f"/{token_urlsafe(16)}/"
        self.address = f"http://127.0.0.1:{self.server_port}{self.path}"
        self.folder, self.outcome = folder, outcome
        self.expected = {f"{image.name}.{ending}" for image in images for ending in FORMATS}
        listed = json.dumps([image._asdict() for image in images])
        self.pages = {
            "": ("text/html", PAGE.encode()),
            "plotly.min.js": ("text/javascript", plotly_script().read_bytes()),
            "images.json": ("application/json", listed.encode()),
        }

    def handle_error(self, request: Any, client_address: Any) -> None:
        """The browser was stopped while it sent something: what came is dropped."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 10

    def do_GET(self) -> None:
        kind, body = self.server.pages.get(self._asked(), ("", b""))
        self.send_response(HTTPStatus.OK if body else HTTPStatus.NOT_FOUND)
        self.send_header("Content-Type", f"{kind or 'text/plain'}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        asked, outcome = self._asked(), self.server.outcome
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if asked == "done":
            outcome.done.set()
        elif asked == "failed":
            outcome.failures.append(body.decode())
        elif asked in self.server.expected and len(body) == length:
            (self.server.folder / asked).write_bytes(body)
            outcome.files.add(asked)
        self.send_response(HTTPStatus.NO_CONTENT)
        self.end_headers()

    def _asked(self) -> str:
        """What is asked for below our path; something that there is not for any other path."""
        path = unquote(self.path)
        return path.removeprefix(self.server.path) if path.startswith(self.server.path) else "/"

    def log_message(self, *_args: Any) -> None:
        """Nothing: what matters is in the note."""


@contextmanager
def _serving(images: Sequence[Image], folder: Path, outcome: Outcome) -> Iterator[str]:
    with _Server(images, folder, outcome) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server.address
        finally:
            server.shutdown()
            thread.join()


def _run(browser: str, address: str, outcome: Outcome, seconds: float) -> str:
    """Let the browser open the page until all is drawn; why it ended before that, if it did."""
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="fivefold-", ignore_cleanup_errors=True) as profile:
        try:
            process = subprocess.Popen(  # noqa: S603  # the machine's own browser
                [browser, *FLAGS, f"--user-data-dir={profile}", address],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            return f"{browser} could not be started: {error.strerror}"
        try:
            while not outcome.done.wait(0.05):
                if process.poll() is not None:
                    return f"{browser} ended with code {process.returncode}"
                if time.monotonic() > end:
                    return f"{browser} was stopped after {seconds:g} s"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return ""
