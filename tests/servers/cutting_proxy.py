"""A network between a browser and a site that fails when it is told to."""

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum

from config.processes import free_port


class Cut(Enum):
    """When the connection breaks, seen from the server."""

    BEFORE = "the server hears nothing"
    MIDWAY = "the server hears all but the end"
    AFTER = "the server has answered, but nobody hears it"


class CuttingProxy(socketserver.ThreadingTCPServer):
    """Passes requests on, each over a connection of its own. Every POST meets `cut`, if it is set:
    a browser that hears nothing may send a page again by itself.
    """

    allow_reuse_address = daemon_threads = True

    def __init__(self, port: int, target: int) -> None:
        super().__init__(("127.0.0.1", port), _Connection)
        self.target = target
        self.cut: Cut | None = None

    @property
    def url(self) -> str:
        return f"http://localhost:{self.server_address[1]}"


class _Connection(socketserver.StreamRequestHandler):
    server: CuttingProxy

    def handle(self) -> None:
        lines = []
        while (line := self.rfile.readline()) not in (b"\r\n", b""):
            if not line.lower().startswith(b"connection:"):
                lines.append(line)
        if not lines:
            return
        length = next(
            (int(at[15:]) for at in lines if at.lower().startswith(b"content-length:")), 0
        )
        request = b"".join([*lines, b"Connection: close\r\n\r\n", self.rfile.read(length)])
        cut = self.server.cut if request.startswith(b"POST ") else None
        if cut is not Cut.BEFORE:
            answer = self._ask(request[:-10] if cut is Cut.MIDWAY else request)
            if cut is None:
                self.wfile.write(answer)

    def _ask(self, request: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", self.server.target)) as site:
            site.sendall(request)
            site.shutdown(socket.SHUT_WR)  # a request that is not whole ends here
            return b"".join(iter(lambda: site.recv(65536), b""))


@contextmanager
def cutting_proxy(target: int) -> Iterator[CuttingProxy]:
    """A running proxy before the site on port `target`."""
    with CuttingProxy(free_port(), target) as proxy:
        thread = threading.Thread(target=proxy.serve_forever)
        thread.start()
        yield proxy
        proxy.shutdown()
        thread.join()
