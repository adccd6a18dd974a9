"""Figures as SVG and PNG, drawn by the Chrome or Chromium of the machine.

It opens one page, from a server that this process is meanwhile and nobody else can reach, with
the Plotly that the report uses, too, and sends each image back as soon as it is drawn. Plotly's
own exporter (Kaleido) needs the same browser and four packages more, and knows no views.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from secrets import token_urlsafe
from threading import Event, Thread
from typing import Any
from urllib.parse import unquote

from analysis.figures.browser import browsing, find_browser
from analysis.figures.printed import Image, images_of

NO_BROWSER = (
    "no Chrome or Chromium was found: the figures are in report.html and as JSON; install "
    "chromium, or name one in CHROMIUM, to get SVG and PNG"
)
SECONDS = 120.0
SCALE = 2  # pixels of a PNG to one of its figure
FORMATS = ("svg", "png")
#: Seconds until the page asks again for images that are not known yet.
PATIENCE = 20.0

PAGE = """<!doctype html><meta charset="utf-8"><body>
<script src="plotly.min.js"></script>
<script>
"use strict";
const send = (name, body) => fetch(name, {method: "POST", body});
const failed = (what, error) => send("failed", `${what}: ${error?.message ?? error}`);
const packer = new Worker("packer.js");
let seed;  // Plotly names parts by chance; so the same figures give the same bytes
Math.random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
async function wanted() {
  for (;;) {
    try {
      const answer = await fetch("images.json");
      if (answer.status === 200) return await answer.json();
    }
    catch { await new Promise((later) => setTimeout(later, 200)); }  // the network changed
  }
}
// Each view is plotted anew: toSVG takes hidden texts out of a plot, which Plotly then misses.
async function draw({data, layout, changes}) {
  seed = 1;
  const place = document.body.appendChild(document.createElement("div"));
  try {
    await Plotly.newPlot(place, data, layout, {staticPlot: true});
    if (changes) await Plotly.update(place, ...changes);
    return Plotly.Snapshot.toSVG(place, "svg", 1);
  }
  finally {
    Plotly.purge(place);
    place.remove();
  }
}
async function paint(svg, {width, height}) {
  const [across, down] = [SCALE * width, SCALE * height];
  if (Math.max(across, down) > 65535) throw new Error("too large for PNG");  // it would be cut
  const image = new Image();
  image.src = "data:image/svg+xml," + encodeURIComponent(svg);
  await image.decode();
  return createImageBitmap(image, {resizeWidth: across, resizeHeight: down});
}
function pack(name, bitmap) {
  return new Promise((packed, broken) => {
    packer.onmessage = packed;
    packer.onerror = broken;
    packer.postMessage({name, bitmap}, [bitmap]);
  });
}
(async () => {
  let sent = [];
  for (const image of await wanted()) {
    try {
      const svg = await draw(image);
      await Promise.all(sent);
      const kept = (sending) => sending.catch((error) => failed(image.name, error));
      sent = [kept(send(`${image.name}.svg`, svg))];
      sent.push(kept(pack(image.name, await paint(svg, image.layout))));
    }
    catch (error) { await failed(image.name, error); }
  }
  await Promise.all(sent);
})().catch((error) => failed("the page", error)).then(() => send("done", ""));
</script>""".replace("SCALE", str(SCALE))

# PNG takes as long to pack as a figure to draw; so this one is packed while the next one is drawn.
PACKER = """"use strict";
const send = (name, body) => fetch(name, {method: "POST", body});
onmessage = async ({data: {name, bitmap}}) => {
  try {
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext("bitmaprenderer").transferFromImageBitmap(bitmap);
    await send(`${name}.png`, await canvas.convertToBlob());
  }
  catch (error) { await send("failed", `${name}: ${error?.message ?? error}`); }
  postMessage("");
};
"""


@dataclass
class Order:
    """Images to be drawn into a folder, and what came of them so far."""

    images: Sequence[Image]
    folder: Path
    files: set[str] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)
    done: Event = field(default_factory=Event)

    def takes(self, file: str) -> bool:
        return any(file in _files(image) for image in self.images)

    def missing(self) -> list[Image]:
        """Images of which a file is not there."""
        return [image for image in self.images if not _files(image) <= self.files]


#: Writes images of figures into a folder, once; what is to say about it.
WriteImages = Callable[[Mapping[str, dict[str, Any]], Path], str]


@contextmanager
def image_writer(*, program: str | None = None, seconds: float = SECONDS) -> Iterator[WriteImages]:
    """What writes `<name>.svg` and `<name>.png` of each figure, by a browser that starts now: it
    has read Plotly by the time that the figures are worked out.

    A figure's first view has the figure's name, further ones `<name>-<view>`. Nothing that a
    browser does or fails to do raises: what is missing, and why, is said in the note, which is
    empty where nothing is. Writing is over after about `seconds`, first views being drawn first.
    """
    browser = program or find_browser()
    if browser is None:
        yield lambda figures, _folder: NO_BROWSER if figures else ""
        return
    with ExitStack() as running:
        server = running.enter_context(_serving())
        over = running.enter_context(browsing(browser, server.address))

        def write(figures: Mapping[str, dict[str, Any]], folder: Path) -> str:
            order = Order(images_of(figures), folder)
            why = _carry_out(order, server, over, seconds) if figures else ""
            running.close()  # so nothing is written after what is said here
            return _note(order, why)

        yield write


def _carry_out(order: Order, server: "_Server", over: Callable[[], str], seconds: float) -> str:
    """Wait until all is drawn; why that is over before, if it is."""
    end = time.monotonic() + seconds
    server.give(order)
    while not order.done.wait(0.05):
        if why := over():
            return why
        if time.monotonic() > end:
            return f"the browser was stopped after {seconds:g} s"
    return ""


def _note(order: Order, why: str) -> str:
    missing = order.missing()
    if not missing:
        return ""
    because = "; ".join([*order.failures, *([why] if why else [])]) or "the browser sent nothing"
    drawn = f"{len(order.images) - len(missing)} of {len(order.images)} images could be drawn"
    return f"{drawn} ({because}); all figures are in report.html and as JSON"


def _files(image: Image) -> set[str]:
    return {f"{image.name}.{ending}" for ending in FORMATS}


def plotly_script() -> Path:
    """Plotly's own script, in the package, which is not imported for it."""
    found = find_spec("plotly")
    assert found and found.submodule_search_locations
    return Path(found.submodule_search_locations[0]) / "package_data" / "plotly.min.js"


class _Server(ThreadingHTTPServer):
    """The page and what it needs, below a path that only we know; images sent to it are kept."""

    daemon_threads = False  # so that closing it waits for who still writes a file

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.path = f"/{token_urlsafe(16)}/"
        self.address = f"http://127.0.0.1:{self.server_port}{self.path}"
        self.pages = {
            "": ("text/html", PAGE.encode()),
            "packer.js": ("text/javascript", PACKER.encode()),
            "plotly.min.js": ("text/javascript", plotly_script().read_bytes()),
        }
        self.order = Order([], Path())
        self.may_answer = Event()

    def give(self, order: Order) -> None:
        listed = json.dumps([image._asdict() for image in order.images])
        self.order = order
        self.pages["images.json"] = ("application/json", listed.encode())
        self.may_answer.set()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """The browser was stopped while it sent something: what came is dropped."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 10

    def do_GET(self) -> None:
        asked = self._asked()
        if asked == "images.json":
            self.server.may_answer.wait(PATIENCE)
        kind, body = self.server.pages.get(asked, ("", b""))
        self.send_response(HTTPStatus.OK if body else HTTPStatus.NOT_FOUND)
        self.send_header("Content-Type", f"{kind or 'text/plain'}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        asked, order = self._asked(), self.server.order
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if asked == "done":
            order.done.set()
        elif asked == "failed":
            order.failures.append(body.decode())
        elif order.takes(asked) and len(body) == length:
            (order.folder / asked).write_bytes(body)
            order.files.add(asked)
        self.send_response(HTTPStatus.NO_CONTENT)
        self.end_headers()

    def _asked(self) -> str:
        """What is asked for below our path; something that there is not for any other path."""
        path = unquote(self.path)
        return path.removeprefix(self.server.path) if path.startswith(self.server.path) else "/"

    def log_message(self, *_args: Any) -> None:
        """Nothing: what matters is in the note."""


@contextmanager
def _serving() -> Iterator[_Server]:
    with _Server() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.may_answer.set()  # whoever still waits for images is sent away
            server.shutdown()
            thread.join()
