"""A network that falls silent when it is told to: nothing passes, nothing breaks."""

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.servers.proxy import Proxy


class _Connection(socketserver.BaseRequestHandler):
    server: "SilentProxy"

    def handle(self) -> None:
        with self.server.connect() as far:
            back = threading.Thread(target=self._pass_on, args=(far, self.request), daemon=True)
            back.start()
            self._pass_on(self.request, far)
            back.join()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self.server.speaks.wait()
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)


class SilentProxy(Proxy):
    """Passes bytes on in both directions while it `speaks`."""

    handler = _Connection

    def __init__(self, target: int) -> None:
        super().__init__(target)
        self.speaks = threading.Event()
        self.speaks.set()

    @contextmanager
    def silence(self) -> Iterator[None]:
        """While the block lasts, connections stay as they are and new ones are accepted."""
        self.speaks.clear()
        try:
            yield
        finally:
            self.speaks.set()
