"""HTTP as bytes: what no well-behaved client would send."""

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse

#: A name or value of a header, in whatever bytes.
Header = tuple[bytes, bytes]


@dataclass(frozen=True)
class Request:
    """A request as it goes over the wire. `Host` and `Content-Length` are added."""

    method: bytes
    target: bytes
    headers: tuple[Header, ...] = ()
    body: bytes = b""

    def encode(self, host: bytes) -> bytes:
        lines = [b"%b %b HTTP/1.1" % (self.method, self.target)]
        if not any(name.lower() == b"host" for name, _ in self.headers):
            lines.append(b"Host: " + host)
        lines += [b"%b: %b" % header for header in self.headers]
        lines += [b"Content-Length: %d" % len(self.body), b"", self.body]
        return b"\r\n".join(lines)


@dataclass(frozen=True)
class Answer:
    """What came back; status 0 where the connection ended without an answer."""

    status: int
    headers: Sequence[tuple[str, str]] = ()
    body: bytes = b""

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name), "")


class Connection:
    """A kept-alive connection to a server of this machine, opened anew when it was closed."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._socket: socket.socket | None = None

    def ask(self, request: Request) -> Answer:
        """Send the request. Once more where a kept connection had been closed meanwhile."""
        if self._socket is not None:
            answer = self._exchange(request)
            if answer.status:
                return answer
        self._socket = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self._exchange(request)

    def _exchange(self, request: Request) -> Answer:
        assert self._socket is not None
        try:
            self._socket.sendall(request.encode(b"localhost:%d" % self.port))
            reply = HTTPResponse(self._socket, method=request.method.decode("latin-1"))
            reply.begin()
            body = reply.read()
        except (OSError, HTTPException):
            self.close()
            return Answer(0)
        if reply.will_close:
            self.close()
        return Answer(reply.status, reply.getheaders(), body)

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None
