"""A mail server, over real SMTP, that keeps what it gets: `with mail_server() as server:`."""

from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message

from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message as MessageHandler

from config.processes import free_port


class Kept(MessageHandler):
    """What was sent, and to whom."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[Message] = []

    def handle_message(self, message: Message) -> None:
        self.messages.append(message)

    def sent(self) -> list[tuple[str, str]]:
        """Receiver and subject of each message, in the order in which they came."""
        return [(each["To"], each["Subject"]) for each in self.messages]


@contextmanager
def mail_server() -> Iterator[tuple[Kept, int]]:
    """A server at a free port of this machine: what it got, and the port."""
    kept = Kept()
    controller = Controller(kept, hostname="127.0.0.1", port=free_port())
    controller.start()
    try:
        yield kept, controller.port
    finally:
        controller.stop()
