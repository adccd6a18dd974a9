"""A server before another one of this machine: what goes through it may be disturbed."""

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar, Self


class Proxy(socketserver.ThreadingTCPServer):
    """Listens on a free port of its own; its `handler` passes on to the port `target`."""

    allow_reuse_address = daemon_threads = True
    handler: ClassVar[type[socketserver.BaseRequestHandler]]

    def __init__(self, target: int) -> None:
        super().__init__(("127.0.0.1", 0), self.handler)
        self.target = target

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def connect(self) -> socket.socket:
        """A connection to what is behind it."""
        return socket.create_connection(("127.0.0.1", self.target))

    @classmethod
    @contextmanager
    def before(cls, target: int) -> Iterator[Self]:
        """A running proxy before the server on port `target`."""
        with cls(target) as proxy:
            thread = threading.Thread(target=proxy.serve_forever)
            thread.start()
            yield proxy
            proxy.shutdown()
            thread.join()
