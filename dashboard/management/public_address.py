"""The name under which the world reaches `manage.py serve`, and the proxy that answers there."""

import errno
import re
import shutil
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from django.core.management.base import CommandError

from config.processes import ROOT, command_of, free_port

NAME = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
HTTP, HTTPS = 80, 443
CADDY = "caddy"


@dataclass(frozen=True)
class PublicAddress:
    """A host name, with the port of HTTPS, and that of HTTP, which only leads to it."""

    name: str
    port: int = HTTPS

    @classmethod
    def read(cls, text: str) -> "PublicAddress":
        """`example.org`, or `example.org:8443` to try it out. Raises CommandError."""
        name, colon, port = text.lower().partition(":")
        if "/" in text or not NAME.fullmatch(name) or name.replace(".", "").isdigit():
            raise CommandError(
                f"--public {text!r} is no host name: it takes one like survey.example.org, without "
                "https:// and without a path"
            )
        if not colon:
            return cls(name)
        if not port.isdecimal() or not 0 < int(port) < 65536:
            raise CommandError(f"--public {text!r}: a port is a number from 1 to 65535")
        return cls(name, int(port))

    @property
    def url(self) -> str:
        """The address in participants' links."""
        return f"https://{self.name}" + ("" if self.port == HTTPS else f":{self.port}")

    @property
    def is_local(self) -> bool:
        """Whether only this machine knows the name: its certificate comes from the proxy itself."""
        return self.name == "localhost" or self.name.endswith(".localhost")

    def check(self) -> None:
        """Raises CommandError where the proxy could not answer there."""
        if shutil.which(CADDY) is None:
            raise CommandError(
                "--public needs Caddy, which fetches the certificate: sudo apt-get install caddy, "
                "or see https://caddyserver.com/docs/install"
            )
        for port in (self.port, *([] if self.is_local else [HTTP])):
            _refuse_taken(port)
        try:
            socket.getaddrinfo(self.name, self.port)
        except socket.gaierror:
            raise CommandError(
                f"--public {self.name}: this name leads nowhere yet. Where you registered it, add "
                "an A record (or AAAA) with the public address of this machine, and start again"
            ) from None

    def command(self) -> list[str]:
        """The proxy of docker-compose.yml, with the same configuration."""
        *command, _ = command_of("proxy")
        return [*command, str(ROOT / "deploy" / "Caddyfile")]

    def environment(self, *, web: str, folder: Path) -> Mapping[str, str]:
        """What the proxy is told: who answers, at `web`, and where it keeps its certificates."""
        return {
            "SITE_URL": self.url,
            "WEB": web,
            "XDG_DATA_HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder),
            "CADDY_ADMIN": f"localhost:{free_port()}",  # another Caddy may run on this machine
            # A local name gets its certificate without being asked for it on port 80.
            "HTTP_PORT": str(free_port() if self.is_local else HTTP),
        }


def _refuse_taken(port: int) -> None:
    """Raises CommandError where another server has the port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError as error:
            if error.errno == errno.EACCES:  # Caddy may have the right to it that Python lacks
                return
            raise CommandError(
                f"Port {port} is taken: another web server runs on this machine. Stop it, or let "
                "it pass requests on (see docs/going-public.md)"
            ) from None
