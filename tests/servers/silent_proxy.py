"""A network that falls silent when it is told to: nothing passes, nothing breaks."""

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from config.processes import free_port


class SilentProxy(socketserver.ThreadingTCPServer):
    """Passes bytes on in both directions while it `speaks`."""

    allow_reuse_address = daemon_threads = True

    def __init__(self, port: int, target: int) -> None:
        super().__init__(("127.0.0.1", port), _Connection)
        self.target = target
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


class _Connection(socketserver.BaseRequestHandler):
    server: SilentProxy

    def handle(self) -> None:
        with socket.create_connection(("127.0.0.1", self.server.target)) as far:
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


@contextmanager
def silent_proxy(target: int) -> Iterator[SilentProxy]:
    """A running proxy before the server on port `target`."""
    with SilentProxy(free_port(), target) as proxy:
        thread = threading.Thread(target=proxy.serve_forever)
        thread.start()
        yield proxy
        proxy.shutdown()
        thread.join()
