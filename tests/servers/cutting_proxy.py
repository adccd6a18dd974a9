"""A network between a browser and a site that fails when it is told to."""

import socket
import socketserver
from enum import Enum

from tests.servers.proxy import Proxy


class Cut(Enum):
    """When the connection breaks, seen from the server."""

    BEFORE = "the server hears nothing"
    MIDWAY = "the server hears all but the end"
    AFTER = "the server has answered, but nobody hears it"


class _Connection(socketserver.StreamRequestHandler):
    server: "CuttingProxy"

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
        with self.server.connect() as site:
            site.sendall(request)
            site.shutdown(socket.SHUT_WR)  # a request that is not whole ends here
            return b"".join(iter(lambda: site.recv(65536), b""))


class CuttingProxy(Proxy):
    """Passes requests on, each over a connection of its own. Every POST meets `cut`, if it is set:
    a browser that hears nothing may send a page again by itself.
    """

    handler = _Connection
    cut: Cut | None = None

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"
